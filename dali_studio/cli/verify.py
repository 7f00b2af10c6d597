"""``dali-studio verify``: runs a graph in nvidia.dali and here, and compares what every node gives."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.cli.comparison_page import Picture, page
from dali_studio.cli.images import displayable
from dali_studio.cli.peer import Outputs, peer_batches
from dali_studio.cli.text import note, report, say, table, waiting
from dali_studio.codegen.emit import emit
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic, errors
from dali_studio.core.dtypes import from_numpy
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import PortRef
from dali_studio.graph.files import replace_file
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node
from dali_studio.graph.placement import on_cpu
from dali_studio.graph.validate import refusals, validate
from dali_studio.schema.tolerance import tolerance_for

#: The seed of graphs that have none: both sides must draw the same numbers.
_SEED = 1234
Verdict = Literal["equal", "within its tolerance", "follows its inputs", "differs"]


@dataclass(slots=True)
class Compared:
    """How an output of a node compares.

    Attributes
    ----------
    port, operator
        Whose it is.
    largest, mean
        Difference of its elements over all batches; infinite where shapes or types differ.
    said
        What is out of bounds, of the first sample that is.
    first
        That sample: batch, number, layout, and both arrays.
    """

    port: PortRef
    operator: str
    verdict: Verdict = "equal"
    largest: float = 0.0
    mean: float = 0.0
    said: str = ""
    first: tuple[int, int, str, NDArray[Any], NDArray[Any]] | None = field(default=None, repr=False)


def verify_graph(graph: Graph, batches: int, out: str | None) -> bool:
    """Compare a graph in nvidia.dali and here, write a table, and a page with pictures to the file `out`.

    Returns
    -------
    bool
        Whether no node differs by more than its operator's tolerance.

    Raises
    ------
    DaliStudioError
        With every finding that prevents a run on either side.
    """
    whole = _with_all_outputs(graph)
    emitted = emit(whole, default_registry(), "nvidia.dali")
    found = errors(emitted.diagnostics)
    if found:
        raise DaliStudioError(found)
    report(emitted.diagnostics)
    function = next(node.name for node in ast.parse(emitted.source).body if isinstance(node, ast.FunctionDef))
    with waiting(f"Running {batches} batches in nvidia.dali"):
        theirs = peer_batches(emitted.source, function, batches)
    with waiting(f"Running {batches} batches here"):
        ours, layouts = _our_batches(whole, len(theirs))
    compared = _compared(whole, ours, theirs, layouts)
    rows = [
        (_named(whole, one.port), one.operator, one.verdict, f"{one.largest:.6g}", f"{one.mean:.6g}", one.said)
        for one in compared
    ]
    say(table(("output", "operator", "", "largest", "mean", ""), rows, numbers=(3, 4)))
    say()
    lines = _summary(whole, compared, len(theirs))
    for line in lines:
        say(line)
    if out is not None:
        pictures = [_picture(whole, one) for one in compared if one.first is not None and one.verdict != "equal"]
        text = page(graph.options.name, lines, rows, [one for one in pictures if one is not None])
        _write(Path(out), text)
        say(f"report: {out}")
    return all(one.verdict != "differs" for one in compared)


def _with_all_outputs(graph: Graph) -> Graph:
    """The graph on the CPU, with a seed, and all outputs of its nodes behind its own: seeds follow from their order."""
    registry = default_registry()
    whole = on_cpu(graph, registry)  # where operators may be compared that have no GPU here
    validation = validate(whole, registry)
    if found := refusals(whole, registry, validation):
        raise DaliStudioError(found)
    report(validation.diagnostics)
    if any(node.device != "cpu" for node in graph.nodes()):
        note("Nodes of the GPU are compared on the CPU.")
    seed = graph.options.seed
    if seed is None:
        note(f"The pipeline has no seed; both sides take {_SEED}.")
    whole.options = msgspec.structs.replace(graph.options, device_id=None, seed=_SEED if seed is None else seed)
    needed = whole.reachable(registry=registry)
    ports = [
        PortRef(node=node.key, output=output) for node in whole.nodes() if node.key in needed
        for output in range(len(output_schemas(whole, node.key, registry) or ()))
    ]  # fmt: skip
    whole.set_outputs([*whole.outputs, *(port for port in ports if port not in whole.outputs)])
    return whole


def _our_batches(graph: Graph, count: int) -> tuple[list[Outputs], list[str]]:
    engine, made, layouts = Engine(graph, default_registry(), devices=False), list[Outputs](), list[str]()
    try:
        while len(made) < count:
            engine.prefetch()
            try:
                outputs = [batch.as_cpu() for batch in engine.result()]
            except StopIteration:
                break
            layouts = [batch.layout() for batch in outputs]
            made.append([[np.asarray(batch.at(i)) for i in range(len(batch))] for batch in outputs])
    finally:
        engine.close()
    return made, layouts


def _compared(graph: Graph, ours: list[Outputs], theirs: list[Outputs], layouts: Sequence[str]) -> list[Compared]:
    """Nodes in the order of computation; those behind one that is not equal are compared on nvidia.dali's inputs."""
    place = {port: at for at, port in reversed(list(enumerate(graph.outputs)))}
    made: list[Compared] = []
    unequal: set[str] = set()
    for key in graph.order():
        for port in sorted((port for port in place if port.node == key), key=_output):
            one = _compared_port(graph, port, place[port], ours, theirs, layouts)
            if one.verdict == "differs" and unequal & set(graph.predecessors(key)):
                _of_their_inputs(graph, one, place, theirs, layouts)
            made.append(one)
        if any(one.verdict != "equal" for one in made if one.port.node == key):
            unequal.add(key)
    return made


