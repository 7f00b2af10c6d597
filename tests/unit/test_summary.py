"""The last lines of a test run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import summary

TESTS = Path(__file__).resolve().parents[1]


def test_skips_are_counted_by_what_is_missing() -> None:
    reasons = ["Skipped: needs a GPU: CuPy is not installed"] * 1200 + ["Skipped: needs two GPUs: none", "Skipped: odd"]
    reasons += ["Skipped: nvidia.dali never returns"]  # a case's own note
    reasons += ["Skipped: the comparison needs nvidia-dali, which is not installed"] * 2
    assert summary.skipped(reasons) == [
        "1,205 tests skipped, which is normal on a machine without a GPU or nvidia.dali:",
        "  1,201 need an NVIDIA GPU",
        "      2 compare with nvidia.dali, which is not installed (Linux: make test EXTRAS=dev,peer)",
        "      1 odd",
        "      1 nvidia.dali never returns",
    ]
    assert summary.skipped([]) == []


def test_a_run_ends_with_these_lines(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("import pytest\n\n\ndef test_one():\n    pytest.skip('needs a GPU: none')\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(TESTS.parent)]
    command += ["-c", str(TESTS.parent / "pyproject.toml"), "--confcutdir", str(TESTS), "-p", "conftest"]
    path = os.pathsep.join((str(TESTS), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        [*command, "--quick", str(tmp_path)], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    told, gpu, quick = done.stdout.splitlines()[-3:]
    assert told == "1 test skipped, which is normal on a machine without a GPU or nvidia.dali:"
    assert gpu == "  1 need an NVIDIA GPU"
    assert quick.startswith("Quick: left out were tests/{browser,compat,") and quick.endswith("`make test FULL=1` runs everything.")
