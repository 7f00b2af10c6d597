"""Kernels compute the same on all levels of x86-64 that this processor has, and on arm64 (`make arm64`).

As a program it writes, for each module `levels_*.py` that it is given, which library was taken and a digest.
"""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from dali_studio.kernels.build import CACHE, native_target
from dali_studio.kernels.cpu import native

#: An arm64 Python that an emulator runs, made by `tests/arm64.sh`.
ARM64 = CACHE.parent / "arm64"
MODULES = (
    "levels_boxes",
    "levels_color",
    "levels_elements",
    "levels_filters",
    "levels_jpeg",
    "levels_pixels",
    "levels_resample",
    "levels_sound",
    "levels_tables",
)


def digests(modules: Iterable[str]) -> str:
    """What this process computes."""
    return "".join(f"{native.level()} {importlib.import_module(module).digest()}\n" for module in modules)


def told(level: str, *command: str | Path) -> str:
    """The digest of a process that was told which library to take."""
    done = subprocess.run(
        [*command], env={**os.environ, native.LEVEL: level}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said, found = done.stdout.split()
    assert said == level
    return found


@pytest.mark.parametrize("module", MODULES)
def test_levels_agree(module: str) -> None:
    own, expected = digests([module]).split()
    levels = [name for name, _ in native_target().levels]
    lower = levels[: levels.index(own)]
    if not lower:
        pytest.skip("there is no level below")
    if not all(native.path_of(name).is_file() for name in lower):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("lower levels are not compiled: make levels")
    assert {told(name, sys.executable, __file__, module) for name in lower} == {expected}


@pytest.mark.slow
@pytest.mark.skipif("EMULATE_ARM64" not in os.environ, reason="emulates another processor for minutes: make arm64")
@pytest.mark.parametrize("module", MODULES)
def test_arm64_agrees(module: str) -> None:
    if platform.machine() == "aarch64":
        pytest.skip("this processor is one")
    assert told("v8", ARM64 / "python", __file__, module) == digests([module]).split()[1]


if __name__ == "__main__":
    sys.stdout.write(digests(sys.argv[1:]))
