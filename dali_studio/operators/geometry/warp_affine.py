"""``fn.warp_affine``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import warp_volume
from dali_studio.kernels.cpu.warp import inverse_affine
from dali_studio.kernels.cuda import warp
from dali_studio.kernels.cuda import warp_volume as volumes
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T
from dali_studio.operators.geometry.movements import WARP
from dali_studio.operators.geometry.warps import (
    NEAREST,
    OF_MATRICES,
    TYPES,
    WIDE_ON_GPU,
    Warp,
    canvas,
    compute,
    image_sizes,
    is_volume,
    warp_work,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc, Length, Start
from dali_studio.schema.samples import PARTLY_EMPTY, Case, images, values
from dali_studio.schema.tolerance import Tolerance

_HINT = "Give two rows of three numbers: x' = a x + b y + c and y' = d x + e y + f; for volumes three rows of four."


class WarpAffine(Warp):
    """Moves, scales, turns and shears images by a matrix.

    The matrix takes the centre of an output pixel, as a point (x, y) whose origin is the corner of the image, or of a
    volume as a point (x, y, z), to the input; with `inverse_map` off it takes input to output. Outside the image lies
    `fill_value`, or the nearest edge pixel if it is unset.
    """

    icon = "affine"
    movement = WARP
    keywords = "transform translate scale shear matrix warpaffine affine"
    inputs = (
        *Warp.inputs,
        Input("mtx", dtypes=(T.FLOAT,), optional=True, either_device=True,
              doc="A (2, 3) matrix for each image, or (3, 4) for each volume."),
    )
    shown = example(matrix=(1.0, 0.3, -40.0, 0.1, 1.0, -20.0), fill_value=0.0)
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
        *OF_MATRICES,
    )  # fmt: skip

    matrix: Annotated[
        list[float] | None, Doc("Two rows of three numbers, of volumes three of four, row by row."), Length((6, 12)),
        Start((1.0, 0.0, 0.0, 0.0, 1.0, 0.0)), PER_SAMPLE, COMMON,
    ] = None
    inverse_map: Annotated[bool, Doc("The matrix takes output points to input points; off: the other way."), COMMON] = (
        True
    )

    @classmethod
    def samples(cls) -> Sequence[Case]:
        moved = (1.013, 0.103, 0.057, -0.531, 0.104, 0.913, 0.007, 0.312, 0.021, 0.003, 1.112, 0.207)
        sizes = ((20, 17), (9, 31))
        volumes = images(sizes, layout="DHWC")
        each = values(*(np.reshape(moved, (3, 4)) * scale for scale in (1.0, 0.7)), label="two matrices")
        return [
            *super().samples(),
            Case((images(PARTLY_EMPTY),), {"matrix": (1.0, 0.1, 0.0, 0.2, 1.0, 3.0), "size": (6, 7), "fill_value": 3}),
            *(Case((images(sizes, dtype, "DHWC"),), {"matrix": moved}) for dtype in TYPES),
            Case((volumes,), {"matrix": moved, "fill_value": 3.0, "inverse_map": False}),
            Case((volumes,), {"matrix": moved, "fill_value": 3.0, "interp_type": "INTERP_NN"}),
            Case((volumes,), {"matrix": moved, "size": (5.0, 16.0, 12.0), "dtype": "FLOAT"}),
            Case((volumes, each), {"fill_value": 3.0}),
            Case((images(sizes, layout="FDHWC"),), {"matrix": moved}),
            Case((volumes,), {"matrix": moved[:6]}, refused="matrix"),
            Case((images(sizes),), {"matrix": moved}, refused="matrix"),
            Case((volumes,), {"matrix": (0.0,) * 12, "inverse_map": False}, refused="matrix"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        images, *matrices = inputs
        if matrices and args.given("matrix"):
            raise ArgumentError(
                "the matrix is given twice: by the argument and by the input.", hint="Take one away.", argument="matrix"
            )
        if not matrices and not args.given("matrix"):
            raise ArgumentError("warp_affine needs a matrix.", hint=_HINT, argument="matrix", code="DS103")
        made = Warp.infer(args, images)
        axes = None if made.ndim is None else made.ndim - 1
        for meta in matrices:
            _check_input(meta)
        if args["matrix"] is not None and axes is not None:
            if len(args["matrix"]) != axes * (axes + 1):
                raise ArgumentError(
                    f"the matrix has {len(args['matrix'])} numbers; {made.layout} takes {axes * (axes + 1)}.",
                    hint=_HINT, argument="matrix", code="DS203",
                )  # fmt: skip
            _transforms(np.array([args["matrix"]], np.float32), axes, inverse_map=args["inverse_map"], fed=False)
        return made

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        matrices: NDArray[np.float32] | None = None
        images, *given = inputs
        sizes = image_sizes(images)
        axes = sizes.shape[1]
        for view in given:
            _check_shapes(view.shapes.tolist(), axes, "mtx")
        if not given:
            fed = args.samples("matrix")
            if fed is not None:
                _check_shapes([sample.shape for sample in fed], axes, "matrix")
            rows = args.vectors("matrix", axes * (axes + 1))
            matrices = _transforms(rows, axes, inverse_map=args["inverse_map"], fed=fed is not None)
        wanted = canvas(args, axes)
        work = warp_work(args, images, sizes if wanted is None else wanted, matrices)
        work.params["inverse_map"] = args["inverse_map"]
        return work

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> NDArray[Any] | None:
        if len(inputs) == 1:
            return Warp.cpu(work, index, inputs, outputs)
        (image, given), out = inputs, outputs[0]
        rows, inverse_map = given.reshape(1, -1), work.params["inverse_map"]
        (matrix,) = _transforms(rows, image.ndim - 1, inverse_map=inverse_map, fed=False, name="mtx")
        compute(image, out, matrix, work)
        return None

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        params = work.params
        if len(inputs) == 1:
            Warp.gpu(work, inputs, outputs, stream)
            return
        call = volumes.warp_volume if is_volume(inputs[0]) else warp.warp_affine
        call(
            inputs[0], outputs[0], inputs[1], params["interp"], params["fill"], stream, invert=not params["inverse_map"]
        )


def _check_input(meta: TensorMeta) -> None:
    if meta.dtype not in (None, T.FLOAT):
        raise ArgumentError(
            f"the matrices are {meta.dtype.name}; FLOAT is accepted.", hint="Insert a cast to FLOAT.", argument="mtx",
            code="DS203",
        )  # fmt: skip
    if meta.ndim not in (None, 2):
        raise ArgumentError(
            f"the matrices have {meta.ndim} axes; the shapes (2, 3) and (3, 4) are accepted.", hint=_HINT,
            argument="mtx", code="DS203",
        )  # fmt: skip


def _check_shapes(shapes: Sequence[Sequence[int]], axes: int, name: str) -> None:
    for index, shape in enumerate(shapes):
        if tuple(shape) != (axes, axes + 1):
            raise ArgumentError(
                f"the matrix has the shape {tuple(shape)}; {(axes, axes + 1)} is accepted.", hint=_HINT, argument=name,
                sample=index, code="DS203",
            )  # fmt: skip


def _transforms(
    rows: NDArray[np.float32], axes: int, *, inverse_map: bool, fed: bool, name: str = "matrix"
) -> NDArray[np.float32]:
    """(N, axes, axes + 1) matrices from output to input, of rows of numbers as the user gave them.

    Raises
    ------
    ArgumentError
        DS105 for a matrix that is not finite, or has no inverse where one is needed.
    """
    matrices = np.ascontiguousarray(rows).reshape(-1, axes, axes + 1)
    invert = inverse_affine if axes == 2 else warp_volume.inverse_affine
    used = matrices if inverse_map else invert(matrices)
    wrong = ~(np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(used).all(axis=(1, 2)))
    if not wrong.any():
        return used
    raise wrong_matrix(matrices, int(np.argmax(wrong)), name, _HINT, fed=fed)


def wrong_matrix(matrices: NDArray[Any], index: int, name: str, hint: str, *, fed: bool) -> ArgumentError:
    """What is said of a sample's matrix that has no inverse, or is not finite; `hint` to the latter."""
    finite = bool(np.isfinite(matrices[index]).all())
    return ArgumentError(
        f"the matrix {matrices[index].tolist()} {'has no inverse' if finite else 'is not finite'}.",
        hint="Give a matrix that does not flatten the image, or set inverse_map=True." if finite else hint,
        argument=name, sample=index if fed else None,
    )  # fmt: skip
