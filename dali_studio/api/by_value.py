"""Pickling functions and classes that no import finds: of notebook cells, of other functions, and lambdas."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import io
import marshal
import pickle
import sys
import types
from pathlib import Path
from typing import Any, cast

#: Set on functions that are to be pickled with their code although an import finds them.
BY_VALUE = "_dali_pickle_by_value"


def dumps(value: Any) -> bytes:
    """The bytes of a value, with the code of its functions and classes where an import would not find them.

    Raises
    ------
    pickle.PicklingError, AttributeError, TypeError
        For what cannot be pickled.
    """
    stream = io.BytesIO()
    _Pickler(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return stream.getvalue()


def loads(content: bytes) -> Any:
    """The value that `dumps` was given."""
    return pickle.loads(content)  # noqa: S301 - from the process that started this one


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any, /) -> Any:
        if isinstance(obj, types.ModuleType):
            return importlib.import_module, (obj.__name__,)
        if isinstance(obj, types.CellType):
            return _cell, (), _contents(obj), None, None, _fill_cell
        if isinstance(obj, types.FunctionType) and (getattr(obj, BY_VALUE, False) or not _is_found(obj)):
            return _reduced(obj)
        return _reduced_other(obj)


def _reduced_other(value: Any) -> Any:
    """How classes and what is in them are pickled, where pickle does not do it by itself."""
    kind = cast("Any", type(value))
    if _is_lone_class(value):
        return _reduced_class(value)
    if kind is types.MappingProxyType:
        return _proxy, (dict(value),)
    if kind in (staticmethod, classmethod):
        return kind, (value.__func__,)
    if kind is property:
        return kind, (value.fget, value.fset, value.fdel, value.__doc__)
    if kind is functools.cached_property:
        return kind, (value.func,), {"attrname": value.attrname}
    if kind.__module__ == "dataclasses" and kind.__name__ == "_FIELD_BASE":  # fields are told apart by its objects
        return getattr, (dataclasses, value.name)
    return NotImplemented


def _is_found(value: Any) -> bool:
    """Whether an import in another process finds a function or class; that process has another ``__main__``."""
    if value.__module__ in (None, "__main__", "__mp_main__"):
        return False
    found: Any = importlib.import_module(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


def _is_lone_class(value: Any) -> bool:
    """Whether it is a class that no other process finds; what it has for ``__main__`` has those of a script."""
    if not isinstance(value, type) or value.__module__ == "builtins" or issubclass(value, enum.Enum):
        return False
    in_script = value.__module__ == "__main__" and Path(getattr(sys.modules["__main__"], "__file__", "")).is_file()
    return "<locals>" in value.__qualname__ or not (in_script or _is_found(value))


def _reduced_class(value: type) -> tuple[Any, ...]:
    made_anew = types.MemberDescriptorType, types.GetSetDescriptorType  # by the type of the class
    body = {name: content for name, content in value.__dict__.items()
            if name != "_abc_impl" and not isinstance(content, made_anew)}  # fmt: skip
    made = {name: body.pop(name) for name in ("__module__", "__qualname__", "__slots__") if name in body}
    return type(value), (value.__name__, value.__bases__, made), body, None, None, _set_body


def _proxy(content: dict[str, Any]) -> types.MappingProxyType[str, Any]:
    return types.MappingProxyType(content)  # the class has no name by which pickle finds it


def _set_body(value: type, body: dict[str, Any]) -> None:
    for name, content in body.items():
        setattr(value, name, content)


def _reduced(function: types.FunctionType) -> tuple[Any, ...]:
    code = function.__code__
    made = marshal.dumps(code), function.__name__, function.__qualname__, function.__closure__
    used = {name: function.__globals__[name] for name in _names(code) if name in function.__globals__}
    state = {"globals": used, "defaults": function.__defaults__, "kwdefaults": function.__kwdefaults__}
    return _function, made, state, None, None, _set_state


def _names(code: types.CodeType) -> set[str]:
    """Names that a function, or one inside it, may look up."""
    inside = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*map(_names, inside))


def _function(code: bytes, name: str, qualname: str, closure: tuple[types.CellType, ...] | None) -> types.FunctionType:
    made = types.FunctionType(marshal.loads(code), {"__builtins__": __builtins__}, name, None, closure)  # noqa: S302
    made.__qualname__ = qualname
    return made


def _set_state(function: types.FunctionType, state: dict[str, Any]) -> None:
    function.__globals__.update(state["globals"])
    function.__defaults__, function.__kwdefaults__ = state["defaults"], state["kwdefaults"]


def _cell() -> types.CellType:
    return types.CellType()  # the class has no name by which pickle finds it


def _contents(cell: types.CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # it is empty
        return ()


def _fill_cell(cell: types.CellType, state: tuple[Any, ...]) -> None:
    if state:
        cell.cell_contents = state[0]
