"""Masks over their image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.runtime import thumbnails
from dali_studio.studio.outputs.images import LARGEST, Rgb
from dali_studio.studio.outputs.renderers.base import CLASS_COLOURS, Card, Large, Shown
from dali_studio.studio.protocol.bodies import ImageBody

_COLOURS = np.array(CLASS_COLOURS, np.uint8)


#: How much of a colour is mixed into the image.
_TINT = 0.55
#: The width of a card on the screen; and the most pixels of the inspector's picture, and its width there.
_CARD, _LARGE = 148, (1104, 756, 275)
#: The same of a picture in place of the canvas.
_FULL = (*LARGEST, 1000)


class MaskRenderer:
    """Shows whole numbers per pixel as colours, over the image where that has the same extents."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return shown.kind == "mask" and shown.sample.size > 0 and _classes(shown) is not None

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        image, note = _drawn(shown, width, height, _CARD)
        return Card(ImageBody(), image, note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return Large(*_drawn(shown, *(_FULL if shown.full else _LARGE)))


def _classes(shown: Shown) -> NDArray[Any] | None:
    sample = shown.sample
    if sample.dtype.kind not in "biu" and not np.array_equal(sample, np.rint(sample)):
        return None
    if sample.ndim == 3 and "C" in shown.layout and sample.shape[shown.layout.index("C")] == 1:
        return sample.squeeze(shown.layout.index("C"))
    return sample if sample.ndim == 2 else None


def _drawn(shown: Shown, width: int, height: int, shown_in: int) -> tuple[Rgb, str]:
    """The tinted classes with a white edge, at most so large; of `shown_in` px of the screen."""
    classes, behind = _classes(shown), shown.backdrop()
    assert classes is not None
    if behind is not None and behind.image.shape[:2] != classes.shape:
        behind = None
    image = thumbnails.fitted(behind.image if behind else np.zeros((*classes.shape, 3), np.uint8), width, height)
    high, wide = image.shape[:2]
    rows, columns = (_spread(*one) for one in zip((high, wide), classes.shape, strict=True))
    small = classes[rows[:, None], columns].astype(np.int64)
    marked = (small != 0)[..., None]
    share = _TINT if behind else 1.0
    mixed = image * (1.0 - share) + _COLOURS[(small - 1) % len(_COLOURS)] * share
    drawn = np.where(marked, mixed, image).astype(np.uint8)
    drawn[_edges(small, max(1, round(2 * max(wide, high * 1.5) / shown_in)))] = 255
    return drawn, f"over {behind.node}" if behind else ""


def _spread(count: int, size: int) -> NDArray[np.int64]:
    """The nearest of `size` pixels for each of `count`."""
    return np.arange(count, dtype=np.int64) * size // count


def _edges(classes: NDArray[np.int64], width: int) -> NDArray[np.bool_]:
    """The pixels of classes that are nearer to another one than so many pixels."""
    inside = np.ones(classes.shape, np.bool_)
    for turned, kept in ((classes, inside), (classes.T, inside.T)):
        for step in range(1, width + 1):
            same = turned[step:] == turned[:-step]
            kept[step:] &= same
            kept[:-step] &= same
    return ~inside & (classes != 0)
