"""Boxes and points over their image."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.runtime import thumbnails
from dali_studio.studio.outputs.renderers.base import Backdrop, Card, Large, Shown
from dali_studio.studio.protocol.bodies import BoxesBody, PointsBody

#: What is drawn at most.
_BOXES, _POINTS = 64, 512
#: Floats up to here are parts of the image's extents: those that leave it are seldom further away.
_PARTS = 2.0
#: What rounding may add to an edge.
_ROUNDING = 1e-3


class BoxesRenderer:
    """Shows rows of four numbers as boxes: those of the kind, and floats that can be nothing else beside an image."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        sample = shown.sample
        if sample.ndim != 2 or sample.shape[1] != 4 or sample.dtype.kind not in "fiu":
            return False
        if shown.kind == "boxes":
            return True
        return shown.kind == "any" and sample.dtype.kind == "f" and len(sample) > 0 and _must_be_boxes(shown)

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        behind = shown.backdrop()
        found = parts(shown, behind)
        outside = _leaving(found)
        boxes = cast("list[list[float]]", found[:_BOXES].clip(0.0, 1.0).tolist())
        classes = shown.classes()[:_BOXES]
        body = BoxesBody(
            over=behind.node if behind else "", count=len(found), outside=outside,
            labels=tuple(one.name for one in classes), colours=tuple(one.colour for one in classes),
            boxes=tuple((left, top, right, bottom) for left, top, right, bottom in boxes),
        )  # fmt: skip
        note = _note(behind, outside, len(found), "boxes leave")
        return Card(body, thumbnails.fitted(behind.image, width, height) if behind else None, note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`: the image, over which the browser draws the boxes."""
        behind = shown.backdrop()
        return Large(behind.image, f"over {behind.node}") if behind else None


class PointsRenderer(BoxesRenderer):
    """Shows rows of x and y as points."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        sample = shown.sample
        return shown.kind == "points" and sample.ndim >= 2 and sample.shape[-1] == 2 and sample.dtype.kind in "fiu"

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        behind = shown.backdrop()
        found = parts(shown, behind)
        outside = _leaving(found)
        places = cast("list[list[float]]", found[:_POINTS].tolist())
        body = PointsBody(
            over=behind.node if behind else "", count=len(found), points=tuple((x, y) for x, y in places),
            outside=outside,
        )  # fmt: skip
        note = _note(behind, outside, len(found), "points leave")
        return Card(body, thumbnails.fitted(behind.image, width, height) if behind else None, note)


def _leaving(found: NDArray[Any]) -> int:
    """How many boxes or points are not wholly in the image."""
    return int(((found < -_ROUNDING) | (found > 1.0 + _ROUNDING)).any(axis=1).sum())


def _note(behind: Backdrop | None, outside: int, count: int, words: str) -> str:
    over = f"over {behind.node}" if behind else "there is no image to draw them over"
    return f"{over}; {outside} of {count} {words} it" if outside else over


def _must_be_boxes(shown: Shown) -> bool:
    """Whether each row is a left upper and a right lower corner inside the image, as absolute or relative numbers."""
    behind = shown.backdrop()
    if behind is None or not np.isfinite(shown.sample).all():
        return False
    sample = shown.sample
    corners = bool((sample[:, :2] < sample[:, 2:]).all())
    whole = np.array([*behind.image.shape[1::-1]] * 2, np.float64)
    return corners and bool((sample >= 0).all() and ((sample <= 1).all() or (sample <= whole).all()))


def parts(shown: Shown, behind: Backdrop | None) -> NDArray[Any]:
    """Left, top, right and bottom of boxes, x and y of points, in parts of the image, which they may leave.

    Large numbers, and whole ones above 1, are pixels, of the image or else of what spans all of them.
    """
    sample = np.nan_to_num(shown.sample.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    found = sample.reshape(-1, sample.shape[-1])
    pairs = found.shape[1] // 2
    if pairs == 2 and not shown.corners:
        found = np.hstack([found[:, :2], found[:, :2] + found[:, 2:]])
    if found.size and found.max() > (_PARTS if shown.sample.dtype.kind == "f" else 1.0):
        extents = behind.image.shape[1::-1] if behind else found.reshape(-1, 2).max(axis=0)
        found = found / np.tile(np.asarray(extents, np.float64), pairs).clip(1e-9)
    return found.round(5)
