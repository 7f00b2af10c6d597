"""Batches of dynamic mode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy as shallow
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from dali_studio.api.dynamic.arrays import exports_memory, lies_on_gpu
from dali_studio.api.dynamic.device import DeviceLike
from dali_studio.api.dynamic.dtype import storable
from dali_studio.api.dynamic.gpu import listed, taken
from dali_studio.api.dynamic.invocation import Result, call
from dali_studio.api.dynamic.tensor import Tensor, as_tensor, row_of
from dali_studio.api.dynamic.values import Value, batch_size_of, wrap
from dali_studio.api.indexing import indexed
from dali_studio.api.tracing import DataNode
from dali_studio.core.batch import Batch as Samples
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.formatting import format_tensor_list
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Dense
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.tensors_gpu import TensorListGPU


class Batch(Value):
    """Tensors of one type and rank, which may differ in shape. `batch` and `as_batch` make one of data.

    Parameters
    ----------
    tensors
        A list of what tensors are made of, an array or tensor whose first axis is the sample, or a pipeline's output.
    dtype : DType or what names one, optional
        Needed for an empty list.
    device : Device or str, optional
        Where it is to lie; unset: where the data does.
    layout : str, optional
        One letter for each axis of a sample.
    copy : bool
        Take memory of its own.
    """

    def __init__(
        self, tensors: Any = None, dtype: Any = None, device: DeviceLike | None = None, layout: str | None = None,
        *, copy: bool = False,
    ) -> None:  # fmt: skip
        if tensors is None:
            raise ValueError("There is no data; give a list of tensors, or an array.")
        if isinstance(tensors, Batch):
            self._hold(tensors._samples, tensors._lazy, external=tensors._external)
        elif isinstance(tensors, TensorListCPU):
            arrays = [tensors.at(i) for i in range(len(tensors))]
            sources = [tensors[i].source_info() for i in range(len(tensors))]
            made = row_of(arrays, tensors.layout(), sources) if arrays else _nothing(dtype or tensors.dtype)
            self._hold(made, external=True)
        elif isinstance(tensors, TensorListGPU):
            sources = [one.source_info() for one in tensors]
            self._hold(taken(tensors, None, sources) if len(tensors) else _nothing(dtype or tensors.dtype))
        elif exports_memory(tensors) and not isinstance(tensors, Tensor) and lies_on_gpu(tensors):
            self._hold(taken(TensorListGPU(tensors), tensors))
        elif exports_memory(tensors):
            whole = as_tensor(tensors)
            if whole.ndim == 0:
                raise ValueError("A single number is no batch; give a list.")
            names = (whole.layout or "")[1:]
            if whole.device_id is not None:
                self._hold(taken(TensorListGPU(listed(whole.held).arrays()[0]), None).as_layout(names))
            else:
                self._hold(Samples.of_array(whole.array, names), external=whole.is_external)
        else:
            self._of_list(list(cast("Iterable[Any]", tensors)), dtype, layout)
        self._convert(dtype, layout)
        if device is not None:
            moved = shallow(self).to_device(device)
            self._samples, self._lazy = moved._samples, moved._lazy
        if copy:
            self._samples, self._external = self.copied().held, False

    def _of_list(self, items: list[Any], dtype: Any, layout: str | None) -> None:
        for index, item in enumerate(items):
            if item is None or isinstance(item, Batch):
                raise TypeError(f"Item {index} is a {type(item).__name__}; give numbers, lists, arrays or tensors.")
        if not items:
            if dtype is None:
                raise ValueError("A batch of no tensors needs a dtype.")
            self._hold(_nothing(dtype))
            return
        tensors: list[Tensor] = []
        for item in items:
            made = item if isinstance(item, Tensor) else Tensor(item, dtype, layout=layout)
            tensors.append(made)
            dtype = dtype or made.dtype  # that of the first, as there
        self._hold(None, _Row(tensors), external=any(one.is_external for one in tensors))

    def _convert(self, dtype: Any, layout: str | None) -> None:
        if dtype is not None and self.dtype.type_id != storable(dtype):
            from dali_studio.api.dynamic.functions import cast_to  # noqa: PLC0415 - it makes batches

            made = cast_to(shallow(self), dtype)
            self._samples, self._lazy, self._external = made._samples, made._lazy, False
        if layout and layout != self.layout:
            if len(layout) != self.ndim:
                raise ValueError(f"the layout {layout!r} names {len(layout)} axes; samples have {self.ndim}")
            self._samples, self._lazy = self.held.as_layout(layout), None

    @staticmethod
    def broadcast(sample: Any, batch_size: int, device: DeviceLike | None = None, dtype: Any = None) -> Batch:
        """A batch that repeats one sample."""
        if isinstance(sample, Batch):
            raise ValueError("A batch cannot be broadcast; give a single sample.")
        one = as_tensor(sample, dtype, device)
        made = Batch.of_samples(one.samples(batch_size))
        made._external = one.is_external
        return made

    def samples(self, count: int) -> Samples:
        return self.held

    @property
    def batch_size(self) -> int:
        """Number of samples."""
        if self._samples is None and isinstance(self._lazy, Result) and self._lazy.batch_size is not None:
            return self._lazy.batch_size
        return len(self.held)

    @property
    def shape(self) -> list[tuple[int, ...]]:
        """Shapes of the samples."""
        return [tuple(shape) for shape in self.held.shapes.tolist()]

    @property
    def tensors(self) -> Tensors:
        """The samples, as tensors that are made when they are asked for."""
        return Tensors(self, range(self.batch_size))

    def select(self, sample_range: Any) -> Any:
        """Some of the samples: a batch for a range or a list of positions, a tensor for a position."""
        if sample_range is Ellipsis:
            return self
        chosen = self.tensors[sample_range]
        return chosen.as_batch() if isinstance(chosen, Tensors) else chosen

    @property
    def slice(self) -> BatchedSlice:
        """Indexing of all samples at once: ``batch.slice[begin:end, 0]``; batches give each sample its own number."""
        return BatchedSlice(self)

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def copied(self) -> Self:
        held = self.held
        if held.device == "gpu":
            return type(self).of_samples(taken(listed(held), None, held.sources))
        dense = held.dense()
        rows: Any = [one.copy() for one in held.samples] if dense is None else Dense(dense.copy())
        return type(self).of_samples(replace(held, samples=rows))

    def torch(self, copy: bool | None = None, pad: bool = False) -> Any:
        """The batch as one tensor of PyTorch.

        Parameters
        ----------
        copy : bool, optional
            Always copy, or never, which is an error where samples do not lie side by side. Unset: where need be.
        pad : bool
            Fill samples of different shapes with zeros.
        """
        if copy is False and self.held.dense() is None and self.device_id is None:
            raise ValueError("The samples do not lie side by side in memory; leave copy=False away.")
        return as_tensor(self, pad=pad).torch(bool(copy))

    def __repr__(self) -> str:
        held, device = self.cpu().held, self.device.device_type
        return format_tensor_list("Batch", held.samples, str(self.dtype), held.layout, show_data=True, device=device)

    __str__ = __repr__


class _Row:
    """Tensors side by side."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        self._tensors = tensors

    @property
    def meta(self) -> TensorMeta:
        return self._tensors[0].meta

    @property
    def device_id(self) -> int | None:
        return self._tensors[0].device_id

    def samples(self) -> Samples:
        where = self._tensors[0].device
        held = [tensor.to_device(where).held for tensor in self._tensors]
        sources = [one.sources[0] if len(one.sources) else "" for one in held]
        if where.device_id is not None:
            arrays = TensorListGPU([array for one in held for array in listed(one).arrays()], held[0].layout)
            return taken(arrays, None, sources if any(sources) else ()).as_members(held[0].meta.dtype)
        made = row_of([one.samples[0] for one in held], held[0].layout, sources if any(sources) else ())
        return made.as_members(held[0].meta.dtype)


