"""Spectra of windows of sounds, on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.fourier import Floats, first_place, transform_of
from dali_studio.kernels.cuda.stream import GpuStream

_ITEM = np.dtype([("source", np.uint64), ("target", np.uint64), ("count", np.int64), ("windows", np.int64)])
_SETTINGS = np.dtype(
    [*((name, np.int64) for name in ("first", "step", "width", "size", "factors", "reflect", "root", "time_major",
                                     "lines", "pitch")), ("room", np.uint64)]
)  # fmt: skip
_THREADS = 256
#: Windows that a block takes at once, at most: eight numbers that lie side by side are written at once.
_LINES = 8
#: Bytes of shared memory of a block, and of device memory where that is too small.
_SHARED, _ROOM = 48 << 10, 256 << 20
_COMPLEX = np.dtype(np.complex64).itemsize


def spectrogram_on_gpu(
    src: Batch, out: Batch, window: Floats, step: int, size: int, stream: GpuStream, *, centred: bool, reflect: bool,
    root: bool, time_major: bool,
) -> None:  # fmt: skip
    """What `kernels.cpu.fourier.spectrogram` does with each sample."""
    items = np.zeros(len(src), _ITEM)
    items["source"], items["target"], items["count"] = src.addresses, out.addresses, src.counts
    items["windows"] = out.shapes[:, 0 if time_major else 1]
    settings = np.zeros(1, _SETTINGS)
    settings["first"], settings["step"], settings["width"] = first_place(window, centred=centred), step, len(window)
    settings["size"], settings["reflect"], settings["root"] = size, reflect, root
    settings["time_major"] = time_major
    transform = transform_of(size)
    if transform is None:
        numbers = _lasting(stream, settings, window, lambda: [np.exp(-2j * np.pi * np.arange(size) / size)])
        work = items["windows"] * (size // 2 + 1)
        stream.launch("spectrogram", items, work, *numbers, function="spectra_by_sums")
        return
    pitch = (size // 2 if size % 2 == 0 else size) | 1  # odd: lines begin in different banks of the memory
    line = 2 * pitch * _COMPLEX
    lines = min(_SHARED // line, _LINES) or 1
    blocks = -(-int(items["windows"].max(initial=0)) // lines)
    shared, room = lines * line, None
    if shared > _SHARED:
        shared, blocks = 0, max(min(blocks, _ROOM // (line * len(items))), 1)
        room = stream.room(blocks * len(items) * line)
        settings["room"] = int(room.ptr)
    settings["factors"], settings["lines"], settings["pitch"] = len(transform.factors), lines, pitch
    if room is None:
        numbers = _lasting(stream, settings, window, lambda: [transform.factors, transform.roots])
        stream.launch("spectrogram", items, blocks * _THREADS, *numbers, function="spectra", shared=shared)
        return
    tables = settings, window, transform.factors, transform.roots
    stream.launch("spectrogram", items, blocks * _THREADS, function="spectra", tables=tables)
    del room  # back to the pool of this stream, whose next user comes after the kernel


def _lasting(
    stream: GpuStream, settings: NDArray[np.void], window: Floats, others: Callable[[], Sequence[NDArray[Any]]]
) -> list[np.uint64]:  # fmt: skip
    """Addresses of tables that are the same for each batch; `others` gives those that follow from the settings."""
    name = "spectrogram", settings.tobytes(), window.tobytes()
    return list(map(np.uint64, stream.constant(name, lambda: [settings, window, *others()])))
