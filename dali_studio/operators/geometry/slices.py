"""The window of a slice, which several operators share: arguments and arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.axes import alike, axes_of_samples, rows_of
from dali_studio.operators.common import T, check_dtype, round_half_away
from dali_studio.operators.geometry.windows import policy_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Layout

POSITIONS = (T.INT32, T.INT64, T.FLOAT)
_STARTS = ("start", "rel_start")
_ENDS = ("end", "rel_end", "shape", "rel_shape")
_UNNAMED = {2: "HW", 3: "HWC", 4: "DHWC"}
_LARGEST = float(2**63)
_Real = TypeVar("_Real", np.float32, np.float64)
#: Arguments that say where a window is.
BOUNDS = (*_STARTS, *_ENDS)


class SliceArguments:
    """Where a window begins and ends, along some axes."""

    axes: Annotated[list[int], Doc("Axes of the window, as numbers; none: all."), PER_SAMPLE, COMMON] = [1, 0]  # noqa: RUF012
    axis_names: Annotated[Layout, Doc("The same as letters of the layout."), COMMON] = Layout("WH")
    start: Annotated[list[int] | None, Doc("First elements."), PER_SAMPLE, COMMON] = None
    rel_start: Annotated[list[float] | None, Doc("The same as fractions of the extents."), PER_SAMPLE] = None
    end: Annotated[list[int] | None, Doc("Elements behind the last ones."), PER_SAMPLE, COMMON] = None
    rel_end: Annotated[list[float] | None, Doc("The same as fractions of the extents."), PER_SAMPLE] = None
    shape: Annotated[list[int] | None, Doc("Extents of the window."), PER_SAMPLE, COMMON] = None
    rel_shape: Annotated[list[float] | None, Doc("The same as fractions of the extents."), PER_SAMPLE] = None
    normalized_anchor: Annotated[bool, Doc("Floats of the input anchor are fractions of the extents.")] = True
    normalized_shape: Annotated[bool, Doc("Floats of the input shape are fractions of the extents.")] = True


def slice_windows(
    args: Args, shapes: NDArray[np.int64], axes: Sequence[tuple[int, ...]], positions: Sequence[Batch]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """The windows of a batch.

    Parameters
    ----------
    args : Args
        With the arguments of `SliceArguments`, and perhaps of `OutOfBounds`.
    shapes : ndarray
        (N, ndim) of the input.
    axes : sequence of tuple
        From `slice_axes`.
    positions : sequence of Batch
        Begin and extents, if they come by inputs.

    Returns
    -------
    firsts, extents : ndarray
        (N, ndim) first elements and extents.
    outside : ndarray
        (N,) whether a window leaves the input.

    Raises
    ------
    ArgumentError
        DS105 with the sample, for windows that end before they begin, and for those that leave the input if the policy
        is "error".
    """
    begins, ends = _positions(args, positions, shapes, axes) if positions else _named(args, shapes, axes)
    firsts, extents = _windows(args, begins, ends, shapes)
    outside = np.any((firsts < 0) | (firsts + extents > shapes), axis=1)
    if outside.any() and policy_of(args) == "error":
        index = int(np.argmax(outside))
        window = ", ".join(f"{at}:{at + extent}" for at, extent in zip(firsts[index], extents[index], strict=True))
        more = ', or set out_of_bounds_policy to "pad"' * (args.schema.argument("out_of_bounds_policy") is not None)
        raise ArgumentError(
            f"the window [{window}] leaves the input of shape {tuple(shapes[index].tolist())}.",
            hint=f"Make it smaller{more}.",
            argument="" if positions else next(name for name in BOUNDS if args.given(name)), sample=index,
        )  # fmt: skip
    return firsts, extents, outside


def unnamed_layout(meta: TensorMeta) -> str:
    """The layout; axes without names have the usual ones."""
    return meta.layout or _UNNAMED.get(meta.ndim or 0, "")


def slice_axes(args: Args, meta: TensorMeta, count: int) -> list[tuple[int, ...]]:
    """The axes of the windows of `count` samples."""
    if _of_no_axis(args):
        return [()] * count
    named = meta.with_(layout=unnamed_layout(meta))
    return axes_of_samples(args, named, count, "WH")


def _of_no_axis(args: Args) -> bool:
    """Whether no axis is named, and no number given: such a window is all there is, as in nvidia.dali."""
    bounds = [name for name in BOUNDS if args.given(name)]
    if not bounds or any(args.wired(name) for name in (*bounds, "axes")):
        return False
    axes = args["axes"] if args.given("axes") else args["axis_names"] if args.given("axis_names") else None
    return axes is not None and not any(map(np.size, (axes or (), *(args[name] for name in bounds))))


def check_slice(args: Args, positions: Sequence[TensorMeta]) -> None:
    """Refuse no window, and one that is given twice."""
    named = [name for name in BOUNDS if args.given(name)]
    if positions:
        if named:
            raise ArgumentError(
                "the window is given by inputs and by arguments.", hint="Cut the wires, or leave the arguments out.",
                argument=named[0],
            )  # fmt: skip
        if len(positions) == 1:
            raise ArgumentError("an anchor is wired, and no shape.", hint="Wire both.", code="DS203")
        for meta in positions:
            check_dtype(meta, POSITIONS)
        first, second = (meta.dtype for meta in positions)
        if first is not None and second is not None and first != second:
            raise ArgumentError(
                f"the anchor is {first.name}, the shape {second.name}; one type is needed.", hint="Insert cast.",
                code="DS203",
            )  # fmt: skip
        return
    if not named:
        raise ArgumentError(
            "no window is given.", hint="Give start, end or shape, or wire anchor and shape.", code="DS203"
        )
    for group in (_STARTS, _ENDS):
        given = [name for name in group if name in named]
        if len(given) > 1:
            raise ArgumentError(
                f"{' and '.join(given)} exclude each other.", hint="Give one of them.", argument=given[1]
            )


def _chosen(axes: Sequence[tuple[int, ...]], shapes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which axes of each sample are cut."""
    made = np.zeros(shapes.shape, np.bool_)
    if alike(axes):
        made[:, list(axes[0])] = True
    else:
        for index, chosen in enumerate(axes):
            made[index, list(chosen)] = True
    return made


