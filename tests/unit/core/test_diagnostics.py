"""Errors with their findings."""

from __future__ import annotations

import copy
import pickle

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def test_errors_come_out_of_other_processes() -> None:
    error = DaliStudioError([Diagnostic(code="DS105", message="It is 3.", hint="Give 2."), Diagnostic(code="DS301", message="It failed.", sample=4)])
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(made) is DaliStudioError
        assert (str(made), made.diagnostics) == (str(error), error.diagnostics)
