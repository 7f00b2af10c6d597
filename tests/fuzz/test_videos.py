"""Mutated videos end as frames or as an error, in a process of their own, and leave no memory behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("av", reason="needs PyAV")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads memory as Linux tells it")

REPOSITORY = Path(__file__).resolve().parents[2]


def test_mutated_videos() -> None:
    command = [sys.executable, "tests/fuzz/videos.py", "1400"]
    ended = subprocess.run(
        command, cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr[-2000:]}"
    counts, _, memory = ended.stdout.partition("MiB:")
    assert "'refused'" in counts and "'decoded'" in counts
    first, *_, last = map(float, memory.split())
    assert last - first < 60  # a video that stays open takes 0.3 and more
