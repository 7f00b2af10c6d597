"""How a pipeline, the README's if not told otherwise, scales over GPUs: ``python tests/benchmarks/multi_gpu.py [--gpus 1 2 4] [--out FILE]``.

One process for each GPU, each with its shard and as many threads as the others. All are told to measure at the same
moment; their rates are added up.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
from pathlib import Path
from typing import Any

from machine import metadata
from peer import spread
from photos import usual
from turns import Worker


def main() -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 2, 4], help="how many GPUs (default 1 2 4)")
    parser.add_argument("--engine", choices=("studio", "nvidia"), default="studio")
    parser.add_argument("--peer", type=Path, metavar="FOLDER", help="where nvidia.dali is unpacked")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="cpu: processes on one processor")
    parser.add_argument("--photos", type=Path, help="folder of class folders (default: photos of 500×375)")
    parser.add_argument("--copies", type=Path, metavar="FOLDER", help="where each process gets photos of its own")
    parser.add_argument("--work", default="readme", help="program (default readme; see duel_programs.py)")
    parser.add_argument("--bind", action="store_true", help="each process to processors of its own, all as many")
    parser.add_argument("--threads", type=int, help="of each process (default: the cores, divided among most GPUs)")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a round (default 2)")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args()
    if options.photos is None:
        options.photos = usual()
    if options.threads is None:
        options.threads = max(len(os.sched_getaffinity(0)) // max(options.gpus), 1)
    workers = [Worker(options.engine, options.peer) for _ in range(max(options.gpus))]
    if options.bind:
        for worker, processors in zip(workers, _shares(len(workers)), strict=True):
            worker.bind(processors)
    found = {count: _measure(workers[:count], options) for count in sorted(options.gpus)}
    facts = workers[0].ask({"do": "facts"})
    for worker in workers:
        worker.stop()
    settings = {key: getattr(options, key) for key in ("engine", "device", "work", "bind", "threads", "batch", "rounds", "seconds")}
    written = {"machine": metadata(), "engine": facts, "settings": settings, "results": found}
    if options.out is not None:
        options.out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(_table(found, settings))
    return 0 if all("error" not in result for result in found.values()) else 1


def _measure(workers: list[Worker], options: argparse.Namespace) -> dict[str, Any]:
    """Images per second of all workers together."""
    folders = [options.photos] * len(workers)
    if options.copies is not None:  # processes that read the same files may wait for each other
        folders = [options.copies / str(number) for number in range(len(workers))]
        for folder in folders:
            if not folder.exists():
                shutil.copytree(options.photos, folder)
    built = _all(
        workers,
        [
            {"do": "build", "work": options.work, "folder": str(folders[number]), "batch_size": options.batch,
             "threads": options.threads, "gpu": options.device == "gpu", "device_id": number,
             "reader": {"shard_id": number, "num_shards": len(workers)}}
            for number in range(len(workers))
        ],
    )  # fmt: skip
    failed = [answer["error"] for answer in built if "error" in answer]
    totals: list[float] = []
    processes: list[list[dict[str, Any]]] = []
    for _ in range(0 if failed else options.rounds):
        answers = _all(workers, [{"do": "measure", "seconds": options.seconds}] * len(workers))
        failed = [answer["error"] for answer in answers if "error" in answer]
        if failed:
            break
        rates = [answer["images"] / answer["seconds"] for answer in answers]
        totals.append(sum(rates))
        processes.append([
            {"images_per_second": rate} | {key: answer[key] for key in ("decoded", "processors") if key in answer}
            for rate, answer in zip(rates, answers, strict=True)
        ])  # fmt: skip
    if failed:
        return {"error": failed[0]}
    _all(workers, [{"do": "close"}] * len(workers))
    return {"images_per_second": spread(totals), "rounds": totals, "processes": processes}


def _shares(count: int) -> list[set[int]]:
    """The processors of this process, divided; neighbours, which share caches or a core, stay together."""
    processors = sorted(os.sched_getaffinity(0))
    each = len(processors) // count
    return [set(processors[number * each : (number + 1) * each]) for number in range(count)]


def _all(workers: list[Worker], questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for worker, question in zip(workers, questions, strict=True):
        worker.send(question)
    return [worker.receive(180) for worker in workers]


def _table(found: dict[int, dict[str, Any]], settings: dict[str, Any]) -> str:
    lines = [
        f"{settings['work']}, {settings['engine']}, batch {settings['batch']}, {settings['threads']} threads for each GPU"
        + (", each process on processors of its own." if settings["bind"] else "."),
        "",
        "| GPUs | images/s | as a multiple of one GPU |",
        "|---|---|---|",
    ]
    one = found.get(1, {}).get("rounds")
    for count, result in found.items():
        if "error" in result:
            lines.append(f"| {count} | {result['error']} | |")
            continue
        rate = result["images_per_second"]
        ratio = f"{rate['median'] / statistics.median(one):.2f}" if one else ""
        lines.append(f"| {count} | {rate['median']:,.0f} ({rate['min']:,.0f} to {rate['max']:,.0f}) | {ratio} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
