"""Compiles the C++ kernels of the CPU, one library for each level of processor, by means of the package `ziglang`.

Run as a program (``python dali_studio/kernels/build.py``), so that it needs nothing but `ziglang`: the package itself
is of no use before it has its kernels. Only what changed is compiled. Who works on kernels waits for one level,
``--level native``; libraries of other levels that no longer fit the sources are removed then.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SOURCES = FOLDER / "cpu", FOLDER / "jpeg", FOLDER / "cuda"
OUTPUT = FOLDER / "cpu" / "lib"
#: The compiler runs here and is given relative paths, so that objects stay fresh when the folder is moved or copied.
ROOT = FOLDER.parents[1]
CACHE = ROOT / "build" / "kernels"

#: No contraction to fused multiply-add: where it is wanted, the sources say `muladd`.
FLAGS = (
    "-std=c++17", "-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fno-exceptions", "-fno-rtti", "-fPIC",
    "-fvisibility=hidden", "-nostdlib++", "-Wall", "-Wextra", "-Werror",
    "-Wno-psabi",  # vectors wider than the registers are passed between inlined functions alone
)  # fmt: skip

#: Of the library that tells which level this processor has; the other sources are compiled for each level.
LEVEL = FOLDER / "cpu" / "level.cpp"

#: Sources that compile for seconds, the others for less than one: first, so that none is waited for at the end.
LONGEST = ("warp", "resample", "convert", "functors", "normalize")


@dataclass(frozen=True)
class Target:
    """A platform: its name for the compiler, levels of its processors, suffix of libraries, and tag of wheels."""

    name: str
    triple: str
    levels: tuple[tuple[str, str], ...]
    suffix: str
    tag: str


_X86 = (("v1", "x86_64"), ("v3", "x86_64_v3"), ("v4", "x86_64_v4"))
_ARM = (("v8", "generic"),)
TARGETS = {
    target.name: target
    for target in (
        Target("linux-x86_64", "x86_64-linux-gnu.2.17", _X86, ".so", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
        Target("linux-aarch64", "aarch64-linux-gnu.2.17", _ARM, ".so", "manylinux_2_17_aarch64.manylinux2014_aarch64"),
        Target("macos-x86_64", "x86_64-macos.12.0", _X86[:2], ".dylib", "macosx_12_0_x86_64"),
        Target("macos-arm64", "aarch64-macos.12.0", _ARM, ".dylib", "macosx_12_0_arm64"),
        Target("windows-amd64", "x86_64-windows-gnu", _X86, ".dll", "win_amd64"),
    )
}


def native_target() -> Target:
    """That of the machine this runs on."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    name = f"{system}-{machine}"
    if name not in TARGETS:
        raise SystemExit(f"There are no kernels for {name}. Known platforms: {', '.join(TARGETS)}.")
    return TARGETS[name]


