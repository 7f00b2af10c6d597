"""The languages in which a graph can be written, each a small difference to the common program."""

from __future__ import annotations

import importlib.util

from dali_studio.codegen.dialects import dali, studio
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

_ALL: dict[str, Dialect] = {dialect.name: dialect for dialect in (dali.DIALECT, studio.DIALECT)}

#: Name to title.
DIALECTS: dict[str, str] = {name: dialect.title for name, dialect in _ALL.items()}


def installed_first() -> dict[str, str]:
    """Name to title in the order in which they are offered: first what is installed, so that programs run here."""
    return {name: DIALECTS[name] for name in sorted(DIALECTS, key=_is_absent)}


def find(name: str) -> Dialect:
    """The dialect called `name`.

    Raises
    ------
    DaliStudioError
        DS501 if there is none.
    """
    if name not in _ALL:
        message, hint = f"There is no dialect called {name!r}.", f"Use one of: {', '.join(_ALL)}."
        raise DaliStudioError(Diagnostic(code="DS501", message=message, hint=hint))
    return _ALL[name]


def _is_absent(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is None
    except ModuleNotFoundError:  # nor is the package that it lies in
        return True
