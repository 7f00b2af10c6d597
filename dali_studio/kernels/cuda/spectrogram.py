"""Spectra of windows of sounds, on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.fourier import Floats, first_place, transform_of
from dali_studio.kernels.cuda.extents import END, Extents
from dali_studio.kernels.cuda.stream import GpuStream

#: Samples of the sound and windows of the spectra, by whether time comes first.
_ITEMS = [Extents((0, 0, END), (1, axis, axis + 1), largest=1) for axis in (1, 0)]
_SETTINGS = np.dtype(
    [*((name, np.int64) for name in ("first", "step", "width", "size", "factors", "reflect", "root", "time_major")),
     ("room", np.uint64)]
)  # fmt: skip
_THREADS = 256
#: Complex numbers that the registers of a block hold, and windows that it takes at once, at most.
_HELD, _MAX_LINES = 4096, 64
#: Bytes of device memory for longer transforms.
_ROOM = 256 << 20
_COMPLEX = np.dtype(np.complex64).itemsize


def spectrogram_on_gpu(
    src: Batch, out: Batch, window: Floats, step: int, size: int, stream: GpuStream, *, centred: bool, reflect: bool,
    root: bool, time_major: bool,
) -> None:  # fmt: skip
    """What `kernels.cpu.fourier.spectrogram` does with each sample."""
    transform, width = transform_of(size), len(window)
    bins = size // 2 + 1
    numbers = {
        "first": first_place(window, centred=centred), "step": step, "width": width, "size": size, "reflect": reflect,
        "root": root, "time_major": time_major,
    }  # fmt: skip

    def lasting(make: Callable[[], Sequence[NDArray[Any]]]) -> list[int]:
        """Addresses of the settings, of the window, and of tables that follow from the settings."""
        name = "spectrogram", window.tobytes(), *numbers.values()
        return stream.constant(name, lambda: [_settings(numbers), window, *make()])

    launch = partial(_ITEMS[time_major].launch, stream, "spectrogram")
    if transform is None:
        addresses = lasting(lambda: [np.exp(-2j * np.pi * np.arange(size) / size)])
        launch("spectra_by_sums", src, out, lambda windows: windows * bins, *addresses, macros={})
        return
    length = size // 2 if size % 2 == 0 else size
    if 1 < length <= _HELD:
        lines = min(1 << (_HELD // length).bit_length() - 1, _MAX_LINES)
        _, *addresses = lasting(lambda: [transform.roots])
        macros = {"SIZE": size, "WIDTH": width, "FACTORS": "".join(map(str, transform.factors[::-1])), "LINES": lines}
        _ITEMS[time_major].launch(
            stream, "spectrogram_held", "spectra_held", src, out, lambda windows: -(-windows // lines) * _THREADS,
            *addresses, numbers["first"], step, int(reflect), int(root), int(time_major), macros=macros,
        )  # fmt: skip
        return
    room_of_one = 2 * length * _COMPLEX
    windows = int(out.shapes[:, 0 if time_major else 1].max(initial=0))
    blocks = max(min(windows, _ROOM // (room_of_one * max(len(out), 1))), 1)
    room = stream.room(blocks * len(out) * room_of_one)
    numbers["factors"] = len(transform.factors)
    tables = _settings(numbers | {"room": int(room.ptr)}), window, transform.factors, transform.roots
    memory, addresses = stream.upload(*tables)
    launch("spectra", src, out, lambda _: blocks * _THREADS, *addresses, macros={})
    del room, memory  # back to the pool of this stream, whose next user comes after the kernel


def _settings(numbers: Mapping[str, int]) -> NDArray[np.void]:
    made = np.zeros(1, _SETTINGS)
    for name, number in numbers.items():
        made[name] = number
    return made
