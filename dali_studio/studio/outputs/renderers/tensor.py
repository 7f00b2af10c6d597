"""Every other tensor: its numbers if they are few, else what they are like."""

from __future__ import annotations

import numpy as np

from dali_studio.studio.outputs.images import lost_words, number, span_of
from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.protocol.bodies import StatisticsBody, TableBody

_ROWS, _COLUMNS, _BINS = 8, 8, 32


class TensorRenderer:
    """Shows at most 8 x 8 numbers as a table, more as statistics with a histogram."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return True

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        sample = shown.sample
        columns = sample.shape[-1] if sample.ndim > 1 else _COLUMNS
        flat = sample.reshape(-1)
        if sample.size == 0 or (0 < columns <= _COLUMNS and sample.size <= _ROWS * columns):
            cells = [number(value) for value in flat.tolist()]
            rows = [cells[i : i + columns] for i in range(0, len(cells), max(columns, 1))]
            return Card(TableBody(rows=tuple(map(tuple, rows))))
        values = flat.astype(np.float64)
        finite = values[np.isfinite(values)]
        low, high = span_of(values)
        counts = np.histogram(finite, _BINS, (low, high))[0]
        body = StatisticsBody(
            minimum=low, maximum=high, mean=float(finite.mean()) if finite.size else 0.0,
            deviation=float(finite.std()) if finite.size else 0.0, histogram=tuple(counts.tolist()),
        )  # fmt: skip
        return Card(body, note=lost_words(sample))

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return None
