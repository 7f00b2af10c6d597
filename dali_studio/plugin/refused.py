"""Bridges of nvidia.dali that are not here: their names are refused with a way out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def refusing(module: str, names: tuple[str, ...], hint: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module whose `names` raise DS106; others are unknown, as ever."""

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        message = f"{module}.{name} is not supported."
        raise DaliStudioError(Diagnostic(code="DS106", message=message, hint=hint))

    return get
