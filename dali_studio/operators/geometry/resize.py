"""``fn.resize``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType, DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.resample import resize
from dali_studio.kernels.cuda import resample, warp
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import PLANAR_LAYOUTS, T, check_dtype, extents, image_meta, with_extents
from dali_studio.operators.geometry.movements import RESIZE
from dali_studio.operators.geometry.sizes import SizeArguments, check_size_arguments, output_sizes
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, Deprecated, Doc, Ignored, Refused
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Affine, PerFrame, PerSample, SourcePart, WindowSource

_INPUTS = (T.UINT8, T.INT16, T.UINT16, T.FLOAT)


class Resize(SizeArguments, Operator):
    """Resamples images to another size.

    Rows and columns are filtered one after the other. Pixel i has its centre at i + 0.5; beyond the edge the nearest
    pixel counts. When an axis shrinks, `antialias` widens the filter by the scale.
    """

    category = "geometry"
    icon = "resize"
    keywords = "scale rescale interpolation zoom thumbnail"
    inputs = (Input("image", "image", layouts=PLANAR_LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, WindowSource, SourcePart, Affine)
    devices = ("cpu", "gpu")
    movement = RESIZE
    kernels = (compiled("resize", _INPUTS, _INPUTS),)
    examples = (
        example(size=(24.0, 31.0)),
        example(resize_shorter=20.0),
        example(resize_x=120.0, interp_type="INTERP_NN"),
        example(size=(30.5, 20.25), antialias=False),
        example(resize_longer=33.0, dtype="FLOAT"),
        example(size=(24.0, 30.0), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True),
        example(size=(50.0, 90.0), mode="not_larger", max_size=(40.0,)),
    )
    tolerance = (
        Tolerance(reason="pixels are taken as they are", when={"interp_type": "INTERP_NN"}),
        Tolerance(
            1, 0.001, relative=1e-6, on="gpu",
            reason="the same weights to the last bit, and sums in the same order, but for contracted products",
        ),
        Tolerance(
            1, 0.014, relative=2e-6,
            reason="ties are rounded half to even here and, in vector tails of nvidia.dali, half up",
        ),
    )  # fmt: skip

    interp_type: Annotated[DALIInterpType, Doc("Filter for both directions."), COMMON] = DALIInterpType.INTERP_LINEAR
    min_filter: Annotated[DALIInterpType, Doc("Filter where an axis shrinks.")] = DALIInterpType.INTERP_LINEAR
    mag_filter: Annotated[DALIInterpType, Doc("Filter where an axis grows.")] = DALIInterpType.INTERP_LINEAR
    antialias: Annotated[bool, Doc("Widen the filter where an axis shrinks."), COMMON] = True
    dtype: Annotated[DALIDataType | None, Doc("FLOAT, or the input's type (default).")] = None
    save_attrs: Annotated[
        bool, Doc("A second output with the input's size."), Refused("a second output is not supported yet")
    ] = False
    minibatch_size: Annotated[int, Ignored("samples are processed one by one")] = 32
    temp_buffer_hint: Annotated[int, Ignored("scratch memory grows by itself")] = 0
    image_type: Annotated[int | None, Deprecated(""), Refused("removed from DALI; it had no effect")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], PLANAR_LAYOUTS)
        check_dtype(meta, _INPUTS)
        check_size_arguments(args)
        dtype = args["dtype"]
        if dtype not in (None, T.FLOAT) and meta.dtype not in (None, dtype):
            raise ArgumentError(
                f"{dtype.name} is not available as output for {meta.dtype.name} input; the input's type and FLOAT are.",
                hint="Choose one of these, and cast afterwards if needed.", argument="dtype",
            )  # fmt: skip
        return meta.with_(dtype=dtype or meta.dtype)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        layout = image_meta(inputs[0].meta, PLANAR_LAYOUTS).layout or ""
        shapes = inputs[0].shapes
        sizes, rois = output_sizes(args, extents(shapes, layout))
        shrinking, growing = (
            args[name if args.given(name) else "interp_type"] for name in ("min_filter", "mag_filter")
        )
        params = {
            "sizes": sizes, "rois": rois, "layout": layout, "min": shrinking.value, "mag": growing.value,
            "antialias": args["antialias"],
        }  # fmt: skip
        return Work(with_extents(shapes, layout, sizes), params)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out = inputs[0], outputs[0]
        params = work.params
        window: tuple[int, ...] = options.get("window", (0, 0))
        resize(
            image, out, params["min"], params["mag"], params["antialias"], tuple(params["rois"][index].tolist()),
            window=(window[0], window[1]), full_size=tuple(params["sizes"][index].tolist()), layout=params["layout"],
        )  # fmt: skip

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        resample.resize(inputs[0], outputs[0], _geometry(work, inputs[0].shapes), stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part:
        return resample.resize_part(_geometry(work, image.shapes))

    @staticmethod
    def affine(work: Work, image: Batch) -> warp.Affine | None:
        params = work.params
        low, high = params["rois"][:, :2], params["rois"][:, 2:]
        scale = (high - low) / params["sizes"]
        shrinks = np.abs(scale) > 1
        kinds = {params["min"] if axis else params["mag"] for axis in np.unique(shrinks)}
        plain = kinds <= {DALIInterpType.INTERP_LINEAR.value} or kinds <= {DALIInterpType.INTERP_NN.value}
        if params["layout"] != "HWC" or not plain or (params["antialias"] and shrinks.any()):
            return None
        return warp.Affine(warp.scaling(low, scale), kinds.pop())


def _geometry(work: Work, shapes: NDArray[np.int64]) -> resample.Geometry:
    params = work.params
    if "geometry" not in params:  # the work is kept as long as shapes stay the same
        params["geometry"] = resample.geometry(
            shapes, work.shapes, params["min"], params["mag"], params["antialias"], params["rois"], params["layout"]
        )
    return params["geometry"]
