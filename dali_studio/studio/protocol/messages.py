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
from dali_studio.studio.protocol.bodies import PreviewBody
from dali_studio.studio.protocol.output_messages import (
    Draws,
    Effects,
    ImageDetail,
    Names,
    Pair,
    PairBatch,
    Pixel,
    RecipePictures,
    Sheet,
    Sound,
)
from dali_studio.studio.protocol.run_messages import (
    DataSet,
    DeviceTimes,
    FileRemains,
    GraphDifference,
    MemoryFreed,
    Reproduction,
    RunFinished,
    RunHistory,
    RunProgress,
    SavedStates,
    Timeline,
    Trial,
)

# ---------------------------------------------------------------------------------------------------- the graph's image


class NodeCode(msgspec.Struct, frozen=True, kw_only=True):
    """The function of a code node: a module's text, and its name, if it is more than a proposal; `trusted`: it runs.

    `signature` says whose it is, for copies in other documents.
    """

    source: str = ""
    module: str = ""
    trusted: bool = True
    signature: str = ""


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
    output_names: tuple[str, ...] = ()
    #: output_names: where they follow from arguments
    pin: Literal["", "here", "behind"] = ""
    #: pin: its outputs are pinned; or it matters for pinned outputs alone, and previews leave it out
    pin_batch: int = 0
    #: pin_batch: the iteration whose outputs are pinned
    pin_old: bool = False
    #: pin_old: the node, or what feeds it, was changed since then
    seed: int | None = None
    #: seed: of the pipeline's, by which a random node draws that has none of its own
    followers: dict[str, str] = {}
    #: followers: of what moves the points of an image, what has become of its labels, such as "flipped", "not flipped"
    wide: bool = False
    #: wide: the card of its first output, a sequence or a volume, takes two columns; of few nodes only
    chance: float | None = None
    #: chance: to which part of the samples it is applied, if not to all
    coin: str = ""
    #: coin: the node that decides so, if it has no card of its own
    shared: tuple[str, ...] = ()
    #: shared: other nodes that go by this coin
    parts: tuple[NodeView, ...] = ()
    #: parts: nodes that have no card of their own, but are on this one


class GraphView(msgspec.Struct, frozen=True, kw_only=True):
    """The whole graph: its nodes, those apart that are on the card of another."""

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
    about: str = ""
    #: exposed: arguments, by node and name, that the box shows and the function takes
    #: about: what the function that it came from says of itself, such as the transform that it does the work of


class Route(msgspec.Struct, frozen=True, kw_only=True, tag="route"):
    """Junctions of a wire: points through which it is drawn. They mean nothing to the pipeline."""

    source: PortRef
    wire: str
    points: tuple[Position, ...]
    #: wire: the browser's name of where it ends, such as ``rotate|in|0``


class Left(msgspec.Struct, frozen=True, kw_only=True, tag="left"):
    """A label that is to stay as it is: that this finding is made about a node is not told again."""

    node: str
    message: str


class Differs(msgspec.Struct, frozen=True, kw_only=True, tag="differs"):
    """What a node does otherwise than the transform of another package that it came from."""

    node: str
    message: str


class Tag(msgspec.Struct, frozen=True, kw_only=True, tag="tag"):
    """The colour that a node was given; it means nothing to the pipeline."""

    node: str
    hue: str


class Fixed(msgspec.Struct, frozen=True, kw_only=True, tag="fixed"):
    """A node whose card stays where it is when cards are laid out anew."""

    node: str


