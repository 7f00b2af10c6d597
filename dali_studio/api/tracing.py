"""Tracing: calls of ``fn`` functions inside a pipeline definition become nodes of its graph."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dali_studio.api.constants import ScalarConstant, array_type, constant_arguments, is_scalar, numbered
from dali_studio.api.default import default_registry
from dali_studio.api.former_arguments import as_today
from dali_studio.api.support import DATA_NODE_METHODS, refusal
from dali_studio.api.trace import Trace
from dali_studio.core.arithmetic import OPERATIONS, add_operators
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError, Diagnostic
from dali_studio.core.dtypes import from_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.expressions import Number, combine, number
from dali_studio.core.wording import nearest
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import GraphOptions, Node
from dali_studio.schema.model import Device, OperatorSchema, Value
from dali_studio.schema.values import canonical

_local = threading.local()
_PACKAGE = str(Path(__file__).resolve().parent.parent)


class DataNode:
    """An output of an operator, in a pipeline definition.

    Attributes
    ----------
    name : str
        Key of its node.
    device : str
        Where the data lies.
    """

    def __init__(self, trace: Trace, port: PortRef, device: Device) -> None:
        self._trace, self.port = trace, port
        self.device = "cpu" if device == "cpu" else "gpu"

    @property
    def name(self) -> str:
        """Key of the node."""
        return self.port.node

    @property
    def trace(self) -> Trace:
        """The definition that the node belongs to."""
        return self._trace

    def gpu(self) -> DataNode:
        """The same data on the GPU."""
        return self if self.device == "gpu" else trace_operator("to_gpu", (self,), {}, trace=self._trace)

    def cpu(self) -> DataNode:
        """The same data on the CPU."""
        return self if self.device == "cpu" else trace_operator("to_cpu", (self,), {}, trace=self._trace)

    def __str__(self) -> str:
        output = "" if self.port.output == 0 else f"[{self.port.output}]"
        return f'DataNode(name="{self.name}{output}", device="{self.device}")'

    __repr__ = __str__

    def _refuse(self, name: str, group: str) -> DaliStudioError:
        return refusal(name, DATA_NODE_METHODS[group], origin=call_site(), node=self.name)

    def shape(self, *, dtype: DALIDataType | None = None, device: str = "cpu") -> DataNode:
        """The extents of each sample; the data itself is not read.

        Parameters
        ----------
        dtype : DALIDataType, optional
            Default: INT64.
        device : {"cpu", "gpu"}
            Where the result is wanted.
        """
        shapes = trace_operator(
            "shapes", (self,), {"dtype": dtype, "device": "gpu" if self.device == "gpu" else "cpu"}, trace=self._trace
        )
        return shapes.gpu() if device == "gpu" else shapes

    def property(self, key: str, *, device: str = "cpu") -> DataNode:
        """A text that goes with each sample, as its bytes.

        Parameters
        ----------
        key : {"layout", "source_info"}
            The layout, or the file that the sample came from.
        device : {"cpu", "gpu"}
            Where the result is wanted.
        """
        made = trace_operator("get_property", (self,), {"key": key}, trace=self._trace)
        return made.gpu() if device == "gpu" else made

    def source_info(self, *, device: str = "cpu") -> DataNode:
        """The file that each sample came from, as the bytes of its name."""
        return self.property("source_info", device=device)

    def __getitem__(self, item: Any) -> DataNode:
        from dali_studio.api.indexing import indexed  # noqa: PLC0415 - it makes nodes by this module

        return indexed(self, item)

    def __pos__(self) -> DataNode:
        return self

    if TYPE_CHECKING:  # made below, from the table of operations

        def _one(self) -> DataNode: ...
        def _two(self, other: Any, /) -> DataNode: ...

        __neg__ = __abs__ = __invert__ = _one
        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _two
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _two
        __and__ = __or__ = __xor__ = __lshift__ = __rshift__ = __lt__ = __le__ = __gt__ = __ge__ = _two
        __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = _two

    __hash__ = object.__hash__  # == makes a node

    def __iter__(self) -> Iterator[DataNode]:
        raise self._refuse("iterating over an operator's result", "iteration")

    def __bool__(self) -> bool:
        raise self._refuse("using an operator's result as a condition", "bool")


def arithmetic(name: str, *operands: Any) -> DataNode:
    """Append an operation on elements; runs on the GPU if any of its operands lies there.

    Parameters
    ----------
    name : str
        Of `core.arithmetic.OPERATIONS`.
    *operands
        DataNodes, numbers, `types.Constant`, and arrays or lists of numbers.
    """
    inputs: list[Any] = []
    written: list[int | Number] = []
    for position, operand in enumerate(operands):
        given = _number(operand, position)
        if given is None:
            nested = isinstance(operand, list | tuple) and any(
                isinstance(one, list | tuple | np.ndarray) for one in cast("Sequence[Any]", operand)
            )
            if not isinstance(operand, DataNode | list | tuple | np.ndarray) or _is_set(operand) or nested:
                raise _fail(
                    "DS202",
                    f"Operand {position} of {OPERATIONS[name].sign or name} is a {_class(cast(Any, operand))}.",
                    "Give the result of an operator, a number, types.Constant, a flat list, or an array of numbers.",
                    argument=f"operand {position}",
                )  # fmt: skip
            written.append(len(inputs))
            inputs.append(operand)
        else:
            written.append(given)
    trace = Trace.current() or _trace_of(inputs, {})
    if trace is not None:
        nodes: list[DataNode] = [
            one if isinstance(one, DataNode) else constant(np.asarray(one), device="cpu") for one in inputs
        ]
        on_gpu = any(node.device == "gpu" for node in nodes)
        inputs = [node.gpu() if on_gpu else node for node in nodes]
    return trace_operator("arithmetic", inputs, {"expression": combine(OPERATIONS[name], written)}, trace)


add_operators(DataNode, arithmetic)


def _class(value: object) -> str:
    return type(value).__name__


def _number(operand: Any, position: int) -> Number | None:
    """A constant of an expression; ``None`` for what is an input."""
    if isinstance(operand, np.ndarray | np.generic) and not np.ndim(cast(Any, operand)):
        operand = constant(cast(Any, operand))
    try:
        if isinstance(operand, ScalarConstant):
            return number(operand.value, operand.dtype)
        return number(operand) if isinstance(operand, bool | int | float) else None
    except ValueError as error:
        hint = "Give a number that the type holds."
        raise _fail("DS105", str(error), hint, argument=f"operand {position}") from None


@contextmanager
def reading_at(place: Callable[[], str]) -> Generator[None]:
    """Let operators that the body appends come from a source that is read: `place` gives its ``file:line``."""
    before, _local.place = getattr(_local, "place", None), place
    try:
        yield
    finally:
        _local.place = before


def call_site() -> str:
    """``file:line`` of the user's code that led here, or an empty string."""
    place: Callable[[], str] | None = getattr(_local, "place", None)
    if place is not None:
        return place()
    frame: FrameType | None = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return ""
    file = Path(frame.f_code.co_filename)
    # a notebook's cells have numbers for names, in a folder of the kernel
    name = "notebook cell" if file.parent.name.startswith("ipykernel_") else file.name
    return f"{name}:{frame.f_lineno}"


