"""What a preview shows beside, or instead of, a picture: one kind for each kind of data."""

from __future__ import annotations

import msgspec


class ImageBody(msgspec.Struct, frozen=True, kw_only=True, tag="image"):
    """An image; one between `axes` has their numbers at its left and lower edge."""

    axes: bool = False


class PlanesBody(msgspec.Struct, frozen=True, kw_only=True, tag="planes"):
    """Frames of a sequence, in one row of the picture, each `width` wide.

    `shown` are their places among `count`. `times` are their seconds from the begin of their file, where it is known.
    """

    count: int
    shown: tuple[int, ...]
    width: int
    times: tuple[float, ...] = ()


class VolumeBody(msgspec.Struct, frozen=True, kw_only=True, tag="volume"):
    """Slices of a volume along D, then along H, then along W, in one row of the picture, each `width` wide.

    `shown` are their places along each of these axes, `extents` the voxels along each, `sides` how long it is drawn.
    """

    extents: tuple[int, int, int]
    sides: tuple[int, int, int]
    shown: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    width: int


class WaveBody(msgspec.Struct, frozen=True, kw_only=True, tag="wave"):
    """Sound: for each channel (at most 8) the lowest and the highest value of equal spans, over -`peak` to `peak`."""

    length: int
    peak: float
    channels: tuple[tuple[tuple[float, float], ...], ...]


class BoxesBody(msgspec.Struct, frozen=True, kw_only=True, tag="boxes"):
    """Boxes over the picture of `over` (empty: there is none).

    `boxes` are left, top, right and bottom in parts of the image, the first of `count`; `labels` their classes, and
    `colours` those of their classes, if they are known; `outside` says how many leave the image.
    """

    over: str
    count: int
    boxes: tuple[tuple[float, float, float, float], ...]
    labels: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    outside: int = 0


class PointsBody(msgspec.Struct, frozen=True, kw_only=True, tag="points"):
    """Points over the picture of `over`, as in `BoxesBody`: x and y."""

    over: str
    count: int
    points: tuple[tuple[float, float], ...]
    outside: int = 0


class ValuesBody(msgspec.Struct, frozen=True, kw_only=True, tag="values"):
    """One number for each sample of the batch (at most 64), and that of the shown one.

    Within a branch samples that take another one have none.
    """

    values: tuple[float | None, ...]
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


PreviewBody = (
    ImageBody
    | PlanesBody
    | VolumeBody
    | WaveBody
    | BoxesBody
    | PointsBody
    | ValuesBody
    | TableBody
    | StatisticsBody
    | TextBody
)
