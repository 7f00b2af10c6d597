"""Answers about outputs: large pictures, sheets, comparisons, numbers, sounds, names."""

from __future__ import annotations

import msgspec

from dali_studio.graph.edits import PortRef


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a picture is in an atlas; all 0 if there is none."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0


class ImageDetail(msgspec.Struct, frozen=True, kw_only=True, tag="image_detail"):
    """Answer to `RequestDetail`. Buffers in order: output picture if `has_output`, input picture if `has_input`."""

    key: str
    output: int
    has_output: bool
    has_input: bool
    facts: str
    layout: str
    #: facts: the shape, in ranges where those of several samples differ, and the element type
    minimum: float
    maximum: float
    mean: float
    histogram: tuple[tuple[int, ...], ...]
    #: histogram: per channel (at most 4), 32 bins between minimum and maximum
    samples: int = 0
    bytes: int = 0
    nan: int = 0
    infinite: int = 0
    #: samples: how many all of this is of; bytes: what they take; nan, infinite: how many values are not finite
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


class SheetCell(Place, frozen=True, kw_only=True):
    """One sample of one variant: its place in the atlas (all 0 if there is no picture), and words about it."""

    variant: int
    sample: int
    text: str = ""
    failed: bool = False
    #: failed: the words say why there is nothing


class Sheet(msgspec.Struct, frozen=True, kw_only=True, tag="sheet"):
    """A part of the answer to `RequestSheet`; buffer 0 is a JPEG atlas, absent if no cell has a picture.

    `first`: the first part; `done`: the last one; `note`: how the numbers of all pictures are shown, where each has
    not a range of its own.
    """

    name: str
    port: PortRef
    revision: int
    iteration: int
    cells: tuple[SheetCell, ...]
    first: bool
    done: bool
    note: str = ""


class Effect(Place, frozen=True, kw_only=True):
    """What an operator makes of a picture, in the atlas of buffer 0 (all 0 if nothing); no name: the picture itself.

    `whole`: it has other proportions, and cannot be shown as a half beside the picture itself; `milliseconds`: the
    least that was measured, 0 before.
    """

    operator: str
    whole: bool = False
    milliseconds: float = 0.0


class Effects(msgspec.Struct, frozen=True, kw_only=True, tag="effects"):
    """A part of the answer to `RequestEffects`: a JPEG atlas, absent if there is no picture.

    Operators have the values that the gallery shows them with, and are shown on a picture of the gallery's size.
    """

    port: PortRef
    revision: int
    iteration: int
    sample: int
    items: tuple[Effect, ...]


class RecipePicture(Place, frozen=True, kw_only=True):
    """A recipe's place in an atlas (all 0 if it has no picture)."""

    name: str


class RecipePictures(msgspec.Struct, frozen=True, kw_only=True, tag="recipe_pictures"):
    """A part of the answer to `RequestRecipes`; buffer 0 is the atlas."""

    items: tuple[RecipePicture, ...]


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


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison: an output, as the graph was `steps` undo steps ago."""

    port: PortRef
    steps: int = 0


class Pair(msgspec.Struct, frozen=True, kw_only=True, tag="pair"):
    """Answer to `RequestPair`; buffers are PNG pictures, one a side, or absent if `note` says why there are none.

    `same`: all numbers are equal. `mean` and `largest` are of the absolute difference, `histogram` counts it in 24
    spans from 0 to `largest`; `peak`: the signal-to-noise ratio in dB, 0 if it is infinite or nothing is compared.
    `planes`: how many frames, or slices, the longer of the two has; 0 of images. `past`: what each of the last undo
    steps has changed, the newest first.
    """

    a: Side
    b: Side | None
    facts_a: str
    facts_b: str = ""
    same: bool = False
    mean: float = 0.0
    largest: float = 0.0
    peak: float = 0.0
    histogram: tuple[int, ...] = ()
    note: str = ""
    planes: int = 0
    past: tuple[str, ...] = ()


class PairBatch(msgspec.Struct, frozen=True, kw_only=True, tag="pair_batch"):
    """What follows a `Pair`: the mean absolute difference of each sample of the batch, of the first if it is large.

    It is negative where one of the two gives no picture.
    """

    a: Side
    b: Side
    means: tuple[float, ...]


class PixelValue(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of one output at a point."""

    side: Side
    row: int
    column: int
    values: tuple[float, ...]
    dtype: str


class Pixel(msgspec.Struct, frozen=True, kw_only=True, tag="pixel"):
    """Answer to `RequestPixel`: those of the outputs that are pictures."""

    x: float
    y: float
    items: tuple[PixelValue, ...]


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
