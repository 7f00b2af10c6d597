"""``fn.reductions.mean_square``."""

from __future__ import annotations

from dali_studio.core.enums import DALIDataType
from dali_studio.operators.reductions.common import Sums, square_types
from dali_studio.schema.declare import example


class MeanSquare(Sums):
    """The mean of the squares of elements."""

    path = "reductions.mean_square"
    keywords = "average power"
    examples = (example(), example(axes=(0,)), example(axes=(-1,), keep_dims=True))
    taken = "square"
    finish = "mean"

    @classmethod
    def types(cls, dtype: DALIDataType) -> tuple[DALIDataType, ...]:
        return square_types(dtype)
