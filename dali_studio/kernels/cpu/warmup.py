"""Compiles the kernels that most pipelines use, or loads them from the disk cache, before they are needed."""

from __future__ import annotations

import os
import time

import numpy as np
import simplejpeg  # pyright: ignore[reportMissingTypeStubs]

from dali_studio.kernels.cpu import (
    color,
    convert,
    crop_window,
    decode_queue,
    descriptors,
    jpeg,
    layout,
    libjpeg,
    philox,
    warp,
    window_rows,
)
from dali_studio.kernels.cpu.weights import Interp

_TYPES = (np.dtype(np.uint8), np.dtype(np.float32))


def _warm_geometry() -> None:
    matrix = warp.rotate_matrix(0.0, 4, 4, *warp.rotated_size(0.0, 4, 4))
    for src_type, out_type in ((_TYPES[0], _TYPES[0]), (_TYPES[0], _TYPES[1]), (_TYPES[1], _TYPES[1])):
        src, out = np.zeros((4, 4, 3), src_type), np.zeros((5, 5, 3), out_type)
        for interp in (Interp.LINEAR, Interp.NN):
            warp.warp_affine(src, out, matrix, interp)
        if src_type == out_type:
            layout.flip(src, np.zeros_like(src))


def _warm_normalize() -> None:
    for src_type in _TYPES:
        layout.crop_mirror_normalize(np.zeros((4, 4, 3), src_type), np.zeros((3, 4, 4), np.float32))
    layout.crop_mirror_normalize(np.zeros((4, 4, 3), np.uint8), np.zeros((3, 4, 4), np.float16))


def _warm_color() -> None:
    for src_type in _TYPES:
        for out_type in _TYPES:
            src, out = np.zeros((4, 4, 3), src_type), np.zeros((4, 4, 3), out_type)
            color.linear_color(src, out, color.hsv_matrix(0.0, 1.0, 1.0))
            color.brightness_contrast(src, out, 1.0, 0.0)
            convert.convert(src, out)


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
    _warm_normalize()
    _warm_color()
    _warm_decoding()
    for module in (window_rows, descriptors, philox, crop_window):
        module.warm()
    return time.perf_counter() - start
