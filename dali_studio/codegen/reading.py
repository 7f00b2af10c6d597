"""From straight-line calls of ``fn`` to edits: a program that is pasted becomes nodes. Nothing of its text is run."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any, NoReturn, cast

from dali_studio.codegen.names import plain
from dali_studio.codegen.values import COMPARED, SIGNS
from dali_studio.core import subscripts
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.expressions import LETTERS, number
from dali_studio.core.features import texts_of
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.wording import shortened
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, SetOutputs
from dali_studio.graph.model import Graph
from dali_studio.schema.dali_functions import FUNCTIONS
from dali_studio.schema.model import Device, OperatorSchema, OutputSchema, Value
from dali_studio.schema.registry import Registry

#: What is computed with plain numbers.
_NUMBERS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.USub: operator.neg,
}  # fmt: skip
_SIGNS: dict[type[ast.AST], str] = {ast.USub: "-"}
_SIGNS.update({kind: sign for table in (SIGNS, COMPARED) for sign, kind in table.items()})
_LONGEST = 200_000
#: Outputs of a node, and a name that the text does not define: it may be that of a node that is there already.
_Ports = tuple[PortRef, ...]


@dataclass(frozen=True, slots=True)
class _Unknown:
    name: str


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an enumeration of ``types``."""

    name: str


_Read = PortRef | _Ports | _Unknown | _Member | Value


def read_calls(text: str, graph: Graph, registry: Registry) -> tuple[Edit, ...]:
    """The edits that add the calls of `text` to `graph`.

    Assignments of calls of ``fn``, their copies (``.gpu()``), arithmetic of one operation and plain values are read,
    alone or in the body of a function or a ``with``. A variable that the text does not define is the node of this name,
    if the graph has one, and else an input that stays open.

    Raises
    ------
    DaliStudioError
        DS401 with the line that cannot be read; nothing is read then.
    """
    if len(text) > _LONGEST:
        raise DaliStudioError(_bad(f"The text has {len(text)} characters; {_LONGEST} are accepted."))
    tree = _parsed(text)
    reader = _Reader(graph, registry)
    reader.body(tree.body)
    if not reader.edits:
        raise DaliStudioError(_bad("The text calls no function of fn."))
    if reader.returned and not graph.outputs:
        reader.edits.append(SetOutputs(outputs=tuple(reader.returned)))
    return tuple(reader.edits)


def _parsed(text: str) -> ast.Module:
    """The text, whose lines may have been cut out of the middle of a function, with or without the first blanks."""
    first, _, rest = text.strip("\n").partition("\n")
    where = ""
    for form in (dedent(text), f"{first.strip()}\n{dedent(rest)}"):
        try:
            return ast.parse(form)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            where = where or (f"Line {error.lineno}: " if isinstance(error, SyntaxError) else "")
    raise DaliStudioError(_bad(f"{where}this is no Python program."))


def _bad(message: str, hint: str = "") -> Diagnostic:
    usual = "Paste assignments such as: images = fn.resize(images, size=224)."
    return Diagnostic(code="DS401", message=message, hint=hint or usual)


