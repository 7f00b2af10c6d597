"""Casts between all element types with nvidia.dali's rule.

To an integer: round half away from zero, saturate, NaN becomes 0. To bool: what does not round to 0 is True. Integers
saturate too. To float16: round half away from zero, too large becomes infinite. Everything else is the usual cast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import float64, types

from dali_studio.kernels.cpu.jit import ArrayKernel, kernel, readable, writable
from dali_studio.kernels.cpu.simd import load1, load16, store1_away, store16_away

Array = np.ndarray[Any, Any]

_BLOCK = 1 << 15  # elements that pass through a scratch array at once, so that it stays in the cache


def _round_vectors(src, out):
    """float32 to integers of at most 32 bits."""
    count = src.size
    i = 0
    while i + 16 <= count:
        store16_away(out, i, load16(src, i))
        i += 16
    while i < count:
        store1_away(out, i, load1(src, i))
        i += 1


def _round_scalars(src, out, low, beyond, lowest, highest):
    """Any float to any integer; `beyond` is the first value above the integer's range, as a float."""
    for i in range(src.size):
        x = float64(src[i])
        rounded = np.floor(abs(x) + 0.49999999999999994)  # the number below 0.5: 0.5 - 2^-54 must not round up
        if x < 0:
            rounded = -rounded
        if rounded != rounded:
            out[i] = 0
        elif rounded >= beyond:
            out[i] = highest
        elif rounded < low:
            out[i] = lowest
        else:
            out[i] = rounded


_VECTORS = ArrayKernel(_round_vectors, lambda i, o: (readable(i, 1).copy(layout="C"), writable(o, 1).copy(layout="C")))
_SCALARS = ArrayKernel(
    _round_scalars,
    lambda i, o: (readable(i, 1), writable(o, 1), types.float64, types.float64, o, o),
)


def _half_bits(src, bits, out):
    """float32 values, and their bits, to float16 bits; numba itself has no float16."""
    for i in range(src.size):
        magnitude = bits[i] & np.uint32(0x7FFFFFFF)
        sign = (bits[i] >> np.uint32(16)) & np.uint32(0x8000)
        # below 2^-14 the step is 2^-24; above, 13 bits are dropped, of which the first decides the rounding
        small = np.uint32(min(abs(src[i]), np.float32(2.0**-14)) * np.float32(2.0**24) + np.float32(0.5))
        normal = ((magnitude + np.uint32(0x1000)) >> np.uint32(13)) - np.uint32(112 << 10)
        half = small if magnitude < np.uint32(0x38800000) else min(normal, np.uint32(0x7C00))
        out[i] = np.uint16(sign | (np.uint32(0x7E00) if magnitude > np.uint32(0x7F800000) else half))


_HALF = kernel(_half_bits)


def to_float16(src: Array, out: Array) -> None:
    """Casts contiguous one-dimensional float32 to float16, rounding half away from zero (numpy: half to even)."""
    _HALF(src, src.view(np.uint32), out.view(np.uint16))


def _block(src: Array, out: Array) -> None:
    """One block, for the pairs that have no compiled loop."""
    if out.dtype == bool:
        np.not_equal(src, 0, out=out)
    elif out.dtype == np.float16:
        to_float16(src.astype(np.float32), out)
    elif src.dtype.kind in "iu" and out.dtype.kind in "iu":
        given, limits = np.iinfo(src.dtype), np.iinfo(out.dtype)
        out[...] = np.clip(src, max(given.min, limits.min), min(given.max, limits.max)).astype(out.dtype)
    else:
        out[...] = src


def _float_to_integer(src: Array, out: Array) -> None:
    limits = np.iinfo(out.dtype)
    if src.dtype == np.float32 and out.dtype.itemsize <= 4:
        _VECTORS.for_dtypes(src.dtype, out.dtype)(src, out)
        return
    _SCALARS.for_dtypes(src.dtype, out.dtype)(
        src, out, float(limits.min), float(limits.max + 1), limits.min, limits.max
    )


def _convert_block(src: Array, out: Array) -> None:
    if src.dtype.kind != "f":
        _block(src, out)
        return
    wide = src.astype(np.float32) if src.dtype == np.float16 else src
    if out.dtype == bool:
        np.logical_not(np.abs(wide) < 0.5, out=out)  # NaN is not below 0.5, hence True
    elif out.dtype.kind in "iu":
        _float_to_integer(wide, out)
    elif src.dtype == out.dtype:
        out[...] = src
    else:
        _block(wide, out)


def convert(src: Array, out: Array) -> None:
    """Casts `src` into `out` of the same shape.

    Parameters
    ----------
    src : array of bool, (u)int8 to (u)int64, float16, float32 or float64
        Any strides; may be read-only.
    out : C-contiguous array of one of these types

    Notes
    -----
    Where nvidia.dali turns NaN into the lowest integer (int32, int64) or into 2^63 (uint64), an artefact of the
    processor's conversion, this gives 0 as for the narrower types.
    """
    if src.shape != out.shape:
        raise ValueError(
            f"The input has the shape {src.shape}, the output {out.shape}. Give an output of the same shape."
        )
    flat, target = np.ascontiguousarray(src).reshape(-1), out.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        _convert_block(flat[start : start + _BLOCK], target[start : start + _BLOCK])
