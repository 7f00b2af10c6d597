"""The engine against nvidia.dali, in turns: ``python tests/benchmarks/peer.py [--peer FOLDER] [--device cpu]``.

``--all-rows`` measures decoding, the training pipeline and validation on files of all kinds and sizes, in place of all
programs on one set; on a GPU in batches of 1 to 256, and with external sources that copy.

Each engine is a process of its own; for each program both build their pipeline, then measure one after the other, in
alternating order, round after round. The ratio of a round compares neighbours in time. Both are driven in the same way:
``Pipeline.run``, results on the device, computed ahead, and the clock stops when the last result is there.

Who else uses the machine changes the rate, but hardly the time of the processors, whose ratio is given too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from archives import KINDS, archive
from duel_programs import EMPTY, ROWS, WORKS, Row
from machine import metadata
from photos import photo_set, usual
from turns import Worker

ENGINES = ("studio", "nvidia")


def main() -> int:
    """Measure, print the table, write the JSON."""
    options = _options()
    began = time.perf_counter()
    workers = {engine: Worker(engine, options.peer) for engine in ENGINES}
    facts = {engine: worker.ask({"do": "facts"}) for engine, worker in workers.items()}
    settings = {key: getattr(options, key) for key in ("device", "threads", "rounds", "seconds", "warm_up")}
    if not options.all_rows:
        settings |= {"batch": options.batch, "photos": sum(1 for _ in options.photos.rglob("*.jpg"))}
    found: dict[str, dict[str, Any]] = {}
    written = {"machine": metadata(), "engines": facts, "settings": settings, "results": found}
    for name, row in _rows(options).items():
        if time.perf_counter() - began > options.budget:
            found[name] = {"error": f"left out: the budget of {options.budget:.0f} s was used up"}
        else:
            found[name] = _compare(row, workers, options)
        _without_empty(found)
        if options.out is not None:  # each time: what was measured is there if the rest is not
            text = json.dumps(written, indent=1, ensure_ascii=False)
            options.out.write_text(text + "\n", encoding="utf-8")
        sys.stderr.write(f"{time.perf_counter() - began:6.1f} s  {name}: {_ratio(found[name].get('summary', {}).get('ratio'))}\n")
    for worker in workers.values():
        worker.stop()
    sys.stdout.write(table(found, settings))
    return 0


def _rows(options: argparse.Namespace) -> dict[str, Row]:
    """What is measured, by its name."""
    rows = ROWS[options.device] if options.all_rows else ()
    found = {row.name: row for row in rows} or {name: Row(name) for name, work in WORKS.items() if not work.own}
    wanted = options.only or [""]
    return {name: row for name, row in found.items() if any(text in name for text in wanted)}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--peer", type=Path, metavar="FOLDER", help="where nvidia.dali is unpacked (default: installed)"
    )
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu")
    parser.add_argument(
        "--all-rows", action="store_true", help="all kinds of files, sizes and batches: --photos and --batch do not count"
    )
    parser.add_argument("--photos", type=Path, help="folder of class folders (default: photos of 500×375)")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5, help="blocks of each engine and program (default 5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a block (default 0.5)")
    parser.add_argument(
        "--warm-up", type=float, default=1.5, help="seconds for which a program runs before (default 1.5)"
    )
    parser.add_argument(
        "--budget", type=float, default=200, help="seconds after which no program is begun (default 200)"
    )
    parser.add_argument("--only", action="append", metavar="TEXT", help="programs whose name contains this; repeatable")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args()
    if options.photos is None:
        options.photos = usual()
    return options


def _compare(row: Row, workers: dict[str, Worker], options: argparse.Namespace) -> dict[str, Any]:
    work = WORKS[row.work]
    if options.device == "cpu" and (work.theirs or work.ours):
        return {"error": "concerns decoding on a GPU"}
    result: dict[str, Any] = {"per_batch": work.per_batch, "studio": [], "nvidia": [], "busy": {}}
    batch, folder = options.batch, options.photos
    if options.all_rows:
        batch, folder = row.batch, files_of(row.photos)
    for worker in workers.values():  # both at once: no clock runs yet
        worker.send(
            {"do": "build", "work": row.work, "folder": str(folder), "batch_size": batch, "threads": options.threads,
             "gpu": options.device == "gpu", "warm_up": options.warm_up}
        )  # fmt: skip
    for engine, worker in workers.items():
        built = worker.receive(120)
        if "error" in built:
            result[f"{engine}_error"] = built["error"]
    able = [engine for engine in workers if f"{engine}_error" not in result]
    for number in range(options.rounds):
        for engine in able if number % 2 == 0 else able[::-1]:
            answer = workers[engine].ask({"do": "measure", "seconds": options.seconds}, options.seconds + 60)
            if "error" in answer:
                result[f"{engine}_error"] = answer["error"]
                able = [other for other in able if other != engine]
                break
            per_batch = 1e3 * answer["seconds"] / answer["batches"]
            result[engine].append(per_batch if work.per_batch else answer["images"] / answer["seconds"])
            result["busy"].setdefault(engine, []).append(1e3 * answer["busy"] / answer["images"])
    for engine in able:
        workers[engine].ask({"do": "close"})
    return result | _summary(result["studio"], result["nvidia"], result["busy"], per_batch=work.per_batch)


def files_of(name: str) -> Path | str:
    """The folder of a row's files, of which there are none without a name."""
    return archive(name) if name in KINDS else photo_set(name) if name else ""