@dataclass(slots=True)
class _Reader:
    graph: Graph
    registry: Registry
    edits: list[Edit] = field(default_factory=list[Edit])
    returned: list[PortRef] = field(default_factory=list[PortRef])
    _names: dict[str, _Read] = field(default_factory=dict[str, "_Read"])
    _added: dict[str, AddNode] = field(default_factory=dict[str, AddNode])

    # ------------------------------------------------------------------------------------------------- statements

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Read statements in order; returns of the function end them."""
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef(args=arguments, body=body):
                defaults = zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)
                self._names.update({parameter.arg: self._read(default) for parameter, default in defaults})
                self.body(body)
            case ast.With(body=body):
                self.body(body)
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, self._read(value))
            case ast.Return(value=ast.expr() as value):
                self._return(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="set_outputs"), args=arguments)):
                self._return(ast.Tuple(elts=arguments))
            case ast.Expr(value=value) if not isinstance(value, ast.Constant) and not _runs(value):
                self._read(value)
            case _:
                if not isinstance(statement, _PASSED) and not _is_main(statement):
                    self._refuse(statement, "only assignments and calls of fn are read")

    def _assign(self, target: ast.expr, value: _Read) -> None:
        if isinstance(target, ast.Name):
            self._names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and all(isinstance(t, ast.Name) for t in target.elts):
            ports = _ports(value)
            if isinstance(value, PortRef | tuple) and len(ports) < len(target.elts) and not _is_values(value):
                ports = tuple(PortRef(node=ports[0].node, output=i) for i in range(len(target.elts)))
            if len(ports) < len(target.elts):
                self._refuse(target, "the variables are more than the outputs")
            for name, port in zip(target.elts, ports, strict=False):
                self._names[cast(ast.Name, name).id] = port
        else:
            self._refuse(target, "only variables are assigned to")

    def _return(self, value: ast.expr) -> None:
        for item in value.elts if isinstance(value, ast.Tuple | ast.List) else [value]:
            self.returned += [port for port in _ports(self._read(item)) if port not in self.returned]

    # ------------------------------------------------------------------------------------------------ expressions

    def _read(self, node: ast.expr) -> _Read:
        match node:
            case ast.Constant(value=None | bool() | int() | float() | str()):
                return cast(Value, node.value)
            case ast.Constant(value=value) if value is ...:  # stands for what is missing in an unfinished program
                return _Unknown("...")
            case ast.Name(id=name):
                known = self._names.get(name)
                if known is None and name not in self._names:
                    return PortRef(node=name) if name in self.graph else _Unknown(name)
                return known
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return self._list(node, [self._read(item) for item in items])
            case ast.Dict():
                return self._features(node)
            case ast.Attribute() if (path := _dotted(node)) and path.split(".")[0] == "types":
                return _Member(path.rsplit(".", 1)[1])
            case ast.Subscript(value=value, slice=index):
                return self._subscript(node, self._read(value), index)
            case ast.Call():
                return self._call(node)
            case ast.UnaryOp() | ast.BinOp() | ast.Compare():
                return self._operation(node)
            case _:
                pass
        return self._refuse(node, f"{shortened(ast.unparse(node))} is not read")

    def _operation(self, node: ast.UnaryOp | ast.BinOp | ast.Compare) -> _Read:
        match node:
            case ast.UnaryOp(op=sign, operand=operand):
                parts = [self._read(operand)]
            case ast.BinOp(left=left, op=sign, right=right):
                parts = [self._read(left), self._read(right)]
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                parts = [self._read(left), self._read(right)]
            case _:
                return self._refuse(node, "one comparison at a time is read")
        numbers = [part for part in parts if isinstance(part, int | float)]
        if len(numbers) < len(parts):
            return self._arithmetic(node, _SIGNS.get(type(sign), ""), parts)
        try:
            return _NUMBERS[type(sign)](*numbers)
        except (KeyError, ArithmeticError, ValueError):
            return self._refuse(node, "the number cannot be computed")

    def _list(self, node: ast.expr, items: list[_Read]) -> _Read:
        if items and all(isinstance(item, PortRef) for item in items):
            return cast(_Ports, tuple(items))
        plain_items = [item.name if isinstance(item, _Member) else item for item in items]
        if any(isinstance(item, PortRef | _Unknown | tuple) or item is None for item in plain_items):
            return self._refuse(node, "a list holds plain values alone")
        return cast(Value, tuple(plain_items))

    def _features(self, node: ast.Dict) -> _Read:
        """Descriptions of features, the only dictionary that an argument takes."""
        pairs = zip(node.keys, node.values, strict=True)
        try:
            return texts_of([f"{ast.unparse(key)}: {ast.unparse(item)}" for key, item in pairs if key is not None])
        except ValueError as error:
            return self._refuse(node, str(error))

    def _arithmetic(self, node: ast.expr, sign: str, operands: Sequence[_Read]) -> _Read:
        """A node of one operation."""
        schema = self._role("arithmetic", "cpu")
        if schema is None or not sign:
            return self._refuse(node, "this operation is not read")
        sources: list[PortRef | None] = []
        words: list[str] = []
        for value in operands:
            if isinstance(value, bool | int | float):
                words.append(str(number(value)))
            elif isinstance(value, PortRef | _Unknown) and len(sources) < len(LETTERS):
                words.append(LETTERS[len(sources)])
                sources.append(value if isinstance(value, PortRef) else None)
            else:
                return self._refuse(node, "operands are results and numbers")
        if sign.isidentifier():
            text = f"{sign}({', '.join(words)})"
        else:
            text = f"{sign}{words[0]}" if len(words) == 1 else f"{words[0]} {sign} {words[1]}"
        return self._add(schema, {"expression": text}, sources, {}, "")

    def _subscript(self, node: ast.expr, value: _Read, index: ast.expr) -> _Read:
        """One of several outputs, or a node that takes a part of a result."""
        first = next(iter(_ports(value)), None)
        if first is not None and isinstance(index, ast.Constant) and isinstance(index.value, str):
            names = [output.name for output in self._outputs(first)]
            if index.value not in names:
                return self._refuse(node, f"there is no output {shortened(index.value)}")
            return PortRef(node=first.node, output=names.index(index.value))
        if first is not None and (isinstance(value, tuple) or self._several(first)):
            if isinstance(index, ast.Constant) and isinstance(index.value, int) and 0 <= index.value < MAX_OUTPUTS:
                ports, at = list(_ports(value)), index.value
                return ports[at] if at < len(ports) else PortRef(node=first.node, output=at)
            return self._refuse(node, "outputs are named by their numbers")
        schema = self._role("subscript", "cpu")
        if schema is None or not isinstance(value, PortRef | _Unknown):
            return self._refuse(node, "only results have an index")
        wired: dict[str, PortRef] = {}
        items = index.elts if isinstance(index, ast.Tuple) else [index]
        text = ", ".join(self._item(item, wired) for item in items)
        return self._add(schema, {"index": text}, [value if isinstance(value, PortRef) else None], wired, "")

    def _item(self, item: ast.expr, wired: dict[str, PortRef]) -> str:
        """An item of an index; results in it get letters."""
        if isinstance(item, ast.Slice):
            ends = [self._bound(one, wired) if one else "" for one in (item.lower, item.upper, item.step)]
            return ":".join(ends if ends[2] else ends[:2])
        return self._bound(item, wired)

    def _bound(self, node: ast.expr, wired: dict[str, PortRef]) -> str:
        value = self._read(node)
        if isinstance(value, int):
            return str(int(value))
        if not isinstance(value, PortRef) or len(wired) == len(subscripts.LETTERS):
            return self._refuse(node, "positions are whole numbers and results")
        letter = subscripts.LETTERS[len(wired)]
        wired[letter] = value
        return letter

    def _several(self, port: PortRef) -> bool:
        """Whether the node has several outputs."""
        return len(self._outputs(port)) > 1

    def _outputs(self, port: PortRef) -> tuple[OutputSchema, ...]:
        """The outputs of a node; none of what is not known."""
        added = self._added.get(port.node)
        operator, values = ("", {}) if added is None else (added.operator, added.arguments)
        if added is None and port.node in self.graph:
            known = self.graph.node(port.node)
            operator, values = known.operator, known.arguments
        if operator not in self.registry:
            return ()
        return self.registry.outputs(operator, values, self.registry.schema(operator).most_inputs)

    def _call(self, node: ast.Call) -> _Read:
        path = _dotted(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("gpu", "cpu") and not node.args:
            return self._copied(node, node.func.value, "mixed" if node.func.attr == "gpu" else "cpu")
        modules, _, name = f".{path}".rpartition(".fn.")
        if path.startswith("math."):
            return self._arithmetic(node, path.removeprefix("math."), [self._read(argument) for argument in node.args])
        if path == "types.Constant":
            return self._constant(node)
        if not name or name == f".{path}" or modules not in ("", ".dali", ".nvidia.dali", ".dali_studio"):
            return self._refuse(node, f"{shortened(path or ast.unparse(node.func))} is not called here")
        return self._function(node, self._operator(node, name))

    def _function(self, node: ast.Call, schema: OperatorSchema) -> _Read:
        given = {k.arg: self._read(k.value) for k in node.keywords if k.arg is not None}
        if len(given) < len(node.keywords):
            return self._refuse(node, "arguments are given by name")
        device, name = given.pop("device", ""), given.pop("name", "")
        if device not in ("", "cpu", "gpu", "mixed"):
            return self._refuse(node, "device is 'cpu', 'gpu' or 'mixed'")
        wired = {argument: value for argument, value in given.items() if isinstance(value, PortRef)}
        values: dict[str, Value] = {}
        for argument, value in given.items():
            if isinstance(value, tuple) and not _is_values(value):
                return self._refuse(node, f"{argument} takes one wire")
            if isinstance(value, _Member):
                values[argument] = value.name
            elif argument not in wired and not isinstance(value, _Unknown):
                values[argument] = cast(Value, value)
        inputs = [port for argument in node.args for port in self._input(argument)]
        return self._add(schema, values, inputs, wired, str(device), name if isinstance(name, str) else "")

    def _input(self, node: ast.expr) -> tuple[PortRef | None, ...]:
        value = self._read(node.value) if isinstance(node, ast.Starred) else self._read(node)
        if isinstance(value, _Unknown):
            return (None,)
        ports = _ports(value)
        if not ports:
            self._refuse(node, "inputs are results of fn; constants are given by types.Constant")
        return ports if isinstance(value, tuple) else ports[:1]

    def _copied(self, node: ast.Call, source: ast.expr, device: Device) -> _Read:
        value = self._read(source)
        schema = self._role("copy", device)
        if schema is None or not isinstance(value, PortRef | _Unknown):
            return self._refuse(node, "only results are copied")
        return self._add(schema, {}, [value if isinstance(value, PortRef) else None], {}, device)

    def _constant(self, node: ast.Call) -> _Read:
        schema = self._role("constant", "cpu")
        value = self._read(node.args[0]) if node.args else None
        if schema is None or not isinstance(value, bool | int | float | tuple):
            return self._refuse(node, "a constant holds numbers")
        given = {k.arg: self._read(k.value) for k in node.keywords if k.arg}
        if not given:
            return cast(Value, value)  # a scalar without anything else is a number of arithmetic
        items = value if isinstance(value, tuple) else (value,)
        real = any(isinstance(item, float) for item in items)
        values: dict[str, Value] = {"fdata" if real else "idata": cast(Value, items)}
        device = given.pop("device", "")
        for name, item in given.items():
            values[name] = item.name if isinstance(item, _Member) else cast(Value, item)
        return self._add(schema, values, [], {}, str(device))

    # ------------------------------------------------------------------------------------------------------ nodes

    def _operator(self, node: ast.Call, name: str) -> OperatorSchema:
        if name in self.registry:
            return self.registry.schema(name)
        for known in self.registry:
            schema = self.registry.schema(known)
            if any(dialect.name == name for dialect in schema.dialects):
                return schema
        unknown = self.registry.unknown(name)
        reason = unknown.message if name in FUNCTIONS else f"there is no fn.{shortened(name)}"
        return self._refuse(node, reason.rstrip("."), unknown.hint)

    def _role(self, role: str, device: Device) -> OperatorSchema | None:
        schemas = (self.registry.schema(name) for name in self.registry)
        return next((s for s in schemas if s.role == role and device in s.devices), None)

    def _add(
        self, schema: OperatorSchema, values: dict[str, Value], inputs: Sequence[PortRef | None],
        wired: dict[str, PortRef], device: str, name: str = "",
    ) -> _Read:  # fmt: skip
        key = self._free(name if plain(name) else schema.node_name or schema.name.rsplit(".", 1)[-1])
        on_gpu = any(port is not None and self._on_gpu(port) for port in inputs)
        chosen = device or ("gpu" if on_gpu and "gpu" in schema.devices else schema.devices[0])
        node = AddNode(key=key, operator=schema.name, device=cast(Device, chosen), arguments=values)
        self._added[key] = node
        self.edits.append(node)
        for at, port in enumerate(inputs):
            if port is not None:
                self.edits.append(Connect(source=port, target=key, input=at))
        for argument, port in wired.items():
            self.edits.append(Connect(source=port, target=key, argument=argument))
        ports = tuple(PortRef(node=key, output=i) for i in range(max(len(schema.outputs), 1)))
        return ports[0] if len(ports) == 1 else ports

    def _free(self, base: str) -> str:
        key, count = base, 1
        while key in self.graph or key in self._added:
            count += 1
            key = f"{base}_{count}"
        return key

    def _on_gpu(self, port: PortRef) -> bool:
        node = self._added.get(port.node)
        if node is None:
            return port.node in self.graph and self.graph.node(port.node).device != "cpu"
        outputs = self.registry.schema(node.operator).outputs
        return node.device != "cpu" and not (port.output < len(outputs) and outputs[port.output].on_cpu)

    def _refuse(self, node: ast.AST, reason: str, hint: str = "") -> NoReturn:
        raise DaliStudioError(_bad(f"Line {getattr(node, 'lineno', 1)}: {reason}.", hint))


#: Statements that say nothing about a pipeline.
_PASSED = (ast.Import, ast.ImportFrom, ast.Pass, ast.Expr)


def _runs(value: ast.expr) -> bool:
    """Whether a call builds or runs a pipeline."""
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("build", "run")


def _is_main(statement: ast.stmt) -> bool:
    """Whether it begins with ``if __name__ ==``."""
    test = statement.test if isinstance(statement, ast.If) else None
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _dotted(node: ast.expr) -> str:
    """``fn.readers.file`` of an expression; empty for what is no path."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _is_values(value: object) -> bool:
    return isinstance(value, tuple) and not any(isinstance(item, PortRef) for item in cast("tuple[object, ...]", value))


def _ports(value: _Read) -> _Ports:
    if isinstance(value, PortRef):
        return (value,)
    return cast(_Ports, value) if isinstance(value, tuple) and not _is_values(value) else ()
