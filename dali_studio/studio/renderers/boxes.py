"""Boxes over their image."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.studio import images
from dali_studio.studio.bodies import BoxesBody
from dali_studio.studio.renderers.base import Backdrop, Card, Large, Shown

_BOXES = 64


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
        boxes = cast("list[list[float]]", found[:_BOXES].tolist())
        body = BoxesBody(
            over=behind.node if behind else "", count=len(found),
            boxes=tuple((left, top, right, bottom) for left, top, right, bottom in boxes),
        )  # fmt: skip
        note = f"over {behind.node}" if behind else "there is no image to draw them over"
        return Card(body, images.fitted(behind.image, width, height) if behind else None, note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`: the image, over which the browser draws the boxes."""
        behind = shown.backdrop()
        return Large(behind.image, f"over {behind.node}") if behind else None


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
    """Left, top, right and bottom in parts of the image.

    Numbers above 1 are pixels, of the image or else of what spans all boxes.
    """
    boxes = np.nan_to_num(shown.sample.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    if not shown.corners:
        boxes = np.hstack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]])
    if boxes.size and boxes.max() > 1.0001:
        height, width = behind.image.shape[:2] if behind else (boxes[:, 3].max(), boxes[:, 2].max())
        boxes = boxes / np.array([width, height, width, height], np.float64).clip(1e-9)
    return boxes.clip(0.0, 1.0).round(5)
