"""Compiles the kernels that most pipelines use, or loads them from the disk cache, before they are needed."""

from __future__ import annotations

import os
import time

import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]

from dali_studio.kernels.cpu import (
    axis_rows,
    crop_window,
    decode_queue,
    descriptors,
    jpeg,
    libjpeg,
    philox,
    resample,
    size_rows,
    window_rows,
)
from dali_studio.kernels.cpu.weights import Interp

_TYPES = (np.dtype(np.uint8), np.dtype(np.float32))


def _warm_geometry() -> None:
    for src_type, out_type in ((_TYPES[0], _TYPES[0]), (_TYPES[0], _TYPES[1]), (_TYPES[1], _TYPES[1])):
        src, out = np.zeros((4, 4, 3), src_type), np.zeros((5, 5, 3), out_type)
        resample.resize(src, out)
        if src_type == out_type:
            resample.resize(src, out, Interp.NN, Interp.NN)
    source = np.zeros((4, 4, 3), np.uint8)
    resample.resize_crop_mirror_normalize(source, np.zeros((3, 4, 4), np.float32), (4, 4))


def _warm_decoding() -> None:
    entries = libjpeg.entry_points()
    if entries is None:
        return
    data = np.frombuffer(simplejpeg.encode_jpeg(np.zeros((8, 8, 3), np.uint8)), np.uint8)
    jpeg.decode(data, jpeg.parse_header(data))
    queues, memory = np.zeros(2 * decode_queue.WORDS, np.int64), np.empty(decode_queue.MEMORY, np.uint8)
    decode_queue.fill(queues, 0, 0)
    decode_queue.mark(queues, 0, 1)
    decode_queue.take(queues, 0)
    decode_queue.empty(queues, 0)
    decode_queue.work(queues, 0, memory, entries)
    decode_queue.wait(queues, 0, 1)
    calls, caller = os.pipe()
    os.close(caller)
    decode_queue.serve(queues, calls, memory, entries, True)  # returns at once, since nobody can call
    os.close(calls)


def warm() -> float:
    """Makes the common specialisations ready.

    Returns
    -------
    float
        Seconds it took: about 20 when everything is compiled, well under 1 from the disk cache.
    """
    start = time.perf_counter()
    _warm_geometry()
    _warm_decoding()
    for module in (window_rows, size_rows, axis_rows, descriptors, philox, crop_window):
        module.warm()
    return time.perf_counter() - start
