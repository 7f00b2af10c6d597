"""Compute chains of steps on a GPU by one kernel each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Stage, Step
from dali_studio.graph.edits import PortRef
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import PixelPart, SourcePart


def fuse(plan: Plan, registry: Registry) -> Plan:
    """Group steps with parts into fused stages (exact).

    A step joins the one before it if it alone reads that one's result and nobody else wants it. A fused stage stands
    where its last step stood: by then all arguments of its steps exist.
    """
    groups = _groups(plan, registry)
    chains = {group[-1].key: group for group in groups if len(group) > 1}
    if not chains:
        return plan
    inner = {step.key for group in chains.values() for step in group[:-1]}
    stages: list[Stage] = []
    for stage in plan.stages:
        step = stage.step if isinstance(stage, BatchStage) else None
        if step is not None and step.key in inner:
            continue
        stages.append(FusedStage(tuple(chains[step.key])) if step is not None and step.key in chains else stage)
    last: dict[PortRef, int] = {}
    for place, stage in enumerate(stages):
        members = (stage.step,) if isinstance(stage, BatchStage) else stage.steps
        gone = {step.outputs[0] for step in members[:-1]} if isinstance(stage, FusedStage) else set[PortRef]()
        for step in members:
            for port in (*step.inputs, *step.argument_inputs.values()):
                if port in plan.last_use and port not in gone:
                    last[port] = place
    return replace(plan, stages=tuple(stages), last_use=last)


def _groups(plan: Plan, registry: Registry) -> list[list[Step]]:
    """Chains of steps that one kernel can compute, those of a single step included."""
    readers = Counter(port for step in plan.steps() for port in (*step.inputs, *step.argument_inputs.values()))
    ends: dict[PortRef, list[Step]] = {}
    groups: list[list[Step]] = []
    for stage in plan.stages:
        if not isinstance(stage, BatchStage) or stage.step.device != "gpu" or len(stage.step.inputs) != 1:
            continue
        step = stage.step
        (port,) = step.inputs
        group = ends.get(port)
        if registry.has_trait(step.operator, PixelPart):
            # a result that is read but has no last use is wanted: an output or a tap
            if group is None or readers[port] > 1 or port not in plan.last_use:
                groups.append(group := [])
        elif registry.has_trait(step.operator, SourcePart):
            groups.append(group := [])
        else:
            continue
        group.append(step)
        ends[step.outputs[0]] = group
    return groups
