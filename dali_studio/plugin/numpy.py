"""Batches as NumPy arrays, for loops without a framework; the iterators are called as those for PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dali_studio.pipeline import Pipeline
from dali_studio.plugin.base_iterator import BaseIterator, LastBatchPolicy, Outputs
from dali_studio.plugin.lent import shared_outputs

__all__ = ["DALIClassificationIterator", "DALIGenericIterator", "LastBatchPolicy"]


class DALIGenericIterator(BaseIterator):
    """Hands out ``[{name: array, ...}, ...]``: one dictionary for each pipeline.

    An array has the samples on its first axis; samples that differ in shape come as a list of arrays.
    Arrays share the memory of the pipeline's results, which is not used again as long as they are there. Copied are
    results on a GPU, and what does not belong to the iteration alone: a constant, and what an `external_source` with
    `no_copy` or `repeat_last` gives directly to an output.

    Parameters
    ----------
    pipelines : Pipeline or list of Pipeline
        All of one batch size.
    output_map : sequence of str
        A name for each output.
    **arguments
        `size`, `reader_name`, `auto_reset`, `last_batch_padded`, `last_batch_policy` and `prepare_first_batch`, as of
        `dali_studio.plugin.pytorch.DALIGenericIterator`.

    Raises
    ------
    DaliStudioError
        DS105 for arguments that do not fit, DS304 if there is no data.

    Examples
    --------
    >>> for (batch,) in DALIGenericIterator(pipe, ["images", "labels"], reader_name="Reader"):  # doctest: +SKIP
    ...     images, labels = batch["images"], batch["labels"]
    """

    @cached_property
    def _shared(self) -> list[list[bool]]:
        return [shared_outputs(pipe) for pipe in self._pipes]

    def _converted(self, pipeline: int, outputs: Outputs) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, given, shared in zip(self.output_map, outputs, self._shared[pipeline], strict=True):
            batch = given.as_cpu()
            if batch.is_dense_tensor():
                array = batch.as_array()
                made[name] = np.array(array) if shared else array
            else:
                made[name] = [np.array(batch.at(i)) if shared else batch.at(i) for i in range(len(batch))]
        return made


class DALIClassificationIterator(DALIGenericIterator):
    """`DALIGenericIterator` for pipelines with two outputs, which are called ``"data"`` and ``"label"``.

    Its parameters are those of `DALIGenericIterator`, without `output_map`.
    """

    def __init__(self, pipelines: Pipeline | Sequence[Pipeline], **arguments: Any) -> None:
        super().__init__(pipelines, ["data", "label"], **arguments)
