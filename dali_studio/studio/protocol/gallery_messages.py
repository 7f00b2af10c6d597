"""Messages between the gallery in a browser and the kernel. TypeScript is generated from this file.

As in `messages`: pictures travel as binary buffers beside a message. `turn` counts the pictures that were chosen, so
that what belongs to an earlier one is told from the rest.
"""

from __future__ import annotations

import msgspec

from dali_studio.core.diagnostics import Diagnostic
from dali_studio.schema.model import ArgumentSchema, Value
from dali_studio.studio.protocol.messages import DialectInfo
from dali_studio.studio.protocol.output_messages import Place

# ------------------------------------------------------------------------------------------------------------- tiles


class TileControl(msgspec.Struct, frozen=True, kw_only=True):
    """An argument of a tile that can be set, and the value that it has there."""

    node: str
    argument: ArgumentSchema
    value: Value


class Tile(msgspec.Struct, frozen=True, kw_only=True):
    """What the gallery shows as one: an operator, or an example, which is a whole pipeline.

    `geometric`: it moves points, and so boxes and masks. `gpu`: all of it runs on a GPU as well.
    """

    name: str
    title: str
    summary: str
    category: str
    icon: str
    tags: tuple[str, ...]
    geometric: bool
    gpu: bool
    example: bool
    controls: tuple[TileControl, ...]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A value for an argument of a tile."""

    node: str
    argument: str
    value: Value


# ---------------------------------------------------------------------------------------------------- browser to kernel


class Browse(msgspec.Struct, frozen=True, kw_only=True, tag="browse"):
    """A view was mounted: answer with `GalleryOpened`. Sizes of a tile's picture are in device pixels."""

    width: int = 266
    height: int = 176


class ShowTiles(msgspec.Struct, frozen=True, kw_only=True, tag="show_tiles"):
    """Make the pictures of these tiles, in this order; what was asked for before and is not there yet is left out."""

    names: tuple[str, ...]


class OpenPictures(msgspec.Struct, frozen=True, kw_only=True, tag="open_pictures"):
    """Use a picture, or the pictures of a folder, on the kernel's machine; an empty path: the sample photos."""

    path: str


class UploadPicture(msgspec.Struct, frozen=True, kw_only=True, tag="upload_picture"):
    """Use a picture that the browser has: buffer 0 is its file."""

    name: str


class ChoosePicture(msgspec.Struct, frozen=True, kw_only=True, tag="choose_picture"):
    """Show the tiles on another one of the pictures."""

    number: int


class TryTile(msgspec.Struct, frozen=True, kw_only=True, tag="try_tile"):
    """Ask for a tile in full, with other values; the newest request counts."""

    name: str
    settings: tuple[Setting, ...]
    dialect: str


class SweepTile(msgspec.Struct, frozen=True, kw_only=True, tag="sweep_tile"):
    """Ask for a tile with each of several values of one argument."""

    name: str
    settings: tuple[Setting, ...]
    node: str
    argument: str
    values: tuple[Value, ...]


class TakeTile(msgspec.Struct, frozen=True, kw_only=True, tag="take_tile"):
    """Open a tile in a designer of its own, or, with `into_graph`, put it into the graph of the one used last."""

    name: str
    settings: tuple[Setting, ...]
    into_graph: bool = False


GalleryRequest = (
    Browse | ShowTiles | OpenPictures | UploadPicture | ChoosePicture | TryTile | SweepTile | TakeTile
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------- kernel to browser


class GalleryOpened(msgspec.Struct, frozen=True, kw_only=True, tag="gallery_opened"):
    """The answer to `Browse`."""

    tiles: tuple[Tile, ...]
    dialects: tuple[DialectInfo, ...]


class PicturesChosen(msgspec.Struct, frozen=True, kw_only=True, tag="pictures_chosen"):
    """The pictures there are, and the one that is shown; buffer 0 is a JPEG of it, of the size of a tile.

    `place`: where they come from, in words.
    """

    turn: int
    place: str
    names: tuple[str, ...]
    number: int


class TilePicture(Place, frozen=True, kw_only=True):
    """A tile's result in the atlas of buffer 0 (all 0 if there is none, which `note` explains).

    `whole`: it is shown alone, not beside the picture as it was: it is of another shape, or of several outputs.
    `milliseconds`: what its operators took for the picture, without reading and decoding; 0 if they were not run.
    """

    name: str
    whole: bool = False
    note: str = ""
    milliseconds: float = 0.0


class TilePictures(msgspec.Struct, frozen=True, kw_only=True, tag="tile_pictures"):
    """A part of the answer to `ShowTiles`."""

    turn: int
    items: tuple[TilePicture, ...]
    done: bool


class TileDetail(msgspec.Struct, frozen=True, kw_only=True, tag="tile_detail"):
    """Answer to `TryTile`. Buffers: the picture as it was, and the result if `has_result`.

    `lines` are those of `source` that belong to the tile itself. Histograms are per channel, between the same limits.
    """

    turn: int
    name: str
    has_result: bool
    facts: str
    histogram: tuple[tuple[int, ...], ...]
    before: tuple[tuple[int, ...], ...]
    source: str
    lines: tuple[int, ...]
    note: str = ""
    failed: tuple[Diagnostic, ...] = ()


class TileTime(msgspec.Struct, frozen=True, kw_only=True, tag="tile_time"):
    """What a tile cost on this machine's CPU: milliseconds for one picture."""

    turn: int
    name: str
    milliseconds: float


class TileSweep(msgspec.Struct, frozen=True, kw_only=True, tag="tile_sweep"):
    """Answer to `SweepTile`: a picture for each value, in their order; buffer 0 is the atlas."""

    turn: int
    name: str
    argument: str
    values: tuple[Value, ...]
    items: tuple[TilePicture, ...]


class Taken(msgspec.Struct, frozen=True, kw_only=True, tag="taken"):
    """Answer to `TakeTile`: `model` is the widget of the new designer, or empty, and `text` says what was done."""

    model: str
    text: str


class NotDone(msgspec.Struct, frozen=True, kw_only=True, tag="not_done"):
    """A request could not be done; nothing changed."""

    diagnostics: tuple[Diagnostic, ...]


GalleryAnswer = (
    GalleryOpened | PicturesChosen | TilePictures | TileDetail | TileTime | TileSweep | Taken | NotDone
)  # fmt: skip
