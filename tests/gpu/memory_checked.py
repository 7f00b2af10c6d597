"""Runs tests of the GPU's kernels under NVIDIA's compute-sanitizer; ends with 1 if it found something or a test failed.

usage: memory_checked.py [--tool memcheck] [--parts 4 --jobs 8] [--until 600] [--wheel FILE] [FILE ...]

The sanitizer is one of the system, that of the PyPI package ``nvidia-cuda-sanitizer-api-cu12`` where it is installed, or
that of its wheel, for machines without a network. It needs no rights beyond those of a program that uses the GPU. Each
file of tests has a process of its own, or one for each of its parts, and a limit, since a program that is watched is
slow and may hang in the driver. Each part says how many of its tests passed under watch, and the last lines how many
that is of each file.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]
#: Those with kernels of ours. What remains calls NVIDIA's decoders, PyTorch or several GPUs.
FILES = (
    "jpeg_kernels", "jpeg_scans", "launches", "copies", "external_source", "warp_affine", "fusion", "bytes", "conformance", "pipelines",
    "filters", "operators",
)  # fmt: skip
#: The exit code that the sanitizer ends with where it has found something.
FOUND = 99
_INSIDE = Path("nvidia") / "cuda_sanitizer_api"
#: How many tests pytest has found, and how many of them it runs where these are not all.
_COLLECTED = re.compile(r"collected (\d+) items?(?: / .*?(\d+) selected)?")


def sanitizer(wheel: Path | None, folder: Path) -> list[str]:
    """The command that a program's own follows.

    Raises
    ------
    SystemExit
        If there is none.
    """
    if wheel is not None:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        home = folder / _INSIDE
        (home / "bin" / "compute-sanitizer").chmod(0o755)
    else:
        system, spec = shutil.which("compute-sanitizer"), importlib.util.find_spec("nvidia")
        if system is not None:
            return [system]
        places = [Path(place) / _INSIDE.name for place in (spec and spec.submodule_search_locations) or ()]
        home = next((place for place in places if (place / "bin" / "compute-sanitizer").is_file()), folder)
        if home == folder:
            raise SystemExit(
                "compute-sanitizer is not there: pip install nvidia-cuda-sanitizer-api-cu12, or give its wheel (--wheel)."
            )
    return [str(home / "bin" / "compute-sanitizer"), "--injection-path", str(home / "lib")]


def outcome(command: Sequence[str], seconds: float, part: str) -> tuple[str, str]:
    """How a program ended, empty if well, and what it had to say."""
    paths = [str(REPOSITORY), str(FOLDER), os.environ.get("PYTHONPATH", "")]
    process = subprocess.Popen(
        command, cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PART": part},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the sanitizer, and the program below it
        said, _ = process.communicate()
        return f"not done after {seconds:.0f} s", said
    found = {0: "", FOUND: "errors of memory or of synchronisation"}
    return found.get(process.returncode, f"exit code {process.returncode}"), said


def shown(said: str) -> str:
    """What is worth reading of a part that did not end well: what the sanitizer reports, and the last lines."""
    reported = [line for line in said.splitlines() if "=========" in line and "Host Frame" not in line]
    return "\n".join([*reported[:100], said[-4_000:], ""])  # the first report says most


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="names of tests/gpu/test_<name>.py; default: those with kernels")
    parser.add_argument("--tool", choices=("memcheck", "racecheck", "initcheck", "synccheck"), default="memcheck")
    parser.add_argument("--wheel", type=Path, help="of nvidia-cuda-sanitizer-api-cu12")
    parser.add_argument("--seconds", type=float, default=300, help="for each file, or part of it")
    parser.add_argument(
        "--until", type=float, default=86_400, help="seconds for everything; parts that did not begin then say so"
    )
    parser.add_argument("--parts", type=int, default=1, help="of each file, each in a process of its own")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once")
    parser.add_argument("-k", default="", help="as pytest's")
    given = parser.parse_args()
    bad: list[str] = []
    passed, present, last = Counter[str](), Counter[str](), time.monotonic() + given.until
    with tempfile.TemporaryDirectory() as folder:
        watch = [*sanitizer(given.wheel, Path(folder)), "--tool", given.tool, "--error-exitcode", str(FOUND)]

        def checked(name: str, part: str) -> None:
            tests = ["-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "exact_memory", "-k", given.k]
            begin = time.monotonic()
            command = [*watch, sys.executable, *tests, f"tests/gpu/test_{name}.py"]
            if begin >= last:
                bad.append(name)
                sys.stdout.write(f"{given.tool}, {name} {part}: not begun\n")
                return
            problem, said = outcome(command, min(given.seconds, last - begin), part)
            took, collected = time.monotonic() - begin, _COLLECTED.search(said)
            count, done = int((collected[2] or collected[1]) if collected else 0), said.count(" PASSED")
            passed[name] += done
            present[name] += count
            sys.stdout.write(
                f"{given.tool}, {name} {part}: {problem or 'nothing found'}; "
                f"{done} of {count} tests passed, {said.count(' SKIPPED')} skipped, in {took:.0f} s\n"
            )
            if problem:
                bad.append(name)
                sys.stdout.write(shown(said))
            sys.stdout.flush()

        with ThreadPoolExecutor(given.jobs) as pool:
            names, parts = given.files or FILES, [f"{number + 1}/{given.parts}" for number in range(given.parts)]
            list(pool.map(lambda one: checked(*one), [(name, part) for name in names for part in parts]))
    for name in names:
        ended = "not all parts ended well" if name in bad else "nothing found"
        sys.stdout.write(
            f"{given.tool}, {name}: {passed[name]} of the {present[name]} tests of the parts that began; {ended}\n"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
