"""``make bench ARGS=--operators``: every operator that nvidia.dali has on the CPU, alone, in turns with nvidia.dali.

Each engine is a process of its own. For each case both build a pipeline of the operator, whose inputs lie in memory and
are not copied, then measure one after the other, in alternating order: at batch 64, and at batch 1, where it counts what
an iteration costs. `docs/operator_speeds.md` and the pages of the operators show the figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import operators_page
from machine import metadata
from operator_cases import cases, operators
from peer import ENGINES, spread
from programs import BATCH_SIZE, THREADS
from turns import Worker

TARGET = operators_page.RESULTS


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    options = _options(arguments)
    workers = {engine: Worker(engine) for engine in ENGINES}
    facts = {engine: worker.ask({"do": "facts"}) for engine, worker in workers.items()}
    before, found = metadata(), dict[str, list[dict[str, Any]]]()
    sys.stdout.write("| operator | case | batch | dali_studio, ms a batch | nvidia.dali | ratio |\n|---|---|---|---|---|---|\n")
    for name in operators():
        if not options.only or name in options.only:
            found[name] = [
                _compare(name, number, batch, workers, options)
                for batch in options.batch
                for number in range(len(cases(name, options.cases, batch)))
            ]
            sys.stdout.writelines(_lines(name, found[name]))
            sys.stdout.flush()
    for worker in workers.values():
        worker.stop()
    settings = {"batches": options.batch, "threads": THREADS, "rounds": options.rounds, "seconds": options.seconds}
    written = {"machine": before, "engines": facts, "settings": settings, "results": found}
    if out := options.out or (None if options.only else TARGET):
        out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if out == TARGET:
            operators_page.main([])
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME", help="an operator; repeatable")
    parser.add_argument(
        "--cases", type=int, default=0, help="further cases of each operator, out of its tests (default 0)"
    )
    parser.add_argument(
        "--batch", type=int, nargs="+", default=[BATCH_SIZE, 1], help=f"sizes of batches (default: {BATCH_SIZE} and 1)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="blocks of each engine and case (default 5)")
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a block (default 0.3)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"the JSON (default: {TARGET.name}; with --only: none)"
    )
    return parser.parse_args(arguments)


def _compare(
    name: str, number: int, batch: int, workers: dict[str, Worker], options: argparse.Namespace
) -> dict[str, Any]:
    """Milliseconds a batch of both, and how many times faster we are; or why there are none."""
    asked = {
        "do": "build_operator", "name": name, "number": number, "cases": options.cases, "batch": batch,
        "threads": THREADS,
    }  # fmt: skip
    for large in (True, False):  # an operator that does not take the larger data is measured with the case's own
        built = {engine: workers[engine].ask({**asked, "large": large}) for engine in ENGINES}
        if not any("error" in answer for answer in built.values()):
            break
    else:
        why = {engine: answer["error"] for engine, answer in built.items() if "error" in answer}
        return {"case": cases(name, options.cases, batch)[number].name(), "batch": batch, "error": why}
    result: dict[str, Any] = {"case": built["studio"]["case"], "batch": batch}
    rounds: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    for turn in range(options.rounds):
        for engine in ENGINES if turn % 2 == 0 else ENGINES[::-1]:
            answer = workers[engine].ask({"do": "measure", "seconds": options.seconds}, options.seconds + 60)
            if "error" in answer:
                return {**result, "error": {engine: answer["error"]}}
            rounds[engine].append(1e3 * answer["seconds"] / answer["batches"])
    ratios = [theirs / ours for ours, theirs in zip(*rounds.values(), strict=True)]
    return {**result, **{engine: spread(values) for engine, values in rounds.items()}, "ratio": spread(ratios)}


def _lines(name: str, found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        begin = f"| {name} | {one['case']} | {one['batch']} |"
        if "error" in one:
            yield f"{begin} {'; '.join(f'{who}: {why}' for who, why in one['error'].items())} | | |\n"
        else:
            ours, theirs = (f"{one[engine]['median']:.3f}" for engine in ENGINES)
            ratio = one["ratio"]
            shown = f"**{ratio['median']:.2f}** ({ratio['min']:.2f} to {ratio['max']:.2f})"
            yield f"{begin} {ours} | {theirs} | {shown} |\n"


if __name__ == "__main__":
    sys.exit(main())
