"""``fn.ones_like``."""

from __future__ import annotations

from dali_studio.operators.sources.filled import Like


class OnesLike(Like):
    """Makes tensors of ones, with the shapes, layout and type of others."""

    keywords = "fill unit same"
    value = 1