def _of_their_inputs(
    graph: Graph, one: Compared, place: dict[PortRef, int], theirs: list[Outputs], layouts: Sequence[str]
) -> None:
    """Tell a node whose inputs differ already from one that differs: it is computed from nvidia.dali's inputs."""
    alone = _alone(graph, one.port.node, place, layouts)
    if alone is None:  # random numbers, and samples of branches, are not those of a pipeline of one node
        one.verdict = "follows its inputs"
        return
    node, fed = alone
    outputs: list[Outputs] = [[[] for _ in graph.outputs] for _ in theirs]
    for batch, given in enumerate(theirs):
        made = _fed_batch(node, {key: given[at] for key, at in fed.items()})
        outputs[batch][place[one.port]] = made[one.port.output]
    again = _compared_port(graph, one.port, place[one.port], outputs, theirs, layouts)
    if again.verdict != "differs":
        one.verdict = "follows its inputs"
    else:
        one.said, one.first = f"{again.said}, of the same inputs", again.first


def _alone(
    graph: Graph, key: str, place: dict[PortRef, int], layouts: Sequence[str]
) -> tuple[Graph, dict[str, int]] | None:
    """A graph of one node whose inputs are fed, with the places of what to feed; ``None`` if that is not enough."""
    registry, node = default_registry(), graph.node(key)
    schema = registry.schema(node.operator)
    if schema.seeded or schema.stateful or schema.role in ("split", "merge", "reader", "external_source", "copy"):
        return None
    made, fed = Graph(graph.options), dict[str, int]()

    def source(port: PortRef) -> PortRef:
        name = f"input_{place[port]}"
        if name not in made:
            fed[name] = place[port]
            layout: dict[str, Any] = {"layout": (layouts[place[port]],)} if layouts[place[port]] else {}
            made.add_node(Node(key=name, operator="external_source", arguments=layout))
        return PortRef(node=name)

    wired, inputs = graph.argument_inputs(key), graph.inputs(key)
    if any(port not in place for port in (*wired.values(), *(one for one in inputs if one is not None))):
        return None
    sources = {slot: source(port) for slot, port in enumerate(inputs) if port is not None}
    named = {argument: source(port) for argument, port in wired.items()}
    made.add_node(node)
    for slot, port in sources.items():
        made.connect(port, key, slot)
    for argument, port in named.items():
        made.connect(port, key, argument=argument)
    count = len(output_schemas(made, key, registry) or ())
    made.set_outputs([PortRef(node=key, output=output) for output in range(count)])
    return made, fed


def _fed_batch(graph: Graph, inputs: dict[str, list[NDArray[Any]]]) -> Outputs:
    engine = Engine(graph, default_registry(), devices=False)
    try:
        for key, samples in inputs.items():
            engine.feeders[key].feed(samples)
        engine.prefetch()
        return [[np.asarray(batch.at(i)) for i in range(len(batch))] for batch in (b.as_cpu() for b in engine.result())]
    finally:
        engine.close()