def trace_operator(name: str, inputs: Sequence[Any], arguments: Mapping[str, Any], trace: Trace | None = None) -> Any:
    """Append an operator to the pipeline that is being defined.

    Parameters
    ----------
    name
        Registry name.
    inputs
        DataNodes, numbers, lists of numbers and arrays (which become constants), or lists of DataNodes (several inputs
        at once).
    arguments
        As given to the ``fn`` function; DataNodes become argument inputs.

    Returns
    -------
    DataNode, or list of DataNode for several outputs

    Raises
    ------
    DaliStudioError
        For arguments and inputs that are not acceptable; with the caller's line.
    """
    current = Trace.current()
    if current is not None and current.immediate is not None:
        return current.immediate(name, inputs, arguments)
    wide = [len(item) for item in inputs if _is_set(item)]
    if wide:
        if len(set(wide)) != 1:
            raise _fail("DS202", f"The input lists have different lengths: {wide}.", "Give lists of one length.")
        rows: list[list[Any]] = [
            [item[i] if _is_set(item) else item for item in inputs] for i in range(wide[0])
        ]
        results = [trace_operator(name, row, arguments, trace) for row in rows]
        if len(results) == 1:
            return results[0]
        return results if not isinstance(results[0], list) else [list(column) for column in zip(*results, strict=True)]
    if trace is None or trace.outside:
        trace = current or trace or _trace_of(inputs, arguments)
    return _Call(trace, default_registry().schema(name)).append(inputs, arguments)


def _is_set(item: Any) -> bool:
    """Whether one call stands for several, one for each DataNode of a list."""
    return isinstance(item, list | tuple) and any(isinstance(part, DataNode) for part in cast("Sequence[Any]", item))