Mark = Note | Group | Route | Left | Differs | Tag | Fixed

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
    """The graph as it is now. Sent after every edit, undo, redo or opening, also when an edit was refused.

    Also where nobody has asked for it, as when a file is saved, another view edits or a text is kept.
    """

    revision: int
    graph: GraphView
    options: PipelineOptions
    positions: dict[str, Position]
    marks: dict[str, Mark]
    coins: dict[str, str]
    #: coins: what decides, for subgraphs that are applied with a probability, by the names of their marks
    diagnostics: tuple[Diagnostic, ...]
    repairs: tuple[Repair, ...]
    can_undo: bool
    can_redo: bool
    document: str
    #: document: the path of its file as the kernel calls it, or empty if never saved
    saved: bool
    waiting: str = ""
    #: waiting: when edits were made that an earlier kernel has left and `RestoreEdits` brings back; empty: none
    target: float = 0.0
    #: target: samples a second that the model takes; 0: nobody has said it
    measured: int = -1
    #: measured: the revision of the newest run, if it was one of this very graph; -1: it was not
    runs: tuple[int, ...] = ()
    #: runs: the numbers of all runs of this very graph
    origin: int = 0
    #: origin: the revision in which this graph took the place of another; 0: in none
    variable: str = ""
    #: variable: what the notebook calls the designer; empty: nobody knows
    place: str = ""
    #: place: under this name the browser keeps edits that no kernel has had; empty: it keeps none
    answers: str = ""
    #: answers: the `id` of the step that this is the answer to; empty: it is none
    draft: str = ""
    #: draft: what is written into the code pane and no graph yet, as `KeepDraft` has it
    written: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    #: written: what is written for code nodes and has not run, by node, likewise


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


class NewCard(msgspec.Struct, frozen=True, kw_only=True):
    """A node, or a box of several, that edits would add.

    `feeds`: the cards that it would feed, and their ports as the browser calls them. A box has no operator.
    """

    key: str
    operator: str
    fed_by: tuple[PortRef, ...]
    feeds: tuple[tuple[str, str], ...]


class LabelTwin(msgspec.Struct, frozen=True, kw_only=True, tag="label_twin"):
    """Answer to `RequestTwin`: a label over its image, as both are returned, now and after edits that nobody has done.

    `items` are of a sample at which they differ, and empty where there is no picture. Buffer 0 is their JPEG atlas.
    """

    node: str
    revision: int
    sample: int
    items: tuple[PreviewItem, ...]
    cards: tuple[NewCard, ...]
    left: str
    source: str
    added: tuple[int, ...]
    #: left: what would still move the image alone; source: the program after the edits; added: its lines, from 1, that
    #: are new


class SampleStrip(msgspec.Struct, frozen=True, kw_only=True, tag="sample_strip"):
    """Thumbnails of every sample of the batch: buffer 0 is one JPEG, `count` cells of `cell` x `cell` px in one row.

    `cell` is 0, and there is no buffer, where no output can be shown so.
    """

    iteration: int
    count: int
    cell: int
    names: tuple[str, ...]
    #: names: file names, or empty strings
    failed: tuple[Diagnostic, ...] = ()
    #: failed: one for each sample and node at which it fails; warnings where a run goes on without the sample


    #: text: numbers of what is no picture, or why there is nothing


class FolderFound(msgspec.Struct, frozen=True, kw_only=True, tag="folder_found"):
    """Answer to `RequestFolder`: its folders, and how many files of a kind (``image``) lie in it and in them.

    They are counted up to a limit.

    `masked`: a folder of masks lies beside one of images, file by file.

    `note`: why it cannot be looked into, or nothing.
    """

    path: str
    folders: tuple[str, ...] = ()
    kind: str = "image"
    count: int = 0
    masked: bool = False
    note: str = ""


    #: levels: value and count, if there are at most 12 values


    #: group: keys of the nodes that were computed together with it; the time is the group's


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


KernelMessage = (
    Opened | RevisionChanged | Refused | Previews | SampleStrip | ImageDetail | RunProgress | RunFinished | DeviceTimes
    | MemoryFreed | Code | Saved | Busy | Progress | Sheet | Effects | RecipePictures | FolderFound | Draws | Pair
    | PairBatch | Pixel | Sound | Timeline | Trial | RunHistory | GraphDifference | FileRemains | Reproduction | DataSet
    | SavedStates | Names | LabelTwin
)  # fmt: skip
