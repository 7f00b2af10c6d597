"""Masks over their image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.studio import images
from dali_studio.studio.bodies import ImageBody
from dali_studio.studio.images import Rgb
from dali_studio.studio.renderers.base import Card, Large, Shown

#: Colours of the classes 1, 2, ..., which repeat; class 0 is the background.
_COLOURS = np.array(
    [[230, 97, 1], [59, 130, 224], [46, 158, 79], [178, 71, 178], [214, 177, 29], [23, 162, 162], [214, 69, 61]],
    np.uint8,
)


class MaskRenderer:
    """Shows whole numbers per pixel as colours, over the image where that has the same extents."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return shown.kind == "mask" and shown.sample.size > 0 and _classes(shown) is not None

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        image, note = _drawn(shown)
        return Card(ImageBody(), images.fitted(image, width, height), note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return Large(*_drawn(shown))


def _classes(shown: Shown) -> NDArray[Any] | None:
    sample = shown.sample
    if sample.dtype.kind not in "biu" and not np.array_equal(sample, np.rint(sample)):
        return None
    if sample.ndim == 3 and "C" in shown.layout and sample.shape[shown.layout.index("C")] == 1:
        return sample.squeeze(shown.layout.index("C"))
    return sample if sample.ndim == 2 else None


def _drawn(shown: Shown) -> tuple[Rgb, str]:
    classes, behind = _classes(shown), shown.backdrop()
    assert classes is not None
    marked = (classes != 0)[..., None]
    colours = _COLOURS[(classes.astype(np.int64) - 1) % len(_COLOURS)]
    if behind is None or behind.image.shape[:2] != classes.shape:
        return np.where(marked, colours, np.uint8(0)), ""
    mixed = (behind.image.astype(np.uint16) * 2 + colours.astype(np.uint16) * 3) // 5
    return np.where(marked, mixed, behind.image).astype(np.uint8), f"over {behind.node}"
