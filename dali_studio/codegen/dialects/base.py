"""What tells one dialect from another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Dialect:
    """A target of code generation.

    Attributes
    ----------
    name, title
        How it is chosen, and how the designer shows it.
    module
        Where ``fn``, ``pipeline_def`` and ``types`` are imported from.
    operators
        Operators that it cannot express, with the reason as a sentence without its end.
    arguments
        The same by (operator, argument); an operator of ``"*"`` stands for all.
    functions
        Paths under its ``fn``; ``None``: those of the registry. A program calls nothing else.
    """

    name: str
    title: str
    module: str
    operators: Mapping[str, str] = field(default_factory=dict[str, str])
    arguments: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    functions: frozenset[str] | None = None

    def lacks_operator(self, operator: str) -> str:
        """Why the operator cannot be expressed, or an empty text."""
        if self.functions is not None and operator not in self.functions:
            return "it has no such function"
        return self.operators.get(operator, "")

    def lacks_argument(self, operator: str, argument: str) -> str:
        """Why the argument cannot be expressed, or an empty text."""
        return self.arguments.get((operator, argument)) or self.arguments.get(("*", argument), "")
