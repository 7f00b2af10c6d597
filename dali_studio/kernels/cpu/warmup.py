"""Compiles the kernels that most pipelines use, or loads them from the disk cache, before they are needed."""

from __future__ import annotations

import time

import numpy as np

from dali_studio.kernels.cpu import (
    axis_rows,
    color,
    convert,
    crop_window,
    descriptors,
    layout,
    philox,
    resample,
    size_rows,
    warp,
    window_rows,
)
from dali_studio.kernels.cpu.weights import Interp

_TYPES = (np.dtype(np.uint8), np.dtype(np.float32))


def _warm_geometry() -> None:
    matrix = warp.rotate_matrix(0.0, 4, 4, *warp.rotated_size(0.0, 4, 4))
    for src_type, out_type in ((_TYPES[0], _TYPES[0]), (_TYPES[0], _TYPES[1]), (_TYPES[1], _TYPES[1])):
        src, out = np.zeros((4, 4, 3), src_type), np.zeros((5, 5, 3), out_type)
        resample.resize(src, out)
        for interp in (Interp.LINEAR, Interp.NN):
            warp.warp_affine(src, out, matrix, interp)
        if src_type == out_type:
            resample.resize(src, out, Interp.NN, Interp.NN)
            layout.flip(src, np.zeros_like(src))


def _warm_normalize() -> None:
    source = np.zeros((4, 4, 3), np.uint8)
    resample.resize_crop_mirror_normalize(source, np.zeros((3, 4, 4), np.float32), (4, 4))
    for src_type in _TYPES:
        layout.crop_mirror_normalize(np.zeros((4, 4, 3), src_type), np.zeros((3, 4, 4), np.float32))
    layout.crop_mirror_normalize(source, np.zeros((3, 4, 4), np.float16))


def _warm_color() -> None:
    for src_type in _TYPES:
        for out_type in _TYPES:
            src, out = np.zeros((4, 4, 3), src_type), np.zeros((4, 4, 3), out_type)
            color.linear_color(src, out, color.hsv_matrix(0.0, 1.0, 1.0))
            color.brightness_contrast(src, out, 1.0, 0.0)
            convert.convert(src, out)


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
    for module in (window_rows, size_rows, axis_rows, descriptors, philox, crop_window):
        module.warm()
    return time.perf_counter() - start
