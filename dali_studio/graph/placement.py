"""Moving a graph between devices: repairs of single findings, and whole placements. All of it is edits."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import AddNode, Connect, Edit, PortRef, RemoveNode, SetDevice, SetOutputs, SetPipeline
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Wire
from dali_studio.schema.model import Device, OperatorSchema
from dali_studio.schema.registry import Registry


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that edits can take away; it is named by its code, node and argument.

    Attributes
    ----------
    title
        What the edits do, as a button says it.
    """

    code: str
    node: str
    argument: str
    title: str


Edits = tuple[Edit, ...]


def repairs(
    graph: Graph, registry: Registry, found: Iterable[Diagnostic], *, gpu: bool = True
) -> tuple[tuple[Repair, Edits], ...]:
    """What can be repaired about devices, and how; `gpu`: whether there is one."""
    made = [(d, repair) for d in found if (repair := _repair(graph, registry, d, gpu)) is not None]
    return tuple(
        (Repair(code=d.code, node=d.node, argument=d.argument, title=title), edits) for d, (title, edits) in made
    )


def _repair(graph: Graph, registry: Registry, found: Diagnostic, gpu: bool) -> tuple[str, Edits] | None:
    if found.node not in graph or found.code not in ("DS206", "DS207"):
        return None
    node = graph.node(found.node)
    schema = _schema(graph, registry, node.key)
    if found.code == "DS206":
        if schema is not None and node.device in schema.devices and graph.options.device_id is None:
            if not gpu and "cpu" in schema.devices:
                return f"Place {found.node} on the CPU", (SetDevice(key=found.node, device="cpu"),)
            return "Use GPU 0", (SetPipeline(option="device_id", value=0),)
        return None
    wire = _named(graph, registry, node.key, found.argument)
    if wire is None or schema is None:
        return None
    if node.device == "gpu" and wire.input is not None:
        return _copied(graph, registry, wire, "mixed")
    if wire.input is not None and node.device == "cpu" and "gpu" in schema.devices:
        chain = _chain(graph, registry, node.key)
        words = ", ".join(chain) if len(chain) <= 3 else f"{chain[0]} and {len(chain) - 1} more"
        return f"Place {words} on the GPU", tuple(SetDevice(key=key, device="gpu") for key in chain)
    return _from_cpu(graph, registry, wire) or _copied(graph, registry, wire, "cpu")


def _copied(graph: Graph, registry: Registry, wire: Wire, device: Device) -> tuple[str, Edits] | None:
    edits = _copies(registry, set(graph), [wire], device)
    title = f"Copy {wire.source.node} to the {'CPU' if device == 'cpu' else 'GPU'}"
    return (title, edits) if edits else None


def _from_cpu(graph: Graph, registry: Registry, wire: Wire) -> tuple[str, Edits] | None:
    """Let a wire begin on the CPU: before the copy that it comes from, or at its source, placed there."""
    source = _schema(graph, registry, wire.source.node)
    if source is not None and source.role == "copy":
        before = graph.inputs(wire.source.node)[:1]
        if before and before[0] is not None:
            title = f"Take {before[0].node} before the copy"
            return title, (Connect(source=before[0], target=wire.target, input=wire.input, argument=wire.argument),)
    if source is not None and "cpu" in source.devices and not graph.inputs(wire.source.node):
        return f"Place {wire.source.node} on the CPU", (SetDevice(key=wire.source.node, device="cpu"),)
    return None


def _named(graph: Graph, registry: Registry, key: str, name: str) -> Wire | None:
    """The wire that ends at the input or argument called `name`."""
    schema = _schema(graph, registry, key)


    def named(wire: Wire) -> str:
        return wire.argument if wire.input is None or schema is None else schema.input_name(wire.input)

    return next((wire for wire in graph.wires(key) if name == named(wire)), None)


def _chain(graph: Graph, registry: Registry, key: str) -> list[str]:
    """`key` and what it feeds on the CPU, as far as all of it can run on a GPU."""
    chain, found = [key], {key}
    for at in chain:  # which grows meanwhile
        for target, number in graph.fed_by(at):
            schema = _schema(graph, registry, target)
            fits = schema is not None and "gpu" in schema.devices and graph.node(target).device == "cpu"
            if number is not None and fits and target not in found:
                found.add(target)
                chain.append(target)
    return chain


