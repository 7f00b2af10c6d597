"""What operators that resize have in common: filters, element types, and the calls of the kernels."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType, DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.resample import resize, resize_axes
from dali_studio.kernels.cuda import resample, resample_axes, warp
from dali_studio.kernels.cuda.ingest import write_rows
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import PICTURES, T, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Operator, compiled
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Ignored
from dali_studio.schema.tolerance import Tolerance

TYPES = (T.UINT8, T.INT16, T.UINT16, T.FLOAT)
_LINEAR = DALIInterpType.INTERP_LINEAR
#: What axes without names are taken as.
UNNAMED = "HWC FHWC FDHWC"


class FilterArguments:
    """How pixels are weighed, and the element type of the result."""

    interp_type: Annotated[DALIInterpType, Doc("Filter for all directions."), PER_SAMPLE, COMMON] = _LINEAR
    min_filter: Annotated[DALIInterpType, Doc("Filter where an axis shrinks."), PER_SAMPLE] = _LINEAR
    mag_filter: Annotated[DALIInterpType, Doc("Filter where an axis grows."), PER_SAMPLE] = _LINEAR
    antialias: Annotated[bool, Doc("Widen the filter where an axis shrinks."), COMMON] = True
    dtype: Annotated[DALIDataType | None, Doc("FLOAT, or the input's type (default).")] = None
    minibatch_size: Annotated[int, Ignored("samples are processed one by one")] = 32
    temp_buffer_hint: Annotated[int, Ignored("scratch memory grows by itself")] = 0


class Resampling(FilterArguments, Operator, abstract=True):
    """Base of operators whose result is a region of the input in another size; subclasses plan both."""

    icon = "resize"
    kernels = (compiled("resize", TYPES, TYPES), compiled("resize_volume", TYPES, TYPES))
    tolerance = (
        Tolerance(
            math.inf, 0.01, when={"interp_type": "INTERP_NN"}, on="gpu",
            reason="where a position in a window falls on a border of pixels, its last bits decide which one is shown",
        ),
        Tolerance(reason="pixels are taken as they are", when={"interp_type": "INTERP_NN"}, on="cpu"),
        Tolerance(
            1, 0.014, relative=1e-6, on="gpu",
            reason="the same weights to the last bit, and sums in the same order, but for contracted products; "
            "halves become even, of which the CPU rounds some up as nvidia.dali's does",
        ),
        Tolerance(
            1, 0.01, relative=2e-6,
            reason="last bits of sums near ties, whose products are contracted here; "
            "ties of volumes and of 16 bits become even",
        ),
    )  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        image, out, params = inputs[0], outputs[0], work.params
        kinds: tuple[int, int] = tuple(params["kinds"][index].tolist())
        if params["layout"] in PICTURES:
            window: tuple[int, ...] = options.get("window", (0, 0))
            resize(
                image, out, *kinds, params["antialias"], tuple(params["rois"][index].tolist()),
                window=(window[0], window[1]), full_size=tuple(params["sizes"][index].tolist()),
                layout=params["layout"],
            )  # fmt: skip
        else:
            roi = params["rois"][index].tolist()
            resize_axes(image, out, params["first"], kinds, roi, antialias=params["antialias"])
        for attributes in outputs[1:]:
            attributes[...] = params["in_sizes"][index]

    @classmethod
    def gpu(cls, work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        (image,), (out, *saved), params = inputs, outputs, work.params
        if params["layout"] in PICTURES:
            resample.resize(image, out, geometry(work, image.shapes), stream)
        else:
            span = params["first"], params["first"] + params["rois"].shape[1] // 2
            prepared = volumes(work, image, lambda: ([span] * len(image), params["rois"]))
            resample_axes.resize_axes_on_gpu(image, out, prepared, stream)
        for attributes in saved:
            write_rows(params["in_sizes"].astype(np.int32), attributes, stream)

    @classmethod
    def part(cls, work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        return resample.resize_part(geometry(work, image.shapes)) if work.params["layout"] in PICTURES else None

    @classmethod
    def affine(cls, work: Work, image: Batch) -> warp.Affine | None:
        params = work.params
        low, high = params["rois"][:, :2], params["rois"][:, 2:]
        scale = (high - low) / params["sizes"]
        shrinks = np.abs(scale) > 1
        kinds: NDArray[np.int32] = params["kinds"]
        used: set[int] = set(np.where(shrinks, kinds[:, :1], kinds[:, 1:]).ravel().tolist())
        plain = used <= {_LINEAR.value} or used <= {DALIInterpType.INTERP_NN.value}
        if params["layout"] != "HWC" or not plain or (params["antialias"] and shrinks.any()):
            return None
        return warp.Affine(warp.scaling(low, scale), used.pop())


def geometry(work: Work, shapes: NDArray[np.int64]) -> resample.Geometry:
    """What the GPU's kernels read, which stays with the work: that is kept as long as shapes stay the same."""
    params = work.params
    if "geometry" not in params:
        params["geometry"] = resample.geometry(
            shapes, work.shapes, params["kinds"], params["antialias"], params["rois"], params["layout"]
        )
    return params["geometry"]


def volumes(
    work: Work, data: Batch, changed: Callable[[], tuple[Sequence[tuple[int, int]], Sequence[NDArray[np.float64]]]]
) -> resample_axes.Volumes:  # fmt: skip
    """The same of arrays of which other axes are resized; `changed` gives the spans and regions of these, once."""
    params = work.params
    if "volumes" not in params:
        params["volumes"] = resample_axes.volumes(
            data.shapes, work.shapes, *changed(), params["kinds"], antialias=params["antialias"]
        )
    return params["volumes"]


def output_meta(args: Args, meta: TensorMeta) -> TensorMeta:
    """The type of the result; refuses element types."""
    check_dtype(meta, TYPES)
    dtype = args["dtype"]
    if dtype not in (None, T.FLOAT) and meta.dtype not in (None, dtype):
        raise ArgumentError(
            f"{dtype.name} is not available as output for {meta.dtype.name} input; the input's type and FLOAT are.",
            hint="Choose one of these, and cast afterwards if needed.", argument="dtype",
        )  # fmt: skip
    return meta.with_(dtype=dtype or meta.dtype)


def filter_params(args: Args) -> dict[str, Any]:
    """Parameters of a `Work`: for each sample the filters of axes that shrink, and of others."""

    def kinds() -> NDArray[np.int32]:
        names = [name if args.given(name) else "interp_type" for name in ("min_filter", "mag_filter")]
        return np.stack([_filters(args, name) for name in names], axis=1)

    return {"kinds": args.constant_for("filters", kinds), "antialias": args["antialias"]}


def _filters(args: Args, name: str) -> NDArray[np.int32]:
    """(N,) numbers of filters."""
    if not args.wired(name):
        return np.full(args.count, args[name].value, np.int32)
    found = args.scalars(name, np.int64)
    wrong = found >= len(DALIInterpType)
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"{found[sample]} is the number of no filter.", hint=f"Feed members of {DALIInterpType.__name__}.",
            argument=name, sample=sample,
        )  # fmt: skip
    return found.astype(np.int32)
