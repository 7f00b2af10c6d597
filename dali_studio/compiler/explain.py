"""Plans as text."""

from __future__ import annotations

from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Segment, Step
from dali_studio.graph.edits import PortRef


def explain(plan: Plan) -> str:
    """What one iteration does, a line per step; the golden form of plans in tests."""
    lines = [f"passes: {', '.join(plan.passes) or 'none'}"]
    for number, stage in enumerate(plan.stages):
        if isinstance(stage, BatchStage):
            lines.append(f"stage {number}: whole batch")
            lines.append(f"  {_step(stage.step)}")
        elif isinstance(stage, FusedStage):
            warps = f", the first {stage.warps} as one resampling" if stage.warps > 1 else ""
            lines.append(f"stage {number}: whole batch, one kernel{warps}")
            lines.extend(f"  {_step(step)}" for step in stage.steps)
        else:
            lines.append(f"stage {number}: one task per sample")
            lines.extend(f"  {_step(step)}{_storage(step, stage)}" for step in stage.steps)
        freed = sorted(_port(p) for p, at in plan.last_use.items() if at == number)
        if freed:
            lines.append(f"  frees {', '.join(freed)}")
    lines.append(f"returns {', '.join(_port(p) for p in plan.outputs)}")
    return "\n".join(lines)


def _port(port: PortRef) -> str:
    return port.node if port.output == 0 else f"{port.node}[{port.output}]"


def _step(step: Step) -> str:
    given = [_port(p) for p in step.inputs]
    given += [f"{name}={_port(port)}" for name, port in sorted(step.argument_inputs.items())]
    given += [f"{name}={value!r}" for name, value in sorted(step.arguments.items()) if value is not None]
    seed = "" if step.seed_index is None else f" seed #{step.seed_index}"
    place = "" if step.device == "cpu" else f" on {step.device}"
    return f"{step.key} = {step.operator}({', '.join(given)}){seed}{place}"


def _storage(step: Step, segment: Segment) -> str:
    notes = ["scratch"] if not set(step.outputs) & segment.kept else []
    if step.window_sink is not None:
        notes.append(f"only the window that {step.window_sink} reads")
    return f"  [{', '.join(notes)}]" if notes else ""
