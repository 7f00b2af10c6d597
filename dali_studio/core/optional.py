"""The one door to packages that an installation may lack."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

#: What `require` has imported: it is asked for several times in an iteration.
_imported: dict[str, ModuleType] = {}


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
    found = _imported.get(module)
    if found is not None and sys.modules.get(module) is found:
        return found
    try:
        found = _imported[module] = importlib.import_module(module)
    except ImportError as error:
        raise DaliStudioError(
            Diagnostic(
                code="DS601",
                message=f"{purpose} needs the package {module!r}, which is not installed.",
                hint=f"Run: pip install {install}",
                detail=str(error),
            )
        ) from error
    return found
