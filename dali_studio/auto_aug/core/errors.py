"""Errors of this package."""

from __future__ import annotations

from dali_studio.api.tracing import call_site
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def error(message: str, hint: str, argument: str = "", code: str = "DS105") -> DaliStudioError:
    """An error about what a program has given."""
    return DaliStudioError(Diagnostic(code=code, message=message, hint=hint, argument=argument, source=call_site()))
