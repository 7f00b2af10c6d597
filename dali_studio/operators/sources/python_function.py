"""``fn.python_function``."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.calls import StoppedError
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import from_numpy
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import COMMON, Doc, Range
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.samples import Case

#: As many as nvidia.dali takes.
_MAX_INPUTS = 256
#: Characters of a message of the function's error.
_LONGEST = 200
_PACKAGE = str(Path(__file__).parents[2])


class FunctionArguments:
    """What operators that call a function have in common."""

    category = "sources"
    icon = "code"
    inputs = (Input("input", repeated=(0, _MAX_INPUTS)),)
    outputs = (Output("output"),)
    stateful = True
    keep = True

    function: Annotated[
        object, Doc("Takes an array of each input, and gives an array, or a tuple of them for several outputs.")
    ]
    num_outputs: Annotated[int, Doc("How many arrays the function gives."), Range(0, MAX_OUTPUTS), COMMON] = 1
    batch_processing: Annotated[
        bool, Doc("Call the function once for the batch, with a list of arrays for each input.")
    ] = False
    output_layouts: Annotated[list[str] | None, Doc("Layout of each output.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        return ()  # a function has no form in documents and programs; tests/compat calls some

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        count = values.get("num_outputs", 1)
        if not isinstance(count, int) or count == 1:
            return schema.outputs
        return tuple(Output(f"output{i}") for i in range(min(max(count, 0), MAX_OUTPUTS)))


class PythonFunction(FunctionArguments, Operator):
    """Calls a Python function with the samples, as arrays of numpy, or of CuPy on a GPU.

    The function is called for one sample after the other, since Python runs one at a time.
    """

    node_name = "function"
    keywords = "custom callable numpy cupy user code"
    devices = ("cpu", "gpu")

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        unknown = None if _keeps_layouts(args) else ""
        layouts, tried = layouts_of(args), getattr(args.objects.get("function"), "outputs", ())
        if len(tried) == len(layouts):
            return tuple(one.with_(layout=layout) for one, layout in zip(tried, layouts, strict=True))
        return tuple(TensorMeta(None, len(layout) or None, layout or unknown) for layout in layouts)

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        return batches_of(args, call_function(args, [list(batch.samples) for batch in inputs], np.asarray), inputs)

    @staticmethod
    def run_gpu(state: Any, args: Args, inputs: Sequence[Batch], stream: GpuStream) -> tuple[Batch, ...]:
        made = call_function(args, [_on_gpu(batch) for batch in inputs], cupy().asarray)
        results: list[Batch] = []
        for samples, layout in zip(made, layouts_of(args), strict=True):
            if samples:
                result = stream.adopt(stream.take_in(samples, layout, stream.kernels))
            else:
                result = stream.empty(np.empty((0, len(layout)), np.int64), np.dtype(np.float32), layout)
            result.indices = inputs[0].indices if inputs else None
            results.append(result)
        return tuple(results)


def batches_of(args: Args, made: Sequence[list[Any]], inputs: Sequence[Batch]) -> tuple[Batch, ...]:
    """The outputs, of a list of samples for each."""
    layouts = list(layouts_of(args))
    if _keeps_layouts(args):
        for number, (samples, batch) in enumerate(zip(made, inputs, strict=False)):
            if samples and samples[0].ndim == batch.shapes.shape[1]:
                layouts[number] = batch.layout
    return tuple(
        Batch.of(
            [np.require(one, requirements="C") for one in samples], layout, inputs[0].sources if inputs else (),
            dtype=np.dtype(np.float32), ndim=samples[0].ndim if samples else len(layout),
            indices=inputs[0].indices if inputs else None,
        )
        for samples, layout in zip(made, layouts, strict=True)
    )  # fmt: skip


def _keeps_layouts(args: Args) -> bool:
    """Whether an output has the layout of the input at its place: those of frameworks' functions ask for it."""
    return getattr(args.objects.get("function"), "keeps_layouts", False)


def layouts_of(args: Args) -> tuple[str, ...]:
    """A layout for each output."""
    count: int = args["num_outputs"]
    given: tuple[str, ...] = args["output_layouts"] or ()
    if len(given) > count:
        raise ArgumentError(
            f"{len(given)} layouts are given for {count} outputs.", hint="Give one for each output.",
            argument="output_layouts",
        )  # fmt: skip
    return (*given, *("",) * (count - len(given)))


