"""Who imports whom, what is imported when, and what no file may say."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from dali_studio.api.default import default_registry

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "dali_studio"


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from (p for p in sorted((REPOSITORY / folder).rglob("*.py")) if "node_modules" not in p.parts)


@functools.cache
def tree(path: Path) -> ast.Module:
    """A file, read once for all tests."""
    return ast.parse(path.read_text("utf-8"))


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_import_contracts_hold() -> None:
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command(['--no-cache', '--no-logo']))"
    done = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_group_of_the_package_is_in_the_contract() -> None:
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    groups = contracts[0]
    named = {name.strip(" ()") for layer in groups["layers"] for name in re.split("[|:]", layer)}
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - {"__init__"} <= named


#: What takes long to import, and is for notebooks, devices and development.
NOTEBOOK = "torch cupy cv2 ipywidgets anywidget IPython matplotlib jupyterlab skimage numba black"


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("dali_studio", f"numpy networkx PIL {NOTEBOOK}"),
        ("dali_studio.cli", f"numpy networkx PIL {NOTEBOOK}"),
        ("dali_studio.graph.document", f"networkx PIL {NOTEBOOK}"),
        ("dali_studio.compiler.pipeline", f"networkx PIL {NOTEBOOK}"),
        ("dali_studio.codegen.emit", f"networkx PIL {NOTEBOOK}"),
        ("dali_studio.pipeline", f"networkx PIL {NOTEBOOK}"),
        ("dali_studio.fn", f"networkx PIL soundfile {NOTEBOOK}"),  # all operators and kernels
    ],
)
def test_imports_stay_light(module: str, forbidden: str) -> None:
    loaded = set(run(f"import sys, {module}; print(*sys.modules)").split())
    assert not loaded & set(forbidden.split())


def test_the_first_pipeline_loads_no_picture_library_and_no_networkx() -> None:
    code = """
        import sys
        from dali_studio import fn, pipeline_def

        @pipeline_def(batch_size=1, num_threads=1, device_id=None)
        def one():
            return fn.random.coin_flip()

        one().build()
        print(*sys.modules)
    """
    loaded = set(run(textwrap.dedent(code)).split())
    assert not loaded & {"PIL", "networkx", *NOTEBOOK.split()}


def test_every_public_name_can_be_had() -> None:
    import dali_studio

    for name in dali_studio.__all__:
        assert getattr(dali_studio, name) is not None
    assert sorted(dali_studio.__all__) == sorted(["__version__", *dali_studio._PUBLIC, *dali_studio._MODULES])


def test_no_file_needs_opencv() -> None:
    for path in sources("dali_studio"):
        assert not re.search(r"^\s*(import|from) cv2\b", path.read_text(encoding="utf-8"), re.MULTILINE), path


def test_operator_names_are_no_literals_where_traits_decide() -> None:
    # Names that are a word of English besides ("crop", "constant") may stand in sentences, not alone.
    names = set(default_registry())
    for path in sources(
        "dali_studio/compiler", "dali_studio/runtime", "dali_studio/graph", "dali_studio/schema", "dali_studio/core"
    ):
        literals = {
            n.value
            for n in ast.walk(tree(path))
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        }
        # these are roles of the schema, too, and a field of batches
        roles = {"external_source", "constant", "arithmetic", "copy", "subscript", "shapes"}
        assert not (literals & names) - roles, path


@pytest.mark.parametrize("folder", ["dali_studio", "tests"])
def test_every_file_defers_its_annotations(folder: str) -> None:
    # A file that consists of its docstring has no annotations.
    lacking = [
        str(p) for p in sources(folder) if len(tree(p).body) > 1 and not any(map(is_future_import, tree(p).body[:2]))
    ]
    assert lacking == []


def is_future_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.names[0].name == "annotations"


def test_every_file_of_the_package_says_what_it_is() -> None:
    assert [str(p) for p in sources("dali_studio") if not ast.get_docstring(tree(p))] == []


def test_nothing_is_printed_and_no_global_random_state_is_used() -> None:
    for path in sources("dali_studio"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called != "print", f"{path}:{node.lineno}"
                # Classes make generators of their own; functions in small letters share one hidden state.
                shared = re.fullmatch(r"(np|numpy)\.random\.(?!default_rng)[a-z]\w*", called)
                assert not shared, f"{path}:{node.lineno}"


#: Words for things that have another name here (docs/glossary.md), as names of classes and functions.
BANNED = (
    "vertex", "vertices", "exporter", "translator", "workflow", "hyperparameter", "crew", "patient", "patience", "urgent", "facts",
)  # fmt: skip
#: Words for limits that names of constants do not begin with.
BANNED_LIMITS = ("MOST", "LEAST", "PATIENCE")


def test_names_use_the_words_of_the_glossary() -> None:
    for path in sources("dali_studio"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                words = re.findall(r"[A-Z]?[a-z]+", node.name)
                assert not {word.lower() for word in words} & set(BANNED), f"{path}:{node.lineno} {node.name}"


def test_limits_are_named_max_and_min() -> None:
    for path in sources("dali_studio"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assert not node.id.lstrip("_").startswith(BANNED_LIMITS), f"{path}:{node.lineno} {node.id}"


def test_the_glossary_explains_the_banned_words() -> None:
    glossary = (REPOSITORY / "docs" / "glossary.md").read_text(encoding="utf-8").lower()
    assert [word for word in (*BANNED, *map(str.lower, BANNED_LIMITS)) if word not in glossary] == []
