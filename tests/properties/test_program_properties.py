"""Programs of documents that nobody trusts: what they call, what flows where, and how they are laid out."""

from __future__ import annotations

import ast
import json
import unicodedata
from typing import Any

import black
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy import toy_registry

from dali_studio.codegen import layout
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.schema.dali_functions import BRANCHES, FUNCTIONS

REGISTRY = toy_registry()
RESERVED = {"fn", "types", "pipeline_def", "float", "NotImplementedError", "pipe", "__debug__", "__name__"}
#: Words that Python, the program, or readers of its text may take for something else.
WORDS = st.sampled_from(
    ["a", "a2", "a²", "ª", "fi", "ﬁ", "fn", "\uff46\uff4e", "types", "pipe", "outputs", "pipeline", "pipeline_def", "float", "class",
     "None", "True", "match", "_", "__debug__", "__name__", "__builtins__", "NotImplementedError", "device", "name", "seed",
     "preserve", "angle", "a b", "a-b", "7up", "\uff41", "é", "e\u0301", "\u0301", "\u202e", "", "x\ny", "x\r\nimport os",
     "x'\"\"\"", "x\\", "\ud800", "\x1b[2J", "#", "a=1)", "日本語" * 9, "a" * 300]
)  # fmt: skip
NAMES = WORDS | st.text(max_size=4)
OPERATORS = st.sampled_from(
    [*REGISTRY, "gaussian_blur", "readers.caffe", "transforms.crop", "_b.sysconfig.os.system", "os.system", "fn.cast",
     "cast.__class__", "readers", "hidden.uniform", "cast()", "cast\n", "\uff43ast", "class", "not here!", "", "a.b.c", "\ud800"]
)  # fmt: skip
SCALARS = (
    st.booleans() | st.integers() | st.integers(10**300, 10**301) | st.floats(allow_nan=False) | NAMES
    | st.sampled_from(["__import__('os')", "'", '"', "'\"", "\\", "\\'", "\\\"'", "FLOAT", "RGB", "\x00", "\u2028", "{x}"])
)  # fmt: skip
VALUES = st.none() | SCALARS | st.lists(SCALARS, max_size=12) | st.text(max_size=120)


@st.composite
def documents(draw: st.DrawFn) -> str:
    keys = draw(st.lists(NAMES, min_size=1, max_size=7, unique=True))
    ports = st.tuples(st.sampled_from(keys), st.integers(0, 2)).map(list)
    nodes = [
        {
            "key": key, "operator": draw(OPERATORS), "device": draw(st.sampled_from(["cpu", "gpu", "mixed"])),
            "arguments": draw(st.dictionaries(NAMES, VALUES, max_size=4)),
            "inputs": draw(st.lists(st.none() | ports, max_size=3)),
            "argument_inputs": draw(st.dictionaries(NAMES.filter(bool), ports, max_size=2)),
            "objects": draw(st.lists(NAMES, max_size=1)),
        }
        for key in keys
    ]  # fmt: skip
    pipeline = {"name": draw(NAMES.filter(bool)), "nodes": nodes, "outputs": draw(st.lists(ports, max_size=4))}
    document = {"format": "dali-studio", "version": 1, "pipeline": pipeline, "view": {"labels": draw(VALUES)}}
    return json.dumps(document).replace("Infinity", "1e999")


def attack(**node: Any) -> str:
    nodes = [{"key": "images", "operator": "cast", **node}]
    return json.dumps(
        {"format": "dali-studio", "version": 1, "pipeline": {"nodes": nodes, "outputs": [["images", 0]]}}
    )


@settings(max_examples=250, deadline=None)
@given(documents(), st.sampled_from(sorted(DIALECTS)))
@example(attack(operator="_b.sysconfig.os.system", arguments={"command": "id > x"}), "nvidia.dali")
@example(attack(arguments={"device": "gpu"}, device="gpu"), "nvidia.dali")
@example(attack(arguments={"ﬁll_value": 1, "fill_value": 2}), "nvidia.dali")
@example(attack(arguments={"class": 1, "__debug__": 2, "x=1, y": 3}), "dali_studio")
def test_programs_call_known_names_and_flow_like_the_graph(document: str, dialect: str) -> None:
    graph = loads(document)[0]
    emitted = emit(graph, REGISTRY, dialect)
    emitted.source.encode()
    compile(emitted.source, "program.py", "exec")
    module = ast.parse(emitted.source)
    check_names(module, dialect)
    check_flow(graph, emitted, module)
    assert loads(dumps(graph))[0] == graph


