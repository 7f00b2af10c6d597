"""``read``: from the source of a program to the graph of its pipeline."""

from __future__ import annotations

import ast
import copy
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import decode_source
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from dali_studio.api.branches import Branches
from dali_studio.api.reading import known, syntax
from dali_studio.api.reading.call_sites import CallSites
from dali_studio.api.reading.interpreter import Interpreter, following
from dali_studio.api.reading.known import Function, FunctionClass, Unknown
from dali_studio.api.reading.values import (
    Instance,
    Maker,
    Scope,
    UserClass,
    UserFunction,
    calls_creator,
    creator_of,
    kind_of,
    method_in,
    reassigned,
)
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import output_port, outputs_of
from dali_studio.codegen.structure import CONDITIONAL
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.limits import MAX_DOCUMENT_BYTES
from dali_studio.graph.files import read_file
from dali_studio.graph.model import Graph
from dali_studio.graph.node import GraphOptions, option_found

_DEFAULTS = GraphOptions()
_OPTIONS = ("batch_size", "num_threads", "device_id", "seed", "prefetch_queue_depth")
_CPU_ONLY = -99999
#: What may make one.
_Pipeline = UserFunction | UserClass | Instance | Maker


class ReadingWarning(UserWarning):
    """Something of a program is not in its graph."""


def read(
    source: str | Path | Callable[..., Any], *, function: str = "", arguments: Mapping[str, Any] | None = None,
    found: list[Diagnostic] | None = None,
) -> Graph:  # fmt: skip
    """Read the source of a program that is written for nvidia.dali or dali_studio; nothing of it is run.

    Calls of ``fn`` and ``ops``, arithmetic, ``if`` on results, loops over ranges and lists, and functions, decorators
    and methods of the source are followed. Functions that ``fn.python_function`` calls are kept as texts, which nothing
    runs before they are trusted in the designer. What is no operator becomes a node that keeps its place and cannot
    run; a value that only a run would tell is left out. Both are findings (DS502).

    Parameters
    ----------
    source : str, Path or callable
        The text of a program, the path of its file, or what ``pipeline_def`` made, whose file or cell is read.
    function : str, optional
        Name of the function decorated by ``pipeline_def``, of a class derived from ``Pipeline``, of a variable that
        holds a ``Pipeline``, or of a function or class that makes one with ``set_outputs``; by default the first of
        them.
    arguments : mapping, optional
        Values of the function's parameters. By default those of its first call in the source, as far as they are
        plain values, and the parameters' defaults.
    found : list, optional
        Gets the findings, which are Python warnings otherwise.

    Returns
    -------
    Graph

    Raises
    ------
    DaliStudioError
        DS302 if the file cannot be read, DS502 if it is no Python, or has no pipeline.
    """
    if callable(source):
        function = function or getattr(source, "__name__", "")
    text, file = text_of_source(source)
    findings: list[Diagnostic] = []
    graph = Program(text, file, findings).graph(function, arguments or {})
    if found is not None:
        found += findings
    else:
        for one in findings:
            warnings.warn(f"{one.source}: {one.message} {one.hint}", ReadingWarning, stacklevel=2)
    return graph


def text_of_source(source: str | Path | Callable[..., Any]) -> tuple[str, str]:
    """The text of what `read` takes, and the name of its file."""
    if callable(source):
        plain: Any = inspect.unwrap(source)
        try:
            lines, _ = inspect.findsource(plain)
        except (OSError, TypeError) as error:
            raise _unreadable(f"The source of {plain!r} is not to be found.", "Give its text.") from error
        return "".join(lines), Path(plain.__code__.co_filename).name
    if isinstance(source, str) and ("\n" in source or "(" in source):
        return source.removeprefix("\ufeff"), "program"
    try:
        return decode_source(read_file(source, MAX_DOCUMENT_BYTES)), Path(source).name
    except (SyntaxError, UnicodeDecodeError) as error:
        message = f"{source} is no text in UTF-8, nor in an encoding that it names."
        raise _unreadable(message, "Give the path of a .py file.") from error
    except (OSError, ValueError) as error:  # the latter for what can be no path
        message = f"{source} could not be read: {getattr(error, 'strerror', None) or error}."
        raise DaliStudioError(Diagnostic(code="DS302", message=message, hint="Give the path of a .py file.")) from error


