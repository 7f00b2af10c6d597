"""One statement for each node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from dali_studio.codegen import values
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.names import Names, plain
from dali_studio.codegen.parameters import Parameter, Parameters
from dali_studio.codegen.structure import NOT, Structure
from dali_studio.core import subscripts
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.dtypes import is_float, to_numpy
from dali_studio.core.expressions import Expression, Number, parse
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.checks import finding, output_schemas
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.validate import infer
from dali_studio.graph.written import WrittenFunction
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.registry import Registry

#: Arguments under which an operator of the role ``constant`` holds its values.
_CONSTANTS = ("fdata", "idata", "value")


@dataclass(slots=True)
class Writer:
    """Writes the body of the pipeline function, node by node.

    Attributes
    ----------
    outputs
        Those of every node that is written.
    used
        Nodes of which a variable is read.
    structure
        The `if` statements, in a program that has conditions.
    given
        Arguments that the caller of the function gives.
    parameters
        Parameters of the function, with their defaults: Python objects that the program cannot hold, and `given`.
    found
        Findings, in order of the program.
    owners
        Keys of the nodes that a statement is for.
    exposed
        Arguments, by node and name, that are parameters of a function within the program, to their names there.
    passed
        What these parameters get.
    imports
        Functions of modules that the program imports, to their names there.
    """

    graph: Graph
    registry: Registry
    dialect: Dialect
    names: Names
    outputs: Mapping[str, Sequence[OutputSchema]]
    used: frozenset[str]
    structure: Structure | None = None
    given: Parameters = field(default_factory=dict[tuple[str, str], Parameter])
    parameters: dict[str, ast.expr | None] = field(default_factory=dict[str, "ast.expr | None"])
    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    owners: dict[ast.AST, Sequence[str]] = field(default_factory=dict[ast.AST, "Sequence[str]"])
    exposed: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    passed: dict[str, ast.expr] = field(default_factory=dict[str, ast.expr])
    imports: dict[WrittenFunction, str] = field(default_factory=dict[WrittenFunction, str])
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _inside: list[str] = field(default_factory=list[str])
    _defined: set[PortRef] = field(default_factory=set[PortRef])
    _lost: list[str] = field(default_factory=list[str])
    _metas: dict[PortRef, TensorMeta] | None = None

    def statements(self, key: str) -> list[ast.stmt]:
        """The assignment for a node, or a bare call if nothing uses its outputs.

        In place of an operator or an argument whose name is none, or unknown, stands a ``raise``.
        """
        node = self.graph.node(key)
        ports = [PortRef(node=key, output=i) for i in range(len(self.outputs[key]))]
        self._lost.clear()
        with self.part_of(key) as belongs:
            value = self._value(node)
        self.defined(ports)
        written: list[ast.stmt] = []
        if self._lost:
            written.append(belongs(_refusal(f"{key}: {' '.join(self._lost)}")))
        if value is None:
            return written
        if key not in self.used or not ports:
            return [*written, belongs(ast.Expr(value))]
        variables = {self.names.ports[port]: port for port in ports}  # one for all items of a dictionary
        target: list[ast.expr] = [self.variable(port, ast.Store()) for port in variables.values()]
        listed = len(target) > 1 or self._gives_list(node)
        left = ast.Tuple(elts=target, ctx=ast.Store()) if listed else target[0]
        return [*written, belongs(ast.Assign(targets=[left], value=value, lineno=1))]

    @contextmanager
    def part_of(self, *keys: str) -> Generator[Callable[[ast.stmt], ast.stmt]]:
        """While a statement for nodes is written: what the body gets notes that it is for them, and for those in it."""
        before, self._inside = self._inside, list(keys)
        made = self._inside

        def belongs(statement: ast.stmt) -> ast.stmt:
            self.owners[statement] = made
            return statement

        try:
            yield belongs
        finally:
            self._inside = before

    def assigned(self, key: str, value: ast.expr) -> list[ast.stmt]:
        """The assignment of a value to the variable of a node."""
        self.defined([PortRef(node=key)])
        with self.part_of(key) as belongs:
            return [belongs(ast.Assign(targets=[self.variable(PortRef(node=key), ast.Store())], value=value, lineno=1))]

    def defined(self, ports: Iterable[PortRef]) -> None:
        """Note that the variables of these ports have their values."""
        self._defined.update(ports)

    def variable(self, port: PortRef, ctx: ast.expr_context) -> ast.Name:
        """The variable of a port."""
        return ast.Name(self.names.ports[port], ctx)

    def use(self, port: PortRef | None, node: Node | None, where: str) -> ast.expr:
        """The variable of a port; a placeholder and a finding if there is none (yet)."""
        if port is not None and self.structure is not None:
            port = self.structure.value(port)
            if port.node in self.structure.inlined:
                return self._inline(port.node)
        if port is not None and port in self._defined:
            key = self.names.keys.get(port)
            variable = self.variable(port, ast.Load())
            return variable if key is None else ast.Subscript(variable, ast.Constant(key), ast.Load())
        key, origin = (node.key, node.origin) if node is not None else ("", "")
        if port is None:
            code, message = "DS201", f"{where} is not wired; the program holds ... in its place."
        elif port in self.names.ports:
            code, message = "DS204", f"{where} depends on itself; the program holds ... in its place."
        else:
            message = (
                f"{where} is fed by output {port.output} of {port.node}, which does not exist; ... stands in its place."
            )
            code = "DS209"
        self.found.append(Diagnostic(code=code, message=message, hint="Wire it before running the program.", node=key,
                                     argument=where if node is not None else "", source=origin))  # fmt: skip
        return values.hole()

    # ------------------------------------------------------------------------------------------------ expressions

    def _inline(self, key: str) -> ast.expr:
        """A node that is written inside of the statement that reads it."""
        self._inside.append(key)
        value = self._value(self.graph.node(key))
        return values.hole() if value is None else value

    def _condition(self, node: Node, structure: Structure) -> ast.expr | None:
        """``a and b``, ``a or b``, ``not a``; nothing for all else."""
        if node.operator == NOT:
            source, *_ = [*self.graph.inputs(node.key), None]
            return ast.UnaryOp(op=ast.Not(), operand=self.use(source, node, "input 1"))
        if node.key not in structure.logicals:
            return None
        word, *sides = structure.logicals[node.key]
        operation = ast.And() if word == "and" else ast.Or()
        left, right = (self.use(side, node, f"The side of {word}") for side in sides)
        rest = right.values if isinstance(right, ast.BoolOp) and type(right.op) is type(operation) else [right]
        return ast.BoolOp(op=operation, values=[left, *rest])

    def _value(self, node: Node) -> ast.expr | None:
        """The call; nothing for an operator that neither the registry nor the dialect knows, whatever it is called."""
        if self.structure is not None and (condition := self._condition(node, self.structure)) is not None:
            return condition
        schema = self.registry.schema(node.operator) if node.operator in self.registry else None
        copies = schema is not None and schema.role == "copy"
        built_in = copies or (schema is not None and schema.role in ("arithmetic", "subscript"))
        reason, instead = ("", "") if built_in else self.dialect.lacks_operator(node.operator, schema)
        if schema is None:
            unknown = self.registry.unknown(node.operator, node.key)
            if reason or self.dialect.functions is None:
                self._lose(node, "DS101", unknown.message, unknown.hint)
                return None
            message = f"dali_studio does not know {node.operator}; it is written as {self.dialect.title} has it."
            self.found.append(finding(node, "DS101", message, "It cannot be run here.", severity="warning"))
            return self._call(node, None)
        if reason:
            message = f"{self.dialect.title} cannot express {node.operator}: {reason}."
            self._lose(node, "DS501", message, instead)
            return None
        if copies:
            return self._copy(node, schema)
        if schema.role == "arithmetic":
            return self._expression(node, schema)
        if schema.role == "subscript":
            return self._subscript(node, schema)
        if schema.role == "constant" and (literal := self._constant(node, schema)) is not None:
            return literal
        return self._call(node, schema)

    def _lose(self, node: Node, code: str, message: str, hint: str, argument: str = "") -> None:
        """Note that the program lacks something that the graph has."""
        self.found.append(finding(node, code, message, hint, argument=argument))
        self._lost.append(message)

    def _warn(self, node: Node, wrong: str, hint: str) -> None:
        """Note what the dialect does wrongly."""
        message = f"{self.dialect.title} {self.dialect.version} is wrong here: {wrong}."
        self.found.append(finding(node, "DS501", message, hint, severity="warning"))

    def _copy(self, node: Node, schema: OperatorSchema) -> ast.expr:
        """``x.gpu()`` or ``x.cpu()``, which leave alone what lies there already."""
        device = "cpu" if node.device == "cpu" else "gpu"
        source, *_ = self._inputs(node, schema)
        return _copied(source, device)

    def _expression(self, node: Node, schema: OperatorSchema) -> ast.expr | None:
        """``x * 2`` or ``math.sqrt(x)``; nothing for what is no expression."""
        try:
            parsed = parse(str(node.arguments.get("expression") or ""))
        except ValueError as error:
            self._lose(node, "DS105", str(error), "Write an operation such as a * 2.", "expression")
            return None
        if self.dialect.wrong_comparisons and parsed.operation.rule == "bool" and self._is_mixed(node, parsed):
            hint = "Write the whole number as a real one, such as -5.0 for -5, or cast what is whole to FLOAT."
            self._warn(node, self.dialect.wrong_comparisons, hint)
        inputs = self._inputs(node, schema)
        inputs += [self.use(None, node, schema.input_name(at)) for at in range(len(inputs), parsed.inputs)]
        operands = [inputs[one] if isinstance(one, int) else values.number(one) for one in parsed.operands]
        sign = parsed.operation.sign
        if not sign:
            return ast.Call(func=values.dotted(f"math.{parsed.operation.name}"), args=operands, keywords=[])
        return values.operation(sign, operands)

    def _is_mixed(self, node: Node, parsed: Expression) -> bool:
        """Whether a real number meets a whole one that may be below 0, as far as types are known."""
        wired = dict(enumerate(self.graph.inputs(node.key)))
        sides = [
            (one.dtype, one.value < 0) if isinstance(one, Number)
            else (self._meta(port).dtype if (port := wired.get(one)) is not None else None, True)
            for one in parsed.operands
        ]  # fmt: skip
        below = {dtype for dtype, is_below in sides if is_below and dtype is not None and to_numpy(dtype).kind == "i"}
        return bool(below) and any(dtype is not None and is_float(dtype) for dtype, _ in sides)

    def _subscript(self, node: Node, schema: OperatorSchema) -> ast.expr | None:
        """``x[0, i:]``; nothing for what is no index."""
        try:
            parsed = subscripts.parse(str(node.arguments.get("index") or ""))
        except ValueError as error:
            self._lose(node, "DS105", str(error), "Write an item for each axis, such as 0 or ::2.", "index")
            return None
        if self.dialect.wrong_steps and parsed[0].step not in (None, 1):
            hint = "Take flip or resize there, or run it in dali_studio, which gives Python's elements."
            self._warn(node, self.dialect.wrong_steps, hint)
        source, *_ = self._inputs(node, schema)
        wired = self.graph.argument_inputs(node.key)
        letters = {letter: self._position(node, letter, wired) for letter in sorted(subscripts.letters_of(parsed))}
        items = [values.subscript(one, letters) for one in parsed]
        index = items[0] if len(items) == 1 else ast.Tuple(elts=items, ctx=ast.Load())
        return ast.Subscript(value=source, slice=index, ctx=ast.Load())

    def _position(self, node: Node, letter: str, wired: dict[str, PortRef]) -> ast.expr:
        value = node.arguments.get(letter)
        return values.constant(value) if isinstance(value, int) else self.use(wired.get(letter), node, letter)

    def _constant(self, node: Node, schema: OperatorSchema) -> ast.expr | None:
        name = next((n for n in _CONSTANTS if node.arguments.get(n) is not None and schema.argument(n)), None)
        if name is None or self.graph.argument_inputs(node.key):
            return None
        value, shape = node.arguments[name], node.arguments.get("shape")
        scalar = self._meta(PortRef(node=node.key)).ndim == 0
        if isinstance(value, tuple) and len(value) == 1 and (shape is not None or scalar):
            value = value[0]  # a scalar is repeated over the shape
        named = values.members(value, node.arguments.get("dtype"))
        left_out = (name,) if named is None else (name, "dtype")
        keywords = [k for k in self._settings(node, schema) if k.arg not in left_out]
        if node.device == "gpu" or not isinstance(value, tuple):
            # without a device, a scalar would be a plain number that has no .gpu()
            keywords.append(ast.keyword("device", ast.Constant(node.device)))
        literal = values.constant(value) if named is None else named
        return ast.Call(func=values.dotted("types.Constant"), args=[literal], keywords=keywords)

    def _meta(self, port: PortRef) -> TensorMeta:
        if self._metas is None:  # of all at once, because to find the order takes as long as the graph is large
            known = {n.key for n in self.graph.nodes() if n.operator in self.registry}
            self._metas = infer(self.graph, self.registry, known)
        return self._metas.get(port, TensorMeta())  # of one in a circle, nothing is known

    def _call(self, node: Node, schema: OperatorSchema | None) -> ast.expr:
        keywords: list[ast.keyword] = []
        if node.device != self._default_device(node):
            keywords.append(ast.keyword("device", ast.Constant(node.device)))
        keywords += self._settings(node, schema)
        # An external source that returns a list stands for several operators, which cannot share a name.
        named = schema is not None and schema.role in ("reader", "external_source") and not self._gives_list(node)
        if named and all(k.arg != "name" for k in keywords):
            keywords.append(ast.keyword("name", ast.Constant(node.key)))
        function = values.dotted(f"fn.{self.dialect.function(node.operator, schema)}")
        declared = schema.in_dialect(self.dialect.name) if schema is not None else None
        inputs = self._inputs(node, schema)
        if node.device == "gpu" or declared is None or not declared.gpu_only:
            return ast.Call(func=function, args=inputs, keywords=keywords)
        if schema is not None and schema.role == "reader":  # a list of outputs has no .cpu()
            message = f"{self.dialect.title} has {node.operator} on the GPU alone; its outputs are there."
            self.found.append(finding(node, "DS501", message, "It needs a GPU, and a device_id.", severity="warning"))
            return ast.Call(func=function, args=[], keywords=[ast.keyword("device", ast.Constant("gpu")), *keywords])
        message = f"{self.dialect.title} has {node.operator} on the GPU alone; the program copies there and back."
        self.found.append(finding(node, "DS501", message, "It needs a GPU, and a device_id.", severity="warning"))
        call = ast.Call(func=function, args=[_copied(one, "gpu") for one in inputs], keywords=keywords)
        return _copied(call, "cpu")

    def _inputs(self, node: Node, schema: OperatorSchema | None) -> list[ast.expr]:
        wired = self.graph.inputs(node.key)
        needed = schema.least_inputs if schema is not None else 0
        result: list[ast.expr] = []
        for index in range(max(needed, len(wired))):
            where = schema.input_name(index) if schema is not None else f"input {index + 1}"
            result.append(self.use(wired[index] if index < len(wired) else None, node, where))
        return result

    def _settings(self, node: Node, schema: OperatorSchema | None) -> list[ast.keyword]:
        """Wired and set arguments that differ from their defaults, in the schema's order, unknown ones last."""
        wired = self.graph.argument_inputs(node.key)
        declared = [a.name for a in schema.arguments] if schema is not None else []
        rest = sorted({*wired, *node.arguments, *node.objects} - set(declared))
        keywords: list[ast.keyword] = []
        for name in [*declared, *rest]:
            value = self._setting(node, schema, name, wired)
            if (node.key, name) in self.exposed and name not in wired:
                value = self._exposed(node, schema, name, value)
            if value is not None and self._has_argument(node, name):
                keywords.append(ast.keyword(name, value))
        return keywords

    def _setting(
        self, node: Node, schema: OperatorSchema | None, name: str, wired: dict[str, PortRef]
    ) -> ast.expr | None:
        argument = schema.argument(name) if schema is not None else None
        value: Value = node.arguments.get(name)
        if name in wired:
            return self.use(wired[name], node, name)
        if isinstance(function := node.objects.get(name), WrittenFunction):
            return self._imported(function)
        if name in node.objects:
            return self._parameter(node, name)
        if (node.key, name) in self.given:
            return self._given(self.given[node.key, name])
        if value is not None:
            if argument is None:
                return values.constant(value)
            if values.is_default(argument, value):
                return None
            one = _is_source(schema) and node.arguments.get("num_outputs") in (None, 1)
            return values.argument_value(argument, value, alone=one)
        if argument is None or not argument.required:
            return None
        message = f"{name} is not set; the program holds ... in its place."
        self.found.append(finding(node, "DS103", message, "Set it before running the program.", argument=name))
        return values.hole()

    def parameter_name(self, parameter: Parameter) -> str:
        """What the function calls an argument that its caller gives."""
        if parameter.name not in self._names:
            self._names[parameter.name] = self.names.unused(parameter.name)
        return self._names[parameter.name]

    def _given(self, parameter: Parameter) -> ast.expr:
        name = self.parameter_name(parameter)
        self.parameters[name] = values.constant(parameter.default)
        return ast.Name(name, ast.Load())

    def _exposed(self, node: Node, schema: OperatorSchema | None, name: str, value: ast.expr | None) -> ast.expr | None:
        """The parameter in place of the value, which the function's call has; the default counts as one."""
        argument = schema.argument(name) if schema is not None else None
        if value is None and argument is not None and argument.default is not None:
            value = values.argument_value(argument, argument.default)
        if value is None:
            return None
        parameter = self.exposed[node.key, name]
        self.passed[parameter] = value
        return ast.Name(parameter, ast.Load())

    def _parameter(self, node: Node, name: str) -> ast.expr:
        parameter = self.names.unused(f"{node.key}_{name}")
        self.parameters[parameter] = None
        message = f"{name} is a Python object that a program's text cannot hold; it is the parameter {parameter}."
        hint = f"Give the object in place of the dots after {parameter}= where the pipeline function is called."
        self.found.append(finding(node, "DS501", message, hint, argument=name, severity="warning"))
        return ast.Name(parameter, ast.Load())

    def _imported(self, function: WrittenFunction) -> ast.expr:
        """The name of a function that stands in a module of its own; one that two nodes share is imported once."""
        # a node that is added before others leaves them their names
        objects = [one for key in self.graph if key in self.outputs for one in self.graph.node(key).objects.values()]
        for one in (made for made in objects if isinstance(made, WrittenFunction) and made not in self.imports):
            self.imports[one] = self.names.unused(one.name)
            self.names.functions.add(self.imports[one])
        return ast.Name(self.imports[function], ast.Load())

    def _has_argument(self, node: Node, name: str) -> bool:
        """Whether the program can name the argument; if not, there is a finding."""
        reason = self.dialect.lacks_argument(node.operator, name)
        if reason:  # known for what it does, so that the program is of use without it
            message = f"{self.dialect.title} has no {name} for {node.operator}: {reason}."
            self.found.append(finding(node, "DS501", message, "Unset it, or choose another dialect.", argument=name))
            return False
        if name == "device" or not plain(name):  # a node has a device of its own
            self._lose(node, "DS102", f"{node.operator} has no argument {name!r}.", "Unset it.", name)
            return False
        return True

    # ---------------------------------------------------------------------------------------------------- devices

    def _device(self, port: PortRef) -> str:
        known = output_schemas(self.graph, port.node, self.registry) or ()
        if port.output < len(known) and known[port.output].on_cpu:
            return "cpu"
        return "cpu" if self.graph.node(port.node).device == "cpu" else "gpu"

    def _default_device(self, node: Node) -> str:
        """Where the call runs without ``device``: on the GPU if any of its inputs lies there."""
        sources = [port for port in self.graph.inputs(node.key) if port is not None]
        return "gpu" if any(self._device(port) == "gpu" for port in sources) else "cpu"

    def _gives_list(self, node: Node) -> bool:
        """External sources return a list as soon as ``num_outputs`` is given, be it 1."""
        schema = self.registry.schema(node.operator) if node.operator in self.registry else None
        return _is_source(schema) and node.arguments.get("num_outputs") is not None


def _refusal(message: str) -> ast.stmt:
    error = ast.Call(func=ast.Name("NotImplementedError", ast.Load()), args=[ast.Constant(message)], keywords=[])
    return ast.Raise(exc=error)


def _copied(value: ast.expr, device: str) -> ast.expr:
    """``x.gpu()`` or ``x.cpu()``."""
    return ast.Call(func=ast.Attribute(value, device, ast.Load()), args=[], keywords=[])


def _is_source(schema: OperatorSchema | None) -> bool:
    return schema is not None and schema.role == "external_source"
