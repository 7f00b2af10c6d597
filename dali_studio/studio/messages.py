"""Every message between the browser and the kernel. TypeScript is generated from this file.

Python is the only truth: the browser sends `ApplyEdits` and receives `RevisionChanged`. Pictures travel as binary
buffers beside a `Previews` message, never inside JSON.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.core.meta import Kind
from dali_studio.graph.edits import Edit, PortRef
from dali_studio.schema.model import Catalog, Device, Value

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


# -------------------------------------------------------------------------------------------------- browser to kernel


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """A view was mounted: answer with `Opened`. `preview_width` is in device pixels."""

    preview_width: int = 296


class ApplyEdits(msgspec.Struct, frozen=True, kw_only=True, tag="apply_edits"):
    """Apply all edits as one undo step. With the same non-empty `gesture` as the step before, join it (slider drag)."""

    base_revision: int
    edits: tuple[Edit, ...]
    gesture: str = ""
    #: positions: where new nodes were put
    positions: dict[str, Position] = {}


class Undo(msgspec.Struct, frozen=True, kw_only=True, tag="undo"):
    """Take the last step back."""


class Redo(msgspec.Struct, frozen=True, kw_only=True, tag="redo"):
    """Do the step taken back again."""


class MoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag="move_nodes"):
    """Persist positions (view state: no revision)."""

    positions: dict[str, Position]


class ChooseSample(msgspec.Struct, frozen=True, kw_only=True, tag="choose_sample"):
    """Show sample `sample` of iteration `iteration` everywhere."""

    sample: int
    iteration: int


class Run(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """Run `batches` whole batches and measure every node."""

    batches: int = 8


class Stop(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """Stop the run in progress."""


class RequestCode(msgspec.Struct, frozen=True, kw_only=True, tag="request_code"):
    """Ask for the code in a dialect; the choice stays until the next request."""

    dialect: str


class RequestDetail(msgspec.Struct, frozen=True, kw_only=True, tag="request_detail"):
    """Ask for the large picture and the statistics of one node's output, and of its first input."""

    key: str
    output: int = 0


class SaveDocument(msgspec.Struct, frozen=True, kw_only=True, tag="save_document"):
    """Write the document (or, with `what` code, the emitted program) to `path` in the kernel's working folder."""

    path: str
    what: Literal["document", "code"] = "document"


class OpenFolder(msgspec.Struct, frozen=True, kw_only=True, tag="open_folder"):
    """Start a new graph that reads and decodes the images of a folder on the kernel's machine."""

    path: str


class OpenRecipe(msgspec.Struct, frozen=True, kw_only=True, tag="open_recipe"):
    """Start from a gallery example."""

    name: str


ClientMessage = (
    Ready | ApplyEdits | Undo | Redo | MoveNodes | ChooseSample | Run | Stop | RequestCode | RequestDetail
    | SaveDocument | OpenFolder | OpenRecipe
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
    diagnostics: tuple[Diagnostic, ...]
    can_undo: bool
    can_redo: bool
    document: str
    #: document: file name, or empty if never saved
    saved: bool


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag="refused"):
    """An edit or a request could not be done; nothing changed."""

    diagnostics: tuple[Diagnostic, ...]


class PreviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One node's output for the chosen sample.

    `atlas_x .. atlas_height` locate its picture in the atlas (buffer 0), all 0 if there is none. `values` are the
    per-sample values over the batch for scalars (at most 64), `text` a short form of other small tensors or the first
    bytes in hex. `facts` is the shape line, e.g. "256×385×3 u8".
    """

    key: str
    output: int
    facts: str
    atlas_x: int = 0
    atlas_y: int = 0
    atlas_width: int = 0
    atlas_height: int = 0
    values: tuple[float, ...] = ()
    text: str = ""
    note: str = ""


class Previews(msgspec.Struct, frozen=True, kw_only=True, tag="previews"):
    """Pictures of some nodes (the changed ones); buffer 0 is a JPEG atlas, absent if `items` has no pictures."""

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
    note: str = ""


class NodeTiming(msgspec.Struct, frozen=True, kw_only=True):
    """Time of one node in the run: per batch, summed over threads, and its share of the whole."""

    key: str
    milliseconds: float
    p95: float
    share: float
    group: tuple[str, ...] = ()
    #: group: keys of the nodes that were computed together with it; the time is the group's


class RunProgress(msgspec.Struct, frozen=True, kw_only=True, tag="run_progress"):
    """Sent while a run goes on."""

    done: int
    total: int


class RunFinished(msgspec.Struct, frozen=True, kw_only=True, tag="run_finished"):
    """The measured run. `stopped`: by the user; `failed`: why it could not go on; `revision`: of the measured graph."""

    revision: int
    batches: int
    samples_per_second: float
    milliseconds_per_batch: float
    timings: tuple[NodeTiming, ...]
    stopped: bool = False
    failed: tuple[Diagnostic, ...] = ()


class Code(msgspec.Struct, frozen=True, kw_only=True, tag="code"):
    """The emitted program; `lines` maps a node key to the 1-based line numbers that mention it."""

    dialect: str
    source: str
    lines: dict[str, tuple[int, ...]]
    diagnostics: tuple[Diagnostic, ...]


class Saved(msgspec.Struct, frozen=True, kw_only=True, tag="saved"):
    """A file was written."""

    path: str
    what: Literal["document", "code"]


class Busy(msgspec.Struct, frozen=True, kw_only=True, tag="busy"):
    """The worker is computing (`true`) or idle."""

    busy: bool
    keys: tuple[str, ...] = ()


KernelMessage = (
    Opened | RevisionChanged | Refused | Previews | SampleStrip | ImageDetail | RunProgress | RunFinished | Code | Saved
    | Busy
)  # fmt: skip

client_decoder: Annotated[msgspec.json.Decoder[ClientMessage], "for tests"] = msgspec.json.Decoder(ClientMessage)
