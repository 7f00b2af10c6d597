"""Marks that an argument's ``Annotated`` type may carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from dali_studio.schema.model import Value, Widget


@dataclass(frozen=True, slots=True)
class Doc:
    """What the argument does, in a sentence or two."""

    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """Unit of the value: ``deg``, ``px`` ..."""

    text: str


@dataclass(frozen=True, slots=True)
class Range:
    """The hard range, inclusive; ``None`` leaves a side open."""

    minimum: float | None = None
    maximum: float | None = None


#: Extents that are asked for have to be below this.
MAX_PIXELS: Final = 1e9


@dataclass(frozen=True, slots=True)
class Ui:
    """The inspector's control and the handy interval of a slider (not a limit)."""

    widget: Widget
    span: tuple[float, float] | tuple[()] = ()


@dataclass(frozen=True, slots=True)
class Start:
    """What a new node of the designer begins with, where the argument must have a value and no default says which."""

    value: Value


@dataclass(frozen=True, slots=True)
class Choices:
    """The accepted words of a string argument, and the other ways in which nvidia.dali lets them be written."""

    words: tuple[str, ...]
    #: By the text in small letters; capitals are then accepted as well.
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Length:
    """The accepted lengths of a list argument."""

    lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """Accepted for compatibility and without effect here, for `reason`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Known, but not available: giving another value than the default is a diagnostic with `reason`."""

    reason: str


@dataclass(frozen=True, slots=True)
class Deprecated:
    """Still accepted; `instead` names what replaces it."""

    instead: str


class _Flag:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


#: The argument may be fed per sample by an edge.
PER_SAMPLE: Final = _Flag("PER_SAMPLE")
#: A list gives each output its own value.
PER_OUTPUT: Final = _Flag("PER_OUTPUT")
#: A wire may bring numbers of any type.
ANY_NUMBER: Final = _Flag("ANY_NUMBER")
#: Fractions of an integer argument are cut off, as nvidia.dali does; elsewhere they are refused.
TRUNCATED: Final = _Flag("TRUNCATED")
#: Shown in the inspector without "Show more".
COMMON: Final = _Flag("COMMON")


class Layout(str):  # noqa: SLOT000 - only ever an annotation
    """Annotation of arguments that hold a layout."""
