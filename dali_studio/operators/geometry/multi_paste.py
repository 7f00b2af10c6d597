"""``fn.multi_paste``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cuda.multi_paste import paste_regions_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype, check_whole, image_meta
from dali_studio.operators.tensor.joins import check_alike
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, compiled
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Unit
from dali_studio.schema.samples import Case, Data, images, values
from dali_studio.schema.traits import Enqueues, MixesSamples, Repeatable

Table = NDArray[np.int64]
_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT)
#: As many as nvidia.dali takes.
_MAX_INPUTS = 64
_WIRED = "as a table with a row (y, x) for each of the regions"


class MultiPaste(Operator):
    """Pastes regions of images onto a canvas, one over the other.

    Each sample is made of those of all inputs or, with `in_ids`, of samples of the one input. Where nothing is pasted
    the canvas is 0. Regions are given by wires.
    """

    category = "geometry"
    icon = "layers"
    keywords = "mosaic collage mixup cutmix copypaste combine"
    inputs = (Input("image", "image", layouts="HWC", dtypes=_TYPES, repeated=(1, _MAX_INPUTS)),)
    outputs = (Output("image", "image"),)
    traits = (MixesSamples, Enqueues, Repeatable)
    devices = ("cpu", "gpu")
    kernels = (compiled("convert", _TYPES, _TYPES),)

    in_ids: Annotated[
        list[int] | None, Doc("Which samples of the batch are pasted, the first one first."), PER_SAMPLE, COMMON
    ] = None
    output_size: Annotated[
        list[int] | None, Doc("Height and width of the canvas; unset: that of the images, which must be of one size."),
        Unit("px"), Length((2,)), PER_SAMPLE, COMMON,
    ] = None  # fmt: skip
    in_anchors: Annotated[int | None, Doc(f"Corners of the regions in their images, {_WIRED}."), PER_SAMPLE] = None
    in_anchors_rel: Annotated[
        float | None, Doc("The same in sizes of the images, rounded down."), PER_SAMPLE
    ] = None
    shapes: Annotated[
        int | None, Doc(f"Heights and widths of the regions, {_WIRED}; unset: up to the end of the image."), PER_SAMPLE
    ] = None
    shapes_rel: Annotated[float | None, Doc("The same in sizes of the images, rounded up."), PER_SAMPLE] = None
    out_anchors: Annotated[int | None, Doc(f"Where the regions go on the canvas, {_WIRED}."), PER_SAMPLE] = None
    out_anchors_rel: Annotated[
        float | None, Doc("The same in sizes of the canvas, rounded down."), PER_SAMPLE
    ] = None
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output; unset keeps the input's.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        first, second = images(((20, 31), (17, 25), (20, 30))), images(((9, 12), (10, 11), (8, 13)))
        same = images(((20, 31),) * 3)
        size = {"output_size": (24, 35)}
        ids = values((0, 2), (1,), (), dtype=T.INT32, label="some")

        def rows(*each: Any, dtype: DALIDataType = T.INT32) -> Data:
            return values(*each, dtype=dtype)

        anchors = rows(((0, 0), (12, 20)), ((5, 7), (0, 0)), ((1, 2), (3, 4)))
        parts = {"in_anchors": rows(((2, 3), (0, 0)), ((1, 1), (2, 2)), ((0, 0), (7, 12))),
                 "shapes": rows(((5, 6), (9, 12)), ((7, 1), (0, 3)), ((20, 30), (1, 1)))}  # fmt: skip
        relative = {"in_anchors_rel": rows(*(((0.3, 0.7), (0.1, 0.0)),) * 3, dtype=T.FLOAT),
                    "shapes_rel": rows(*(((0.7, 0.3), (0.33, 0.9)),) * 3, dtype=T.FLOAT),
                    "out_anchors_rel": rows(*(((0.0, 0.5), (0.31, 0.27)),) * 3, dtype=T.FLOAT)}  # fmt: skip
        return [
            Case((same,), {}), Case((same, second), {}), Case((first, second), size),
            *(Case((images(((5, 7), (3, 9)), dtype),), {"output_size": (6, 9), "dtype": name})
              for dtype in _TYPES for name in ("UINT8", "INT16", "INT32", "FLOAT")),
            Case((first, second), {**size, "out_anchors": anchors}),
            Case((first, second), {**size, **parts, "out_anchors": rows(*(((0, 0), (2, 5)),) * 3)}),
            Case((first, second), {**size, **relative}),
            Case((first,), {**size, "in_ids": ids}), Case((first,), {**size, "in_ids": (2, 1)}),
            Case((first,), {"output_size": rows((24, 35), (20, 31), (99, 40)), "in_ids": (2,)}),
            Case((images(((3, 4),) * 2), ), {"in_ids": (1,)}),
            Case((images(channels=1), images(((9, 9),) * 4, channels=1)), {"output_size": (64, 91)}),
            Case((first,), {"in_anchors": 1}, refused="in_anchors"),
            Case((first,), {}, refused="output_size"),
            Case((first, second), {**size, "in_ids": ids}, refused="in_ids"),
            Case((first,), {**size, "in_ids": (3,)}, refused="in_ids"),
            Case((first,), {"output_size": (9, 9)}, refused="output_size"),
            Case((first,), {**size, "shapes": rows(*(((30, 1),),) * 3)}, refused="shapes"),
            Case((first,), {**size, "shapes": rows(*((30, 1),) * 3)}, refused="shapes"),
            Case((first,), {**size, "in_anchors": rows(*(((-1, 1),),) * 3)}, refused="in_anchors"),
            Case((first,), {**size, "out_anchors": rows(*(((20, 1),),) * 3)}, refused="out_anchors"),
            Case((first, second), {**size, "out_anchors": rows(*(((0, 0),),) * 3)}, refused="out_anchors"),
            Case((first,), {**size, **relative, **parts}, refused="in_anchors_rel"),
            Case((first, images(((9, 12),) * 3, T.FLOAT)), size, refused=""),
            Case((first, images(((9, 12),) * 3, channels=1)), size, refused=""),
            Case((first,), {**size, "dtype": "UINT16"}, refused="dtype"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        metas = [image_meta(meta) for meta in inputs]
        meta = check_alike(metas)
        check_dtype(meta, _TYPES)
        accept_output(args["dtype"], _TYPES)
        if args.given("in_ids") and len(inputs) > 1:
            raise ArgumentError(
                f"in_ids chooses from one input; {len(inputs)} are wired.", hint="Wire one, or leave in_ids out.",
                argument="in_ids",
            )  # fmt: skip
        for name in ("in_anchors", "shapes", "out_anchors"):
            for one in (name, f"{name}_rel"):
                if args[one] is not None:
                    raise ArgumentError(
                        f"{one} is a constant; a table for each sample is accepted.", hint="Feed it by a wire.",
                        argument=one,
                    )  # fmt: skip
            if args.wired(name) and args.wired(f"{name}_rel"):
                raise ArgumentError(
                    f"{name} and {name}_rel exclude each other.", hint="Feed one of them.", argument=f"{name}_rel"
                )
        return meta.with_(dtype=args["dtype"] or meta.dtype)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        plan = _planned(args, inputs)
        sizes = plan.shapes.prod(axis=1, dtype=np.int64) * plan.dtype.itemsize
        places = -(-sizes // 64) * 64
        starts = np.cumsum(places) - places
        made = Packed(args.context.memory(int(places.sum())), starts, plan.shapes, plan.dtype)
        images = list(zip(plan.numbers.tolist(), plan.samples.tolist(), strict=True))
        ends = np.cumsum(plan.counts).tolist()

        def paste(index: int) -> None:
            mine = slice(ends[index] - int(plan.counts[index]), ends[index])
            chosen: list[NDArray[Any]] = [inputs[number][sample] for number, sample in images[mine]]
            _paste(chosen, plan.regions[mine], made[index])

        args.context.map(paste, len(ends))
        return (Batch.of(made, "HWC", inputs[0].sources, indices=inputs[0].indices),)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        plan = _planned(args, inputs)
        made = stream.empty(plan.shapes, plan.dtype, "HWC", inputs[0].sources)
        paste_regions_on_gpu(inputs, plan.counts, plan.numbers, plan.samples, plan.regions, made, stream)
        return (made,)


class _Plan(NamedTuple):
    """What is pasted: M regions, those of the first canvas first.

    Attributes
    ----------
    counts : ndarray
        (N,): regions of each canvas.
    numbers, samples : ndarray
        (M,): of which input an image is, and which sample of it.
    regions : ndarray
        (M, 3, 2): corner in the image, extents and corner on the canvas.
    shapes : ndarray
        (N, 3) of the canvases.
    dtype : dtype
        Of the canvases.
    """

    counts: Table
    numbers: Table
    samples: Table
    regions: Table
    shapes: Table
    dtype: np.dtype[Any]


def _planned(args: Args, inputs: Sequence[Batch]) -> _Plan:
    counts, numbers, samples = _images(args, inputs)
    canvases, channels = _canvases(args, inputs), inputs[0].shapes[:, 2:]
    shapes = np.empty((len(numbers), 3), np.int64)
    for number, batch in enumerate(inputs):
        shapes[numbers == number] = batch.shapes[samples[numbers == number]]
    onto = np.repeat(np.arange(len(counts)), counts)
    regions = _regions(args, counts, shapes[:, :2], canvases[onto], onto)
    wrong = np.flatnonzero(shapes[:, 2] != channels[onto, 0])
    if len(wrong):
        index = int(onto[wrong[0]])
        raise ArgumentError(
            f"images of {channels[index, 0]} and of {shapes[wrong[0], 2]} channels meet.",
            hint="Bring images of one number of channels.", sample=index, code="DS203",
        )  # fmt: skip
    dtype = to_numpy(args["dtype"]) if args["dtype"] else inputs[0].dtype
    return _Plan(counts, numbers, samples, regions, np.concatenate([canvases, channels], axis=1), dtype)


def _images(args: Args, inputs: Sequence[Batch]) -> tuple[Table, Table, Table]:
    """How many images are pasted into each sample; of which input each is, and which sample of it."""
    size, count = len(inputs[0]), len(inputs)
    if not args.given("in_ids"):
        return np.full(size, count), np.tile(np.arange(count), size), np.repeat(np.arange(size), count)
    (batch,) = inputs
    check_whole(args, batch)
    fed = args.samples("in_ids")
    rows = [np.ravel(one) for one in fed] if fed is not None else [np.array(args["in_ids"], np.int64)] * size
    counts = np.array([len(row) for row in rows], np.int64)
    chosen = np.concatenate([np.empty(0, np.int64), *rows]).astype(np.int64)
    wrong = np.flatnonzero((chosen < 0) | (chosen >= len(batch)))
    if len(wrong):
        raise ArgumentError(
            f"there is no sample {chosen[wrong[0]]}; the batch has {len(batch)}.", hint=f"Give 0 to {len(batch) - 1}.",
            argument="in_ids", sample=int(np.repeat(np.arange(size), counts)[wrong[0]]),
        )  # fmt: skip
    return counts, np.zeros_like(chosen), chosen


def _canvases(args: Args, inputs: Sequence[Batch]) -> NDArray[np.int64]:
    """(N, 2) heights and widths."""
    if args.given("output_size"):
        made = args.vectors("output_size", 2, np.int64)
        if (made < 0).any():
            index = int(np.argmax((made < 0).any(axis=1)))
            raise ArgumentError(
                f"the canvas is {made[index, 0]}x{made[index, 1]}.", hint="Give 0 or more.", argument="output_size",
                sample=index,
            )  # fmt: skip
        return made
    sizes = np.concatenate([batch.shapes[:, :2] for batch in inputs])
    different = (sizes != sizes[:1]).any(axis=1)
    if different.any():
        index = int(np.argmax(different))
        (h, w), (other_h, other_w) = sizes[0].tolist(), sizes[index].tolist()
        raise ArgumentError(
            f"the images differ in size: {h}x{w} and {other_h}x{other_w}.", hint="Give the canvas by output_size.",
            argument="output_size", sample=index % len(inputs[0]),
        )  # fmt: skip
    return inputs[0].shapes[:, :2]


def _table(args: Args, name: str, counts: Table, scales: Table, *, up: bool) -> Table | None:
    """(M, 2) numbers of pixels, fed as they are or in sizes of `scales`; `counts` of each sample."""
    for one in (name, f"{name}_rel"):
        fed = args.samples(one)
        if fed is None:
            continue
        for index, (given, count) in enumerate(zip(fed, counts.tolist(), strict=True)):
            if given.shape != (count, 2):
                raise ArgumentError(
                    f"the wired value has shape {given.shape}; {one} takes {(count, 2)} for {count} regions.",
                    hint="Feed a row (y, x) for each region.", argument=one, sample=index,
                )  # fmt: skip
        given = np.concatenate(list(fed)) if len(fed) else np.empty((0, 2), np.int64)
        if one == name:
            return given.astype(np.int64)
        return (np.ceil if up else np.floor)(given * scales.astype(np.float32)).astype(np.int64)
    return None


def _regions(args: Args, counts: Table, sizes: Table, canvases: Table, onto: Table) -> Table:
    """(M, 3, 2): corner in the image, extents and corner on the canvas, of regions of images of these sizes.

    `canvases` are heights and widths of the canvases that they go `onto`.
    """
    begin = _table(args, "in_anchors", counts, sizes, up=False)
    begin = np.zeros_like(sizes) if begin is None else begin
    extent = _table(args, "shapes", counts, sizes, up=True)
    extent = sizes - begin if extent is None else extent
    place = _table(args, "out_anchors", counts, canvases, up=False)
    placed = place is not None
    place = np.zeros_like(sizes) if place is None else place
    corner = np.any((begin < 0) | (extent < 0), axis=1)
    leaves = corner | np.any(begin + extent > sizes, axis=1)
    wrong = np.flatnonzero(leaves | np.any((place < 0) | (place + extent > canvases), axis=1))
    if len(wrong):
        one = int(wrong[0])
        index = int(onto[one])
        region = one - int(counts[:index].sum())
        names = [name for name in ("shapes", "shapes_rel") if args.wired(name)]
        if leaves[one]:
            names += [name for name in ("in_anchors", "in_anchors_rel") if args.wired(name)]
            name = names[-1 if corner[one] else 0]
            raise _outside(region, begin[one], extent[one], sizes[one], "image", name, index)
        names = [name for name in ("out_anchors", "out_anchors_rel") if placed and args.wired(name)]
        raise _outside(region, place[one], extent[one], canvases[one], "canvas", (*names, "output_size")[0], index)
    return np.stack([begin, extent, place], axis=1)


def _outside(
    region: int, first: NDArray[np.int64], length: NDArray[np.int64], size: NDArray[np.int64], what: str, name: str,
    sample: int,
) -> ArgumentError:  # fmt: skip
    return ArgumentError(
        f"region {region} of {length[0]}x{length[1]} at ({first[0]}, {first[1]}) leaves the {what} of "
        f"{size[0]}x{size[1]}.", hint="Make it smaller, or move it.", argument=name, sample=sample,
    )  # fmt: skip


def _paste(chosen: Sequence[NDArray[Any]], regions: NDArray[np.int64], out: NDArray[Any]) -> None:
    begins, ends = regions[:, 2], regions[:, 2] + regions[:, 1]
    # what a later region covers wholly is not to be seen
    covered = (begins[None] <= begins[:, None]).all(axis=2) & (ends[None] >= ends[:, None]).all(axis=2)
    seen = np.flatnonzero(~np.triu(covered, 1).any(axis=1)).tolist()
    if not any((begins[index] == 0).all() and tuple(ends[index]) == out.shape[:2] for index in seen[:1]):
        out[...] = 0
    for index in seen:
        (y, x), (height, width), (top, left) = regions[index].tolist()
        part, target = chosen[index][y : y + height, x : x + width], out[top : top + height, left : left + width]
        if part.dtype != out.dtype and target.flags.c_contiguous:
            convert(part, target)
        elif part.dtype != out.dtype:
            converted = np.empty(part.shape, out.dtype)
            convert(part, converted)
            target[...] = converted
        else:
            target[...] = part