def check_names(module: ast.Module, dialect: str) -> None:
    """Nothing but calls of known functions with variables and literals."""
    allowed = (
        ast.Module, ast.ImportFrom, ast.alias, ast.FunctionDef, ast.arguments, ast.arg, ast.Assign, ast.Expr, ast.Return,
        ast.Raise, ast.If, ast.Compare, ast.Eq, ast.Call, ast.keyword, ast.Name, ast.Attribute, ast.Constant, ast.List,
        ast.Tuple, ast.Load, ast.Store, ast.UnaryOp, ast.USub,
    )  # fmt: skip
    known = {f"fn.{name}" for name in REGISTRY} | {"float", "NotImplementedError", "pipeline_def", "types.Constant"}
    known |= {f"fn.{name}" for name in FUNCTIONS | BRANCHES} if dialect == "nvidia.dali" else set()
    _, function, main = module.body
    assert isinstance(function, ast.FunctionDef) and isinstance(main, ast.If)
    bound = {name.id for name in ast.walk(function) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    bound |= {argument.arg for argument in function.args.args}
    assert not bound & RESERVED
    assert all(unicodedata.is_normalized("NFKC", name) for name in bound)
    for part in ast.walk(module):
        assert isinstance(part, allowed), ast.dump(part)
    for call in (part for part in ast.walk(function) if isinstance(part, ast.Call)):
        match call.func:
            case ast.Attribute(value=ast.Constant(value=value), attr="cpu" | "gpu"):
                assert value is ...
            case ast.Attribute(value=ast.Name(id=name), attr="cpu" | "gpu"):
                assert name not in RESERVED and (name in bound or "raise" in ast.unparse(function))
            case path:
                assert ast.unparse(path) in known
    given = ", ".join(f"{argument.arg}=..." for argument in function.args.args)
    assert ast.unparse(main) == (
        f"if __name__ == '__main__':\n    pipe = {function.name}({given})\n    pipe.build()\n    outputs = pipe.run()"
    )


def check_flow(graph: Graph, emitted: Emitted, module: ast.Module) -> None:
    """Every variable is one port, and arrives where the graph has its wire."""
    function = module.body[1]
    assert isinstance(function, ast.FunctionDef)
    begins = {min(lines): key for key, lines in emitted.lines.items()}
    flow = Flow(graph, {argument.arg for argument in function.args.args})
    *statements, returned = function.body
    key = ""
    for statement in statements:
        key = begins.get(statement.lineno, key)
        if isinstance(statement, ast.Raise):
            flow.lost.add(key)
        else:
            flow.follow(key, statement)
    assert isinstance(returned, ast.Return) and returned.value is not None
    values = returned.value.elts if isinstance(returned.value, ast.Tuple) else [returned.value]
    for value, wanted in zip(values, graph.outputs, strict=bool(graph.outputs)):
        flow.check(value, wanted)


class Flow:
    """What the variables of a program hold, statement by statement."""

    def __init__(self, graph: Graph, objects: set[str]) -> None:
        self.graph, self.objects = graph, objects
        self.ports: dict[str, PortRef] = {}
        self.lost: set[str] = set()

    def check(self, value: ast.expr, wanted: PortRef | None) -> None:
        """A variable of the port that is wired there; ``...`` if there is none yet."""
        if isinstance(value, ast.Constant):
            assert value.value is ... and wanted not in self.ports.values()
        else:
            assert isinstance(value, ast.Name) and wanted is not None
            if value.id in self.ports:
                assert self.ports[value.id] == wanted
            else:  # what a refused operator would give: the program has ended before
                assert wanted.node in self.lost

    def follow(self, key: str, statement: ast.stmt) -> None:
        names: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            names = target.elts if isinstance(target, ast.Tuple) else [target]
        else:
            assert isinstance(statement, ast.Expr)
        self.inputs(key, statement.value)
        for number, name in enumerate(names):
            assert isinstance(name, ast.Name) and name.id not in self.ports and name.id not in self.objects
            self.ports[name.id] = PortRef(node=key, output=number)

    def inputs(self, key: str, call: ast.expr) -> None:
        assert isinstance(call, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("cpu", "gpu"):
            self.check(call.func.value, next(iter(self.graph.inputs(key)), None))
            return
        wired, wires = self.graph.inputs(key), self.graph.argument_inputs(key)
        assert len(call.args) >= len(wired)
        for number, value in enumerate(call.args):
            self.check(value, wired[number] if number < len(wired) else None)
        for word in call.keywords:
            if word.arg in wires and word.arg != "device":  # which a node has of its own
                self.check(word.value, wires[word.arg])
            else:
                assert not isinstance(word.value, ast.Name) or word.value.id in self.objects
        assert set(wires) <= {word.arg for word in call.keywords} or key in self.lost


def variable(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def several(names: list[str]) -> ast.expr:
    return ast.Tuple([variable(name) for name in names], ast.Load()) if len(names) > 1 else variable(names[0])


def literal(value: bool | float | str | None) -> ast.expr:
    return ast.Constant(value)


def row(items: list[ast.expr]) -> ast.expr:
    return ast.List(items, ast.Load())


def call(name: str, args: list[ast.expr], words: dict[str, ast.expr]) -> ast.expr:
    function = ast.Attribute(variable("fn"), name, ast.Load())
    return ast.Call(function, args, [ast.keyword(word, value) for word, value in words.items()])


def assignment(names: list[str], value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[several(names)], value=value, lineno=1)


def returned(names: list[str]) -> ast.stmt:
    return ast.Return(several(names))


LITERALS = (
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(max_size=40)
)  # fmt: skip
VARIABLES = st.sampled_from(["a", "images", "x" * 30, "y" * 40])
EXPRESSIONS = st.recursive(
    VARIABLES.map(variable) | LITERALS.map(literal), lambda inner: st.lists(inner, max_size=9).map(row), max_leaves=12
)
CALLS = st.builds(
    call, st.sampled_from(["cast", "crop_mirror_normalize"]), st.lists(EXPRESSIONS, max_size=3),
    st.dictionaries(st.sampled_from(["a", "dtype", "random_shuffle", "output_layout"]), EXPRESSIONS),
)  # fmt: skip
STATEMENTS = st.one_of(
    CALLS.map(ast.Expr),
    st.builds(assignment, st.lists(VARIABLES, min_size=1, max_size=7), CALLS),
    st.lists(VARIABLES, min_size=1, max_size=9).map(returned),
)


@settings(max_examples=150, deadline=None)
@given(STATEMENTS)
def test_statements_are_laid_out_as_black_does(statement: ast.stmt) -> None:
    text = "def f():\n" + "\n".join(layout.statement(statement)) + "\n"
    assert black.format_str(text, mode=black.Mode(line_length=layout.LINE_LENGTH)) == text
    written = ast.unparse(ast.parse("def f():\n    " + ast.unparse(ast.fix_missing_locations(statement))))
    assert ast.unparse(ast.parse(text)) == written
