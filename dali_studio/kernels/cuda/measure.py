"""How fast a GPU gets pictures, measured in a moment: what ``dali-studio doctor`` shows beside names and versions."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.jpeg_header import parse_header
from dali_studio.kernels.cuda.device import Missing, cupy, missing
from dali_studio.kernels.cuda.nvjpeg import open_decoder
from dali_studio.kernels.cuda.nvjpeg_rule import takes

#: Seconds of every measurement.
_MOMENT = 0.1
_BATCH = 64
_COPIED = 32 << 20


def report(files: Callable[[], Sequence[NDArray[np.uint8]]]) -> list[tuple[str, str]]:
    """Names and values: decoding, and copying; empty without a GPU. It never raises.

    Parameters
    ----------
    files : callable
        Gives JPEG files to decode; it is not called without a GPU.
    """
    if missing() is not None:
        return []
    return [("jpeg hardware", _told(lambda: _decoding(files()))), ("copy", _told(_copying))]


def _told(measure: Callable[[], str]) -> str:
    try:
        return measure()
    except Exception as error:  # noqa: BLE001 - a report says what does not work, whatever it is
        return f"does not work: {type(error).__name__}: {error}"


def _decoding(files: Sequence[NDArray[np.uint8]]) -> str:
    decoder = open_decoder()
    if isinstance(decoder, Missing):
        return f"none used: {decoder.reason}. {decoder.hint}"
    try:
        found = f"nvJPEG {decoder.version}, {decoder.engines} engines"
        infos = {index: parse_header(file) for index, file in enumerate(files)}
        taken = [index for index, info in infos.items() if takes(info)]
        if not taken:
            return found
        chosen = [taken[k % len(taken)] for k in range(_BATCH)]
        pitches = np.array([3 * infos[index].width for index in chosen])
        ends = np.cumsum(pitches * [infos[index].height for index in chosen])
        memory = cupy().cuda.alloc(int(ends[-1]))
        targets = (int(memory.ptr) + np.concatenate(([0], ends[:-1]))).astype(np.uint64)
        batch = [files[index] for index in chosen]
        rate = _rate(lambda: decoder.decode(batch, targets, pitches))
        size = sum(len(file) for file in batch)
        speed = f"{_BATCH * rate:,.0f} images/s, {size * rate / 1e6:,.0f} MB/s"
        return f"{found}; {speed} (sample photos in batches of {_BATCH})"
    finally:
        decoder.close()


def _copying() -> str:
    module = cupy()
    stream, device = module.cuda.Stream(non_blocking=True), module.cuda.alloc(_COPIED)
    pinned = module.cuda.alloc_pinned_memory(_COPIED)
    host = ctypes.c_void_p(int(pinned.ptr))

    def there() -> None:
        device.copy_from_host_async(host, _COPIED, stream)
        stream.synchronize()

    def back() -> None:
        device.copy_to_host_async(host, _COPIED, stream)
        stream.synchronize()

    to_gpu, to_host = (_rate(copy) * _COPIED / 1e9 for copy in (there, back))
    return f"{to_gpu:.1f} GB/s to the GPU, {to_host:.1f} GB/s back (page-locked memory)"


def _rate(work: Callable[[], Any]) -> float:
    """Calls per second, after one that does not count."""
    work()
    calls, begin = 0, time.perf_counter()
    while (passed := time.perf_counter() - begin) < _MOMENT:
        work()
        calls += 1
    return calls / passed
