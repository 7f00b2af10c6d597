"""Pipelines in Ray Data: batches of a distributed data set go through pipelines in actors, on one machine or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.optional import require
from dali_studio.pipeline import Pipeline
from dali_studio.tensors import TensorListCPU, TensorListGPU

Columns = Mapping[str, NDArray[Any]]
__all__ = ["BatchTransform", "map_batches"]


def map_batches(
    dataset: Any, definition: Callable[..., Pipeline], inputs: Sequence[str] | Mapping[str, str],
    outputs: Sequence[str], *, keep: Sequence[str] = (), batch_size: int = 64, num_threads: int = 2,
    device_id: int | None = None, concurrency: int | tuple[int, int] = 1, arguments: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:  # fmt: skip
    """Send the batches of a data set of Ray through a pipeline.

    Parameters
    ----------
    dataset : ray.data.Dataset
    definition : callable
        A function decorated by ``pipeline_def``. Each actor makes a pipeline of it.
    inputs : sequence of str or dict
        Names of external sources without a source, and columns that feed them; a list, if both are called the same.
        A column has bytes (such as encoded files), texts (such as paths), numbers, or arrays, which may differ in
        shape.
    outputs : sequence of str
        A column for each output of the pipeline.
    keep : sequence of str
        Columns that are handed on.
    batch_size : int
        Most rows of a batch.
    num_threads : int
        Threads of each pipeline; Ray counts as many CPUs for its actor.
    device_id : int, optional
        0 for pipelines that use a GPU: Ray gives each actor one of its own then.
    concurrency : int or (int, int)
        Number of actors, or the smallest and the largest.
    arguments : dict, optional
        Arguments of the definition, and further options of `Pipeline`. A ``seed`` is that of all actors; without it
        each draws its own.
    **options
        Of ``Dataset.map_batches``.

    Returns
    -------
    ray.data.Dataset

    Raises
    ------
    DaliStudioError
        DS601 without Ray.
    """
    data = require("ray.data", purpose="Pipelines in Ray Data", install="'ray[data]'")
    made = {**(arguments or {}), "batch_size": batch_size, "num_threads": num_threads, "device_id": device_id}
    resources = {"num_cpus": num_threads, **({} if device_id is None else {"num_gpus": 1})}
    least, most = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    return dataset.map_batches(
        BatchTransform, fn_constructor_args=(definition, inputs, outputs, keep), fn_constructor_kwargs=made,
        batch_size=batch_size, batch_format="numpy",
        compute=data.ActorPoolStrategy(min_size=least, max_size=most), **{**resources, **options},
    )  # fmt: skip


class BatchTransform:
    """A pipeline as a function of batches, for ``Dataset.map_batches`` and for whoever has columns of NumPy arrays.

    Parameters
    ----------
    definition, inputs, outputs, keep
        As of `map_batches`.
    **arguments
        Of the definition, with the options of `Pipeline`.

    Raises
    ------
    DaliStudioError
        DS105 if `outputs` are not as many as those of the pipeline.
    """

    def __init__(
        self, definition: Callable[..., Pipeline], inputs: Sequence[str] | Mapping[str, str], outputs: Sequence[str],
        keep: Sequence[str] = (), **arguments: Any,
    ) -> None:  # fmt: skip
        self._inputs = dict(inputs) if isinstance(inputs, Mapping) else {name: name for name in inputs}
        self._outputs, self._keep = list(outputs), list(keep)
        self._pipeline = definition(**{"prefetch_queue_depth": 1, **arguments})
        self._pipeline.build()
        count = len(self._pipeline.graph.outputs)
        if count != len(self._outputs):
            raise DaliStudioError(
                Diagnostic(
                    code="DS105", argument="outputs",
                    message=f"outputs names {len(self._outputs)} columns; the pipeline has {count} outputs.",
                    hint="Give a name for each.",
                )
            )  # fmt: skip

    def __call__(self, batch: Columns) -> dict[str, NDArray[Any]]:
        """The columns of a batch after the pipeline.

        Raises
        ------
        DaliStudioError
            DS209 for a column that there is not, or what the pipeline raises.
        """
        missing = [name for name in (*self._inputs.values(), *self._keep) if name not in batch]
        if missing:
            raise DaliStudioError(
                Diagnostic(
                    code="DS209", argument="inputs" if missing[0] in self._inputs.values() else "keep",
                    message=f"The data set has no column {missing[0]!r}.", hint=f"Columns: {', '.join(batch)}.",
                )
            )  # fmt: skip
        results = self._pipeline.run(**{source: _samples(batch[name]) for source, name in self._inputs.items()})
        made = {name: _column(result) for name, result in zip(self._outputs, results, strict=True)}
        return {**{name: batch[name] for name in self._keep}, **made}


def _samples(column: NDArray[Any]) -> NDArray[Any] | list[NDArray[Any]]:
    """What feeds an external source: bytes and texts become arrays of bytes."""
    if column.dtype != object and column.dtype.kind not in "SU":
        return np.ascontiguousarray(column)
    encoded = (one.encode() if isinstance(one, str) else one for one in column)
    return [np.frombuffer(one, np.uint8) if isinstance(one, bytes) else np.asarray(one) for one in encoded]


def _column(result: TensorListCPU | TensorListGPU) -> NDArray[Any]:
    """An output as a column: one array, or, if its samples differ in shape, an array of arrays."""
    batch = result.as_cpu() if isinstance(result, TensorListGPU) else result
    if batch.is_dense_tensor():
        return np.array(batch.as_array())
    column = np.empty(len(batch), object)
    for index in range(len(batch)):
        column[index] = np.array(batch.at(index))
    return column
