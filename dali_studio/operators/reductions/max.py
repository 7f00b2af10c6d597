"""``fn.reductions.max``."""

from __future__ import annotations

from dali_studio.operators.reductions.common import Extreme
from dali_studio.schema.declare import example


class Max(Extreme):
    """The largest of elements.

    What is no number counts as nothing.
    """

    path = "reductions.max"
    keywords = "maximum most largest"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    largest = True
