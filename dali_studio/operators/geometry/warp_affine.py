"""``fn.warp_affine``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.warp import inverse_affine, warp_affine
from dali_studio.kernels.cuda import warp
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T
from dali_studio.operators.geometry.warps import NEAREST, WIDE_ON_GPU, Warp, canvas, image_sizes, warp_work
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Start
from dali_studio.schema.tolerance import Tolerance

_SHAPE = (2, 3)
_HINT = "Give two rows of three numbers: x' = a x + b y + c and y' = d x + e y + f."


class WarpAffine(Warp):
    """Moves, scales, turns and shears images by a matrix.

    The matrix takes the centre of an output pixel, as a point (x, y) whose origin is the corner of the image, to the
    input; with `inverse_map` off it takes input to output. Outside the image lies `fill_value`, or the nearest edge
    pixel if it is unset.
    """

    icon = "affine"
    keywords = "transform translate scale shear matrix warpaffine affine"
    inputs = (
        *Warp.inputs,
        Input("mtx", dtypes=(T.FLOAT,), optional=True, either_device=True, doc="A (2, 3) matrix for each image."),
    )
    examples = (
        example(matrix=(1.0, 0.25, -6.0, 0.1, 0.9, 3.0)),
        example(matrix=(1.2, 0.0, 5.5, 0.3, 1.1, -4.0), inverse_map=False, fill_value=128.0),
        example(matrix=(0.5, 0.0, 0.0, 0.0, 0.5, 0.0), size=(70.0, 90.0)),
        example(matrix=(0.0, 1.3, 2.0, -1.0, 0.0, 40.0), interp_type="INTERP_NN", fill_value=0.0),
        example(matrix=(0.8, -0.6, 20.0, 0.6, 0.8, -10.0), fill_value=1.0, dtype="FLOAT"),
    )
    tolerance = (
        NEAREST,
        WIDE_ON_GPU,
        Tolerance(
            2, 0.03, relative=2e-3, on="gpu",
            reason="each position is computed by itself, not by steps, and short fractions in a matrix make many ties",
        ),
        Tolerance(
            2, 0.002, relative=2e-4,
            reason="positions differ in the last bits of float32: one level now and then; some matrices make many ties",
        ),
    )  # fmt: skip

    matrix: Annotated[
        list[float] | None, Doc("Two rows of three numbers, row by row."), Length((6,)),
        Start((1.0, 0.0, 0.0, 0.0, 1.0, 0.0)), PER_SAMPLE, COMMON,
    ] = None
    inverse_map: Annotated[bool, Doc("The matrix takes output points to input points; off: the other way."), COMMON] = (
        True
    )

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        images, *matrices = inputs
        if matrices and args.given("matrix"):
            raise ArgumentError(
                "the matrix is given twice: by the argument and by the input.", hint="Take one away.", argument="matrix"
            )
        if not matrices and not args.given("matrix"):
            raise ArgumentError("warp_affine needs a matrix.", hint=_HINT, argument="matrix", code="DS103")
        for meta in matrices:
            _check_input(meta)
        if args["matrix"] is not None:
            _transforms(np.array([args["matrix"]], np.float32), inverse_map=args["inverse_map"], fed=False)
        return Warp.infer(args, images)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        matrices: NDArray[np.float32] | None = None
        images, *given = inputs
        for view in given:
            _check_shapes(view.shapes.tolist(), "mtx")
        if not given:
            fed = args.samples("matrix")
            if fed is not None:
                _check_shapes([sample.shape for sample in fed], "matrix")
            matrices = _transforms(args.vectors("matrix", 6), inverse_map=args["inverse_map"], fed=fed is not None)
        wanted = canvas(args)
        work = warp_work(args, images, image_sizes(images) if wanted is None else wanted, matrices)
        work.params["inverse_map"] = args["inverse_map"]
        return work

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any] | None:
        if len(inputs) == 1:
            return Warp.cpu(work, index, inputs, outputs)
        (image, given), out = inputs, outputs[0]
        (matrix,) = _transforms(given.reshape(1, 6), inverse_map=work.params["inverse_map"], fed=False, name="mtx")
        warp_affine(image, out, matrix, work.params["interp"], work.params["fill"])
        return None

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        if len(inputs) == 1:
            Warp.gpu(work, inputs, outputs, stream)
            return
        warp.warp_affine(
            inputs[0], outputs[0], inputs[1], params["interp"], params["fill"], stream, invert=not params["inverse_map"]
        )


def _check_input(meta: TensorMeta) -> None:
    if meta.dtype not in (None, T.FLOAT):
        raise ArgumentError(
            f"the matrices are {meta.dtype.name}; FLOAT is accepted.", hint="Insert a cast to FLOAT.", argument="mtx",
            code="DS203",
        )  # fmt: skip
    if meta.ndim not in (None, len(_SHAPE)):
        raise ArgumentError(
            f"the matrices have {meta.ndim} axes; the shape (2, 3) is accepted.", hint=_HINT, argument="mtx",
            code="DS203",
        )  # fmt: skip


def _check_shapes(shapes: Sequence[Sequence[int]], name: str) -> None:
    for index, shape in enumerate(shapes):
        if tuple(shape) != _SHAPE:
            raise ArgumentError(
                f"the matrix has the shape {tuple(shape)}; (2, 3) is accepted.", hint=_HINT, argument=name,
                sample=index, code="DS203",
            )  # fmt: skip


def _transforms(
    rows: NDArray[np.float32], *, inverse_map: bool, fed: bool, name: str = "matrix"
) -> NDArray[np.float32]:
    """(N, 2, 3) matrices from output to input, of (N, 6) numbers as the user gave them.

    Raises
    ------
    ArgumentError
        DS105 for a matrix that is not finite, or has no inverse where one is needed.
    """
    matrices = np.ascontiguousarray(rows).reshape(-1, *_SHAPE)
    used = matrices if inverse_map else inverse_affine(matrices)
    wrong = ~(np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(used).all(axis=(1, 2)))
    if not wrong.any():
        return used
    index = int(np.argmax(wrong))
    finite = bool(np.isfinite(matrices[index]).all())
    raise ArgumentError(
        f"the matrix {matrices[index].tolist()} {'has no inverse' if finite else 'is not finite'}.",
        hint="Give a matrix that does not flatten the image, or set inverse_map=True." if finite else _HINT,
        argument=name, sample=index if fed else None,
    )  # fmt: skip
