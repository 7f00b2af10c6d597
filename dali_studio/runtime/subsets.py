"""Which samples of an iteration a step works on: all of them, or those of a branch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError


def indices_of(inputs: Iterable[Batch], arguments: Iterable[tuple[str, Batch]]) -> NDArray[np.int64] | None:
    """The samples that all inputs and argument inputs of a step are about; ``None``: all that are computed.

    Raises
    ------
    ArgumentError
        DS304 for inputs of different samples: those of one branch, and those of another one or of the whole batch.
    """
    found: NDArray[np.int64] | None = None
    first = True
    for name, batch in (*(("", batch) for batch in inputs), *arguments):
        if first:
            found, first = batch.indices, False
        elif batch.indices is not found and not _same(batch.indices, found):
            raise ArgumentError(
                f"the inputs are about different samples: {_words(found)} and {_words(batch.indices)}.",
                hint="Split all of them by one condition, or merge the branches before this step.",
                argument=name, code="DS304",
            )  # fmt: skip
    return found


def _same(indices: NDArray[np.int64] | None, others: NDArray[np.int64] | None) -> bool:
    return indices is not None and others is not None and np.array_equal(indices, others)


def _words(indices: NDArray[np.int64] | None) -> str:
    return "the whole batch" if indices is None else f"{len(indices)} of the batch"


def without(batch: Batch, present: NDArray[np.int64], skipped: Sequence[int]) -> Batch:
    """A batch without some of the iteration's samples; `present` are those that are computed."""
    indices = present if batch.indices is None else batch.indices
    kept = np.flatnonzero(~np.isin(indices, np.asarray(skipped, np.int64)))
    made = batch.select(kept)
    made.indices = None if batch.indices is None else made.indices
    return made
