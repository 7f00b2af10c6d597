"""``fn.experimental.remap``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.sample import MAX_CHANNELS, mapped
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.sample import remap_part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype, image_meta
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example, named
from dali_studio.schema.marks import COMMON, Choices, Doc
from dali_studio.schema.samples import Case, Data, images, on_gpu_alone, tensors
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = (T.UINT8, T.UINT16, T.INT16, T.FLOAT)
_FILL = np.zeros(MAX_CHANNELS, np.float32)


class Remap(Operator):
    """Fetches each pixel from the point of the image that two maps give; outside the image lies 0.

    The pixel at (x, y) of the result comes from ``(mapx[y, x], mapy[y, x])``.
    """

    path = "experimental.remap"
    category = "geometry"
    icon = "affine"
    keywords = "map lens distortion undistort displacement field warp"
    inputs = (
        Input("image", "image", layouts="HWC", dtypes=_TYPES),
        Input("mapx", dtypes=(T.FLOAT,), doc="x of the points, as large as the image: (H, W) or (H, W, 1)."),
        Input("mapy", dtypes=(T.FLOAT,), doc="y of the points."),
    )
    outputs = (Output("image", "image"),)
    dialects = (named("nvidia.dali", gpu_only=True),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (compiled("sample_mapped", _TYPES),)
    examples = (
        example(),
        example(interp="INTERP_NN"),
        example(pixel_origin="center"),
        example(interp="INTERP_CUBIC"),
    )
    tolerance = (
        Tolerance(1, 0.001, relative=2e-6, reason="sums are rounded in another order"),
    )

    interp: Annotated[
        DALIInterpType, Doc("Filter."), Choices(("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC")), COMMON
    ] = DALIInterpType.INTERP_LINEAR
    pixel_origin: Annotated[
        str, Doc("Where (0, 0) is: at the corner of the first pixel, or at its center, as in OpenCV."),
        Choices(("corner", "center")), COMMON,
    ] = "corner"  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 91))
        maps = _maps(sizes), _maps(sizes, flipped=True)
        cases = [
            *(Case((images(sizes, dtype, channels=channels), *maps), one.arguments)
              for one in cls.examples for dtype in _TYPES for channels in (1, 3)),
            Case((images(((1, 1), (1, 7))), _maps(((1, 1), (1, 7))), _maps(((1, 1), (1, 7)), flipped=True)), {}),
            Case((images(sizes), *maps), {"interp": "INTERP_LANCZOS3"}, refused="interp"),
            Case((images(sizes, T.INT32), *maps), {}, refused=""),
            Case((images(sizes, channels=5), *maps), {}, refused=""),
            Case((images(sizes), maps[0], tensors(sizes, T.INT16)), {}, refused="mapy"),
            Case((images(sizes), tensors(((3, 4), (5, 6))), maps[1]), {}, refused="mapx"),
        ]  # fmt: skip
        return on_gpu_alone(cases)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0])
        check_dtype(meta, _TYPES)
        for name, given in zip(("mapx", "mapy"), inputs[1:], strict=True):
            if given.dtype not in (None, T.FLOAT) or given.ndim not in (None, 2, 3):
                raise ArgumentError(
                    f"{name} is {given.dtype.name if given.dtype else 'data'} of {given.ndim} axes; (H, W) arrays of "
                    "FLOAT are accepted.", hint="Insert a cast to FLOAT.", argument=name, code="DS203",
                )  # fmt: skip
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        image = inputs[0]
        for name, given in zip(("mapx", "mapy"), inputs[1:], strict=True):
            sizes = given.shapes
            wrong = (sizes[:, :2] != image.shapes[:, :2]).any(axis=1) | (sizes[:, 2:] != 1).any(axis=1)
            if wrong.any():
                index = int(np.argmax(wrong))
                raise ArgumentError(
                    f"{name} has the shape {tuple(sizes[index].tolist())}, the image "
                    f"{tuple(image.shapes[index].tolist())}.", hint="Give maps as large as the image.", argument=name,
                    sample=index, code="DS203",
                )  # fmt: skip
        many = image.shapes[:, 2] > MAX_CHANNELS
        if many.any():
            index = int(np.argmax(many))
            raise ArgumentError(
                f"the image has {image.shapes[index, 2]} channels.", hint=f"Give at most {MAX_CHANNELS}.", sample=index,
                code="DS203",
            )  # fmt: skip
        shift = 0.5 if args["pixel_origin"] == "corner" else 0.0
        return Work(image.shapes, {"shift": shift, "interp": args["interp"].value})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, *maps = inputs
        across, down = (one.reshape(one.shape[:2]) for one in maps)
        mapped(image, outputs[0], across, down, work.params["interp"], work.params["shift"], Border.CONSTANT, _FILL)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        image, across, down = inputs
        part = remap_part(across, down, work.params["shift"], work.params["interp"])
        chains.run(image, outputs[0], [part], (), stream)

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        image, across, down = inputs
        shift = np.float32(0.5 if arguments["pixel_origin"] == "corner" else 0)
        x, y = across - shift, down - shift
        height, width = image.shape[:2]

        def tap(column: NDArray[Any], row: NDArray[Any]) -> NDArray[Any]:
            inside = (column >= 0) & (row >= 0) & (column < width) & (row < height)
            found = image[np.clip(row, 0, height - 1).astype(int), np.clip(column, 0, width - 1).astype(int)]
            return np.where(inside[..., None], found, 0).astype(np.float64)

        if arguments["interp"] == "INTERP_NN":
            return tap(np.rint(x), np.rint(y)).astype(image.dtype)
        left, top = np.floor(x), np.floor(y)
        reach, weigh = (1, _tent) if arguments["interp"] == "INTERP_LINEAR" else (2, _keys)
        made: NDArray[Any] = np.zeros(image.shape)
        for j in range(1 - reach, reach + 1):
            for i in range(1 - reach, reach + 1):
                weights = weigh(x - left - i) * weigh(y - top - j)
                made += weights[..., None] * tap(left + i, top + j)
        if image.dtype.kind == "f":
            return made.astype(image.dtype)
        limits = np.iinfo(image.dtype)
        return np.rint(made).clip(limits.min, limits.max).astype(image.dtype)


def _tent(distance: NDArray[Any]) -> NDArray[Any]:
    return 1 - np.abs(distance.astype(np.float64))


def _keys(distance: NDArray[Any]) -> NDArray[Any]:
    """Keys' kernel with a = -0.75."""
    d = np.abs(distance.astype(np.float64))
    near, far = (1.25 * d - 2.25) * d * d + 1, ((-0.75 * d + 3.75) * d - 6) * d + 3
    return np.where(d <= 1, near, far)


def _maps(sizes: Sequence[tuple[int, int]], *, flipped: bool = False) -> Data:
    """Points in and about images of these sizes: rows of x, or columns of y."""

    def make() -> list[NDArray[np.float32]]:
        made: list[NDArray[np.float32]] = []
        for seed, size in enumerate(sizes):
            extent = size[0] if flipped else size[1]
            drawn = np.random.default_rng([seed, flipped]).uniform(-2, extent + 2, size)
            made.append(drawn.astype(np.float32))
        return made

    return Data(make, T.FLOAT, "", f"map of {'y' if flipped else 'x'} " + ",".join(f"{h}x{w}" for h, w in sizes))
