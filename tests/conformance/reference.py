"""Compares operators with the references that they declare (`Operator.reference`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from subjects import REGISTRY, Subject, results, samples

from dali_studio import DaliStudioError
from dali_studio.schema.declare import overrides
from dali_studio.schema.samples import Array, Data, values
from dali_studio.schema.traits import PerFrame


def has_reference(subject: Subject) -> bool:
    """Whether the operator declares a reference; one may have an argument of that name."""
    operator = REGISTRY.operator(subject.operator)
    return overrides(operator, "reference") and callable(operator.reference)


def check_compared(subject: Subject) -> None:
    """Raise an ``AssertionError`` for an operator whose formula nothing would check."""
    name = REGISTRY.operator(subject.operator).__name__
    assert not subject.lacking or has_reference(subject), (
        f"nvidia.dali has no fn.{subject.operator} to compare with. Give {name} a static method "
        "reference(arguments, *inputs) that computes one sample by NumPy (docs/adding_an_operator.md)."
    )


def fed(subject: Subject) -> Iterator[Subject]:
    """The case with each of its numbers that may be fed, another one for each sample."""
    for argument in subject.schema.arguments:
        value = subject.case.arguments.get(argument.name)
        if argument.tensor and argument.support == "used" and argument.type == "float" and isinstance(value, float | int):
            count = min((len(samples(data)) for data in subject.case.inputs), default=0)
            low = -np.inf if argument.minimum is None else argument.minimum
            high = np.inf if argument.maximum is None else argument.maximum
            numbers = np.clip(value * np.linspace(0.5, 1.5, count), low, high)
            given = {**subject.case.arguments, argument.name: values(*numbers, label=f"fed around {value:g}")}
            yield Subject(subject.operator, replace(subject.case, arguments=given))


def check_reference(subject: Subject) -> None:
    """Raise an ``AssertionError`` where a result differs from the declared reference by more than is declared."""
    outputs = results(subject)
    if isinstance(outputs, DaliStudioError):  # refused for its data
        assert outputs.diagnostics[0].node == "node" and outputs.diagnostics[0].hint, str(outputs)
        return
    for index in range(len(outputs[0].samples)):
        for number, expected in enumerate(_expected(subject, index)):
            subject.tolerance().check(outputs[number].samples[index], expected, f"{subject}, output {number} sample {index}")


def _expected(subject: Subject, index: int) -> list[Array]:
    """The reference's sample of each output."""
    reference: Any = REGISTRY.operator(subject.operator).reference
    arguments = {argument.name: argument.default for argument in subject.schema.arguments if argument.support == "used"}
    for name, value in subject.case.arguments.items():
        one = samples(value)[index] if isinstance(value, Data) else value
        arguments[name] = one.item() if isinstance(one, np.ndarray) and one.ndim == 0 else one
    given = [samples(data)[index] for data in subject.case.inputs]
    if subject.schema.role == "reader":
        return _listed(reference(arguments, np.asarray(index)))
    if not (subject.has(PerFrame) and subject.case.inputs[0].layout.startswith("F")):
        return _listed(reference(arguments, *given))
    frames = [_listed(reference(arguments, *frame)) for frame in zip(*given, strict=True)]
    return [np.stack(output) for output in zip(*frames, strict=True)]


def _listed(result: Any) -> list[Array]:
    return list(result) if isinstance(result, tuple) else [result]
