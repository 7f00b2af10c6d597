"""From tensors to images: RGB, thumbnails in one JPEG atlas, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from dali_studio.core import wording
from dali_studio.core.dtypes import from_numpy, short_name

Rgb = NDArray[np.uint8]
#: How far the proportions of two pictures may be apart that are shown as halves of one.
_SAME_SHAPE = 0.02
#: The quality of JPEG files; those for sheets whose pictures, such as noise, take more bytes on average than the last.
_QUALITY, _LESS, _LOWER, _CELL_BYTES = 85, 65, (60, 30, 10), 64_000
#: Extents above which pictures that are shown as they are, each pixel, are made smaller.
LARGEST = 4096, 4096
#: Extent of JPEG's blocks, and the longest side of images of which each pixel gets one.
_BLOCK, _TINY = 8, 32
#: Where the first and the last of four planes lie, in parts of their axis.
_PLACES = {"F": (0.0, 1.0), "D": (0.3, 0.75)}
#: Axes of what is cut across the slices of a volume or the frames of a sequence, which is an image with more than so
#: many of these.
_SLICES, _FEW = ("DH", "DW", "FH", "FW"), 4


@dataclass(frozen=True, slots=True)
class Cell:
    """Place of an image in an atlas."""

    x: int
    y: int
    width: int
    height: int


def info(sample: NDArray[Any], *others: NDArray[Any], encoded: bool = False) -> str:
    """The shape line: ``256×385×3 u8``, of several samples ``200…256×385×3 u8``; for encoded files their size."""
    several = (sample, *others)
    if encoded:
        shape = _extent([byte_count(size) for size in sorted(one.size for one in several)])
    else:
        shape = "×".join(_extent(sorted(extents)) for extents in zip(*(one.shape for one in several), strict=True))
    return f"{shape or 'scalar'} {short_name(from_numpy(sample.dtype))}"


def _extent(ascending: Sequence[object]) -> str:
    """One extent of several samples, or from the smallest to the largest."""
    return "…".join(dict.fromkeys((str(ascending[0]), str(ascending[-1]))))


def byte_count(size: int) -> str:
    """Decimal units with three figures: ``268 kB``."""
    return wording.byte_count(size).replace("bytes", "B")


def number(value: float) -> str:
    """A number as cards show it."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def span_of(values: NDArray[Any]) -> tuple[float, float]:
    """The smallest and the largest finite value; 0 and 0 if there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def lost(values: NDArray[Any]) -> tuple[int, int]:
    """How many values are NaN, and how many infinite."""
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return 0, 0
    return int(np.isnan(values).sum()), int(np.isinf(values).sum())


def lost_words(values: NDArray[Any]) -> str:
    """The same in words: ``3 NaN, 2 Inf``; empty if there are none."""
    return ", ".join(f"{count} {name}" for count, name in zip(lost(values), ("NaN", "Inf"), strict=True) if count)


def is_image(sample: NDArray[Any], layout: str) -> bool:
    """Whether a tensor can be shown as an image."""
    if sample.size == 0 or sample.ndim != len(layout):
        return False
    if "C" in layout and sample.shape[layout.index("C")] not in (1, 2, 3, 4):
        return False
    return layout in ("HW", "HWC", "CHW") or (layout.removesuffix("C") in _SLICES and min(sample.shape[:2]) > _FEW)


def to_rgb(sample: NDArray[Any], layout: str) -> tuple[Rgb, str]:
    """An image as uint8 RGB, and a note on how its values were mapped to the screen.

    uint8 is shown as it is, but for zeros and ones, which would be black. These, and floats between 0 and 1, are shown
    over that range; other types over their own minimum and maximum.
    """
    (image,), note = to_rgb_each([sample], layout)
    return image, note


def to_rgb_each(
    samples: Sequence[NDArray[Any]], layout: str, span: tuple[float, float] | None = None
) -> tuple[list[Rgb], str]:
    """As `to_rgb`, of several images of one type that are mapped to the screen alike; `span`: their values' extent."""
    shaped = [
        s[..., None] if s.ndim == 2 else s.transpose(1, 2, 0) if layout == "CHW" else s for s in samples
    ]  # fmt: skip
    if shaped[0].shape[2] == 2 and shaped[0].dtype.kind == "f":
        longest = max(abs(end) for image in shaped for end in span_of(image)) if span is None else max(map(abs, span))
        note = f"vectors: colour is direction, white 0, full {longest:.3g}"
        return [_directions(image, longest) for image in shaped], note
    shaped = [image[..., :1] if image.shape[2] == 2 else image[..., :3] for image in shaped]
    note = ""
    if shaped[0].dtype == np.uint8:
        if (max(int(image.max()) for image in shaped) if span is None else span[1]) == 1:
            shaped, note = [image * np.uint8(255) for image in shaped], _mapped(0, 1)
    else:
        if span is None:
            each = [span_of(image.astype(np.float32)) for image in shaped]
            span = min(low for low, _ in each), max(high for _, high in each)
        low, high = span
        if shaped[0].dtype.kind == "f" and low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        shaped, note = [_ranged(image, low, high) for image in shaped], _mapped(low, high)
    return [
        np.ascontiguousarray(np.broadcast_to(image, (*image.shape[:2], 3)) if image.shape[2] == 1 else image)
        for image in shaped
    ], note


def _mapped(low: float, high: float) -> str:
    """How values become grey levels of 0 to 255."""
    scale = 255.0 / (high - low or 1.0)
    return f"shown from {low:.3g} to {high:.3g}, as x·{scale:.3g}" + (f"{-low * scale:+.3g}" if low else "")


