"""Crop, mirror and normalise one image in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array, as_hwc, fill_channels, overlap


def normalize_coefficients(mean: Any, std: Any, scale: float = 1.0, shift: float = 0.0) -> tuple[Array, Array]:
    """The two float32 arrays with which (x - mean) / std * scale + shift becomes (x - a) * b, as nvidia.dali rounds it.

    Parameters
    ----------
    mean, std : array_like of float
        One value a channel, or a batch of such rows; broadcast against each other.

    Returns
    -------
    (mean, inv_std) : two float32 arrays of the broadcast shape
        To be given to `crop_mirror_normalize`.
    """
    mean32, std32 = np.broadcast_arrays(np.asarray(mean, np.float32), np.asarray(std, np.float32))
    inverse = np.float32(scale) / std32
    return np.ascontiguousarray(mean32 - np.float32(shift) / inverse), np.ascontiguousarray(inverse)


def crop_mirror_normalize(
    src: Array,
    out: Array,
    anchor: tuple[int, int] = (0, 0),
    crop: tuple[int, int] | None = None,
    mirror: bool = False,
    mean: Array | None = None,
    inv_std: Array | None = None,
    scale: float = 1.0,
    shift: float = 0.0,
    out_layout: str = "CHW",
    fill_values: Any = 0.0,
    src_layout: str = "HWC",
) -> None:
    """Cuts a window, mirrors it left to right and normalises it: (src - mean) * inv_std * scale + shift.

    Parameters
    ----------
    src : array, any of uint8, uint16, int16, int32, float16, float32; read-only and strided arrays are welcome
    out : array of uint8, int8, float16 or float32
        The result. Integers are rounded half away from zero and saturated. More channels than `src` has are padding.
    anchor : (y, x)
        First pixel of the window; may lie outside `src`.
    crop : (h, w), optional
        Size of the window; `out` has this size. Default: that of `out`.
    mean, inv_std : (C,) float32 arrays
        Subtracted, then multiplied. `normalize_coefficients` gives the ones that equal nvidia.dali's bit for bit,
        scale and shift included.
    fill_values : float or sequence
        Written, not normalised, outside `src` and into padding channels: one for all, or one a channel and 0 elsewhere.
    """
    source, target = as_hwc(src, src_layout), as_hwc(out, out_layout)
    height, width, channels = target.shape
    if crop is not None and tuple(crop) != (height, width):
        raise ValueError(f"crop {tuple(crop)} and the output {(height, width)} differ; they must be the same.")
    if source.shape[2] > channels:
        raise ValueError(f"The input has {source.shape[2]} channels, the output only {channels}.")
    means = np.zeros(source.shape[2], np.float32) if mean is None else np.ascontiguousarray(mean, np.float32)
    factors = np.ones(source.shape[2], np.float32) if inv_std is None else np.ascontiguousarray(inv_std, np.float32)
    if means.size != source.shape[2] or factors.size != source.shape[2]:
        raise ValueError(
            f"mean has {means.size}, inv_std {factors.size} values for {source.shape[2]} channels. Give one a channel."
        )
    if scale != 1.0 or shift != 0.0:
        factors = factors * np.float32(scale)
        means = means - np.float32(shift) / factors
    (y_begin, y_end), (x_begin, x_end) = (
        overlap(anchor[0], height, source.shape[0]),
        overlap(anchor[1], width, source.shape[1]),
    )
    whole = y_begin == 0 and x_begin == 0 and y_end == height and x_end == width
    if not whole or channels > source.shape[2]:
        fill_channels(target, fill_values)
    if mirror:
        inside = target[y_begin:y_end, width - x_end : width - x_begin, : source.shape[2]]
    else:
        inside = target[y_begin:y_end, x_begin:x_end, : source.shape[2]]
    if inside.size:
        y, x = int(anchor[0]) + y_begin, int(anchor[1]) + x_begin
        kernel("normalize", src.dtype, out.dtype)(source, inside, y, x, means, factors, bool(mirror))
