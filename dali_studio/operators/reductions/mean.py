"""``fn.reductions.mean``."""

from __future__ import annotations

from dali_studio.core.enums import DALIDataType
from dali_studio.operators.reductions.common import Sums, mean_types
from dali_studio.schema.declare import example


class Mean(Sums):
    """The mean of elements."""

    path = "reductions.mean"
    keywords = "average"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    finish = "mean"

    @classmethod
    def types(cls, dtype: DALIDataType) -> tuple[DALIDataType, ...]:
        return mean_types(dtype)
