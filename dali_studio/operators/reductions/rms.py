"""``fn.reductions.rms``."""

from __future__ import annotations

from dali_studio.core.enums import DALIDataType
from dali_studio.operators.reductions.common import Sums, mean_types
from dali_studio.schema.declare import example


class RMS(Sums):
    """The square root of the mean of the squares of elements."""

    path = "reductions.rms"
    keywords = "root mean square loudness"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    taken = "square"
    finish = "root"

    @classmethod
    def types(cls, dtype: DALIDataType) -> tuple[DALIDataType, ...]:
        return mean_types(dtype)
