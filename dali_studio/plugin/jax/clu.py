"""Iterators that can be asked for the next batch before it is taken; same names as ``nvidia.dali.plugin.jax.clu``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.plugin.base_iterator import LastBatchPolicy
from dali_studio.plugin.jax.arrays import jax
from dali_studio.plugin.jax.iterator import DALIGenericIterator, iterators_of

__all__ = ["DALIGenericPeekableIterator", "get_spec_for_array", "peekable_data_iterator"]


def get_spec_for_array(jax_array: Any) -> Any:
    """Shape and type of an array, as a ``jax.ShapeDtypeStruct``."""
    return jax().ShapeDtypeStruct(jax_array.shape, jax_array.dtype)


class DALIGenericPeekableIterator(DALIGenericIterator):
    """`DALIGenericIterator` with the methods of a PeekableIterator of Google's CLU, which need not be installed.

    Its parameters are those of `DALIGenericIterator`. Shapes and types stay the same over all batches.

    Raises
    ------
    DaliStudioError
        As `DALIGenericIterator`; DS304 for a batch of another shape or type than the first.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._peeked: dict[str, Any] | None = None
        self._spec: dict[str, Any] | None = None
        super().__init__(*arguments, **options)

    def __next__(self) -> dict[str, Any]:
        with self._lock:
            return self._taken()

    def __iter__(self) -> DALIGenericPeekableIterator:
        if self._peeked is None:  # what was looked at is not lost
            super().__iter__()
        return self

    def peek(self) -> dict[str, Any]:
        """The batch that ``next()`` gives next."""
        with self._lock:
            if self._peeked is None:
                self._peeked = self._taken()
            return self._peeked

    def peek_async(self) -> Future[dict[str, Any]]:
        """`peek` in another thread; wait for it before the next call, so that both see the same batch."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="dali_studio_peek")
        return self._pool.submit(self.peek)

    def checkpoints(self) -> list[bytes]:
        """A checkpoint for each pipeline, as of the last batch that was handed out.

        Raises
        ------
        DaliStudioError
            DS304 after `peek`, until the batch is taken.
        """
        if self._peeked is not None:
            raise _refused(
                "A checkpoint is asked for between peek() and next().", "Take the batch that was looked at by next()."
            )
        return super().checkpoints()

    @property
    def element_spec(self) -> dict[str, Any]:
        """Shape and type of each output."""
        return self._spec or _spec(self.peek())

    @property
    def is_nonpadding(self) -> Any:
        """Which samples of the latest batch belong to the epoch, as an array of booleans."""
        counts = self._epoch.counts(len(self._pipes))
        made = np.concatenate([np.arange(self.batch_size) < count for count in counts])
        return made if self._sharding is None else jax().device_put(made, self._sharding)

    def _taken(self) -> dict[str, Any]:
        if self._peeked is not None:
            batch, self._peeked = self._peeked, None
            return batch
        batch = super().__next__()
        found = _spec(batch)
        self._spec = self._spec or found
        for name, one in found.items():
            if one != self._spec[name]:
                raise _refused(
                    f"{name!r} is {one.dtype} of shape {one.shape}; in the first batch it was "
                    f"{self._spec[name].dtype} of shape {self._spec[name].shape}.",
                    "Resize, crop or pad to one shape in the pipeline.",
                )
        return batch


def peekable_data_iterator(
    pipeline_fn: Callable[..., Any] | None = None,
    output_map: Sequence[str] = (),
    size: int = -1,
    reader_name: str | None = None,
    auto_reset: str | bool | None = False,
    last_batch_padded: bool = False,
    last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
    prepare_first_batch: bool = True,
    sharding: Any = None,
    devices: Sequence[Any] | None = None,
    pmap_compatible: bool | None = None,
) -> Any:
    """Turn a function that defines a graph into a factory of `DALIGenericPeekableIterator`.

    Parameters, result and errors are those of `dali_studio.plugin.jax.data_iterator`.
    """
    return iterators_of(DALIGenericPeekableIterator, pipeline_fn, sharding, devices, pmap_compatible, {
        "output_map": output_map, "size": size, "reader_name": reader_name, "auto_reset": auto_reset,
        "last_batch_padded": last_batch_padded, "last_batch_policy": last_batch_policy,
        "prepare_first_batch": prepare_first_batch,
    })  # fmt: skip


def _spec(batch: dict[str, Any]) -> dict[str, Any]:
    return {name: get_spec_for_array(array) for name, array in batch.items()}


def _refused(message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS304", message=message, hint=hint))
