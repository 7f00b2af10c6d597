"""``fn.reductions.sum``."""

from __future__ import annotations

from dali_studio.core.enums import DALIDataType
from dali_studio.operators.reductions.common import Sums, sum_types
from dali_studio.schema.declare import example


class Sum(Sums):
    """Adds up elements.

    Whole numbers are added up in 64 bits unless `dtype` says otherwise.
    """

    path = "reductions.sum"
    keywords = "add total"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))

    @classmethod
    def types(cls, dtype: DALIDataType) -> tuple[DALIDataType, ...]:
        return sum_types(dtype)
