"""Data of the program's own, item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.context import EvalContext
from dali_studio.api.dynamic.device import Device
from dali_studio.api.dynamic.device import device as device_of
from dali_studio.api.dynamic.tensor import Tensor, as_tensor
from dali_studio.api.source_arguments import (
    argument_count,
    external_source_arguments,
    is_generator_function,
    is_iterable,
)
from dali_studio.core.tensors import TensorListCPU
from dali_studio.core.tensors_gpu import TensorListGPU


class ExternalSource:
    """Gives what a callable or an iterable gives, as tensors and batches.

    Parameters
    ----------
    source : callable without parameters, or iterable
        Gives what tensors or batches are made of, or tuples of these.
    num_outputs : int
        From 2 on, the source gives tuples.
    cycle : {"no", "quiet", "raise"} or bool, optional
        At the end of an iterable: stop (the default), begin again (also ``True``), or stop and begin again at the
        next call.
    device : str
        Where its results lie.
    layout, dtype : value or sequence of one for each output, optional

    Raises
    ------
    DaliStudioError
        For a source that gives no data, or cannot begin again.
    """

    def __init__(
        self, source: Any, num_outputs: int = 1, *, cycle: Any = None, device: Any = "cpu",
        layout: str | Sequence[str] | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        self._device: Device = device_of(device) or Device.CPU
        if num_outputs < 1:
            raise ValueError(f"num_outputs is {num_outputs}; a source has 1 output or more.")
        given = external_source_arguments(source, {"cycle": cycle})
        if not is_iterable(source) and argument_count(source):
            raise ValueError("The source takes an argument; in dynamic mode give a callable without parameters.")
        self._source, self._outputs, self._cycle = source, num_outputs, given.get("cycle", "no")
        self._layouts: list[Any] = self._for_each(layout)
        self._dtypes: list[Any] = self._for_each(dtype)
        self._iterator: Iterator[Any] | None = None
        self._started = False

    def _for_each(self, value: Any) -> list[Any]:
        if not isinstance(value, list | tuple):
            return [value] * self._outputs
        values = list(cast("Sequence[Any]", value))
        if len(values) != self._outputs:
            raise ValueError(f"{len(values)} values are given for {self._outputs} outputs.")
        return values

    def __call__(self, *, batch_size: int | None = None) -> Any:
        """The next item.

        Parameters
        ----------
        batch_size : int, optional
            Make a batch of so many of single tensors; batches must have this size.

        Returns
        -------
        Tensor or Batch, or a tuple of them

        Raises
        ------
        StopIteration
            At the end of the data.
        """
        item = self._next()
        parts: Sequence[Any] = [item] if self._outputs == 1 else item
        if not isinstance(parts, list | tuple) or len(parts) != self._outputs:
            raise ValueError(f"The source gave {item!r}; {self._outputs} outputs are to come, as a tuple.")
        made = [self._output(part, index, batch_size) for index, part in enumerate(parts)]
        if len({isinstance(one, Batch) for one in made}) > 1:
            raise TypeError("The source gave tensors and batches; give either.")
        return made[0] if self._outputs == 1 else tuple(made)

    def _output(self, data: Any, index: int, batch_size: int | None) -> Tensor | Batch:
        dtype, layout = self._dtypes[index], self._layouts[index]
        if isinstance(data, Batch | TensorListCPU | TensorListGPU):
            made = Batch(data, dtype, self._device, layout)
            if batch_size not in (None, made.batch_size):
                raise ValueError(f"The source gave {made.batch_size} samples; {batch_size} were asked for.")
            return made
        one = as_tensor(data, dtype, self._device, layout)
        return one if batch_size is None else Batch.broadcast(one, batch_size)

    def _next(self) -> Any:
        if not is_iterable(self._source):
            return cast("Callable[[], Any]", self._source)()
        if self._iterator is None:
            self._iterator = iter(self._source() if is_generator_function(self._source) else self._source)
        try:
            return next(self._iterator)
        except StopIteration:
            if self._cycle == "no":
                raise
            self._iterator = None
            if self._cycle == "raise":
                raise
            return self._first_again()

    def _first_again(self) -> Any:
        self._iterator = iter(self._source() if is_generator_function(self._source) else self._source)
        return next(self._iterator)

    def captured(self, batch_size: int, ctx: EvalContext | None = None) -> Iterator[Any]:
        """Items until the end of the data; the loop is run as it is written.

        Parameters
        ----------
        batch_size : int
            As for a call.
        ctx : EvalContext, optional
            What operators in the loop run with.
        """
        with EvalContext.current() if ctx is None else ctx:
            while True:
                try:
                    made = self(batch_size=batch_size)
                except StopIteration:
                    return
                yield made
