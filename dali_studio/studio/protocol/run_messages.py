"""What runs tell: times, timelines, advice, measured trials and the history of runs."""

from __future__ import annotations

from typing import Literal

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.difference import Difference
from dali_studio.schema.model import Device


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """What sets the pace of a pipeline, the numbers that show it, and what may help.

    What is `measurable` can be tried by `TryAdvice`; the rest must be done by hand.
    """

    name: str
    lead: str
    proof: str
    offer: str
    node: str = ""
    measurable: bool = False


class MissedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a run went on without (`on_error`), and how often it came.

    `action` is "skip" or "placeholder", as the node says.
    """

    node: str
    source: str
    message: str
    action: str
    count: int


class FileRemains(msgspec.Struct, frozen=True, kw_only=True, tag="file_remains"):
    """Answer to `RequestFile`; buffer 0 is a JPEG of what can be seen, absent if that is nothing.

    `part` of the picture's height is there; the rest is missing in the file. `aspect` is its width by its height, 1 if
    nothing can be seen. `path` is empty where it is not there.
    """

    node: str
    source: str
    path: str
    words: str
    part: float
    aspect: float


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How numbers are spread: `counts` are of equal spans from `minimum` to `maximum`."""

    name: str
    unit: str
    minimum: int
    median: int
    maximum: int
    counts: tuple[int, ...]


