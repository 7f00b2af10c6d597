"""Pinned data: outputs that previews keep as they are, so that nothing before them is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import Edit, PortRef, Rename
from dali_studio.graph.history import History

#: What the names of pins begin with beside the places of cards; no node is called so.
_PIN = "pin "


@dataclass(frozen=True, eq=False)
class Pin:
    """The outputs of a node for one sample.

    Attributes
    ----------
    outputs : tuple of Batch
        One sample each.
    name : str
        Stands for the node where results are looked up: it differs from that of any other data.
    iteration : int
        Of the batch that the sample is of.
    """

    outputs: tuple[Batch, ...]
    iteration: int
    name: str = field(default_factory=lambda: uuid4().hex)

    def batch(self, output: int, count: int) -> Batch:
        """The sample, as if `count` samples had given it."""
        kept = self.outputs[output]
        sources = [*kept.sources] * count
        return Batch.of([kept.samples[0]] * count, kept.layout, sources, dtype=kept.dtype, ndim=kept.meta.ndim)


def pinned(
    key: str, ports: Sequence[PortRef], output: Callable[[PortRef], Batch], iteration: int, *, on_gpu: bool
) -> Pin:
    """Keep what a node gives now.

    Parameters
    ----------
    key, ports
        The node and its outputs.
    output
        Computes an output of the shown sample.
    iteration
        Of the batch that this is of.
    on_gpu
        Whether the node is computed on a GPU.

    Raises
    ------
    DaliStudioError
        DS105 if the node gives nothing that could be kept.
    """
    made = [] if on_gpu else [output(port) for port in ports]
    if not made or any(batch.indices is not None for batch in made):
        reason = "is computed on the GPU" if on_gpu else "has no outputs"
        reason = "lies in a branch that not all samples take" if made else reason
        message, hint = f"{key} {reason}, so its data cannot be pinned.", "Pin another node before or after it."
        raise DaliStudioError(Diagnostic(code="DS105", node=key, message=message, hint=hint))
    return Pin(tuple(Batch.of([batch.samples[0].copy()], batch.layout, batch.sources) for batch in made), iteration)


def pins_in(history: History) -> dict[str, Pin]:
    """The pins, by node."""
    return {key.removeprefix(_PIN): pin for key, pin in history.places.items() if isinstance(pin, Pin)}


def named_pins(pins: Mapping[str, Pin | None]) -> dict[str, Pin | None]:
    """Pins by the names under which they are kept beside the places of cards; ``None`` takes one away."""
    return {f"{_PIN}{key}": pin for key, pin in pins.items()}


def renamed(pins: Mapping[str, Pin], edits: Iterable[Edit]) -> dict[str, Pin | None]:
    """How pins change where edits rename nodes."""
    changed: dict[str, Pin | None] = {}
    for edit in edits:
        if isinstance(edit, Rename) and edit.key in pins:
            changed |= {edit.key: None, edit.new_key: pins[edit.key]}
    return changed
