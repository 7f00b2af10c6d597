"""``fn.tensor_resize``."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.resample import resize_axes
from dali_studio.kernels.cpu.size_batch import MODES, ROUNDINGS, sizes_and_regions
from dali_studio.kernels.cuda.resample_axes import resize_axes_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.axes import axes_of
from dali_studio.operators.common import T
from dali_studio.operators.geometry.resampling import Resampling, filter_params, output_meta, volumes
from dali_studio.operators.geometry.sizes import RegionArguments, check_region, limits, regions
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Output, example
from dali_studio.schema.marks import COMMON, MAX_PIXELS, PER_SAMPLE, Choices, Doc, Layout, Range
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerSample

_Real = TypeVar("_Real", np.float32, np.float64)
#: Axes that can be resized at once; they follow each other.
_MAX_AXES = 3
_LISTS = ("sizes", "scales", "alignment", "max_size", "roi_start", "roi_end")


class TensorResize(RegionArguments, Resampling):
    """Resamples up to three neighbouring axes of a tensor.

    Without `axes` and `axis_names` all axes are meant; those at either end whose extents stay as they are do not count.
    There is a number for each of the axes, or one for all.
    """

    category = "tensor"
    keywords = "resample interpolation scale upsample downsample rank"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    former = ("experimental.tensor_resize",)
    examples = (
        example(sizes=(24.0, 31.0), axes=(0, 1)),
        example(scales=(0.46, 0.7), axis_names="WH", alignment=(0.0, 0.9)),
        example(scales=1.7, axes=(1,), size_rounding="ceil", interp_type="INTERP_CUBIC", dtype="FLOAT"),
    )

    tolerance = (
        *Resampling.tolerance[:2],
        Tolerance(
            1, 0.014, relative=2e-5,
            reason="as for resize; and in noise the last bits of positions show, which are of single precision",
        ),
    )  # fmt: skip

    sizes: Annotated[
        list[float] | None, Doc("Extents of the result; 0 follows from the others, negative ones mirror."),
        Range(-MAX_PIXELS, MAX_PIXELS), PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    scales: Annotated[
        list[float] | None, Doc("The same in extents of the input."), PER_SAMPLE, COMMON
    ] = None
    axes: Annotated[list[int] | None, Doc("Axes that are resized, as numbers."), COMMON] = None
    axis_names: Annotated[Layout | None, Doc("The same as letters of the layout."), COMMON] = None
    alignment: Annotated[
        list[float],
        Doc("Which point of the region keeps its place where an extent is rounded: 0 is its begin, 1 its end."),
        PER_SAMPLE,
    ] = [0.5]  # noqa: RUF012 - a declaration, read once
    size_rounding: Annotated[str, Doc("How extents become whole numbers."), Choices(ROUNDINGS)] = "round"

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((21, 34), (30, 25))
        some = images(sizes)
        row, many = tensors(((7,), (130,), (1,))), tensors(((3, 4, 5, 6, 2), (2, 5, 6, 4, 3)))
        two = {"axes": (0, 1)}
        region = {"roi_start": (0.1, 0.2), "roi_end": (0.9, 0.7), "roi_relative": True}
        return [
            *(Case((images(sizes, dtype),), one.arguments) for one in cls.examples
              for dtype in (T.UINT8, T.INT16, T.UINT16, T.FLOAT) if one.arguments.get("dtype") in (None, dtype.name)),
            *(Case((row,), one) for one in (
                {"sizes": 20.0}, {"scales": 0.3}, {"scales": -1.7, "interp_type": "INTERP_CUBIC"},
                {"sizes": 9.3, "alignment": 1.0}, {"sizes": 9.3, "subpixel_scale": False}, {"sizes": 0.0},
                {"sizes": values(4.0, 200.0, 3.0)}, {"scales": values((0.4,), (2.0,), (3.3,))})),
            *(Case((some,), {**two, **one}) for one in (
                {"sizes": (0.0, 40.0)}, {"sizes": (0.0, 40.0), "mode": "stretch", "dtype": "FLOAT"},
                {"scales": (0.0, 0.5)},
                {"sizes": (20.0, 40.0), "mode": "not_larger", "axes": (0, 1)},
                {"scales": (5.0, 4.0), "max_size": (50.0, 99.0)}, {"scales": (0.5, 0.45), "size_rounding": "truncate"},
                {"scales": (0.5, 0.45), "alignment": values((0.0, 1.0), (0.2, 0.5))},
                {"scales": (0.5, 0.45), **region}, {"sizes": (20.2, 40.0), **region, "interp_type": "INTERP_NN"})),
            Case((some,), {"sizes": (9.0, 8.0, 5.0)}), Case((some,), {"sizes": (9.0, 5.0), "axes": (0, 2)}),
            Case((some,), {**two, "sizes": (9.0, 40.0), "min_filter": values(2, 0, dtype=T.INTERP_TYPE)}),
            Case((images(sizes, layout="CHW"),), {"sizes": (9.0, 12.0), "axis_names": "HW"}),
            Case((images(sizes, layout="FHWC"),), {"sizes": (3.0, 9.0, 12.0, 3.0)}),
            *(Case((many,), one) for one in (
                {"sizes": 7.0, "axes": (0,)}, {"sizes": 7.0, "axes": (-1,)}, {"sizes": 7.0, "axes": (2,)},
                {"sizes": (7.0, 3.0), "axes": (1, 2)}, {"sizes": (7.0, 3.0, 8.0), "axes": (3, 1, 2)},
                {"sizes": (2.0, 3.0, 8.0), "axes": (2, 3, 4), "interp_type": "INTERP_GAUSSIAN"})),
            Case((many,), {"sizes": 7.0}, refused=""), Case((many,), {"sizes": (3.0, 3.0), "axes": (0, 3)}, refused=""),
            Case((tensors(((), ())),), {"sizes": 7.0}, refused=""),
            Case((some,), two, refused="sizes"), Case((some,), {"sizes": 3.0, "scales": 2.0}, refused="scales"),
            Case((some,), {"sizes": (3.0, 4.0)}, refused="sizes"),
            Case((some,), {**two, "scales": 3.0, "mode": "not_smaller"}, refused="mode"),
            Case((some,), {**two, "sizes": 3.0, "axis_names": "HW"}, refused="axis_names"),
            Case((some,), {"sizes": values((9.0,), (8.0,)), **two}, refused="sizes"),
            Case((images(dtype=T.INT32),), {"sizes": 9.0, **two}, refused=""),
        ]  # fmt: skip

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        made = output_meta(args, meta)
        if meta.ndim == 0:
            raise ArgumentError("numbers have no axis to be resized.", hint="Bring vectors, ...", code="DS203")
        if args.given("sizes") == args.given("scales"):
            raise ArgumentError(
                "sizes and scales exclude each other." if args.given("sizes") else "no size is given.",
                hint="Give sizes or scales.", argument="scales" if args.given("sizes") else "sizes", code="DS103",
            )  # fmt: skip
        if args.given("scales") and args["mode"] in ("not_larger", "not_smaller"):
            raise ArgumentError(
                f"the mode {args['mode']} does not go with scales.", hint="Give sizes.", argument="mode"
            )
        check_region(args)
        if meta.ndim is not None and meta.layout is not None:
            axes = _axes(args, meta)
            for name in _LISTS:
                if not args.wired(name) and len(args[name] or (0,)) not in (1, len(axes)):
                    raise ArgumentError(
                        f"{len(args[name])} values are given; {name} takes 1 or {len(axes)} here.",
                        hint=f"Give {len(axes)} values.", argument=name,
                    )  # fmt: skip
        return made

    @classmethod
    def plan(cls, args: Args, *inputs: Batch) -> Work:
        (data,) = inputs
        axes = list(_axes(args, data.meta))
        shapes = data.shapes
        chosen = shapes[:, axes]
        low, high = (_whole(part, axes, whole) for part, whole in zip(
            regions(args, chosen), (np.zeros(shapes.shape), shapes.astype(np.float64)), strict=True))  # fmt: skip
        extents = np.abs(high - low).astype(np.float32)
        name = "sizes" if args.given("sizes") else "scales"
        wanted = _numbers(args, name, len(axes))
        if name == "scales":
            wanted = wanted * chosen.astype(np.float32)
        requested = _whole(wanted, axes, extents)
        limit = np.full(shapes.shape, np.float32(np.inf))
        limit[:, axes] = limits(args, wanted)
        pivots = np.full(shapes.shape, np.float32(0.5))
        pivots[:, axes] = _numbers(args, "alignment", len(axes))
        sizes, rois = sizes_and_regions(
            low, high, requested, MODES.index(args["mode"]), limit, exact=args["subpixel_scale"],
            rounding=ROUNDINGS.index(args["size_rounding"]), pivots=pivots,
        )  # fmt: skip
        sizes[shapes == 0] = 0  # of nothing, nothing is made
        spans = _spans(shapes, sizes, rois)
        return Work(sizes, {"spans": spans, "rois": rois, **filter_params(args)})

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        (first, _), roi = _resized(work, index)
        kinds = params["kinds"][index].tolist()
        resize_axes(inputs[0], outputs[0], first, kinds, roi.tolist(), antialias=params["antialias"])

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        def changed() -> tuple[list[tuple[int, int]], list[NDArray[np.float64]]]:
            found = [_resized(work, index) for index in range(len(inputs[0]))]
            return [span for span, _ in found], [roi for _, roi in found]

        resize_axes_on_gpu(inputs[0], outputs[0], volumes(work, inputs[0], changed), stream)


def _resized(work: Work, index: int) -> tuple[tuple[int, int], NDArray[np.float64]]:
    """The axes of a sample that change, from the first to the one behind the last, and their region."""
    first, end = work.params["spans"][index].tolist()
    return (first, end), work.params["rois"][index].reshape(2, -1)[:, first:end].ravel()


def _axes(args: Args, meta: TensorMeta) -> tuple[int, ...]:
    chosen = axes_of(args, meta)
    return tuple(range(meta.ndim or 0)) if chosen is None else chosen


def _numbers(args: Args, name: str, width: int) -> NDArray[np.float32]:
    """(N, width); what is fed is a number, or has one for each axis."""
    for index, row in enumerate(args.samples(name) or ()):
        if row.ndim and row.size != width:
            raise ArgumentError(
                f"{row.size} values are given; {name} takes {width} here.", hint=f"Give {width} values.", argument=name,
                sample=index,
            )  # fmt: skip
    return args.vectors(name, width)


def _whole(part: NDArray[_Real], axes: list[int], otherwise: NDArray[_Real]) -> NDArray[_Real]:
    """Numbers for all axes, from those for some."""
    made = otherwise.copy()
    made[:, axes] = part
    return made


def _spans(shapes: NDArray[np.int64], sizes: NDArray[np.int64], rois: NDArray[np.float64]) -> NDArray[np.int64]:
    """(N, 2): first and end of the neighbouring axes that are resized.

    As in nvidia.dali: a region that is less than an element beside a whole axis is no change of it, and what changes in
    no sample of the batch is left out before the first axis that does and behind the last one, down to two axes.
    """
    ndim = shapes.shape[1]
    begins, ends = np.trunc(rois).reshape(len(rois), 2, ndim).swapaxes(0, 1)
    changed = np.flatnonzero(((shapes != sizes) | (begins != 0) | (ends != shapes)).any(axis=0)).tolist()
    first = max(min(changed[0] if changed else ndim, ndim - 2), 0)
    end = max(changed[-1] + 1 if changed else 0, min(first + 2, ndim))
    if end - first > _MAX_AXES:
        raise ArgumentError(
            f"the axes {first} to {end - 1} are to be resized; {_MAX_AXES} at most can follow each other.",
            hint="Resize some first, and then the others.", argument="axes", code="DS203",
        )  # fmt: skip
    return np.full((len(shapes), 2), (first, end), np.int64)
