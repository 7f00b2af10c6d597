"""``fn.reductions.std_dev``."""

from __future__ import annotations

from dali_studio.operators.reductions.common import Deviation
from dali_studio.schema.declare import example


class StdDev(Deviation):
    """The standard deviation from a mean that is given."""

    path = "reductions.std_dev"
    keywords = "standard spread sigma"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    finish = "root"
