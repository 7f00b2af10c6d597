"""The parts of a graph: options, nodes and wires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import NamedTuple, SupportsIndex, cast

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.limits import MAX_AHEAD, MAX_INT, MAX_SAMPLES, MAX_THREADS
from dali_studio.core.wording import shortened
from dali_studio.graph.edits import PortRef
from dali_studio.schema.model import Device, Value

#: Least and greatest number of every option that is one.
_BOUNDS = {
    "batch_size": (1, MAX_SAMPLES),
    "num_threads": (1, MAX_THREADS),
    "device_id": (0, 2**31 - 1),
    "seed": (0, MAX_INT),
    "prefetch_queue_depth": (1, MAX_AHEAD),
}
_OPTIONAL = ("device_id", "seed")
#: Nodes of a cycle that a message names.
_SHOWN = 12


class GraphOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a pipeline has beside its nodes; the names are those of ``pipeline_def``. `option_found` checks values."""

    name: str = "pipeline"
    batch_size: int = 8
    num_threads: int = 2
    device_id: int | None = None
    seed: int | None = None
    prefetch_queue_depth: int = 2


def option_found(name: str, value: object) -> Diagnostic | None:
    """What is wrong with the value of an option of a pipeline: DS104 for a wrong type, DS105 out of bounds."""
    if name == "name":
        return None if isinstance(value, str) and value else _bad_option("DS104", name, value, "a text")
    if value is None and name in _OPTIONAL:
        return None
    low, high = _BOUNDS[name]
    accepted = f"a whole number from {low} to {high}{' or None' if name in _OPTIONAL else ''}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return _bad_option("DS104", name, value, accepted)
    number = index(cast("SupportsIndex", value))
    return None if low <= number <= high else _bad_option("DS105", name, value, accepted)


def _bad_option(code: str, name: str, value: object, accepted: str) -> Diagnostic:
    given = "not given" if value is None else shortened(value)
    return Diagnostic(code=code, argument=name, message=f"{name} is {given}; {accepted} is accepted.",
                      hint=f"Give {name} {accepted}.")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An operator placed in a graph.

    Attributes
    ----------
    key
        Its name, and the variable of emitted programs.
    arguments
        What was set, in JSON form. A value under an argument that a wire feeds sleeps until the wire is cut.
    objects
        Arguments without a JSON form, such as the callable behind an external source.
    origin
        ``file.py:12`` of the call that made it, or empty; takes no part in comparisons and documents.
    version
        The operator's version for which the arguments were written.
    extra
        Fields of a document that this release does not know, kept as they were.
    bypassed
        Left out for the time being (`graph.bypass`).
    """

    key: str
    operator: str
    device: Device = "cpu"
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    objects: Mapping[str, object] = field(default_factory=dict[str, object])
    origin: str = field(default="", compare=False)
    version: int = 1
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    bypassed: bool = False
    #: What `checks` has found out about the arguments: a node never changes, and they are looked at many times.
    known: dict[str, object] = field(default_factory=dict[str, object], init=False, repr=False, compare=False)


class Wire(NamedTuple):
    """An edge that ends at a node: at positional input `input`, or at the argument `argument`."""

    source: PortRef
    target: str
    input: int | None
    argument: str


def slot(number: int | None, argument: str) -> int | str:
    """The end of a wire inside its target; exactly one of the two must be given.

    Raises
    ------
    DaliStudioError
        DS209 if neither or both are given, or the input is negative.
    """
    if (number is None) == (argument == "") or (number is not None and number < 0):
        raise DaliStudioError(
            Diagnostic(
                code="DS209",
                message=f"A wire ends at an input or an argument; input {number} and argument {argument!r} were given.",
                hint="Give an input number from 0, or the name of an argument.",
            )
        )
    return argument if number is None else number


def cycle_found(keys: Sequence[str]) -> Diagnostic:
    """The finding for a cycle through `keys`."""
    shown = keys if len(keys) <= _SHOWN else [*keys[: _SHOWN - 1], f"{len(keys) - _SHOWN + 1} more"]
    path = " → ".join([*shown, *keys[:1]])
    return Diagnostic(
        code="DS204", message=f"The wires run in a circle: {path}.", hint="Cut one of these wires.",
        node=keys[0] if keys else "",
    )  # fmt: skip
