"""All findings about a graph, and what is known of every port."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import cast

from dali_studio.core.diagnostics import ArgumentError, Diagnostic, errors
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.graph import checks
from dali_studio.graph.edits import PortRef
from dali_studio.graph.fit import argument_misfits, input_misfits
from dali_studio.graph.labels.guard import label_findings, masks_of
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node, cycle_found
from dali_studio.graph.objects import MISSING
from dali_studio.graph.ways import Branches, undivided
from dali_studio.schema.arguments import Args
from dali_studio.schema.model import OperatorSchema, OutputSchema
from dali_studio.schema.registry import Registry

#: Findings after which an operator cannot say anything about its outputs.
_BLOCKING = frozenset({"DS103", "DS104", "DS105", "DS107", "DS201", "DS203", "DS209"})


@dataclass(slots=True)
class Validation:
    """The result of `validate`.

    Attributes
    ----------
    diagnostics
        All findings: the pipeline's own first, then by node in order of computation.
    metas
        What is known of every output port; ``TensorMeta()`` with kind and device where nothing is.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    metas: dict[PortRef, TensorMeta] = field(default_factory=dict[PortRef, TensorMeta])


def validate(graph: Graph, registry: Registry, whole: Graph | None = None) -> Validation:
    """Check everything and infer types; never raises for what a graph holds.

    A node is blamed for its own faults only: where an input is missing or its source has failed, downstream types are
    unknown and what follows from that is not reported again. `whole` is the graph with the nodes that are left out, of
    which one may be what would move a label.
    """
    found = [cycle_found(cycle)] if (cycle := graph.find_cycle()) else []
    found += _outputs(graph, registry)
    inference = _Inference(graph, registry)
    for key in graph.computable():
        inference.visit(key)
    for key in graph:
        if key not in inference.visited:  # on a cycle, or fed by one
            inference.visit(key, infer=False)
    labels: list[Diagnostic] = []
    if not cycle:
        for port in masks_of(graph, registry, inference.metas):
            inference.metas[port] = inference.metas[port].with_(kind="mask")
        labels = [*_mixed(graph, registry), *label_findings(whole or graph, registry, inference.metas)]
    return Validation(tuple(found + inference.found + labels), inference.metas)


def _mixed(graph: Graph, registry: Registry) -> Iterator[Diagnostic]:
    """Nodes that bring the samples of a branch together with others; those behind such a one are not blamed."""
    branches = Branches(graph, registry)
    found = branches.mixed(graph)
    behind = {key for one in found for key in graph.descendants(one)}
    for key, about in found.items():
        if key in behind:
            continue
        inner, under = max(about, key=lambda one: len(one[1]))
        other, outside = next(one for one in about if one[1] != under)
        names = [undivided(graph, registry, one[0].source).node for one in ((inner, under), (other, outside))]
        if key in branches.merges and inner.input is not None:
            other, message = inner, f"{key} merges {names[0]}, which is not of that branch of its condition."
        else:
            whose = "those of another branch" if outside.items() - under.items() else "more than these"
            message = f"{key} takes {names[0]} for the samples of a branch, and {names[1]} for {whose}."
        schema = registry.schema(graph.node(key).operator)
        name = other.argument if other.input is None else schema.input_name(other.input)
        hint = "Split all of them by one condition, or merge the branches before this step."
        yield checks.finding(graph.node(key), "DS211", message, hint, argument=name)


def refusals(graph: Graph, registry: Registry, validation: Validation) -> tuple[Diagnostic, ...]:
    """The findings that prevent a run: what no output depends on is left out of it, with its faults."""
    needed = graph.reachable(registry=registry)
    return tuple(d for d in errors(validation.diagnostics) if not d.node or d.node in needed)


def infer(graph: Graph, registry: Registry, keys: Collection[str]) -> dict[PortRef, TensorMeta]:
    """What is known of the outputs of `keys`, which must contain all their sources."""
    inference = _Inference(graph, registry)
    for key in graph.computable():
        if key in keys:
            inference.visit(key)
    return inference.metas


