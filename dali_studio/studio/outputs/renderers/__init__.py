"""How outputs are shown: one renderer a module, the first that accepts an output shows it."""

from __future__ import annotations

from dali_studio.studio.outputs.renderers.base import Renderer, Shown
from dali_studio.studio.outputs.renderers.boxes import BoxesRenderer, PointsRenderer
from dali_studio.studio.outputs.renderers.encoded import EncodedRenderer
from dali_studio.studio.outputs.renderers.image import ImageRenderer
from dali_studio.studio.outputs.renderers.mask import MaskRenderer
from dali_studio.studio.outputs.renderers.planes import PlanesRenderer
from dali_studio.studio.outputs.renderers.spectrum import SpectrumRenderer
from dali_studio.studio.outputs.renderers.tensor import TensorRenderer
from dali_studio.studio.outputs.renderers.values import ValuesRenderer
from dali_studio.studio.outputs.renderers.volume import VolumeRenderer
from dali_studio.studio.outputs.renderers.wave import WaveRenderer

#: In the order in which they are asked; the last accepts everything.
RENDERERS: tuple[Renderer, ...] = (
    EncodedRenderer(), MaskRenderer(), SpectrumRenderer(), ImageRenderer(), VolumeRenderer(), PlanesRenderer(),
    BoxesRenderer(), PointsRenderer(), ValuesRenderer(), WaveRenderer(), TensorRenderer(),
)  # fmt: skip


def renderer_of(shown: Shown) -> Renderer:
    """The renderer that shows an output."""
    return next(renderer for renderer in RENDERERS if renderer.accepts(shown))
