"""The parts of a graph: options, nodes and wires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import msgspec

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.schema.model import Device, Value

_Positive = Annotated[int, msgspec.Meta(ge=1)]


class GraphOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a pipeline has beside its nodes; the names are those of ``pipeline_def``."""

    name: Annotated[str, msgspec.Meta(min_length=1)] = "pipeline"
    batch_size: _Positive = 8
    num_threads: _Positive = 2
    device_id: int | None = None
    seed: Annotated[int, msgspec.Meta(ge=0)] | None = None
    prefetch_queue_depth: _Positive = 2


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
    """

    key: str
    operator: str
    device: Device = "cpu"
    arguments: Mapping[str, Value] = field(default_factory=dict[str, Value])
    objects: Mapping[str, object] = field(default_factory=dict[str, object])
    origin: str = field(default="", compare=False)
    version: int = 1
    extra: Mapping[str, object] = field(default_factory=dict[str, object])


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
    path = " → ".join([*keys, *keys[:1]])
    return Diagnostic(
        code="DS204", message=f"The wires run in a circle: {path}.", hint="Cut one of these wires.",
        node=keys[0] if keys else "",
    )  # fmt: skip
