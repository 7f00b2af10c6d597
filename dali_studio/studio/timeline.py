"""Timelines: what each thread did in the newest batches of a run, for the drawer and for trace viewers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dali_studio.runtime.probe import TRACED, Probe, Recording
from dali_studio.studio.run_messages import Timeline

#: Slices up to which all traced batches are sent; of larger pipelines only the newest one.
_MAX_SLICES = 6000
_NS = 1e-6


def timeline(probe: Probe, revision: int) -> Timeline | None:
    """The newest batches of a probe; ``None`` if no step ran on the CPU.

    Parameters
    ----------
    probe : Probe
    revision : int
        Of the graph that was run.
    """
    recordings = [one for one in probe.batches[-TRACED:] if one.slices]
    if sum(len(one.slices) for one in recordings) > _MAX_SLICES:
        recordings = recordings[-1:]
    if not recordings:
        return None
    start = min(one.begin for one in recordings)
    threads, keys = _threads(recordings), _keys(recordings)
    slices = sorted(
        (keys[s.key], threads[s.thread], round((s.begin - start) * _NS, 4), round((s.end - start) * _NS, 4))
        for one in recordings for s in one.slices
    )  # fmt: skip
    on_gpu = any(one.spans for one in recordings)
    return Timeline(
        revision=revision,
        lanes=tuple(f"cpu thread {number + 1}" for number in range(len(threads))),
        keys=tuple(keys),
        slices=tuple(slices),
        steps=tuple(((one.begin - start) * _NS, (one.end - start) * _NS) for one in recordings),
        first=len(probe.batches) - len(recordings) + 1,
        note="Work on the GPU is not drawn: the table has its times." if on_gpu else "",
    )


def _threads(recordings: Sequence[Recording]) -> dict[str, int]:
    """Threads by name: the one that drives the run first, then its helpers in the order of their numbers."""
    names = {s.thread for one in recordings for s in one.slices}
    helper = "dali-studio-worker"
    ordered = sorted(names, key=lambda name: (name.startswith(helper), len(name), name))
    return {name: number for number, name in enumerate(ordered)}


def _keys(recordings: Sequence[Recording]) -> dict[str, int]:
    keys = dict.fromkeys(s.key for s in sorted((s for one in recordings for s in one.slices), key=lambda s: s.begin))
    return {key: number for number, key in enumerate(keys)}


def chrome_trace(drawn: Timeline, name: str) -> str:
    """The timeline in the format of Chrome's ``about:tracing`` and of Perfetto (JSON, times in microseconds)."""
    events: list[dict[str, object]] = [
        {"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": name}},
        {"ph": "M", "pid": 1, "tid": 0, "name": "thread_name", "args": {"name": "batches"}},
    ]
    for number, lane in enumerate(drawn.lanes):
        events.append({"ph": "M", "pid": 1, "tid": number + 1, "name": "thread_name", "args": {"name": lane}})
    for number, (begin, end) in enumerate(drawn.steps):
        events.append(_event(f"batch {drawn.first + number}", 0, begin, end))
    events += [_event(drawn.keys[key], lane + 1, begin, end) for key, lane, begin, end in drawn.slices]
    return json.dumps({"displayTimeUnit": "ms", "traceEvents": events}, separators=(",", ":"))


def _event(name: str, thread: int, begin: float, end: float) -> dict[str, object]:
    return {
        "ph": "X", "pid": 1, "tid": thread, "name": name, "ts": round(begin * 1e3, 3),
        "dur": round((end - begin) * 1e3, 3),
    }  # fmt: skip
