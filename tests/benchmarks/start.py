"""Seconds from starting Python to the first batch of the README's program, the first time and later, and what is installed.

usage: start.py PYTHON [RUNS], with the interpreter of an environment that holds a wheel. The home folder is new. pip compiles
the modules that it installs; other installers do not, so the time without is told, too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"


def main() -> None:
    """The command line."""
    python, runs = Path(sys.argv[1]).absolute(), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    block = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert block
    environment = python.parents[1]

    def seconds(home: str) -> float:
        begin = time.perf_counter()
        subprocess.run([python, "-c", block[1]], cwd=home, env={"HOME": home, "PATH": os.defpath}, check=True)
        return time.perf_counter() - begin

    files = [path for path in environment.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files) / 1e6
    with tempfile.TemporaryDirectory() as home:
        first, later = seconds(home), sorted(seconds(home) for _ in range(runs))
    for module in environment.rglob("*.pyc"):
        module.unlink()
    with tempfile.TemporaryDirectory() as home:
        bare = seconds(home)
    sys.stdout.write(
        f"installed: {size:.0f} MB\nfirst time: {first:.2f} s, {bare:.2f} s without compiled modules\n"
        f"later: {later[len(later) // 2]:.2f} s ({later[0]:.2f} to {later[-1]:.2f})\n"
    )


if __name__ == "__main__":
    main()
