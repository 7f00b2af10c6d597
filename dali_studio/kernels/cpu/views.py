"""Small helpers on strided image arrays that several kernels share."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def packed_rows(array: Array) -> bool:
    """Whether the pixels of each row (the last two axes) lie one after the other in memory."""
    if not array.size:
        return True
    columns, channels = array.shape[-2:]
    step = array.itemsize * channels
    return (channels == 1 or array.strides[-1] == array.itemsize) and (columns == 1 or array.strides[-2] == step)


def as_hwc(array: Array, layout: str) -> Array:
    """A view with the axes in the order HWC."""
    if layout == "HWC":
        return array
    if layout == "CHW":
        return array.transpose(1, 2, 0)
    raise ValueError(f"layout {layout!r} is not known here. Use 'HWC' or 'CHW'.")


def fill_channels(out: Array, values: Any) -> None:
    """Writes one value to all channels (the last axis), or one to each and 0 to the rest; integers are cut, clipped."""
    given = np.atleast_1d(np.asarray(values, np.float64))
    wanted = np.full(out.shape[-1], given[0]) if given.size == 1 else np.zeros(out.shape[-1])
    if given.size > 1:
        wanted[: given.size] = given[: out.shape[-1]]
    if out.dtype.kind in "iu":
        limits = np.iinfo(out.dtype)
        wanted = np.clip(np.trunc(wanted), limits.min, limits.max)
    out[...] = wanted.astype(out.dtype)


def overlap(anchor: int, extent: int, size: int) -> tuple[int, int]:
    """The part [begin, end) of a window of `extent` pixels at `anchor` that lies inside an axis of `size`."""
    begin = min(max(-anchor, 0), extent)
    return begin, max(begin, min(extent, size - anchor))


def alike(*arrays: Array) -> tuple[Array, ...]:
    """The arrays in one shape: as they are, or broadcast (and read-only)."""
    first = arrays[0].shape
    if all(array.shape == first for array in arrays):
        return arrays
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    return tuple(np.broadcast_to(array, shape) for array in arrays)