class Tensors(Sequence[Tensor]):
    """The samples of a batch."""

    def __init__(self, batch: Batch, positions: Sequence[int]) -> None:
        self._batch, self._positions = batch, positions

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, selection: Any) -> Any:
        return self.select(selection)

    def __iter__(self) -> Iterator[Tensor]:
        return (Tensor(batch=self._batch, index_in_batch=one) for one in self._positions)

    def select(self, selection: Any) -> Any:
        """One tensor, or some of them for a range or a list of positions."""
        if isinstance(selection, slice):
            return Tensors(self._batch, self._positions[selection])
        if isinstance(selection, Iterable):
            return Tensors(self._batch, [self._positions[int(one)] for one in cast("Iterable[int]", selection)])
        return Tensor(batch=self._batch, index_in_batch=self._positions[int(selection)])

    def tolist(self) -> list[Tensor]:
        """All of them."""
        return list(self)

    def as_batch(self, copy: bool = False) -> Batch:
        """A batch of them."""
        made = Batch.of_samples(replace(self._batch.held.select(self._positions), indices=None))
        return made.copied() if copy else made


class BatchedSlice:
    """What `Batch.slice` is."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __getitem__(self, ranges: Any) -> Batch:
        given: tuple[Any, ...] = cast("tuple[Any, ...]", ranges) if isinstance(ranges, tuple) else (ranges,)
        inputs: list[Value] = [self._batch]

        def numbered(part: Any) -> Any:
            """A number as it is; another value by its place among the inputs."""
            if isinstance(part, Batch):
                inputs.append(part.cpu())
                return _Place(len(inputs) - 1)
            return int(part.item()) if exports_memory(part) else part

        places: list[Any] = []
        for one in given:
            part: Any = one
            if isinstance(one, slice):
                places.append(slice(numbered(part.start), numbered(part.stop), numbered(part.step)))
            elif one is Ellipsis:
                places += [slice(None)] * (self._batch.ndim - sum(part is not Ellipsis for part in given))
            else:
                places.append(numbered(one))
        if all(one == slice(None) for one in places):
            return self._batch

        def build(nodes: Sequence[DataNode]) -> Any:
            def part(one: Any) -> Any:
                return nodes[one.at] if isinstance(one, _Place) else one

            return indexed(
                nodes[0],
                tuple(
                    slice(part(one.start), part(one.stop), part(one.step)) if isinstance(one, slice) else part(one)
                    for one in places
                ),
            )

        size = batch_size_of(inputs)
        return wrap(call(("slice", repr(places)), build, [("input", one) for one in inputs], size))


class _Place:
    """Stands for an input in an index."""

    def __init__(self, at: int) -> None:
        self.at = at

    def __repr__(self) -> str:
        return f"<{self.at}>"


def _nothing(dtype: Any) -> Samples:
    kind = storable(dtype)
    return Samples.of([], dtype=to_numpy(kind), ndim=0).as_members(kind)


def joined(batch: Batch, dtype: Any, layout: str | None, *, pad: bool, copy: bool) -> Tensor:
    """A batch as one tensor.

    Raises
    ------
    ValueError
        If samples differ in shape and are not to be padded.
    """
    held = batch.held
    if len(held) and bool((held.shapes != held.shapes[0]).any()):
        if not pad:
            raise ValueError(
                "The samples differ in shape, so that they are no tensor; give pad=True, or resize or crop them."
            )
        from dali_studio.api.dynamic.functions import padded  # noqa: PLC0415 - it makes batches

        held = padded(batch).held
    if held.device == "gpu":
        table: Any = listed(held).as_tensor()
        return Tensor(table, dtype, layout=layout or (f"N{held.layout}" if held.layout or table.ndim() == 1 else None))
    dense = held.dense()
    table = np.stack(list(held.samples)) if dense is None else dense.copy() if copy else dense
    names = layout or (f"N{held.layout}" if held.layout or table.ndim == 1 else "")
    return Tensor(as_tensor(table), dtype, layout=names or None)


def as_batch(tensors: Any, dtype: Any = None, device: DeviceLike | None = None, layout: str | None = None) -> Batch:
    """A batch that shares the memory of the data where it can; the parameters are those of `Batch`."""
    return Batch(tensors, dtype, device, layout)


def batch(tensors: Any, dtype: Any = None, device: DeviceLike | None = None, layout: str | None = None) -> Batch:
    """A batch with memory of its own; the parameters are those of `Batch`."""
    return Batch(tensors, dtype, device, layout, copy=True)
