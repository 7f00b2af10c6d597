"""Pictures of batches: what can be drawn, as bytes, and as coloured characters of a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.tensors import TensorListCPU

#: Columns of a sample in a terminal, the least and the most. A character holds two pixels, one above the other.
_NARROWEST, _WIDEST = 12, 32
#: Axes of frames and slices.
_PLANES = ("F", "D")


def is_image(batch: TensorListCPU) -> bool:
    """Whether samples are images with a number of channels that can be drawn, planes of such images, or spectra."""
    layout, shapes = batch.layout(), batch.shape()
    if _is_slice(layout):
        from dali_studio.studio.outputs import images  # noqa: PLC0415 - of sequences and volumes alone

        drawn = len(layout) == 2 or all(shape[2] in (1, 3, 4) for shape in shapes)
        return drawn and all(images.is_image(batch.at(i), layout) for i in range(len(batch)))
    axes = sorted(layout[1:] if layout.startswith(_PLANES) else layout)
    if layout.startswith(_PLANES) and not all(shape[0] for shape in shapes):
        return False
    if axes in (["H", "W"], ["f", "t"]):
        return True
    return axes == ["C", "H", "W"] and all(shape[layout.index("C")] in (1, 3, 4) for shape in shapes)


def is_sequence(layout: str) -> bool:
    """Whether samples are frames, or features of them, which a slice across frames is not."""
    return layout.startswith("F") and not _is_slice(layout)


def _is_slice(layout: str) -> bool:
    """Whether it is that of one plane that was cut across the frames of a sequence or the slices of a volume."""
    return layout.startswith(_PLANES) and len(layout.removesuffix("C")) == 2


def displayable(sample: NDArray[Any], layout: str) -> NDArray[np.uint8]:
    """Pixels as bytes, channels last; what is not uint8 is stretched over its own range.

    Of sequences and volumes four frames or slices, of spectra the low frequencies below.
    """
    if layout.startswith(_PLANES) and not _is_slice(layout):
        from dali_studio.studio.outputs.images import four_planes  # noqa: PLC0415 - of sequences and volumes alone

        sample, layout = four_planes(sample, layout[0], layout[1:]), layout[1:]
    if layout in ("ft", "tf"):
        sample = (sample if layout == "ft" else sample.T)[::-1]
    image = np.moveaxis(sample, layout.index("C"), -1) if "C" in layout else sample
    if image.dtype != np.uint8:
        values = image.astype(np.float64)
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        image = np.rint((values - low) * (255.0 / ((high - low) or 1.0))).astype(np.uint8)
    return image[..., 0] if image.ndim == 3 and image.shape[-1] == 1 else image


def frame(sample: NDArray[Any], layout: str, number: int) -> NDArray[np.uint8]:
    """One frame of a sequence, as of `displayable`; what is not uint8 is stretched over the range of the sequence."""
    if sample.dtype != np.uint8:
        values = sample.astype(np.float64)
        low, high = float(values.min()), float(values.max())
        sample = np.rint((values - low) * (255.0 / ((high - low) or 1.0))).astype(np.uint8)
    return displayable(sample[number], layout[1:])


def shows_images() -> bool:
    """Whether standard output is a terminal of 24-bit colours, with the characters that pictures take."""
    if sys.stdout is None or not sys.stdout.isatty():  # pyright: ignore[reportUnnecessaryComparison] - `>&-`
        return False
    colours = os.environ.get("COLORTERM", "") in ("truecolor", "24bit") and "NO_COLOR" not in os.environ
    return colours and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def strips(outputs: Sequence[TensorListCPU]) -> str:
    """A line of pictures for every output that holds images, as wide as the terminal: two pixels a character."""
    columns = shutil.get_terminal_size().columns
    count = max(1, min(4, columns // _NARROWEST))
    width = min(_WIDEST, columns // count - 1)
    return "\n".join(
        _strip([displayable(batch.at(i), batch.layout()) for i in range(min(count, len(batch)))], width)
        for batch in outputs
        if is_image(batch)
    )


def _strip(images: Sequence[NDArray[np.uint8]], width: int) -> str:
    small = [_shrunk(image, width) for image in images]
    height = max((len(image) for image in small), default=0)
    blank = " " * width
    lines = [
        " ".join(_characters(image[row], image[row + 1]) if row < len(image) else blank for image in small)
        for row in range(0, height, 2)
    ]
    return "\n".join(["", *lines])


def _shrunk(image: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    """RGB pixels, `width` wide, an even number high: each the nearest of the image's."""
    rgb = np.broadcast_to(image[..., None], (*image.shape, 3)) if image.ndim == 2 else image[..., :3]
    height = max(2, 2 * round(width * image.shape[0] / max(image.shape[1], 1) / 2))
    sizes = (height, len(rgb)), (width, rgb.shape[1])
    rows, columns = ((np.arange(n) * 2 + 1) * extent // (2 * n) for n, extent in sizes)
    return rgb[rows][:, columns]


def _characters(above: NDArray[np.uint8], below: NDArray[np.uint8]) -> str:
    cells = (
        "\x1b[38;2;{};{};{};48;2;{};{};{}m▀".format(*map(int, top), *map(int, bottom))
        for top, bottom in zip(above, below, strict=True)
    )
    return "".join(cells) + "\x1b[0m"
