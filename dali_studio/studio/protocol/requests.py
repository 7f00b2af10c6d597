"""Messages from the browser to the kernel."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from dali_studio.graph.edits import CardEdit, PortRef
from dali_studio.studio.protocol.messages import Mark, Position
from dali_studio.studio.protocol.output_messages import Side


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag="ready"):
    """A view was mounted: answer with `Opened`. `preview_width` is in device pixels."""

    preview_width: int = 296


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What changes the graph and waits for its answer, the `RevisionChanged` that names it.

    `id` is the sender's name for it; no other page may give the same.
    """

    id: str = ""


class ApplyEdits(Step, frozen=True, kw_only=True, tag="apply_edits"):
    """Apply all edits as one undo step. With the same non-empty `gesture` as the step before, join it (slider drag).

    `positions` belong to the step: where new nodes were put, or where cards were moved to (then without edits).
    `pins`: of these nodes previews keep the outputs of the shown batch, or no longer keep them.
    """

    base_revision: int
    edits: tuple[CardEdit, ...]
    gesture: str = ""
    positions: dict[str, Position] = {}
    marks: dict[str, Mark | None] = {}
    #: marks: notes and groups that are new or changed, by names of the sender; None takes one away
    pins: dict[str, bool] = {}


class ApplyRepair(msgspec.Struct, frozen=True, kw_only=True, tag="apply_repair"):
    """Do what the `Repair` of this finding says, as one undo step; `title`: which of several."""

    code: str
    node: str
    argument: str
    title: str = ""


class Undo(Step, frozen=True, kw_only=True, tag="undo"):
    """Take the last step back."""


class Redo(Step, frozen=True, kw_only=True, tag="redo"):
    """Do the step taken back again."""


class MoveNodes(msgspec.Struct, frozen=True, kw_only=True, tag="move_nodes"):
    """Keep positions that the view chose by itself: no undo step, and no answer."""

    positions: dict[str, Position]


class ChooseSample(msgspec.Struct, frozen=True, kw_only=True, tag="choose_sample"):
    """Show sample `sample` of iteration `iteration` everywhere."""

    sample: int
    iteration: int


class Run(msgspec.Struct, frozen=True, kw_only=True, tag="run"):
    """Run `batches` whole batches and measure every node; with `until`, only that node and what it depends on.

    0: as many as fit into about a second, at least 8.
    """

    batches: int = 0
    until: str = ""


class CompareDevices(msgspec.Struct, frozen=True, kw_only=True, tag="compare_devices"):
    """Run the graph twice, on the CPU and as far as possible on the GPU, and measure every node on both."""

    batches: int = 4


class FreeMemory(msgspec.Struct, frozen=True, kw_only=True, tag="free_memory"):
    """Give back memory that is only kept to be used again, on the host and on the GPU."""


