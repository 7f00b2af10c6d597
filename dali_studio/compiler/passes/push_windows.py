"""Compute only what a later crop keeps."""

from __future__ import annotations

from dataclasses import replace

from dali_studio.compiler.plan import Plan, Segment, Step
from dali_studio.graph.edits import PortRef
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import Pointwise, WindowSink, WindowSource


def push_windows(plan: Plan, registry: Registry) -> Plan:
    """Mark each ``WindowSource`` that reaches a ``WindowSink`` through pointwise operators alone (exact).

    The executor then asks the sink for its window and has source and pointwise steps compute that part. A result that
    leaves the segment, or has a second reader, is computed whole.
    """
    stages = tuple(_mark(stage, registry) if isinstance(stage, Segment) else stage for stage in plan.stages)
    return replace(plan, stages=stages)


def _mark(segment: Segment, registry: Registry) -> Segment:
    readers = _readers(segment)
    steps = list(segment.steps)
    for position, step in enumerate(steps):
        if registry.has_trait(step.operator, WindowSource):
            sink = _sink(step, segment, readers, registry)
            if sink is not None:
                steps[position] = replace(step, window_sink=sink)
    return replace(segment, steps=tuple(steps))


def _readers(segment: Segment) -> dict[PortRef, list[Step]]:
    readers: dict[PortRef, list[Step]] = {}
    for step in segment.steps:
        for port in (*step.inputs, *step.argument_inputs.values()):
            readers.setdefault(port, []).append(step)
    return readers


def _sink(step: Step, segment: Segment, readers: dict[PortRef, list[Step]], registry: Registry) -> str | None:
    port = step.outputs[0]
    while port not in segment.kept and len(readers.get(port, ())) == 1:
        (reader,) = readers[port]
        if reader.inputs[:1] != (port,):
            return None
        if registry.has_trait(reader.operator, WindowSink):
            return reader.key
        if not registry.has_trait(reader.operator, Pointwise):
            return None
        port = reader.outputs[0]
    return None
