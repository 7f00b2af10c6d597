"""Images at points that maps or homographies give: parts that begin a chain (`kernels.cpu.sample`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

_MAPS = np.dtype(
    [("across", np.uint64), ("down", np.uint64), ("shift", np.float32), ("unused", np.int32)], align=True
)  # fmt: skip
_REST = (("fill", np.float32, 4), ("coarse", np.int32), ("unused", np.int32))
_MATRIX = np.dtype([("matrix", np.float64, 9), *_REST], align=True)
_MATRIX_GIVEN = np.dtype([("matrix", np.uint64), *_REST], align=True)


def remap_part(across: Batch, down: Batch, shift: float, interp: int) -> Part:
    """The image at the points of two maps in device memory; outside lies 0.

    Parameters
    ----------
    across, down : Batch
        x and y of the points, float32, as many as the image has pixels.
    shift : float
        Is taken off x and y.
    interp : int
        `Interp.NN`, `Interp.LINEAR` or `Interp.CUBIC`.
    """
    row = np.zeros(len(across), _MAPS)
    row["across"], row["down"], row["shift"] = across.addresses, down.addresses, shift
    return Part("RemapPart", "source", _texts(), row, flags=(interp,))


def homography_part(
    matrices: NDArray[np.float64], interp: int, border: Border, fill: NDArray[np.float32], coarse: NDArray[np.bool_]
) -> Part:
    """The image at the points that matrices give for the pixels of the result.

    Parameters
    ----------
    matrices : (N, 3, 3) array
    interp : int
        As for `remap_part`.
    border : Border
    fill : (4,) array
        Colour outside, for `Border.CONSTANT`.
    coarse : (N,) array
        Whether points are rounded to fractions of a pixel.
    """
    row = np.zeros(len(matrices), _MATRIX)
    row["matrix"] = matrices.reshape(-1, 9)
    return _homographies(row, 0, interp, border, fill, coarse)


def given_homography_part(
    matrices: Batch, interp: int, border: Border, fill: NDArray[np.float32], coarse: NDArray[np.bool_], *,
    corner: bool, inverse: bool,
) -> Part:  # fmt: skip
    """As `homography_part`, of matrices in device memory, as the user gives them, which nobody checks.

    Parameters
    ----------
    corner : bool
        Points count from the corner of the first pixel, not from its centre.
    inverse : bool
        The matrices take points of the result to points of the image.
    """
    row = np.zeros(len(matrices), _MATRIX_GIVEN)
    row["matrix"] = matrices.addresses
    return _homographies(row, 1 + 2 * corner + 4 * inverse, interp, border, fill, coarse)


def _homographies(
    row: NDArray[Any], given: int, interp: int, border: Border, fill: NDArray[np.float32], coarse: NDArray[np.bool_]
) -> Part:
    row["fill"], row["coarse"] = fill, coarse
    return Part("HomographyPart", "source", _texts(), row, flags=(interp, int(border), given))


def _texts() -> tuple[str, ...]:
    return *headers("sampling"), part_text("sample")
