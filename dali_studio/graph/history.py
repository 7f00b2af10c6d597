"""Undo and redo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.edits import SetArgument
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry

#: How many steps can be taken back.
LIMIT = 200


@dataclass(slots=True)
class Step:
    """A way to another state; `text` is what was kept as that of the state that it leads to."""

    edits: tuple[AnyEdit, ...]
    gesture: str = ""
    places: dict[str, object] = field(default_factory=dict[str, object])
    text: str = ""


class History:
    """A graph that changes by edits and remembers the way back.

    Attributes
    ----------
    graph : Graph
        As it is now. Replaced, never mutated.
    registry : Registry
    revision : int
        Counts every change of the graph: edits, undo and redo.
    places : dict
        What a user interface keeps beside the nodes, such as where their cards stand. It travels with the steps; the
        values are not looked at.
    text : str
        What a user interface keeps of the state as it is now; steps keep that of the state they lead to.
    """

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self.graph, self.registry, self.revision = graph, registry, 0
        self.places: dict[str, object] = {}
        self.text = ""
        self._undo: list[Step] = []
        self._redo: list[Step] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return bool(self._redo)

    def apply(
        self, edits: Sequence[AnyEdit], gesture: str = "", places: Mapping[str, object] | None = None
    ) -> Graph:
        """Apply `edits` as one step, or as part of the step before if both carry the same non-empty `gesture`.

        `places` are new ones, which come and go with the step; a step may consist of them alone.

        Raises
        ------
        DaliStudioError
            If an edit cannot be done; nothing has changed then.
        """
        if not edits and not places:
            return self.graph
        self.graph, inverse = apply(self.graph, edits, self.registry)
        before = self.place(places or {})
        if gesture and self._undo and not self._redo and self._undo[-1].gesture == gesture:
            last = self._undo[-1]
            last.edits, last.places = _joined(inverse, last.edits), {**before, **last.places}
        else:
            self._undo.append(Step(inverse, gesture, before, self.text))
            del self._undo[:-LIMIT]
        self._redo.clear()
        self.text = ""
        self.revision += bool(edits)
        return self.graph

    def place(self, places: Mapping[str, object]) -> dict[str, object]:
        """Set places (``None`` takes one away), which is no step; returns what was there."""
        before = {key: self.places.get(key) for key in places}
        self.places = {key: place for key, place in {**self.places, **places}.items() if place is not None}
        return before

    def undo(self) -> Graph:
        """Take the last step back (DS304 if there is none)."""
        return self._travel(self._undo, self._redo, "undo")

    def redo(self) -> Graph:
        """Do the step taken back again (DS304 if there is none)."""
        return self._travel(self._redo, self._undo, "redo")

    def before(self, steps: int) -> Graph:
        """The graph as it was some undo steps ago, or at the beginning; nothing changes."""
        return self.back(steps)[-1]

    def back(self, steps: int) -> list[Graph]:
        """The graph as it is, and as it was before each of so many undo steps, the newest first; nothing changes."""
        graphs = [self.graph]
        for step in list(reversed(self._undo))[: max(steps, 0)]:
            graphs.append(apply(graphs[-1], step.edits, self.registry, check=False)[0])
        return graphs

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """What is kept of the states that undo and redo lead to, the nearest first."""
        return [step.text for step in reversed(self._undo)], [step.text for step in reversed(self._redo)]

    @property
    def beyond(self) -> list[dict[str, object]]:
        """The places that each step of undo and redo brings back."""
        return [step.places for step in (*self._undo, *self._redo)]

    def recall(self, undo: Sequence[Step], redo: Sequence[Step]) -> None:
        """Take up the steps of a history that ended in this state, the nearest first."""
        self._undo, self._redo = [*reversed(undo)], [*reversed(redo)]

    def _travel(self, source: list[Step], target: list[Step], word: str) -> Graph:
        if not source:
            message, hint = f"There is nothing to {word}.", "Edit the graph first."
            raise DaliStudioError(Diagnostic(code="DS304", message=message, hint=hint))
        # Unchecked: the state that comes back was there before, faulty or not.
        step = source[-1]
        self.graph, inverse = apply(self.graph, step.edits, self.registry, check=False)
        source.pop()
        target.append(Step(inverse, places=self.place(step.places), text=self.text))
        self.text = step.text
        self.revision += bool(step.edits)
        return self.graph


def _joined(newer: tuple[AnyEdit, ...], older: tuple[AnyEdit, ...]) -> tuple[AnyEdit, ...]:
    """The way back over both; a drag that sets one argument many times keeps only the value before the drag."""
    if len(newer) == 1 and older and _same_slot(newer[0], older[0]):
        return older
    return newer + older


def _same_slot(one: AnyEdit, other: AnyEdit) -> bool:
    if not isinstance(one, SetArgument) or not isinstance(other, SetArgument):
        return False
    return (one.key, one.argument) == (other.key, other.argument)