def _scattered(
    table: NDArray[_Real], axes: Sequence[tuple[int, ...]], rows: Sequence[NDArray[Any]] | NDArray[Any]
) -> NDArray[_Real]:
    """A copy of a table of numbers for all axes, in which those of `axes` are replaced."""
    made = table.copy()
    if alike(axes) and len({len(row) for row in rows}) == 1:
        made[:, list(axes[0])] = rows
        return made
    for index, row in enumerate(rows):
        made[index, list(axes[index])] = row
    return made


def _named(
    args: Args, shapes: NDArray[np.int64], axes: Sequence[tuple[int, ...]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    sizes = shapes.astype(np.float64)

    def table(name: str, otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
        relative = name.startswith("rel_")
        rows = rows_of(args, name, axes, np.float32 if relative else np.int64)
        if not relative:
            return _scattered(otherwise, axes, rows)
        # in single precision, as nvidia.dali multiplies
        factors = _scattered(np.ones(shapes.shape, np.float32), axes, rows)
        scaled = (factors * shapes.astype(np.float32)).astype(np.float64)
        return np.where(_chosen(axes, shapes), scaled, otherwise)

    begins = np.zeros(shapes.shape)
    for name in _STARTS:
        if args.given(name):
            begins = table(name, begins)
    ends = sizes
    for name in _ENDS:
        if args.given(name) and name.endswith("end"):
            ends = table(name, sizes)
        elif args.given(name):
            extents = table(name, sizes)
            _check_extents(extents, name)
            ends = begins + extents
            if name == "rel_shape" and args.given("rel_start"):  # rounded once, as nvidia.dali has it
                rows = [rows_of(args, one, axes) for one in ("rel_start", name)]
                parts = [_scattered(np.zeros(shapes.shape), axes, one) for one in rows]
                ends = (parts[0] + parts[1]) * sizes
            ends = np.where(_chosen(axes, shapes), ends, sizes)
    return begins, ends


def _positions(
    args: Args, positions: Sequence[Batch], shapes: NDArray[np.int64], axes: Sequence[tuple[int, ...]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Begin and end by the inputs anchor and shape."""
    rows: list[list[NDArray[np.float64]]] = []
    for batch, name in zip(positions, ("anchor", "shape"), strict=True):
        rows.append([np.ravel(sample).astype(np.float64) for sample in batch.samples])
        for index, row in enumerate(rows[-1]):
            if len(row) != len(axes[index]):
                raise ArgumentError(
                    f"the {name} has {len(row)} numbers for {len(axes[index])} axes.",
                    hint="Give one for each axis, or name the axes.", sample=index, code="DS203",
                )  # fmt: skip
    real = positions[0].meta.dtype is T.FLOAT
    sizes = shapes.astype(np.float64)
    first = _scattered(np.zeros(shapes.shape), axes, rows[0])
    whole_shape = real and args["normalized_shape"]
    extent = _scattered(np.ones(shapes.shape) if whole_shape else sizes, axes, rows[1])
    if whole_shape and args["normalized_anchor"]:
        return first * sizes, (first + extent) * sizes
    if real and args["normalized_anchor"]:
        first = first * sizes
    return first, first + (extent * sizes if whole_shape else extent)


def _check_extents(extents: NDArray[np.float64], name: str) -> None:
    wrong = ~((extents >= 0) & (extents < _LARGEST))
    if wrong.any():
        index = int(np.argwhere(wrong)[0][0])
        raise ArgumentError(
            f"the extent is {extents[wrong][0]:g}.", hint="Give 0 or more.", argument=name, sample=index
        )


def _windows(
    args: Args, begins: NDArray[np.float64], ends: NDArray[np.float64], shapes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First elements and extents, rounded and, if the policy says so, cut to the input."""
    wrong = ~((begins <= ends) & (begins > -_LARGEST) & (ends < _LARGEST))
    if wrong.any():
        index, axis = np.argwhere(wrong)[0].tolist()
        named = next((name for name in (*_ENDS, *_STARTS) if args.given(name)), "")
        raise ArgumentError(
            f"the window ends at {ends[index, axis]:g}, before its begin at {begins[index, axis]:g}.",
            hint="Give an end that is not before the begin.", argument=named, sample=index,
        )  # fmt: skip
    first, last = round_half_away(begins), round_half_away(ends)
    if policy_of(args) == "trim_to_shape":
        first, last = np.clip(first, 0, shapes), np.clip(last, 0, shapes)
    return first, last - first
