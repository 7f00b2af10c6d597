"""Functions that operators call: kept as texts, which nobody runs before trusting them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dali_studio.api.reading.expressions import Expressions
from dali_studio.api.reading.functions import free_names, lines_of, text_alone
from dali_studio.api.reading.known import ROOT, Function, FunctionClass, Imported, Unknown
from dali_studio.api.reading.values import (
    Bound,
    Instance,
    Partial,
    Scope,
    UserClass,
    UserFunction,
    is_json,
    is_plain,
    method_in,
)
from dali_studio.api.trace import Trace
from dali_studio.graph.node import Node
from dali_studio.graph.written import ForeignFunction

#: Name for what a call of the source gives as a function.
_MADE = "function"
#: What calls a function with tensors of PyTorch.
TORCH_FUNCTION = f"{ROOT}.plugin.pytorch.fn.torch_python_function"
#: How it does so in a function of arrays, by whether it takes batches and gives several results.
_WITH_TENSORS = {
    (False, False): "({})(*map(torch.from_numpy, arrays)).numpy()",
    (False, True): "tuple(one.numpy() for one in ({})(*map(torch.from_numpy, arrays)))",
    (True, False): "[one.numpy() for one in ({})(*([*map(torch.from_numpy, batch)] for batch in arrays))]",
    (True, True): "tuple([one.numpy() for one in batch] for batch in "
                  "({})(*([*map(torch.from_numpy, batch)] for batch in arrays)))",
}  # fmt: skip


class KeptFunctions(Expressions):
    """Reads what ``python_function`` is given."""

    def __init__(self, file: str, trace: Trace) -> None:
        super().__init__(file, trace)
        #: The program and its text, where functions in it are kept as code.
        self.module: tuple[Sequence[ast.stmt], str] | None = None

    def as_code(self, called: Any, node: ast.Call, keywords: dict[str, Any], scope: Scope) -> Any:
        """What a call gives as its function: one of the source, which calls what is none, such as a method."""
        value, named = keywords["function"], called.function if isinstance(called, FunctionClass) else called
        source = next((one.value for one in node.keywords if one.arg == "function"), None)
        with_tensors = isinstance(called, Imported) and called.path == TORCH_FUNCTION
        plain = isinstance(named, Function) and named.name == "python_function"
        if source is None or not (plain or with_tensors) or not self._can_be_called(value, source, scope):
            return value
        if plain and isinstance(value, UserFunction):
            return value
        way = "({})(*arrays)"
        if with_tensors:
            batches, count = keywords.get("batch_processing", False), keywords.get("num_outputs", 1)
            if not isinstance(batches, bool) or not isinstance(count, int) or keywords.get("device", "cpu") != "cpu":
                return Unknown(ast.unparse(source))
            way = _WITH_TENSORS[batches, count != 1]
        called = ast.unparse(source)
        if any(isinstance(one, ast.Call) for one in ast.walk(source)) and not isinstance(value, UserFunction):
            # made once, as it may keep something from one sample to the next
            called, scope = _MADE, Scope({_MADE: value}, scope, sources={_MADE: (source, value)})
        made = ast.parse(f"lambda *arrays: {way.format(called)}", mode="eval").body
        assert isinstance(made, ast.Lambda)
        return UserFunction(made, scope)

    def _can_be_called(self, value: Any, source: ast.expr, scope: Scope) -> bool:
        """Whether the source tells what is called, beside functions that Python itself has."""
        if isinstance(value, Unknown) and isinstance(source, ast.Attribute):  # of a class, not of an object
            owner = self.expression(source.value, scope)
            return isinstance(owner, UserClass) and method_in(owner, source.attr) is not None
        if isinstance(value, Imported):
            return not value.path.startswith(f"{ROOT}.")
        if isinstance(value, Instance):
            return method_in(value.of, "__call__") is not None
        return isinstance(value, UserFunction | Bound | Partial)

    def keep(self, code: UserFunction, trace: Trace, node: Node) -> None:
        """Put the text of a function into the node that calls it."""
        assert self.module is not None
        around = self._around(code)
        text = text_alone(code.node, *self.module, around)
        if "torch" in free_names(code.node) and "import torch" not in text:
            text = f"import torch\n\n{text}"
        trace.graph.replace_node(replace(node, objects={**node.objects, "function": ForeignFunction(text)}))

    def _around(self, code: UserFunction) -> list[str]:
        """Lines for what a function uses of the functions around it; those that the source does not tell are noted."""
        lines: list[str] = []
        for name in free_names(code.node):
            scope = code.scope
            while scope.outer is not None and name not in scope.names:
                scope = scope.outer
            value = scope.names.get(name)
            if scope.outer is None or name not in scope.names:  # of the module, or of Python
                continue
            source, given = scope.sources.get(name, (ast.Constant(None), None))
            made = ast.Lambda(ast.arguments([], [], None, [], [], None, []), source)
            if isinstance(value, Imported):
                package, _, last = value.path.rpartition(".")
                lines.append(f"from {package} import {last} as {name}" if package else f"import {last} as {name}")
            elif isinstance(value, UserFunction) and isinstance(value.node, ast.FunctionDef) and self.module:
                lines += [*self._around(value), lines_of(value.node, self.module[1])]
            elif value is None or (is_plain(value) and is_json(value)):
                lines.append(f"{name} = {value!r}")
            elif isinstance(value, Bound | Partial | Instance) and given is value and name not in free_names(made):
                lines += [*self._around(UserFunction(made, scope)), f"{name} = {ast.unparse(source)}"]
            else:
                self.note(f"The function that is kept as code uses `{name}`, whose value is not told where it runs.",
                          f"Give {name} a value in the code of the node.")  # fmt: skip
        return lines
