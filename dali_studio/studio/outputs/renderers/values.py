"""Scalars: one number for each sample."""

from __future__ import annotations

from dali_studio.studio.outputs.images import number
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.protocol.bodies import ValuesBody

_MAX_VALUES = 64


class ValuesRenderer:
    """Shows the numbers of the batch as bars."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return bool(shown.values)

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        return Card(ValuesBody(values=shown.values[:_MAX_VALUES], text=number(shown.sample.ravel()[0].item())))

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return None