def compiler() -> str:
    """The program that compiles and links."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise SystemExit("The kernels are compiled by the package ziglang, which is not installed: pip install ziglang")
    return str(Path(spec.origin).parent / ("zig.exe" if sys.platform == "win32" else "zig"))


@dataclass(frozen=True)
class _Tool:
    """How to compile and link for a platform, and where objects are kept; `name` tells compilers apart."""

    target: Target
    name: str
    command: tuple[str, ...]
    flags: tuple[str, ...]
    cache: Path

    @classmethod
    def usual(cls, target: Target) -> _Tool:
        flags = tuple(flag for flag in FLAGS if not (flag == "-fPIC" and target.suffix == ".dll"))
        # by its version: the same compiler lies elsewhere where a build is isolated
        name = f"ziglang {importlib.metadata.version('ziglang')}"
        command = (compiler(), "c++", "-target", target.triple)
        return cls(target, name, command, flags, CACHE / target.name)

    @classmethod
    def sanitizing(cls, target: Target, sanitizers: str, clang: str) -> _Tool:
        """With clang, since the package brings no libraries for sanitizers; for this machine only."""
        checks = (f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", "-shared-libsan", "-fno-omit-frame-pointer")
        flags = (*(flag for flag in FLAGS if flag not in ("-O3", "-g0")), "-O1", "-g", *checks)
        return cls(target, clang, (clang,), flags, CACHE / f"{target.name}-{sanitizers.replace(',', '-')}")

    def run(self, *words: str) -> str:
        """What it had to say if it failed."""
        command = [*self.command, *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
        return (done.stderr or f"the compiler ended with {done.returncode}") if done.returncode else ""


@dataclass(frozen=True)
class _Unit:
    """One source for one level of processor."""

    source: Path
    tool: _Tool
    level: str
    cpu: str

    @property
    def object(self) -> Path:
        return self.tool.cache / self.level / f"{self.source.stem}.o"

    def words(self) -> tuple[str, ...]:
        # clang itself has another name for it than the package's program
        clang = "c++" not in self.tool.command
        named = self.cpu.replace("x86_64", "x86-64").replace("-64_", "-64-")
        processor = f"-march={named}" if clang else f"-mcpu={self.cpu}"
        made = self.object.relative_to(ROOT)
        depends = ("-MMD", "-MF", str(made.with_suffix(".d")))
        return (processor, *self.tool.flags, *depends, "-c", str(self.source.relative_to(ROOT)), "-o", str(made))

    def stamp(self) -> str:
        """What the object was made from: the compiler, its options, the contents of the source and of all headers."""
        made = hashlib.sha256(json.dumps([self.tool.name, *self.tool.command[1:], *self.words()]).encode())
        for path in sorted({self.source, *self._headers()}):
            made.update(path.read_bytes() if path.is_file() else b"gone")
        return made.hexdigest()

    def _headers(self) -> list[Path]:
        depends = self.object.with_suffix(".d")
        if not depends.is_file():
            return []
        words = depends.read_text(encoding="utf-8").replace("\\\n", " ").split()
        return [path for word in words[1:] if FOLDER in (path := (ROOT / word).resolve()).parents]

    def fresh(self) -> bool:
        stamp = self.object.with_suffix(".stamp")
        return self.object.is_file() and stamp.is_file() and stamp.read_text() == self.stamp()

    def compile(self) -> str:
        """What the compiler had to say if it failed."""
        self.object.parent.mkdir(parents=True, exist_ok=True)
        said = self.tool.run(*self.words())
        if not said:
            self.object.with_suffix(".stamp").write_text(self.stamp())
        return said


class _Progress:
    """A line that moves on a terminal while it is entered, and one line every few seconds elsewhere."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._name, self._said, self._start = total, 0, "", 0.0, time.monotonic()
        self._moves = total > 0 and sys.stderr.isatty()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._move, daemon=True)

    def __enter__(self) -> _Progress:
        if self._moves:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._moves:
            self._thread.join()
            sys.stderr.write(f"\r\x1b[K{self._text()}\n")

    def _text(self) -> str:
        seconds = time.monotonic() - self._start
        return f"Compiling kernels: {self._done} of {self._total}{self._name}, {seconds:.0f} s"

    def _move(self) -> None:
        while not self._end.wait(0.2):
            sys.stderr.write(f"\r\x1b[K{self._text()}")
            sys.stderr.flush()

    def step(self, name: str) -> None:
        self._done, self._name = self._done + 1, f" ({name})"
        now = time.monotonic()
        if not self._moves and (now - self._said > 2 or self._done == self._total):
            self._said = now
            sys.stderr.write(f"{self._text()}\n")
            sys.stderr.flush()


def _library(target: Target, level: str, output: Path) -> Path:
    return output / f"kernels-{target.name}-{level}{target.suffix}"


