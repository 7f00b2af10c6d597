"""What `make` would do, asked of a folder that has nothing but the files that its decisions depend on."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_kernels_are_generated_before_they_are_compiled(tmp_path: Path) -> None:
    """After a header was changed, also where both verbs may run at once."""
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    header, *others = "dali_studio/kernels/include/new.hpp", "pyproject.toml", "hatch_build.py", "dali_studio/kernels/build.py"
    stamps = [f".venv/.stamps/{name}" for name in ("venv", "builders", "kernels", "package-dev")]
    for age, name in enumerate(reversed([*others, *stamps, header])):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (10**9 - age, 10**9 - age))
    command = ["make", "-n", "-j4", "generated", "kernels"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make test`
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.count("build.py --level native") == 1
    assert done.stdout.index("dali_studio.api.instantiations") < done.stdout.index("build.py --level native"), done.stdout
