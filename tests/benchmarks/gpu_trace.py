"""What a GPU was at while something ran: kernels and copies, as CUPTI tells PyTorch's profiler. It needs PyTorch."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
#: What the profiler calls them.
_KERNEL, _COPY = "kernel", "gpu_memcpy"
#: Kernels that are told by name, those that take longest.
_TOLD = 12


def traced(body: Callable[[], Result]) -> tuple[Result, dict[str, Any]]:
    """What `body` returns, and what the GPU did meanwhile.

    This is a dict: ``"seconds"`` from the first to the last of it; ``"busy"``, ``"kernels"`` and ``"copies"``, the
    shares of this time in which there was anything, a kernel, or a copy from or to the host; ``"kernel_seconds"``, by
    name; and ``"copied"``, bytes, seconds and bytes per second for each direction. Times of what runs side by side are
    added up. Looking takes time of the host, for each launch.
    """
    import torch

    torch.cuda.init()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        result = body()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(file))
        events = [event for event in json.loads(file.read_text())["traceEvents"] if event.get("cat") in (_KERNEL, _COPY)]
    return result, summary(events)


def summary(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The same of events of a Chrome trace, whose times are in microseconds."""
    if not events:
        return {}
    spans = {kind: [(e["ts"], e["ts"] + e["dur"]) for e in events if e["cat"] == kind] for kind in (_KERNEL, _COPY)}
    both = spans[_KERNEL] + spans[_COPY]
    seconds = max(end for _, end in both) - min(begin for begin, _ in both)
    kernels: dict[str, float] = defaultdict(float)
    copied: dict[str, dict[str, float]] = defaultdict(lambda: {"bytes": 0.0, "seconds": 0.0})
    for event in events:
        if event["cat"] == _KERNEL:
            kernels[event["name"]] += event["dur"] / 1e6
        else:
            one = copied[event["name"]]
            one["bytes"] += event["args"]["bytes"]
            one["seconds"] += event["dur"] / 1e6
    longest = sorted(kernels, key=lambda name: -kernels[name])[:_TOLD]
    return {
        "seconds": seconds / 1e6,
        "busy": _covered(both) / seconds,
        "kernels": _covered(spans[_KERNEL]) / seconds,
        "copies": _covered(spans[_COPY]) / seconds,
        "kernel_seconds": {name: kernels[name] for name in longest},
        "copied": {name: one | {"rate": one["bytes"] / max(one["seconds"], 1e-9)} for name, one in copied.items()},
    }


def _covered(spans: list[tuple[float, float]]) -> float:
    """Length of what the spans cover together."""
    covered = reached = 0.0
    for begin, end in sorted(spans):
        covered += max(end - max(begin, reached), 0.0)
        reached = max(reached, end)
    return covered
