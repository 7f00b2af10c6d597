"""Turning whatever an operator raises into one finding with node, sample, file and cause."""

from __future__ import annotations

import re
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from dali_studio.compiler.plan import Step
from dali_studio.core.diagnostics import ArgumentError, DaliStudioError, Diagnostic
from dali_studio.core.wording import byte_count
from dali_studio.runtime.extents import NoRoomError

_SMALLER = "Make the output or the batch smaller."


class StepError(Exception):
    """Carries a failure from a worker to the executor with the step and the sample it happened at."""

    def __init__(self, step: Step, sample: int | None, source: str, cause: Exception) -> None:
        super().__init__(str(cause))
        self.step, self.sample, self.source, self.cause = step, sample, source, cause

    def diagnose(self) -> DaliStudioError:
        """The finding, as the error that users see."""
        cause, step = self.cause, self.step
        if isinstance(cause, DaliStudioError):
            return cause
        source = str(self.source or step.origin)  # a plain one: it may know more
        last = "".join(traceback.format_exception_only(cause)).strip()
        place = traceback.extract_tb(cause.__traceback__)
        detail = last + (f"\nat {place[-1].filename}:{place[-1].lineno} in {place[-1].name}" if place else "")
        if step.origin and source != step.origin:
            detail += f"\nnode made at {step.origin}"
        if isinstance(cause, ArgumentError):
            sample = cause.sample if self.sample is None else self.sample
            fed = step.argument_inputs.get(cause.argument)
            hint = f"{cause.argument} comes from {fed.node}. {cause.hint}" if fed is not None else cause.hint
            found = Diagnostic(
                code=cause.code, message=cause.message, hint=hint, node=step.key, argument=cause.argument,
                sample=sample, source=source, detail=detail,
            )  # fmt: skip
        else:
            code, message, hint = _words(cause)
            found = Diagnostic(
                code=code, message=message, hint=hint, node=step.key, sample=self.sample, source=source, detail=detail
            )
        return DaliStudioError(found)


@dataclass(frozen=True, slots=True)
class FailedSample:
    """A sample that could not be read or decoded, in a run that goes on (`on_error`).

    Attributes
    ----------
    iteration, sample : int
        Where it was, from 0.
    node : str
        The operator that failed.
    source : str
        The file, if it is known.
    message : str
    action : {"skip", "placeholder"}
        What became of it: left out of all outputs, or replaced by a black picture.
    """

    iteration: int
    sample: int
    node: str
    source: str
    message: str
    action: str


class ErrorPolicy:
    """Which samples of one iteration have failed so far; called from all workers.

    Parameters
    ----------
    iteration : int
    record : callable
        Called with each `FailedSample`.
    """

    def __init__(self, iteration: int, record: Callable[[FailedSample], None]) -> None:
        self._iteration, self._record = iteration, record
        self._lock = threading.Lock()
        self.failed: set[int] = set()
        self.skipped: set[int] = set()
        #: Samples among the failed ones for which memory ran out.
        self.too_large: set[int] = set()

    def accepts(self, step: Step, sample: int, source: str, cause: Exception) -> bool:
        """Whether the run goes on without a sample; what fails for the second time is not recorded again."""
        action = str(step.arguments.get("on_error") or "raise")
        with self._lock:
            if sample in self.failed:
                return True
            if action == "raise":
                return False
            self.failed.add(sample)
            if action == "skip":
                self.skipped.add(sample)
            finding = StepError(step, sample, source, cause).diagnose().diagnostics[0]
            self._record(FailedSample(self._iteration, sample, step.key, str(source), finding.message, action))
            return True

    def shrinks(self, step: Step, sample: int, source: str, cause: Exception) -> bool:
        """Whether a step is to begin anew with a small sample in place of one for which memory ran out."""
        if sample in self.too_large or not self.accepts(step, sample, source, cause):
            return False
        self.too_large.add(sample)
        return True


def _bytes(number: str, power: str) -> str:
    """A size as numpy tells it, in the decimal units of all other sizes."""
    return byte_count(round(float(number) * 1024 ** ("KMGTPE".index(power) + 1)))


def _words(cause: Exception) -> tuple[str, str, str]:
    """Code, message and hint for what is no finding of the operator's own."""
    if isinstance(cause, NoRoomError):
        return "DS301", str(cause), _SMALLER
    if isinstance(cause, MemoryError):
        size = re.search(r"allocate ([\d.]+) ([KMGTPE])iB", str(cause))
        wanted = f": {_bytes(*size.groups())} were asked for" if size else ""
        return "DS301", f"The output does not fit into memory{wanted}.", _SMALLER
    message = str(cause) or type(cause).__name__
    if isinstance(cause, ValueError | OSError):
        return "DS301", message, getattr(cause, "hint", "")
    return "DS305", message, getattr(cause, "hint", "This is a defect of the operator; please report it.")
