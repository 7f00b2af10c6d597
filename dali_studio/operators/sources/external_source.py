"""``fn.external_source``."""

from __future__ import annotations

from typing import Annotated, Any, cast

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType
from dali_studio.core.limits import MAX_AHEAD, MAX_AXES, MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import ELEMENTS
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator, Output
from dali_studio.schema.marks import COMMON, PER_OUTPUT, Choices, Doc, Ignored, Range
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value


class ExternalSource(Operator):
    """Brings data from the program: from a callable, an iterable, or Pipeline.feed_input.

    A batch may have fewer samples than the pipeline's batch size; the iteration then has that size. On a GPU it takes
    arrays of CuPy, tensors of PyTorch, and whatever else exports its memory, and copies them; arrays on the CPU go up.
    """

    category = "sources"
    icon = "code"
    node_name = "source"
    keywords = "input feed numpy callable generator python"
    outputs = (Output("output"),)
    devices = ("cpu", "gpu")
    stateful = True
    role = "external_source"

    source: Annotated[
        object | None, Doc("Callable, iterable or generator that gives the data; unset: feed_input does.")
    ] = None
    num_outputs: Annotated[
        int | None, Doc("Number of outputs of a source that gives tuples."), Range(1, MAX_OUTPUTS)
    ] = None
    layout: Annotated[list[str] | None, Doc("Layout of each output's samples."), COMMON] = None
    dtype: Annotated[
        DALIDataType | None, Doc("Element type that the source promises; checked."), Choices(ELEMENTS), COMMON,
        PER_OUTPUT,
    ] = None  # fmt: skip
    ndim: Annotated[
        int | None, Doc("Number of axes that the source promises; checked."), Range(0, MAX_AXES), PER_OUTPUT
    ] = None
    cycle: Annotated[
        str, Doc("At the end of the data: stop (no), begin again (quiet), or begin again after StopIteration (raise)."),
        Choices(("no", "quiet", "raise")),
    ] = "no"  # fmt: skip
    batch: Annotated[bool, Doc("The source gives batches; otherwise single samples.")] = True
    batch_info: Annotated[bool, Doc("A callable gets types.BatchInfo instead of the iteration's number.")] = False
    repeat_last: Annotated[bool, Doc("Without fed data: repeat the last batch.")] = False
    no_copy: Annotated[
        bool, Doc("Use arrays on the CPU as they are; they must not change before the results are read.")
    ] = False
    blocking: Annotated[bool, Doc("Without fed data: wait until another thread feeds some.")] = False
    parallel: Annotated[
        bool,
        Doc(
            "Call the source in worker processes (py_num_workers and py_start_method of the pipeline). It is called "
            "with a types.SampleInfo for each sample, or with batch=True for a batch; iterables give batches."
        ),
    ] = False  # fmt: skip
    use_copy_kernel: Annotated[bool, Ignored("copies are left to the GPU's copy engines")] = False
    cuda_stream: Annotated[
        object | None, Doc("Stream on which data on a GPU is ready; unset: the current one of its library.")
    ] = None
    prefetch_queue_depth: Annotated[
        int | None, Doc("Batches that worker processes compute in advance; 1 if unset."), Range(1, MAX_AHEAD)
    ] = None

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        count = values.get("num_outputs")
        if not isinstance(count, int):
            return schema.outputs
        return tuple(OutputSchema(name=f"output_{i}") for i in range(count))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        count = args["num_outputs"] or 1
        metas: list[TensorMeta] = []
        for output in range(count):
            dtype, ndim, layout = (promised(args[name], output) for name in ("dtype", "ndim", "layout"))
            if layout and ndim is not None and ndim != len(layout):
                raise ArgumentError(
                    f"the layout {layout!r} names {len(layout)} axes; ndim is {ndim}.",
                    hint="Take one away.",
                    argument="ndim",
                )
            kind = "image" if layout in ("HWC", "CHW") else "video" if layout in ("FHWC", "FCHW") else "any"
            metas.append(TensorMeta(dtype, len(layout) if layout else ndim, layout, kind))
        for name in ("dtype", "ndim", "layout"):
            given = args[name]
            if isinstance(given, tuple) and len(cast("tuple[Any, ...]", given)) > count:
                raise ArgumentError(
                    f"{len(cast('tuple[Any, ...]', given))} values are given for {count} outputs.",
                    hint="Give at most one per output.",
                    argument=name,
                )
        return tuple(metas)


def promised(value: Any, output: int) -> Any:
    """What an argument says about one output: a list has one value for each of the first outputs."""
    if not isinstance(value, tuple):
        return value
    values = cast("tuple[Any, ...]", value)
    return values[output] if output < len(values) else None
