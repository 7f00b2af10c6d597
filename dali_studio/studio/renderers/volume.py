"""Volumes: images along the axis D, looked at from three sides."""

from __future__ import annotations

import numpy as np

from dali_studio.studio import images
from dali_studio.studio.renderers.base import Large, Shown
from dali_studio.studio.renderers.planes import PlanesRenderer


class VolumeRenderer(PlanesRenderer):
    """Shows slices of a volume behind a slider, and large the three planes through a voxel."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return set(shown.layout) in ({*"DHW"}, {*"DHWC"}) and super().accepts(shown)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`; `plane` is the number of a voxel, with D as the slowest axis and W as the fastest.

        Axial (H by W) stands left above, coronal (D by W) below it, and sagittal (H by D) at its right. Few slices are
        stretched to a third of the larger side, many are narrowed to that side.
        """
        axes = [shown.layout.index(name) for name in "DHWC" if name in shown.layout]
        volume = shown.sample.transpose(axes)
        extents = depth, height, width = volume.shape[:3]
        number = min(plane, depth * height * width - 1) if plane >= 0 else _middle(extents)
        z, y, x = np.unravel_index(number, extents)
        planes = [volume[z], volume[:, y], volume[:, :, x].swapaxes(0, 1)]
        (axial, coronal, sagittal), note = images.to_rgb_each(planes, "HWC"[: volume.ndim - 1], images.span_of(volume))
        side = max(height, width)
        drawn = min(max(depth, side // 3, 1), side)
        image = np.zeros((height + drawn, width + drawn, 3), np.uint8)
        image[:height, :width] = axial
        image[height:, :width] = images.fitted_to(coronal, width, drawn)
        image[:height, width:] = images.fitted_to(sagittal, drawn, height)
        return Large(image, note, plane=number, extents=extents, depth=drawn)


def _middle(extents: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(tuple(extent // 2 for extent in extents), extents))
