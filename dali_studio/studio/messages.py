"""What the kernel tells the browser; `requests` has the other direction. TypeScript is generated from both.

Python is the only truth: the browser sends `ApplyEdits` and receives `RevisionChanged`. Images travel as binary
buffers beside a `Previews` message, never inside JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.meta import Kind
from dali_studio.graph.edits import PortRef
from dali_studio.graph.placement import Repair
from dali_studio.schema.model import Catalog, Device, Value
from dali_studio.studio.bodies import PreviewBody
from dali_studio.studio.run_messages import (
    Advice,
    DataSet,
    FileRemains,
    GraphDifference,
    MissedFile,
    Reproduction,
    RunHistory,
    SavedStates,
    Speed,
    Timeline,
    Trial,
)

# ---------------------------------------------------------------------------------------------------- the graph's image


class NodeCode(msgspec.Struct, frozen=True, kw_only=True):
    """The function of a code node: a module's text, and the module's name; `trusted`: it runs."""

    source: str = ""
    module: str = ""
    trusted: bool = True


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """A node as the canvas draws it.

    `inputs[i]` is the source of input i (``None``: not wired); `argument_inputs` maps argument name to its source;
    `arguments` holds the values that were set, by name, in JSON form.
    """

    key: str
    operator: str
    device: Device
    arguments: dict[str, Value]
    inputs: tuple[PortRef | None, ...]
    argument_inputs: dict[str, PortRef]
    output_kinds: tuple[Kind, ...]
    facts: tuple[str, ...]
    #: facts: per output what is known by inference, e.g. "H×W×C u8"
    in_run: bool = True
    #: in_run: some output of the pipeline depends on it
    unknown: bool = False
    bypassed: bool = False
    code: NodeCode | None = None
    #: code: of nodes whose function is written here
    output_ranks: tuple[int | None, ...] = ()
    #: output_ranks: how many axes each output has, where that is known
    pin: Literal["", "here", "behind"] = ""
    #: pin: its outputs are pinned; or it matters for pinned outputs alone, and previews leave it out


class GraphView(msgspec.Struct, frozen=True, kw_only=True):
    """The whole graph."""

    name: str
    nodes: tuple[NodeView, ...]
    outputs: tuple[PortRef, ...]


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Upper left corner of a card, in canvas pixels."""

    x: float
    y: float


class Note(msgspec.Struct, frozen=True, kw_only=True, tag="note"):
    """A note on the canvas; it means nothing to the pipeline."""

    x: float
    y: float
    width: float
    height: float
    text: str
    hue: str = "olive"


class Group(msgspec.Struct, frozen=True, kw_only=True, tag="group"):
    """A frame around nodes, which move with it. A subgraph can be one box, and is a function of programs."""

    keys: tuple[str, ...]
    title: str
    hue: str = "slate"
    subgraph: bool = False
    collapsed: bool = False
    exposed: tuple[tuple[str, str], ...] = ()
    #: exposed: arguments, by node and name, that the box shows and the function takes


class Route(msgspec.Struct, frozen=True, kw_only=True, tag="route"):
    """Junctions of a wire: points through which it is drawn. They mean nothing to the pipeline."""

    source: PortRef
    wire: str
    points: tuple[Position, ...]
    #: wire: the browser's name of where it ends, such as ``rotate|in|0``


Mark = Note | Group | Route

# -------------------------------------------------------------------------------------------------- kernel to browser


class DialectInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A language of the code pane."""

    name: str
    title: str


class RecipeInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A gallery example."""

    name: str
    title: str
    operators: int


class PipelineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options shown when nothing is selected."""

    batch_size: int
    num_threads: int
    seed: int | None
    device_id: int | None
    prefetch_queue_depth: int


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened"):
    """The answer to `Ready`, and sent again whenever another document is opened."""

    catalog: Catalog
    dialects: tuple[DialectInfo, ...]
    recipes: tuple[RecipeInfo, ...]
    version: str
    gpu: str
    #: gpu: empty, or why there is none, in one sentence
    preview_width: int


class RevisionChanged(msgspec.Struct, frozen=True, kw_only=True, tag="revision_changed"):
    """The graph as it is now. Sent after every edit, undo, redo or opening, also when an edit was refused."""

    revision: int
    graph: GraphView
    options: PipelineOptions
    positions: dict[str, Position]
    marks: dict[str, Mark]
    diagnostics: tuple[Diagnostic, ...]
    repairs: tuple[Repair, ...]
    can_undo: bool
    can_redo: bool
    document: str
    #: document: file name, or empty if never saved
    saved: bool
    waiting: str = ""
    #: waiting: when edits were made that an earlier kernel has left and `RestoreEdits` brings back; empty: none
    target: float = 0.0
    #: target: samples a second that the model takes; 0: nobody has said it
    measured: int = -1
    #: measured: the revision of the newest run, if it was one of this very graph; -1: it was not


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """An edit or a request could not be done; nothing changed."""

    diagnostics: tuple[Diagnostic, ...]


class PreviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One node's output for the chosen sample.

    `atlas_x .. atlas_height` locate its picture in the atlas (buffer 0), all 0 if there is none. `facts` is the shape
    line, e.g. "256×385×3 u8".
    """

    key: str
    output: int
    facts: str
    body: PreviewBody
    atlas_x: int = 0
    atlas_y: int = 0
    atlas_width: int = 0
    atlas_height: int = 0
    note: str = ""


