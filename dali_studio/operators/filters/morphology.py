"""``fn.experimental.dilate`` and ``fn.experimental.erode``."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.rank import extremes
from dali_studio.kernels.cuda import rank
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype
from dali_studio.operators.filters.common import LAYOUTS, pixel_layout, rows_of
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example, named
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Range, Unit
from dali_studio.schema.samples import Case, images, on_gpu_alone, values
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = (T.UINT8, T.UINT16, T.FLOAT)
#: What numpy calls them, and the kernels.
_BORDERS = {
    "constant": ("constant", Border.CONSTANT), "replicate": ("edge", Border.CLAMP),
    "reflect": ("symmetric", Border.REFLECT_1001), "reflect_101": ("reflect", Border.REFLECT_101),
    "wrap": ("wrap", Border.WRAP),
}  # fmt: skip
#: Pixels of a mask, at most.
_MAX_PIXELS = 16383


class Morphology(Operator, abstract=True):
    """Base of both: the largest or smallest value under a rectangle."""

    category = "filters"
    icon = "grid"
    inputs = (Input("image", "image", layouts=LAYOUTS, dtypes=_TYPES),)
    outputs = (Output("image", "image"),)
    dialects = (named("nvidia.dali", gpu_only=True),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (compiled("box_extremes", _TYPES),)
    shown = example(mask_size=(7, 7))
    examples = (example(), example(mask_size=(5, 2), anchor=(0, 1), border_mode="reflect"), example(iterations=3))
    largest: ClassVar[bool]

    mask_size: Annotated[
        list[int], Doc("Width and height of the rectangle."), Unit("px"), Range(1, _MAX_PIXELS), PER_SAMPLE, COMMON
    ] = [3, 3]  # noqa: RUF012
    anchor: Annotated[
        list[int], Doc("Column and row of the rectangle that lie on the pixel; -1: the middle."), Unit("px"), Range(-1),
        PER_SAMPLE,
    ] = [-1, -1]  # noqa: RUF012
    iterations: Annotated[int, Doc("How often it is done: the rectangle grows by mask_size - 1 each time."),
                          Range(1, _MAX_PIXELS), COMMON] = 1  # fmt: skip
    border_mode: Annotated[
        str, Doc("What lies beyond the edges: nothing that counts (constant), the edge pixels (replicate), the image "
                 "mirrored with its edge pixels twice (reflect) or once (reflect_101), or the image again (wrap)."),
        Choices(tuple(_BORDERS)),
    ] = "constant"  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        cases = [
            *super().samples(),
            *(Case((images(((1, 1), (1, 7), (6, 1), (3, 5))),), {"mask_size": (5, 4), "border_mode": mode})
              for mode in _BORDERS),
            *(Case((images(sizes, T.FLOAT, layout),), {"mask_size": 4, "border_mode": "wrap"})
              for layout in ("HW", "FCHW")),
            *(Case((images(((9, 3), (6, 1)), T.FLOAT),), {"iterations": 270, "mask_size": (2, 5), "border_mode": mode})
              for mode in _BORDERS),
            Case((images(sizes),), {"mask_size": values([3, 5], [1, 1], dtype=T.INT32),
                                    "anchor": values([2, 0], [-1, 0], dtype=T.INT32)}),
            Case((images(sizes, dtype=T.INT32),), {}, refused=""),
            Case((images(sizes),), {"mask_size": 3, "anchor": 3}, refused="anchor"),
            Case((images(sizes),), {"iterations": 10000, "mask_size": 5}, refused="iterations"),
            Case((images(sizes, layout="DHWC"),), {}, refused=""),
        ]  # fmt: skip
        return on_gpu_alone(cases)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = pixel_layout(inputs[0])
        check_dtype(meta, _TYPES)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        image = inputs[0]
        sizes, anchors = args.vectors("mask_size", 2, np.int64), args.vectors("anchor", 2, np.int64)
        beyond = anchors >= sizes
        if beyond.any():
            index = int(np.argwhere(beyond)[0][0])
            raise ArgumentError(
                f"the anchor {tuple(anchors[index].tolist())} does not lie in a mask of "
                f"{' x '.join(map(str, sizes[index].tolist()))} pixels.",
                hint="Count from 0, or give -1 for the middle.", argument="anchor",
                sample=index if args.wired("anchor") or args.wired("mask_size") else None,
            )  # fmt: skip
        times = args["iterations"]
        grown = sizes + (times - 1) * (sizes - 1)
        if (grown > _MAX_PIXELS).any():
            raise ArgumentError(
                f"after {times} iterations the mask has more than {_MAX_PIXELS} pixels.",
                hint="Give fewer iterations or a smaller mask.", argument="iterations",
            )  # fmt: skip
        anchors = times * np.where(anchors < 0, sizes // 2, anchors)
        first = rows_of(image.meta)
        # beyond twice an image's extent, mirrored or repeated, nothing new comes
        most = 2 * image.shapes[:, first : first + 2]
        before, behind = (np.minimum(pixels[:, ::-1], most) for pixels in (anchors, grown - 1 - anchors))
        return Work(image.shapes, {
            "first": first, "windows": before + behind + 1, "anchors": before,
            "border": _BORDERS[args["border_mode"]][1],
        })  # fmt: skip

    @classmethod
    def cpu(cls, work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params = work.params
        extremes(
            inputs[0], outputs[0], params["first"], params["windows"][index], params["anchors"][index],
            params["border"], largest=cls.largest,
        )  # fmt: skip

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        rank.extremes(
            inputs[0], outputs[0], params["first"], params["windows"], params["anchors"], params["border"], stream,
            largest=cls.largest,
        )  # fmt: skip

    @classmethod
    def reference(cls, arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        (image,) = inputs
        first = image.ndim - 2 if image.ndim == 2 or image.shape[-1] > 5 else image.ndim - 3
        width, height = np.broadcast_to(arguments["mask_size"], 2)
        column, row = np.broadcast_to(arguments["anchor"], 2)
        left, above = (size // 2 if at < 0 else at for at, size in ((column, width), (row, height)))
        times, mode = arguments["iterations"], _BORDERS[arguments["border_mode"]][0]
        pads = [(0, 0)] * image.ndim
        pads[first] = times * above, times * (height - 1 - above)
        pads[first + 1] = times * left, times * (width - 1 - left)
        limits = np.iinfo(image.dtype) if image.dtype.kind == "u" else None
        low, high = (-np.inf, np.inf) if limits is None else (limits.min, limits.max)
        nothing = {"constant_values": low if cls.largest else high} if mode == "constant" else {}
        if mode == "reflect" and 1 in image.shape[first : first + 2]:  # numpy mirrors nothing of one pixel
            mode = "edge" if image.shape[first : first + 2] == (1, 1) else mode
        pad: Any = np.pad
        padded: NDArray[Any] = pad(image, pads, mode, **nothing)
        box = (times * (height - 1) + 1, times * (width - 1) + 1)
        boxes = np.lib.stride_tricks.sliding_window_view(padded, box, axis=(first, first + 1))
        return (np.max if cls.largest else np.min)(boxes, axis=(-2, -1))


class Dilate(Morphology):
    """Replaces each value by the largest one under a rectangle: what is bright grows.

    Each channel is taken by itself.
    """

    path = "experimental.dilate"
    keywords = "dilation morphology maximum grow thicken mask"
    largest = True


class Erode(Morphology):
    """Replaces each value by the smallest one under a rectangle: what is bright shrinks.

    Each channel is taken by itself.
    """

    path = "experimental.erode"
    keywords = "erosion morphology minimum shrink thin mask"
    largest = False
