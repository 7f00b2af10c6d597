"""Data from the program: what stands behind an external source while a pipeline runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from threading import Condition
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.api.source_arguments import argument_count, is_generator_function, is_iterable
from dali_studio.api.source_pool import ParallelSource
from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import short_name, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.storage import Dense, Samples, dense, shapes_of
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.tensors_gpu import TensorListGPU, on_gpu
from dali_studio.graph.node import Node
from dali_studio.kernels.cuda.ingest import COMPLETE, producer
from dali_studio.operators.sources.external_source import promised
from dali_studio.runtime.memory import SlabPool
from dali_studio.runtime.request import ExternalInput
from dali_studio.schema.model import Value
from dali_studio.types import BatchInfo, SampleInfo

#: ``take_in(arrays, layout, stream)``: a copy of CuPy arrays, or of one for the batch, that are ready on a stream, or
#: of a batch in host memory.
TakeIn = Callable[[Any, str, Any], Batch]
#: Seconds after which a waiting thread looks whether it was interrupted.
_LONGEST_WAIT = 0.5


class SourceFeeder:
    """Gives one external source its batches, from its callable or iterable, or from what was fed.

    Parameters
    ----------
    node : Node
        The external source.
    batch_size : int
        Largest number of samples of a batch.
    take_in : callable, optional
        ``take_in(arrays, layout, stream)`` copies arrays for the pipeline's use on its GPU; without it (previews, and
        whatever runs on the CPU) they come to the CPU.
    parallel : ParallelSource, optional
        Worker processes call the source.
    """

    def __init__(
        self, node: Node, batch_size: int, take_in: TakeIn | None = None, parallel: ParallelSource | None = None
    ) -> None:  # fmt: skip
        self._node, self._batch_size, self._take_in = node, batch_size, take_in
        self._source, self._parallel = node.objects.get("source"), parallel
        self._iterable = is_iterable(self._source)
        #: Whether the source takes an argument, once it has been called.
        self._takes: bool | None = None
        self._memory = SlabPool()
        self._queued: deque[ExternalInput] = deque()
        self._fed = Condition()
        self._last: ExternalInput | None = None
        self._iterator: Iterator[Any] | None = None
        self._iteration = 0
        self._epoch = 0
        self._outputs = node.arguments.get("num_outputs")
        #: What the arguments say of each output: layout, element type and number of axes, once it has been looked up.
        self._promises: dict[int, tuple[Any, DALIDataType | None, Any]] = {}

    @property
    def has_source(self) -> bool:
        """Whether a callable or iterable stands behind the node."""
        return self._source is not None

    def feed(self, data: Any, layout: str | None = None, cuda_stream: Any = None) -> None:
        """Queue a batch; arrays on a GPU may be changed afterwards by work on their stream.

        Raises
        ------
        DaliStudioError
            DS203 for data that cannot be a batch; DS304 if the node has a source of its own.
        """
        if self.has_source:
            raise self._error(
                "DS304", "It has a source of its own, so nothing can be fed.", "Take the source away, or do not feed."
            )
        batch = self._batch(data, 0, layout, cuda_stream)
        with self._fed:
            self._queued.append((batch,))
            self._fed.notify()

    def ready(self) -> bool:
        """Whether `take` can give a batch without the user feeding more."""
        return self.has_source or bool(self._queued) or (bool(self._argument("repeat_last")) and self._last is not None)

    def wait(self) -> None:
        """Until data is fed by another thread, if the source is to block; elsewhere, and with data, no time at all."""
        if self._argument("blocking") and not self.ready():
            with self._fed:
                while not self._queued:
                    self._fed.wait(_LONGEST_WAIT)

    def take(self) -> ExternalInput:
        """The next iteration's outputs.

        Raises
        ------
        StopIteration
            At the end of the data.
        DaliStudioError
            If nothing was fed, or the data is no batch.
        """
        if self.has_source:
            made = self._from_source()
        elif self._queued:
            made = self._queued.popleft()
        elif self._argument("repeat_last") and self._last is not None:
            made = self._last
        else:
            raise self._error(
                "DS304",
                "No data was fed for this iteration.",
                f'Call feed_input("{self._node.key}", data), or run({self._node.key}=data).',
            )
        self._last = made
        self._iteration += 1
        return made

    def reset(self) -> None:
        """Begin the next epoch. An iterable that does not cycle stays at its end, as in nvidia.dali."""
        self._iteration = 0
        self._epoch += 1
        if self._parallel is not None:
            self._parallel.reset()

    def restore(self, epoch: int, iteration: int) -> None:
        """Go on at an iteration of an epoch. An iterable begins at its beginning, as in nvidia.dali."""
        self._epoch, self._iteration = epoch, iteration

    # -------------------------------------------------------------------------------------------------------- sources

    def _argument(self, name: str) -> Value:
        return self._node.arguments.get(name)

    def _from_source(self) -> ExternalInput:
        try:
            return self._outputs_of(self._next())
        except StopIteration:
            self._iteration = 0
            raise

    def _next(self) -> Any:
        if self._parallel is not None:
            return self._parallel.next(self._iteration, self._epoch)
        if self._argument("batch") is not False:
            return self._item(
                BatchInfo(self._iteration, self._epoch) if self._argument("batch_info") else self._iteration
            )
        samples: list[Any] = []
        for index in range(self._batch_size):
            info = SampleInfo(self._iteration * self._batch_size + index, index, self._iteration, self._epoch)
            samples.append(self._item(info))
        if self._outputs is None:
            return samples
        return tuple(list(column) for column in zip(*samples, strict=True))

    def _item(self, info: Any) -> Any:
        source = self._source
        if not self._iterable:
            call = cast("Callable[..., Any]", source)
            if self._takes is None:
                self._takes = bool(argument_count(call))
            return call(info) if self._takes else call()
        if self._iterator is None:
            self._iterator = self._begin()
        try:
            return next(self._iterator)
        except StopIteration:
            cycle = self._argument("cycle")
            if cycle in (None, "no"):
                raise
            self._iterator = self._begin()
            if cycle == "raise":
                raise
            return next(self._iterator)

    def _begin(self) -> Iterator[Any]:
        source = cast(Any, self._source)
        return iter(source() if is_generator_function(source) else source)

    def _outputs_of(self, item: Any) -> ExternalInput:
        if not isinstance(self._outputs, int):
            return (self._batch(item, 0),)
        if isinstance(getattr(item, "ndim", None), int) and item.ndim:  # an array, whose first axis is the output
            item = list(item)
        count = len(cast("Sequence[Any]", item)) if isinstance(item, tuple | list) else 1
        if not isinstance(item, tuple | list) or count != self._outputs:
            raise self._error(
                "DS203",
                f"The source gave {count} outputs; num_outputs is {self._outputs}.",
                "Return a tuple with one batch per output.",
            )
        made = tuple(self._batch(part, i) for i, part in enumerate(cast("Sequence[Any]", item)))
        sizes = [len(batch) for batch in made]
        if len(set(sizes)) > 1:
            given = ", ".join(map(str, sizes))
            raise self._error(
                "DS304", f"The outputs have {given} samples; all outputs of an iteration need as many.",
                "Return batches of one size.",
            )  # fmt: skip
        return made

    # ---------------------------------------------------------------------------------------------------------- batch

    def _batch(
        self, data: Any, output: int, layout: str | None = None, cuda_stream: Any = None
    ) -> Batch:
        layout = layout or self._promised(output)[0]
        try:
            there = on_gpu(data)
            if there and self._node.device == "cpu":
                raise self._error(
                    "DS203", "The data lies on a GPU; this source gives data on the CPU.",
                    'Place the source there with device="gpu", or bring the data to the CPU first.',
                )  # fmt: skip
            batch = TensorListGPU(data, layout or None) if there else TensorListCPU(data, layout or None)
        except (TypeError, ValueError, RuntimeError) as error:
            raise self._error(
                "DS203",
                f"The data is no batch: {str(error).rstrip('.')}.",
                "Give a list of samples, or an array whose first axis is the sample.",
            ) from error
        size = len(batch)
        if size > self._batch_size:
            raise self._error(
                "DS304",
                f"The batch has {size} samples; {self._batch_size} at most are accepted.",
                "Give fewer samples, or a larger batch_size.",
            )
        if not size:  # of what type, nobody asks: nothing of this iteration is computed
            return Batch.of([], dtype=np.dtype(np.uint8), ndim=0)
        self._check(batch, output)
        if isinstance(batch, TensorListGPU):
            if self._take_in is not None:
                return self._taken_in(batch, data, cuda_stream, self._take_in)
            batch = batch.as_cpu()
        given = batch.arrays()
        if self._argument("no_copy"):
            return Batch.of(_contiguous(given), batch.layout())
        if self._take_in is not None:
            return self._take_in(Batch.of(_whole(data) or _contiguous(given), batch.layout()), "", None)
        return Batch.of(self._kept(given), batch.layout())

    def _kept(self, given: list[NDArray[Any]]) -> Samples:
        """Copies, since the program may change the originals."""
        made = self._memory.samples(shapes_of(given), given[0].dtype)
        table = dense(made)
        if table is not None:
            np.stack(given, out=table)
        else:
            for target, sample in zip(made, given, strict=True):
                target[...] = sample
        return made

    def _taken_in(self, batch: TensorListGPU, data: Any, cuda_stream: Any, take_in: TakeIn) -> Batch:
        gpu = batch.device_id()
        first = cast("Sequence[Any]", data)[0] if isinstance(data, list | tuple) else data
        wanted = self._node.objects.get("cuda_stream") if cuda_stream is None else cuda_stream
        try:
            stream = producer(wanted, first, gpu)
        except TypeError as error:
            raise self._error(
                "DS104", f"The {error}.", "Give a stream of CuPy or PyTorch, the address of one, 0 or -1.",
                argument="cuda_stream",
            ) from error  # fmt: skip
        whole = batch.whole()
        made = take_in(batch.arrays() if whole is None else whole, batch.layout(), stream)
        if isinstance(wanted, int) and wanted == COMPLETE:
            made.ready.synchronize()  # no order of streams keeps the program from changing the data
        return made

    def _check(self, batch: TensorListCPU | TensorListGPU, output: int) -> None:
        _, dtype, ndim = self._promised(output)
        if dtype is not None and batch.dtype is not dtype:
            raise self._error(
                "DS203",
                f"The data is {short_name(batch.dtype)}; dtype promises {dtype.name}.",
                f"Convert it, for instance with astype({str(to_numpy(dtype))!r}).",
            )
        if ndim is not None and batch.ndim() != ndim:
            raise self._error(
                "DS203", f"The samples have {batch.ndim()} axes; ndim promises {ndim}.", "Give samples of that rank."
            )

    def _promised(self, output: int) -> tuple[Any, DALIDataType | None, Any]:
        found = self._promises.get(output)
        if found is None:
            layout, dtype, ndim = (promised(self._argument(name), output) for name in ("layout", "dtype", "ndim"))
            found = self._promises[output] = layout, None if dtype is None else DALIDataType[str(dtype)], ndim
        return found

    def _error(self, code: str, message: str, hint: str, argument: str = "") -> DaliStudioError:
        return DaliStudioError(
            Diagnostic(
                code=code, message=message, hint=hint, node=self._node.key, argument=argument, source=self._node.origin
            )
        )


def _whole(data: Any) -> Dense | None:
    """An array of the program as it is, if it can be copied as it is."""
    if not isinstance(data, np.ndarray):
        return None
    table = cast("NDArray[Any]", data)
    return Dense(table) if table.flags.c_contiguous and table.dtype.isnative else None


def _contiguous(samples: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """The samples; copies of those that are not contiguous."""
    return [sample if sample.flags.c_contiguous else np.asarray(sample, order="C") for sample in samples]