def _summary(
    ours: list[float], theirs: list[float], busy: dict[str, list[float]], *, per_batch: bool
) -> dict[str, Any]:
    """Medians, ranges, and how many times faster we are: above 1 is in our favour in both units."""
    pairs = list(zip(ours, theirs, strict=False))
    ratios = [b / a if per_batch else a / b for a, b in pairs]
    saved = [b / a for a, b in zip(busy.get("studio", []), busy.get("nvidia", []), strict=False)]
    values = {"studio": ours, "nvidia": theirs, "ratio": ratios, "processor_ratio": saved}
    return {"summary": {key: spread(one) for key, one in values.items()}}


def spread(values: list[float]) -> dict[str, float] | None:
    """Median and range."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)} if values else None


def _without_empty(found: dict[str, dict[str, Any]]) -> None:
    """Ratios of operators without what a pipeline costs that only hands out the batch."""
    empty = found.get(EMPTY, {}).get("summary", {})
    for name, result in found.items():
        parts = result.get("summary", {})
        if not result.get("per_batch") or name == EMPTY or not parts["ratio"] or not empty or not all(empty.values()):
            continue
        ours, theirs = (parts[engine]["median"] - empty[engine]["median"] for engine in ENGINES)
        parts["ratio_without_empty"] = theirs / ours if ours > 0 and theirs > 0 else None


def table(found: dict[str, dict[str, Any]], settings: dict[str, Any]) -> str:
    """The results as Markdown."""
    batch = f", batch {settings['batch']}" if "batch" in settings else ""
    where = f"{settings['device'].upper()}{batch}, {settings['threads']} threads"
    lines = [
        f"{where}: medians over {settings['rounds']} alternating rounds of {settings['seconds']} s, with their ranges;",
        "a ratio above 1 means that dali_studio is faster. `processors` compares the time of all threads on them. The last",
        "column leaves out the time of an empty pipeline.",
        "",
        "| program | unit | nvidia.dali | dali_studio | ratio | processors | without empty |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, result in found.items():
        if "error" in result:
            lines.append(f"| {name} | {result['error']} | | | | | |")
            continue
        parts = result["summary"]
        cells = [
            _cell(parts[engine], result["per_batch"], result.get(f"{engine}_error", ""))
            for engine in ("nvidia", "studio")
        ]
        net = parts.get("ratio_without_empty")
        shown, busy = (_ratio(parts[kind]) for kind in ("ratio", "processor_ratio"))
        unit = "ms a batch" if result["per_batch"] else "images/s"
        lines.append(
            f"| {name} | {unit} | {cells[0]} | {cells[1]} | {shown} | {busy} | {f'{net:.2f}' if net else ''} |"
        )
    return "\n".join(lines) + "\n"


def _ratio(values: dict[str, float] | None) -> str:
    return f"**{values['median']:.2f}** ({values['min']:.2f} to {values['max']:.2f})" if values else ""


def _cell(values: dict[str, float] | None, per_batch: bool, error: str) -> str:
    if error or values is None:
        return error or "not measured"
    form = "{:.3f}" if per_batch else "{:,.0f}"
    return f"{form.format(values['median'])} ({form.format(values['min'])} to {form.format(values['max'])})"


if __name__ == "__main__":
    sys.exit(main())