def _compared_port(
    graph: Graph, port: PortRef, at: int, ours: list[Outputs], theirs: list[Outputs], layouts: Sequence[str]
) -> Compared:
    node, registry = graph.node(port.node), default_registry()
    one, total, count = Compared(port, node.operator), 0.0, 0
    declared = registry.operator(node.operator).tolerance
    for batch in range(max(len(ours), len(theirs))):
        pair = [made[batch][at] if batch < len(made) else [] for made in (ours, theirs)]
        if len(pair[0]) != len(pair[1]):
            one.verdict, one.largest, one.mean = "differs", np.inf, np.inf
            one.said = one.said or f"{len(pair[0])} samples, nvidia.dali has {len(pair[1])}, in batch {batch}"
        for sample, (mine, other) in enumerate(zip(*pair, strict=False)):
            alike = (mine.dtype, mine.shape) == (other.dtype, other.shape)
            if alike and np.array_equal(mine, other, equal_nan=mine.dtype.kind == "f"):
                count += mine.size
                continue
            tolerance = tolerance_for(declared, from_numpy(mine.dtype), "cpu", node.arguments)
            out_of_bounds = tolerance.exceeded(mine, other)
            if alike:
                difference = np.abs(mine.astype(np.float64) - other.astype(np.float64))
                one.largest = max(one.largest, float(difference.max()))
                total, count = total + float(difference.sum()), count + mine.size
            else:
                one.largest = total = np.inf
            if out_of_bounds and one.verdict != "differs":
                one.verdict, one.said = "differs", f"{out_of_bounds} (batch {batch}, sample {sample})"
                one.first = batch, sample, layouts[at], mine, other
            elif one.verdict == "equal":
                one.verdict, one.first = "within its tolerance", (batch, sample, layouts[at], mine, other)
    one.mean = total / max(count, 1)
    return one


def _output(port: PortRef) -> int:
    return port.output


def _summary(graph: Graph, compared: Sequence[Compared], batches: int) -> list[str]:
    registry = default_registry()
    sources = [one for one in compared if registry.schema(one.operator).name.startswith("readers.")]
    random = [one for one in compared if registry.schema(one.operator).seeded and one not in sources]
    words = [f"{batches} batch{'es' * (batches != 1)} of {graph.options.batch_size} samples."]
    for what, some in (("Order of samples", sources), ("Random draws", random)):
        if some:
            verdicts = {one.verdict for one in some}
            equal = "equal" if verdicts == {"equal"} else "equal but for tolerances"
            words.append(f"{what}: {'NOT EQUAL' if 'differs' in verdicts else equal}.")
    first = next((one for one in compared if one.verdict == "differs"), None)
    inexact = next((one for one in compared if one.verdict != "equal"), None)
    if first is not None:
        words.append(f"The first node that differs: {_named(graph, first.port)} ({first.operator}): {first.said}.")
    elif inexact is not None:
        words.append(f"Equal but for tolerances; the first: {_named(graph, inexact.port)} ({inexact.operator}).")
    else:
        words.append("Every node gives nvidia.dali's values, bit by bit.")
    return words


def _named(graph: Graph, port: PortRef) -> str:
    declared = output_schemas(graph, port.node, default_registry()) or ()
    return port.node if len(declared) == 1 else f"{port.node}.{declared[port.output].name}"


def _picture(graph: Graph, one: Compared) -> Picture | None:
    """Both pictures and their difference, of the first sample that is not equal."""
    assert one.first is not None
    batch, sample, layout, mine, other = one.first
    if sorted(layout) not in (["H", "W"], ["C", "H", "W"]) or mine.shape != other.shape or not mine.size:
        return None
    channels = mine.shape[layout.index("C")] if "C" in layout else 1
    if channels not in (1, 3):
        return None
    difference = np.abs(mine.astype(np.float64) - other.astype(np.float64))
    gain = 255.0 / max(float(difference.max()), 1e-30)
    arrays = [displayable(array, layout) for array in (mine, other, np.rint(difference * gain).astype(np.uint8))]
    title = f"{_named(graph, one.port)}, batch {batch}, sample {sample}; difference times {gain:.3g}"
    return Picture(title, tuple(arrays))


def _write(path: Path, text: str) -> None:
    try:
        replace_file(path, text)
    except OSError as error:
        message = f"{path} could not be written: {error.strerror or error}."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint="Give --report another file.")) from error
