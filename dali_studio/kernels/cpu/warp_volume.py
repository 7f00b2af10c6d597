"""Affine warps of volumes, and the geometry of rotations in space.

Coordinates are (x, y, z) in voxel-corner units: the centre of voxel i is i + 0.5. A matrix maps output to input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.views import Array
from dali_studio.kernels.cpu.warp import waves
from dali_studio.kernels.cpu.weights import Interp


def warp_volume(src: Array, out: Array, matrix: Any, interp: int = Interp.LINEAR, fill: float | None = None) -> None:
    """Fills `out` with the voxels of `src` that the matrix points at.

    Parameters
    ----------
    src, out : (D, H, W, C) and (d, h, w, C) arrays of uint8, int16, int32 or float32
        `out` has no gaps. Both are of one type, or one of them is float32. Integers are rounded half away from zero and
        saturated.
    matrix : (3, 4) array_like
        Maps the output point (x, y, z, 1) to the input point.
    interp : int
        `Interp.LINEAR` or `Interp.NN`.
    fill : float, optional
        What lies outside; each of the eight taps of a linear interpolation is replaced by itself. None repeats the
        edge.
    """
    if src.shape[3] != out.shape[3] or not src.size:
        raise ValueError(f"The input {src.shape} needs at least one voxel and the channels of the output {out.shape}.")
    if src.dtype == out.dtype:
        call = kernel("volume_same", src.dtype)
    elif src.dtype == np.float32:
        call = kernel("volume_of_real", out.dtype)
    else:
        call = kernel("volume_real", src.dtype)
    transform, outside = np.ascontiguousarray(matrix, np.float32).reshape(3, 4), 0.0 if fill is None else fill
    call(np.ascontiguousarray(src), out, transform, interp == Interp.NN, fill is not None, outside)


def inverse_affine(matrices: NDArray[Any]) -> NDArray[np.float32]:
    """The (N, 3, 4) matrices of the opposite maps; not finite where a matrix has no inverse."""
    given = np.ascontiguousarray(matrices, np.float32)
    made = np.empty(given.shape, np.float32)
    kernel("volume_inverses")(given.reshape(-1, 12), made.reshape(-1, 12))
    return made


def rotations(angles: NDArray[Any], axes: NDArray[Any]) -> NDArray[np.float32]:
    """(N, 3, 3) matrices that turn output points back to input points, (x, y, z); angles in degrees, axes not zero."""
    radians = np.asarray(angles, np.float32) * np.float32(np.pi / 180)
    given = np.asarray(axes, np.float64)
    x, y, z = (given / np.linalg.norm(given, axis=1, keepdims=True)).astype(np.float32).T
    cosine, sine = waves(radians)
    rest = 1 - cosine
    rows = [
        [cosine + x * x * rest, x * y * rest + z * sine, x * z * rest - y * sine],
        [y * x * rest - z * sine, cosine + y * y * rest, y * z * rest + x * sine],
        [z * x * rest + y * sine, z * y * rest - x * sine, cosine + z * z * rest],
    ]
    return np.array(rows, np.float32).transpose(2, 0, 1)


def rotated_size(turns: NDArray[np.float32], sizes: NDArray[np.int64], *, parity: bool = True) -> NDArray[np.int64]:
    """(N, 3) depths, heights and widths of the canvases that hold volumes turned by `rotations`.

    The smallest box, rounded up, plus one voxel where its parity differs from that of the axis of the input that it
    mostly shows, if `parity` is to be kept.
    """
    extents = sizes[:, ::-1]
    magnitudes = np.abs(turns.transpose(0, 2, 1))
    # the margin keeps the rounding errors of a right angle from adding a voxel
    boxes = np.ceil((magnitudes * extents[:, None]).sum(axis=2) - 1e-2).astype(np.int64)
    if parity:
        shown = np.take_along_axis(extents, magnitudes.argmax(axis=2), axis=1)
        boxes += (boxes - shown) & 1
    return boxes[:, ::-1]


def rotate_matrix(
    turns: NDArray[np.float32], sizes: NDArray[np.int64], canvases: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(N, 3, 4) output-to-input matrices of rotations about the centres of volumes and canvases."""
    centre = canvases[:, ::-1].astype(np.float32) * np.float32(0.5)
    made = np.empty((len(turns), 3, 4), np.float32)
    made[:, :, :3] = turns
    made[:, :, 3] = sizes[:, ::-1].astype(np.float32) * np.float32(0.5) - np.einsum("nij,nj->ni", turns, centre)
    return made
