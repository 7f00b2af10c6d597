"""Volumes: images along the axis D, looked at from three sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.outputs.renderers.planes import PlanesRenderer, spread
from dali_studio.studio.protocol.bodies import VolumeBody

#: Slices along each axis among which a card chooses, the one in the middle apart; a plane's width by its height there.
_SLICES, _RATIO = 9, 110 / 132


def is_volume(layout: str) -> bool:
    """Whether three planes of such data can be shown."""
    return set(layout) in ({*"DHW"}, {*"DHWC"})


class VolumeRenderer(PlanesRenderer):
    """Shows the three planes through a voxel."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return is_volume(shown.layout) and super().accepts(shown)

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`: axial (H by W), coronal (D by W) and sagittal (D by H)."""
        volume, extents, drawn = _whole(shown)
        sides = (drawn, *extents[1:])
        chosen = [tuple(sorted({*spread(count, _SLICES), count // 2})) for count in extents]
        planes = [volume.take(place, axis) for axis in range(3) for place in chosen[axis]]
        pixels, note = images.to_rgb_each(planes, "HWC"[: volume.ndim - 1], images.span_of(volume))
        wide = round(height * _RATIO)
        row = np.zeros((height, wide * len(pixels), 3), np.uint8)
        axes = [axis for axis in range(3) for _ in chosen[axis]]
        for number, (axis, image) in enumerate(zip(axes, pixels, strict=True)):
            down, across = (side for other, side in enumerate(sides) if other != axis)
            scale = min(wide / across, height / down)
            w, h = max(round(across * scale), 1), max(round(down * scale), 1)
            left, top = wide * number + (wide - w) // 2, (height - h) // 2
            row[top : top + h, left : left + w] = images.fitted_to(image, w, h)
        one, two, three = chosen
        return Card(VolumeBody(extents=extents, sides=sides, shown=(one, two, three), width=wide), row, note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`; `plane` is the number of a voxel, with D as the slowest axis and W as the fastest.

        Axial (H by W) stands left above, coronal (D by W) below it, and sagittal (H by D) at its right.
        """
        volume, extents, drawn = _whole(shown)
        depth, height, width = extents
        number = min(plane, depth * height * width - 1) if plane >= 0 else _middle(extents)
        z, y, x = np.unravel_index(number, extents)
        planes = [volume[z], volume[:, y], volume[:, :, x].swapaxes(0, 1)]
        (axial, coronal, sagittal), note = images.to_rgb_each(planes, "HWC"[: volume.ndim - 1], images.span_of(volume))
        image = np.zeros((height + drawn, width + drawn, 3), np.uint8)
        image[:height, :width] = axial
        image[height:, :width] = images.fitted_to(coronal, width, drawn)
        image[:height, width:] = images.fitted_to(sagittal, drawn, height)
        return Large(image, note, plane=number, extents=extents, depth=drawn)


def _whole(shown: Shown) -> tuple[NDArray[Any], tuple[int, int, int], int]:
    """The volume with D, H and W first, their extents, and how long D is drawn.

    Few slices are stretched to a third of the larger side, many are narrowed to that side.
    """
    volume = shown.sample.transpose([shown.layout.index(name) for name in "DHWC" if name in shown.layout])
    depth, height, width = volume.shape[:3]
    side = max(height, width)
    return volume, (depth, height, width), min(max(depth, side // 3, 1), side)


def _middle(extents: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(tuple(extent // 2 for extent in extents), extents))
