"""Findings as data, and the exceptions that carry them to the API's edge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

import msgspec

from dali_studio.core.own_lines import shortened

Severity = Literal["error", "warning", "info"]

#: One line for each kind of finding: the code that tests, documents and the front end refer to.
CODES: dict[str, str] = {
    "DS101": "unknown operator",
    "DS102": "unknown argument",
    "DS103": "argument that is missing or given in two ways",
    "DS104": "argument of a wrong type",
    "DS105": "argument out of range",
    "DS106": "argument or option that is not supported",
    "DS107": "argument cannot be fed by a wire",
    "DS201": "missing input",
    "DS202": "input that the operator does not have",
    "DS203": "input of a wrong data type, layout or rank",
    "DS204": "cycle",
    "DS205": "no output selected",
    "DS206": "device that is not available here",
    "DS207": "illegal placement on devices",
    "DS208": "duplicate node name",
    "DS209": "unknown node or port",
    "DS210": "label that does not move with its image",
    "DS211": "samples of a branch together with others",
    "DS301": "sample that could not be processed",
    "DS302": "data source that could not be opened",
    "DS303": "end of data",
    "DS304": "the pipeline cannot run as it is used",
    "DS305": "failure inside an operator",
    "DS401": "document that is not valid",
    "DS402": "document of a newer version",
    "DS403": "document of a version with other operators",
    "DS501": "construct that a dialect cannot express",
    "DS502": "part of a program that cannot be read as a graph",
    "DS503": "transform of another package that operators do otherwise",
    "DS504": "settings of a program that was pasted into another pipeline",
    "DS601": "optional package is missing",
}


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finding about a graph, a document or a run.

    Attributes
    ----------
    code
        A key of `CODES`.
    message
        What was given and what is accepted, in one sentence.
    hint
        What to do.
    node, argument, sample
        Where: node key, argument or port name, index of the sample in its batch.
    source
        File that held the sample, or ``file:line`` of the call that made the node.
    detail
        The cause in technical words (a traceback's last lines), folded by user interfaces.
    """

    code: str
    message: str
    severity: Severity = "error"
    hint: str = ""
    node: str = ""
    argument: str = ""
    sample: int | None = None
    source: str = ""
    detail: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"unknown diagnostic code {self.code!r}")

    def __str__(self) -> str:
        where = ".".join(part for part in (self.node, self.argument) if part)
        sample = "" if self.sample is None else f" (sample {self.sample})"
        head = f"{self.code} {where}{sample}: " if where or sample else f"{self.code}: "
        tail = f" {self.hint}" if self.hint else ""
        source = f" [{self.source}]" if self.source else ""
        return f"{head}{self.message}{tail}{source}"


class DaliStudioError(RuntimeError):
    """Raised at the API's edge; carries every finding.

    Attributes
    ----------
    diagnostics
        At least one `Diagnostic`.
    """

    diagnostics: tuple[Diagnostic, ...]

    def __new__(cls, diagnostics: Iterable[Diagnostic] | Diagnostic) -> Self:
        """An error of the kind that programs catch: that of nvidia.dali, by what was found first."""
        found = (diagnostics,) if isinstance(diagnostics, Diagnostic) else tuple(diagnostics)
        kind = _KINDS.get(found[0].code, cls) if cls is DaliStudioError and found else cls
        made = super().__new__(kind)
        made.diagnostics = found
        return made

    def __init__(self, diagnostics: Iterable[Diagnostic] | Diagnostic) -> None:
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[DaliStudioError], tuple[tuple[Diagnostic, ...]]]:
        """For pickle: errors come out of worker processes, of PyTorch's DataLoader or of Ray."""
        return type(self), (self.diagnostics,)

    def _render_traceback_(self) -> list[str]:
        """What notebooks show of it: IPython asks for this."""
        return [line.rstrip("\n") for line in shortened(self)]


class WrongCallError(DaliStudioError, TypeError, ValueError):
    """A call that cannot be meant: for some nvidia.dali raises a ``TypeError``, for others a ``ValueError``."""


class UnknownArgumentError(WrongCallError, KeyError):
    """A call with an argument that there is not, which is a ``KeyError`` in nvidia.dali."""

    def __str__(self) -> str:
        return RuntimeError.__str__(self)  # a KeyError's has quotes around it


_KINDS: dict[str, type[DaliStudioError]] = {
    "DS102": UnknownArgumentError,
    **dict.fromkeys(("DS104", "DS106", "DS107", "DS201", "DS202", "DS207"), WrongCallError),
}


class ArgumentError(ValueError):
    """Raised by operators: an argument, an input or one sample is not acceptable.

    The executor and the validator turn it into a `Diagnostic` with node and origin.
    """

    def __init__(
        self, message: str, *, hint: str = "", argument: str = "", sample: int | None = None, code: str = "DS105"
    ) -> None:
        super().__init__(message)
        self.message, self.hint, self.argument, self.sample, self.code = message, hint, argument, sample, code


def errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings that prevent a run."""
    return tuple(d for d in diagnostics if d.severity == "error")
