"""Undo and redo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.apply import AnyEdit, apply
from dali_studio.graph.edits import SetArgument
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry

#: How many steps can be taken back.
LIMIT = 200


@dataclass(slots=True)
class _Step:
    edits: tuple[AnyEdit, ...]
    gesture: str = ""


class History:
    """A graph that changes by edits and remembers the way back.

    Attributes
    ----------
    graph : Graph
        As it is now. Replaced, never mutated.
    registry : Registry
    revision : int
        Counts every change: edits, undo and redo.
    """

    def __init__(self, graph: Graph, registry: Registry) -> None:
        self.graph, self.registry, self.revision = graph, registry, 0
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return bool(self._redo)

    def apply(self, edits: Sequence[AnyEdit], gesture: str = "") -> Graph:
        """Apply `edits` as one step, or as part of the step before if both carry the same non-empty `gesture`.

        Raises
        ------
        DaliStudioError
            If an edit cannot be done; nothing has changed then.
        """
        if not edits:
            return self.graph
        self.graph, inverse = apply(self.graph, edits, self.registry)
        if gesture and self._undo and not self._redo and self._undo[-1].gesture == gesture:
            self._undo[-1].edits = _joined(inverse, self._undo[-1].edits)
        else:
            self._undo.append(_Step(inverse, gesture))
            del self._undo[:-LIMIT]
        self._redo.clear()
        self.revision += 1
        return self.graph

    def undo(self) -> Graph:
        """Take the last step back (DS304 if there is none)."""
        return self._travel(self._undo, self._redo, "undo")

    def redo(self) -> Graph:
        """Do the step taken back again (DS304 if there is none)."""
        return self._travel(self._redo, self._undo, "redo")

    def _travel(self, source: list[_Step], target: list[_Step], word: str) -> Graph:
        if not source:
            message, hint = f"There is nothing to {word}.", "Edit the graph first."
            raise DaliStudioError(Diagnostic(code="DS304", message=message, hint=hint))
        # Unchecked: the state that comes back was there before, faulty or not.
        self.graph, inverse = apply(self.graph, source[-1].edits, self.registry, check=False)
        source.pop()
        target.append(_Step(inverse))
        self.revision += 1
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
