"""Images along an axis: frames of a sequence, and slices."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.runtime import thumbnails
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.protocol.bodies import PlanesBody

#: Frames that a card shows.
_FRAMES = 8
#: The part of a card's room that a frame takes, above the others.
_FRAME = 0.9


class PlanesRenderer:
    """Shows frames; of a sequence of volumes, middle slices."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        if not set(shown.layout) & {"F", "D"} or shown.sample.ndim != len(shown.layout) or not shown.sample.size:
            return False
        _, planes, layout = _planes(shown)
        return images.is_image(planes[0], layout)

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        _, planes, layout = _planes(shown)
        count = len(planes)
        chosen = spread(count, _FRAMES)
        # mapped together, so that the planes can be compared
        pixels, note = images.to_rgb_each([planes[i] for i in chosen], layout)
        row = [thumbnails.fitted(image, int(width * _FRAME), int(height * _FRAME)) for image in pixels]
        times = tuple(shown.seconds[i] for i in chosen) if len(shown.seconds) == count else ()
        body = PlanesBody(count=count, shown=chosen, width=row[0].shape[1], times=times)
        return Card(body, np.hstack(row), note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        axis, planes, layout = _planes(shown)
        first = 0 if axis == "F" else len(planes) // 2
        number = min(plane, len(planes) - 1) if plane >= 0 else first
        (image,), note = images.to_rgb_each([planes[number]], layout, images.span_of(planes))
        return Large(image, note, len(planes), number)

    def four(self, shown: Shown) -> Rgb:
        """Four of the planes as one picture."""
        axis, planes, layout = _planes(shown)
        return images.to_rgb(images.four_planes(planes, axis, layout), layout)[0]


def spread(count: int, most: int) -> tuple[int, ...]:
    """So many of `count` places, the first and the last among them."""
    return tuple(cast("list[int]", np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)).tolist()))


def _planes(shown: Shown) -> tuple[Literal["F", "D"], NDArray[Any], str]:
    """The axis along which planes are shown, the sample with that axis first, and the layout of one plane."""
    axis: Literal["F", "D"] = "F" if "F" in shown.layout else "D"
    planes = np.moveaxis(shown.sample, shown.layout.index(axis), 0)
    layout = shown.layout.replace(axis, "")
    if "D" in layout:
        depth = layout.index("D") + 1
        planes, layout = planes.take(planes.shape[depth] // 2, axis=depth), layout.replace("D", "")
    return axis, planes, layout
