"""The modules ``fn`` and ``ops``, made from the registry."""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.api.reference import signature_doc
from dali_studio.api.source_arguments import external_source_arguments
from dali_studio.api.tracing import trace_operator
from dali_studio.schema.model import OperatorSchema


def function_for(schema: OperatorSchema) -> Callable[..., Any]:
    """The ``fn`` function of an operator."""
    if schema.role == "external_source":

        def source_function(source: Any = None, num_outputs: int | None = None, **arguments: Any) -> Any:
            return trace_operator(
                schema.name, (), external_source_arguments(source, {"num_outputs": num_outputs, **arguments})
            )

        function: Callable[..., Any] = source_function
    else:

        def operator_function(*inputs: Any, **arguments: Any) -> Any:
            return trace_operator(schema.name, inputs, arguments)

        function = operator_function
    function.__name__ = function.__qualname__ = schema.name.rpartition(".")[2]
    function.__doc__ = signature_doc(schema)
    return function


def class_for(schema: OperatorSchema) -> type:
    """The ``ops`` class of an operator: arguments first, inputs at the call."""
    function = function_for(schema)

    def __init__(self: Any, **arguments: Any) -> None:  # noqa: N807 - becomes a method below
        self.arguments = arguments

    def __call__(self: Any, *inputs: Any, **arguments: Any) -> Any:  # noqa: N807 - likewise
        return function(*inputs, **{**self.arguments, **arguments})

    name = schema.class_name.rpartition(".")[2]
    return type(name, (), {"__init__": __init__, "__call__": __call__, "__doc__": signature_doc(schema)})


def populate(
    module: ModuleType, make: Callable[[OperatorSchema], Any], path: Callable[[OperatorSchema], str]
) -> list[str]:
    """Fill `module` and its sub-modules (``fn.readers`` ...) with one entry per operator; returns its own names."""
    names: set[str] = set()
    registry = default_registry()
    _explain_absence(module)
    for schema in (registry.schema(name) for name in registry):
        if schema.hidden or schema.role in ("copy", "constant"):
            continue
        *folders, last = path(schema).split(".")
        target = module
        for folder in folders:
            target = _submodule(target, folder)
        entry = make(schema)
        entry.__module__ = target.__name__
        setattr(target, last, entry)
        names.add(folders[0] if folders else last)
    return sorted(names)


def _explain_absence(module: ModuleType) -> None:
    """Let `module` say what it has instead where an operator is asked for that it lacks."""

    def absent(name: str) -> Any:
        said = f"module {module.__name__!r} has no attribute {name!r}"
        if name.startswith("_"):
            raise AttributeError(said)
        # what the module imports for itself is not meant
        here = [k for k, v in vars(module).items() if _home(v).startswith(module.__name__)]
        near = get_close_matches(name, here, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "See dali-studio catalog or docs/support.md."
        raise AttributeError(f"{said}. {hint}")

    vars(module)["__getattr__"] = absent


def _home(entry: object) -> str:
    return str(getattr(entry, "__name__" if isinstance(entry, ModuleType) else "__module__", ""))


def _submodule(parent: ModuleType, name: str) -> ModuleType:
    full = f"{parent.__name__}.{name}"
    if full not in sys.modules:
        sys.modules[full] = ModuleType(full, f"Operators of the group {name}.")
        setattr(parent, name, sys.modules[full])
        _explain_absence(sys.modules[full])
    return sys.modules[full]
