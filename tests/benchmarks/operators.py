"""``make bench ARGS=--operators``: every operator that nvidia.dali has, alone, in turns with nvidia.dali.

Each engine is a process of its own. For each case both build a pipeline of the operator, whose inputs lie in memory and
are not copied, then measure one after the other, in alternating order: at batch 64, and at batch 1, where it counts what
an iteration costs. `docs/operator_speeds.md` and the pages of the operators show the figures.

The JSON is written after each operator; figures of those that are not measured, because the run was stopped or is one of
several parts (``--part 1/2``, ``--part 2/2``), stay as they are.
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
from operator_cases import cases, has_different_images, operators, prepared
from peer import ENGINES, spread
from programs import BATCH_SIZE, THREADS
from turns import Worker

#: Batches, threads of pipelines, rounds and their seconds, where the options say nothing.
_DEFAULTS = {"cpu": ([BATCH_SIZE, 1], THREADS, 5, 0.3), "gpu": ([256, 1], 16, 5, 0.08)}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the JSON."""
    options = _options(arguments)
    target = operators_page.results(options.device)
    workers = {engine: Worker(engine, options.peer) for engine in ENGINES}
    facts = {engine: worker.ask({"do": "facts"}) for engine, worker in workers.items()}
    out = options.out or (None if options.only else target)
    found: dict[str, list[dict[str, Any]]] = {}
    if out is not None and out.exists():
        found = json.loads(out.read_text(encoding="utf-8"))["results"]
    settings = {key: getattr(options, key) for key in ("threads", "rounds", "seconds")} | {"batches": options.batch}
    head = {"machine": metadata(), "engines": facts, "settings": settings}
    sys.stdout.write(
        "| operator | case | batch | dali_studio, ms a batch | nvidia.dali | ratio |\n|---|---|---|---|---|---|\n"
    )
    every = list(operators(options.device))
    part, parts = options.part
    for name in every[len(every) * (part - 1) // parts : len(every) * part // parts]:
        if not options.only or name in options.only:
            made = (
                _compare(name, number, batch, workers, options, ragged)
                for batch in options.batch
                for number in range(len(cases(name, options.cases, batch, options.device)))
                for ragged in ((False, True) if options.device == "gpu" and batch > 1 else (False,))
            )
            found[name] = [one for one in made if one]
            sys.stdout.writelines(_lines(name, found[name]))
            sys.stdout.flush()
            if out is not None:
                results = {one: found[one] for one in every if one in found}
                out.write_text(json.dumps({**head, "results": results}, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for worker in workers.values():
        worker.stop()
    if out == target:
        operators_page.main([])
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME", help="an operator; repeatable")
    parser.add_argument(
        "--part", type=_part, default=(1, 1), metavar="I/N", help="the I-th of N parts of the operators"
    )
    parser.add_argument(
        "--cases", type=int, default=0, help="further cases of each operator, out of its tests (default 0)"
    )
    parser.add_argument("--device", choices=tuple(_DEFAULTS), default="cpu")
    parser.add_argument(
        "--peer", type=Path, metavar="FOLDER", help="where nvidia.dali is unpacked (default: installed)"
    )
    parser.add_argument("--batch", type=int, nargs="+", help="sizes of batches (default: 64 and 1; on a GPU 256 and 1)")
    parser.add_argument("--threads", type=int, help="of pipelines (default: 2; on a GPU 16)")
    parser.add_argument("--rounds", type=int, help="blocks of each engine and case (default 5)")
    parser.add_argument("--seconds", type=float, help="length of a block (default: 0.3; on a GPU 0.08)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the JSON (default: among the results; with --only: none)"
    )
    options = parser.parse_args(arguments)
    for name, value in zip(("batch", "threads", "rounds", "seconds"), _DEFAULTS[options.device], strict=True):
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def _part(text: str) -> tuple[int, int]:
    """1/2 as two numbers."""
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is given; a part and their number are accepted, such as 1/2.")
    return int(part), int(parts)


def _compare(
    name: str, number: int, batch: int, workers: dict[str, Worker], options: argparse.Namespace, ragged: bool
) -> dict[str, Any]:
    """Milliseconds a batch of both, and how many times faster we are; or why there are none.

    It is empty where images were to be of different shapes and there are none.
    """
    if ragged and not has_different_images(
        prepared(name, number, options.cases, batch, options.device, large=True, ragged=True).case.name()
    ):
        return {}
    asked = {
        "do": "build_operator", "name": name, "number": number, "cases": options.cases, "batch": batch,
        "threads": options.threads, "device": options.device, "ragged": ragged,
    }  # fmt: skip
    for large in (True, False):  # an operator that does not take the larger data is measured with the case's own
        built = {engine: workers[engine].ask({**asked, "large": large}) for engine in ENGINES}
        if not any("error" in answer for answer in built.values()):
            break
    else:
        why = {engine: answer["error"] for engine, answer in built.items() if "error" in answer}
        return {"case": cases(name, options.cases, batch, options.device)[number].name(), "batch": batch, "error": why}
    if ragged and not has_different_images(built["studio"]["case"]):
        return {}
    result: dict[str, Any] = {"case": built["studio"]["case"], "batch": batch} | ({"ragged": True} if ragged else {})
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
