"""``fn.coord_transform``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.transforms import MAX_AXES, transform_points
from dali_studio.kernels.cuda.points import transform_points_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import accept_output, check_dtype
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Doc
from dali_studio.schema.samples import Case, images, tensors, values
from dali_studio.schema.traits import PerFrame, PerSample

_TYPES = (DALIDataType.UINT8, DALIDataType.INT16, DALIDataType.UINT16, DALIDataType.INT32, DALIDataType.FLOAT)
_SHAPES = ((7, 2), (1, 2), (40, 2))


class CoordTransform(Operator):
    """Transforms points or vectors, which lie along the last axis, to ``M v + T``.

    The result has as many components as the matrix has rows. Colours of pixels are vectors, too.
    """

    category = "coordinates"
    icon = "affine"
    role = "transform"
    keywords = "points vertices landmarks matrix affine linear project landmark keypoints"
    inputs = (Input("points", dtypes=_TYPES),)
    outputs = (Output("points", "points"),)
    traits = (PerSample, PerFrame)
    devices = ("cpu", "gpu")
    kernels = (compiled("transform_points", _TYPES, _TYPES),)
    examples = (example(M=(0.5, -0.25, 1.0, 2.0), T=(3.0, -1.5)), example(MT=(1.0, 0.25, -6.0, 0.1, 0.9, 3.0)))

    M: Annotated[
        list[float] | None,
        Doc("The matrix, row by row; a number stands for it times the identity. Unset: the identity."), PER_SAMPLE,
        COMMON,
    ] = None  # fmt: skip
    T: Annotated[
        list[float] | None, Doc("What is added: one number for each row, or one for all."), PER_SAMPLE, COMMON
    ] = None
    MT: Annotated[
        list[float] | None, Doc("Both side by side, as transforms have them; excludes M and T."), PER_SAMPLE, COMMON
    ] = None
    dtype: Annotated[
        DALIDataType,
        Doc("Element type of the result: FLOAT, or that of the input, to which numbers are rounded and saturate."),
    ] = DALIDataType.FLOAT  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        points, integers = tensors(_SHAPES), (*_TYPES,)
        matrix, both = (0.5, -0.25, 1.0, 2.0), (1.0, 0.25, -6.0, 0.1, 0.9, 3.0)
        each = values(*(np.array([[0.5, 2], [i, -1]]) for i in range(3)), label="matrices")
        fused = values(*(np.array([[0.5, 2, 3], [i, -1, 7]]) for i in range(3)), label="fused")
        frames = tensors(((3, 4, 2), (1, 6, 2)), layout="FNX")
        per_frame = values(*(np.arange(6 * n).reshape(n, 2, 3) / 7 for n in (3, 1)), layout="F**", label="per frame")
        return [
            *(Case((tensors(_SHAPES, dtype),), {"MT": both, "dtype": out}) for dtype in integers
              for out in dict.fromkeys((dtype.name, "FLOAT"))),
            *(Case((points,), one.arguments) for one in cls.examples),
            Case((points,)),
            *(Case((points,), {"M": value}) for value in (3.0, (1.0, 2.0), (0.1,) * 12)),
            *(Case((points,), {"T": value}) for value in (0.5, (0.5, 2.0))),
            Case((points,), {"MT": 2.0}),
            Case((points,), {"M": each, "T": values((1, 2), (3, 4), (5, 6))}),
            Case((points,), {"M": values(1, 2, 3, label="numbers"), "T": values(1, 2, 3)}),
            Case((points,), {"MT": fused}),
            Case((tensors(((7, 2), (0, 2), (1, 2))),), {"MT": both}),
            Case((tensors(((5, 3), (2, 3))),), {"M": tuple(np.arange(9) / 3), "T": (1.0, 2.0, 3.0)}),
            Case((tensors(((5, 6), (2, 6))),), {"M": tuple(np.arange(12) / 3)}),
            Case((tensors(((5, 1), (2, 1))),), {"M": (1.0, 2.0, 3.0)}),
            *(Case((tensors(((5, 0), (2, 0))),), given) for given in ({}, {"M": (1.0, 2.0)}, {"T": (1.0, 2.0)})),
            Case((images(),), {"M": (0.299, 0.587, 0.114), "dtype": "UINT8"}),
            Case((frames,), {"MT": per_frame}),
            Case((points,), {"M": matrix, "MT": both}, refused="MT"),
            Case((points,), {"M": (1.0, 2.0, 3.0)}, refused="M"),
            Case((points,), {"M": matrix, "T": (1.0, 2.0, 3.0)}, refused="T"),
            Case((points,), {"M": (1.0,) * 14}, refused="M"),
            Case((tensors(((5, 7), (2, 7))),), refused=""),
            Case((tensors(((2,), (2,))),), refused=""),
            Case((tensors(((5, 3), (5, 2))),), refused=""),
            Case((tensors(((5, 3), (7, 0))),), refused="", note="nvidia.dali reads what lies behind"),
            Case((points,), {"dtype": "INT32"}, refused="dtype"),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        check_dtype(meta, _TYPES)
        if meta.ndim is not None and meta.ndim < 2:
            raise ArgumentError(
                f"the points have {meta.ndim} axes; 2 or more are accepted.",
                hint="Give (points, components) for each sample.", code="DS203",
            )  # fmt: skip
        if args.given("MT") and (args.given("M") or args.given("T")):
            raise ArgumentError("MT is given, and M or T as well.", hint="Give MT, or M and T.", argument="MT")
        if meta.dtype is not None:
            accept_output(args["dtype"], dict.fromkeys((DALIDataType.FLOAT, meta.dtype)))
        return meta.with_(dtype=args["dtype"], kind="points" if meta.kind == "any" else meta.kind)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        shapes = inputs[0].shapes
        if not shapes[:, -1].any():  # no sample, or vectors without components, which stay
            nothing = np.empty((args.count, 1, 1), np.float32)
            return Work(shapes, {"matrices": nothing, "offsets": nothing[..., 0]})
        matrices, offsets = _parameters(args, _components(inputs[0]))
        made = shapes.copy()
        made[:, -1] = matrices.shape[1]
        return Work(made, {"matrices": matrices, "offsets": offsets})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        points = np.asarray(inputs[0], order="C")
        if not points.size:
            return
        own = slice(index, index + 1)
        matrices, offsets = work.params["matrices"][own], work.params["offsets"][own]
        transform_points(Operand.of([points]), matrices, offsets, Operand.of([outputs[0]]))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        if not inputs[0].counts.any():
            return
        points, out = Operand.of_batch(inputs[0]), Operand.of_batch(outputs[0])
        transform_points(points, work.params["matrices"], work.params["offsets"], out)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        if inputs[0].counts.any():
            params = work.params
            transform_points_on_gpu(inputs[0], params["matrices"], params["offsets"], outputs[0], stream)


def _components(points: Batch) -> int:
    """How many components the vectors of the batch have: all as many, but for samples without vectors."""
    shapes = points.shapes
    some = np.flatnonzero(shapes[:, :-1].all(axis=1))
    if not len(some):
        return int(shapes[0, -1])
    found = shapes[some, -1]
    if not 1 <= found[0] <= MAX_AXES:
        raise ArgumentError(
            f"the vectors have {found[0]} components; 1 to {MAX_AXES} are accepted.",
            hint="Give the components along the last axis.", sample=int(some[0]), code="DS203",
        )  # fmt: skip
    if (found != found[0]).any():
        at = int(np.argmax(found != found[0]))
        raise ArgumentError(
            f"the vectors have {found[at]} components, those of the first sample {found[0]}.",
            hint="Give vectors of one length.", sample=int(some[at]), code="DS203",
        )  # fmt: skip
    return int(found[0])


def _parameters(args: Args, components: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(N, rows, components) matrices and (N, rows) offsets."""
    both = args.given("MT")
    name, columns = ("MT", components + 1) if both else ("M", components)
    table = _matrices(args, name, columns) if args.given(name) else None
    if table is None:
        factors = args.scalars(name) if args.given(name) else np.ones(args.count, np.float32)
        matrices = factors[:, None, None] * np.eye(components, dtype=np.float32)
        offsets = np.zeros((args.count, components), np.float32)
    else:
        matrices = np.ascontiguousarray(table[..., :components])
        offsets = np.ascontiguousarray(table[..., -1]) if both else np.zeros(table.shape[:2], np.float32)
    if args.given("T"):
        offsets = np.ascontiguousarray(args.vectors("T", matrices.shape[1]))
    return matrices, offsets


