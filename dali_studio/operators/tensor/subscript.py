"""The node behind ``x[0]``, ``x[:, ::2]`` and ``x[i]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import Kind, TensorMeta
from dali_studio.core.subscripts import LETTERS, Bound, Subscript, letters_of, parse
from dali_studio.kernels.cpu.strided import copy_strided, copy_strided_one, steps_of
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.strided import copy_strided_on_gpu
from dali_studio.operators.common import T
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Doc, Start
from dali_studio.schema.samples import Case, tensors, values
from dali_studio.schema.traits import AnyElement, PerSample, ReadsPart

Position = Annotated[int | None, Doc("A position that the index names by this letter."), PER_SAMPLE, ANY_NUMBER]


class TensorSubscript(Operator):
    """Takes elements, rows or ranges of each sample: what Python writes as ``x[0]`` or ``x[:, ::2]``.

    Positions count from 0, negative ones from the end; ranges have a step, which may be negative, and end where the
    data does. A single position takes its axis away. Letters in the index are positions that are wired.
    """

    path = "subscript"
    category = "tensor"
    icon = "brackets"
    keywords = "index slice element row range getitem brackets reverse stride step"
    inputs = (Input("input"),)
    outputs = (Output("output"),)
    traits = (PerSample, AnyElement, ReadsPart)
    devices = ("cpu", "gpu")
    role = "subscript"
    examples = (example(index="0"), example(index=":, ::2"), example(index=":, ::-1"))

    index: Annotated[
        str, Doc("One item for each axis, from the first: a position, or begin:end:step. Example: :, ::2"), Start("0"),
        COMMON,
    ]  # fmt: skip
    a: Position = None
    b: Position = None
    c: Position = None
    d: Position = None
    e: Position = None
    f: Position = None
    g: Position = None
    h: Position = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        data = tensors(((4, 5, 3), (2, 5, 3), (6, 5, 3), (3, 5, 3)), T.UINT8, "HWC")
        wired = {"a": values(1, -1, 0, 2, dtype=T.INT32), "b": values(0, 4, -2, 1, dtype=T.INT64)}
        return [
            *super().samples(),
            *(
                Case((data,), {"index": index})
                for index in (
                    "-1", "::-1", "0, 1", "0, 1, 2", ":, 1", ":, :, -1", "1:", ":-1", ":, -2:", ":, 7:", ":, 2:1",
                    "::2, ::-1", ":, ::-2", ":, 3:0:-1", ":, 0:3:-1", ":, 9::-1", ":, -9::-1", ":, :-9:-1", ":, ::3, 0",
                    ":, :, ::2", "1:2, 0", ":, :, :",
                )
            ),
            Case((data,), {"index": "a", "a": wired["a"]}),
            Case((data,), {"index": ":, b, a:", **wired}),
            Case((data,), {"index": "a, :b", **wired}),
            Case((data,), {"index": "a", "a": values(1, 0, 1, 1, dtype=T.UINT8)}),
            Case((data,), {"index": "a", "a": values(1, 0, 1, 1)}, refused="a"),
            Case((data,), {"index": "a", "a": values((1,), (0,), (1,), (1,), dtype=T.INT32)}, refused="a"),
            Case((values((0, 1), (2, 3), dtype=T.INTERP_TYPE),), {"index": "1"}),
            Case((data,), {"index": "a"}, refused="a"),
            Case((data,), {"index": "2"}, refused="index"),
            Case((data,), {"index": "0, 0, 0, 0"}, refused="index"),
            Case((data,), {"index": "::0"}, refused="index"),
            Case((data,), {"index": "..."}, refused="index"),
            Case((data,), {"index": "0.5"}, refused="index"),
        ]  # fmt: skip

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        found = {letter: int(arguments[letter]) for letter in LETTERS if arguments[letter] is not None}
        return eval(f"x[{arguments['index']}]", {"x": inputs[0], **found})  # noqa: S307 - of the cases above

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        (meta,) = inputs
        subscripts = _parsed(args)
        for letter in sorted(letters_of(subscripts)):
            if not args.given(letter):
                raise ArgumentError(
                    f"the index names {letter}, which has no value.", hint=f"Wire {letter}, or write a number.",
                    argument=letter,
                )  # fmt: skip
        if meta.ndim is None:
            return TensorMeta(meta.dtype)
        if len(subscripts) > meta.ndim:
            raise ArgumentError(
                f"the index names {len(subscripts)} axes; the data has {meta.ndim}.", hint="Name fewer axes.",
                argument="index", code="DS203",
            )  # fmt: skip
        gone = [axis for axis, one in enumerate(subscripts) if one.at is not None]
        ndim = meta.ndim - len(gone)
        layout = meta.layout and "".join(name for axis, name in enumerate(meta.layout) if axis not in gone)
        made = TensorMeta(meta.dtype, ndim, layout, meta.kind)
        kind: Kind = "scalar" if ndim == 0 else made.pixels() if gone else meta.kind
        return made.with_(kind=kind)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (batch,) = inputs
        shapes, size = batch.shapes.copy(), batch.dtype.itemsize
        steps = steps_of(shapes, size)
        offsets = np.zeros(len(batch), np.int64)
        kept = np.ones(shapes.shape[1], bool)
        for axis, one in enumerate(_parsed(args)):
            if one.whole:
                continue
            if one.at is not None:
                begin = _positions(args, one.at, shapes[:, axis], axis)
                kept[axis] = False
            else:
                begin, shapes[:, axis], by = _range(args, one, shapes[:, axis])
                offsets += begin * steps[:, axis]
                steps[:, axis] *= by
                continue
            offsets += begin * steps[:, axis]
        made = np.ascontiguousarray(shapes[:, kept])
        return Work(made, {"offsets": offsets, "steps": np.ascontiguousarray(steps[:, kept]), "size": size})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        offset = int(work.params["offsets"][index])
        copy_strided_one(inputs[0], offset, work.shapes, work.params["steps"], index, outputs[0])

    @staticmethod
    def cpu_batch(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch]) -> None:
        params = work.params
        first = inputs[0].addresses + params["offsets"]
        copy_strided(first, work.shapes, params["steps"], params["size"], outputs[0].addresses)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        copy_strided_on_gpu(inputs[0], work.params["offsets"], work.params["steps"], outputs[0], stream)


def _parsed(args: Args) -> tuple[Subscript, ...]:
    try:
        return parse(args["index"])
    except ValueError as error:
        hint = "Write an item for each axis, such as 0 or ::2."
        raise ArgumentError(str(error), hint=hint, argument="index") from error


def _numbers(args: Args, bound: Bound) -> NDArray[np.int64]:
    """A position for each sample."""
    if isinstance(bound, int):
        return np.full(args.count, bound, np.int64)
    for index, sample in enumerate(args.samples(bound) or ()):
        if sample.dtype.kind not in "iu" or sample.ndim:
            raise ArgumentError(
                f"the wired value is {sample.dtype} with {sample.ndim} axes; a whole number is needed.",
                hint="Feed a scalar of an integer type; cast makes one.", argument=bound, sample=index, code="DS203",
            )  # fmt: skip
    return args.scalars(bound, np.int64)


def _positions(args: Args, at: Bound, extents: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    given = _numbers(args, at)
    wrong = (given >= extents) | (given < -extents)
    if wrong.any():
        sample = int(np.argmax(wrong))
        raise ArgumentError(
            f"position {given[sample]} is outside of axis {axis}, which has {extents[sample]} elements.",
            hint="Give another position, or a range, which ends where the data does.",
            argument="index" if isinstance(at, int) else at, sample=sample, code="DS203",
        )  # fmt: skip
    return np.where(given < 0, given + extents, given)


def _range(
    args: Args, one: Subscript, extents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where the range of each sample begins, how many elements it has, and its step, as Python has them."""
    by = _numbers(args, 1 if one.step is None else one.step)
    if (by == 0).any():
        raise ArgumentError(
            "the step is 0.", hint="Give another number.", argument=str(one.step), sample=int(np.argmax(by == 0))
        )
    ahead = by > 0
    low, high = np.where(ahead, 0, -1), np.where(ahead, extents, extents - 1)

    def bound(given: Bound | None, default: NDArray[np.int64]) -> NDArray[np.int64]:
        if given is None:
            return default
        numbers = _numbers(args, given)
        return np.clip(np.where(numbers < 0, numbers + extents, numbers), low, high)

    begin = bound(one.begin, np.where(ahead, low, high))
    end = bound(one.end, np.where(ahead, high, low))
    count = np.maximum((end - begin + by - np.sign(by)) // by, 0)
    return np.where(count > 0, begin, 0), count, by
