"""Separable resizing of one image, and the same fused with crop, mirror and normalisation.

Conventions
-----------
Pixel i covers [i, i+1) (its centre is i + 0.5). The *full* output has `full_size` pixels and covers the region of
interest of the input; `out` is the window of it that begins at `window`, so a crop that follows costs nothing.
The size of the full output is decided by the caller. Rows are filtered vertically first, on contiguous memory and only
over the columns that are needed, then horizontally; between the passes values stay float32.
"""

from __future__ import annotations

import numpy as np

from dali_studio.kernels.cpu.resample_loops import NEAREST, RESAMPLE, RESAMPLE_NORMALIZE
from dali_studio.kernels.cpu.views import Array, packed_rows
from dali_studio.kernels.cpu.weights import Interp, axis_weights


def _planes(array: Array, layout: str) -> Array:
    """(P, H, W, C): a channel-first image is C planes of one channel."""
    if layout not in ("HWC", "CHW"):
        raise ValueError(f"layout {layout!r} is not known here. Use 'HWC' or 'CHW'.")
    return array[..., None] if layout == "CHW" else array[None]


def _axes(
    in_size: tuple[int, ...],
    out_size: tuple[int, ...],
    interp_min: int,
    interp_mag: int,
    antialias: bool,
    roi: tuple[float, float, float, float] | None,
    window: tuple[int, int],
    full_size: tuple[int, int] | None,
    mirror: bool,
) -> list[tuple[Array, Array]]:
    """Starts and weights of the rows, then of the columns. Each axis decides by itself whether it shrinks."""
    full = out_size if full_size is None else full_size
    if not all(in_size):
        raise ValueError(f"An image of {tuple(in_size)} pixels cannot be resized: it has none.")
    y0, x0, y1, x1 = (0.0, 0.0, in_size[0], in_size[1]) if roi is None else roi
    axes: list[tuple[Array, Array]] = []
    for axis, (low, high) in enumerate(((y0, y1), (x0, x1))):
        if not 0 <= window[axis] <= full[axis] - out_size[axis]:
            raise ValueError(
                f"The window of {tuple(out_size)} pixels at {tuple(window)} leaves the full size {tuple(full)}."
            )
        kind = interp_min if abs(high - low) > full[axis] else interp_mag
        counts = int(full[axis]), int(window[axis]), int(out_size[axis])
        flags = mirror and axis == 1, axis == 0
        axes.append(axis_weights(int(kind), bool(antialias), in_size[axis], float(low), float(high), *counts, *flags))
    return axes


def _require_packed(*arrays: Array) -> None:
    for array in arrays:
        if not packed_rows(array):
            raise ValueError("The pixels of a row must lie one after the other: the last two axes contiguous.")


def resize(
    src: Array,
    out: Array,
    interp_min: int = Interp.LINEAR,
    interp_mag: int = Interp.LINEAR,
    antialias: bool = True,
    roi: tuple[float, float, float, float] | None = None,
    window: tuple[int, int] = (0, 0),
    full_size: tuple[int, int] | None = None,
    mirror: bool = False,
    layout: str = "HWC",
) -> None:
    """Resizes an image, or the window of the result that is wanted, into `out`.

    Parameters
    ----------
    src : array of uint8, int16, uint16 or float32
        Any row stride; pixels of a row contiguous; may be read-only. At least one pixel.
    out : array of the type of `src`, uint8 or float32
        Rounded half to even and saturated.
    interp_min, interp_mag : int
        `Interp` of an axis that shrinks, and of one that does not.
    antialias : bool
        Widen the filter by the scale along an axis that shrinks; NN never is.
    roi : (y0, x0, y1, x1), optional
        Region of the input that the full output covers, in pixel-corner coordinates; a start above its end flips.
        Pixels beside it are read where the filter reaches them; beyond the image the edge repeats.
    window : (y, x)
        Where `out` begins in the full output.
    full_size : (h, w), optional
        Size of the full output; default: that of `out`.
    mirror : bool
        Reverse the window's columns (after cutting it).
    layout : str
        "HWC" or "CHW", of both arrays.
    """
    source, target = _planes(src, layout), _planes(out, layout)
    if source.shape[0] != target.shape[0] or source.shape[3] != target.shape[3]:
        raise ValueError(f"The input {src.shape} and the output {out.shape} have different channels (layout {layout}).")
    if not target.size:
        return
    _require_packed(source, target)
    (y_starts, y_weights), (x_starts, x_weights) = _axes(
        source.shape[1:3], target.shape[1:3], interp_min, interp_mag, antialias, roi, window, full_size, mirror
    )
    if y_weights.shape[1] == 1 and x_weights.shape[1] == 1 and src.dtype == out.dtype:
        NEAREST.for_dtypes(src.dtype, out.dtype)(source, target, y_starts, x_starts)
    else:
        RESAMPLE.for_dtypes(src.dtype, out.dtype)(source, target, y_starts, y_weights, x_starts, x_weights)


def resize_crop_mirror_normalize(
    src: Array,
    out: Array,
    full_size: tuple[int, int],
    window: tuple[int, int] = (0, 0),
    mirror: bool = False,
    mean: Array | None = None,
    inv_std: Array | None = None,
    interp_min: int = Interp.LINEAR,
    interp_mag: int = Interp.LINEAR,
    antialias: bool = True,
    roi: tuple[float, float, float, float] | None = None,
    out_layout: str = "CHW",
) -> None:
    """`resize` to uint8, then `crop_mirror_normalize`, in one pass and with the very same numbers.

    Parameters
    ----------
    src : (H, W, C) uint8 array
    out : float32, uint8 or int8 array of layout `out_layout` with C channels
        Its size is that of the crop, which begins at `window` in the full output.
    mean, inv_std : (C,) float32 arrays
        As given by `layout.normalize_coefficients`; default 0 and 1.
    others
        As for `resize`.
    """
    target = out.transpose(1, 2, 0) if out_layout == "CHW" else out
    channels = src.shape[2]
    if target.shape[2] != channels or src.dtype != np.uint8:
        raise ValueError(
            f"The fused kernel needs a uint8 image and an output with its {channels} channels, "
            f"not {src.dtype} and {target.shape[2]}."
        )
    if not target.size:
        return
    _require_packed(src)
    means = np.zeros(channels, np.float32) if mean is None else np.ascontiguousarray(mean, np.float32)
    factors = np.ones(channels, np.float32) if inv_std is None else np.ascontiguousarray(inv_std, np.float32)
    rows, columns = _axes(
        src.shape[:2], target.shape[:2], interp_min, interp_mag, antialias, roi, window, full_size, mirror
    )
    RESAMPLE_NORMALIZE.for_dtypes(src.dtype, out.dtype)(src, target, *rows, *columns, means, factors)
