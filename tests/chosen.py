"""Which operators a run of the conformance tests is about."""

from __future__ import annotations

#: Their names, as ``--operator`` gives them; all if there are none.
OPERATORS: list[str] = []
