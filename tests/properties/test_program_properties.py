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
from dali_studio.codegen.dialects.dali_functions import FUNCTIONS
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph

REGISTRY = toy_registry()
RESERVED = {"fn", "types", "pipeline_def", "float", "NotImplementedError", "pipe", "__debug__", "__name__"}
#: Words that Python, the program, or readers of its text may take for something else.
WORDS = st.sampled_from(
    ["a", "a2", "a²", "ª", "fi", "ﬁ", "fn", "ｆｎ", "types", "pipe", "outputs", "pipeline", "pipeline_def", "float", "class",
     "None", "True", "match", "_", "__debug__", "__name__", "__builtins__", "NotImplementedError", "device", "name", "seed",
     "preserve", "angle", "a b", "a-b", "7up", "ａ", "é", "e\u0301", "\u0301", "\u202e", "", "x\ny", "x\r\nimport os",
     "x'\"\"\"", "x\\", "\ud800", "\x1b[2J", "#", "a=1)", "日本語" * 9, "a" * 300]
)  # fmt: skip
NAMES = WORDS | st.text(max_size=4)
OPERATORS = st.sampled_from(
    [*REGISTRY, "gaussian_blur", "readers.coco", "transforms.crop", "_b.sysconfig.os.system", "os.system", "fn.cast",
     "cast.__class__", "readers", "hidden.uniform", "cast()", "cast\n", "ｃａｓｔ", "class", "not here!", "", "a.b.c", "\ud800"]
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


@settings(max_examples=400, deadline=None)
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
    known |= {f"fn.{name}" for name in FUNCTIONS} if dialect == "nvidia.dali" else set()
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
    assert ast.unparse(main) == (
        "if __name__ == '__main__':\n    pipe = " + ast.unparse(main.body[0].value)  # type: ignore[attr-defined]
        + "\n    pipe.build()\n    outputs = pipe.run()"
    )  # fmt: skip
    assert main.body[0].value.func.id == function.name  # type: ignore[attr-defined]


def check_flow(graph: Graph, emitted: Emitted, module: ast.Module) -> None:
    """Every variable is one port, and arrives where the graph has its wire."""
    function = module.body[1]
    assert isinstance(function, ast.FunctionDef)
    begins = {min(lines): key for key, lines in emitted.lines.items()}
    ports: dict[str, PortRef] = {}
    defined: set[str] = set()
    lost: set[str] = set()
    objects = {argument.arg for argument in function.args.args}
    key = ""

    def source(value: ast.expr, wanted: PortRef | None) -> PortRef | None:
        if not isinstance(value, ast.Name):
            return None
        if value.id not in ports:  # what an operator would give that was refused: nobody gets here
            assert wanted is not None and wanted.node in lost
            return wanted
        return ports[value.id]

    for statement in function.body[:-1]:
        key = begins.get(statement.lineno, key)
        defined.add(key)
        if isinstance(statement, ast.Raise):
            lost.add(key)
            continue
        assert isinstance(statement, ast.Assign | ast.Expr)
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for number, name in enumerate(names):
                assert isinstance(name, ast.Name) and name.id not in ports and name.id not in objects
        else:
            names = []
        call = statement.value
        assert isinstance(call, ast.Call)
        copied = isinstance(call.func, ast.Attribute) and call.func.attr in ("cpu", "gpu") and not call.args
        positional = [call.func.value] if copied else call.args  # type: ignore[union-attr]
        for value, wanted in zip(positional, graph.inputs(key), strict=False):
            assert source(value, wanted) in (wanted, None)
            if wanted is not None and wanted.node in defined - lost - {key} and not isinstance(value, ast.Name):
                assert wanted not in ports.values()
        wired = graph.argument_inputs(key)
        for word in call.keywords:
            if word.arg in wired:
                assert isinstance(word.value, ast.Name | ast.Constant)
                assert source(word.value, wired[word.arg]) in (wired[word.arg], None)
            elif isinstance(word.value, ast.Name):
                assert word.value.id in objects
        unwritten = set(wired) - {word.arg for word in call.keywords}
        assert not unwritten or copied or key in lost
        ports.update({name.id: PortRef(node=key, output=i) for i, name in enumerate(names)})  # type: ignore[attr-defined]
    returned = function.body[-1]
    assert isinstance(returned, ast.Return) and returned.value is not None
    values = returned.value.elts if isinstance(returned.value, ast.Tuple) else [returned.value]
    for value, wanted in zip(values, graph.outputs, strict=bool(graph.outputs)):
        assert source(value, wanted) in (wanted, None)


EXPRESSIONS = st.recursive(
    st.sampled_from(["images", "a", "x" * 30]).map(ast.Name)
    | (st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(max_size=40)).map(
        ast.Constant
    ),
    lambda inner: st.lists(inner, max_size=9).map(lambda items: ast.List(elts=items)),
    max_leaves=12,
)
CALLS = st.builds(
    lambda name, args, words: ast.Call(
        func=ast.Attribute(ast.Name("fn"), name), args=args,
        keywords=[ast.keyword(word, value) for word, value in words.items()],
    ),
    st.sampled_from(["cast", "crop_mirror_normalize"]), st.lists(EXPRESSIONS, max_size=3),
    st.dictionaries(st.sampled_from(["a", "dtype", "random_shuffle", "output_layout"]), EXPRESSIONS),
)  # fmt: skip
STATEMENTS = st.one_of(
    CALLS.map(ast.Expr),
    st.builds(
        lambda names, call: ast.Assign(
            targets=[ast.Tuple([ast.Name(n) for n in names]) if len(names) > 1 else ast.Name(names[0])], value=call
        ),
        st.lists(st.sampled_from(["a", "images", "output_number_10", "y" * 40]), min_size=1, max_size=7), CALLS,
    ),
    st.lists(st.sampled_from(["a", "images", "x" * 30]), min_size=1, max_size=9).map(
        lambda names: ast.Return(
            ast.Tuple([ast.Name(name) for name in names]) if len(names) > 1 else ast.Name(names[0])
        )
    ),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(STATEMENTS)
def test_statements_are_laid_out_as_black_does(statement: ast.stmt) -> None:
    text = "def f():\n" + "\n".join(layout.statement(statement)) + "\n"
    assert black.format_str(text, mode=black.Mode(line_length=layout.LINE_LENGTH)) == text
    ast.fix_missing_locations(statement)
    written = ast.parse(text).body[0].body[0]  # type: ignore[attr-defined]
    assert ast.unparse(written) == ast.unparse(ast.parse(ast.unparse(statement)))