def _matrices(args: Args, name: str, columns: int) -> NDArray[np.float32] | None:
    """(N, rows, columns) of an argument; ``None`` if it is one number."""
    fed = args.samples(name)
    if fed is None:
        row = np.atleast_1d(np.array(args[name], np.float32))
        if row.size == 1:
            return None
        if row.size % columns or not 0 < row.size // columns <= MAX_AXES:
            raise _wrong(name, f"{row.size} numbers are no rows of {columns}", columns, None)
        return np.repeat(row.reshape(1, -1, columns), args.count, axis=0)
    if all(sample.ndim == 0 for sample in fed):
        return None
    shapes = [sample.shape for sample in fed]
    for index, shape in enumerate(shapes):
        if len(shape) != 2 or shape[1] != columns or not 0 < shape[0] <= MAX_AXES or shape != shapes[0]:
            raise _wrong(name, f"the matrix has the shape {shape}", columns, index)
    return np.stack(fed).astype(np.float32, copy=False)


def _wrong(name: str, what: str, columns: int, sample: int | None) -> ArgumentError:
    return ArgumentError(
        f"{what}; {name} takes rows of {columns} numbers here, up to {MAX_AXES}, equally many for all samples.",
        hint=f"Give a matrix with {columns} columns.", argument=name, sample=sample, code="DS203",
    )  # fmt: skip
