"""Errors with their findings."""

from __future__ import annotations

import copy
import pickle

import pytest

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def test_errors_come_out_of_other_processes() -> None:
    error = DaliStudioError([Diagnostic(code="DS105", message="It is 3.", hint="Give 2."), Diagnostic(code="DS301", message="It failed.", sample=4)])
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(made) is DaliStudioError
        assert (str(made), made.diagnostics) == (str(error), error.diagnostics)


@pytest.mark.parametrize(("code", "kinds"), [
    ("DS102", (KeyError, TypeError, ValueError)), ("DS104", (TypeError, ValueError)), ("DS105", ()),
])  # fmt: skip
def test_programs_catch_what_they_catch_of_nvidia_dali(code: str, kinds: tuple[type[Exception], ...]) -> None:
    error = DaliStudioError(one for one in [Diagnostic(code=code, message="It is 'a'.", hint="Give 2.")])
    caught = {kind for kind in (KeyError, TypeError, ValueError) if isinstance(error, kind)}
    assert caught == {*kinds} and isinstance(error, RuntimeError)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == f"{code}: It is 'a'. Give 2."
