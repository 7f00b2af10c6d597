"""The registry: a value that maps operator names to their entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import TensorMeta
from dali_studio.core.wording import nearest, shortened
from dali_studio.schema.arguments import Args
from dali_studio.schema.dali_functions import FUNCTIONS, missing
from dali_studio.schema.declare import Operator
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.sequences import frame_of, is_sequence, sequence_of
from dali_studio.schema.traits import FramesFromArguments, PerFrame, Trait

#: Of sequences that are not known yet.
_NO_FRAMES = np.zeros(1, np.int64)


class Registry:
    """All operators of one installation, by their path under ``fn``."""

    def __init__(self, operators: Sequence[type[Operator]] = ()) -> None:
        self._operators: dict[str, type[Operator]] = {}
        self._former: dict[str, str] = {}
        for operator in operators:
            self.register(operator)

    def register(self, operator: type[Operator]) -> None:
        """Add an operator.

        Raises
        ------
        ValueError
            If its name is taken.
        """
        name = operator.schema.name
        if name in self._operators:
            raise ValueError(f"operator {name!r} is declared twice: {self._operators[name]!r} and {operator!r}")
        self._operators[name] = operator
        self._former |= dict.fromkeys(operator.schema.former, name)

    def __contains__(self, name: str) -> bool:
        return name in self._operators

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._operators))

    def operator(self, name: str) -> type[Operator]:
        """The implementation, for the runtime.

        Raises
        ------
        DaliStudioError
            DS101 if there is none; the hint names the nearest.
        """
        try:
            return self._operators[name]
        except KeyError:
            raise DaliStudioError(self.unknown(name)) from None

    def schema(self, name: str) -> OperatorSchema:
        """The description of an operator (errors as in `operator`)."""
        return self.operator(name).schema

    def unknown(self, name: str, node: str = "") -> Diagnostic:
        """The finding for an operator that is not registered."""
        near = nearest(name, self._operators)
        hint = f"Did you mean {near!r}?" if near else "`dali-studio catalog` lists what there is."
        message = f"There is no operator called {shortened(name)}."
        if name in FUNCTIONS:
            message = missing(name, repr(name), "dali_studio")
            hint = f"The nearest here is {near!r}." if near else hint
        return Diagnostic(code="DS101", message=message, hint=hint, node=node)

    def has_trait(self, name: str, trait: type[Trait]) -> bool:
        """Whether the operator makes the promise `trait`."""
        return trait in self.operator(name).traits

    def outputs(self, name: str, values: Mapping[str, Value], wired: int) -> tuple[OutputSchema, ...]:
        """The outputs of an operator under the given arguments and number of inputs."""
        operator = self.operator(name)
        there = {declared.name for declared in operator.schema.inputs[:wired]}
        declared = operator.output_schemas(dict(values), operator.schema)
        return tuple(one for one in declared if not one.of_input or one.of_input in there)

    def infer(self, name: str, args: Args, inputs: Sequence[TensorMeta]) -> tuple[TensorMeta, ...]:
        """Types of the outputs; raises `ArgumentError` as the operator does."""
        operator = self.operator(name)
        sequences = PerFrame in operator.traits and any(map(is_sequence, inputs)) and operator.by_frame(args, *inputs)
        sequences |= FramesFromArguments in operator.traits and any(map(is_sequence, args.metas.values()))
        if sequences:
            inputs = [frame_of(meta) for meta in inputs]
            if args.frames is None:
                args.frames = _NO_FRAMES
        result = operator.infer(args, *inputs)
        metas = result if isinstance(result, tuple) else (result,)
        return tuple(sequence_of(meta) for meta in metas) if sequences else metas

    def shown(self) -> list[OperatorSchema]:
        """Every operator that a palette shows."""
        return [schema for name in self if not (schema := self.schema(name)).hidden]

    def functions(self) -> list[str]:
        """Names of the operators that are functions of ``fn``; copies and expressions are not."""
        return [name for name in self if self.is_function(name)]

    def is_function(self, name: str) -> bool:
        """Whether an operator is a function of ``fn``."""
        if name not in self:
            return False
        schema = self.schema(name)
        return (not schema.hidden or bool(schema.deprecated)) and schema.role not in ("copy", "arithmetic", "subscript")

    def former(self) -> dict[str, str]:
        """The names that operators have today, by deprecated ones."""
        return dict(self._former)
