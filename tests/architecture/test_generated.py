"""What is generated is what the code says."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from dali_studio.api import stubs
from dali_studio.core import generated

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "program", ["-m dali_studio.studio.protocol.codegen_ts", "-m dali_studio.api.stubs", "-m dali_studio.api.support_page",
     "-m dali_studio.api.reading.composed.page", "-m dali_studio.api.instantiations", "tests/benchmarks/operators_page.py", "tests/benchmarks/peer_page.py"]
)
def test_is_fresh(program: str) -> None:
    done = subprocess.run(
        [sys.executable, *program.split(), "--check"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}make generated brings it up to date"


def test_stale_and_left_over_stubs_are_noticed(tmp_path: Path) -> None:
    first, gone = tmp_path / "fn" / "__init__.pyi", tmp_path / "fn" / "gone.pyi"
    for path, text in stubs.files(tmp_path).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text), encoding="utf-8")
    assert generated.stale(stubs.files(tmp_path)) == []
    for path in (first, gone):
        path.write_text("", encoding="utf-8")
    assert generated.stale(stubs.files(tmp_path)) == [first, gone]
    assert generated.write_or_check("", lambda: stubs.files(tmp_path), []) == 0
    assert generated.stale(stubs.files(tmp_path)) == [] and not gone.exists()


@pytest.mark.parametrize("package", ["fn", "ops"])
def test_stubs_name_what_the_modules_have(package: str) -> None:
    module = importlib.import_module(f"dali_studio.{package}")
    files = {path: text for path, text in stubs.generate().items() if path.parts[0] == package}
    word = "def" if package == "fn" else "class"
    for name in module.__all__:
        top = files[Path(package, "__init__.pyi")]
        assert f"\n{word} {name}" in top or f" import {name} as {name}\n" in top


def test_versions_agree() -> None:
    import json
    import tomllib

    from dali_studio import __version__

    assert tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["dynamic"] == ["version"]
    for package in ("extension", "extension/packages/designer", "extension/packages/lab"):
        assert json.loads((REPOSITORY / package / "package.json").read_text())["version"] == __version__


def test_what_is_bundled_is_named_with_its_licence() -> None:
    import json

    bundled = json.loads((REPOSITORY / "extension" / "packages" / "designer" / "package.json").read_text())[
        "dependencies"
    ]
    named = (REPOSITORY / "LICENSE-THIRD-PARTY").read_text(encoding="utf-8")
    assert [package for package in bundled if f"\n{package} " not in named] == []


def test_what_is_verified_concerns_the_present_cases() -> None:
    """The results that `docs/support.md` shows are those of all operators, with the cases that they have now."""
    import json

    from dali_studio.api.default import default_registry
    from dali_studio.schema.samples import NOT_ALONE, digest

    results = json.loads((REPOSITORY / "docs" / "verified.json").read_text(encoding="utf-8"))["cpu"]["operators"]
    registry = default_registry()
    cases = {name: registry.operator(name).samples() for name in registry if registry.schema(name).role not in NOT_ALONE}
    present = {name: digest(some) for name, some in cases.items() if some}  # a Python function has no form to be made from
    assert {name: row["cases"] for name, row in results.items()} == present, "make verified brings it up to date"
