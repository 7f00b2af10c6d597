"""The one door to packages that an installation may lack."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic


def available(module: str) -> bool:
    """Whether `module` can be imported, without importing it."""
    return importlib.util.find_spec(module.split(".", maxsplit=1)[0]) is not None


def require(module: str, *, purpose: str, install: str) -> ModuleType:
    """Import `module`.

    Raises
    ------
    DaliStudioError
        DS601, with what needs the module and how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise DaliStudioError(
            Diagnostic(
                code="DS601",
                message=f"{purpose} needs the package {module!r}, which is not installed.",
                hint=f"Run: pip install {install}",
                detail=str(error),
            )
        ) from error
