"""What a training step takes while a pipeline feeds it: ``python tests/benchmarks/beside.py [--engine nvidia] [--out FILE]``.

A step is six products of 8192×8192 matrices of bfloat16, 9.5 ms on one H200, for each batch of 256 pictures: 27,000
pictures per second. It needs PyTorch. The step alone and the step beside the pipeline are measured in turns, in three
ways of training:

waits
    on the default stream; the program waits for the GPU at the end of each step, as one that reads its loss does.
queued
    on the default stream; two steps are under way, as where the loss is read now and then.
apart
    on a stream of its own, queued.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from machine import metadata
from photos import photo_set, usual
from worker import Measured

#: Rows of a matrix, and products of a step.
_SIZE, _PRODUCTS = 8192, 6
#: Steps that are under way where they are queued.
_UNDER_WAY = 2
WAYS = ("waits", "queued", "apart")


class Training:
    """Steps of a training, each of which takes a batch."""

    def __init__(self, priority: int) -> None:
        import torch

        self._torch = torch
        self._weights = [torch.randn(_SIZE, _SIZE, device="cuda").to(torch.bfloat16) for _ in range(2)]
        self._made = torch.empty_like(self._weights[0])
        self._stream = torch.cuda.Stream(priority=priority)

    def steps(self, way: str, seconds: float, batch: Callable[[], Any] | None) -> dict[str, float]:
        """Milliseconds of a step, those of its products on the GPU, and those that `batch` took."""
        torch = self._torch
        under_way: deque[tuple[Any, Any, Any]] = deque()
        products, asked, count = list[float](), 0.0, 0
        depth = 1 if way == "waits" else _UNDER_WAY
        with torch.cuda.stream(self._stream) if way == "apart" else nullcontext():
            torch.cuda.synchronize()
            began = time.perf_counter()
            while time.perf_counter() - began < seconds:
                before = time.perf_counter()
                images = batch() if batch is not None else None
                asked += time.perf_counter() - before
                first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                first.record()
                for _ in range(_PRODUCTS):
                    torch.matmul(*self._weights, out=self._made)
                last.record()
                count += 1
                under_way.append((first, last, images))
                if len(under_way) >= depth:
                    first, last, _ = under_way.popleft()
                    last.synchronize()
                    products.append(first.elapsed_time(last))
            torch.cuda.synchronize()
            taken = time.perf_counter() - began
        return {
            "step": taken / count * 1e3, "products": statistics.median(products), "batch": asked / count * 1e3
        }  # fmt: skip


def main() -> int:
    """Measure, print the table, write the JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("studio", "nvidia"), default="studio")
    parser.add_argument("--work", default="readme", help="program (default readme; see duel_programs.py)")
    parser.add_argument("--photos", help="a set of photos.py (default: photos of 500×375)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--priority", type=int, default=0, help="of the training's own stream (default 0, the lowest)")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a turn (default 0.5)")
    parser.add_argument("--trace", type=Path, help="where to write what PyTorch's profiler saw of five steps, by way")
    parser.add_argument("--out", type=Path, help="where to write the figures as JSON")
    options = parser.parse_args()
    folder = usual() if options.photos is None else photo_set(options.photos)
    measured = Measured(options.engine)
    training = Training(options.priority)
    found = {way: {"alone": list[Any](), "beside": list[Any]()} for way in options.ways}
    measured.build(options.work, str(folder), options.batch, options.threads, True)
    for way in options.ways * (options.rounds + 1):
        for name, batch in (("alone", None), ("beside", measured.run)):
            found[way][name].append(training.steps(way, options.seconds, batch))
    for way in options.ways:
        if options.trace is not None:
            _trace(training, way, measured.run, options.trace.with_name(f"{options.trace.stem}-{way}.json.gz"))
        for turns in found[way].values():
            del turns[0]  # what was enlarged, opened, loaded
    measured.close()
    if options.out is not None:
        named = ("engine", "work", "photos", "priority", "batch", "threads", "rounds", "seconds")
        settings = {"size": _SIZE, "products": _PRODUCTS, **{name: getattr(options, name) for name in named}}
        written = {"machine": metadata(), "engine": measured.facts(), "settings": settings, "results": found}
        options.out.write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(_table(found))
    return 0


def _trace(training: Training, way: str, batch: Callable[[], Any], file: Path) -> None:
    from torch.profiler import ProfilerActivity, profile

    training.steps(way, 0.1, batch)
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        training.steps(way, 0.05, batch)
    seen.export_chrome_trace(str(file))


def _table(found: dict[str, dict[str, list[dict[str, float]]]]) -> str:
    lines = [f"{'':8} {'alone':>8} {'beside':>8} {'ratio':>6} {'products':>9} {'batch':>6}  ms; each turn beside"]
    for way, turns in found.items():
        middle = {
            (name, what): statistics.median(turn[what] for turn in turns[name])
            for name in turns for what in ("step", "products", "batch")
        }  # fmt: skip
        alone, beside = middle["alone", "step"], middle["beside", "step"]
        each = " ".join(f"{turn['step']:.2f}" for turn in turns["beside"])
        lines.append(
            f"{way:8} {alone:8.2f} {beside:8.2f} {beside / alone:6.3f} {middle['beside', 'products']:9.2f}"
            f" {middle['beside', 'batch']:6.2f}  {each}"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
