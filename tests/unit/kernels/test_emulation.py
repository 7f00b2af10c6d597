"""The emulation of a GPU (`tests/emulation`), apart from what is computed with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EMULATION = Path(__file__).resolve().parents[2] / "emulation"
#: Threads that meet where a kernel is compiled, each with a compiler of its own.
PROGRAM = """
import subprocess, threading, cupy
meet, run = threading.Barrier(3), subprocess.run
def compiled(*arguments, **options):
    meet.wait(60)
    return run(*arguments, **options)
subprocess.run = compiled
made = []
def make():
    made.append(cupy.RawKernel('extern "C" __global__ void nothing(int) {}', "nothing"))
threads = [threading.Thread(target=make) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(made) == 3
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the emulation of a GPU is for Linux")
@pytest.mark.slow
def test_threads_may_compile_the_same_kernel(tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    path = os.pathsep.join((str(EMULATION), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