def _trace_of(inputs: Sequence[Any], arguments: Mapping[str, Any]) -> Trace:
    """That of the inputs, or a new one: outside of definitions, too, operators may be called."""
    traces = [item.trace for item in (*inputs, *arguments.values()) if isinstance(item, DataNode)]
    return next((one for one in traces if not one.outside), None) or next(
        iter(traces), Trace(GraphOptions(), outside=True)
    )


def _fail(code: str, message: str, hint: str, *, node: str = "", argument: str = "") -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(code=code, message=message, hint=hint, node=node, argument=argument, source=call_site())
    )


#: The argument by which an operator without inputs knows the samples of its branch, as in nvidia.dali.
_SCOPE = "_scope"


class _Call:
    """One call of a function: sorts what was given into inputs, wires, values and objects."""

    def __init__(self, trace: Trace, schema: OperatorSchema) -> None:
        self.trace, self.schema = trace, schema
        self.values: dict[str, Value] = {}
        self.objects: dict[str, object] = {}
        self.wires: dict[str, DataNode] = {}

    def append(self, inputs: Sequence[Any], arguments: Mapping[str, Any]) -> Any:
        try:
            given = as_today(self.schema, arguments)
        except ArgumentError as error:
            raise _fail(error.code, error.message, error.hint, argument=error.argument) from None
        name, device = given.pop("name", None), given.pop("device", None)
        nodes = [self._node(item, position) for position, item in enumerate(inputs)]
        variable = self._suggested()
        key = self.trace.new_key(name or self.trace.name_of(variable) or self.schema.node_name)
        for argument, value in given.items():
            self._sort(key, argument, value)
        if self.trace.branches is not None and self.schema.argument(_SCOPE) is not None and _SCOPE not in given:
            scope = self.trace.branches.scope()
            if scope is not None:
                self.wires[_SCOPE] = scope
        placed = self._device(key, device, nodes)
        graph = self.trace.graph
        graph.add_node(
            Node(
                key=key, operator=self.schema.name, device=placed, arguments=self.values, objects=self.objects,
                origin=call_site(), version=self.schema.version,
            )
        )
        for position, node in enumerate(nodes):
            graph.connect(node.port, key, position)
        for argument, node in self.wires.items():
            graph.connect(node.port, key, argument=argument)
        if name is not None:
            self.trace.names[name] = key
        self.trace.held.add(variable)
        outputs = default_registry().outputs(self.schema.name, self.values, len(nodes))
        made = [
            DataNode(self.trace, PortRef(node=key, output=i), "cpu" if output.on_cpu else placed)
            for i, output in enumerate(outputs)
        ]
        if self.trace.branches is not None:
            self.trace.branches.register([one.port for one in made], fed=bool(nodes or self.wires))
        if self.schema.by_name:
            return {output.name: one for output, one in zip(outputs, made, strict=True)}
        several = len(made) > 1 or (self.schema.role == "external_source" and "num_outputs" in self.values)
        if not made:  # a Python function that gives nothing
            return None
        return made if several else made[0]

    def _suggested(self) -> str:
        if self.schema.role in ("constant", "split", "merge"):  # made on the way to what the user writes
            return ""
        suggested, self.trace.suggested = self.trace.suggested, ""
        return suggested

    def _node(self, item: Any, position: int) -> DataNode:
        if isinstance(item, DataNode):
            return self.trace.here(item)
        if isinstance(item, ScalarConstant):
            return self.trace.here(cast(DataNode, constant(item.value, item.dtype, device="cpu")))
        if is_scalar(item) or isinstance(item, list | tuple | np.ndarray | np.generic):
            return self.trace.here(cast(DataNode, constant(item, device="cpu")))
        raise _fail(
            "DS202", f"Input {position + 1} of fn.{self.schema.name} is a {type(item).__name__}.",
            "Give the result of another operator, a number, a list of numbers or an array.",
        )  # fmt: skip

    def _sort(self, key: str, name: str, value: Any) -> None:
        argument = self.schema.argument(name)
        if argument is None:
            near = nearest(name, (a.name for a in self.schema.arguments))
            hint = f"Did you mean {near!r}?" if near else f"See help(fn.{self.schema.name})."
            raise _fail("DS102", f"fn.{self.schema.name} has no argument {name!r}.", hint, node=key, argument=name)
        if value is None:
            return
        if isinstance(value, DataNode):
            self.wires[name] = self.trace.here(value)
        elif argument.type == "object":
            self.objects[name] = value
        else:
            items: Sequence[Any] = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()
            plain = [_plain(one) for one in items] if isinstance(value, list | tuple) else _plain(value)
            try:
                self.values[name] = canonical(argument, plain)
            except ArgumentError as error:
                if argument.tensor and isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
                    # the same tensor for every sample, such as places of pieces by rows
                    self.wires[name] = self.trace.here(constant_node("cpu", value, None, None, None))
                    return
                hint = error.hint
                if argument.tensor and _has_results(items):
                    hint = "fn.stack makes one result of results and numbers, such as fn.stack(x, 0.5)."
                raise _fail(error.code, error.message, hint, node=key, argument=name) from error

    def _device(self, key: str, device: str | None, nodes: Sequence[DataNode]) -> Device:
        known = self.schema.devices
        if device is not None:
            if device not in known:
                raise _fail("DS207", f"fn.{self.schema.name} has no {device!r} backend; it has {', '.join(known)}.",
                            f"Use device={known[0]!r}.", node=key, argument="device")  # fmt: skip
            return device
        if any(node.device == "gpu" for node in nodes) and "gpu" in known:
            return "gpu"
        return known[0]


