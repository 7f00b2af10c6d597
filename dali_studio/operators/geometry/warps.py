"""What warps of images share: arguments, types, canvas, colour outside, and the calls of the kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType, DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.warp import warp_affine
from dali_studio.kernels.cpu.warp_volume import warp_volume
from dali_studio.kernels.cuda import warp
from dali_studio.kernels.cuda import warp_volume as volumes
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output, check_dtype, image_meta, round_half_away
from dali_studio.operators.parts import run_alone
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled
from dali_studio.schema.marks import (
    ANY_NUMBER,
    COMMON,
    MAX_PIXELS,
    PER_SAMPLE,
    Choices,
    Deprecated,
    Doc,
    Length,
    Range,
    Refused,
    Ui,
    Unit,
)
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import Affine, PerFrame, PerSample, SourcePart

LAYOUTS = "HWC DHWC"
TYPES = (T.UINT8, T.INT16, T.INT32, T.FLOAT)

NEAREST = Tolerance(
    math.inf, 0.01, when={"interp_type": "INTERP_NN"}, on="gpu",
    reason="positions differ in their last bits, and where one falls on a border of pixels it is another pixel",
)  # fmt: skip
#: Positions are nvidia.dali's to the last bit where the matrix is.
OF_MATRICES = (
    Tolerance(math.inf, 1e-4, when={"interp_type": "INTERP_NN"}, on="cpu", reason="the last bits of some matrices"),
    Tolerance(
        2, 1e-3, relative=2e-4, on="cpu",
        reason="the last bits of some matrices: some sines that its C library rounds otherwise",
    ),
)  # fmt: skip
WIDE_ON_GPU = Tolerance(
    5, 0.1, dtypes=(T.INT16, T.INT32), on="gpu",
    reason="each position is computed by itself and not by steps; numbers of 12 bits show 1e-5 of a pixel",
)  # fmt: skip


class Warp(Operator, abstract=True):
    """Base of operators that fetch each output pixel from a point of the input, which a matrix gives."""

    category = "geometry"
    inputs = (Input("image", "image", layouts=LAYOUTS),)
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, SourcePart, Affine)
    devices = ("cpu", "gpu")
    kernels = (compiled("warp_linear", TYPES, TYPES), compiled("warp_nearest", TYPES, TYPES),
               compiled("warp_volume", TYPES))  # fmt: skip

    fill_value: Annotated[
        float | None, Doc("Value outside the image; unset: edge pixels."), Ui("slider", (0, 255)), COMMON
    ] = None
    interp_type: Annotated[DALIInterpType, Doc("Filter."), Choices(("INTERP_LINEAR", "INTERP_NN")), COMMON] = (
        DALIInterpType.INTERP_LINEAR
    )
    size: Annotated[
        list[float] | None, Doc("Height and width of the canvas, of volumes depth, height and width."), Length((2, 3)),
        Unit("px"), Range(maximum=MAX_PIXELS), PER_SAMPLE, ANY_NUMBER,
    ] = None  # fmt: skip
    dtype: Annotated[
        DALIDataType | None,
        Doc("Element type of the output: the input's (default) or FLOAT; from FLOAT also UINT8, INT16 and INT32."),
    ] = None
    output_dtype: Annotated[DALIDataType | None, Deprecated("dtype"), Refused("renamed to dtype")] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        meta = image_meta(inputs[0], LAYOUTS)
        check_dtype(meta, TYPES)
        dtype = args["dtype"]
        if meta.dtype is not None:
            accept_output(dtype, TYPES if meta.dtype is T.FLOAT else dict.fromkeys((meta.dtype, T.FLOAT)))
        size = args["size"]
        if size is not None and meta.ndim not in (None, len(size) + 1):
            raise ArgumentError(
                f"the size {tuple(size)} has {len(size)} numbers for the layout {meta.layout}.",
                hint="Give height and width, of volumes depth, height and width.", argument="size",
                code="DS203",
            )  # fmt: skip
        if size is not None and not min(size) > 0:
            raise _no_canvas(size, None)
        return meta.with_(dtype=dtype or meta.dtype)

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any] | None:
        compute(inputs[0], outputs[0], work.params["matrices"][index], work)
        return None

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        if is_volume(inputs[0]):
            volumes.warp_volume(inputs[0], outputs[0], params["matrices"], params["interp"], params["fill"], stream)
        else:
            run_alone(Warp, work, inputs[0], outputs[0], stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        params = work.params
        if is_volume(image):
            return None
        return warp.warp_part(params["matrices"], params["interp"], params["fill"])

    @staticmethod
    def affine(work: Work, image: Batch) -> warp.Affine | None:
        params = work.params
        if is_volume(image):
            return None
        return warp.Affine(params["matrices"], params["interp"], params["fill"])


def is_volume(images: Batch) -> bool:
    """Whether the samples have an axis D."""
    return images.shapes.shape[1] == len("DHWC")


def compute(image: NDArray[Any], out: NDArray[Any], matrix: NDArray[np.float32], work: Work) -> None:
    """Warp one image or volume; around one without a pixel lies nothing but the colour outside."""
    if not image.size and (not out.size or work.params["fill"] is not None):
        out[...] = work.params["fill"] or 0
        return
    call = warp_volume if image.ndim == len("DHWC") else warp_affine
    call(image, out, matrix, work.params["interp"], work.params["fill"])


def canvas(args: Args, axes: int) -> NDArray[np.int64] | None:
    """(N, axes) extents that the argument `size` asks for; ``None`` if it is unset.

    Raises
    ------
    ArgumentError
        DS105 for a size without a pixel.
    """
    if not args.given("size"):
        return None
    wanted = args.vectors("size", axes)
    if not args.wired("size"):
        return np.maximum(round_half_away(wanted), 1)
    empty = ~(wanted >= 1).all(axis=1)
    if empty.any():
        index = int(np.argmax(empty))
        raise _no_canvas(wanted[index].tolist(), index)
    return wanted.astype(np.int64)  # nvidia.dali rounds a constant size and truncates one that is fed


def _no_canvas(size: Sequence[float], sample: int | None) -> ArgumentError:
    return ArgumentError(
        f"the size is {' x '.join(f'{extent:g}' for extent in size)} pixels.", hint="Give extents of 1 or more.",
        argument="size", sample=sample,
    )  # fmt: skip


def warp_work(args: Args, images: Batch, sizes: NDArray[np.int64], matrices: NDArray[np.float32] | None) -> Work:
    """The work of a warp onto canvases of `sizes`, as `image_sizes`; matrices that only data gives are ``None``.

    Raises
    ------
    ArgumentError
        DS203 for an image without pixels where its edge is to be repeated.
    """
    params = {"matrices": matrices, "fill": _fill(args, images), "interp": args["interp_type"].value}
    bare = (images.shapes == 0).any(axis=1) & (sizes > 0).all(axis=1)
    if params["fill"] is None and bare.any():
        raise ArgumentError(
            "an image without pixels has no edge to repeat.", hint="Set fill_value, or leave such images out.",
            sample=int(np.argmax(bare)), code="DS203",
        )  # fmt: skip
    return Work(np.concatenate([sizes, images.shapes[:, -1:]], axis=1), params)


def image_sizes(images: Batch) -> NDArray[np.int64]:
    """(N, 2) heights and widths of the images, or (N, 3) depths, heights and widths of volumes."""
    return images.shapes[:, :-1]


def _fill(args: Args, images: Batch) -> float | None:
    """The colour outside as the type of the output holds it; what is interpolated is first of the images' own type."""
    fill, own = args["fill_value"], images.meta.dtype or T.UINT8
    if fill is None:
        return None
    if args["interp_type"] is not DALIInterpType.INTERP_NN:
        fill = _held(fill, to_numpy(own))
    return _held(fill, to_numpy(args["dtype"] or own))


@lru_cache(maxsize=64)
def _held(value: float, dtype: np.dtype[Any]) -> float:
    held = np.empty(1, dtype)
    convert(np.array([value], np.float32), held)
    return float(held[0])
