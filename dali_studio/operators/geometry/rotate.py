"""``fn.rotate``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType, DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.warp import rotate_matrix, rotated_size, warp_affine
from dali_studio.kernels.cuda import warp
from dali_studio.kernels.cuda.batch import DeviceBatch
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_input, extents, image_meta, round_half_away, with_extents
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import BatchView, Input, Operator, Output, Work, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Deprecated, Doc, Length, Refused, Ui, Unit
from dali_studio.schema.traits import Affine, PerSample, SourcePart

_TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT)


class Rotate(Operator):
    """Rotates images about their centre.

    The canvas grows to hold the whole result, unless `keep_size` or `size` is set. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """

    category = "geometry"
    icon = "rotate"
    keywords = "turn angle spin randomrotation"
    inputs = (Input("image", "image", layouts="HWC"),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, SourcePart, Affine)
    devices = ("cpu", "gpu")
    examples = (
        example(angle=10.0),
        example(angle=90.0),
        example(angle=-30.0, keep_size=True, fill_value=128.0),
        example(angle=75.0, size=(30.0, 50.0), interp_type="INTERP_NN"),
        example(angle=200.0, fill_value=0.0, dtype="FLOAT"),
    )

    angle: Annotated[float, Doc("Counter-clockwise."), Unit("deg"), Ui("dial", (-180, 180)), PER_SAMPLE, COMMON]
    fill_value: Annotated[
        float | None, Doc("Value outside the image; unset repeats the edge."), Ui("slider", (0, 255)), COMMON
    ] = None
    keep_size: Annotated[bool, Doc("Cut to the input's size."), COMMON] = False
    interp_type: Annotated[
        DALIInterpType, Doc("Filter."), Choices(("INTERP_LINEAR", "INTERP_NN")), COMMON
    ] = DALIInterpType.INTERP_LINEAR
    size: Annotated[
        list[float] | None, Doc("Height and width of the canvas, in pixels."), Length((2,)), Unit("px"), PER_SAMPLE
    ] = None
    axis: Annotated[
        list[float] | None,
        Doc("Axis of a rotation in space."),
        Refused("volumes (DHWC) are not supported yet"),
        PER_SAMPLE,
    ] = None
    dtype: Annotated[DALIDataType | None, Doc("Element type of the output: the input's (default) or FLOAT.")] = None
    output_dtype: Annotated[DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0])
        accept_input(meta, _TYPES)
        dtype = args["dtype"]
        if dtype is not None and meta.dtype is not None and dtype not in (meta.dtype, T.FLOAT):
            raise ArgumentError(
                f"{dtype.name} is not available as output for {meta.dtype.name} input; the input's type and FLOAT are.",
                hint="Choose one of these, and cast afterwards if needed.", argument="dtype",
            )  # fmt: skip
        return meta.with_(dtype=dtype or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: BatchView) -> Work:
        shapes = inputs[0].shapes
        sizes = extents(shapes, "HWC")
        angles = args.scalars("angle")
        finite = np.isfinite(angles)
        if not finite.all():
            index = int(np.argmin(finite))
            raise ArgumentError(
                f"the angle is {angles[index]}.", hint="Give finite angles.", argument="angle", sample=index
            )
        if args.given("size"):
            wanted = args.vectors("size", 2)  # nvidia.dali rounds a constant size and truncates one that is fed
            canvas = np.maximum(wanted.astype(np.int64) if args.wired("size") else round_half_away(wanted), 1)
        elif args["keep_size"]:
            canvas = sizes
        else:
            canvas = rotated_size(angles, sizes[:, 0], sizes[:, 1])
        matrices = rotate_matrix(angles, sizes[:, 0], sizes[:, 1], canvas[:, 0], canvas[:, 1])
        params = {"matrices": matrices, "fill": _fill(args, inputs[0]), "interp": args["interp_type"].value}
        return Work(with_extents(shapes, "HWC", canvas), params)

    @staticmethod
    def cpu(work: Work, index: int, *arrays: NDArray[Any], **options: Any) -> None:
        image, out = arrays
        warp_affine(image, out, work.params["matrices"][index], work.params["interp"], work.params["fill"])

    @staticmethod
    def gpu(work: Work, inputs: Sequence[DeviceBatch], output: DeviceBatch, stream: GpuStream) -> None:
        params = work.params
        warp.warp_affine(inputs[0], output, params["matrices"], params["interp"], params["fill"], stream)

    @staticmethod
    def part(work: Work, image: BatchView, dtype: np.dtype[Any]) -> Part:
        params = work.params
        return warp.warp_part(params["matrices"], params["interp"], params["fill"])

    @staticmethod
    def affine(work: Work, image: BatchView) -> warp.Affine | None:
        params = work.params
        return warp.Affine(params["matrices"], params["interp"], params["fill"])


def _fill(args: Args, images: BatchView) -> float | None:
    """The colour outside as the images' own type holds it, whatever the type of the output."""
    if args["fill_value"] is None:
        return None
    held = np.empty(1, to_numpy(images.meta.dtype or T.UINT8))
    convert(np.array([args["fill_value"]], np.float32), held)
    return float(held[0])
