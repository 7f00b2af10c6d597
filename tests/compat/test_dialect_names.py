"""The table of nvidia.dali's functions is what nvidia.dali has."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

from dali_studio.api.default import default_registry
from dali_studio.codegen.dialects.dali import DIALECT
from dali_studio.schema.dali_functions import DALI_VERSION, FUNCTIONS

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
    assert nvidia.__version__.startswith(f"{DALI_VERSION}.")
    assert functions(importlib.import_module("nvidia.dali.fn")) == FUNCTIONS


def test_every_operator_says_what_it_is_there() -> None:
    """It has the function under the operator's name, or the operator declares that it has another, or none."""
    registry = default_registry()
    for name in registry:
        schema = registry.schema(name)
        declared = schema.in_dialect(DIALECT.name)
        if schema.role in ("copy", "split", "merge", "arithmetic", "subscript"):  # written as methods, statements and expressions
            continue
        if declared is not None and declared.absent:
            assert DIALECT.function(name, schema) not in FUNCTIONS, f"{name} is declared absent, and nvidia.dali has it"
            assert declared.instead
        else:
            assert DIALECT.lacks_operator(name, schema)[0] == "", f"declare what {name} is for nvidia.dali"