def _unreadable(message: str, hint: str, source: str = "") -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS502", message=message, hint=hint, source=source))


class Program:
    """A source, and what stands in its module."""

    def __init__(
        self, text: str, file: str, found: list[Diagnostic],
        interpreter: Callable[[str, Trace], Interpreter] = Interpreter,
    ) -> None:  # fmt: skip
        try:
            self.tree = ast.parse(text)
        except (SyntaxError, ValueError) as error:
            reason, line = str(error), None
            if isinstance(error, SyntaxError) and error.lineno:
                reason, line = syntax.told(text, error)
            place = f"{file}:{line}" if line else file
            named = "The program" if file == "program" else file
            raise _unreadable(f"{named} has a syntax error: {reason}.", "Correct it first.", place) from error
        except (RecursionError, MemoryError) as error:
            raise _unreadable(f"{file} is nested too deeply.", "Split its expressions.", file) from error
        self._file, self._found = file, found
        self._trace = Trace(_DEFAULTS)
        self._trace.branches = Branches(self._trace)
        self._interpreter = interpreter(file, self._trace)
        self._interpreter.module = self.tree.body, text
        self._scope = Scope(reassigned=reassigned(self.tree.body))
        self._calls = CallSites(self.tree, self._scope, self._aside)
        self._builds = {name for name, _ in _builders(self.tree.body)}

    def _aside(self) -> Interpreter:
        """An interpreter of what is no part of the pipeline."""
        trace = Trace(_DEFAULTS)
        trace.branches = Branches(trace)
        made = Interpreter(self._file, trace)
        made.taken = self._interpreter.taken
        return made

    @property
    def interpreter(self) -> Interpreter:
        """What follows the statements."""
        return self._interpreter

    def names(self) -> list[str]:
        """What the module defines and imports."""
        return list(self._scope.names)

    def graph(self, name: str, arguments: Mapping[str, Any]) -> Graph:
        """The graph of the pipeline `name`, or of the first."""
        interpreter = self._interpreter
        with following(interpreter):
            for statement in self.tree.body:
                self._of_module(statement)
            pipelines = self._pipelines()
            interpreter.found.clear()  # what a module does beside its pipelines is no concern of theirs
            if not pipelines:
                named = "This text" if self._file == "program" else self._file
                calling = [f"{one}()" for one in self._calling()]
                if calling:
                    raise _unreadable(
                        f"{named} has no pipeline, but functions that call operators: {', '.join(calling[:3])}"
                        f"{' and others' if calling[3:] else ''}.",
                        f"Write @pipeline_def above one, or pipeline_def({calling[0][:-2]})(...).", self._file,
                    )  # fmt: skip
                composed = any(isinstance(one, ast.Call) and ast.unparse(one.func).endswith("Compose")
                               for one in ast.walk(self.tree))  # fmt: skip
                raise _unreadable(
                    f"{named} has no pipeline.",
                    "Designer(...) opens a Compose that a cell has made; the command dali-studio import writes the "
                    "pipeline of one in a file." if composed else
                    "A function decorated by @pipeline_def, a class derived from Pipeline, or pipe.set_outputs(...) "
                    "below a with statement makes one.", self._file,
                )  # fmt: skip
            if name and name not in pipelines:
                hint = f"It has {', '.join(pipelines)}."
                raise _unreadable(f"{self._file} has no pipeline {name!r}.", hint, self._file)
            chosen = name or next(iter(pipelines))
            if not name and len(pipelines) > 1:
                interpreter.at(getattr(pipelines[chosen], "node", self.tree))
                interpreter.note(f"{self._file} has the pipelines {', '.join(pipelines)}; {chosen} is read.",
                                 "Give function=... for another one.", severity="info")  # fmt: skip
            with self._trace.active():
                self._follow(chosen, pipelines[chosen], arguments)
        assert self._trace.branches is not None
        self._trace.branches.drop_unused()
        # a loop says the same in each of its turns
        said = {(one.source, one.message): one for one in reversed([*interpreter.taken, *interpreter.found])}
        self._found += reversed(said.values())
        return self._trace.graph

    def _of_module(self, node: ast.stmt) -> None:
        """Follow a statement of the module, as far as pipelines may need what it does."""
        interpreter, scope = self._interpreter, self._scope
        kinds = ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign | ast.With
        try:
            if isinstance(node, ast.Try | ast.If):
                holds = interpreter.expression(node.test, scope) if isinstance(node, ast.If) else None
                told = holds if isinstance(holds, bool) else None  # `__name__` is not told: both are followed
                kept, other = () if told is False else node.body, () if told else node.orelse
                # of what is not told, the first has the last word, as in functions
                for inner in (*kept, *other) if isinstance(node, ast.Try) else (*other, *kept):
                    self._of_module(inner)
            elif isinstance(node, kinds | ast.Expr | ast.AugAssign) and not self._makes(node):
                if isinstance(node, ast.With):
                    with self._trace.active():
                        interpreter.statement(node, scope)
                else:
                    interpreter.statement(node, scope)
        except DaliStudioError:
            if isinstance(node, ast.With):
                raise

    def _makes(self, node: ast.stmt) -> bool:
        """Whether a statement does nothing but to call a function of the source, or makes a pipeline by one."""
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.With):
            return False
        calls = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
        return _is_call_of(node, self._defined(isinstance(node, ast.Expr))) or not calls.isdisjoint(self._builds)

    def _defined(self, functions: bool) -> set[str]:
        """Pipelines of the source, of which the chosen one alone is followed, and functions that are none."""
        return {
            name for name, value in self._scope.names.items()
            if (isinstance(value, UserClass) and value.is_pipeline)
            or (isinstance(value, UserFunction) and (functions or self._place(value) is not None))
        }  # fmt: skip

    def _pipelines(self) -> dict[str, _Pipeline]:
        """All pipelines of the module, and those inside its functions, by name."""
        found: dict[str, _Pipeline] = {}
        made = [one.function for one in self._scope.names.values() if isinstance(one, Maker) and one.given is not None]
        for name, value in self._scope.names.items():
            is_class = isinstance(value, UserClass) and self._is_pipeline(name, value)
            is_made = isinstance(value, Maker) and value.function and (value.given or value.function not in made)
            if is_class or is_made or (isinstance(value, Instance) and value.outputs is not None):
                found |= {name: value}
        for node, scope in self._decorated(self.tree.body, self._scope):
            value = UserFunction(node, scope) if isinstance(node, ast.FunctionDef) else scope.names.get(node.name)
            if isinstance(value, UserFunction) or (
                isinstance(value, UserClass) and self._is_pipeline(node.name, value)
            ):  # fmt: skip
                found.setdefault(node.name, value)
        for name, node in _builders(self.tree.body):
            found.setdefault(name, UserFunction(node, self._scope))
        order = {node.name: node.lineno for node in ast.walk(self.tree)
                 if isinstance(node, ast.FunctionDef | ast.ClassDef)}  # fmt: skip
        return dict(sorted(found.items(), key=lambda item: order.get(item[0], 0)))

    def _calling(self) -> list[str]:
        """Functions of the module that call operators."""
        found: list[str] = []
        for name, value in self._scope.names.items():
            calls = ast.walk(value.node) if isinstance(value, UserFunction) else ()
            functions = [one.func for one in calls if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
            made = (self._interpreter.expression(one, self._scope) for one in functions)
            if any(isinstance(one, Function | FunctionClass) for one in made):
                found.append(name)
        return found

    def _is_pipeline(self, name: str, made: UserClass) -> bool:
        """Whether a class makes pipelines; those that are there for others to be derived from them do not."""
        derived = any(isinstance(one, UserClass) and one is not made and one.is_a(made)
                      for one in self._scope.names.values())  # fmt: skip
        is_made = self._calls.has(name) or not derived
        return made.is_pipeline and method_in(made, "define_graph") is not None and is_made

    def _decorated(
        self, statements: Sequence[ast.stmt], scope: Scope
    ) -> Iterator[tuple[ast.FunctionDef | ast.ClassDef, Scope]]:
        """What `pipeline_def` decorates, in functions and classes, too, and classes in functions, with their names."""
        for node in statements:
            if isinstance(node, ast.FunctionDef) and any(self._decorates(one, scope) for one in node.decorator_list):
                yield node, scope
            elif isinstance(node, ast.FunctionDef) and any(_is_decorated(one) or _is_class(one) for one in node.body):
                inside = self._within(node, scope)
                yield from self._decorated(node.body, inside)
                for one in filter(_is_class, node.body):
                    self._interpreter.statement(one, inside)
                    yield cast(ast.ClassDef, one), inside
            else:
                for part in ("body", "orelse", "finalbody"):
                    yield from self._decorated(getattr(node, part, ()), scope)

    def _within(self, node: ast.FunctionDef, scope: Scope) -> Scope:
        """The names that are seen inside a function, with the arguments of its first call."""
        positional, keywords = self._calls.first(node.name)
        made = self._interpreter.bound(UserFunction(node, scope), positional, keywords)
        with suppress(Exception):  # what it returns, or leaves: what is known by then is known
            leading = takewhile(lambda one: not _is_decorated(one) and not _is_class(one), node.body)
            self._interpreter.body([*leading], made)
        return made

    def _decorates(self, node: ast.expr, scope: Scope) -> bool:
        function = node.func if isinstance(node, ast.Call) else node
        return creator_of(self._interpreter.expression(function, scope)) == "pipeline_def"

    def _place(self, function: UserFunction) -> int | None:
        """Where ``pipeline_def`` stands among the decorators of a function."""
        decorators = getattr(function.node, "decorator_list", ())
        return next((at for at, one in enumerate(decorators) if self._decorates(one, function.scope)), None)

    def _follow(self, name: str, chosen: _Pipeline, arguments: Mapping[str, Any]) -> None:
        interpreter = self._interpreter
        positional, keywords = self._calls.first(name)
        given = {**keywords, **arguments}
        if isinstance(chosen, Maker):
            self._follow_made(chosen, arguments, (positional, keywords))
        elif isinstance(chosen, Instance):
            self._finish(name, chosen.options, chosen.outputs)
        elif isinstance(chosen, UserClass):
            made = interpreter.instance(chosen, positional, given)
            method = interpreter.method(made, "define_graph")
            result = None if method is None else method.call([], {})
            self._finish(name, made.options, made.outputs if result is None else result)
        else:
            node = cast(ast.FunctionDef, chosen.node)
            options: dict[str, Any] = {}
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and self._decorates(decorator, chosen.scope):
                    options = interpreter.named(decorator.keywords, chosen.scope)
            own = self._split(chosen, options, given, arguments)
            owner = next((one for one in chosen.scope.names.values() if isinstance(one, UserClass)
                          and node in one.node.body), None)  # fmt: skip
            if owner is not None and kind_of(chosen) != "staticmethod":
                # of classes that are derived from it, the last: bases may leave methods open
                classes = [one for one in self._scope.names.values() if isinstance(one, UserClass) and one.is_a(owner)]
                positional = [self._calls.made(classes[-1] if classes else owner), *positional]
            scope = interpreter.bound(chosen, positional, own)
            inner = self._decorated_within(chosen)
            result = interpreter.result(node, scope) if inner is None else interpreter.result(
                inner.node, interpreter.bound(inner, positional, own))  # fmt: skip
            pipeline = _pipeline_in([result, *scope.names.values()])
            if isinstance(pipeline, Maker):
                self._follow_made(pipeline, arguments)
                return
            if pipeline is not None:
                options, result = {**pipeline.options, **options}, pipeline.outputs
            self._finish(name, options, result)

    def _decorated_within(self, pipeline: UserFunction) -> UserFunction | None:
        """What the source's decorators between ``pipeline_def`` and its function make of it; ``None`` without any."""
        node, at = cast(ast.FunctionDef, pipeline.node), self._place(pipeline)
        if at is None or not node.decorator_list[at + 1 :] or kind_of(pipeline):
            return None
        bare = copy.copy(node)
        bare.decorator_list = node.decorator_list[at + 1 :]
        made = self._interpreter.decorated(bare, pipeline.scope)
        return made if isinstance(made, UserFunction) and made.node is not bare else None

    def _follow_made(
        self, maker: Maker, arguments: Mapping[str, Any], called: tuple[list[Any], dict[str, Any]] = ([], {})
    ) -> None:
        """Follow the function that a call of `pipeline_def` was given; a call of what that gave has the arguments."""
        assert maker.function is not None
        name = getattr(maker.function.node, "name", "pipeline")
        positional, keywords = maker.given or called
        options = dict(maker.options)
        own = self._split(maker.function, options, {**keywords, **arguments}, arguments)
        scope = self._interpreter.bound(maker.function, positional, own)
        self._finish(name, options, self._interpreter.result(maker.function.node, scope))

    def _split(
        self, function: UserFunction, options: dict[str, Any], given: Mapping[str, Any], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Put what is given beside a function's own arguments to the options of its pipeline; give its own."""
        parameters = function.node.args
        names = {one.arg for one in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)}
        options |= {key: value for key, value in given.items() if key not in names and key not in arguments}
        return {key: value for key, value in given.items() if key in names or key in arguments}

    def _finish(self, name: str, options: Mapping[str, Any], returned: Any) -> None:
        """Set the options and the outputs of the graph."""
        graph, interpreter = self._trace.graph, self._interpreter
        made: dict[str, Any] = {"name": name}
        if options.get("device_id", 0) not in (None, _CPU_ONLY) and any(one.device != "cpu" for one in graph.nodes()):
            made["device_id"] = 0  # nvidia.dali's device where none is given
        for key in _OPTIONS:
            value = options.get(key, options.get("max_batch_size") if key == "batch_size" else None)
            if value is None or (isinstance(value, int) and value in (-1, _CPU_ONLY)):
                continue
            if known.has_unknown(value) or option_found(key, value) is not None:
                taken = made.get(key, getattr(_DEFAULTS, key))
                interpreter.note(f"The source does not tell {key}; {taken!r} is taken.",
                                 "Set it in the designer.", argument=key, severity="info")  # fmt: skip
            else:
                made[key] = int(value)
        graph.options = GraphOptions(**made)
        decided = {node.key for node in graph.nodes() if node.operator in CONDITIONAL} - interpreter.conditions
        if decided and not options.get("enable_conditionals"):
            interpreter.note(
                f"{name} has conditions over values of a run, which are taken with enable_conditionals=True alone.",
                "Write @pipeline_def(enable_conditionals=True).", code="DS102", argument="enable_conditionals",
            )  # fmt: skip
        if isinstance(returned, Unknown) and interpreter.is_defined(returned):
            interpreter.note(f"The source does not tell `{returned.text}`, which {name} returns.",
                             "Return what fn functions give.")  # fmt: skip
        if returned is None or isinstance(returned, Unknown):
            return
        outputs: list[Any] = []
        for item in outputs_of(returned):
            outputs += outputs_of(item) if isinstance(item, list) else [item]  # of several outputs
        told = [interpreter.as_input(one) for one in outputs if one is not None and one is not ...]
        graph.set_outputs([output_port(self._trace, one, at) for at, one in enumerate(told)])


def _builders(statements: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions and methods that call ``set_outputs``, those that make an object under the name of its class."""
    for node in statements:
        if isinstance(node, ast.FunctionDef):
            used = {id(one) for inner in ast.walk(node) for one in getattr(inner, "decorator_list", ())}
            if any((isinstance(one, ast.Attribute) and one.attr == "set_outputs") or
                   (calls_creator(one) and id(one) not in used) for one in ast.walk(node)):  # fmt: skip
                yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((node.name if name == "__init__" else name, one) for name, one in _builders(node.body))
        else:
            for part in ("body", "orelse"):
                yield from _builders(getattr(node, part, ()))


def _pipeline_in(values: Sequence[Any]) -> Instance | Maker | None:
    """The first pipeline whose outputs are set, be it an attribute of an object, or that of a function."""
    for value in values:
        parts = (value, *value.attributes.values()) if isinstance(value, Instance) else (value,)
        for one in parts:
            if (isinstance(one, Instance) and one.outputs is not None) or (isinstance(one, Maker) and one.function):
                return one
    return None


def _is_class(node: ast.stmt) -> bool:
    """Whether it is a class that may make pipelines."""
    return isinstance(node, ast.ClassDef) and any(getattr(one, "name", "") == "define_graph" for one in node.body)


def _is_decorated(node: ast.stmt) -> bool:
    """Whether a function with a decorator is in a statement."""
    return any(isinstance(one, ast.FunctionDef) and one.decorator_list for one in ast.walk(node))


def _is_call_of(node: ast.stmt, names: set[str]) -> bool:
    """Whether a statement does nothing but to call one of the functions, or to keep what it returns."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in names
