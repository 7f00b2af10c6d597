"""What a preview shows beside, or instead of, a picture: one kind for each kind of data."""

from __future__ import annotations

from typing import Literal

import msgspec


class ImageBody(msgspec.Struct, frozen=True, kw_only=True, tag="image"):
    """An image."""


class PlanesBody(msgspec.Struct, frozen=True, kw_only=True, tag="planes"):
    """Images along an axis, in one row of the picture, each `width` wide: frames of a sequence, or slices of a volume.

    `shown` are their places among `count`. `times` are the seconds of frames from the begin of their file, where it is
    known.
    """

    axis: Literal["F", "D"]
    count: int
    shown: tuple[int, ...]
    width: int
    times: tuple[float, ...] = ()


class WaveBody(msgspec.Struct, frozen=True, kw_only=True, tag="wave"):
    """Sound: for each channel (at most 8) the lowest and the highest value of equal spans, over -`peak` to `peak`."""

    length: int
    peak: float
    channels: tuple[tuple[tuple[float, float], ...], ...]


class BoxesBody(msgspec.Struct, frozen=True, kw_only=True, tag="boxes"):
    """Boxes over the picture of `over` (empty: there is none).

    `boxes` are left, top, right and bottom in parts of the image, the first of `count`; `labels` their classes, if they
    are known; `outside` says how many leave the image.
    """

    over: str
    count: int
    boxes: tuple[tuple[float, float, float, float], ...]
    labels: tuple[str, ...] = ()
    outside: int = 0


class PointsBody(msgspec.Struct, frozen=True, kw_only=True, tag="points"):
    """Points over the picture of `over`, as in `BoxesBody`: x and y."""

    over: str
    count: int
    points: tuple[tuple[float, float], ...]
    outside: int = 0


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


PreviewBody = (
    ImageBody
    | PlanesBody
    | WaveBody
    | BoxesBody
    | PointsBody
    | ValuesBody
    | TableBody
    | StatisticsBody
    | TextBody
)