class DataSample(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a data set: its file (bytes, and words, none if it cannot be decoded), its place in the atlas.

    `labels` are those of its objects, or the only one of the sample; by their names where the reader has them.
    """

    name: str
    labels: tuple[str, ...]
    facts: str
    size: int
    x: int
    y: int
    cell_width: int
    cell_height: int


class DataSet(msgspec.Struct, frozen=True, kw_only=True, tag="data_set"):
    """Answer to `RequestData`; buffer 0 is a JPEG atlas. `total` samples are there, `samples` were drawn of all."""

    key: str
    total: int
    samples: tuple[DataSample, ...]
    spreads: tuple[Spread, ...]


class Reproduction(msgspec.Struct, frozen=True, kw_only=True, tag="reproduction"):
    """Answer to `RequestReproduction`."""

    node: str
    source: str
    program: str


class Timeline(msgspec.Struct, frozen=True, kw_only=True, tag="timeline"):
    """What the threads did in the last batches of a run, which were made one after the other.

    `slices` are a node's place in `keys`, a thread's in `lanes`, and begin and end in milliseconds; `steps` are begin
    and end of the batches, the first of which has the number `first`.
    """

    revision: int
    lanes: tuple[str, ...]
    keys: tuple[str, ...]
    slices: tuple[tuple[int, int, float, float], ...]
    steps: tuple[tuple[float, float], ...]
    first: int
    note: str = ""


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """Samples a second, and median and 95th percentile of the time between two batches, in milliseconds."""

    samples_per_second: float = 0.0
    median: float = 0.0
    p95: float = 0.0


class Trial(msgspec.Struct, frozen=True, kw_only=True, tag="trial"):
    """Answer to `TryAdvice`: how fast the pipeline is before and after, running ahead, over as many batches each."""

    name: str
    revision: int
    batches: int
    before: Speed
    after: Speed
    stopped: bool = False
    failed: tuple[Diagnostic, ...] = ()


class KnownRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was made.

    `name` follows from what the graph computes: equal graphs have equal names. `changes` are the words of the
    difference from the run before. `held` is what a batch holds in memory, in bytes. What was `tried` was measured in
    the pipeline alone.
    """

    number: int
    name: str
    when: str
    revision: int
    batches: int
    alone: float
    pipelined: float
    held: int
    changes: tuple[str, ...] = ()
    tried: bool = False


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A state in which the document was saved."""

    name: str
    when: str


class SavedStates(msgspec.Struct, frozen=True, kw_only=True, tag="saved_states"):
    """The states in which the document was saved, the newest first; sent when one is opened or saved."""

    snapshots: tuple[Snapshot, ...]


class RunHistory(msgspec.Struct, frozen=True, kw_only=True, tag="run_history"):
    """All runs of this designer, the newest first; sent after each."""

    runs: tuple[KnownRun, ...]


class GraphDifference(msgspec.Struct, frozen=True, kw_only=True, tag="graph_difference"):
    """Answer to `RequestDifference`."""

    before: str
    after: str
    difference: Difference
    lines: tuple[str, ...]


class CopyTiming(msgspec.Struct, frozen=True, kw_only=True):
    """What a node copied between host and GPU: bytes and milliseconds per batch."""

    direction: Literal["H2D", "D2H"]
    size: int
    milliseconds: float


class LargeSample(msgspec.Struct, frozen=True, kw_only=True):
    """The largest sample of a result of a node: bytes, and where it was in the run, from 0; `source`: its file."""

    size: int
    batch: int
    sample: int
    source: str


class NodeTiming(msgspec.Struct, frozen=True, kw_only=True):
    """What one node cost per batch: milliseconds in all (`cpu` + `gpu` + copies), its share of the whole, and bytes.

    `device` is where it ran, `cpu` is summed over threads, `gpu` is without copies. `host` and `gpu_memory` are results
    that the batch holds; `passing` are results that are read sample by sample and never exist together. `outputs` are
    bytes of each result, wherever it is.
    """

    key: str
    device: Device
    milliseconds: float
    p95: float
    share: float
    cpu: float = 0.0
    gpu: float = 0.0
    copies: tuple[CopyTiming, ...] = ()
    host: int = 0
    gpu_memory: int = 0
    passing: int = 0
    group: tuple[str, ...] = ()
    outputs: tuple[int, ...] = ()
    largest: LargeSample | None = None


class DeviceTime(msgspec.Struct, frozen=True, kw_only=True):
    """A time that was measured for a node on a device, with the data and the settings that the graph has now."""

    key: str
    device: Device
    milliseconds: float
    cpu: float
    gpu: float


class RunProgress(msgspec.Struct, frozen=True, kw_only=True, tag="run_progress"):
    """Sent while a run goes on: batches of it, which are made twice, and how long the others will take.

    Nodes `keys` are through with the next batch, or at it; some has made `samples` of it.
    """

    done: int
    total: int
    seconds_left: float
    keys: tuple[str, ...] = ()
    samples: int = 0


class DeviceTimes(msgspec.Struct, frozen=True, kw_only=True, tag="device_times"):
    """What is known from runs about the nodes of the graph, by device; sent when a run or an edit has changed it."""

    times: tuple[DeviceTime, ...]


class MemoryFreed(msgspec.Struct, frozen=True, kw_only=True, tag="memory_freed"):
    """Bytes that `FreeMemory` has given back."""

    host: int
    gpu: int


class RunFinished(msgspec.Struct, frozen=True, kw_only=True, tag="run_finished"):
    """The measured run. `stopped`: by the user; `failed`: why it could not go on; `revision`: of the measured graph.

    `samples_per_second` and `milliseconds_per_batch` are of batches made one after the other, while every node is
    measured; `pipelined` is of batches that are made ahead, as in training (without numbers if that was not measured).
    `note` says where it ran if that is not where the nodes say, and why, and which files it did without (`on_error`).
    `failed_in`: the batch in which it could not go on, from 0; -1 if that is not known. `left_out`: batches that were
    made before the measured ones, to warm up.
    """

    revision: int
    batches: int
    samples_per_second: float
    milliseconds_per_batch: float
    timings: tuple[NodeTiming, ...]
    stopped: bool = False
    failed: tuple[Diagnostic, ...] = ()
    failed_in: int = -1
    note: str = ""
    pipelined: Speed = Speed()
    left_out: int = 0
    advice: tuple[Advice, ...] = ()
    until: str = ""
    when: str = ""
    #: until: the node up to which was run; empty: all. when: at which time of day
    missed: tuple[MissedFile, ...] = ()
