"""Images."""

from __future__ import annotations

from dali_studio.runtime import thumbnails
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.protocol.bodies import ImageBody


class ImageRenderer:
    """Shows HWC, CHW and HW with at most four channels."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return images.is_image(shown.sample, shown.layout)

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        (image,), note = images.to_rgb_each([shown.sample], shown.layout, shown.span)
        return Card(ImageBody(), thumbnails.fitted(image, width, height), note)

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return Large(*images.to_rgb(shown.sample, shown.layout))
