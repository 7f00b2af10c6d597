"""``fn.zeros``."""

from __future__ import annotations

from dali_studio.operators.sources.filled import OfShape


class Zeros(OfShape):
    """Makes tensors of zeros."""

    keywords = "empty blank"
    value = 0
