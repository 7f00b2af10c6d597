"""Which levels of processor `build.py` compiles for, in a small checkout of its own."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dali_studio.kernels import build
from dali_studio.kernels.cpu import native

TARGET = build.native_target()
LEVELS = [level for level, _ in TARGET.levels]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the program, and with one kernel that needs one header."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("needs the compiler of the package ziglang")
    kernels = tmp_path / "dali_studio" / "kernels"
    for name in ("build.py", "cpu/level.cpp", "cpu/visible.hpp", "include/numbers.hpp"):
        (kernels / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build.FOLDER / name, kernels / name)
    (kernels / "cpu" / "one.hpp").write_text("#define ONE 1\n")
    (kernels / "cpu" / "one.cpp").write_text('#include "one.hpp"\nextern "C" int one() { return ONE; }\n')
    return tmp_path


def built(checkout: Path, *options: str) -> set[str]:
    """The libraries that are there afterwards: "v1" and so on, and "level"."""
    kernels = checkout / "dali_studio" / "kernels"
    command = [sys.executable, str(kernels / "build.py"), *options]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {path.stem.removeprefix(f"kernels-{TARGET.name}-") for path in (kernels / "cpu" / "lib").iterdir()}


def test_one_level_is_built_for_those_who_work_on_kernels(checkout: Path) -> None:
    assert built(checkout, "--level", "native") == {build.native_level(), "level"}
    assert built(checkout) == {*LEVELS, "level"}
    assert built(checkout, "--level", "native") == {*LEVELS, "level"}  # nothing has changed
    (checkout / "dali_studio" / "kernels" / "cpu" / "one.hpp").write_text("#define ONE 2\n")
    assert built(checkout, "--level", "native") == {build.native_level(), "level"}  # the others were of old sources


def test_an_unknown_level_is_refused(checkout: Path) -> None:
    with pytest.raises(AssertionError, match=f"has no level v9. Choose of native, {', '.join(LEVELS)}"):
        built(checkout, "--level", "v9")


def test_the_program_and_the_package_agree_about_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(native.LEVEL, raising=False)
    native.level.cache_clear()
    assert native.level() == build.native_level()
    native.level.cache_clear()
