"""Scalars: one number for each sample."""

from __future__ import annotations

from dali_studio.studio.outputs.images import number
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.protocol.bodies import ValuesBody

_MAX_VALUES = 64


def values_body(values: tuple[float | None, ...], text: str) -> ValuesBody:
    """As many of the numbers of a batch as a card shows."""
    return ValuesBody(values=values[:_MAX_VALUES], text=text)


class ValuesRenderer:
    """Shows the numbers of the batch as bars."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return bool(shown.values)

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        return Card(values_body(shown.values, number(shown.sample.ravel()[0].item())))

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return None