def _ranged(image: NDArray[Any], low: float, high: float) -> Rgb:
    span = high - low or 1.0
    scaled = np.nan_to_num((image.astype(np.float32) - low) * (255.0 / span), nan=0.0, posinf=255.0, neginf=0.0)
    return (scaled + 0.5).clip(0, 255).astype(np.uint8)


def _directions(vectors: NDArray[Any], longest: float) -> Rgb:
    """Vectors (x, y) as colours: the hue is the direction, from red for the right by yellow for down; white is 0."""
    x, y = np.nan_to_num(np.moveaxis(vectors.astype(np.float32), 2, 0), posinf=longest, neginf=-longest)
    sixths = np.arctan2(y, x)[..., None] * (3 / np.pi) + np.array((0, 4, 2), np.float32)
    hues = np.clip(np.abs(sixths % 6 - 3) - 1, 0, 1)
    strength = np.clip(np.hypot(x, y) / (longest or 1.0), 0, 1)[..., None]
    return (255 * (1 - strength * (1 - hues)) + 0.5).astype(np.uint8)


def four_planes(planes: NDArray[Any], axis: str, layout: str) -> NDArray[Any]:
    """Four planes, two beside two, in the layout of one: frames (F) from first to last, slices (D) from the middle."""
    places = (np.linspace(*_PLACES[axis], 4) * (len(planes) - 1)).round().astype(int)
    first, second, third, fourth = (planes[place] for place in places)
    rows = [np.concatenate(pair, layout.index("W")) for pair in ((first, second), (third, fourth))]
    return np.concatenate(rows, layout.index("H"))


def fitted_to(image: Rgb, width: int, height: int) -> Rgb:
    """The image at other extents."""
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR))


def atlas(images: Sequence[Rgb], columns: int = 4, *, small: bool = False) -> tuple[list[Cell], bytes]:
    """Pack images into one JPEG, row by row.

    JPEG mixes the colours of each block of 8x8 pixels: none holds parts of two images, and of images that are so small
    that one counts their pixels, each pixel has a block of its own, unless the file has to be `small`.
    """
    if not small:
        images = [image.repeat(_BLOCK, 0).repeat(_BLOCK, 1) if max(image.shape) <= _TINY else image for image in images]
    cells: list[Cell] = []
    x = y = row = width = 0
    for number, image in enumerate(images):
        if number and number % columns == 0:
            x, y, row = 0, y + row, 0
        cells.append(Cell(x, y, image.shape[1], image.shape[0]))
        x, row = x + blocks(image.shape[1]), max(row, blocks(image.shape[0]))
        width = max(width, x)
    canvas = np.zeros((y + row, width, 3), np.uint8)
    for cell, image in zip(cells, images, strict=True):
        part = canvas[cell.y : cell.y + blocks(cell.height), cell.x : cell.x + blocks(cell.width)]
        part[: cell.height, : cell.width] = image
        part[: cell.height, cell.width :] = image[:, -1:]
        part[cell.height :] = part[cell.height - 1]
    made = jpeg(canvas, _LESS if small else _QUALITY)
    for quality in _LOWER:
        if len(made) > _CELL_BYTES * len(images):
            made = jpeg(canvas, quality)
    return cells, made


def blocks(extent: int) -> int:
    """An extent, up to the end of its last block."""
    return extent + -extent % _BLOCK


def jpeg(image: Rgb, quality: int = _QUALITY) -> bytes:
    """A JPEG file without chroma subsampling."""
    return simplejpeg.encode_jpeg(np.ascontiguousarray(image), quality=quality, colorsubsampling="444")


def alike(one: Rgb, other: Rgb) -> bool:
    """Whether two pictures have proportions so near that they can be shown as halves of one."""
    return abs(one.shape[0] * other.shape[1] / (one.shape[1] * other.shape[0]) - 1) <= _SAME_SHAPE


def square(image: Rgb, size: int) -> Rgb:
    """The middle of an image as a small square."""
    side = min(image.shape[:2])
    y, x = (image.shape[0] - side) // 2, (image.shape[1] - side) // 2
    cut = Image.fromarray(np.ascontiguousarray(image[y : y + side, x : x + side]))
    return np.asarray(cut.resize((size, size), Image.Resampling.BILINEAR, reducing_gap=2.0))


def histogram(
    sample: NDArray[Any], layout: str, bins: int = 32, limits: tuple[float, float] | None = None
) -> tuple[tuple[int, ...], ...]:  # fmt: skip
    """Counts per channel (at most 4; one for what is no image) between limits, else the smallest and largest value."""
    values = sample if sample.dtype == np.uint8 else sample.astype(np.float32)
    if not np.isfinite(values).any():
        return ()
    limits = span_of(values) if limits is None else limits
    planes = list(np.moveaxis(values, layout.index("C"), 0)[:4]) if layout in ("HWC", "CHW") else [values]
    return tuple(tuple(_counts(plane, bins, limits).tolist()) for plane in planes)


def _counts(plane: NDArray[Any], bins: int, limits: tuple[float, float]) -> NDArray[Any]:
    """How many finite values lie in each part between limits."""
    if plane.dtype != np.uint8:
        return np.histogram(plane[np.isfinite(plane)], bins, limits)[0]
    # there are 256 values: to place each of them is many times as fast as to place every pixel
    pixels = np.bincount(plane.reshape(-1), minlength=256)
    return np.histogram(np.arange(256, dtype=np.float32), bins, limits, weights=pixels)[0].astype(np.int64)
