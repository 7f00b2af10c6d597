"""What tells one dialect from another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dali_studio.schema.model import OperatorSchema

_ANOTHER = "Choose another operator or another dialect."


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
    version
        The version that `functions` are from, for which programs are written.
    wrong_steps
        What comes of an index with a step along the first axis, where that is not what Python gives; empty: it is.
    wrong_comparisons
        The same of a comparison of a real number with a whole one below 0.
    """

    name: str
    title: str
    module: str
    operators: Mapping[str, str] = field(default_factory=dict[str, str])
    arguments: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    functions: frozenset[str] | None = None
    version: str = ""
    wrong_steps: str = ""
    wrong_comparisons: str = ""

    def function(self, operator: str, schema: OperatorSchema | None) -> str:
        """Path of the operator under its ``fn``, as the operator declares it, or the operator's own."""
        declared = schema.in_dialect(self.name) if schema is not None else None
        return declared.name if declared is not None and declared.name else operator

    def lacks_operator(self, operator: str, schema: OperatorSchema | None = None) -> tuple[str, str]:
        """Why the operator cannot be expressed, and what a program does instead; empty texts if it can be.

        Parameters
        ----------
        schema
            The operator's description, which says what it is here; ``None`` for one that is not registered, of which
            the table of functions alone tells.
        """
        declared = schema.in_dialect(self.name) if schema is not None else None
        if declared is not None and declared.absent:
            return declared.absent, declared.instead
        if declared is not None and declared.since and self.version and _number(declared.since) > _number(self.version):
            return f"it has it since version {declared.since}, and programs are for {self.version}", _ANOTHER
        function = self.function(operator, schema)
        if self.functions is not None and function not in self.functions:
            return "it has no such function", _ANOTHER
        return self.operators.get(operator, ""), _ANOTHER

    def lacks_argument(self, operator: str, argument: str) -> str:
        """Why the argument cannot be expressed, or an empty text."""
        return self.arguments.get((operator, argument)) or self.arguments.get(("*", argument), "")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