def _link(tool: _Tool, level: str, objects: list[Path], output: Path) -> Path:
    target, library = tool.target, _library(tool.target, level, output)
    if library.is_file() and all(library.stat().st_mtime_ns > one.stat().st_mtime_ns for one in objects):
        return library
    output.mkdir(parents=True, exist_ok=True)
    # A file of its own, which then takes the place of the old one: programs that run keep what they have loaded.
    made = library.resolve().with_name(f"{library.name}.new")
    options = [flag for flag in tool.flags if flag.startswith(("-fsanitize", "-shared-libsan", "-nostdlib"))]
    strip = [] if target.suffix == ".dylib" or "-g" in tool.flags else ["-s"]
    said = tool.run("-shared", *strip, *options, *map(str, objects), "-o", str(made))
    if said:
        raise SystemExit(f"The kernels of {target.name} could not be linked:\n{said}")
    made.replace(library)
    for left in (*output.glob("*.pdb"), *output.glob("*.lib")):  # what the linker for Windows adds
        left.unlink()
    return library


def _failed(said: list[str]) -> SystemExit:
    return SystemExit("\n".join(["The kernels could not be compiled:", *said]))


def _level_library(tool: _Tool, output: Path) -> Path:
    unit = _Unit(LEVEL, tool, *tool.target.levels[0])
    if not unit.fresh() and (said := unit.compile()):
        raise _failed([said])
    return _link(tool, LEVEL.stem, [unit.object], output)


def native_level(output: Path = OUTPUT) -> str:
    """The highest level that the processor of this machine has."""
    target = native_target()
    highest = ctypes.CDLL(str(_level_library(_Tool.usual(target), output))).dali_studio_level()
    return [level for level, _ in target.levels if int(level[1:]) <= highest][-1]


def build(
    target: Target, output: Path = OUTPUT, levels: Sequence[str] = (), sanitize: str = "", clang: str = "clang++"
) -> list[Path]:
    """The libraries of a platform, compiled as far as needed.

    Parameters
    ----------
    target : Target
    output : Path
        The folder for them.
    levels : sequence of str
        Of the processor; all if empty. Libraries of the others that no longer fit the sources are removed.
    sanitize : str
        Sanitizers with which `clang` compiles, such as "address,undefined".
    clang : str
        Its program.

    Returns
    -------
    list of Path
    """
    tool = _Tool.sanitizing(target, sanitize, clang) if sanitize else _Tool.usual(target)
    sources = sorted(
        (source for folder in SOURCES for source in folder.glob("*.cpp") if source != LEVEL),
        key=lambda source: (source.stem not in LONGEST, source.stem),
    )
    units = [_Unit(source, tool, level, cpu) for source in sources for level, cpu in target.levels]
    stale = [unit for unit in units if not unit.fresh()]
    chosen = [level for level, _ in target.levels if not levels or level in levels]
    for unit in stale:
        if unit.level not in chosen:
            _library(target, unit.level, output).unlink(missing_ok=True)

    def work(unit: _Unit) -> str:
        said = unit.compile()
        progress.step(f"{unit.source.stem}, {unit.level}")
        return said

    wanted = [unit for unit in stale if unit.level in chosen]
    with _Progress(len(wanted)) as progress, ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [said for said in pool.map(work, wanted) if said]
    if failures:
        raise _failed(failures)
    linked = [_link(tool, level, [unit.object for unit in units if unit.level == level], output) for level in chosen]
    return [_level_library(tool, output), *linked]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", choices=sorted(TARGETS), help="default: the platform this runs on")
    parser.add_argument(
        "--level", action="append", default=[], help="only this level; may be repeated; native: the one of this machine"
    )
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--list", action="store_true", help="print the names of all platforms, and compile nothing")
    parser.add_argument("--sanitize", default="", help="have clang compile with such as address,undefined")
    parser.add_argument("--clang", default="clang++")
    given = parser.parse_args()
    if given.list:
        sys.stdout.write("\n".join(TARGETS) + "\n")
        return
    target = TARGETS[given.target] if given.target else native_target()
    levels = [native_level(given.output) if level == "native" else level for level in given.level]
    known = [level for level, _ in target.levels]
    if unknown := [level for level in levels if level not in known]:
        parser.error(f"{target.name} has no level {', '.join(unknown)}. Choose of native, {', '.join(known)}.")
    build(target, given.output, levels, given.sanitize, given.clang)


if __name__ == "__main__":
    main()
