"""Functions with conditionals: made from the source of a function, and of those that it calls."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any, cast

from dali_studio.api import branches
from dali_studio.api.statements import RUNTIME, Rewriter, located
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

#: The function around a rewritten one, whose parameters are the closure.
_FACTORY = "dali_studio_factory"
_LAMBDA = "dali_studio_lambda"
#: Packages whose functions have no operator results in their conditions.
_FOREIGN = frozenset({"dali_studio", "numpy", "nvidia", "cupy", "torch"}) | (sys.stdlib_module_names - {"__main__"})
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_UNCONVERTED = "_dali_studio_do_not_convert"
#: Flags of ``from __future__ import``.
_FUTURE = 0x1FFE000


def rewritten(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with conditionals.

    Raises
    ------
    DaliStudioError
        DS304 if its source is not to be found.
    """
    plain = inspect.unwrap(function) if not isinstance(function, FunctionType | MethodType) else function
    if isinstance(plain, MethodType):
        return MethodType(rewritten(plain.__func__), plain.__self__)
    name = getattr(plain, "__name__", type(plain).__name__)
    if not isinstance(plain, FunctionType):
        raise _error(
            f"enable_conditionals needs a function that is written in Python; {name} is none.",
            "Write the pipeline function with `def`.",
        )  # fmt: skip
    if plain.__code__.co_flags & _SUSPENDED:
        raise _error(
            f"enable_conditionals needs a plain function; {name} is a generator or a coroutine.",
            "Return the outputs instead of yielding them.",
        )  # fmt: skip
    try:
        return _with_code(plain, _code(plain.__code__, plain.__code__.co_filename))
    except _NoSourceError as error:
        raise _error(
            f"enable_conditionals reads the source of {name}, which was not found: {error}.",
            "Define the function in a file or in a notebook's cell, or leave enable_conditionals out.",
        ) from error  # fmt: skip


def do_not_convert(func: Any = None) -> Any:
    """Keep a function that is called in a pipeline definition as it is: its conditions are plain Python."""
    if func is None:
        return do_not_convert
    if getattr(func, "_is_pipeline_def", False):
        raise ValueError("a pipeline definition cannot be marked with do_not_convert; leave enable_conditionals out")
    setattr(func, _UNCONVERTED, True)
    return func


def called(function: Any) -> Any:
    """What is called in place of `function`: functions of the user are rewritten, too, if their source is there."""
    if isinstance(function, functools.partial):
        part = cast("functools.partial[Any]", function)
        return functools.partial(called(part.func), *part.args, **part.keywords)
    if isinstance(function, MethodType):
        return MethodType(called(function.__func__), function.__self__)
    if isinstance(function, FunctionType):
        return _called(function)
    kind = cast("type[Any]", type(function))
    method = None if isinstance(function, type) else inspect.getattr_static(kind, "__call__", None)
    if isinstance(method, FunctionType) and (found := _called(method)) is not method:
        return MethodType(found, function)
    return function


def _called(function: FunctionType) -> FunctionType:
    code = function.__code__
    package = (function.__module__ or "").partition(".")[0]
    if (
        package in _FOREIGN or code.co_flags & _SUSPENDED
        or RUNTIME in code.co_freevars or getattr(function, _UNCONVERTED, False)
    ):  # fmt: skip
        return function
    try:
        return _with_code(function, _code(code, code.co_filename))
    except _NoSourceError:
        return function


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = _runtime_cell()
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__,
        tuple(cells[name] for name in code.co_freevars),
    )  # fmt: skip
    made.__kwdefaults__, made.__module__ = function.__kwdefaults__, function.__module__
    made.__dict__.update(function.__dict__)
    return made


def _runtime_cell() -> Any:
    runtime = _Runtime

    def holder() -> Any:
        return runtime

    assert holder.__closure__ is not None
    return holder.__closure__[0]


class _Runtime:
    """What rewritten functions call."""

    Branch, read, returned, unset = branches.Branch, branches.read, branches.returned, branches.unset
    jump, place, stand = branches.jump, branches.place, branches.stand
    and_, or_, not_, called = branches.and_, branches.or_, branches.not_, called


class _NoSourceError(Exception):
    """The source of a function is not to be found."""


@functools.lru_cache(maxsize=256)
def _code(code: CodeType, file: str) -> CodeType:
    """The code of a function, rewritten; `file` tells apart what is the same in two files."""
    try:
        lines, _ = inspect.findsource(code)
        tree = _parsed("".join(lines))
    except (OSError, SyntaxError, TypeError) as error:
        raise _NoSourceError(str(error)) from error
    node = cast(ast.stmt, Rewriter().visit(_definition(tree, code)))
    line = node.lineno
    owner = code.co_qualname.split(".")[-2:-1]
    if owner and owner[0] != "<locals>":  # for names that begin with two underscores
        node = ast.copy_location(ast.ClassDef(name=owner[0], bases=[], keywords=[], body=[node], decorator_list=[],
                                              **_NO_PARAMETERS), node)  # fmt: skip
    names = [ast.arg(arg=name) for name in (*code.co_freevars, RUNTIME)]
    factory = ast.FunctionDef(
        name=_FACTORY, body=[node], decorator_list=[],
        args=ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[]), **_NO_PARAMETERS,
    )  # fmt: skip
    module = ast.fix_missing_locations(ast.Module(body=[ast.copy_location(factory, node)], type_ignores=[]))
    made = compile(module, file, "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    name = _LAMBDA if code.co_name == "<lambda>" else code.co_name
    inner = next(one for one in _codes(made) if (one.co_name, one.co_firstlineno) == (name, line))
    return inner.replace(co_name=code.co_name, co_qualname=code.co_qualname)


def _definition(tree: ast.Module, code: CodeType) -> ast.FunctionDef:
    """The syntax tree of a function, without its decorators."""
    if code.co_name == "<lambda>":
        line = code.co_firstlineno
        lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and node.lineno == line]
        if len(lambdas) != 1:
            raise _NoSourceError(f"{len(lambdas)} lambdas begin on line {line}, and cannot be told apart")
        inner = copy.deepcopy(lambdas[0])
        body: list[ast.stmt] = [ast.copy_location(ast.Return(inner.body), inner.body)]
        made = ast.FunctionDef(name=_LAMBDA, args=inner.args, body=body, decorator_list=[], **_NO_PARAMETERS)
        return located(made, inner)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            begin = min((node.lineno, *(decorator.lineno for decorator in node.decorator_list)))
            if begin == code.co_firstlineno:
                found = copy.deepcopy(node)
                found.decorator_list = []
                return found
    raise _NoSourceError("the file has changed since it was read")


#: Fields of definitions that newer versions of Python have.
_NO_PARAMETERS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}


@functools.lru_cache(maxsize=8)
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of functions and classes inside, outer ones first."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _error(message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS304", message=message, hint=hint, argument="enable_conditionals"))