class Previews(msgspec.Struct, frozen=True, kw_only=True, tag="previews"):
    """Outputs of some nodes (the changed ones); buffer 0 is a JPEG atlas, absent if `items` has no pictures."""

    revision: int
    sample: int
    iteration: int
    batch_size: int
    items: tuple[PreviewItem, ...]
    failed: tuple[Diagnostic, ...] = ()
    milliseconds: float = 0.0


class SampleStrip(msgspec.Struct, frozen=True, kw_only=True, tag="sample_strip"):
    """Thumbnails of every sample of the batch: buffer 0 is one JPEG, `count` cells of `cell` x `cell` px in one row."""

    iteration: int
    count: int
    cell: int
    names: tuple[str, ...]
    #: names: file names, or empty strings


class ImageDetail(msgspec.Struct, frozen=True, kw_only=True, tag="image_detail"):
    """Answer to `RequestDetail`. Buffers in order: output picture if `has_output`, input picture if `has_input`."""

    key: str
    output: int
    has_output: bool
    has_input: bool
    facts: str
    layout: str
    minimum: float
    maximum: float
    mean: float
    histogram: tuple[tuple[int, ...], ...]
    #: histogram: per channel (at most 4), 32 bins between minimum and maximum
    before: tuple[tuple[int, ...], ...] = ()
    #: before: the same of the input, between the same limits, if it is of the same type
    planes: int = 0
    plane: int = 0
    #: planes: how many frames or slices there are (0: it is no sequence); plane: the one in the picture
    extents: tuple[int, ...] = ()
    depth: int = 0
    #: extents: D, H and W of a volume, whose three planes through the voxel number `plane` are in the picture
    #: depth: how many of its pixels, before it was made smaller, the axis D takes
    note: str = ""


class SheetCell(msgspec.Struct, frozen=True, kw_only=True):
    """One sample of one variant: its place in the atlas (all 0 if there is no picture), and words about it."""

    variant: int
    sample: int
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    text: str = ""
    #: text: numbers of what is no picture, or why there is nothing


class Sheet(msgspec.Struct, frozen=True, kw_only=True, tag="sheet"):
    """A part of the answer to `RequestSheet`; buffer 0 is a JPEG atlas, absent if no cell has a picture.

    `first`: the first part; `done`: the last one.
    """

    name: Literal["batch", "ends"]
    port: PortRef
    revision: int
    iteration: int
    cells: tuple[SheetCell, ...]
    first: bool
    done: bool


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator makes of a picture, in the atlas of buffer 0 (all 0 if nothing); no name: the picture itself.

    `whole`: it has other proportions, and cannot be shown as a half beside the picture itself.
    """

    operator: str
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    whole: bool = False


class Effects(msgspec.Struct, frozen=True, kw_only=True, tag="effects"):
    """A part of the answer to `RequestEffects`: a JPEG atlas, absent if there is no picture.

    Operators have the values that the gallery shows them with, and are shown on a picture of the gallery's size.
    """

    port: PortRef
    revision: int
    iteration: int
    sample: int
    items: tuple[Effect, ...]


class RecipePicture(msgspec.Struct, frozen=True, kw_only=True):
    """A recipe's place in an atlas (all 0 if it has no picture)."""

    name: str
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class RecipePictures(msgspec.Struct, frozen=True, kw_only=True, tag="recipe_pictures"):
    """A part of the answer to `RequestRecipes`; buffer 0 is the atlas."""

    items: tuple[RecipePicture, ...]


class FolderFound(msgspec.Struct, frozen=True, kw_only=True, tag="folder_found"):
    """Answer to `RequestFolder`: its folders, and how many images lie in it and in them, counted up to a limit.

    `note`: why it cannot be looked into, or nothing.
    """

    path: str
    folders: tuple[str, ...] = ()
    images: int = 0
    note: str = ""


