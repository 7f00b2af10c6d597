"""``fn.zeros_like``."""

from __future__ import annotations

from dali_studio.operators.sources.filled import Like


class ZerosLike(Like):
    """Makes tensors of zeros, with the shapes, layout and type of others."""

    keywords = "empty blank same"
    value = 0
