"""What calls in a source give: operators are appended, functions and classes of the source are followed."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from dali_studio import types
from dali_studio.api import branches
from dali_studio.api.branches import RETURNED
from dali_studio.api.default import default_registry
from dali_studio.api.functions import nearest_operator
from dali_studio.api.reading import known
from dali_studio.api.reading.kept_functions import TORCH_FUNCTION, KeptFunctions
from dali_studio.api.reading.known import Function, FunctionClass, FunctionObject, Imported, Unknown
from dali_studio.api.reading.options import Options
from dali_studio.api.reading.surroundings import ASKED, has_default
from dali_studio.api.reading.values import (
    Bound,
    Instance,
    Maker,
    Partial,
    Scope,
    Super,
    UnknownResult,
    UserClass,
    UserFunction,
    class_around,
    creator_of,
    inherited,
    items_of,
    kind_of,
    method_in,
    reassigned,
    text_of,
)
from dali_studio.api.statements import at_ends
from dali_studio.api.trace import Trace
from dali_studio.api.tracing import DataNode
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.core.wording import nearest
from dali_studio.graph.edits import PortRef
from dali_studio.graph.node import Node

#: What has no value as arguments have it.
_OBJECTS = UserFunction | UserClass | Instance | Bound | Partial | Maker
#: Calls inside each other.
_MAX_DEPTH = 40
#: Functions of Python that are followed, as they have to do with what the source defines.
_LOOKING = ("getattr", "hasattr", "vars", "map", "filter")


class Returned(Exception):  # noqa: N818 - no error
    """The way out of a function."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Refused(Exception):  # noqa: N818 - the source's own error
    """A call with arguments that its function does not have, which the source is prepared for."""


class _Hole(UnknownResult):
    """What stands for an input that is not wired."""


