"""Seconds from starting Python to the first batch of the README's program, the first time and later, and what is installed.

usage: start.py PYTHON [RUNS], with the interpreter of an environment that holds a wheel. The first time, everything that the
program keeps is gone: its caches, in a home folder that is new, and the compiled modules of the whole environment.
"""

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
    with tempfile.TemporaryDirectory() as home:
        program = Path(home) / "readme.py"
        program.write_text(block[1], encoding="utf-8")

        def seconds() -> float:
            begin = time.perf_counter()
            subprocess.run([python, program], cwd=home, env={"HOME": home, "PATH": os.defpath}, check=True)
            return time.perf_counter() - begin

        installed = [path.lstat().st_size for path in environment.rglob("*") if path.is_file() and not path.is_symlink()]
        fresh = seconds()
        later = sorted(seconds() for _ in range(runs))
        for module in environment.rglob("*.pyc"):
            module.unlink()
        print(f"installed: {sum(installed) / 1e6:.0f} MB")
        print(f"new home: {fresh:.2f} s; later: {later[0]:.2f} s ({later[-1]:.2f})")
        print(f"new home, and no module compiled before: {seconds():.2f} s")


if __name__ == "__main__":
    main()
