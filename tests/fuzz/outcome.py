"""What became of a case, and the table of differences from nvidia.dali that have a reason."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dali_studio.core.diagnostics import DaliStudioError

TABLE = Path(__file__).resolve().parent / "verdicts.toml"
#: What verdicts begin with that a rule of the table explains.
LISTED = "differs as listed "
#: Ways in which a case differs from nvidia.dali: ours first.
DIFFERENCES = ("accepted, refused", "refused, accepted", "pixels")


@dataclass(frozen=True)
class Outcome:
    """One case after it was tried.

    Attributes
    ----------
    number : int
    group : str
        What it is counted under: a format, an operator, a kind of message.
    verdict : str
        What happened, for the counts.
    finding : str
        What is wrong, by kind: "exception", "memory", "verdict", "pixels", ...; empty: nothing.
    detail : str
        The same at length.
    inputs : int
        Inputs that it consisted of.
    """

    number: int
    group: str
    verdict: str
    finding: str = ""
    detail: str = ""
    inputs: int = 1


@dataclass(frozen=True)
class Rule:
    """A difference that is known.

    Attributes
    ----------
    family, group, difference : str
        Where it is expected; `family` and `group` are regular expressions for whole names.
    ours, theirs : str
        Regular expressions, searched in what either side said.
    reason : str
        Why it may be.
    """

    family: str
    group: str
    difference: str
    reason: str
    ours: str = ""
    theirs: str = ""
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.difference not in DIFFERENCES or not self.reason:
            raise ValueError(f"a rule of {TABLE.name} needs a reason and one of {DIFFERENCES}: {self}")
        for pattern in (self.family, self.group, self.ours, self.theirs):
            re.compile(pattern)

    def fits(self, family: str, group: str, difference: str, ours: str, theirs: str) -> bool:
        """Whether a difference is this one."""
        return (
            self.difference == difference
            and re.fullmatch(self.family, family) is not None
            and re.fullmatch(self.group, group) is not None
            and re.search(self.ours, ours) is not None
            and re.search(self.theirs, theirs) is not None
        )


@cache
def rules() -> tuple[Rule, ...]:
    """The table, in order."""
    return tuple(Rule(**entry) for entry in tomllib.loads(TABLE.read_text(encoding="utf-8"))["rule"])


def compared(number: int, family: str, group: str, difference: str, ours: str, theirs: str) -> Outcome:
    """The outcome of a case in which the two differ: listed, or a finding."""
    rule = next((rule for rule in rules() if rule.fits(family, group, difference, ours, theirs)), None)
    if rule is not None:
        return Outcome(number, group, f"{LISTED}({difference}): {rule.name or rule.reason}")
    kind = "pixels" if difference == "pixels" else "verdict"
    return Outcome(number, group, f"differs ({difference})", kind, f"{difference}\nours: {ours}\ntheirs: {theirs}")


def unexpected(error: Exception) -> str:
    """What is wrong with an exception that left the package; empty for a documented one."""
    if not isinstance(error, DaliStudioError):
        return "exception"
    return "defect" if any(found.code == "DS305" for found in error.diagnostics) else ""
