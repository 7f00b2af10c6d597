"""Statements whose ``if``, ``and``, ``or`` and ``not`` take operator results: a transformation of syntax trees.

An ``if`` becomes two of them, the calls around which are those of `branches`; for a plain condition one of the two
runs, for an operator result both::

    if a:             branch = branches.Branch(a, ("x",), (lambda: x,))
        x = f(y)      if branch.holds:
    else:                 x = f(y)
        x = g(y)      if branch.turn():
                          if branch.traced: (x,) = branch.before
                          x = g(y)
                      if branch.close(): (x,) = branch.merged

Each statement keeps its place in the source.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any, cast

from dali_studio.api.branches import RETURNED

#: The free variable of rewritten functions that holds the functions which they call.
RUNTIME = "dali_studio_branches"


def located(node: Any, source: ast.AST) -> Any:
    """The node, and what of it has no place yet, at the place of another one."""
    return ast.fix_missing_locations(ast.copy_location(node, source))


def _runtime(name: str) -> ast.expr:
    return ast.Attribute(ast.Name(RUNTIME, ast.Load()), name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(_runtime(name), list(arguments), [])


def _lambda(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]), body)


def _tuple(items: Sequence[ast.expr], context: ast.expr_context) -> ast.Tuple:
    return ast.Tuple(list(items), context)


def _place(node: ast.expr, context: ast.expr_context) -> ast.expr:
    made = copy.deepcopy(node)
    cast(Any, made).ctx = context
    return made


#: Where another function, or another scope of names, begins.
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _inside(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes of statements, without what is inside other functions and classes."""
    waiting: list[ast.AST] = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def assigned(statements: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Variables, attributes and items that statements assign, by their text."""
    found: dict[str, ast.expr] = {}
    looped = {
        id(target) for node in _inside(statements) if isinstance(node, _COMPREHENSIONS)
        for part in node.generators for target in ast.walk(part.target)
    }  # fmt: skip
    for node in _inside(statements):
        if id(node) in looped:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id, node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.setdefault(node.name, ast.copy_location(ast.Name(node.name, ast.Store()), node))
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store) and _simple(node):
            found.setdefault(ast.unparse(node), node)
    # what is inside an object that a branch has made goes with the object
    return {text: node for text, node in found.items() if isinstance(node, ast.Name) or _root(node) not in found}


def _simple(node: ast.expr) -> bool:
    """Whether an attribute or an item can be read again without an effect."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant | ast.Name) and _simple(node.value)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _simple(node.value))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return cast(ast.Name, node).id


def returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether a ``return`` stands in them."""
    return any(isinstance(node, ast.Return) for node in _inside(statements))


def _ends(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements never reach their end."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, ast.Return | ast.Raise)


def at_ends(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Statements in which a ``return`` behind an ``if`` is an assignment at the end of a branch.

    What follows an ``if`` of which one branch returns goes to the end of the other branch. Where a branch returns on
    some of its ways only, nothing is changed.
    """
    for position, statement in enumerate(statements):
        before, rest = statements[:position], statements[position + 1 :]
        if isinstance(statement, ast.Return):
            value = statement.value or ast.Constant(None)
            return [
                *before, ast.copy_location(ast.Assign([ast.Name(RETURNED, ast.Store())], value), statement)
            ]  # fmt: skip
        if not isinstance(statement, ast.If) or not returns([statement]):
            continue
        ways = statement.body, statement.orelse
        if any(returns(way) and not _ends(way) for way in ways):
            return statements
        statement.body, statement.orelse = (
            at_ends(list(way)) if _ends(way) else at_ends([*way, *rest]) for way in ways
        )
        return [*before, statement]
    return statements


class Rewriter(ast.NodeTransformer):
    """Rewrites a function and those inside it."""

    def __init__(self) -> None:
        self._count = 0
        #: Texts of the variables that branches assign: reading them is checked.
        self._checked: frozenset[str] = frozenset()
        #: Branches and loops around a statement, in the function that it belongs to.
        self._around: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        self.visit(node.args)
        if any(isinstance(inner, ast.Yield | ast.YieldFrom | ast.Await) for inner in _inside(node.body)):
            return node
        around, self._around = self._around, []
        checked = self._checked
        if any(isinstance(inner, ast.If) and returns([inner]) for inner in _inside(node.body)):
            name = RETURNED
            node.body = [
                ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], _call("unset")), node),
                *at_ends(node.body),
                ast.copy_location(ast.Return(_call("returned", ast.Name(name, ast.Load()))), node.body[-1]),
            ]
            last = node.body.pop()
            body = self._function_body(node.body)
            node.body = [*body, last]
        else:
            node.body = self._function_body(node.body)
        self._around, self._checked = around, checked
        return node

    def _function_body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        ifs = [inner for inner in _inside(statements) if isinstance(inner, ast.If)]
        self._checked |= {text for one in ifs for text in assigned([*one.body, *one.orelse])}
        return self._statements(statements)

    def _statements(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            made += result if isinstance(result, list) else [result]
        return made

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    # ---------------------------------------------------------------------------------------------------- statements

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        targets = assigned([*node.body, *node.orelse])
        self._count += 1
        name = f"dali_studio_branch_{self._count}"
        test = self.visit(node.test)
        self._around.append(name)
        body, orelse = self._statements(node.body), self._statements(node.orelse)
        self._around.pop()

        def of_branch(attribute: str) -> ast.expr:
            return ast.Attribute(ast.Name(name, ast.Load()), attribute, ast.Load())

        def assign(attribute: str) -> list[ast.stmt]:
            """The variables get values of the branch."""
            places = _tuple([_place(target, ast.Store()) for target in targets.values()], ast.Store())
            return [ast.Assign([places], of_branch(attribute))] if targets else [ast.Pass()]

        values = [_lambda(_place(target, ast.Load())) for target in targets.values()]
        made = _call(
            "Branch", test, _tuple([ast.Constant(text) for text in targets], ast.Load()), _tuple(values, ast.Load())
        )
        written: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], made),
            ast.If(of_branch("holds"), body, []),
            ast.If(
                ast.Call(of_branch("turn"), [], []), [ast.If(of_branch("traced"), assign("before"), []), *orelse], []
            ),
            ast.If(ast.Call(of_branch("close"), [], []), assign("merged"), []),
        ]
        return [located(statement, node) for statement in written]

    def visit_For(self, node: ast.For) -> ast.stmt:
        node.iter = self.visit(node.iter)
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt:
        node.test = self.visit(node.test)
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.stmt:
        self._around.append("")
        node.body = self._statements(node.body)
        self._around.pop()
        node.orelse = self._statements(node.orelse)
        return node

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        return self._jump("break", node)

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return self._jump("continue", node)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        self.generic_visit(node)
        return self._jump("return", node)

    def _jump(self, word: str, node: ast.stmt) -> list[ast.stmt]:
        left = self._around
        if word != "return" and "" in left:
            left = left[len(left) - left[::-1].index("") :]
        names = [ast.Name(name, ast.Load()) for name in left if name]
        if not names:
            return [node]
        return [located(ast.Expr(_call("jump", ast.Constant(word), *names)), node), node]

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        self._count += 1
        name = f"dali_studio_place_{self._count}"
        self.generic_visit(node)
        for handler in node.handlers:
            back = ast.Expr(_call("stand", ast.Name(name, ast.Load())))
            handler.body.insert(0, located(back, handler))
        return [located(ast.Assign([ast.Name(name, ast.Store())], _call("place")), node), node]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        text = ast.unparse(node.target)
        node.value = self.visit(node.value)
        if text not in self._checked:
            return [node]
        read = _call("read", _place(node.target, ast.Load()))
        return [located(ast.Expr(read), node), node]

    # --------------------------------------------------------------------------------------------------- expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._read(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._read(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self._read(node)

    def _read(self, node: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
        checked = isinstance(node.ctx, ast.Load) and bool(self._checked) and ast.unparse(node) in self._checked
        self.generic_visit(node)
        return located(_call("read", node), node) if checked else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        node.func = located(_call("called", node.func), node.func)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            return node  # what an operand assigns, a function of its own would keep to itself
        word = "and_" if isinstance(node.op, ast.And) else "or_"
        return located(_call(word, *(located(_lambda(value), value) for value in node.values)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """``a < b < c`` is ``a < b and b < c``: what stands in the middle is written twice, as in nvidia.dali."""
        self.generic_visit(node)
        if len(node.ops) == 1 or any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            return node
        sides = [node.left, *node.comparators]
        pairs = [
            located(ast.Compare(left, [sign], [right]), node)
            for left, sign, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return located(_call("and_", *(located(_lambda(pair), pair) for pair in pairs)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return located(_call("not_", node.operand), node) if isinstance(node.op, ast.Not) else node