# -------------------------------------------------------------------------------------------------- whole placements


def on_cpu(graph: Graph, registry: Registry) -> Graph:
    """The same graph on the CPU, without copies: two graphs that differ in placement alone become equal."""
    copies = {key for key in graph if (s := _schema(graph, registry, key)) is not None and s.role == "copy"}

    def before(port: PortRef) -> PortRef:
        while port.node in copies and (source := next(iter(graph.inputs(port.node)), None)) is not None:
            port = source
        return port

    edits: list[Edit] = [
        Connect(source=before(w.source), target=w.target, input=w.input, argument=w.argument)
        for w in graph.wires() if w.source.node in copies and w.target not in copies
    ]  # fmt: skip
    edits.append(SetOutputs(outputs=tuple(before(port) for port in graph.outputs)))
    edits += [RemoveNode(key=key) for key in copies]
    edits += [SetDevice(key=key, device="cpu") for key in graph if key not in copies]
    return apply(graph, edits, registry, check=False)[0]


def on_gpu(graph: Graph, registry: Registry) -> Graph:
    """The same graph with every operator on the GPU that can run there and feeds nothing that cannot.

    A pipeline that has no GPU gets number 0.
    """
    base = on_cpu(graph, registry)
    leaving: dict[str, list[Wire]] = {key: [] for key in base}
    for wire in base.wires():
        leaving[wire.source.node].append(wire)
    devices: dict[str, Device] = {}
    for key in reversed(base.order()):
        offered = schema.devices if (schema := _schema(base, registry, key)) is not None else ()
        may = bool(base.inputs(key)) and all(
            w.input is not None and devices.get(w.target, "cpu") == "gpu" for w in leaving[key]
        )
        wanted: list[Device] = [device for device in offered if may and device != "cpu"]
        devices[key] = wanted[0] if wanted else "cpu"
    edits: list[Edit] = [SetDevice(key=key, device=device) for key, device in devices.items() if device != "cpu"]
    if base.options.device_id is None:
        edits.append(SetPipeline(option="device_id", value=0))
    crossing = [
        w for w in base.wires()
        if devices[w.target] == "gpu" and devices[w.source.node] == "cpu" and not _either(base, registry, w)
    ]  # fmt: skip
    edits += _copies(registry, set(base), crossing, "mixed")
    return apply(base, edits, registry, check=False)[0]


def _either(graph: Graph, registry: Registry, wire: Wire) -> bool:
    """Whether a wire may end at a node on a GPU with data from the CPU: arguments, and inputs that say so."""
    schema = _schema(graph, registry, wire.target)
    if wire.input is None:
        return True
    declared = schema.input(wire.input) if schema is not None else None
    return declared is not None and declared.either_device


def _copies(registry: Registry, taken: set[str], wires: list[Wire], device: Device) -> Edits:
    """Put one copy behind every source of `wires`: "mixed" to the GPU, "cpu" from it; empty if none does that."""
    name = next((n for n in registry if (s := registry.schema(n)).role == "copy" and device in s.devices), None)
    if name is None:
        return ()
    keys: dict[PortRef, str] = {}
    edits: list[Edit] = []
    stem = registry.schema(name).node_name or name
    free = (key for n in count(1) if (key := stem if n == 1 else f"{stem}_{n}") not in taken)
    for wire in wires:
        if wire.source not in keys:
            key = next(free)
            keys[wire.source] = key
            edits += [AddNode(key=key, operator=name, device=device), Connect(source=wire.source, target=key, input=0)]
        source = PortRef(node=keys[wire.source])
        edits.append(Connect(source=source, target=wire.target, input=wire.input, argument=wire.argument))
    return tuple(edits)


def _schema(graph: Graph, registry: Registry, key: str) -> OperatorSchema | None:
    name = graph.node(key).operator
    return registry.schema(name) if name in registry else None
