"""Crop, mirror and normalise one image, or volume, in one pass."""

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
    with np.errstate(divide="ignore", invalid="ignore"):  # of a deviation of 0 what IEEE arithmetic gives, as there
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
    if crop is not None and tuple(crop) != target.shape[:2]:
        raise ValueError(f"crop {tuple(crop)} and the output {target.shape[:2]} differ; they must be the same.")
    means = np.zeros(source.shape[2], np.float32) if mean is None else np.ascontiguousarray(mean, np.float32)
    factors = np.ones(source.shape[2], np.float32) if inv_std is None else np.ascontiguousarray(inv_std, np.float32)
    if scale != 1.0 or shift != 0.0:
        factors = factors * np.float32(scale)
        means = means - np.float32(shift) / factors
    normalize_volume(source[None], target[None], (0, *anchor), mirror, means, factors, fill_values)


def normalize_volume(
    source: Array, target: Array, anchor: tuple[int, ...], mirror: bool, means: Array, factors: Array, fill_values: Any
) -> None:
    """The same of volumes (or frames), which are views with the axes (D, H, W, C)."""
    channels = source.shape[3]
    if channels > target.shape[3]:
        raise ValueError(f"The input has {channels} channels, the output only {target.shape[3]}.")
    if means.size != channels or factors.size != channels:
        raise ValueError(
            f"mean has {means.size}, inv_std {factors.size} values for {channels} channels. Give one a channel."
        )
    (z_begin, z_end), (y_begin, y_end), (x_begin, x_end) = (
        overlap(anchor[axis], target.shape[axis], source.shape[axis]) for axis in range(3)
    )
    if (z_begin, y_begin, x_begin, z_end, y_end, x_end, channels) != (0, 0, 0, *target.shape):
        fill_channels(target, fill_values)
    if mirror:
        width = target.shape[2]
        x_first, x_last = width - x_end, width - x_begin
    else:
        x_first, x_last = x_begin, x_end
    inside = target[z_begin:z_end, y_begin:y_end, x_first:x_last, :channels]
    if inside.size:
        z, y, x = (int(at) + begin for at, begin in zip(anchor, (z_begin, y_begin, x_begin), strict=True))
        slices = source[z : z + len(inside)]
        kernel("normalize", source.dtype, target.dtype)(slices, inside, y, x, means, factors, bool(mirror))
