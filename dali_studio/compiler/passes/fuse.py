"""Compute chains of steps on a GPU by one kernel each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Stage, Step
from dali_studio.graph.edits import PortRef
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import Affine, PixelPart, SourcePart


@dataclass(slots=True)
class _Group:
    """Steps that one kernel can compute; the first `warps` of them as one resampling."""

    steps: list[Step]
    warps: int = 0


def fuse(plan: Plan, registry: Registry) -> Plan:
    """Group steps with parts into fused stages (exact).

    A step joins the one before it if it alone reads that one's result and nobody else wants it. A fused stage stands
    where its last step stood: by then all arguments of its steps exist.
    """
    return _grouped(plan, registry, warps=False)


def fuse_warps(plan: Plan, registry: Registry) -> Plan:
    """As `fuse`, with affine steps in a row as one resampling (approximate)."""
    return _grouped(plan, registry, warps=True)


def _grouped(plan: Plan, registry: Registry, *, warps: bool) -> Plan:
    chains = {g.steps[-1].key: g for g in _groups(plan, registry, warps=warps) if len(g.steps) > 1}
    if not chains:
        return plan
    inner = {step.key for group in chains.values() for step in group.steps[:-1]}
    stages: list[Stage] = []
    for stage in plan.stages:
        if not isinstance(stage, BatchStage) or stage.step.key not in inner | chains.keys():
            stages.append(stage)
        elif stage.step.key in chains:
            stages.append(_stage(chains[stage.step.key], registry))
    last: dict[PortRef, int] = {}
    for place, stage in enumerate(stages):
        members = (stage.step,) if isinstance(stage, BatchStage) else stage.steps
        gone = {step.outputs[0] for step in members[:-1]} if isinstance(stage, FusedStage) else set[PortRef]()
        for step in members:
            for port in (*step.inputs, *step.argument_inputs.values()):
                if port in plan.last_use and port not in gone:
                    last[port] = place
    return replace(plan, stages=tuple(stages), last_use=last)


def _stage(group: _Group, registry: Registry) -> FusedStage:
    """The stage of a group; without parts its steps run alone, without a resampling they are grouped exactly."""
    alone = tuple(BatchStage(step) for step in group.steps)
    if group.warps < 2:
        return FusedStage(tuple(group.steps), instead=alone)
    inner = {port: 0 for step in group.steps for port in step.inputs}
    exact = fuse(Plan(alone, group.steps[-1].outputs, inner), registry)
    instead = tuple(stage for stage in exact.stages if isinstance(stage, BatchStage | FusedStage))
    return FusedStage(tuple(group.steps), group.warps, instead)


def _groups(plan: Plan, registry: Registry, *, warps: bool) -> list[_Group]:
    """Chains of steps that one kernel can compute, those of a single step included."""
    readers = Counter(port for step in plan.steps() for port in (*step.inputs, *step.argument_inputs.values()))
    ends: dict[PortRef, _Group] = {}
    groups: list[_Group] = []
    for stage in plan.stages:
        if not isinstance(stage, BatchStage) or stage.step.device != "gpu":
            continue
        step = stage.step
        if len(step.inputs) != 1 or len(step.outputs) != 1:
            continue
        (port,) = step.inputs
        follows, begins, affine = (registry.has_trait(step.operator, t) for t in (PixelPart, SourcePart, Affine))
        if not follows and not begins:
            continue
        # a result that is read but has no last use is wanted: an output or a tap
        group = ends.get(port) if readers[port] == 1 and port in plan.last_use else None
        warp = warps and affine and (group is None or group.warps == len(group.steps))
        if group is None or not (follows or warp):
            group = _Group([])
            groups.append(group)
            warp = warps and affine
        group.steps.append(step)
        group.warps += warp
        ends[step.outputs[0]] = group
    return groups
