"""Images whose pixels come from other places of the image: parts that begin a chain (`kernels.cpu.displace`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.noise import STREAM, is_phased, place_streams
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

_FILLED = (("fill", np.float32), ("kept", np.int32))
_SPHERE = np.dtype([*_FILLED], align=True)
_WATER = np.dtype([("across", np.uint64), ("down", np.uint64), *_FILLED], align=True)
_JITTER = np.dtype([*STREAM, ("degree", np.int32), ("kept", np.int32)], align=True)


def water_part(
    kept: NDArray[np.bool_], across: NDArray[np.float32], down: NDArray[np.float32], fill: float, *, linear: bool
) -> Part:
    """Pixels that lie `across` to the right, for each row, and `down` below, for each column.

    Parameters
    ----------
    kept : (N,) array
        Samples that stay as they are.
    across, down : float32 arrays
        As long as the highest and the widest image, or longer.
    fill : float
        Colour outside.
    linear : bool
        Whether to interpolate between pixels.
    """
    return _part("WaterPart", _WATER, kept, fill, linear, {"across": across, "down": down})


def sphere_part(kept: NDArray[np.bool_], fill: float, *, linear: bool) -> Part:
    """The image as it is seen through a glass ball; arguments are those of `water_part`."""
    return _part("SpherePart", _SPHERE, kept, fill, linear, {})


def jitter_part(kept: NDArray[np.bool_], key: int, highs: NDArray[np.uint64], degree: int, origin: int) -> Part:
    """Pixels of the neighbourhood, `degree` wide, drawn at random, with the numbers of the CPU."""
    row = np.zeros(len(kept), _JITTER)
    place_streams(row, key, highs, origin)
    row["degree"], row["kept"] = degree, kept
    return Part("JitterPart", "source", _texts(), row, flags=(is_phased(row),), numbered=True)


def _part(
    name: str, dtype: np.dtype[Any], kept: NDArray[np.bool_], fill: float, linear: bool,
    tables: Mapping[str, NDArray[np.float32]],
) -> Part:  # fmt: skip
    row = np.zeros(len(kept), dtype)
    row["fill"], row["kept"] = fill, kept
    return Part(name, "source", _texts(), row, tables, flags=(int(linear),))


def _texts() -> tuple[str, ...]:
    return *dict.fromkeys((*headers("displacement"), *headers("philox"))), part_text("displace")
