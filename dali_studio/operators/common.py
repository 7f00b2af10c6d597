"""Facts that several operators share: element types, layouts, checks."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import ENUMERATIONS, NUMERIC, is_float
from dali_studio.core.enums import DALIDataType
from dali_studio.core.limits import MAX_AXES, MAX_ELEMENTS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import shortened
from dali_studio.kernels.cpu.window_batch import columns, with_columns
from dali_studio.schema.arguments import Args

T = DALIDataType
#: Names of all element types, members of enumerations included.
ELEMENTS = tuple(dtype.name for dtype in (*NUMERIC, *ENUMERATIONS))
IMAGE_LAYOUTS = "HWC"
PLANAR_LAYOUTS = "HWC CHW"
#: Of pictures that have parts of generated kernels.
PICTURES = ("HWC", "CHW")
#: Of images and volumes. Those of frames before them come by the trait `PerFrame`.
VOLUME_LAYOUTS = "HWC CHW DHWC CDHW CFHW CFDHW"
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


def shapes_of(rows: Sequence[NDArray[Any]]) -> list[tuple[int, ...]]:
    """Shapes that are fed, one for each sample: rows of numbers, or single ones.

    Raises
    ------
    ArgumentError
        With the argument ``shape``.
    """
    for index, row in enumerate(rows):
        if row.ndim > 1:
            raise ArgumentError(
                f"the value has {row.ndim} axes; a row of numbers is needed.", hint="Feed one extent for each axis.",
                argument="shape", sample=index, code="DS203",
            )  # fmt: skip
    return [tuple(int(extent) for extent in np.atleast_1d(row).tolist()) for row in rows]


def image_meta(meta: TensorMeta, layouts: str = IMAGE_LAYOUTS, unnamed: str = "") -> TensorMeta:
    """The input's facts with the layout filled in.

    Parameters
    ----------
    meta : TensorMeta
    layouts : str
        Those that are accepted, separated by blanks.
    unnamed : str
        What axes without names are taken as, at most one layout for each number of them; empty: the first of `layouts`.

    Raises
    ------
    ArgumentError
        DS203 for another layout or number of axes.
    """
    accepted = layouts.split()
    if meta.layout:
        # where unnamed ones may have frames, the runtime may leave sequences whole
        whole = [f"F{layout}" for layout in accepted if unnamed and "F" not in layout]
        if meta.layout not in accepted and meta.layout not in whole:
            more = " Volumes are not supported yet." if "D" in meta.layout and "DHW" not in layouts else ""
            raise ArgumentError(
                f"the input has the layout {meta.layout!r}; {' or '.join(accepted)} is accepted.{more}",
                hint="Bring single images.", code="DS203",
            )  # fmt: skip
        return meta
    taken = {len(layout): layout for layout in unnamed.split() or accepted[:1]}
    if meta.ndim is not None and meta.ndim not in taken:
        raise ArgumentError(
            f"the input has {meta.ndim} axes; images with {' or '.join(map(str, taken))} ({' or '.join(accepted)}) are "
            "accepted.", hint="Decode the images first, or give the source a layout.", code="DS203",
        )  # fmt: skip
    if meta.ndim is None and len(taken) > 1:
        return meta
    layout = taken[len(accepted[0]) if meta.ndim is None else meta.ndim]
    return meta.with_(layout=layout, ndim=len(layout))


def check_dtype(meta: TensorMeta, dtypes: Collection[DALIDataType]) -> None:
    """Refuse an input of another element type (DS203)."""
    if meta.dtype is not None and meta.dtype not in dtypes:
        raise ArgumentError(
            f"the input is {meta.dtype.name}; {_names(dtypes)} are accepted.",
            hint=f"Insert cast with dtype {next(iter(dtypes)).name}.", code="DS203",
        )  # fmt: skip


def check_cast(source: DALIDataType | None, target: DALIDataType | None) -> None:
    """Refuse what cannot be converted: members of enumerations are whole numbers (DS203)."""
    pair = source, target
    if any(dtype in ENUMERATIONS for dtype in pair) and any(dtype and is_float(dtype) for dtype in pair):
        names = [dtype.name for dtype in pair if dtype]
        raise ArgumentError(
            f"{names[0]} cannot become {names[1]}: members of enumerations are whole numbers.",
            hint="Insert a cast to INT32 between.", code="DS203",
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


def check_whole(args: Args, batch: Batch) -> None:
    """Refuse what depends on all samples where a preview computes some of them (DS304)."""
    count = len(batch)
    if batch.indices is None and not args.context.whole and count < args.context.batch_size:
        raise ArgumentError(
            f"{count} of {args.context.batch_size} samples are computed here; the result depends on the others.",
            hint="Run the pipeline to see it, or choose a smaller batch: previews of large ones are of single samples.",
            code="DS304",
        )  # fmt: skip


def spatial_axes(layout: str) -> tuple[int, ...]:
    """Where D, if there is one, H and W stand."""
    return tuple(map(layout.index, "DHW" if "D" in layout else "HW"))


def extents(shapes: NDArray[np.int64], layout: str) -> NDArray[np.int64]:
    """(N, 2): height and width of every sample; (N, 3): depth, height and width of volumes."""
    axes = spatial_axes(layout)
    return columns(shapes, *axes) if len(axes) == 2 else shapes[:, list(axes)]


def with_extents(shapes: NDArray[np.int64], layout: str, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Shapes with what `extents` gives replaced by the rows of `sizes`."""
    axes = spatial_axes(layout)
    if len(axes) == 2:
        return with_columns(shapes, *axes, sizes)
    made = shapes.copy()
    made[:, list(axes)] = sizes
    return made


def round_half_away(values: NDArray[np.floating]) -> NDArray[np.int64]:
    """nvidia.dali's rounding: .5 goes away from zero."""
    return (np.sign(values) * np.floor(np.abs(values) + 0.5)).astype(np.int64)


def as_written(values: NDArray[np.floating], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values that fill arrays of `dtype`, by nvidia.dali's C cast.

    Integers are cut and wrap around. What 32 bits do not hold, or 64 for uint32 and wider types, becomes the lowest
    number of these, as x86-64's instruction has it.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.kind not in "iu":
            return values.astype(dtype)
        wide = np.int64 if dtype.itemsize == 8 or dtype == np.uint32 else np.int32
        limit = -float(np.iinfo(wide).min)
        held = (values > -limit - 1) & (values < limit)  # false for what is not a number
        made = np.where(held, np.trunc(np.where(held, values, 0)), -limit).astype(wide).astype(dtype)
        if dtype == np.uint64:  # the upper half has an instruction of its own, and beyond it lies 0
            upper = (values >= limit) & (values < 2 * limit)
            made = np.where(upper, np.where(upper, values, 0).astype(dtype), np.where(values < 2 * limit, made, 0))
            made = np.where(np.isnan(values), dtype.type(limit), made)
        return made.astype(dtype)


def sentence(error: Exception) -> str:
    """An exception's text as a sentence."""
    text = str(error).strip().rstrip(".")
    is_name = "." in text.partition(" ")[0]  # of a file, which is called as it is
    return f"{text if is_name else text[:1].upper() + text[1:]}."
