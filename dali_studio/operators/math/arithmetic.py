"""The node behind ``a * 2 + b`` and the functions of ``math``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.expressions import LETTERS, Expression, Number, parse
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.kernels.cpu.elementwise import Operand, compute
from dali_studio.kernels.cuda import pointwise
from dali_studio.kernels.cuda.elementwise import compute_on_gpu
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import COMMON, Doc, Start
from dali_studio.schema.samples import Case, images, tensors
from dali_studio.schema.traits import Elementwise, PerSample, PixelPart

T = DALIDataType


@dataclass(frozen=True)
class _Call:
    """What is computed: a functor of operands, which are numbers of inputs or arrays of one element."""

    functor: str
    operands: tuple[int | NDArray[Any], ...]
    common: np.dtype[Any]


class Arithmetic(Operator):
    """One operation on the elements of tensors and numbers: what Python's operators write.

    Shapes are broadcast as numpy does it. Of two types the larger is taken, and a real one if there is one; whole
    numbers wrap around. Numbers are INT32 or FLOAT unless their type is named, as in UINT8(5).
    """

    category = "math"
    icon = "calculator"
    node_name = "result"
    keywords = (
        "add subtract multiply divide modulo power compare clamp minimum maximum sqrt exp log sin cos tan abs floor "
        "ceil plus minus times formula expression"
    )
    inputs = (Input("input", repeated=(1, len(LETTERS)), doc="a, b and c of the expression."),)
    outputs = (Output("output"),)
    traits = (PerSample, Elementwise, PixelPart)
    devices = ("cpu", "gpu")
    role = "arithmetic"
    examples = (example(expression="a * 2"), example(expression="a / 2.5"), example(expression="clamp(a, 3, 100)"),
                example(expression="sqrt(a)"), example(expression="a > 100"))  # fmt: skip

    expression: Annotated[
        str, Doc("An operation of inputs a, b, c and numbers: a * 2, a + b, sqrt(a), clamp(a, 0, b)."), Start("a * 2"),
        COMMON,
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        pairs = [(T.UINT8, T.INT8), (T.UINT64, T.INT32), (T.INT16, T.FLOAT), (T.FLOAT, T.FLOAT64), (T.BOOL, T.UINT16)]
        shapes = ((4, 5, 3), (2, 1, 3)), ((1, 3), (1, 3))
        return [
            *super().samples(),
            *(
                Case((tensors(shapes[0], dtype=one), tensors(shapes[1], dtype=other)), {"expression": f"a {sign} b"})
                for one, other in pairs
                for sign in ("+", "*", "/", "<")
                if sign != "<" or (one, other) != (T.INT16, T.FLOAT)
            ),
            Case((images(), tensors(((),) * 4)), {"expression": "max(a, b)"}),
            Case((images(),), {"expression": "a + b"}, refused="expression"),
            Case((images(),), {"expression": "a +"}, refused="expression"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        parsed = _parsed(args)
        if parsed.inputs != len(inputs):
            raise ArgumentError(
                f"{parsed} has {parsed.inputs} inputs; {len(inputs)} are wired.",
                hint=f"Wire {', '.join(LETTERS[: parsed.inputs])}, or write another expression.",
                argument="expression", code="DS203",
            )  # fmt: skip
        types = _types(parsed, inputs)
        dtype = None
        if None not in types:
            try:
                dtype = parsed.operation.result([one for one in types if one is not None])
            except TypeError as error:
                raise ArgumentError(str(error), hint="Insert a cast.", argument="expression", code="DS203") from error
        ranks = [meta.ndim for meta in inputs if meta.ndim is not None]
        if len(ranks) < len(inputs):
            return TensorMeta(dtype)
        ndim = max(ranks)
        layout = _layout(inputs, ndim)
        kinds: list[Kind] = [meta.kind for meta in inputs if meta.ndim == ndim]
        return TensorMeta(dtype, ndim, layout, kinds[0])

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        key = "call", *(batch.meta.dtype for batch in inputs)
        call = args.memory.get(key)
        if call is None:
            call = args.memory[key] = _call(_parsed(args), [batch.meta for batch in inputs])
        return Work(_broadcast([batch.shapes for batch in inputs]), {"call": call})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        packed = [np.asarray(array, order="C") for array in inputs]
        _compute(work.params["call"], [Operand.of([array]) for array in packed], Operand.of([outputs[0]]))

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        _compute(work.params["call"], list(map(Operand.of_batch, inputs)), Operand.of_batch(outputs[0]))

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        call: _Call = work.params["call"]
        operands = [inputs[one] if isinstance(one, int) else one for one in call.operands]
        compute_on_gpu(call.functor, operands, outputs[0], call.common, stream)

    @staticmethod
    def part(work: Work, image: Batch, dtype: np.dtype[Any]) -> Part | None:
        call: _Call = work.params["call"]
        if any(isinstance(one, int) and one > 0 for one in call.operands):
            return None  # a chain has one input
        operands = [None if isinstance(one, int) else one for one in call.operands]
        return pointwise.arithmetic_part(call.functor, operands, image.dtype, call.common, len(image))


def _parsed(args: Args) -> Expression:
    try:
        return parse(args["expression"])
    except ValueError as error:
        raise ArgumentError(
            str(error), hint="Write one operation, such as a * 2 or sqrt(a).", argument="expression"
        ) from error


def _types(parsed: Expression, inputs: Sequence[TensorMeta]) -> list[DALIDataType | None]:
    return [inputs[one].dtype if isinstance(one, int) else one.dtype for one in parsed.operands]


def _layout(inputs: Sequence[TensorMeta], ndim: int) -> str | None:
    """The layout of the operands with most axes; those with fewer axes must name the last of them."""
    given = sorted({meta.layout or "" for meta in inputs} - {""}, key=len)
    for one in given:
        if not given[-1].endswith(one):
            raise ArgumentError(
                f"the layouts {one!r} and {given[-1]!r} do not fit each other.",
                hint="Bring them into one order of axes by transpose, or give one of them no layout.", code="DS203",
            )  # fmt: skip
    if given and len(given[-1]) == ndim:
        return given[-1]
    return None if any(meta.layout is None and meta.ndim for meta in inputs) else ""


def _call(parsed: Expression, metas: Sequence[TensorMeta]) -> _Call:
    types = [one for one in _types(parsed, metas) if one is not None]
    operation = parsed.operation
    operands = tuple(
        np.full((), one.value, to_numpy(one.dtype)) if isinstance(one, Number) else one for one in parsed.operands
    )
    functor = "Not" if operation.functor == "Complement" and types == [DALIDataType.BOOL] else operation.functor
    return _Call(functor, operands[::-1] if operation.swapped else operands, to_numpy(operation.common(types)))


def _compute(call: _Call, inputs: Sequence[Operand], out: Operand) -> None:
    count = len(out.addresses)
    operands = [inputs[one] if isinstance(one, int) else Operand.constant(one, count) for one in call.operands]
    compute(call.functor, operands, out, call.common)


def _broadcast(given: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The shapes of the results."""
    first, *others = sorted(given, key=lambda shapes: -shapes.shape[1])
    made = first
    for shapes in others:
        if shapes is made or shapes.shape[1] == 0:
            continue
        tail = made[:, made.shape[1] - shapes.shape[1] :]
        if (tail == shapes).all():
            continue
        wrong = (tail != shapes) & (tail != 1) & (shapes != 1)
        if wrong.any():
            index = int(np.argmax(wrong.any(axis=1)))
            one, other = (tuple(batch[index].tolist()) for batch in (first, shapes))
            raise ArgumentError(
                f"the shapes {one} and {other} do not fit each other.",
                hint="Axes must be equal, or have one element, counted from the last.", sample=index, code="DS203",
            )  # fmt: skip
        wider = made.copy()
        wider[:, made.shape[1] - shapes.shape[1] :] = np.where(tail == 1, shapes, tail)
        made = wider
    return made
