"""Affine transforms of one batch, and points that are moved by them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel

#: Axes that a transform may have.
MAX_AXES = 6


def combine(transforms: Sequence[Operand], out: Operand, *, reverse: bool) -> None:
    """Multiply matrices of shape (axes, axes + 1), float32, in single precision.

    Parameters
    ----------
    transforms : sequence of Operand
        Each is applied to what those before it have made.
    out : Operand
    reverse : bool
        Each is applied before those before it.
    """
    addresses = np.array([one.addresses for one in transforms], np.int64).reshape(len(transforms), -1)
    kernel("combine_transforms")(addresses, out.shapes[0, 0].item() if len(out.shapes) else 1, reverse, out.addresses)


def transform_points(
    points: Operand, matrices: NDArray[np.float32], offsets: NDArray[np.float32], out: Operand
) -> None:
    """Multiply the vectors of each sample, which lie along the last axis, by its matrix, and add its offset.

    Parameters
    ----------
    points : Operand
        uint8, int16, uint16, int32 or float32.
    matrices : ndarray
        (N, rows, columns).
    offsets : ndarray
        (N, rows).
    out : Operand
        Of the same type, or float32; integers are rounded half away from zero and saturate.
    """
    counts = points.shapes[:, :-1].prod(axis=1)
    kernel("transform_points", points.dtype, out.dtype)(points.addresses, counts, matrices, offsets, out.addresses)


def mirror_points(points: Operand, centres: NDArray[np.float32], mirrored: NDArray[np.bool_], out: Operand) -> None:
    """Mirror components of the float32 vectors of each sample, which lie along the last axis.

    Parameters
    ----------
    centres : ndarray
        (N, components).
    mirrored : ndarray
        (N, components): which ones.
    """
    counts = points.shapes[:, :-1].prod(axis=1)
    kernel("mirror_points")(points.addresses, counts, np.float32(2) * centres, mirrored, out.addresses)
