"""How fast a GPU gets pictures, measured in a moment: what ``dali-studio doctor`` shows beside names and versions."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import addresses_of
from dali_studio.kernels.cpu import libjpeg
from dali_studio.kernels.cpu.jpeg_header import parse_header
from dali_studio.kernels.cuda.device import Unavailable, cupy, missing
from dali_studio.kernels.cuda.jpeg_decoder import JpegKernels
from dali_studio.kernels.cuda.jpeg_rule import takes
from dali_studio.kernels.cuda.nvjpeg import open_decoder

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
    return [
        ("jpeg kernels", _told(lambda: _by_kernels(files()))),
        ("jpeg hardware", _told(lambda: _by_hardware(files()))),
        ("copy", _told(_copying)),
    ]


def _told(measure: Callable[[], str]) -> str:
    try:
        return measure()
    except Exception as error:  # noqa: BLE001 - a report says what does not work, whatever it is
        return f"does not work: {type(error).__name__}: {error}"


class _Batch:
    """As many of the files as are measured, and where their pixels go."""

    def __init__(self, files: Sequence[NDArray[np.uint8]]) -> None:
        able = [(file, info) for file in files if takes(info := parse_header(file))]
        chosen = [able[k % len(able)] for k in range(_BATCH)]
        self.files = [file for file, _ in chosen]
        self.shapes = np.array([(info.height, info.width) for _, info in chosen])
        self.pitches = 3 * self.shapes[:, 1]
        ends = np.cumsum(self.pitches * self.shapes[:, 0])
        self._memory = cupy().cuda.alloc(int(ends[-1]))
        self.targets = int(self._memory.ptr) + np.concatenate(([0], ends[:-1]))

    def speed(self, decode: Callable[[], Any]) -> str:
        """What is measured, in words."""
        rate, size = _rate(decode), sum(len(file) for file in self.files)
        return f"{_BATCH * rate:,.0f} images/s, {size * rate / 1e6:,.0f} MB/s (sample photos in batches of {_BATCH})"


def _by_kernels(files: Sequence[NDArray[np.uint8]]) -> str:
    batch, decoder = _Batch(files), JpegKernels(0, cupy().cuda.alloc)
    requests = np.zeros((_BATCH, libjpeg.FIELDS), np.int64)
    requests[:, libjpeg.DATA], requests[:, libjpeg.SIZE] = addresses_of(batch.files), list(map(len, batch.files))
    requests[:, [libjpeg.HEIGHT, libjpeg.WIDTH]] = requests[:, [libjpeg.ROWS, libjpeg.COLUMNS]] = batch.shapes
    requests[:, libjpeg.COLORS] = libjpeg.COLOR_SPACES["RGB"]
    places = np.stack([batch.targets, batch.pitches], 1)
    return batch.speed(lambda: decoder.decode(requests, places, 0, _BATCH))


def _by_hardware(files: Sequence[NDArray[np.uint8]]) -> str:
    decoder = open_decoder()
    if isinstance(decoder, Unavailable):
        return f"none: {decoder.reason}. {decoder.hint}"
    try:
        batch = _Batch(files)
        speed = batch.speed(lambda: decoder.decode(batch.files, batch.targets.astype(np.uint64), batch.pitches))
        return f"nvJPEG {decoder.version}, {decoder.engines} engines; {speed}"
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
