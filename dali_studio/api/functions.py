"""The modules ``fn`` and ``ops``, made from the registry."""

from __future__ import annotations

import difflib
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from dali_studio.api.default import default_registry
from dali_studio.api.reference import signature_doc
from dali_studio.api.source_arguments import external_source_arguments
from dali_studio.api.tracing import call_site, trace_operator
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.schema.dali_functions import in_dali, missing
from dali_studio.schema.model import OperatorSchema


def function_for(schema: OperatorSchema) -> Callable[..., Any]:
    """The ``fn`` function of an operator."""
    if schema.argument("source") is not None:

        def source_function(source: Any = None, num_outputs: int | None = None, **arguments: Any) -> Any:
            return trace_operator(
                schema.name, (), external_source_arguments(source, {"num_outputs": num_outputs, **arguments})
            )

        function: Callable[..., Any] = source_function
    elif schema.role == "constant":

        def constant_function(*, device: str = "cpu", **arguments: Any) -> Any:
            node = trace_operator(schema.name, (), arguments)
            return node.gpu() if device == "gpu" else node

        function = constant_function
    else:

        def operator_function(*inputs: Any, **arguments: Any) -> Any:
            if schema.deprecated:
                message = f"fn.{schema.name} is deprecated. Use fn.{schema.deprecated} instead."
                warnings.warn(message, DeprecationWarning, stacklevel=2)
            return trace_operator(schema.name, inputs, arguments)

        function = operator_function
    function.__name__ = function.__qualname__ = schema.name.rpartition(".")[2]
    function.__doc__ = signature_doc(schema)
    return function


def class_for(schema: OperatorSchema) -> type:
    """The ``ops`` class of an operator: arguments first, inputs at the call."""
    function = function_for(schema)

    def __init__(self: Any, *positional: Any, **arguments: Any) -> None:  # noqa: N807 - becomes a method below
        self.arguments = by_place(schema, positional) | arguments

    def __call__(self: Any, *inputs: Any, **arguments: Any) -> Any:  # noqa: N807 - likewise
        twice = sorted(self.arguments.keys() & arguments.keys())
        if twice:
            raise DaliStudioError(Diagnostic(
                code="DS103", argument=twice[0], source=call_site(),
                message=f"{twice[0]} of ops.{schema.class_name} is given where it is made and where it is called.",
                hint="Give it in one of the two places.",
            ))  # fmt: skip
        given = {**self.arguments, **arguments}
        if schema.role == "external_source" and given.get("parallel"):
            given.setdefault("batch", False)  # which the function does not do
        return function(*inputs, **given)

    name = schema.class_name.rpartition(".")[2]
    members = {"__init__": __init__, "__call__": __call__, "__doc__": signature_doc(schema), "schema": schema}
    return type(name, (), members)


def by_place(schema: OperatorSchema, positional: Sequence[Any]) -> dict[str, Any]:
    """The arguments that a class of ``ops`` takes without their names: those of external sources.

    Raises
    ------
    TypeError
        For more than it takes.
    """
    names = ("source", "num_outputs") if schema.argument("source") is not None else ()
    if len(positional) > len(names):
        given = repr(positional[len(names)])
        raise TypeError(f"ops.{schema.class_name} takes its arguments by their names; {given} has none.")
    return dict(zip(names, positional, strict=False))


def populate(
    module: ModuleType, make: Callable[[OperatorSchema], Any], path: Callable[[OperatorSchema], str],
    offered: Callable[[OperatorSchema], bool] = lambda schema: True,
) -> list[str]:  # fmt: skip
    """Fill `module` and its sub-modules (``fn.readers`` ...) with one entry per operator; returns its own names."""
    names: set[str] = set()
    known: list[str] = []
    _explain_missing(module, module, known)
    registry = default_registry()
    group = module.__name__.rpartition(".")[2]
    for schema in filter(offered, map(registry.schema, registry.functions())):
        entry = make(schema)
        former = [path(schema.called(name)) for name in schema.former]
        entries = [(path(schema), entry), *((name, _deprecated(entry, name, path(schema), group)) for name in former)]
        for name, one in entries:
            *folders, last = name.split(".")
            target = module
            for folder in folders:
                target = _submodule(target, folder)
                _explain_missing(target, module, known)
            one.__module__ = target.__name__
            setattr(target, last, one)
            names.add(folders[0] if folders else last)
        known.append(path(schema))
    return sorted(names)


def _deprecated(entry: Any, name: str, instead: str, group: str) -> Any:
    """A function or class of the module `group` under a former name, which warns where it is used."""
    last = name.rpartition(".")[2]
    message = f"{group}.{name} is deprecated. Use {group}.{instead} instead."

    def call(*inputs: Any, **arguments: Any) -> Any:
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return entry(*inputs, **arguments)

    def __init__(self: Any, *positional: Any, **arguments: Any) -> None:  # noqa: N807 - becomes a method below
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        entry.__init__(self, *positional, **arguments)

    if isinstance(entry, type):
        return type(last, (entry,), {"__init__": __init__, "__doc__": message})
    call.__name__ = call.__qualname__ = last
    call.__doc__ = message
    return call


def _submodule(parent: ModuleType, name: str) -> ModuleType:
    full = f"{parent.__name__}.{name}"
    if full not in sys.modules:
        sys.modules[full] = ModuleType(full, f"Operators of the group {name}.")
        setattr(parent, name, sys.modules[full])
    return sys.modules[full]


def _explain_missing(target: ModuleType, root: ModuleType, known: Sequence[str]) -> None:
    """Let `target` answer for operators that it does not have; `known` are the paths below `root` that exist."""

    def __getattr__(name: str) -> Any:  # noqa: N807 - a module's, of which Python asks what it does not find
        path = f"{target.__name__}.{name}".removeprefix(f"{root.__name__}.")
        package, _, group = root.__name__.rpartition(".")
        near = _nearest(path, known)
        hint = f" Did you mean {group}.{near}?" if near else ""
        message = f"{package} has no operator {group}.{path}."
        if (peer := in_dali(path)) and peer not in default_registry():
            message = missing(peer, f"fn.{peer}", package)
            hint = f" The nearest here is {group}.{near}." if near else ""
        message += f"{hint} `dali-studio support` lists what there is."
        raise AttributeError(message, name=name, obj=target)

    target.__getattr__ = __getattr__


def nearest_operator(path: str) -> str:
    """The function of ``fn`` that may be meant by the name of none; empty if none is like it."""
    return _nearest(path, default_registry().functions())


def _nearest(path: str, known: Sequence[str]) -> str:
    """What may be meant by the name of no operator: one with all its words, or with nearly its letters."""
    words = _words(path)
    holding = [name for name in known if words and words <= _words(name)]
    if holding:
        return min(holding, key=lambda name: (len(_words(name)), name))
    return next(iter(difflib.get_close_matches(path, known, n=1, cutoff=0.8)), "")


def _words(path: str) -> frozenset[str]:
    """The words of ``readers.file``, ``readers.File``, ``file_reader`` and ``FileReader`` are the same."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", path)
    return frozenset(word.lower().removesuffix("s") for word in found)
