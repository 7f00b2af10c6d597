"""``fn.reductions.min``."""

from __future__ import annotations

from dali_studio.operators.reductions.common import Extreme
from dali_studio.schema.declare import example


class Min(Extreme):
    """The smallest of elements.

    What is no number counts as nothing.
    """

    path = "reductions.min"
    keywords = "minimum least smallest"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    largest = False
