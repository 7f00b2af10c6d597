"""``fn.experimental.warp_perspective``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.sample import MAX_CHANNELS, homography, is_coarse
from dali_studio.kernels.cuda import chains
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sample import given_homography_part, homography_part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, check_dtype, extents, image_meta, round_half_away, with_extents
from dali_studio.operators.geometry.movements import PERSPECTIVE
from dali_studio.operators.geometry.warp_affine import wrong_matrix
from dali_studio.operators.parts import run_alone, with_channels
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, MAX_PIXELS, PER_SAMPLE, Choices, Doc, Length, Range, Start, Unit
from dali_studio.schema.samples import Case, images, values
from dali_studio.schema.tolerance import Tolerance
from dali_studio.schema.traits import PerFrame, PerSample, SourcePart

LAYOUTS = "HWC HW CHW"
TYPES = (T.UINT8, T.UINT16, T.INT16, T.FLOAT)
BORDERS = {
    "constant": Border.CONSTANT, "replicate": Border.CLAMP, "reflect": Border.REFLECT_1001,
    "reflect_101": Border.REFLECT_101, "wrap": Border.WRAP,
}  # fmt: skip
_HINT = "Give three rows of three numbers."
_VIEW = (0.9, 0.1, 2.0, -0.05, 1.1, -3.0, 0.002, -0.001, 1.0)


class WarpPerspective(Operator):
    """Shows images as if they were seen from another place: straight lines stay straight.

    The matrix takes a point (x, y, 1) of the output to (x, y, w) of the input, whose point is (x / w, y / w); with
    `inverse_map` off it takes input to output.
    """

    path = "experimental.warp_perspective"
    category = "geometry"
    icon = "affine"
    keywords = "perspective homography projective transform matrix warp"
    inputs = (
        Input("image", "image", layouts=LAYOUTS, dtypes=TYPES),
        Input("matrix_input", dtypes=(T.FLOAT,), optional=True, doc="A (3, 3) matrix for each image."),
    )
    outputs = (Output("image", "image"),)
    traits = (PerSample, PerFrame, SourcePart)
    devices = ("cpu", "gpu")
    movement = PERSPECTIVE
    kernels = (compiled("sample_homography", TYPES),)
    shown = example(matrix=(1.2, 0.3, -60.0, 0.1, 1.2, -30.0, 0.0006, 0.0006, 1.0), fill_value=(0.0,))
    examples = (
        example(matrix=_VIEW),
        example(matrix=_VIEW, interp_type="INTERP_NN", pixel_origin="center", border_mode="reflect"),
        example(matrix=_VIEW, inverse_map=False, fill_value=77.0, size=(40.0, 50.4)),
        example(matrix=_VIEW, interp_type="INTERP_CUBIC", border_mode="replicate"),
    )
    tolerance = (
        Tolerance(
            math.inf, 0.004, when={"interp_type": "INTERP_NN"},
            reason="positions differ in their last bits, and where one falls on a border of pixels it is another pixel",
        ),
        Tolerance(
            32, 0.01, relative=2e-3, dtypes=(T.INT16, T.UINT16, T.FLOAT),
            reason="positions differ in their last bits, and where they are rounded to 1/32 of a pixel by so much",
        ),
        Tolerance(1, 0.02, reason="positions differ in the last bits of float32, and rounding at ties"),
    )  # fmt: skip

    matrix: Annotated[
        list[float] | None, Doc("Three rows of three numbers, row by row."), Length((9,)),
        Start((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)), PER_SAMPLE, COMMON,
    ] = None
    size: Annotated[list[float] | None, Doc("Height and width of the canvas; unset: those of the input."), Length((2,)),
                    Unit("px"), Range(maximum=MAX_PIXELS), PER_SAMPLE, COMMON] = None  # fmt: skip
    inverse_map: Annotated[bool, Doc("The matrix takes output points to input points; off: the other way.")] = True
    interp_type: Annotated[
        DALIInterpType, Doc("Filter."), Choices(("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC")), COMMON
    ] = DALIInterpType.INTERP_LINEAR
    border_mode: Annotated[
        str, Doc("What lies outside: fill_value (constant), the edge pixels (replicate), the image mirrored with its "
                 "edge pixels twice (reflect) or once (reflect_101), or the image again (wrap)."),
        Choices(tuple(BORDERS)),
    ] = "constant"  # fmt: skip
    fill_value: Annotated[list[float], Doc("Value outside: one, or one for each channel; none: 0.")] = []  # noqa: RUF012
    pixel_origin: Annotated[
        str, Doc("Where (0, 0) is: at the corner of the first pixel, or at its center, as in OpenCV."),
        Choices(("corner", "center")),
    ] = "corner"  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        sizes = ((20, 17), (9, 31))
        view = {"matrix": (0.9, 0.2, 1.3, -0.1, 1.1, 0.4, 0.004, -0.002, 1.0)}
        each = values(*(np.reshape(view["matrix"], (3, 3)) * scale for scale in (1.0, 0.7)), label="two matrices")
        kinds = ("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC")
        return [
            *(Case(one.inputs, one.arguments, one.refused, peer=one.inputs[0].layout != "FHW", note=one.note)
              for one in super().samples()),
            *(Case((images(sizes, dtype, layout),), {**view, "interp_type": kind})
              for dtype in TYPES for layout in ("HWC", "HW") for kind in kinds),
            *(Case((images(sizes, channels=channels),), {**view, "interp_type": kind, "border_mode": mode})
              for channels in (1, 2, 3, 4) for kind in kinds for mode in BORDERS),
            Case((images(sizes),), {**view, "fill_value": (10.0, 20.0, 30.0)}),
            Case((images(sizes, layout="CHW"),), {**view, "fill_value": 10.0}),
            Case((images(sizes, layout="FHWC"),), view),
            Case((images(sizes, layout="FCHW"),), view),
            Case((images(sizes), each), {}),
            Case((images(sizes),), {"matrix": each, "size": values([5.0, 7.5], [12.5, 3.0])}),
            Case((images(sizes),), {"matrix": (0.0,) * 9}, peer=False, note="all points are the first one here"),
            Case((images(sizes),), {}, refused="matrix"),
            Case((images(sizes), each), view, refused="matrix"),
            Case((images(sizes),), {"matrix": (0.0,) * 9, "inverse_map": False}, refused="matrix"),
            Case((images(sizes),), {**view, "fill_value": (1.0, 2.0)}, refused="fill_value"),
            Case((images(sizes, layout="CHW"),), {**view, "fill_value": (1.0, 2.0, 3.0)}, refused="fill_value"),
            Case((images(sizes, channels=5),), view, refused=""),
            Case((images(sizes, T.INT32),), view, refused=""),
            Case((images(sizes, layout="DHWC"),), view, refused=""),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        image, *matrices = inputs
        if matrices and args.given("matrix"):
            raise ArgumentError(
                "the matrix is given twice: by the argument and by the input.", hint="Take one away.", argument="matrix"
            )
        if not matrices and not args.given("matrix"):
            raise ArgumentError("warp_perspective needs a matrix.", hint=_HINT, argument="matrix", code="DS103")
        for meta in matrices:
            if meta.dtype not in (None, T.FLOAT) or meta.ndim not in (None, 2):
                raise ArgumentError(
                    "the matrices are not (3, 3) matrices of FLOAT.", hint=_HINT, argument="matrix_input", code="DS203"
                )
        image = image.with_(layout="HW") if not image.layout and image.ndim == len("HW") else image
        meta = image_meta(image, LAYOUTS)
        check_dtype(meta, TYPES)
        if meta.layout != "HWC" and len(args["fill_value"]) > 1:
            raise ArgumentError(
                f"{len(args['fill_value'])} values are given for the layout {meta.layout}.",
                hint="Give one value, or transpose the image to HWC.", argument="fill_value", code="DS203",
            )  # fmt: skip
        if args["matrix"] is not None:
            _inverted(np.reshape(np.array(args["matrix"], np.float32), (1, 3, 3)), args, fed=False)
        return meta

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        image, *matrices = inputs
        layout = image.layout or "HW" if image.shapes.shape[1] == len("HW") else image.layout or "HWC"
        given = len(args["fill_value"])
        if layout == "HWC":
            channels = image.shapes[:, 2]
            wrong = (channels > MAX_CHANNELS) | ((channels != given) & (given > 1))
            if wrong.any():
                index = int(np.argmax(wrong))
                many = channels[index] > MAX_CHANNELS
                raise ArgumentError(
                    f"the image has {channels[index]} channels" + ("." if many else f", fill_value {given} numbers."),
                    hint=f"Give at most {MAX_CHANNELS} channels." if many else "Give one value, or one for each.",
                    argument="" if many else "fill_value", sample=index, code="DS203",
                )  # fmt: skip
        empty = (image.shapes == 0).any(axis=1)
        if empty.any():
            index = int(np.argmax(empty))
            raise ArgumentError("the image has no pixels.", hint="Give pictures.", sample=index, code="DS203")
        for view in matrices:
            _check_shapes(view.shapes.tolist(), "matrix_input")
        turned = None
        if not matrices:
            fed = args.samples("matrix")
            if fed is not None:
                _check_shapes([sample.shape for sample in fed], "matrix")
            turned = _inverted(args.vectors("matrix", 9).reshape(-1, 3, 3), args, fed=fed is not None)
        sizes = extents(image.shapes, layout)
        if args.given("size"):
            sizes = np.maximum(round_half_away(args.vectors("size", 2)), 1)
        fill = np.zeros(MAX_CHANNELS, np.float32)
        fill[: given if given > 1 else MAX_CHANNELS] = args["fill_value"] or 0
        return Work(with_extents(image.shapes, layout, sizes), {
            "matrices": turned, "layout": layout, "interp": args["interp_type"].value,
            "border": BORDERS[args["border_mode"]], "fill": fill, "args": args,
        })  # fmt: skip

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        params, image, out = work.params, inputs[0], outputs[0]
        if len(inputs) == 1:
            matrix = params["matrices"][index]
        else:
            (matrix,) = _inverted(inputs[1].reshape(1, 3, 3), params["args"], fed=False, name="matrix_input")
        rest = params["interp"], params["border"], params["fill"]
        if params["layout"] == "HWC":
            homography(image, out, matrix, *rest)
            return
        planes = image[None] if image.ndim == len("HW") else image
        for plane, made in zip(planes, out[None] if out.ndim == len("HW") else out, strict=True):
            homography(plane[:, :, None], made[:, :, None], matrix, *rest)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        image, out = (with_channels(batch) for batch in (inputs[0], outputs[0]))
        if len(inputs) == 1:
            run_alone(WarpPerspective, work, image, out, stream)
            return
        params = work.params
        args = params["args"]
        part = given_homography_part(
            inputs[1], params["interp"], params["border"], params["fill"], _coarse(work, image),
            corner=args["pixel_origin"] == "corner", inverse=args["inverse_map"],
        )  # fmt: skip
        chains.run(image, out, [part], (), stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        params = work.params
        if image.shapes.shape[1] == len("HW"):
            return None
        rest = params["interp"], params["border"], params["fill"], _coarse(work, image)
        return homography_part(params["matrices"], *rest)


def _coarse(work: Work, image: Batch) -> NDArray[np.bool_]:
    """For which samples points are rounded; planes are images of one channel."""
    channels = image.shapes[:, 2] if work.params["layout"] == "HWC" else np.ones(len(image), np.int64)
    interp, dtype = work.params["interp"], image.dtype
    return np.array([is_coarse(interp, dtype, many) for many in channels.tolist()], np.bool_)


def _check_shapes(shapes: Sequence[Sequence[int]], name: str) -> None:
    for index, shape in enumerate(shapes):
        if tuple(shape) != (3, 3):
            raise ArgumentError(
                f"the matrix has the shape {tuple(shape)}; (3, 3) is accepted.", hint=_HINT, argument=name,
                sample=index, code="DS203",
            )  # fmt: skip


def _inverted(
    matrices: NDArray[np.float32], args: Args, *, fed: bool, name: str = "matrix"
) -> NDArray[np.float64]:  # fmt: skip
    """(N, 3, 3) matrices from output to input points, as the kernels count them.

    Raises
    ------
    ArgumentError
        DS105 for a matrix that is not finite, or has no inverse where one is needed.
    """
    used = matrices.astype(np.float32)
    if args["pixel_origin"] == "corner":  # single precision, as in nvidia.dali
        shift, back = (np.array([[1, 0, by], [0, 1, by], [0, 0, 1]], np.float32) for by in (0.5, -0.5))
        used = back @ (used @ shift)
    turned = used.astype(np.float64)
    whole = np.asarray(np.isfinite(turned).all(axis=(1, 2)))
    wrong = ~whole
    if not args["inverse_map"]:
        wrong = np.asarray(np.linalg.det(np.where(whole[:, None, None], turned, 0)) == 0)
        turned = np.linalg.inv(np.where(wrong[:, None, None], np.eye(3), turned))
    if wrong.any():
        raise wrong_matrix(matrices, int(np.argmax(wrong)), name, _HINT, fed=fed)
    return turned
