"""Graphs as serialized pipelines, which ``Pipeline.deserialize`` of nvidia.dali and dali_studio reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from dali_studio.api.expected import ExpectedOutputs
from dali_studio.api.serialized.messages import (
    CONDITION_NOT,
    EXPRESSION,
    SUBSCRIPT,
    TFRECORD,
    Argument,
    Definition,
    Operator,
    Tensor,
    encoded,
)
from dali_studio.codegen.dialects.dali import DIALECT
from dali_studio.core import subscripts
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import is_float, to_numpy
from dali_studio.core.expressions import Number, parse
from dali_studio.core.features import Feature
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.seeds import traversal
from dali_studio.schema.model import OperatorSchema
from dali_studio.schema.registry import Registry
from dali_studio.schema.values import typed

_TYPES = {bool: "bool", int: "int64", float: "float", str: "string"}
#: nvidia.dali's words for the parts of an index.
_PARTS = {"at": "at", "begin": "lo", "end": "hi", "step": "step"}
#: What an external source has in a file: how its data is made belongs to the program that feeds it.
_FED = ("dtype", "ndim", "layout", "repeat_last", "blocking", "no_copy", "name")


def serialized(
    graph: Graph, registry: Registry, expected: ExpectedOutputs | None = None, *, checkpointing: bool = False
) -> bytes:
    """The bytes of a graph, with the element types and ranks that are demanded of its outputs.

    Raises
    ------
    DaliStudioError
        DS501 for what only a program can hold: Python functions, and what nvidia.dali does not have.
    """
    options, count = graph.options, len(graph.outputs)
    dtypes = [None] * count if expected is None else expected.of("dtype", count)
    ranks = [None] * count if expected is None else expected.of("ndim", count)
    writing = _Writing(graph, registry)
    return encoded(
        Definition(
            num_threads=options.num_threads, batch_size=options.batch_size, device_id=options.device_id,
            seed=options.seed, checkpointing=checkpointing, prefetch_queue_depth=options.prefetch_queue_depth,
            operators=[one for key in _in_run(graph, registry) for one in writing.operators(graph.node(key))],
            outputs=[
                replace(
                    writing.tensor(port), dtype=-1 if dtype is None else int(dtype), ndim=-1 if rank is None else rank
                )
                for port, dtype, rank in zip(graph.outputs, dtypes, ranks, strict=True)
            ],
        )
    )  # fmt: skip


def _in_run(graph: Graph, registry: Registry) -> list[str]:
    """What is run, in the order by which nvidia.dali hands out the seeds of random operators."""
    sinks = set(graph.sinks(registry))
    return traversal(graph, [*(port.node for port in graph.outputs), *(key for key in graph.order() if key in sinks)])


class _Writing:
    def __init__(self, graph: Graph, registry: Registry) -> None:
        self.graph, self.registry = graph, registry

    def operators(self, node: Node) -> list[Operator]:
        """The operator of a node; none for a copy between devices, which is where a tensor is read."""
        schema = self.registry.schema(node.operator)
        if schema.role == "copy":
            return []
        if node.bypassed:
            raise _error(node, f"{node.key} is left out.", "Pipeline.from_graph(graph).serialize() writes the rest.")
        match schema.role:
            case "arithmetic":
                name, arguments = EXPRESSION, self._expression(node)
            case "subscript":
                name, arguments = SUBSCRIPT, self._subscript(node)
            case _:
                name, arguments = self._named(node, schema)
        wired = self.graph.argument_inputs(node.key)
        if schema.role == "subscript":
            wired = {}
        inputs = [self.tensor(port) for port in self.graph.inputs(node.key) if port is not None]
        inputs += [self.tensor(port, argument) for argument, port in wired.items()]
        if schema.role == "subscript":
            inputs += self._positions(node)
        outputs = [
            Tensor(self._name(PortRef(node=node.key, output=i)), "cpu" if one.on_cpu or node.device == "cpu" else "gpu")
            for i, one in enumerate(output_schemas(self.graph, node.key, self.registry) or ())
        ]
        device = Argument("device", "string", node.device)
        return [Operator(name, inputs, outputs, [device, *arguments], node.key)]

    def tensor(self, port: PortRef, argument: str = "") -> Tensor:
        """What lies at a port, read where the copies before it bring it."""
        source, device = port, ""
        while self.registry.schema(self.graph.node(source.node).operator).role == "copy":
            device = device or ("cpu" if self.graph.node(source.node).device == "cpu" else "gpu")
            before = self.graph.inputs(source.node)
            if not before or before[0] is None:
                raise _error(self.graph.node(source.node), f"{source.node} has no input.", "Wire it.")
            source = before[0]
        on_cpu = (output_schemas(self.graph, source.node, self.registry) or ())[source.output].on_cpu
        own = "cpu" if on_cpu or self.graph.node(source.node).device == "cpu" else "gpu"
        return Tensor(self._name(source), device or own, argument)

    def _name(self, port: PortRef) -> str:
        several = len(output_schemas(self.graph, port.node, self.registry) or ()) > 1
        return f"{port.node}[{port.output}]" if several else port.node

    # ----------------------------------------------------------------------------------------------------- arguments

    def _named(self, node: Node, schema: OperatorSchema) -> tuple[str, list[Argument]]:
        absent, instead = DIALECT.lacks_operator(node.operator, schema)
        if absent:
            raise _error(node, f"nvidia.dali cannot express {node.operator}: {absent}.", instead)
        if schema.role == "external_source" and node.arguments.get("num_outputs") is not None:
            raise _error(node, f"{node.key} gives several outputs.", "Write an external source for each of them.")
        objects = [name for name in node.objects if schema.role != "external_source"]
        if objects:
            message = f"{objects[0]} of {node.key} is a Python object, which has no form in a file."
            raise _error(node, message, "Write the program: it can be exported.")
        arguments = list[Argument]()
        for name, value in node.arguments.items():
            declared = schema.argument(name)
            if value is None or declared is None or (schema.role == "external_source" and name not in _FED):
                continue
            if declared.support == "ignored" or DIALECT.lacks_argument(node.operator, name):
                continue
            if declared.type == "features":
                arguments += _features(cast("dict[str, Feature]", typed(declared, value)))
            else:
                given = typed(declared, value)
                if schema.role == "external_source" and isinstance(given, tuple):  # one for each output
                    (given,) = cast("tuple[Any]", given)
                arguments.append(_argument(name, given, declared.type))
        special = {"readers.tfrecord": TFRECORD, "_conditional.not_": CONDITION_NOT}
        path = special.get(node.operator) or schema.class_name.replace(".", "__")
        return path, arguments

    def _expression(self, node: Node) -> list[Argument]:
        parsed = parse(str(node.arguments["expression"]))
        whole, real, words = list[int](), list[float](), list[str]()
        for operand in parsed.operands:
            if isinstance(operand, Number):
                kept: list[Any] = real if is_float(operand.dtype) else whole
                words.append(f"${len(kept)}:{to_numpy(operand.dtype).name}")
                kept.append(float(operand.value) if is_float(operand.dtype) else int(operand.value))
            else:
                words.append(f"&{operand}")
        made = [Argument("expression_desc", "string", f"{parsed.operation.name}({' '.join(words)})")]
        made += [Argument("integer_constants", "int64", whole, several=True)] if whole else []
        return [*made, *([Argument("real_constants", "float", real, several=True)] if real else [])]

    def _subscript(self, node: Node) -> list[Argument]:
        parsed = subscripts.parse(str(node.arguments["index"]))
        made = [
            Argument(f"{word}_{axis}", "int64", value)
            for axis, word, value in self._parts(node) if isinstance(value, int)
        ]  # fmt: skip
        return [*made, Argument("num_subscripts", "int64", len(parsed))]

    def _positions(self, node: Node) -> list[Tensor]:
        wired = self.graph.argument_inputs(node.key)
        return [
            self.tensor(wired[value], f"{word}_{axis}")
            for axis, word, value in self._parts(node) if isinstance(value, str)
        ]  # fmt: skip

    def _parts(self, node: Node) -> list[tuple[int, str, int | str]]:
        """Axis, nvidia.dali's word and the number of each part of an index, or the letter of what is wired."""
        found = list[tuple[int, str, int | str]]()
        for axis, one in enumerate(subscripts.parse(str(node.arguments["index"]))):
            for ours, word in _PARTS.items():
                value: int | str | None = getattr(one, ours)
                if isinstance(value, str) and isinstance(given := node.arguments.get(value), int):
                    value = given
                if value is not None:
                    found.append((axis, word, value))
        return found


def _argument(name: str, value: Any, kind: str) -> Argument:
    if isinstance(value, list | tuple):
        items = [_plain(one) for one in cast("tuple[Any, ...]", value)]
        empty = {"float": "float", "string": "string", "bool": "bool"}.get(kind.removesuffix("_list"), "int64")
        return Argument(name, _TYPES[type(items[0])] if items else empty, items, several=True)
    plain = _plain(value)
    return Argument(name, _TYPES[type(plain)], plain)


def _plain(value: Any) -> bool | int | float | str:
    return value if isinstance(value, bool | int | float | str) else int(value.value)


def _features(features: dict[str, Feature]) -> list[Argument]:
    def fields(one: Feature) -> dict[str, Argument]:
        made = [
            Argument("type", "int64", one.dtype),
            Argument("has_shape", "bool", one.fixed),
            Argument("shape", "int64" if one.shape else "", list(one.shape)),
            _argument("default_value", one.default, ""),
        ]  # fmt: skip
        return {inner.name: inner for inner in made}

    return [
        Argument("feature_names", "string", list(features), several=True),
        Argument("features", "TFRecord", list(map(fields, features.values())), several=True),
    ]


def _error(node: Node, message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS501", message=message, hint=hint, node=node.key, source=node.origin))
