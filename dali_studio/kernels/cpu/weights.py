"""Where the output pixels of one axis of a separable filter read, and how much of it.

Filters are tables that are read with linear interpolation, as in nvidia.dali: a cubic or Lanczos filter evaluated
exactly would differ from it in about 0.2 % of all uint8 pixels. The formulas are in `include/weights.hpp`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from dali_studio.kernels.cpu.views import Array


class Interp(IntEnum):
    """Interpolation kinds, numbered as `nvidia.dali.types.DALIInterpType`."""

    NN = 0
    LINEAR = 1
    CUBIC = 2
    LANCZOS3 = 3
    TRIANGULAR = 4
    GAUSSIAN = 5


def _cubic(x: Array) -> Array:
    """Keys' kernel with a = -0.5 (Catmull-Rom)."""
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _lanczos3(x: Array) -> Array:
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0.0)


def _gaussian(x: Array) -> Array:
    return np.exp(-x * x)


def _table(function: Callable[[Array], Array], radius: float, size: int) -> Array:
    return function(np.linspace(-radius, radius, size)).astype(np.float32)


_TRIANGLE = np.array([0, 1, 0], np.float32)
_TABLES = {
    Interp.LINEAR: _TRIANGLE,
    Interp.CUBIC: _table(_cubic, 2.0, 129),
    Interp.LANCZOS3: _table(_lanczos3, 3.0, 193),
    Interp.TRIANGULAR: _TRIANGLE,
    Interp.GAUSSIAN: _table(_gaussian, 2.0, 65),  # cut at 2 sqrt 2 sigma
}
#: All tables one after the other, and (first, size) of each kind's; nearest has none.
FILTERS = np.concatenate(list(_TABLES.values()))
_SIZES = np.array([len(_TABLES.get(kind, ())) for kind in Interp], np.int32)
PLACES = np.stack([np.cumsum(_SIZES, dtype=np.int32) - _SIZES, _SIZES], axis=1)
#: Pixels along an axis, at most.
LONGEST = 2**31 - 1
