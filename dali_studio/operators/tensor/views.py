"""What operators have in common that give other shapes, types or names to the same memory: nothing is copied."""

# Operators are classes of static methods; here they need to know which operator they belong to.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch, meta_of
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Dense, Packed, Samples
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.traits import AnyElement, Enqueues, SharesMemory


class View(Operator, abstract=True):
    """Base of these operators. Subclasses define ``infer``, and ``shapes`` if these change."""

    category = "tensor"
    inputs = (Input("data"),)
    outputs = (Output("output"),)
    traits = (Enqueues, AnyElement, SharesMemory)
    devices = ("cpu", "gpu")

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> TensorMeta:
        raise NotImplementedError

    @classmethod
    def shapes(cls, args: Args, *inputs: Batch) -> NDArray[np.int64]:
        """Shapes of the results, which have as many bytes as the samples."""
        return inputs[0].shapes

    @classmethod
    def run(cls, state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        meta = cls.infer(args, *(one.meta for one in inputs))
        assert meta.dtype is not None
        shapes = cls.shapes(args, *inputs)
        if meta.layout and len(meta.layout) != shapes.shape[1]:
            raise ArgumentError(
                f"{meta.layout!r} names {len(meta.layout)} axes; the result has {shapes.shape[1]}.",
                hint="Give one letter per axis.", argument="layout",
            )  # fmt: skip
        return (viewed(inputs[0], shapes, to_numpy(meta.dtype), meta.layout or "").as_members(meta.dtype),)

    @classmethod
    def run_gpu(cls, state: Any, args: Args, inputs: Sequence[Batch], stream: Any) -> tuple[Batch, ...]:
        return cls.run(state, args, *inputs)


def viewed(batch: Batch, shapes: NDArray[np.int64], dtype: np.dtype[Any], layout: str) -> Batch:
    """The memory of a batch as samples of other shapes, or of another type."""
    same = batch.memory is not None or (shapes is batch.shapes and dtype == batch.dtype)
    samples = batch.samples if same else _as(batch.samples, shapes, dtype)
    return replace(batch, meta=meta_of(dtype, shapes.shape[1], layout, batch.device), shapes=shapes, samples=samples)


def _as(samples: Samples, shapes: NDArray[np.int64], dtype: np.dtype[Any]) -> Samples:
    if isinstance(samples, Packed):
        return Packed(samples.slab, samples.starts, shapes, dtype)
    if isinstance(samples, Dense) and len(samples) and samples.table.flags.c_contiguous and (shapes == shapes[0]).all():
        return Dense(np.ndarray((len(samples), *shapes[0].tolist()), dtype, samples.table))
    pairs: Sequence[tuple[NDArray[Any], list[int]]] = list(zip(samples, shapes.tolist(), strict=True))
    return [np.ndarray(tuple(shape), dtype, np.ascontiguousarray(one)) for one, shape in pairs]
