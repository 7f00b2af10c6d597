"""The compiler: two tuples of named passes with lowering between them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from dali_studio.compiler.lower import lower
from dali_studio.compiler.passes.fuse import fuse as fuse_steps
from dali_studio.compiler.passes.fuse import fuse_warps as fuse_steps_and_warps
from dali_studio.compiler.passes.prune import prune
from dali_studio.compiler.passes.push_windows import push_windows
from dali_studio.compiler.plan import Plan
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.seeds import operator_indices
from dali_studio.schema.registry import Registry

#: Rewrites of the logical program, in order. Each is pure and exact: outputs stay bit-equal.
GRAPH_PASSES: tuple[Callable[[Graph, Registry], Graph], ...] = (prune,)
#: Rewrites of the plan, in order; exact as well.
PLAN_PASSES: tuple[Callable[[Plan, Registry], Plan], ...] = (push_windows, fuse_steps)


def compile_graph(
    graph: Graph, registry: Registry, *, taps: Collection[PortRef] = (), whole: bool = False,
    seeds: dict[str, int] | None = None, devices: bool = False, fuse: bool = True,
    fuse_warps: bool = False,
) -> Plan:  # fmt: skip
    """Compile a valid graph.

    Parameters
    ----------
    graph
        The logical program.
    registry
        Where traits are looked up.
    taps
        Results to keep besides the outputs (previews).
    whole
        Keep nodes that no output depends on.
    seeds
        Seed indices by node, where `graph` is a part of what the user wrote.
    devices
        Place steps on a GPU where the nodes say so; otherwise all run on the CPU (previews).
    fuse
        Let one kernel compute chains of steps on a GPU; without it each step can be timed.
    fuse_warps
        Compute affine steps on a GPU that follow each other as one resampling (approximate), where `fuse` is set.

    Returns
    -------
    Plan
        Seeds are those of `graph` as the user wrote it, before any pass.
    """
    seeds = operator_indices(graph, registry) if seeds is None else seeds
    names: list[str] = []
    for rewrite in () if whole else GRAPH_PASSES:
        graph = rewrite(graph, registry)
        names.append(rewrite.__name__)
    plan = lower(graph, registry, taps=taps, seeds=seeds, devices=devices)
    for change in PLAN_PASSES:
        if change is fuse_steps:
            if not (fuse and devices):
                continue
            change = fuse_steps_and_warps if fuse_warps else fuse_steps  # noqa: PLW2901
        plan = change(plan, registry)
        names.append(change.__name__)
    return replace(plan, passes=tuple(names))
