"""What runs tell beside their times: timelines, advice, measured trials and the history of runs."""

from __future__ import annotations

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.difference import Difference


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

    `part` of the picture's height is there; the rest is missing in the file.
    """

    node: str
    source: str
    words: str
    part: float


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How numbers are spread: `counts` are of equal spans from `minimum` to `maximum`."""

    minimum: int
    median: int
    maximum: int
    counts: tuple[int, ...]


class DataSample(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of a data set: its file (bytes, and width and height, 0 if unknown) and its place in the atlas."""

    name: str
    label: str
    width: int
    height: int
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
    widths: Spread
    heights: Spread
    bytes: Spread


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

    `name` follows from what the graph computes: equal graphs have equal names. `changes` are the lines of the
    difference from the run before. `held` is what a batch holds in memory, in bytes.
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
