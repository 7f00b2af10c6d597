"""``fn.ones``."""

from __future__ import annotations

from dali_studio.operators.sources.filled import OfShape


class Ones(OfShape):
    """Makes tensors of ones."""

    keywords = "fill unit"
    value = 1
