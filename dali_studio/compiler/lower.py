"""Lowering: from a graph to the stages of a plan."""

from __future__ import annotations

from collections.abc import Collection

from dali_studio.compiler.plan import BatchStage, Plan, Segment, Stage, Step
from dali_studio.graph.checks import clean_values
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.seeds import operator_indices
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import PerSample, ReadsData, ReadsParameters


def lower(
    graph: Graph, registry: Registry, *, taps: Collection[PortRef] = (), seeds: dict[str, int] | None = None,
    devices: bool = False,
) -> Plan:  # fmt: skip
    """Group per-sample operators into segments, between the operators that need whole batches.

    Parameters
    ----------
    graph
        A valid graph.
    registry
        Where traits are looked up.
    taps
        Results that must be kept besides the outputs.
    seeds
        Seed indices by node; by default those of `graph` itself.
    devices
        Place steps where the nodes say; otherwise all run on the CPU.
    """
    indices = operator_indices(graph, registry) if seeds is None else seeds
    steps = [_step(graph, registry, key, indices, devices=devices) for key in graph.order()]
    layers = _layers(steps, registry)
    wanted = {*graph.outputs, *taps}
    stages: list[Stage] = []
    for position, layer in enumerate(layers):
        if not _per_sample(layer[0], registry):
            stages.extend(BatchStage(step) for step in layer)
            continue
        later = {port for other in layers[position + 1 :] for step in other for port in _reads(step)}
        made = {port for step in layer for port in step.outputs}
        stages.append(Segment(tuple(layer), frozenset(made & (later | wanted))))
    return Plan(tuple(stages), graph.outputs, _last_use(stages, wanted))


def _step(graph: Graph, registry: Registry, key: str, indices: dict[str, int], *, devices: bool) -> Step:
    node = graph.node(key)
    schema = registry.schema(node.operator)
    arguments = clean_values(node, schema)  # a document may have a number where a list of one is meant
    outputs = registry.outputs(node.operator, arguments, len(graph.inputs(key)))
    return Step(
        key=key,
        operator=node.operator,
        inputs=tuple(port for port in graph.inputs(key) if port is not None),
        argument_inputs=dict(graph.argument_inputs(key)),
        outputs=tuple(PortRef(node=key, output=i) for i in range(len(outputs))),
        arguments=arguments,
        objects=node.objects,
        origin=node.origin,
        role=schema.role,
        seed_index=indices.get(key),
        device=node.device if devices else "cpu",
        requested_device=node.device,
    )


def _per_sample(step: Step, registry: Registry) -> bool:
    """Whether a step is part of the CPU's tasks of one sample each."""
    return step.device == "cpu" and registry.has_trait(step.operator, PerSample)


def _reads(step: Step) -> tuple[PortRef, ...]:
    return (*step.inputs, *step.argument_inputs.values())


def _layers(steps: list[Step], registry: Registry) -> list[list[Step]]:
    """Steps by layer: even layers hold batch operators and steps on a GPU, odd layers tasks.

    Arguments must exist before a batch is planned, and so must the data of operators that look into it; a result that
    is made in an odd layer and needed that way puts its reader two layers on.
    """
    layer: dict[PortRef, int] = {}
    layers: dict[int, list[Step]] = {}
    for step in steps:
        if _per_sample(step, registry):
            early = set(step.argument_inputs.values())
            if registry.has_trait(step.operator, ReadsData):
                early.update(step.inputs)
            elif registry.has_trait(step.operator, ReadsParameters):
                early.update(step.inputs[1:])
            place = max((_odd_after(layer[port], early=port in early) for port in _reads(step)), default=1)
        else:
            place = max((layer[port] + layer[port] % 2 for port in _reads(step)), default=0)
        layers.setdefault(place, []).append(step)
        layer.update(dict.fromkeys(step.outputs, place))
    return [layers[place] for place in sorted(layers)]


def _odd_after(layer: int, *, early: bool) -> int:
    if layer % 2 == 0:
        return layer + 1
    return layer + 2 if early else layer


def _last_use(stages: list[Stage], wanted: set[PortRef]) -> dict[PortRef, int]:
    last: dict[PortRef, int] = {}
    for position, stage in enumerate(stages):
        for step in (stage.step,) if isinstance(stage, BatchStage) else stage.steps:
            for port in _reads(step):
                last[port] = position
    return {port: at for port, at in last.items() if port not in wanted}
