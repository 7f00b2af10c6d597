"""The table of nvidia.dali's functions is what nvidia.dali has."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

from dali_studio.schema.dali_functions import FUNCTIONS

pytestmark = pytest.mark.peer


def functions(module: ModuleType, path: str = "") -> set[str]:
    """Paths of the public functions of a module and of those inside it; ``hidden`` ones repeat others."""
    found: set[str] = set()
    for name, value in vars(module).items():
        if name.startswith("_") or name == "hidden":
            continue
        if inspect.ismodule(value):
            found |= functions(value, f"{path}{name}.") if value.__name__.startswith(f"{module.__name__}.") else set()
        elif callable(value):
            found.add(path + name)
    return found


def test_every_function_and_no_other(nvidia: ModuleType) -> None:
    del nvidia
    assert functions(importlib.import_module("nvidia.dali.fn")) == FUNCTIONS
