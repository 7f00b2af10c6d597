"""``fn.slice``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.axes import alike, axes_of_samples, rows_of
from dali_studio.operators.common import T, accept_output, check_dtype, round_half_away
from dali_studio.operators.geometry.movements import SLICE
from dali_studio.operators.geometry.windows import (
    CONVERTED,
    OutOfBounds,
    copy_batch,
    copy_converted,
    fill_values,
    image_window,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Layout, Operator, Output, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Deprecated, Doc, Refused
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerSample, ReadsParameters, WindowSink

_TYPES = tuple(t for t in NUMERIC if t is not T.BOOL)
_POSITIONS = (T.INT32, T.INT64, T.FLOAT)
_STARTS = ("start", "rel_start")
_ENDS = ("end", "rel_end", "shape", "rel_shape")
_UNNAMED = {2: "HW", 3: "HWC", 4: "DHWC"}
_LARGEST = float(2**63)
_Real = TypeVar("_Real", np.float32, np.float64)


class Slice(OutOfBounds, Operator):
    """Cuts a window out of a tensor of any number of axes.

    The window begins at `start` or `rel_start`, and ends at `end` or `rel_end`, or extends over `shape` or `rel_shape`;
    relative ones are fractions of the input's extents. Or its first element and its extents come by the inputs `anchor`
    and `shape`. There is a number for each of the axes that `axes` or `axis_names` name, or one for all; other axes
    are kept whole. Begin and end are rounded to the nearest element.
    """

    category = "tensor"
    icon = "crop"
    keywords = "cut window crop subset range roi"
    inputs = (
        Input("data"),
        Input("anchor", optional=True, dtypes=_POSITIONS, doc="Where the window begins."),
        Input("shape", optional=True, dtypes=_POSITIONS, doc="Its extents."),
    )
    outputs = (Output("output"),)
    traits = (PerSample, ReadsParameters, WindowSink)
    movement = SLICE
    examples = (
        example(start=(3, 5), end=(20, 19)),
        example(rel_start=(0.25,), rel_shape=(0.5,), axis_names="H"),
        example(start=(-2, 3), shape=(40, 60), axes=(0, 1), out_of_bounds_policy="pad", fill_values=(7.6,)),
        example(rel_start=(-0.1, 0.6), rel_end=(0.5, 1.2), out_of_bounds_policy="trim_to_shape", dtype="FLOAT"),
    )

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
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None
    output_dtype: Annotated[DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")] = None
    image_type: Annotated[int | None, Deprecated(""), Refused("removed from DALI; it had no effect")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((21, 34), (30, 25))
        some = images(sizes)
        numbers = tensors(((40,), (17,)), T.INT32)
        along = {"axes": (0,)}
        pad = {"out_of_bounds_policy": "pad"}
        anchors, extents = values((0.1, 0.27), (0.52, 0.0)), values((0.33, 0.5), (0.45, 1.0))
        whole = values((3, 5), (0, 2), dtype=T.INT32), values((9, 20), (4, 1), dtype=T.INT32)
        reals = values((3.4, 5.5), (0.0, 2.2)), values((9.3, 2.0), (4.5, 0.1))
        many = tensors(((2, 3, 2, 3, 2), (3, 2, 2, 2, 4)), T.UINT8)
        return [
            *(Case((images(sizes, dtype),), one.arguments) for one in cls.examples for dtype in _TYPES),
            *(Case((images(sizes, layout=layout),), one.arguments) for one in cls.examples[:3]
              for layout in ("CHW", "FHWC", "HW", "DHWC")),
            *(Case((images(sizes, dtype),), {"start": (1, 2), "dtype": name, **pad})
              for dtype in (T.FLOAT, T.INT16, T.FLOAT16) for name in ("UINT8", "FLOAT16")),
            *(Case((numbers,), {**along, **given}) for given in (
                {"start": 3}, {"end": 3}, {"shape": 3}, {"rel_start": 0.3}, {"rel_end": 0.3}, {"rel_shape": 0.3},
                {"start": 3, "rel_end": 0.9}, {"start": 2, "rel_shape": 0.5}, {"rel_start": 0.19, "shape": 4},
                {"start": 3, "end": 3}, {"start": 50, "end": 60, "out_of_bounds_policy": "trim_to_shape"},
                {"start": 50, "end": 60, **pad}, {"start": -9, "end": -3, **pad}, {"start": (), "axes": ()},
                {"axes": (-1,), "start": 3})),
            Case((numbers,), {**along, "start": values((3,), (0,), dtype=T.INT32)}),
            Case((numbers,), {**along, "rel_start": values(0.3, 0.1), "rel_end": values((0.5,), (0.9,))}),
            Case((numbers,), {**along, "rel_start": values(0.3, 0.1), "shape": values((5,), (6,), dtype=T.INT32)}),
            Case((some,), {"start": (1,), "axes": (0, 1)}),
            Case((some,), {"start": (1, 2), "axes": values((0, 1), (2, 1), dtype=T.INT32)}),
            Case((some,), {"start": values((1, 2), (3,), dtype=T.INT32), "axes": values((0, 1), (1,), dtype=T.INT32)}),
            Case((some,), {"start": (1, 2), "axis_names": ""}),
            Case((some,), {"start": (-1,), "end": (2,), "axis_names": "C", "fill_values": (1.0, 2.0, 3.0), **pad}),
            Case((some,), {"start": (-1, -2), "fill_values": (1.0, 2.0, 3.0), **pad}),
            Case((images(sizes, layout="CHW"),), {"start": (-1, -2), "fill_values": (1.0, 2.0, 3.0), **pad}),
            Case((some,), {"start": (1, 2), "fill_values": (1.0, 2.0)}),
            Case((tensors(((20, 30), (15, 16))),), {"start": (3, 2)}),
            Case((tensors(((20, 30, 3), (15, 16, 1))),), {"start": (3, 2)}),
            Case((tensors(((4, 20, 30, 3), (5, 15, 16, 1))),), {"start": (1, 2), "axis_names": "DW"}),
            Case((tensors(((0, 3), (2, 0))),), {"start": (-1,), "axes": (0,), **pad}),
            Case((many,), {"start": (1, -1), "axes": (0, 4), **pad}, peer=False,
                 note="nvidia.dali cuts four axes at most"),
            *(Case((some, anchor, extent), given) for anchor, extent in ((anchors, extents), whole) for given in (
                {}, {"axes": (0, 1)}, {"axis_names": "HW", "dtype": "FLOAT"})),
            Case((some, *reals), {"normalized_anchor": False, "normalized_shape": False}),
            Case((some, reals[0], extents), {"normalized_anchor": False, **pad}),
            Case((some, anchors, reals[0]), {"normalized_shape": False, **pad}),
            Case((some, values(((3, 5),), ((0, 2),), dtype=T.INT64), values(((9, 4),), ((4, 1),), dtype=T.INT64)), {}),
            Case((some,), {}, refused=""),
            Case((some, anchors), {}, refused=""),
            Case((some, anchors, whole[1]), {}, refused=""),
            Case((some, anchors, extents), {"start": (1, 2)}, refused="start"),
            Case((some, anchors, values((1.0,), (2.0,))), {}, refused=""),
            Case((some,), {"start": (1, 2), "rel_start": (0.1, 0.2)}, refused="rel_start"),
            Case((some,), {"end": (1, 2), "rel_shape": (0.1, 0.2)}, refused="rel_shape"),
            Case((some,), {"start": (1, 2, 3)}, refused="start"),
            Case((some,), {"start": values((1,), (2,), dtype=T.INT32)}, refused="start"),
            Case((some,), {"start": (1,), "axes": (0,), "axis_names": "H"}, refused="axis_names"),
            Case((some,), {"start": (1,), "axis_names": "X"}, refused="axis_names"),
            Case((some,), {"start": (1,), "axes": (3,)}, refused="axes"),
            Case((some,), {"start": (1,), "axes": (0, 0)}, refused="axes"),
            Case((some,), {"start": (9, 9), "end": (3, 3)}, refused="end"),
            Case((some,), {"start": (9, 9), "shape": (-3, 3)}, refused="shape"),
            Case((some,), {"start": (9, 9), "shape": (99, 3)}, refused="start"),
            Case((some,), {"start": (-1, 0), "fill_values": (1.0, 2.0), **pad}, refused="fill_values"),
            Case((images(sizes, layout="HW"),), {"start": (-1, 0), "fill_values": (1.0, 2.0), **pad},
                 refused="fill_values"),
            Case((images(sizes, T.BOOL),), {"start": (1, 2)}, refused=""),
            Case((tensors(((), ())),), {"start": (), "axes": ()}, refused=""),
            Case((some,), {"start": (1, 2), "dtype": "INT32"}, refused="dtype"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = inputs[0]
        check_dtype(meta, _TYPES)
        if meta.ndim == 0:
            raise ArgumentError("numbers have no axis to be cut.", hint="Bring vectors, images, ...", code="DS203")
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((meta.dtype, *CONVERTED)))
        _check_given(args, inputs[1:])
        if meta.ndim is not None and not args.wired("axes"):
            axes = _axes(args, meta, 1)
            for name in (*_STARTS, *_ENDS):
                if args[name] is not None:
                    rows_of(args, name, axes)
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        data, *positions = inputs
        shapes = data.shapes
        axes = _axes(args, data.meta, len(shapes))
        begins, ends = _positions(args, positions, shapes, axes) if positions else _named(args, shapes, axes)
        firsts, extents = _windows(args, begins, ends, shapes)
        channel = _layout(data.meta).find("C")
        outside = ((firsts < 0) | (firsts + extents > shapes)).any(axis=1)
        if outside.any() and args["out_of_bounds_policy"] == "error":
            index = int(np.argmax(outside))
            window = ", ".join(f"{at}:{at + extent}" for at, extent in zip(firsts[index], extents[index], strict=True))
            raise ArgumentError(
                f"the window [{window}] leaves the input of shape {tuple(shapes[index].tolist())}.",
                hint='Make it smaller, or set out_of_bounds_policy to "pad".',
                argument="" if positions else next(name for name in (*_STARTS, *_ENDS) if args.given(name)),
                sample=index,
            )  # fmt: skip
        dtype = to_numpy(args["dtype"]) if args["dtype"] else data.dtype
        counted = outside | (args["out_of_bounds_policy"] == "pad")
        channels = extents[:, channel] if channel >= 0 else np.zeros(len(extents), np.int64)
        fill = fill_values(args, channels, counted, dtype)
        return Work(extents, {
            "firsts": firsts, "fills": np.array(fill, dtype), "along": channel if len(fill) > 1 else -1,
            "layout": data.layout, "shapes": shapes,
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        copy_converted(inputs[0], outputs[0], params["firsts"][index], params["fills"], params["along"])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        params = work.params
        copy_batch(inputs[0], outputs[0], params["firsts"], params["fills"], params["along"])

    @staticmethod
    def window(work: Work) -> NDArray[np.int64] | None:
        params = work.params
        kept = params["layout"].find("C")
        if kept < 0 or params["firsts"][:, kept].any() or (work.shapes[:, kept] != params["shapes"][:, kept]).any():
            return None
        names = {"anchors": params["firsts"], "crops": work.shapes, "sizes": params["shapes"]}
        axes = [axis for axis in range(work.shapes.shape[1]) if axis != kept]
        return image_window({name: table[:, axes] for name, table in names.items()} | {"layout": params["layout"]})

    @staticmethod
    def for_window(work: Work) -> Work:
        return Work(work.shapes, {**work.params, "firsts": np.zeros_like(work.params["firsts"])})


def _layout(meta: TensorMeta) -> str:
    """The layout; axes without names have the usual ones."""
    return meta.layout or _UNNAMED.get(meta.ndim or 0, "")


def _axes(args: Args, meta: TensorMeta, count: int) -> list[tuple[int, ...]]:
    named = meta.with_(layout=_layout(meta))
    return axes_of_samples(args, named, count, "WH")


def _check_given(args: Args, positions: Sequence[TensorMeta]) -> None:
    named = [name for name in (*_STARTS, *_ENDS) if args.given(name)]
    if positions:
        if named:
            raise ArgumentError(
                "the window is given by inputs and by arguments.", hint="Cut the wires, or leave the arguments out.",
                argument=named[0],
            )  # fmt: skip
        if len(positions) == 1:
            raise ArgumentError("an anchor is wired, and no shape.", hint="Wire both.", code="DS203")
        for meta in positions:
            check_dtype(meta, _POSITIONS)
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
    if args["out_of_bounds_policy"] == "trim_to_shape":
        first, last = np.clip(first, 0, shapes), np.clip(last, 0, shapes)
    return first, last - first