class KnownTypes:
    """What is known of the outputs of a graph that changes: inferred when it is asked for, and then kept.

    Who changes a node says so by `forget`, before or after.
    """

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self._graph, self._registry = graph, registry
        self._inference = _Inference(graph, registry)
        self._stuck: set[str] = set()  # on a cycle, or fed by one

    def of(self, port: PortRef) -> TensorMeta:
        """What is known of an output; nothing where there is none, or a cycle before it."""
        if self._graph.node(port.node).operator not in self._registry:
            self.forget(port.node)  # how many outputs it has is told by its wires
        found, open_ = self._inference, dict.fromkeys([port.node])
        while open_:
            key = next(reversed(open_))
            sources = self._graph.predecessors(key)
            waits = [one for one in sources if not self._seen(one) and one not in open_]
            if waits:
                open_[waits[0]] = None
                continue
            del open_[key]
            if any(one in self._stuck or one in open_ for one in sources):
                self._stuck.add(key)
            elif key not in found.visited:
                found.visit(key)
        return found.metas.get(port, TensorMeta())

    def forget(self, key: str) -> None:
        """A node changes: of it and of all that depends on it nothing is known any more."""
        pending = [key]
        while pending:
            one = pending.pop()
            if self._seen(one):
                self._stuck.discard(one)
                self._inference.forget(one)
                pending += [target for target, _ in self._graph.fed_by(one)]

    def _seen(self, key: str) -> bool:
        return key in self._inference.visited or key in self._stuck


def _outputs(graph: Graph, registry: Registry) -> list[Diagnostic]:
    if not graph.outputs:
        hint = "Choose at least one output of a node as output of the pipeline."
        return [Diagnostic(code="DS205", message="The pipeline returns nothing.", hint=hint)]
    found: list[Diagnostic] = []
    for index, port in enumerate(graph.outputs):
        missing = port_missing(graph, registry, port)
        if missing:
            found.append(
                Diagnostic(code="DS209", message=f"Output {index} of the pipeline: {missing}",
                           hint="Choose another output.", node=port.node)
            )  # fmt: skip
    return found


def port_missing(graph: Graph, registry: Registry, port: PortRef) -> str:
    """Why the port does not exist, as a sentence; empty if it does, or if its operator is unknown."""
    if port.node not in graph:
        return f"there is no node called {port.node!r}."
    outputs = checks.output_schemas(graph, port.node, registry)
    count = MAX_OUTPUTS if outputs is None else len(outputs)  # nobody knows how many an unknown operator has
    if 0 <= port.output < count:
        return ""
    return f"{port.node} has {count} outputs{' at most' * (outputs is None)}; number {port.output} was asked for."


#: What the findings about a node follow from, and these: diagnostics, types of outputs, and whether they are unsure.
_Known = tuple[object, list[Diagnostic], dict[PortRef, TensorMeta], bool]


