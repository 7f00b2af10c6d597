"""Timelines: what each thread did in the newest batches of a run, for the drawer and for trace viewers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from dali_studio.runtime.probe import TRACED, Direction, Probe, Recording, Slice
from dali_studio.studio.protocol.run_messages import Timeline

#: Slices up to which all traced batches are sent; of larger pipelines only the newest one.
_MAX_SLICES = 6000
_NS = 1e-6
#: Lanes of a GPU: what it computes, and its copies by their direction.
_GPU: dict[Direction | None, str] = {None: "gpu", "H2D": "copies to gpu", "D2H": "copies to cpu"}


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
    for one in recordings:
        one.resolve(wait=True)
    drawn = [s for one in recordings for s in (*one.slices, *_on_gpu(one))]
    lanes, keys = _lanes(drawn), dict.fromkeys(s.key for s in sorted(drawn, key=lambda s: s.begin))
    numbers = {key: number for number, key in enumerate(keys)}
    slices = sorted(
        (numbers[s.key], lanes[s.thread][0], round((s.begin - start) * _NS, 4), round((s.end - start) * _NS, 4))
        for s in drawn
    )
    undrawn = any(span.at == 0 for one in recordings for span in one.spans)
    return Timeline(
        revision=revision,
        lanes=tuple(name for _, name in lanes.values()),
        keys=tuple(keys),
        slices=tuple(slices),
        steps=tuple(((one.begin - start) * _NS, (one.end - start) * _NS) for one in recordings),
        first=probe.left_out + len(probe.batches) - len(recordings) + 1,
        note="What the hardware decoder did is not drawn: the table has its time." if undrawn else "",
    )


def _on_gpu(recording: Recording) -> list[Slice]:
    """The work of the GPU, as steps of lanes of its own."""
    return [
        Slice(span.key, _GPU[span.direction], span.at, span.at + round(span.milliseconds * 1e6))
        for span in recording.spans if span.at
    ]  # fmt: skip


def _lanes(drawn: Sequence[Slice]) -> dict[str, tuple[int, str]]:
    """Number and name of each lane, by what it is called here.

    The thread that drives the run is first, then its helpers in the order of their numbers, and the GPU below them.
    """
    found, helper, gpu = {s.thread for s in drawn}, "dali-studio-worker", tuple(_GPU.values())
    threads = sorted(found.difference(gpu), key=lambda name: (name.startswith(helper), len(name), name))
    names = [(name, f"cpu thread {number}") for number, name in enumerate(threads, 1)]
    names += [(name, name) for name in gpu if name in found]
    return {key: (number, name) for number, (key, name) in enumerate(names)}


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
