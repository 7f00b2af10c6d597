"""Where a graph can run: one finding for everything that needs a device that is not there."""

from __future__ import annotations

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.kernels.cuda.device import Unavailable, missing
from dali_studio.schema.registry import Registry


def check_devices(graph: Graph, registry: Registry) -> None:
    """Refuse a run that needs a GPU where none can be used.

    Raises
    ------
    DaliStudioError
        One DS206 that names every node in the run that is placed on a GPU.
    """
    needed = graph.reachable(registry=registry)
    placed = [key for key in graph if key in needed and graph.node(key).device != "cpu"]
    if not placed:
        return
    absent = missing(graph.options.device_id or 0)
    if absent is None:
        return
    calls = [f"{key} ({graph.node(key).device})" for key in placed]
    first = graph.node(placed[0])
    raise DaliStudioError(
        Diagnostic(
            code="DS206", node=placed[0], source=first.origin,
            message=f"{', '.join(calls)} need{'s' if len(calls) == 1 else ''} a GPU. {absent.reason}.",
            hint=f'{absent.hint}. To run on the CPU, take .gpu() away and give device="cpu"; '
            "the graph stays the same otherwise.",
        )
    )


def gpu_missing(graph: Graph) -> Unavailable | None:
    """What keeps the GPU that `graph` asks for from being used; ``None`` if it is there."""
    return missing(graph.options.device_id or 0)
