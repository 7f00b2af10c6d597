"""Outputs as one picture, for the gallery, where nothing is drawn over it and no frame is chosen."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.base import Shown
from dali_studio.studio.outputs.renderers.boxes import BoxesRenderer, parts
from dali_studio.studio.outputs.renderers.image import ImageRenderer
from dali_studio.studio.outputs.renderers.mask import MaskRenderer
from dali_studio.studio.outputs.renderers.planes import PlanesRenderer
from dali_studio.studio.outputs.renderers.spectrum import SpectrumRenderer

#: Widths and colours of a box's lines: a bright one within a dark one is seen on any photo.
_LINES = ((5, (30, 30, 30)), (3, (255, 255, 255)))

#: Pixels that spectra and planes of volumes are made high, about.
_HEIGHT = 320


def still(shown: Shown) -> Rgb | None:
    """An image, a mask, boxes or points over theirs, a spectrum, four frames or slices; ``None`` for anything else."""
    renderer = renderer_of(shown)
    if isinstance(renderer, BoxesRenderer):
        return _boxed(shown)
    if isinstance(renderer, PlanesRenderer):
        return _enlarged(renderer.four(shown))
    large = renderer.large(shown, -1) if isinstance(renderer, ImageRenderer | MaskRenderer | SpectrumRenderer) else None
    if large is None:
        return None
    return _enlarged(large.image) if isinstance(renderer, SpectrumRenderer) else large.image


def _boxed(shown: Shown) -> Rgb | None:
    behind = shown.backdrop()
    if behind is None:
        return None
    picture = Image.fromarray(behind.image)
    pen = ImageDraw.Draw(picture)
    for row in (parts(shown, behind).clip(0.0, 1.0) * np.resize(picture.size, shown.sample.shape[-1])).tolist():
        for width, colour in _LINES:
            if len(row) == 2:
                pen.circle(row, width, fill=colour)
            else:
                left, top, right, bottom = row
                corners = [min(left, right), min(top, bottom), max(left, right), max(top, bottom)]
                pen.rectangle(corners, outline=colour, width=width)
    return np.asarray(picture)


def _enlarged(picture: Rgb) -> Rgb:
    """What has few pixels, each as a square of several."""
    times = max(round(_HEIGHT / len(picture)), 1)
    return picture.repeat(times, axis=0).repeat(times, axis=1)