class Calls(KeptFunctions):
    """Follows calls."""

    def __init__(self, file: str, trace: Trace) -> None:
        super().__init__(file, trace)
        self._depth = 0
        #: What the source calls that an ``if`` would make: such a program needs no ``enable_conditionals``.
        self.conditions: set[str] = set()
        #: How many `try` with handlers are around.
        self.guarded = 0

    def method(self, owner: Instance | Super, name: str) -> Bound | None:
        """A method of an object of the source."""
        found = inherited(owner.of, name) if isinstance(owner, Super) else method_in(owner.of, name)
        if found is None:
            return None
        owner = owner.instance if isinstance(owner, Super) else owner
        first = {"staticmethod": [], "classmethod": [owner.of]}.get(kind_of(found), [owner])
        return Bound(partial(self._invoke, found, first), kind_of(found) == "property")

    def base_method(self, owner: Instance, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """What the class ``Pipeline`` itself does."""
        if name == "__init__":
            names = ("batch_size", "num_threads", "device_id", "seed")
            owner.options |= dict(zip(names, arguments, strict=False)) | keywords
        elif name == "set_outputs":
            owner.outputs = arguments
        return None

    def call(self, node: ast.Call, scope: Scope, name: str) -> Any:
        function = self.expression(node.func, scope)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and isinstance(function, Unknown):
            owner = next(iter(scope.names.values()), None)  # the first parameter, whatever its name
            return Super(owner, class_around(scope)) if isinstance(owner, Instance) else Unknown(text_of(node))
        arguments = self.several(node.args, scope)
        keywords = self.named(node.keywords, scope)
        self.at(node)
        if self.module is not None and "function" in keywords:
            keywords["function"] = self.as_code(function, node, keywords, scope)
        if isinstance(function, Unknown) and function.text in _LOOKING and arguments:
            return self._looked(function.text, arguments, node)
        return self._applied(function, arguments, keywords, node, name)

    def _looked(self, function: str, arguments: list[Any], node: ast.Call) -> Any:
        """What functions of Python give that look into objects, or call a function for each of several values."""
        owner, *rest = arguments
        if function == "vars":
            kept = owner.values if isinstance(owner, Options) else getattr(owner, "attributes", None)
            return Unknown(text_of(node)) if kept is None else kept
        if function in ("map", "filter"):
            rows = [items_of(one) for one in rest]
            if not rows or any(one is None for one in rows):
                return Unknown(text_of(node))
            turns = [*zip(*cast("list[list[Any]]", rows), strict=False)]
            made = [self._applied(owner, [*turn], {}, node, "") for turn in turns]
            held = [turn[0] for turn, holds in zip(turns, made, strict=True) if holds is True]
            return made if function == "map" else held
        attribute, *default = rest or [None]
        if not isinstance(attribute, str):
            return Unknown(text_of(node))
        found = self.attribute_of(owner, attribute, text_of(node))
        if function == "hasattr":
            return Unknown(text_of(node)) if isinstance(owner, Unknown | Imported) else not isinstance(found, Unknown)
        return default[0] if default and known.has_unknown(found) else found

    def named(self, given: Sequence[ast.keyword], scope: Scope) -> dict[str, Any]:
        """The values of arguments that have names, those of a dictionary behind ``**`` included."""
        keywords: dict[str, Any] = {}
        for one in given:
            value = self.expression(one.value, scope)
            if one.arg is not None:
                keywords[one.arg] = value
            elif isinstance(value, dict):
                keywords |= cast("dict[str, Any]", value)
            elif value is not None:
                self.note(f"`**{text_of(one.value)}` is not read: the source does not tell its items.",
                          "Write the arguments by their names.")  # fmt: skip
        return keywords

    def _applied(
        self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str
    ) -> Any:
        if isinstance(function, Function):
            return self._operator(function, arguments, keywords, name)
        if isinstance(function, FunctionClass):
            old = text_of(node.func).rpartition(".")[2]
            if old in known.OLD_CLASSES:
                self.note(f"ops.{old} is of an older nvidia.dali; it is read as ops.{known.OLD_CLASSES[old]}.",
                          "Write so: nvidia.dali has the old name no longer.", severity="info")  # fmt: skip
            return FunctionObject(function.function, function.function.by_place(arguments) | keywords)
        if isinstance(function, FunctionObject):
            return self._operator(function.function, arguments, {**function.arguments, **keywords}, name)
        if isinstance(function, UserFunction):
            return self._invoke(function, [], arguments, keywords)
        if isinstance(function, UserClass):
            return self.instance(function, arguments, keywords)
        if isinstance(function, Bound):
            return function.call(arguments, keywords)
        if isinstance(function, Maker):
            return function(arguments, keywords)
        if isinstance(function, Partial):
            given = [*function.arguments, *arguments], {**function.keywords, **keywords}
            return self._applied(function.function, *given, node, name)
        if isinstance(function, Instance) and (method := self.method(function, "__call__")) is not None:
            return method.call(arguments, keywords)
        if isinstance(function, Imported):
            return self._imported(function, arguments, keywords, node, name)
        return self._called(function, arguments, keywords, node, name)

    def _imported(
        self, function: Imported, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str
    ) -> Any:
        """What something gives that is imported and has a meaning for pipelines."""
        creator, path = creator_of(function), function.path
        if creator == "Pipeline":
            made = Instance(None)
            self.base_method(made, "__init__", arguments, keywords)
            return made
        if creator:
            return Maker(keywords)(arguments[:1], {})
        owner, _, method = path.rpartition(".")
        if arguments and isinstance(arguments[0], Instance) and creator_of(Imported(owner)) == "Pipeline":
            return self.base_method(arguments[0], method, arguments[1:], keywords)  # as before `super` had its name
        if path == TORCH_FUNCTION and isinstance(keywords.get("function"), UserFunction):
            return self._operator(Function("python_function"), arguments, keywords, name)
        if path == "functools.partial" and arguments:
            return Partial(arguments[0], arguments[1:], keywords)
        if path == "dataclasses.field":
            made = keywords.get("default_factory")
            return self._applied(made, [], {}, node, "") if made else keywords.get("default", Unknown(text_of(node)))
        if path == "dataclasses.asdict" and isinstance(arguments[0] if arguments else None, Instance):
            return dict(arguments[0].attributes)
        if path in ASKED and not known.has_unknown([*arguments, *keywords.values()]):
            return self._asked(path, arguments, keywords, text_of(node))
        return self._called(function, arguments, keywords, node, name)

    def _called(
        self, function: Any, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str
    ) -> Any:
        """What a function gives that the source does not define."""
        text, given = text_of(node.func), [*arguments, *keywords.values()]
        if isinstance(function, Unknown | Imported) or not callable(function):
            path = function.path if isinstance(function, Imported) else text
            if has_default(path, arguments):
                return arguments[1]
            what = function.text if isinstance(function, Unknown) and function.text != text else ""
            return self._unknown_function(path, arguments, keywords, node, name, what)
        if known.is_library(function):
            return self._library(function, text, arguments, keywords, name)
        if [*known.nodes_in(given)] or isinstance(getattr(function, "__self__", None), DataNode):
            return self.appended(lambda: function(*arguments, **keywords), text, arguments, keywords, name)
        owner = getattr(function, "__self__", None)
        arranging = isinstance(owner, list | dict) or any(function is one for one in known.ARRANGING)
        if known.has_unknown(given) and not arranging:
            return Unknown(text_of(node))
        return self.computed(lambda: function(*arguments, **keywords), text_of(node))

    def _unknown_function(
        self, path: str, arguments: list[Any], keywords: dict[str, Any], node: ast.Call, name: str, what: str
    ) -> Any:
        """What a function gives that is known neither here nor in the source; a variable for it holds `what`."""
        if not [*known.nodes_in([*arguments, *keywords.values()])]:
            return Unknown(text_of(node))
        reason = f"{path} is `{what}`, which is no operator of dali_studio" if what else known.unknown_name(path)
        return self.unknown_call(path, arguments, keywords, name, reason, hint="" if what else known.GIVE_DEF)

    def _asked(self, path: str, arguments: list[Any], keywords: dict[str, Any], text: str) -> Any:
        """What is taken for an answer of the program's surroundings."""
        value = self.computed(lambda: ASKED[path](*arguments, **keywords), text)
        if not isinstance(value, Unknown):
            self.note(f"What `{text}` gives is known when the program runs; {known.text_of_value(value)} is taken.",
                      "Set what follows from it in the designer.", severity="info")  # fmt: skip
            self.taken.append(self.found.pop())
        return value

    def _library(
        self, function: Callable[..., Any], text: str, arguments: list[Any], keywords: dict[str, Any], name: str
    ) -> Any:
        """What a function of `auto_aug` appends, or gives."""
        arguments, keywords = self._as_python(arguments), self._as_python(keywords)
        if self.guarded:  # programs for several versions try which arguments there are
            try:
                inspect.signature(function).bind(*arguments, **keywords)
            except TypeError as error:
                raise Refused(str(error)) from error
        traces = [*known.nodes_in([*arguments, *keywords.values()])]
        optional = {one.name for one in inspect.signature(function).parameters.values() if one.default is not one.empty}
        keywords = {key: one for key, one in keywords.items()
                    if key not in optional or not self._left_out(text, key, one)}  # fmt: skip
        untold = [one for one in [*arguments, *keywords.values()] if known.has_unknown(one)]
        if untold or known.is_large(arguments, keywords):
            reason = known.untold(untold, text) if untold else f"{text} asks for more than is read"
            return self.unknown_call(text, arguments, keywords, name, reason) if traces else Unknown(text)
        if not traces:
            return self.computed(lambda: function(*arguments, **keywords), text)
        before = self.trace.graph.copy()
        return self.appended(lambda: function(*arguments, **keywords), text, arguments, keywords, "", before)

    def _as_python(self, value: Any) -> Any:
        """Functions of the source as ones that Python can call: they are followed then."""
        if isinstance(value, list | tuple):
            made = [self._as_python(one) for one in cast("Sequence[Any]", value)]
            return tuple(made) if isinstance(value, tuple) else made
        if isinstance(value, dict):
            return {key: self._as_python(one) for key, one in cast("dict[Any, Any]", value).items()}
        if not isinstance(value, UserFunction):
            return value

        def follow(*arguments: Any, **keywords: Any) -> Any:
            return self._invoke(value, [], arguments, keywords)

        given, kind = value.node.args, inspect.Parameter
        plain = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [*[None] * (len(plain) - len(given.defaults)), *given.defaults]
        names = [*zip(plain, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
        parameters = [
            kind(one.arg, kind.POSITIONAL_OR_KEYWORD if at < len(plain) else kind.KEYWORD_ONLY,
                 default=kind.empty if default is None else None)
            for at, (one, default) in enumerate(names)
        ]  # fmt: skip
        follow.__name__ = getattr(value.node, "name", "<lambda>")
        cast(Any, follow).__signature__ = inspect.Signature(parameters)
        return follow

    def decorated(self, node: ast.FunctionDef, scope: Scope) -> Any:
        """A function of the source behind its decorators; those that are not known leave it as it is."""
        made: Any = UserFunction(node, scope)
        for one in reversed(node.decorator_list):
            named = self.expression(one.func if isinstance(one, ast.Call) else one, scope)
            if not isinstance(named, UserFunction) and not known.is_library(named):
                continue
            decorator = self.expression(one, scope)
            if isinstance(decorator, UserFunction):
                result = self._invoke(decorator, [], [made])
                made = made if known.has_unknown(result) or result is None else result
            elif known.is_library(decorator):
                made = self._library(decorator, text_of(one), [made], {}, "")
        return made

    def _operator(self, function: Function, arguments: list[Any], keywords: dict[str, Any], name: str) -> Any:
        """Append a call of an operator; what the source does not tell is left out."""
        if not function.known:
            return self.unknown_call(function.name, arguments, keywords, name, near=nearest_operator(function.name))
        placed = function.by_place(arguments)
        if placed:
            arguments, keywords = arguments[len(placed):], placed | keywords
        code = keywords.get("function") if self.module is not None and function.name == "python_function" else None
        kept = {"function"} if isinstance(code, UserFunction) else set[str]()
        text = f"fn.{function.name}"
        given = {key: value for key, value in keywords.items()
                 if key not in kept and value is not ... and not self._left_out(text, key, value)}  # fmt: skip
        if "source" in keywords and "source" not in given:
            given.pop("parallel", None)  # what makes no sense without it
        inputs = [self.as_input(one) for one in arguments]
        made = self._appended(function, inputs, given, name, code)
        if len(given) + len(kept) < len(keywords):
            self.lacking |= {one.name for one in known.nodes_in(made)}
        if function.name.startswith("_conditional."):
            self.conditions.add(self._made(made)[1].key)
        unset = [key for key, value in keywords.items() if value is ...]
        self.leave_open(made, inputs, unset)
        return made

    def _appended(self, function: Function, inputs: list[Any], given: dict[str, Any], name: str, code: Any) -> Any:
        while True:
            try:
                self.trace.suggested = name
                made = function(*inputs, **given)
            except DaliStudioError as error:
                first = error.diagnostics[0]
                if first.argument not in given:
                    if first.code == "DS304":  # what belongs to a branch is used outside of it
                        raise
                    self.note(f"fn.{function.name}: {first.message}", first.hint, argument=first.argument)
                    return self.unknown_call(function.name, inputs, given, name, f"fn.{function.name} cannot be made")
                left_out = "" if first.code == "DS102" else f" {first.argument} of fn.{function.name} is left out."
                self.note(first.message + left_out, first.hint, code=first.code, argument=first.argument)
                del given[first.argument]
            else:
                if isinstance(code, UserFunction):
                    self.keep(code, *self._made(made))
                return made
            finally:
                self.trace.suggested = ""

    def leave_open(self, made: Any, inputs: Sequence[Any], unset: Sequence[str] = ()) -> None:
        """Say what lacks an input or an argument, and leave inputs open in whose places others stand."""
        holes = {one.name for one in inputs if isinstance(one, _Hole)}
        if not unset and not holes:
            return
        (trace, node), registry = self._made(made), default_registry()
        graph = trace.graph
        lacking = [("DS103", one, "set", "Set") for one in unset]
        for at, port in enumerate(graph.inputs(node.key)):
            if port is not None and port.node in holes and node.operator in registry:
                lacking.append(("DS201", registry.schema(node.operator).input_name(at), "wired", "Wire"))
        for code, what, done, do in lacking:
            self.note(f"{what} is not {done}; the program holds ... in its place.",
                      f"{do} it before running the program.", code=code, node=node.key, argument=what)  # fmt: skip
        wires = [wire for wire in graph.wires() if wire.source.node not in holes]
        graph.rebuild([one for one in graph.nodes() if one.key not in holes], wires, graph.outputs)

    def _made(self, result: Any) -> tuple[Trace, Node]:
        """The node of a result, of none the last one, and its trace: outside of pipelines, nodes have their own."""
        trace, name = next(((one.trace, one.name) for one in known.nodes_in(result)), (self.trace, ""))
        return trace, trace.graph.node(name) if name else [*trace.graph.nodes()][-1]

    def _left_out(self, function: str, key: str, value: Any) -> bool:
        if not known.has_unknown(value) and not isinstance(value, _OBJECTS):
            return False
        group, _, name = value.path.rpartition(".") if isinstance(value, Imported) else ("", "", "")
        if group == f"{known.ROOT}.types":
            near = nearest(name, dir(types))
            self.note(f"types has no {name!r}. {key} of {function} is left out.",
                      f"Did you mean {near!r}?" if near else "", code="DS104", argument=key)  # fmt: skip
            return True
        what = f"`{known.text_of_value(value)}`" if known.has_unknown(value) else "a Python object"
        self.note(
            f"{key} of {function} is {what}, whose value the source does not tell; it is left out.",
            "Set it in the designer, or give arguments={...} with values of the function's parameters.", argument=key,
        )  # fmt: skip
        return True

    def as_input(self, value: Any) -> Any:
        """An input as operators take it.

        Of one that is not known, the result of an operator that nobody knows; of ``...``, which stands for what is
        missing in an unfinished program, a node that goes again.
        """
        self.is_defined(value)
        if value is ...:
            key = self.trace.new_key("open")
            self.trace.graph.add_node(Node(key=key, operator="open"))
            return _Hole(self.trace, PortRef(node=key), "cpu")
        if isinstance(value, Unknown):
            reason = f"The source does not tell `{value.text}`"
            return self.unknown_call(value.text.partition("(")[0], [], {}, "", reason)
        if isinstance(value, Imported | _OBJECTS):
            return self.unknown_call(getattr(value, "path", "value"), [], {}, "")
        return value

    def instance(self, made_of: UserClass, arguments: list[Any], keywords: dict[str, Any]) -> Instance:
        made = Instance(made_of, dict(made_of.names))
        nodes, found = len(self.trace.graph), len(self.found)
        self._initialize(made, made_of, arguments, keywords)
        if not made_of.is_pipeline and len(self.trace.graph) == nodes:  # a source of data, say, is not looked into
            made.found = self.found[found:]
            del self.found[found:]
        return made

    def _initialize(self, made: Instance, made_of: UserClass, arguments: list[Any], keywords: dict[str, Any]) -> None:
        method = method_in(made_of, "__init__")
        if method is not None:
            self._invoke(method, [made], arguments, keywords)
        elif made_of.is_pipeline:
            self.base_method(made, "__init__", arguments, keywords)
        else:
            made.attributes |= dict(zip(made_of.fields(), arguments, strict=False)) | keywords
            after = method_in(made_of, "__post_init__")
            if after is not None:
                self._invoke(after, [made])

    def _invoke(
        self, function: UserFunction, first: list[Any], arguments: Sequence[Any] = (),
        keywords: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Follow a function of the source; methods get their object `first`."""
        if self._depth >= _MAX_DEPTH:
            raise self.error("Functions of the source call each other without end.", "Write the loop out.")
        scope = self.bound(function, [*first, *arguments], keywords or {})
        self._depth += 1
        try:
            return self.result(function.node, scope)
        finally:
            self._depth -= 1

    def result(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Any:
        """What a function returns."""
        if isinstance(node, ast.Lambda):
            return self.expression(node.body, scope)
        scope.reassigned = reassigned(node.body, [*scope.names])
        scope.names[RETURNED] = branches.unset()
        try:
            self.body(at_ends(copy.deepcopy(list(node.body))), scope)
        except Returned as way:
            return way.value
        return branches.returned(scope.names[RETURNED])

    def bound(self, function: UserFunction, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Scope:
        """The names of a function's parameters; what nothing gives a value is unknown."""
        scope, parameters = Scope(outer=function.scope), function.node.args
        names = [one.arg for one in (*parameters.posonlyargs, *parameters.args)]
        defaults = dict(zip(reversed(names), reversed(parameters.defaults), strict=False))
        named = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        defaults |= {one.arg: default for one, default in named if default is not None}
        rest = dict(keywords)
        for position, name in enumerate([*names, *(one.arg for one in parameters.kwonlyargs)]):
            given = arguments[position] if position < min(len(arguments), len(names)) else rest.pop(name, Unknown(name))
            if isinstance(given, Unknown) and name in defaults:
                given = self.expression(defaults[name], function.scope)
            elif isinstance(given, Unknown) and not given.text:
                given = Unknown(name)
            scope.names[name] = given
        if parameters.vararg is not None:
            scope.names[parameters.vararg.arg] = tuple(arguments[len(names) :])
        if parameters.kwarg is not None:
            scope.names[parameters.kwarg.arg] = rest
        return scope
