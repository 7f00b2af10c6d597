"""Kernels of the CPU against those of another checkout: ``python tests/benchmarks/kernels.py --before CHECKOUT``.

Each side is a process of its own on the same processor, and they take turns of some milliseconds, so that whoever else
uses the machine bothers both. Times are those of the processor, not of the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from machine import metadata

_SCRIPT = Path(__file__).resolve()


class Side:
    """One checkout, in a process that measures what it is told to."""

    def __init__(self, checkout: Path, python: str, processor: int, level: str) -> None:
        environment = dict(os.environ) | {"PYTHONPATH": f"{checkout}{os.pathsep}{_SCRIPT.parent}"}
        if level:
            environment["DALI_STUDIO_CPU_LEVEL"] = level
        self._process = subprocess.Popen(
            [python, "-P", str(_SCRIPT), "--measure"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd=checkout,
        )  # fmt: skip
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, {processor})

    def ask(self, **question: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def main() -> int:
    """Measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="the other state of the package")
    parser.add_argument("--python", default=sys.executable, help="the interpreter for it (default: this one)")
    parser.add_argument("--level", default="", help="of processor, of this checkout's kernels (default: the highest)")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each side and kernel (default 15)")
    parser.add_argument("--milliseconds", type=float, default=10, help="length of a turn (default 10)")
    parser.add_argument("--only", action="append", metavar="TEXT", help="kernels whose name contains this; repeatable")
    parser.add_argument("--processor", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        return _serve()
    if options.before is None:
        parser.error("--before CHECKOUT is needed")
    before = Side(options.before.resolve(), options.python, options.processor, "")
    now = Side(_SCRIPT.parents[2], sys.executable, options.processor, options.level)
    names = [name for name in now.ask(do="names") if not options.only or any(text in name for text in options.only)]
    before.ask(do="names")
    found: dict[str, dict[str, float]] = {}
    sys.stdout.write(
        "| kernel | before, µs | now, µs | median ratio | ratio of the shortest |\n|---|---|---|---|---|\n"
    )
    for name in names:
        pairs: list[tuple[float, float]] = []
        calls = now.ask(do="calibrate", name=name, seconds=options.milliseconds / 1e3)
        before.ask(do="measure", name=name, calls=calls)  # whatever the first calls compile
        for number in range(options.rounds):
            order = (before, now) if number % 2 == 0 else (now, before)
            times = {side: side.ask(do="measure", name=name, calls=calls) for side in order}
            pairs.append((times[before], times[now]))
        shortest = min(a for a, _ in pairs), min(b for _, b in pairs)
        found[name] = {
            "before": shortest[0], "now": shortest[1], "median": statistics.median(a / b for a, b in pairs),
            "shortest": shortest[0] / shortest[1],
        }  # fmt: skip
        line = found[name]
        sys.stdout.write(
            f"| {name} | {1e6 * shortest[0]:.2f} | {1e6 * shortest[1]:.2f} | {line['median']:.2f} | {line['shortest']:.2f} |\n"
        )
        sys.stdout.flush()
    ratios = [line["median"] for line in found.values()]
    sys.stdout.write(f"\n{len(ratios)} kernels: median {statistics.median(ratios):.2f}, least {min(ratios):.2f}\n")
    if options.out is not None:
        written = {"machine": metadata(), "level": options.level, "rounds": options.rounds, "results": found}
        options.out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def _serve() -> int:
    """Answer until the input ends."""
    from kernel_cases import cases

    known = dict(cases())
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "names":
            answer: Any = list(known)
        elif asked["do"] == "calibrate":
            answer = max(1, int(asked["seconds"] / max(_seconds(known[asked["name"]], 3), 1e-8)))
        else:
            answer = _seconds(known[asked["name"]], asked["calls"])
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return 0


def _seconds(call: Any, calls: int) -> float:
    """The processor's time for one of several calls."""
    call()
    began = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - began) / calls


if __name__ == "__main__":
    sys.exit(main())
