"""Facts that several operators share: element types, layouts, checks."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.limits import MAX_AXES, MAX_ELEMENTS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import shortened
from dali_studio.kernels.cpu.window_batch import columns, with_columns

T = DALIDataType
IMAGE_LAYOUTS = "HWC"
PLANAR_LAYOUTS = "HWC CHW"
#: What may become of a sample that cannot be read or decoded.
ON_ERROR = ("raise", "skip", "placeholder")


def check_shape(shape: Sequence[int], sample: int | None = None) -> None:
    """Refuse the shape of a tensor that is to be made, where it is none or more than memory is meant for.

    Raises
    ------
    ArgumentError
        With the argument ``shape``.
    """
    reason, hint = "", ""
    if any(extent < 0 for extent in shape):
        reason, hint = "has a negative extent", "Give 0 or more."
    elif len(shape) > MAX_AXES:
        reason, hint = f"has {len(shape)} axes", f"Give {MAX_AXES} at most."
    elif (elements := math.prod(shape)) > MAX_ELEMENTS:
        reason, hint = f"has {shortened(elements)} elements", f"Give a shape of {MAX_ELEMENTS} elements at most."
    if reason:
        message = f"the shape {shortened(tuple(shape))} {reason}."
        raise ArgumentError(message, hint=hint, argument="shape", sample=sample)


def image_meta(meta: TensorMeta, layouts: str = IMAGE_LAYOUTS) -> TensorMeta:
    """The input's facts with the layout filled in: three axes without names are taken as the first layout.

    Raises
    ------
    ArgumentError
        DS203 for another layout or number of axes.
    """
    accepted = layouts.split()
    if meta.layout:
        if meta.layout not in accepted:
            more = " Volumes are not supported yet." if "D" in meta.layout else ""
            raise ArgumentError(
                f"the input has the layout {meta.layout!r}; {' or '.join(accepted)} is accepted.{more}",
                hint="Bring single images.", code="DS203",
            )  # fmt: skip
        return meta
    if meta.ndim is not None and meta.ndim != len(accepted[0]):
        raise ArgumentError(
            f"the input has {meta.ndim} axes; images with {len(accepted[0])} ({' or '.join(accepted)}) are accepted.",
            hint="Decode the images first, or give the source a layout.", code="DS203",
        )  # fmt: skip
    return meta.with_(layout=accepted[0], ndim=len(accepted[0]))


def check_dtype(meta: TensorMeta, dtypes: Collection[DALIDataType]) -> None:
    """Refuse an input of another element type (DS203)."""
    if meta.dtype is not None and meta.dtype not in dtypes:
        raise ArgumentError(
            f"the input is {meta.dtype.name}; {_names(dtypes)} are accepted.",
            hint=f"Insert cast with dtype {next(iter(dtypes)).name}.", code="DS203",
        )  # fmt: skip


def accept_output(dtype: DALIDataType | None, dtypes: Collection[DALIDataType], argument: str = "dtype") -> None:
    """Refuse an output element type that the operator cannot write (DS105)."""
    if dtype is not None and dtype not in dtypes:
        raise ArgumentError(
            f"{dtype.name} is not available as output; {_names(dtypes)} are.",
            hint="Choose one of these, and cast afterwards if needed.", argument=argument,
        )  # fmt: skip


def _names(dtypes: Collection[DALIDataType]) -> str:
    return ", ".join(dtype.name for dtype in dtypes)


def extents(shapes: NDArray[np.int64], layout: str) -> NDArray[np.int64]:
    """(N, 2): height and width of every sample."""
    return columns(shapes, layout.index("H"), layout.index("W"))


def with_extents(shapes: NDArray[np.int64], layout: str, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Shapes with height and width replaced by the rows of `sizes`."""
    return with_columns(shapes, layout.index("H"), layout.index("W"), sizes)


def round_half_away(values: NDArray[np.floating]) -> NDArray[np.int64]:
    """nvidia.dali's rounding: .5 goes away from zero."""
    return (np.sign(values) * np.floor(np.abs(values) + 0.5)).astype(np.int64)


def as_written(values: NDArray[np.floating], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values that fill arrays of `dtype`: integers are cut and wrap around, as nvidia.dali's C cast does."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.nan_to_num(values).astype(np.int64).astype(dtype) if dtype.kind in "iu" else values.astype(dtype)


def sentence(error: Exception) -> str:
    """An exception's text as a sentence."""
    text = str(error).strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."