class _Inference:
    """Walks the nodes in order and gathers findings and types."""

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self._graph, self._registry = graph, registry
        self.found: list[Diagnostic] = []
        self.metas: dict[PortRef, TensorMeta] = {}
        self.visited: set[str] = set()
        self._unsure: set[str] = set()  # nodes whose types are unknown because something before them is wrong

    def visit(self, key: str, *, infer: bool = True) -> None:
        """Find what there is about a node whose sources were visited."""
        self.visited.add(key)
        node = self._graph.node(key)
        given = self._given(node) if infer else None
        known = cast("_Known | None", node.known.get("types")) if given is not None else None
        if known is None or known[0] != given:
            at = len(self.found)
            outputs = self._visit(node, infer=infer)
            ports = [PortRef(node=key, output=index) for index in range(len(outputs))]
            known = given, self.found[at:], {port: self.metas[port] for port in ports}, key in self._unsure
            if given is not None:
                node.known["types"] = known
            return
        self.found += known[1]
        self.metas.update(known[2])
        if known[3]:
            self._unsure.add(key)

    def _given(self, node: Node) -> object:
        """What findings about a node follow from; ``None`` where some of it is missing, or outside of the graph."""
        ends = self._graph.ends(node.key)
        metas = tuple(self.metas.get(wire.source) for wire in ends.wires)
        if not metas or None in metas or node.objects or node.operator not in self._registry:
            return None
        unsure = tuple(source in self._unsure for source in ends.sources)
        return self._registry.schema(node.operator), self._graph.options, ends, metas, unsure

    def _visit(self, node: Node, *, infer: bool) -> tuple[OutputSchema, ...]:
        key = node.key
        outputs = checks.output_schemas(self._graph, key, self._registry)
        if outputs is None:
            self.found.append(_unknown(self._registry, node))
            self._unsure.add(key)
            outputs = asked_outputs(self._graph, key)
            self._publish(node, outputs, ())
            return outputs
        schema = self._registry.schema(node.operator)
        found = checks.check_node(self._graph, node, schema) + self._wires(node, schema)
        self.found += found
        metas: tuple[TensorMeta, ...] = ()
        if not infer or any(d.code in _BLOCKING for d in errors(found)):
            self._unsure.add(key)
        else:
            metas = self._infer(node, schema)
        self._publish(node, outputs, metas)
        return outputs

    def forget(self, key: str) -> None:
        """Take back what `visit` has found of a node's outputs."""
        self.visited.discard(key)
        self._unsure.discard(key)
        number = 0
        while self.metas.pop(PortRef(node=key, output=number), None) is not None:
            number += 1

    def _wires(self, node: Node, schema: OperatorSchema) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        places: dict[str, tuple[str, str]] = {}
        for index, port in enumerate(self._graph.inputs(node.key)):
            declared, name = schema.input(index), schema.input_name(index)
            if declared is None or port is None or self._port(node, port, name, found):
                continue
            meta = self._meta(port)
            found += input_misfits(node, port, meta, declared, self._registry, name)
            places[name] = (port.node, meta.device)
        for name, port in self._graph.argument_inputs(node.key).items():
            argument = schema.argument(name)
            if argument is None:
                found.append(checks.unknown_argument(node, schema, name))
            elif not self._port(node, port, name, found):
                found += argument_misfits(node, port, self._meta(port), argument)
        return found + checks.check_devices(node, schema, places)

    def _port(self, node: Node, port: PortRef, name: str, found: list[Diagnostic]) -> bool:
        """Whether the port is missing; then a finding was added."""
        missing = port_missing(self._graph, self._registry, port)
        if missing:
            message = missing[0].upper() + missing[1:]
            found.append(checks.finding(node, "DS209", message, "Wire another output.", argument=name))
        return bool(missing)

    def _meta(self, port: PortRef) -> TensorMeta:
        return self.metas.get(port, TensorMeta())

    def _infer(self, node: Node, schema: OperatorSchema) -> tuple[TensorMeta, ...]:
        wired = self._graph.argument_inputs(node.key)
        objects = {name: value for name, value in node.objects.items() if value is not MISSING}
        metas = {name: self._meta(port) for name, port in wired.items()}
        args = Args(schema, checks.clean_values(node, schema), dict.fromkeys(wired), objects=objects, metas=metas)
        wired = self._graph.inputs(node.key)[: schema.most_inputs]  # those beyond have a finding already
        inputs = [self._meta(port) for port in wired if port is not None]
        try:
            return checks.on_its_device(node, self._registry.infer(node.operator, args, inputs))
        except ArgumentError as error:
            diagnostic = checks.from_error(node, error)
        except Exception as error:  # noqa: BLE001 - a fault in one operator must not hide the findings on all others
            diagnostic = checks.finding(
                node, "DS305", f"{node.operator} failed while its output types were inferred.",
                "Report this as a fault of the operator.", detail=f"{type(error).__name__}: {error}",
            )  # fmt: skip
        sure = not any(source in self._unsure for source in self._graph.predecessors(node.key))
        self._unsure.add(node.key)
        if sure:
            self.found.append(diagnostic)
        return ()

    def _publish(self, node: Node, outputs: tuple[OutputSchema, ...], metas: tuple[TensorMeta, ...]) -> None:
        if any(source in self._unsure for source in self._graph.predecessors(node.key)):
            self._unsure.add(node.key)
        device = "gpu" if node.device in ("gpu", "mixed") else "cpu"
        for index, output in enumerate(outputs):
            meta = metas[index] if index < len(metas) else TensorMeta()
            kind = output.kind if meta.kind == "any" else meta.kind
            where = "cpu" if output.on_cpu else device
            self.metas[PortRef(node=node.key, output=index)] = meta.with_(kind=kind, device=where)


def _unknown(registry: Registry, node: Node) -> Diagnostic:
    plain = registry.unknown(node.operator, node.key)
    return Diagnostic(code=plain.code, message=plain.message, hint=plain.hint, node=node.key, source=node.origin)


def asked_outputs(graph: Graph, key: str) -> tuple[OutputSchema, ...]:
    """Stand-ins for the outputs of an unknown operator: as many as the graph uses."""
    return tuple(OutputSchema(name=f"output_{i}") for i in range(max(graph.outputs_used(key), 1)))
