"""A batch: samples with their type, wherever they lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dali_studio.core import storage
from dali_studio.core.dtypes import ENUMERATIONS, from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Dense, Packed, Samples

_NO_OFFSETS = np.empty(0, np.int64)


@dataclass(slots=True)
class Batch:
    """Samples of one type, in host memory or on a GPU; without storage, what is known of them before they exist.

    Attributes
    ----------
    meta : TensorMeta
        dtype, ndim, layout and device are known here, also of a batch without a sample.
    shapes : ndarray
        int64, (N, ndim).
    samples : sequence of ndarray
        In host memory: `Dense` (one array with a leading batch axis), `Packed` (one slab), or a list of arrays.
        Empty where there is no storage, or none in host memory.
    memory : cupy.cuda.MemoryPointer or None
        On a GPU: the slab, which it keeps alive.
    offsets : ndarray
        int64, (N,): first byte of every sample in `memory`.
    sources : sequence of str
        Where each sample came from, for messages; empty if not known.
    indices : ndarray or None
        int64, (N,): which samples of the iteration these are; ``None``: all that are computed, in order.
    ready : cupy.cuda.Event or None
        Recorded behind the work that fills a batch on a GPU; ``None`` while the iteration is being enqueued.
    """

    meta: TensorMeta
    shapes: NDArray[np.int64]
    samples: Samples = ()
    memory: Any = None
    offsets: NDArray[np.int64] = field(default_factory=lambda: _NO_OFFSETS)
    sources: Sequence[str] = ()
    indices: NDArray[np.int64] | None = None
    ready: Any = None

    @classmethod
    def of(
        cls, samples: Samples, layout: str = "", sources: Sequence[str] = (), *, dtype: np.dtype[Any] | None = None,
        ndim: int | None = None, indices: NDArray[np.int64] | None = None,
    ) -> Batch:  # fmt: skip
        """A batch of arrays in host memory, none of them copied.

        Parameters
        ----------
        samples
            A list of arrays of one type and number of axes, `Dense` or `Packed`.
        dtype, ndim
            Needed for a list of none.
        """
        found = storage.dtype_of(samples) or dtype
        if found is None:
            raise TypeError("a batch of no samples needs a dtype")
        shapes = storage.shapes_of(samples, ndim)
        return cls(meta_of(found, shapes.shape[1], layout), shapes, samples, sources=sources, indices=indices)

    @classmethod
    def of_array(cls, table: NDArray[Any], layout: str = "", sources: Sequence[str] = ()) -> Batch:
        """A batch of the rows of one array (N, ...)."""
        return cls.of(Dense(table), layout, sources)

    @classmethod
    def on_gpu(
        cls, memory: Any, offsets: NDArray[np.int64], shapes: NDArray[np.int64], dtype: np.dtype[Any],
        layout: str = "", sources: Sequence[str] = (), ready: Any = None,
    ) -> Batch:  # fmt: skip
        """A batch in one slab of device memory."""
        meta = meta_of(dtype, shapes.shape[1], layout, "gpu")
        return cls(meta, shapes, (), memory, offsets, sources, ready=ready)

    @classmethod
    def view(cls, meta: TensorMeta, shapes: NDArray[np.int64], sources: Sequence[str] = ()) -> Batch:
        """What is known of a batch that does not exist yet."""
        return cls(meta, shapes, sources=sources)

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, position: int) -> NDArray[Any]:
        """One sample in host memory."""
        return self.samples[position]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""
        assert self.meta.dtype is not None
        return to_numpy(self.meta.dtype)

    @property
    def layout(self) -> str:
        """One letter per axis, or an empty string."""
        return self.meta.layout or ""

    @property
    def device(self) -> Literal["cpu", "gpu"]:
        """Where it lies."""
        return self.meta.device

    @property
    def counts(self) -> NDArray[np.int64]:
        """(N,) elements of the samples."""
        return self.shapes.prod(axis=1, dtype=np.int64)

    @property
    def size(self) -> int:
        """Bytes of the samples; on a GPU, of the slab from its begin to the end of the last one."""
        if self.memory is None:
            return storage.elements_of(self.shapes) * self.dtype.itemsize
        return int(self.offsets[-1]) + math.prod(self.shapes[-1].tolist()) * self.dtype.itemsize if len(self) else 0

    @property
    def addresses(self) -> NDArray[np.int64]:
        """(N,) addresses of the samples, which are contiguous, in the memory of their device."""
        if self.memory is not None:
            return self.offsets + int(self.memory.ptr)
        return storage.addresses_of(self.samples)

    def dense(self) -> NDArray[Any] | None:
        """The samples as one array (N, ...) in host memory, without a copy; ``None`` where they do not lie so."""
        return storage.dense(self.samples)

    def flat(self) -> NDArray[Any] | None:
        """All elements as one row in host memory, without a copy; ``None`` where samples do not lie side by side."""
        return storage.flat(self.samples)

    def on_host(self, host: NDArray[np.uint8]) -> Packed:
        """The samples of a batch on a GPU in `host`, which is laid out as its slab."""
        return Packed(host, self.offsets, self.shapes, self.dtype)

    def select(self, positions: Sequence[int] | NDArray[np.int64]) -> Batch:
        """Some of the samples, which stay where they are."""
        chosen = np.asarray(positions, np.int64)
        return replace(
            self, shapes=self.shapes[chosen], samples=_take(self.samples, chosen) if len(self.samples) else (),
            offsets=self.offsets if self.memory is None else self.offsets[chosen],
            sources=[self.sources[i] for i in chosen.tolist()] if len(self.sources) else (),
            indices=chosen if self.indices is None else self.indices[chosen],
        )  # fmt: skip

    def part(self, begin: int, end: int, sources: Sequence[str]) -> Batch:
        """The samples from `begin` to before `end`, of all that are computed; `sources` are theirs."""
        shapes, ready = self.shapes[begin:end], self.ready
        if self.memory is None:
            return Batch(self.meta, shapes, self.samples[begin:end], sources=sources, ready=ready)
        return Batch(self.meta, shapes, (), self.memory, self.offsets[begin:end], sources, None, ready)

    def as_layout(self, layout: str) -> Batch:
        """The same samples with other names of their axes."""
        assert self.meta.dtype is not None
        return replace(self, meta=meta_of(self.meta.dtype, self.shapes.shape[1], layout, self.device))

    def as_members(self, dtype: DALIDataType | None) -> Batch:
        """The same numbers as members of an enumeration; as they are, if `dtype` is none of one."""
        return replace(self, meta=self.meta.with_(dtype=dtype)) if dtype in ENUMERATIONS else self


def _take(samples: Samples, chosen: NDArray[np.int64]) -> Samples:
    if isinstance(samples, Dense | Packed):
        return samples.take(chosen.tolist())
    positions: list[int] = chosen.tolist()
    return [samples[i] for i in positions]


@lru_cache(maxsize=1024)
def meta_of(
    dtype: np.dtype[Any] | DALIDataType, ndim: int, layout: str = "", device: Literal["cpu", "gpu"] = "cpu"
) -> TensorMeta:
    """The type of a batch; the same object for the same values."""
    kind = dtype if isinstance(dtype, DALIDataType) else from_numpy(dtype)
    return TensorMeta(kind, ndim, layout, device=device)
