"""Plans as text, and as data for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dali_studio.compiler.memory import Forecast, NodeMemory
from dali_studio.compiler.plan import BatchStage, FusedStage, Plan, Segment, Stage, Step
from dali_studio.graph.edits import PortRef


def explain(plan: Plan, memory: Forecast | None = None) -> str:
    """What one iteration does, a line per step; the golden form of plans in tests. Then its `memory`, if given."""
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
    return "\n".join(lines if memory is None else lines + _table(memory))


def described(plan: Plan, memory: Forecast | None = None) -> dict[str, Any]:
    """The same as lists and dictionaries of strings and numbers; of a node's memory see `NodeMemory`."""
    nodes: Mapping[str, NodeMemory] = {} if memory is None else memory.nodes

    def step_of(step: Step) -> dict[str, Any]:
        made: dict[str, Any] = {"node": step.key, "operator": step.operator, "device": step.device, "does": _step(step)}
        return made | ({"memory": asdict(nodes[step.key])} if step.key in nodes else {})

    stages = [
        {"kind": _kind(stage), "steps": [step_of(step) for step in _steps(stage)],
         "frees": sorted(_port(port) for port, at in plan.last_use.items() if at == number)}
        for number, stage in enumerate(plan.stages)
    ]  # fmt: skip
    made: dict[str, Any] = {"passes": list(plan.passes), "stages": stages, "returns": [*map(_port, plan.outputs)]}
    if memory is not None:
        made["memory"] = {
            "batch_size": memory.batch_size, "peak_host": memory.host, "peak_device": memory.device,
            "unknown": list(memory.unknown),
        }  # fmt: skip
    return made


def _steps(stage: Stage) -> tuple[Step, ...]:
    return (stage.step,) if isinstance(stage, BatchStage) else stage.steps


def _kind(stage: Stage) -> str:
    if isinstance(stage, Segment):
        return "one task per sample"
    return "whole batch, one kernel" if isinstance(stage, FusedStage) else "whole batch"


_HEADS = ("node", "host", "GPU", "while it runs: host", "GPU")


def _table(memory: Forecast) -> list[str]:
    """Memory of each node: its results, and what the iteration holds meanwhile."""
    rows: list[tuple[str, ...]] = [_HEADS]
    for key, node in memory.nodes.items():
        if node.host is None or node.device is None:
            rows.append((key, "?", "?", _size(node.peak_host), _size(node.peak_device)))
            continue
        passing = f" ({_size(node.passing)})" if node.passing else ""
        working = f" + {_size(node.working)}" if node.working else ""
        rows.append((
            key, f"{_size(node.host)}{passing}", f"{_size(node.device)}{working}", _size(node.peak_host),
            _size(node.peak_device),
        ))  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    lines = [f"memory of the first batch, {memory.batch_size} samples, predicted:"]
    lines.extend(f"  {'  '.join(map(str.ljust, row, widths))}".rstrip() for row in rows)
    lines.append(f"  at most {_size(memory.host)} on the host and {_size(memory.device)} on the GPU at a time")
    if memory.unknown:
        lines.append(f"  without {', '.join(memory.unknown)}: not known before a run")
    return lines


def _size(size: int) -> str:
    """Bytes for people."""
    if size < 1 << 20:
        return f"{size / 1024:.1f} KiB" if size else "0"
    return f"{size / (1 << 20):.1f} MiB"


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