def _has_results(items: Sequence[Any]) -> bool:
    return any(isinstance(one, DataNode) for one in items)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, ScalarConstant) else value


def constant(
    value: Any, dtype: DALIDataType | None = None, shape: Sequence[int] | int | None = None, layout: str | None = None,
    device: str | None = None, **arguments: Any,
) -> Any:
    """A value that is the same for every sample.

    Parameters
    ----------
    value : bool, int, float, sequence or ndarray
        Or members of an enumeration, such as ``types.INTERP_CUBIC``.
    dtype : DALIDataType, optional
        That of the members; INT32 for whole numbers, FLOAT for others, BOOL for truth values; the array's own for numpy
        arrays, but INT32 for int64, UINT32 for uint64 and FLOAT for float64 (a scalar that stays a Python value keeps
        its own).
    shape : sequence of int, optional
        Shape to fill or to form. ``[1]`` and ``1`` without a device mean a scalar, as in nvidia.dali.
    layout : str, optional
    device : str, optional
        "cpu" or "gpu".

    Returns
    -------
    ScalarConstant or DataNode
        A scalar without shape, layout and device stays a Python value until it is used; anything else is a node of the
        pipeline that is being defined.

    Raises
    ------
    DaliStudioError
        DS104 for what is not made of numbers, DS105 for values that the type cannot hold.
    """
    value, members = numbered(value)
    dtype = dtype or members
    scalar_shape = shape is None or shape == 1 or tuple(np.atleast_1d(shape).tolist()) in ((), (1,))
    stays = scalar_shape and not layout and device is None and not arguments
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        scalar = np.asarray(cast(Any, value))
        dtype = dtype or (from_numpy(scalar.dtype) if stays else array_type(scalar))
        value = scalar.item()
    if isinstance(value, bool | int | float) and stays:
        return ScalarConstant(value, dtype)
    return constant_node(device or "cpu", value, dtype, shape, layout, **arguments)


def constant_node(
    device: str, value: Any, dtype: DALIDataType | None, shape: Sequence[int] | int | None, layout: str | None,
    **arguments: Any,
) -> Any:
    """The node of a constant, in the pipeline that is being defined; the arguments are those of `constant`."""
    given = constant_arguments(value, dtype, shape, layout)
    node = trace_operator("constant", (), {**given, **arguments})
    return node.gpu() if device == "gpu" else node


def outputs_of(returned: Any) -> Sequence[Any]:
    """The outputs that a definition returns: a list of numbers is one constant, of anything else several outputs."""
    if isinstance(returned, tuple):
        return cast("tuple[Any, ...]", returned)
    several = isinstance(returned, list) and not (returned and all(map(is_scalar, cast("list[Any]", returned))))
    return cast("list[Any]", returned) if several else [returned]


def output_port(trace: Trace, item: Any, position: int) -> PortRef:
    """The port of an output of a pipeline: of a result, or of a constant that is made of a value."""
    if isinstance(item, DataNode):
        return trace.here(item).port
    if isinstance(item, ScalarConstant):
        return cast(DataNode, constant(item.value, item.dtype, device="cpu")).port
    several = issubclass(type(item), list | tuple) and not _has_results(item)
    if is_scalar(item) or several or hasattr(item, "__array__"):
        return cast(DataNode, constant(item, device="cpu")).port
    raise DaliStudioError(
        Diagnostic(
            code="DS205", message=f"Output {position} is a {type(item).__name__}; operator results are accepted.",
            hint="Return what fn functions gave, one by one; * before a list of results gives them so.",
        )
    )
