"""Names of documents that no program may contain as they are."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from toy import port, toy_registry

from dali_studio.codegen.emit import emit
from dali_studio.codegen.names import identifier
from dali_studio.graph.model import Graph, GraphOptions, Node
from dali_studio.schema.model import Value

REGISTRY = toy_registry()


def undecorated(**_: Any) -> Any:
    """In place of ``pipeline_def``."""
    return lambda function: function  # pyright: ignore[reportUnknownLambdaType, reportUnknownVariableType]


def returning(*nodes: Node, name: str = "pipeline") -> Graph:
    graph = Graph(GraphOptions(name=name))
    for node in nodes:
        graph.add_node(node)
    graph.set_outputs([port(node.key) for node in nodes])
    return graph


@pytest.mark.parametrize("dialect", ["nvidia.dali", "dali_studio"])
@pytest.mark.parametrize(
    "operator", ["_b.sysconfig.os.system", "os.system", "random", "hidden.uniform", "cast().x", "rotate\nimport os", "a²"]
)
def test_unknown_operators_are_never_called(operator: str, dialect: str) -> None:
    node = Node(key="images", operator=operator, arguments={"command": "id > x"})
    emitted = emit(returning(node), REGISTRY, dialect)
    calls = [n for n in ast.walk(ast.parse(emitted.source)) if isinstance(n, ast.Call)]
    assert [ast.unparse(call.func) for call in calls[1:2]] == ["NotImplementedError"] and "fn" not in emitted.source
    assert [(d.code, d.node, d.severity) for d in emitted.diagnostics] == [("DS101", "images", "error")]
    scope: dict[str, Any] = {"__name__": "emitted", "pipeline_def": undecorated}
    body = emitted.source.split("\n", 1)[1]
    exec(compile(body, "<emitted>", "exec"), scope)
    with pytest.raises(NotImplementedError, match=r"images: There is no operator called"):
        scope["pipeline"]()


def test_functions_of_the_dialect_alone_are_written_with_a_warning() -> None:
    graph = returning(Node(key="images", operator="gaussian_blur", arguments={"sigma": 2.0, "name": "blur"}))
    emitted = emit(graph, REGISTRY, "nvidia.dali")
    assert 'images = fn.gaussian_blur(name="blur", sigma=2.0)' in emitted.source
    assert [(d.code, d.severity) for d in emitted.diagnostics] == [("DS101", "warning")]
    assert emit(graph, REGISTRY, "dali_studio").diagnostics[0].severity == "error"


def test_what_the_registry_alone_has_is_refused_for_the_dialect() -> None:
    emitted = emit(returning(Node(key="x", operator="broken")), REGISTRY, "nvidia.dali")
    assert "NVIDIA DALI cannot express broken: it has no such function." in str(emitted.diagnostics[0])
    assert "fn.broken" not in emitted.source and "raise NotImplementedError(" in emitted.source


@pytest.mark.parametrize("name", ["device", "class", "None", "__debug__", "ﬁll_value", "a=1, b", ""])
def test_arguments_that_cannot_be_named_are_raised(name: str) -> None:
    arguments: dict[str, Value] = {"fill_value": 1.0, "angle": 2.0, name: "gpu"}
    node = Node(key="x", operator="rotate", device="gpu", arguments=arguments)
    emitted = emit(returning(node), REGISTRY, "nvidia.dali")
    calls = [n for n in ast.walk(ast.parse(emitted.source)) if isinstance(n, ast.Call)]
    (call,) = [call for call in calls if ast.unparse(call.func) == "fn.rotate"]
    assert [word.arg for word in call.keywords] == ["device", "angle", "fill_value"]
    assert ("DS102", name) in [(d.code, d.argument) for d in emitted.diagnostics]
    assert f"rotate has no argument {name!r}." in emitted.source


def test_keys_that_python_reads_as_one_name_stay_apart() -> None:
    keys = ["fi", "ﬁ", "a²", "a2", "class", "None", "\uff46\uff4e", "pipe", "__debug__", "日" * 100, "日" * 101, "\u0301"]
    emitted = emit(returning(*(Node(key=key, operator="random.uniform") for key in keys)), REGISTRY, "nvidia.dali")
    function = ast.parse(emitted.source).body[1]
    assert isinstance(function, ast.FunctionDef)
    *assigned, returned = function.body
    names = [ast.unparse(statement).partition(" = ")[0] for statement in assigned]
    assert names[:9] == ["fi", "fi_2", "a2", "a2_2", "class_", "None_", "fn_", "pipe_", "debug"]
    assert len(set(names)) == len(keys) and max(map(len, names)) <= 82
    assert ast.unparse(returned) == f"return ({', '.join(names)})"


def test_names_of_pipelines_shadow_nothing() -> None:
    for name in ("fn", "pipeline_def", "__name__", "class", "pipe", "\uff46\uff4e", "float", "\n"):
        source = emit(returning(Node(key="x", operator="random.uniform"), name=name), REGISTRY, "nvidia.dali").source
        assert f"def {identifier(name)}():" in source and f"pipe = {identifier(name)}()" in source
        assert identifier(name) not in ("fn", "pipeline_def", "__name__", "class", "pipe", "float")


def test_texts_hold_no_line_ends_and_nothing_that_turns_writing_round() -> None:
    text = "a\r\nimport os\u2028\u202e\ud800\x1b\"'\\"
    source = emit(returning(Node(key="x", operator="slice", arguments={"label": text})), REGISTRY, "nvidia.dali").source
    source.encode()
    assert source.replace("\n", "").isprintable() and "import os" not in source.splitlines()
    (word,) = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.keyword) and n.arg == "label"]
    assert ast.literal_eval(word.value) == text
