"""Every message between the browser and the kernel. TypeScript is generated from this file.

Python is the only truth: the browser sends `ApplyEdits` and receives `RevisionChanged`. Images travel as binary
buffers beside a `Previews` message, never inside JSON.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.meta import Kind
from dali_studio.graph.edits import Edit, PortRef
from dali_studio.graph.placement import Repair
from dali_studio.schema.model import Catalog, Device, Value
from dali_studio.studio.run_messages import (
    Advice,
    GraphDifference,
    OpenState,
    RequestDifference,
    RunHistory,
    SetTarget,
    Speed,
    TakeAdvice,
    Timeline,
    Trial,
    TryAdvice,
)

# ---------------------------------------------------------------------------------------------------- the graph's image


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
    #: facts: per output what is known by inference, e.g. "?×?×3 u8 HWC"
    in_run: bool = True
    #: in_run: some output of the pipeline depends on it
    unknown: bool = False
    bypassed: bool = False


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
    """A frame around nodes, which move with it."""

    keys: tuple[str, ...]
    title: str
    hue: str = "slate"


Mark = Note | Group

# -------------------------------------------------------------------------------------------------- browser to kernel


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """A view was mounted: answer with `Opened`. `preview_width` is in device pixels."""

    preview_width: int = 296


class ApplyEdits(msgspec.Struct, frozen=True, kw_only=True, tag="apply_edits"):
    """Apply all edits as one undo step. With the same non-empty `gesture` as the step before, join it (slider drag).

    `positions` belong to the step: where new nodes were put, or where cards were moved to (then without edits).
    """

    base_revision: int
    edits: tuple[Edit, ...]
    gesture: str = ""
    positions: dict[str, Position] = {}
    marks: dict[str, Mark | None] = {}
    #: marks: notes and groups that are new or changed, by names of the sender; None takes one away


class ApplyRepair(msgspec.Struct, frozen=True, kw_only=True, tag="apply_repair"):
    """Do what the `Repair` of this finding says, as one undo step."""

    code: str
    node: str
    argument: str


class Undo(msgspec.Struct, frozen=True, kw_only=True, tag="undo"):
    """Take the last step back."""


class Redo(msgspec.Struct, frozen=True, kw_only=True, tag="redo"):
    """Do the step taken back again."""


class MoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag="move_nodes"):
    """Keep positions that the view chose by itself: no undo step, and no answer."""

    positions: dict[str, Position]


class ChooseSample(msgspec.Struct, frozen=True, kw_only=True, tag="choose_sample"):
    """Show sample `sample` of iteration `iteration` everywhere."""

    sample: int
    iteration: int


class Run(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """Run `batches` whole batches and measure every node; with `until`, only that node and what it depends on."""

    batches: int = 8
    until: str = ""


class CompareDevices(msgspec.Struct, frozen=True, kw_only=True, tag="compare_devices"):
    """Run the graph twice, on the CPU and as far as possible on the GPU, and measure every node on both."""

    batches: int = 4


class FreeMemory(msgspec.Struct, frozen=True, kw_only=True, tag="free_memory"):
    """Give back memory that is only kept to be used again, on the host and on the GPU."""


class Stop(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """Stop the run in progress."""


class RequestCode(msgspec.Struct, frozen=True, kw_only=True, tag="request_code"):
    """Ask for the code in a dialect; the choice stays until the next request."""

    dialect: str


class RequestDetail(msgspec.Struct, frozen=True, kw_only=True, tag="request_detail"):
    """Ask for the large picture and the statistics of one node's output, and of its first input."""

    key: str
    output: int = 0
    plane: int = -1
    #: plane: which frame or slice; -1: the one that is shown first


class PasteCode(msgspec.Struct, frozen=True, kw_only=True, tag="paste_code"):
    """Add the calls of ``fn`` in a text, which is read and never run, as one undo step; `at`: where the first goes."""

    text: str
    at: Position


class RequestSheet(msgspec.Struct, frozen=True, kw_only=True, tag="request_sheet"):
    """Ask for an output as it would be after each of several lists of edits, for some samples of the batch.

    Nothing changes. The newest request of each `name` counts.
    """

    name: Literal["batch", "trial", "ends"]
    port: PortRef
    variants: tuple[tuple[Edit, ...], ...]
    samples: tuple[int, ...]
    width: int
    height: int


class RequestDraws(msgspec.Struct, frozen=True, kw_only=True, tag="request_draws"):
    """Ask for a thousand numbers that a node draws, if it depends on no data."""

    port: PortRef


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison: an output, as the graph was `steps` undo steps ago."""

    port: PortRef
    steps: int = 0


class RequestPair(msgspec.Struct, frozen=True, kw_only=True, tag="request_pair"):
    """Ask for two outputs of the shown sample, without loss, and how far they are apart."""

    a: Side
    b: Side


class RequestPixel(msgspec.Struct, frozen=True, kw_only=True, tag="request_pixel"):
    """Ask for the numbers of outputs at one point, given in parts of the width and the height."""

    ports: tuple[PortRef, ...]
    x: float
    y: float


class SaveDocument(msgspec.Struct, frozen=True, kw_only=True, tag="save_document"):
    """Write the document to `path` in the kernel's working folder; or the emitted program, or the last run's trace."""

    path: str
    what: Literal["document", "code", "trace"] = "document"


class OpenFolder(msgspec.Struct, frozen=True, kw_only=True, tag="open_folder"):
    """Start a new graph that reads and decodes the images of a folder on the kernel's machine."""

    path: str


