"""Functions that are written in the designer: Python in place of an operator."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, cast

from dali_studio.core.calls import Calls, Ended, StoppedError
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.meta import TensorMeta

#: Characters of a message of the text's error.
_LONGEST = 200


@dataclass(frozen=True)
class ForeignFunction:
    """The text of a function that came with a document, and that this user has not trusted: nothing runs it.

    Attributes
    ----------
    source
    signature
        As the document had it.
    """

    source: str
    signature: object = None


@dataclass(frozen=True)
class WrittenFunction:
    """A function that its user has written, or read and trusted.

    The text runs when the function is called first, or by `load`.

    Attributes
    ----------
    source
        The text of a module, whose last function this is.
    node
        The key of the node that was given it.
    outputs
        What a call has given, one for each result; empty if nobody has tried it.
    module_of
        Under which name programs import the function of a node: a document is renamed while it is open.
    """

    source: str
    node: str
    outputs: tuple[TensorMeta, ...] = ()
    module_of: Callable[[str], str] = field(default=str, compare=False)

    @property
    def module(self) -> str:
        """Under which name programs import it."""
        return self.module_of(self.node)

    def __call__(self, *given: Any) -> Any:
        """What the function gives.

        Raises
        ------
        StoppedError
            If `calls` were ended meanwhile, or are refused.
        """
        begin = perf_counter()
        try:
            with self.calls.going():
                return self._function(*given)
        except Ended as ended:
            seconds = perf_counter() - begin
            message = f"stopped after {seconds:.0f} s" if seconds >= 1 else "stopped"
            raise StoppedError(message).with_traceback(ended.__traceback__) from None

    @cached_property
    def calls(self) -> Calls:
        """Those that go on."""
        return Calls()

    @cached_property
    def name(self) -> str:
        """Of the function in the text.

        Raises
        ------
        DaliStudioError
            DS502 if the text is no Python, or has no function.
        """
        try:
            statements = ast.parse(self.source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            message = f"The code has a syntax error: {getattr(error, 'msg', error)}{f' (line {line})' if line else ''}."
            raise _refused(message, "Correct it, then run it again.") from error
        names = [one.name for one in statements if isinstance(one, ast.FunctionDef)]
        if not names:
            raise _refused("The code has no function.", "Write def name(image): ..., with an array for each input.")
        return names[-1]

    @cached_property
    def _function(self) -> Callable[..., Any]:
        module = types.ModuleType(self.module)
        exec(compile(self.source, f"{self.module}.py", "exec"), module.__dict__)  # noqa: S102 - its user has said so
        return cast("Callable[..., Any]", getattr(module, self.name))

    def load(self) -> None:
        """Run the text, so that what it says beside its functions is known to work.

        Raises
        ------
        DaliStudioError
            DS502 if it fails.
        """
        _ = self.name
        try:
            _ = self._function
        except Exception as error:
            message = f"The code failed with {type(error).__name__} ({str(error)[:_LONGEST]})."
            raise _refused(message, "Correct it, then run it again.") from error


def _refused(message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS502", message=message, hint=hint))