class Draws(msgspec.Struct, frozen=True, kw_only=True, tag="draws"):
    """Answer to `RequestDraws`: what was drawn, in equal spans, or by value where there are few of them."""

    port: PortRef
    count: int
    minimum: float
    maximum: float
    mean: float
    deviation: float
    histogram: tuple[int, ...]
    levels: tuple[tuple[float, int], ...] = ()
    #: levels: value and count, if there are at most 12 values


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison: an output, as the graph was `steps` undo steps ago."""

    port: PortRef
    steps: int = 0


class Pair(msgspec.Struct, frozen=True, kw_only=True, tag="pair"):
    """Answer to `RequestPair`; buffers are two PNG pictures, or absent if `note` says why there are none.

    `same`: all numbers are equal. `mean` and `largest` are of the absolute difference, `histogram` counts it in 24
    spans from 0 to `largest`; `peak`: the signal-to-noise ratio in dB, 0 if it is infinite or nothing is compared.
    `planes`: how many frames, or slices, the longer of the two has; 0 of images.
    """

    a: Side
    b: Side
    facts_a: str
    facts_b: str
    same: bool
    mean: float
    largest: float
    peak: float
    histogram: tuple[int, ...]
    note: str = ""
    planes: int = 0


class PairBatch(msgspec.Struct, frozen=True, kw_only=True, tag="pair_batch"):
    """What follows a `Pair`: the mean absolute difference of each sample of the batch, of the first if it is large.

    It is negative where one of the two gives no picture.
    """

    a: Side
    b: Side
    means: tuple[float, ...]


class PixelValue(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of one output at a point."""

    port: PortRef
    row: int
    column: int
    values: tuple[float, ...]
    dtype: str


class Pixel(msgspec.Struct, frozen=True, kw_only=True, tag="pixel"):
    """Answer to `RequestPixel`: those of the outputs that are pictures."""

    x: float
    y: float
    items: tuple[PixelValue, ...]


class CopyTiming(msgspec.Struct, frozen=True, kw_only=True):
    """What a node copied between host and GPU: bytes and milliseconds per batch."""

    direction: Literal["H2D", "D2H"]
    size: int
    milliseconds: float


class NodeTiming(msgspec.Struct, frozen=True, kw_only=True):
    """What one node cost per batch: milliseconds in all (`cpu` + `gpu` + copies), its share of the whole, and bytes.

    `device` is where it ran, `cpu` is summed over threads, `gpu` is without copies. `host` and `gpu_memory` are results
    that the batch holds; `passing` are results that are read sample by sample and never exist together.
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
    #: group: keys of the nodes that were computed together with it; the time is the group's


class DeviceTime(msgspec.Struct, frozen=True, kw_only=True):
    """A time that was measured for a node on a device, with the data and the settings that the graph has now."""

    key: str
    device: Device
    milliseconds: float
    cpu: float
    gpu: float


class RunProgress(msgspec.Struct, frozen=True, kw_only=True, tag="run_progress"):
    """Sent while a run goes on."""

    done: int
    total: int


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
    """

    revision: int
    batches: int
    samples_per_second: float
    milliseconds_per_batch: float
    timings: tuple[NodeTiming, ...]
    stopped: bool = False
    failed: tuple[Diagnostic, ...] = ()
    note: str = ""
    pipelined: Speed = Speed()
    advice: tuple[Advice, ...] = ()
    until: str = ""
    #: until: the node up to which was run; empty: all
    missed: tuple[MissedFile, ...] = ()
    #: missed: files that the run went on without


class Code(msgspec.Struct, frozen=True, kw_only=True, tag="code"):
    """The emitted program of a revision; it comes when nobody waits for images.

    `lines` maps a node key to the 1-based line numbers that mention it.
    """

    revision: int
    dialect: str
    source: str
    lines: dict[str, tuple[int, ...]]
    diagnostics: tuple[Diagnostic, ...]


class Saved(msgspec.Struct, frozen=True, kw_only=True, tag="saved"):
    """A file was written."""

    path: str
    what: Literal["document", "code", "picture", "trace"]


class Busy(msgspec.Struct, frozen=True, kw_only=True, tag="busy"):
    """The worker is computing (`true`) or idle."""

    busy: bool
    keys: tuple[str, ...] = ()


class Progress(msgspec.Struct, frozen=True, kw_only=True, tag="progress"):
    """Sent now and then while images take long, and without `doing` when they are there.

    `doing` is what is being computed, such as "decode, 2 of 5; compiling the GPU's kernel resize".
    """

    doing: str = ""
    seconds: int = 0


class Sound(msgspec.Struct, frozen=True, kw_only=True, tag="sound"):
    """Answer to `RequestSound`. The buffer has 16-bit numbers (little-endian) of all channels in turn."""

    port: PortRef
    rate: float
    channels: int
    note: str = ""


class Name(msgspec.Struct, frozen=True, kw_only=True):
    """A name that may follow; `kind`: what it names, such as "function" or "module"."""

    name: str
    kind: str


class Names(msgspec.Struct, frozen=True, kw_only=True, tag="names"):
    """Answer to `RequestNames`, with its place."""

    line: int
    column: int
    names: tuple[Name, ...] = ()


KernelMessage = (
    Opened | RevisionChanged | Refused | Previews | SampleStrip | ImageDetail | RunProgress | RunFinished | DeviceTimes
    | MemoryFreed | Code | Saved | Busy | Progress | Sheet | Effects | RecipePictures | FolderFound | Draws | Pair
    | PairBatch | Pixel | Sound | Timeline | Trial | RunHistory | GraphDifference | FileRemains | Reproduction | DataSet
    | SavedStates | Names
)  # fmt: skip
