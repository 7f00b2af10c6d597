"""Runs tests with kernels that clang's sanitizers watch; ends with 1 if one found something (`make sanitize`).

Python itself is not instrumented, so the sanitizer's library comes first into its process. Memory that kernels touch is
numpy's, whose blocks the address sanitizer knows; locks and threads of Python are those of pthread, which the thread
sanitizer knows. nvidia.dali cannot find its own libraries in such a process: tests that compare with it are left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from dali_studio.kernels import build
from dali_studio.kernels.cpu import native

REPOSITORY = Path(__file__).resolve().parents[1]
#: What each run compiles with, its library, its options, and the commands that it watches.
PYTEST = ("-m", "pytest", "-p", "no:cacheprovider", "-q", "-m", "not peer")
#: The kernels of one level are compiled: there are no others to compare them with.
KERNELS = ("tests/unit/kernels", "--ignore=tests/unit/kernels/test_levels.py")
FUZZ = ("tests/fuzz", "--family", "pictures", "--inputs", "1000", "--processes", "1", "--without-peer")
RUNS = (
    ("address,undefined", "asan", "detect_leaks=0", ((*PYTEST, *KERNELS), FUZZ)),
    ("thread", "tsan", "", ((*PYTEST, "tests/unit/kernels/test_decode_threads.py", "tests/unit/runtime/test_sharing.py"),)),
)


def _start(command: tuple[str, ...], environment: dict[str, str]) -> subprocess.Popen[str]:
    # The thread sanitizer places its own memory, and needs addresses that are not random.
    words = ["setarch", "-R", sys.executable, *command]
    return subprocess.Popen(words, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def watched(sanitizers: str, runtime: str, options: str, commands: tuple[tuple[str, ...], ...], clang: str) -> bool:
    """Whether all went well; what was found is printed."""
    folder = build.CACHE / f"lib-{runtime}"
    level = native.level()  # by the usual libraries, since only this one is compiled
    build.build(build.native_target(), folder, [level], sanitizers, clang)
    words = [clang, f"-print-file-name=libclang_rt.{runtime}-{platform.machine()}.so"]
    library = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    well = True
    with tempfile.TemporaryDirectory() as reports:
        said = f"{options}:log_path={reports}/found"
        environment = {
            **os.environ, native.FOLDER: str(folder), native.LEVEL: level, "LD_PRELOAD": library,
            "ASAN_OPTIONS": said, "TSAN_OPTIONS": said, "UBSAN_OPTIONS": f"print_stacktrace=1:{said}",
            "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        running = [_start(command, environment) for command in commands]
        for one in running:  # each takes one processor
            sys.stdout.write(one.communicate()[0])
            well = well and one.returncode == 0
        for report in sorted(Path(reports).iterdir()):  # of processes that tests start, too
            sys.stdout.write(report.read_text(errors="replace"))
            well = False
    sys.stdout.write(f"{sanitizers}: {'nothing found' if well else 'FAILED'}\n")
    return well


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clang", default="clang++")
    given = parser.parse_args()
    well = [watched(*run, given.clang) for run in RUNS]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