class RestoreEdits(msgspec.Struct, frozen=True, kw_only=True, tag="restore_edits"):
    """Open what this pipeline was edited to in a kernel that is gone."""


class OpenRecipe(msgspec.Struct, frozen=True, kw_only=True, tag="open_recipe"):
    """Start from a gallery example."""

    name: str


ClientMessage = (
    Ready | ApplyEdits | ApplyRepair | Undo | Redo | MoveNodes | ChooseSample | Run | CompareDevices | FreeMemory | Stop
    | RequestCode | RequestDetail | PasteCode | RequestSheet | RequestDraws | RequestPair | RequestPixel | SaveDocument
    | OpenFolder | OpenRecipe | RestoreEdits | TryAdvice | TakeAdvice | RequestDifference | OpenState | SetTarget
)  # fmt: skip

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


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """An edit or a request could not be done; nothing changed."""

    diagnostics: tuple[Diagnostic, ...]


class ImageBody(msgspec.Struct, frozen=True, kw_only=True, tag="image"):
    """An image."""


class PlanesBody(msgspec.Struct, frozen=True, kw_only=True, tag="planes"):
    """Images along an axis, in one row of the picture, each `width` wide: frames of a sequence, or slices of a volume.

    `shown` are their places among `count`. Frames are shown side by side, slices one at a time.
    """

    axis: Literal["F", "D"]
    count: int
    shown: tuple[int, ...]
    width: int


class WaveBody(msgspec.Struct, frozen=True, kw_only=True, tag="wave"):
    """Sound: for each channel (at most 8) the lowest and the highest value of equal spans, over -`peak` to `peak`."""

    length: int
    peak: float
    channels: tuple[tuple[tuple[float, float], ...], ...]


class BoxesBody(msgspec.Struct, frozen=True, kw_only=True, tag="boxes"):
    """Boxes over the picture of `over` (empty: there is none).

    `boxes` are left, top, right and bottom in parts of the image, the first of `count`.
    """

    over: str
    count: int
    boxes: tuple[tuple[float, float, float, float], ...]


class ValuesBody(msgspec.Struct, frozen=True, kw_only=True, tag="values"):
    """One number for each sample of the batch (at most 64), and that of the shown one."""

    values: tuple[float, ...]
    text: str


class TableBody(msgspec.Struct, frozen=True, kw_only=True, tag="table"):
    """All numbers of a small tensor, by row."""

    rows: tuple[tuple[str, ...], ...]


class StatisticsBody(msgspec.Struct, frozen=True, kw_only=True, tag="statistics"):
    """What the numbers of a large tensor are like: `histogram` counts them between `minimum` and `maximum`."""

    minimum: float
    maximum: float
    mean: float
    deviation: float
    histogram: tuple[int, ...]


class TextBody(msgspec.Struct, frozen=True, kw_only=True, tag="text"):
    """Bytes: as text where they are text, else the first ones in hex."""

    text: str
    hex: bool


PreviewBody = ImageBody | PlanesBody | WaveBody | BoxesBody | ValuesBody | TableBody | StatisticsBody | TextBody


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
    #: planes: how many frames or slices there are (0: it is no sequence or volume); plane: the one in the picture
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

    name: Literal["batch", "trial", "ends"]
    port: PortRef
    revision: int
    iteration: int
    cells: tuple[SheetCell, ...]
    first: bool
    done: bool


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


class Pair(msgspec.Struct, frozen=True, kw_only=True, tag="pair"):
    """Answer to `RequestPair`; buffers are two PNG pictures, or absent if `note` says why there are none.

    `same`: all numbers are equal. `mean` and `largest` are of the absolute difference, `histogram` counts it in 24
    spans from 0 to `largest`; `peak`: the signal-to-noise ratio in dB, 0 if it is infinite or nothing is compared.
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
    what: Literal["document", "code", "trace"]


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


KernelMessage = (
    Opened | RevisionChanged | Refused | Previews | SampleStrip | ImageDetail | RunProgress | RunFinished | DeviceTimes
    | MemoryFreed | Code | Saved | Busy | Progress | Sheet | Draws | Pair | Pixel | Timeline | Trial | RunHistory
    | GraphDifference
)  # fmt: skip

client_decoder: Annotated[msgspec.json.Decoder[ClientMessage], "for tests"] = msgspec.json.Decoder(ClientMessage)
