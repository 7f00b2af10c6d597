"""``make bench``: throughput on the CPU, as ratios to nvidia.dali where it is installed."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from machine import metadata
from measure import Comparison, compare
from photos import data_sets
from programs import BATCH_SIZE, PROGRAMS, THREADS

from dali_studio.core.optional import available

RESULTS = Path(__file__).resolve().parent / "results"


def main() -> int:
    """Measure, then write the JSON and the table."""
    if "--operators" in sys.argv:
        import operators

        return operators.main([word for word in sys.argv[1:] if word != "--operators"])
    if "--designer" in sys.argv:
        import designer

        return designer.main([word for word in sys.argv[1:] if word != "--designer"])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="blocks of each engine (default 5)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a block (default 2)")
    parser.add_argument("--only", metavar="TEXT", default="", help="programs whose name contains this")
    parser.add_argument("--data", metavar="TEXT", default="", help="data sets whose name contains this")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--operators", action="store_true", help="operators alone (--operators --help: its options)")
    parser.add_argument("--designer", action="store_true", help="the designer alone (--designer --help: its options)")
    options = parser.parse_args()
    peer = available("nvidia") and available("nvidia.dali")
    before = metadata()
    found = [
        compare(program, name, str(folder), rounds=options.rounds, seconds=options.seconds, peer=peer, progress=_say)
        for name, folder in data_sets().items()
        if options.data in name
        for program in PROGRAMS
        if options.only in program
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    settings = {"batch_size": BATCH_SIZE, "threads": THREADS, "rounds": options.rounds, "seconds": options.seconds}
    written = {"machine": before, "settings": settings, "results": [result.summary() for result in found]}
    (options.out / "cpu.json").write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    text = table(found, written)
    (options.out / "cpu.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 0


def table(found: list[Comparison], written: dict[str, Any]) -> str:
    """The results as Markdown."""
    machine, rounds = written["machine"], written["settings"]["rounds"]
    where = f"batch {BATCH_SIZE}, {THREADS} threads, {machine['processor']}, {machine['cores']} cores"
    lines = [
        "# Throughput on the CPU",
        "",
        f"Samples per second; {where}.",
        f"Medians over {rounds} rounds (`make bench`); the ratio is the median of the rounds' ratios, with its range.",
        "",
        "| program | photos | dali_studio | nvidia.dali | ratio | mean difference of pixels |",
        "|---|---|---|---|---|---|",
    ]
    for result in found:
        s = result.summary()
        theirs = f"{s['theirs']['median']:.0f}" if s["theirs"] else "not installed"
        ratio = (
            f"**{s['ratio']['median']:.2f}** ({s['ratio']['min']:.2f} to {s['ratio']['max']:.2f})" if s["ratio"] else ""
        )
        difference = "" if result.difference is None else f"{result.difference:.5f}"
        lines.append(
            f"| {result.program} | {result.data} | {s['ours']['median']:.0f} | {theirs} | {ratio} | {difference} |"
        )
    return "\n".join(lines) + "\n"


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
