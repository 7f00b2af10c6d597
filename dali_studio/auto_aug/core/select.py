"""Choosing an augmentation for each sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dali_studio.api.branches import choose
from dali_studio.pipeline import DataNode


def select(ops: Sequence[Callable[..., Any]], selected_op_idx: DataNode, *op_args: Any, **op_kwargs: Any) -> Any:
    """What ``ops[selected_op_idx](*op_args, **op_kwargs)`` gives, where the index differs from sample to sample.

    Parameters
    ----------
    ops : sequence of callable
    selected_op_idx : DataNode
        From 0, below their number. The batch is halved by it until one operation is left, so that each works on its
        own samples alone.
    *op_args, **op_kwargs
        Results of operators among them are divided with the batch.
    """

    def among(first: int, last: int) -> Any:
        if first == last:
            return ops[first](*op_args, **op_kwargs)
        middle = (first + last) // 2
        return choose(selected_op_idx <= middle, lambda: among(first, middle), lambda: among(middle + 1, last))

    return among(0, len(ops) - 1)
