"""``fn.reductions.variance``."""

from __future__ import annotations

from dali_studio.operators.reductions.common import Deviation
from dali_studio.schema.declare import example


class Variance(Deviation):
    """The variance around a mean that is given."""

    path = "reductions.variance"
    keywords = "spread"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    finish = "mean"
