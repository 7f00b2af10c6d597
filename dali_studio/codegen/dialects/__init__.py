"""The languages in which a graph can be written, each a small difference to the common program."""

from __future__ import annotations

from dali_studio.codegen.dialects import dali, studio
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

_ALL: dict[str, Dialect] = {dialect.name: dialect for dialect in (dali.DIALECT, studio.DIALECT)}

#: Name to title, in the order in which the designer offers them.
DIALECTS: dict[str, str] = {name: dialect.title for name, dialect in _ALL.items()}


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
