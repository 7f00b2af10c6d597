"""What one click takes away: findings about devices and labels, and readers that have nothing to read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from dali_studio.api.folders import folder_arguments
from dali_studio.api.placement import gpu_missing
from dali_studio.api.sample_readers import idle_words, sample_arguments
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.dtypes import is_float
from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.cards import role_of
from dali_studio.graph.edits import AddNode, Connect, PortRef, SetArgument, SetOutputs
from dali_studio.graph.labels import guard as label_guard
from dali_studio.graph.labels import twins as label_twins
from dali_studio.graph.mixing import unmixed
from dali_studio.graph.model import Graph
from dali_studio.graph.placement import Edits, Repair, repairs
from dali_studio.graph.validate import infer, validate
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry
from dali_studio.studio.programs.code_nodes import in_place_of


def offered(
    graph: Graph, registry: Registry, found: Iterable[Diagnostic]
) -> tuple[tuple[Repair, Callable[[Callable[[], Path]], Sequence[AnyEdit]]], ...]:
    """Repairs, and what gives the edits of each when it is told where to get the folder of sample photos from."""
    findings = tuple(found)
    gpu = gpu_missing(graph) is None
    bare = _without_missing(graph)
    idle = idle_words(bare, registry)
    fed = [d for d in findings if d.node in idle and d.code == "DS103" and d.argument == "file_root"]
    # of a folder that is not there, only a preview or a run tells
    fed += [Diagnostic(code="DS302", message="", node=key, argument="file_root") for key in idle
            if "file_root" in graph.node(key).arguments and "file_root" not in bare.node(key).arguments]  # fmt: skip
    return (
        *((repair, lambda _, edits=edits: edits) for repair, edits in repairs(graph, registry, findings, gpu=gpu)),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _twins(graph, registry, findings)),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _mixed(graph, registry, findings)),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _converted(graph, registry, findings)),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _cleared(graph, registry, findings)),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _rewired(graph, registry, findings)),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _written(graph, findings)),
        *((_samples(d, idle), lambda images, d=d: _reading(bare, registry, idle, d.node, images)) for d in fed),
        *((repair, lambda _, edits=edits: edits) for repair, edits in _windows(graph, registry)),
    )


def _twins(graph: Graph, registry: Registry, findings: Iterable[Diagnostic]) -> Iterator[tuple[Repair, Edits]]:
    """For labels that do not move with their image: what moves them."""
    unmoved = [found for found in findings if found.code == label_guard.CODE]
    metas = infer(graph, registry, set(graph)) if unmoved else {}
    for found in unmoved:
        made = label_twins.twin_edits(graph, registry, metas, found)
        if made is not None:
            yield Repair(code=found.code, node=found.node, argument=found.argument, title=made.title), made.edits


def _mixed(graph: Graph, registry: Registry, findings: Iterable[Diagnostic]) -> Iterator[tuple[Repair, Edits]]:
    """For samples of a branch that come together with others: all of it in the branch, or behind it."""
    for found in findings:
        made = unmixed(graph, registry, found.node) if found.code == "DS211" else None
        if made is not None:
            yield Repair(code=found.code, node=found.node, argument=found.argument, title=made[0]), made[1]


def _converted(graph: Graph, registry: Registry, findings: Iterable[Diagnostic]) -> Iterator[tuple[Repair, Edits]]:
    """For branches of other element types that come together: a cast of one of them, which keeps fractions."""
    for found in findings:
        if found.code != "DS203" or found.node not in graph or role_of(graph, registry, found.node) != "merge":
            continue
        metas = infer(graph, registry, set(graph))
        ports = [port for port in graph.inputs(found.node) if port is not None]
        if len(ports) < 2:
            continue
        dtypes = [metas[port].dtype for port in ports]
        for at, other in ((1, 0), (0, 1)):
            own, dtype = dtypes[at], dtypes[other]
            if own is None or dtype is None or (is_float(own) and not is_float(dtype)):
                continue
            key = _free(graph, "cast")
            edits: Edits = (
                AddNode(key=key, operator="cast", arguments={"dtype": dtype.name}),
                Connect(source=ports[at], target=key, input=0),
                Connect(source=PortRef(node=key), target=found.node, input=at),
            )
            if _solves(graph, edits, registry, found):
                title = f"Cast {ports[at].node} to {dtype.name}"
                yield Repair(code=found.code, node=found.node, argument=found.argument, title=title), edits
                break


def _cleared(graph: Graph, registry: Registry, findings: Iterable[Diagnostic]) -> Iterator[tuple[Repair, Edits]]:
    """For arguments that exclude each other: without the one that was given first."""
    for found in findings:
        if found.code != "DS103" or found.node not in graph:
            continue
        for name in graph.node(found.node).arguments:
            edits = (SetArgument(key=found.node, argument=name, unset=True),)
            if name in found.message and _solves(graph, edits, registry, found):
                title = f"Remove {name}"
                yield Repair(code=found.code, node=found.node, argument=found.argument, title=title), edits
                break


def _solves(graph: Graph, edits: Edits, registry: Registry, found: Diagnostic) -> bool:
    """Whether a finding is gone after edits."""
    after, _ = apply(graph, edits, registry)
    place = found.code, found.node, found.argument
    return not any((d.code, d.node, d.argument) == place for d in validate(after, registry).diagnostics)


#: What stands between files that nothing reads and an input that takes images.
_DECODER = "decoders.image"


def _rewired(graph: Graph, registry: Registry, findings: Iterable[Diagnostic]) -> Iterator[tuple[Repair, Edits]]:
    """For an input that is fed with what it does not take, or not at all: the nearest node that gives what it takes.

    An input without a wire may take what a decoder makes of files that nothing reads.
    """
    wrong = [found for found in findings if found.code in ("DS201", "DS203") and found.node in graph]
    metas = infer(graph, registry, set(graph)) if wrong else {}
    order = {key: at for at, key in enumerate(graph.order())} if wrong else {}
    for found in wrong:
        schema = registry.schema(graph.node(found.node).operator)
        declared = schema.inputs
        at = next((i for i, one in enumerate(declared) if one.name == found.argument), None)
        if at is None or declared[at].kind == "any":
            continue
        behind = {found.node, *graph.descendants(found.node)}
        fits = [port for port, meta in metas.items() if meta.kind == declared[at].kind and port.node not in behind]
        # of its own branch, where it has a wire; then one that feeds nothing, which has just lost this wire
        own = graph.reachable([PortRef(node=found.node)]) if found.code == "DS203" else ()
        ranks = {p: (p.node not in own, bool(graph.consumers(p)) or p in graph.outputs, -order[p.node]) for p in fits}
        for port in sorted(fits, key=ranks.__getitem__):
            edits: Edits = (Connect(source=port, target=found.node, input=at),)
            title = f"Wire {port.node} instead"
            if found.code == "DS201":
                title = f"Put it after {port.node}" if at == 0 else f"Wire {port.node} to {found.argument}"
            if found.code == "DS201" and at == 0 and not graph.fed_by(found.node) and port in graph.outputs:
                # nothing takes what it makes: it is returned in place of what it takes
                own = PortRef(node=found.node)
                returned = tuple(own if one == port else one for one in graph.outputs)
                if own not in graph.outputs and schema.outputs and schema.outputs[0].kind == declared[at].kind:
                    edits = (*edits, SetOutputs(outputs=returned))
            if _solves(graph, edits, registry, found):
                yield Repair(code=found.code, node=found.node, argument=found.argument, title=title), edits
                break
        else:
            idle = [port for port, meta in metas.items() if meta.kind == "encoded" and not graph.consumers(port)]
            if found.code != "DS201" or not idle or _DECODER not in registry:
                continue
            stem = registry.schema(_DECODER).node_name or "decode"
            key = _free(graph, stem)
            edits = (
                AddNode(key=key, operator=_DECODER),
                Connect(source=idle[0], target=key, input=0),
                Connect(source=PortRef(node=key), target=found.node, input=at),
            )
            if _solves(graph, edits, registry, found):
                title = f"Decode what {idle[0].node} reads"
                yield Repair(code=found.code, node=found.node, argument=found.argument, title=title), edits


def _free(graph: Graph, stem: str) -> str:
    return next(name for n in count(1) if (name := stem if n == 1 else f"{stem}_{n}") not in graph)


#: What makes pictures at least as large as a window, and what says how windows leave them.
_RESIZE, _POLICY = "resize", "out_of_bounds_policy"
#: Arguments by which a window is told to leave its input.
_EXTENTS = ("crop", "crop_h", "start", "rel_start", "end", "rel_end", "shape", "rel_shape")


def _windows(graph: Graph, registry: Registry) -> Iterator[tuple[Repair, Edits]]:
    """For windows that may leave their input, which only samples tell: what else is there, and a resize before it."""
    for key in graph:
        node = graph.node(key)
        schema = registry.schema(node.operator) if node.operator in registry else None
        given = node.arguments
        may = schema is not None and schema.inputs and schema.argument(_POLICY)
        if not may or given.get(_POLICY, "error") != "error":
            continue
        wired = graph.argument_inputs(key)
        for argument in [name for name in _EXTENTS if name in given or name in wired] or [""]:
            told = {"code": "DS105", "node": key, "argument": argument}
            yield Repair(**told, title="Pad outside"), (SetArgument(key=key, argument=_POLICY, value="pad"),)
            size = given.get("crop") if argument == "crop" else (given.get("crop_h"), given.get("crop_w"))
            source = next(iter(graph.inputs(key)), None)
            each = size if isinstance(size, (tuple, list)) else ()
            sizes = [one for one in each if isinstance(one, (int, float)) and one]
            if not argument.startswith("crop") or len(sizes) != len("HW") or source is None or _RESIZE not in registry:
                continue
            before = _free(graph, registry.schema(_RESIZE).node_name or _RESIZE)
            large: dict[str, Value] = {"size": tuple(sizes), "mode": "not_smaller"}
            edits = (AddNode(key=before, operator=_RESIZE, device=node.device, arguments=large),
                     Connect(source=source, target=before, input=0),
                     Connect(source=PortRef(node=before), target=key, input=0))  # fmt: skip
            yield Repair(**told, title="Resize before"), edits


def _written(graph: Graph, findings: Iterable[Diagnostic]) -> Iterator[tuple[Repair, Sequence[AnyEdit]]]:
    """For an operator that nobody knows: a node whose function is written here."""
    for found in findings:
        if found.code == "DS101" and found.node in graph and not found.argument:
            title = "Write it as a code node"
            yield Repair(code=found.code, node=found.node, argument="", title=title), in_place_of(graph, found.node)


def _without_missing(graph: Graph) -> Graph:
    """The graph without the folders that are not on this machine, but for roots that it does not know."""
    missing = [
        node for node in graph.nodes() if isinstance(root := node.arguments.get("file_root"), str)
        and not root.startswith("${") and not Path(root).exists()
    ]  # fmt: skip
    if not missing:
        return graph
    bare = graph.copy()
    for node in missing:
        bare.replace_node(replace(node, arguments={k: v for k, v in node.arguments.items() if k != "file_root"}))
    return bare


def _samples(found: Diagnostic, idle: Mapping[str, str]) -> Repair:
    title = f"Read the sample {idle[found.node]}"
    return Repair(code=found.code, node=found.node, argument=found.argument, title=title)


def _reading(graph: Graph, registry: Registry, idle: Mapping[str, str], key: str, images: Callable[[], Path]) -> Edits:
    """Edits by which `key` reads samples, and with it readers of the same kind, since images and masks go together."""
    if idle[key] == "photos":
        told = {key: folder_arguments(images())}
    else:
        told = {one: what for one, what in sample_arguments(graph, registry).items() if idle[one] == idle[key]}
    return tuple(
        SetArgument(key=one, argument=name, value=value) for one, what in told.items() for name, value in what.items()
    )
