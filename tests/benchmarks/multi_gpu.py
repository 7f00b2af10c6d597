"""How a pipeline, the README's if not told otherwise, scales over GPUs: ``python tests/benchmarks/multi_gpu.py [--peer FOLDER] [--out FILE]``.

One process for each GPU and engine, bound to its share of the processors, with a shard of its own, which has the same
photos as the others. In turns one, two and four of them measure at the same moment; their rates are added up. All are
there all the time, so that a slow minute of the machine is one for all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from machine import metadata
from peer import spread
from photos import photo_set
from turns import Worker

#: Seconds that an answer may take.
_PATIENCE = 180
_ENGINES = ("studio", "nvidia")


def main() -> int:
    """Measure, print the tables, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, nargs="+", default=[1, 2, 4], help="how many GPUs (default 1 2 4)")
    parser.add_argument("--engines", choices=_ENGINES, nargs="+", default=list(_ENGINES), help="default: both, in turns")
    parser.add_argument("--peer", type=Path, metavar="FOLDER", help="where nvidia.dali is unpacked")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="cpu: processes on one processor")
    parser.add_argument("--photos", nargs="+", default=["500×375", "mixed sizes, 4:2:0"], help="sets of photos.py, or folders")
    parser.add_argument("--work", default="readme", help="program (default readme; see duel_programs.py)")
    parser.add_argument("--threads", type=int, nargs="+", default=[4, 16], help="of each process (default 4 16)")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn (default 1)")
    parser.add_argument("--profile", action="store_true", help="what the GPUs did, of one process and of all; needs PyTorch")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args()
    named = ("device", "work", "batch", "rounds", "seconds")
    settings = {name: getattr(options, name) for name in named}
    written: dict[str, Any] = {"machine": metadata(), "settings": settings, "results": {}}
    failed = False
    for photos in options.photos:
        source = Path(photos) if Path(photos).is_dir() else photo_set(photos)
        folder = equal_shards(source, max(options.gpus))
        for threads in options.threads:
            found = _measure(folder, threads, options)
            failed |= any("error" in one for one in found.values())
            written["results"][f"{photos}, {threads} threads"] = found
            sys.stdout.write(_table(f"{photos}, {threads} threads", found, max(options.gpus)))
            sys.stdout.flush()
            if options.out is not None:
                options.out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if failed else 0


def equal_shards(source: Path, count: int) -> Path:
    """A folder of so many folders, each with a copy of all photos of a set."""
    target = Path(tempfile.gettempdir()) / f"{source.name}-{count}-shards"
    for number in range(count):
        shard = target / f"{number:02}"
        if not shard.exists():
            shard.mkdir(parents=True)
            for index, file in enumerate(sorted(path for path in source.rglob("*") if path.is_file())):
                shutil.copy(file, shard / f"{index:05}{file.suffix}")
    return target


def _measure(folder: Path, threads: int, options: argparse.Namespace) -> dict[str, Any]:
    """Images per second of each engine, by the number of processes that were at work."""
    most = max(options.gpus)
    workers = {engine: [Worker(engine, options.peer) for _ in range(most)] for engine in options.engines}
    found: dict[str, Any] = {}
    for engine, ours in workers.items():
        for worker, processors in zip(ours, _shares(most), strict=True):
            worker.bind(processors)
        built = _all(ours, [
            {"do": "build", "work": options.work, "folder": str(folder), "batch_size": options.batch, "threads": threads,
             "gpu": options.device == "gpu", "device_id": number, "reader": {"shard_id": number, "num_shards": most}}
            for number in range(most)
        ])  # fmt: skip
        failed = [answer["error"] for answer in built if "error" in answer]
        facts = ours[0].ask({"do": "facts"})
        found[engine] = {"error": failed[0]} if failed else {"facts": facts, "turns": {count: [] for count in options.gpus}}
    sound = [engine for engine in workers if "error" not in found[engine]]
    for _ in range(options.rounds):
        for engine in sound:
            for count in options.gpus:
                answers = _all(workers[engine][:count], [{"do": "measure", "seconds": options.seconds}] * count)
                found[engine]["turns"][count].append([_kept(answer) for answer in answers])
    if options.profile and "studio" in sound:
        ours = workers["studio"]
        found["studio"]["profile"] = {
            count: _all(ours[:count], [{"do": "profile", "seconds": options.seconds}] * count)
            for count in (min(options.gpus), most)
        }
    for ours in workers.values():
        for worker in ours:
            worker.stop()
    for engine in sound:
        rates = {
            count: [sum(answer["images_per_second"] for answer in turn) for turn in turns]
            for count, turns in found[engine]["turns"].items()
        }
        found[engine]["images_per_second"] = {count: spread(of_count) for count, of_count in rates.items()}
        one = rates[min(rates)]
        found[engine]["multiples"] = {
            count: spread([rate / alone for rate, alone in zip(of_count, one, strict=True)])
            for count, of_count in rates.items()
        }
    return found


def _kept(answer: dict[str, Any]) -> dict[str, Any]:
    """What is kept of an answer: the rate, who decoded, and microseconds of processors for a picture, by thread."""
    if "error" in answer:
        raise RuntimeError(answer["error"])
    rate = answer["images"] / answer["seconds"]
    watched = answer.get("processors", {})
    spent = {name: kind["runs"] / rate * 1e6 for name, kind in watched.items() if "runs" in kind}
    return {
        "images_per_second": rate, "decoded": answer.get("decoded", {}), "machine": watched.get("machine", {}),
        "interrupts": watched.get("interrupts", {}), "microseconds": {name: us for name, us in spent.items() if us >= 0.1},
    }  # fmt: skip


def _shares(count: int) -> list[set[int]]:
    """The processors of this process, divided; neighbours, which share caches or a core, stay together."""
    processors = sorted(os.sched_getaffinity(0))
    each = max(len(processors) // count, 1)
    return [set(processors[number * each % len(processors) :][:each]) for number in range(count)]


def _all(workers: Sequence[Worker], questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    for worker, question in zip(workers, questions, strict=True):
        worker.send(question)
    return [worker.receive(_PATIENCE) for worker in workers]


def _table(title: str, found: dict[str, Any], most: int) -> str:
    lines = [f"{title} for each process, each on processors of its own", "", "| engine | GPUs | images/s | as a multiple of one |", "|---|---|---|---|"]  # fmt: skip
    for engine, result in found.items():
        if "error" in result:
            lines.append(f"| {engine} | | {result['error']} | |")
            continue
        for count, rate in result["images_per_second"].items():
            times = result["multiples"][count]
            lines.append(
                f"| {engine} | {count} | {rate['median']:,.0f} ({rate['min']:,.0f} to {rate['max']:,.0f})"
                f" | {times['median']:.2f} ({times['min']:.2f} to {times['max']:.2f}) |"
            )
        turns = result["turns"][most]
        spent = statistics.median(sum(one["microseconds"].values()) for turn in turns for one in turn)
        each = [statistics.median(turn[number]["images_per_second"] for turn in turns) for number in range(most)]
        lines.append(f"| | each of {most} | {' '.join(f'{rate:,.0f}' for rate in each)} | {spent:.0f} µs of processors a picture |")
    return "\n".join(lines) + "\n\n"


if __name__ == "__main__":
    sys.exit(main())