class Stop(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """Stop the run in progress, and functions of code nodes that do not end."""


class RequestCode(msgspec.Struct, frozen=True, kw_only=True, tag="request_code"):
    """Ask for the code in a dialect; the choice stays until the next request."""

    dialect: str


class RequestDetail(msgspec.Struct, frozen=True, kw_only=True, tag="request_detail"):
    """Ask for the large picture and the statistics of one node's output, and of its first input.

    Those of one sample are sent again with every edit and sample, until another one is asked for.
    """

    key: str
    #: key: the card; empty for none
    output: int = 0
    plane: int = -1
    #: plane: which frame or slice, or which voxel of a volume; -1: the one that is shown first
    whole: bool = False
    #: whole: the statistics are those of the batch, of 64 samples at most


class RequestTwin(msgspec.Struct, frozen=True, kw_only=True, tag="request_twin"):
    """Ask what would make a label move with its image, of which a finding says that it stays behind."""

    node: str


class RequestSound(msgspec.Struct, frozen=True, kw_only=True, tag="request_sound"):
    """Ask for the shown sample of an output as sound to play."""

    port: PortRef


class RequestNames(msgspec.Struct, frozen=True, kw_only=True, tag="request_names"):
    """Ask which names may follow in the text of a code node: lines count from 1, characters from 0."""

    source: str
    line: int
    column: int


class PasteCode(Step, frozen=True, kw_only=True, tag="paste_code"):
    """Add the calls of ``fn`` in a text, which is read and never run, as one undo step; `at`: where the first goes.

    The transforms of a ``Compose`` go behind `source`; a document is opened where there is nothing, else its steps are
    added. `laid`: as in `ApplyCode`.
    """

    text: str
    at: Position
    source: PortRef | None = None
    laid: bool = False


class AddTransform(Step, frozen=True, kw_only=True, tag="add_transform"):
    """Put a transform that draws numbers behind a picture, as one undo step.

    Attributes
    ----------
    name : str
        As the catalog calls it.
    source : PortRef or None
        The picture.
    branch : bool
        What the picture feeds, it goes on feeding.
    at : Position
        Where the first card goes.
    laid : bool
        As in `ApplyCode`.
    """

    name: str
    source: PortRef | None
    at: Position
    branch: bool = False
    laid: bool = False


class ApplyCode(Step, frozen=True, kw_only=True, tag="apply_code"):
    """Take an edited program for the pipeline, as one undo step; it is read and never run.

    The answer is `RevisionChanged`, and a `Code` with this very text. Later changes of the graph are written into it:
    its comments and the layout of other lines stay. `Refused` if it cannot be read; nothing has changed then.

    Attributes
    ----------
    source : str
    laid : bool
        Nobody has moved a card: where other nodes or wires come, all cards lose their places and are laid out anew.
    """

    source: str
    laid: bool = False


class KeepDraft(msgspec.Struct, frozen=True, kw_only=True, tag="keep_draft"):
    """Keep in the document what is written into the code pane and not applied yet; empty: nothing is.

    The answer is `RevisionChanged`. What `ApplyCode` brings is kept where it is refused.

    Attributes
    ----------
    source : str
    key : str
        The code node for which it is written, in which it has not run; empty: it is the code pane's.
    """

    source: str
    key: str = ""


class ApplyFunction(msgspec.Struct, frozen=True, kw_only=True, tag="apply_function"):
    """Make a text the function of a code node, as one undo step: its user trusts it, and it runs in the kernel.

    The answer is `RevisionChanged`. `Refused` if the text fails; nothing has changed then.
    """

    key: str
    source: str


class RequestSheet(msgspec.Struct, frozen=True, kw_only=True, tag="request_sheet"):
    """Ask for an output as it would be after each of several lists of edits, for some samples of the batch.

    Nothing changes. The newest request of each `name` counts: "batch", or "ends" and an argument that is drawn.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^(batch|ends \w+)$")]
    port: PortRef
    variants: tuple[tuple[CardEdit, ...], ...]
    samples: tuple[int, ...]
    width: int
    height: int


class RequestEffects(msgspec.Struct, frozen=True, kw_only=True, tag="request_effects"):
    """Ask what operators would make of an output of the shown sample, in this order; the newest request counts."""

    port: PortRef
    operators: tuple[str, ...]
    width: int
    height: int


class RequestRecipes(msgspec.Struct, frozen=True, kw_only=True, tag="request_recipes"):
    """Ask for a picture of what each recipe gives of the sample photos."""

    width: int
    height: int


class RequestFolder(msgspec.Struct, frozen=True, kw_only=True, tag="request_folder"):
    """Ask what is in a folder on the kernel's machine, or in `name` within it; an empty path is the working folder."""

    path: str = ""
    name: str = ""


class RequestDraws(msgspec.Struct, frozen=True, kw_only=True, tag="request_draws"):
    """Ask for a thousand numbers that a node draws, if it depends on no data."""

    port: PortRef


class RequestPair(msgspec.Struct, frozen=True, kw_only=True, tag="request_pair"):
    """Ask for two outputs of the shown sample, without loss, and how far they are apart; without `b` for `a` alone.

    Of sequences and volumes frame, or slice, number `plane`, or the last one.
    """

    a: Side
    b: Side | None = None
    plane: int = 0


class RequestPixel(msgspec.Struct, frozen=True, kw_only=True, tag="request_pixel"):
    """Ask for the numbers of outputs at one point, given in parts of the width and the height, and `plane` as above."""

    sides: tuple[Side, ...]
    x: float
    y: float
    plane: int = 0


class SaveDocument(msgspec.Struct, frozen=True, kw_only=True, tag="save_document"):
    """Write to `path` in the kernel's working folder: the document, the program, a picture or diagram, or a trace."""

    path: str
    what: Literal["document", "code", "picture", "trace"] = "document"
    over: bool = False
    #: over: also over a file that somebody else has written there


class OpenFolder(msgspec.Struct, frozen=True, kw_only=True, tag="open_folder"):
    """Start a new graph that reads and decodes what lies at a path on the kernel's machine.

    A folder of images, a list of files, annotations of COCO, or an archive of WebDataset; the sample photos if it is
    empty.
    """

    path: str


class OpenText(msgspec.Struct, frozen=True, kw_only=True, tag="open_text"):
    """Open a document whose text the browser has, of a file that was dropped on the canvas."""

    text: str


class RestoreEdits(msgspec.Struct, frozen=True, kw_only=True, tag="restore_edits"):
    """Open what this pipeline was edited to in a kernel that is gone."""


class OpenRecipe(msgspec.Struct, frozen=True, kw_only=True, tag="open_recipe"):
    """Start from a gallery example."""

    name: str


class TryAdvice(msgspec.Struct, frozen=True, kw_only=True, tag="try_advice"):
    """Measure the pipeline as it is and as it would be if the advice were taken, in turns. Nothing changes."""

    name: str
    batches: int = 8


class TakeAdvice(msgspec.Struct, frozen=True, kw_only=True, tag="take_advice"):
    """Do what the advice of the last run says, as one undo step."""

    name: str


class RequestDifference(msgspec.Struct, frozen=True, kw_only=True, tag="request_difference"):
    """Ask how the graph of one run or saved state became that of another one; an empty name is the graph now."""

    before: str
    after: str = ""


class OpenState(msgspec.Struct, frozen=True, kw_only=True, tag="open_state"):
    """Go back to the graph of a run (its number) or of a saved state (its name), as one undo step."""

    name: str


class SetTarget(msgspec.Struct, frozen=True, kw_only=True, tag="set_target"):
    """Say how many samples a second the model takes, as one undo step; 0: nobody knows. The document keeps it."""

    samples_per_second: float


class RequestFile(msgspec.Struct, frozen=True, kw_only=True, tag="request_file"):
    """Ask what can still be seen of a file that a node could not use."""

    node: str
    source: str


class RequestReproduction(msgspec.Struct, frozen=True, kw_only=True, tag="request_reproduction"):
    """Ask for the smallest program in which a node fails as it did, with that file alone if one is named."""

    node: str
    source: str = ""


class RequestData(msgspec.Struct, frozen=True, kw_only=True, tag="request_data"):
    """Ask what a reader reads: how much, some samples, and how large they are."""

    key: str


class PointReader(msgspec.Struct, frozen=True, kw_only=True, tag="point_reader"):
    """Make a reader read what lies at a path on the kernel's machine, as one undo step."""

    key: str
    path: str


#: About runs and their data.
RunRequest = (
    Run | CompareDevices | TryAdvice | TakeAdvice | RequestDifference | OpenState | SetTarget | RequestFile
    | RequestReproduction | RequestData | PointReader
)  # fmt: skip

#: About outputs and texts; nothing changes by them.
OutputRequest = (
    RequestSheet | RequestEffects | RequestRecipes | RequestFolder | RequestDraws | RequestPair | RequestPixel
    | RequestSound | RequestNames | RequestTwin
)  # fmt: skip

#: What is taken from texts.
TextRequest = PasteCode | AddTransform | ApplyCode | KeepDraft

#: Saving a document, and opening another one in its place.
DocumentRequest = SaveDocument | OpenFolder | OpenRecipe | OpenText

ClientMessage = (
    Ready | ApplyEdits | ApplyRepair | Undo | Redo | MoveNodes | ChooseSample | FreeMemory | Stop | RequestCode
    | RequestDetail | TextRequest | ApplyFunction | DocumentRequest | RestoreEdits | RunRequest | OutputRequest
)  # fmt: skip
