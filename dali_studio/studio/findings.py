"""Findings that the designer itself makes, and how it weighs those of others."""

from __future__ import annotations

import traceback
from collections.abc import Collection, Mapping, Sequence

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph


def weighed(found: tuple[Diagnostic, ...], in_run: Collection[str]) -> tuple[Diagnostic, ...]:
    """The findings, with errors of nodes that no output depends on as warnings: the pipeline runs without them.

    Wires that cross between devices are told once the pipeline has the devices.
    """
    missing = any(d.code == "DS206" for d in found)
    return tuple(
        msgspec.structs.replace(d, severity="warning")
        if d.severity == "error" and d.node and d.node not in in_run
        else d
        for d in found
        if not (missing and d.code == "DS207")
    )


def mirrored(graph: Graph) -> tuple[Diagnostic, ...]:
    """Sizes below zero, which nobody would think of where a later node fails: they mirror, as in nvidia.dali."""
    return tuple(
        Diagnostic(
            code="DS105", severity="info", node=key, argument=name,
            message=f"{name} is {value:g}: below zero it mirrors the picture, and makes it {-value:g} px long.",
            hint="Give a size above zero for a picture as it is.",
        )
        for key in graph
        for name, value in graph.node(key).arguments.items()
        if name.startswith("resize_") and isinstance(value, (int, float)) and value < 0
    )  # fmt: skip


def caused(found: Diagnostic, graph: Graph, drawn: Mapping[PortRef, Sequence[float | None]]) -> Diagnostic:
    """Of a window that does not fit, with the sizes below zero before it; `drawn`: random numbers of the batch."""
    fits = "does not fit into the image" not in found.message
    if fits or found.sample is None or not found.node or found.node not in graph:
        return found
    causes: list[str] = []
    for key in graph.reachable([PortRef(node=found.node)]) - {found.node}:
        fed = {name: drawn.get(port, ())[found.sample :][:1] for name, port in graph.argument_inputs(key).items()}
        given = {**graph.node(key).arguments, **{name: value[0] for name, value in fed.items() if value}}
        for name, value in given.items():
            if name.startswith("resize_") and isinstance(value, (int, float)) and value < 0:
                source = f", from {graph.argument_inputs(key)[name].node}" if name in fed else ""
                causes.append(f"{key} makes the picture that small: {name} is {value:.4g}{source}.".replace("-", "−"))
    return msgspec.structs.replace(found, hint=" ".join((*sorted(causes), found.hint)))


def unreadable(error: Exception) -> Diagnostic:
    """The finding about a message that does not fit its type."""
    return Diagnostic(
        code="DS401",
        message=f"A message from the browser was not understood: {error}.",
        hint="Reload the page; the versions of page and kernel differ.",
    )


def defect(error: BaseException) -> Diagnostic:
    """The finding about an exception that nobody expected."""
    return Diagnostic(
        code="DS305", message=f"{type(error).__name__}: {error}",
        hint="This is a defect of DALI Studio; please report it.",
        detail="".join(traceback.format_exception(error)[-3:]),
    )  # fmt: skip


def of_limit(found: Diagnostic, part: float) -> Diagnostic:
    """What is said where previews run into their limit, which is this part of a GPU's memory, and not that of runs."""
    if "limit set to" not in (found.detail or ""):
        return found
    return msgspec.structs.replace(
        found,
        message=f"Previews may take {part * 100:.0f} % of the GPU's memory, and what {found.node} makes of this "
        "sample does not fit into what is left of it.",
        hint=f"Press Free memory, make the images smaller before {found.node}, or set its device to cpu. "
        "Runs have no such limit.",
    )