def _on_gpu(batch: Batch) -> list[Any]:
    """The samples as arrays of CuPy."""
    places = zip(batch.shapes.tolist(), batch.offsets.tolist(), strict=True)
    return [cupy().ndarray(tuple(shape), batch.dtype, batch.memory + offset) for shape, offset in places]


def call_function(args: Args, inputs: Sequence[list[Any]], as_array: Callable[[Any], Any]) -> list[list[Any]]:
    """What the function gives: a list of samples for each output."""
    function = cast(Callable[..., Any], args.objects["function"])
    count, outputs = args.count, int(args["num_outputs"])
    if args["batch_processing"]:
        columns = _split(_guarded(function, inputs, None), outputs, None)
        for column in columns:
            found = f"{len(column)} samples" if hasattr(column, "__len__") else f"a {type(column).__name__}"
            if found != f"{count} samples":
                raise ArgumentError(
                    f"the function gave {found}; the batch has {count} samples.",
                    hint="Give a list with an array for each sample.", argument="function",
                )  # fmt: skip
    else:
        rows = [
            _split(_guarded(function, [batch[index] for batch in inputs], index), outputs, index)
            for index in range(count)
        ]
        columns = [[row[output] for row in rows] for output in range(outputs)]
    return [_checked([_taken(one, as_array, index) for index, one in enumerate(column)]) for column in columns]


def _taken(made: Any, as_array: Callable[[Any], Any], index: int) -> Any:
    try:
        return as_array(made)
    except Exception as error:
        raise ArgumentError(
            f"the function gave what is not accepted, a {type(made).__name__} ({str(error)[:_LONGEST]}).",
            hint="Return what the function is given.", argument="function", sample=index,
        ) from error  # fmt: skip


def _guarded(function: Callable[..., Any], given: Sequence[Any], index: int | None) -> Any:
    try:
        return function(*given)
    except StoppedError as stopped:
        raise ArgumentError(
            f"the function was {stopped}{_line(stopped)}.",
            hint="Run its code again, or another one.", argument="function", sample=index,
        ) from stopped  # fmt: skip
    except Exception as error:
        raise ArgumentError(
            f"the function failed{_line(error)} with {type(error).__name__}: {str(error)[:_LONGEST]}.",
            hint=_told(given), argument="function", sample=index,
        ) from error  # fmt: skip


def _told(given: Any) -> str:
    """What the function was given, in a sentence."""
    words = [f"{one.dtype} of shape {one.shape}" if hasattr(one, "shape") else f"{len(one)} samples" for one in given]
    return f"It was given {' and '.join(words)}." if words else "It was given nothing: no input is wired."


def _line(error: Exception) -> str:
    """The line of the function, where it has one: not of what it calls of this package and of libraries."""
    own = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__)[1:]
        if not frame.filename.startswith(_PACKAGE) and "site-packages" not in frame.filename
    ]  # fmt: skip
    return f" in line {own[-1]}" if own else ""


def _split(made: Any, outputs: int, index: int | None) -> Sequence[Any]:
    """One item for each output."""
    if outputs == 0:
        return ()
    items: Sequence[Any] = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
    if outputs == 1:  # as in nvidia.dali, more than that one is passed over
        items = items[:1]
    if len(items) != outputs or items[0] is None:
        found = "nothing" if made is None else f"{len(items)} results"
        raise ArgumentError(
            f"the function gave {found}; num_outputs is {outputs}.",
            hint="Return a tuple with as many arrays, or set num_outputs.", argument="function", sample=index,
        )  # fmt: skip
    return items


def _checked(samples: list[Any]) -> list[Any]:
    """Samples of one type and number of axes."""
    for index, one in enumerate(samples):
        try:
            from_numpy(one.dtype)
        except TypeError as error:
            raise ArgumentError(
                f"the function gave what is no number ({one.dtype}).", hint="Return an array of numbers.",
                argument="function", sample=index,
            ) from error  # fmt: skip
        first = samples[0]
        if one.dtype != first.dtype or one.ndim != first.ndim:
            raise ArgumentError(
                f"the function gave {one.dtype} with {one.ndim} axes, and {first.dtype} with {first.ndim} for the "
                "first sample.", hint="Give arrays of one type and number of axes.", argument="function", sample=index,
            )  # fmt: skip
    return samples
