"""Batches as PyTorch tensors; same names as ``nvidia.dali.plugin.pytorch``. PyTorch is imported when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import NUMERIC, short_name, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.base_iterator import BaseIterator, LastBatchPolicy, Outputs
from dali_studio.plugin.dense import check_dense
from dali_studio.plugin.lent import shared_outputs
from dali_studio.plugin.pytorch.loans import Loans, check_cuda, pytorch
from dali_studio.tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

if TYPE_CHECKING:
    to_torch_type: dict[DALIDataType, Any]

__all__ = [
    "DALIClassificationIterator", "DALIGenericIterator", "DALIRaggedIterator", "LastBatchPolicy", "feed_ndarray",
    "to_torch_type",
]  # fmt: skip


@cache
def _types() -> dict[DALIDataType, Any]:
    torch = pytorch()
    names = {dtype: to_numpy(dtype).name for dtype in NUMERIC}
    return {dtype: getattr(torch, name) for dtype, name in names.items() if hasattr(torch, name)}


def __getattr__(name: str) -> Any:
    if name == "to_torch_type":
        return _types()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


class DALIGenericIterator(BaseIterator):
    """Hands out ``[{name: torch.Tensor, ...}, ...]``: one dictionary for each pipeline.

    Tensors share the memory of the pipeline's results, which is used again only after the tensors are gone and the
    stream of PyTorch that was current when they were handed out has gone past that point. A kernel on another stream
    needs an event, as always in PyTorch. What does not belong to the iteration alone is copied: a constant, and what an
    `external_source` with `no_copy` or `repeat_last` gives directly to an output.

    Parameters
    ----------
    pipelines : Pipeline or list of Pipeline
        All of one batch size; several are usually one for each GPU, each with its shard.
    output_map : sequence of str
        A name for each output.
    size : int
        Samples of an epoch, of all pipelines together; -1: what the reader says, or, without `reader_name`, as long as
        the pipeline has data.
    reader_name : str, optional
        The ``name`` of the reader in every pipeline; the length of an epoch, shards and padding are taken from it.
    auto_reset : bool or {"yes", "no"}
        Begin the next epoch when one has ended; otherwise `reset`, or ``iter()``, does.
    fill_last_batch : bool, optional
        Deprecated: true means `LastBatchPolicy.FILL`, false `LastBatchPolicy.PARTIAL`.
    dynamic_shape : bool
        Accepted without effect: shapes may always change between batches.
    last_batch_padded : bool
        With `size`: the source repeats samples at the end of an epoch instead of going on to the next one.
    last_batch_policy : LastBatchPolicy
    prepare_first_batch : bool
        Make the first batch at once.

    Raises
    ------
    DaliStudioError
        DS601 without PyTorch, DS105 for arguments that do not fit, DS304 if there is no data, or later for a batch
        whose samples differ in shape.
    """

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        del dynamic_shape
        pytorch()
        self._loans = Loans()
        self._shared: list[list[bool]] = []
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, fill_last_batch, last_batch_padded,
            last_batch_policy, prepare_first_batch,
        )  # fmt: skip

    def _converted(self, pipeline: int, outputs: Outputs) -> dict[str, Any]:
        self._loans.collect()
        if not self._shared:
            self._shared = [shared_outputs(pipe) for pipe in self._pipes]
        made: dict[str, Any] = {}
        for number, (batch, shared) in enumerate(zip(outputs, self._shared[pipeline], strict=True)):
            made[self.output_map[number]] = self._tensor(number, batch, shared=shared)
        return made

    def _tensor(self, number: int, batch: TensorListCPU | TensorListGPU, *, shared: bool) -> Any:
        """What of an output is handed out; what is `shared` with later iterations is copied."""
        _check_dense(self.output_map[number], batch)
        if isinstance(batch, TensorListGPU):
            tensor = self._loans.lend(batch.as_tensor())
            return tensor.clone() if shared else tensor
        array = batch.as_array()
        return pytorch().from_numpy(np.array(array) if shared else array)


class DALIClassificationIterator(DALIGenericIterator):
    """`DALIGenericIterator` for pipelines with two outputs, which are called ``"data"`` and ``"label"``.

    Its parameters are those of `DALIGenericIterator`, without `output_map`.
    """

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        super().__init__(
            pipelines, ["data", "label"], size, reader_name, auto_reset, fill_last_batch, dynamic_shape,
            last_batch_padded, last_batch_policy, prepare_first_batch,
        )  # fmt: skip


class DALIRaggedIterator(DALIGenericIterator):
    """`DALIGenericIterator` for outputs whose samples differ in shape, on the CPU.

    Parameters
    ----------
    output_types : sequence of str, optional
        How each output is handed out: `DENSE_TAG` (the default), as one tensor; `SPARSE_LIST_TAG`, as a list of
        tensors; `SPARSE_COO_TAG`, for samples of one axis, as a sparse tensor of two, the sample and the place in it.
    pipelines, output_map, size, reader_name, auto_reset, fill_last_batch, dynamic_shape, last_batch_padded, \
last_batch_policy, prepare_first_batch
        As of `DALIGenericIterator`.

    Raises
    ------
    DaliStudioError
        DS105 for other types, DS304 for a batch that is not as its type asks.
    """

    DENSE_TAG: str = "dense"
    SPARSE_LIST_TAG: str = "sparse_list"
    SPARSE_COO_TAG: str = "sparse_coo"

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        output_types: Sequence[str] | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        known = (self.DENSE_TAG, self.SPARSE_LIST_TAG, self.SPARSE_COO_TAG)
        types = [self.DENSE_TAG] * len(output_map) if output_types is None else list(output_types)
        if len(types) != len(output_map) or not set(types) <= set(known):
            raise DaliStudioError(
                Diagnostic(
                    code="DS105", argument="output_types",
                    message=f"output_types is {types}, for {len(output_map)} outputs; {', '.join(known)} are accepted.",
                    hint="Give one of them for each output, or leave output_types out.",
                )
            )  # fmt: skip
        self._output_types = types
        super().__init__(
            pipelines, output_map, size, reader_name, auto_reset, fill_last_batch, dynamic_shape, last_batch_padded,
            last_batch_policy, prepare_first_batch,
        )  # fmt: skip

    def _tensor(self, number: int, batch: TensorListCPU | TensorListGPU, *, shared: bool) -> Any:
        kind, name = self._output_types[number], self.output_map[number]
        if kind == self.DENSE_TAG:
            return super()._tensor(number, batch, shared=shared)
        if isinstance(batch, TensorListGPU):
            raise _refused(name, f"{name!r} lies on a GPU, where samples are not handed out one by one.", "Add .cpu().")
        _check_type(name, batch)
        torch = pytorch()
        samples = [torch.from_numpy(np.array(one) if shared else one) for one in map(batch.at, range(len(batch)))]
        if kind == self.SPARSE_LIST_TAG:
            return samples
        if any(sample.ndim != 1 for sample in samples):
            raise _refused(name, f"The samples of {name!r} have {samples[0].ndim} axes; sparse_coo takes those of one.",
                           "Hand them out as sparse_list, or flatten them with fn.reshape.")  # fmt: skip
        lengths = torch.tensor([len(sample) for sample in samples])
        first = torch.repeat_interleave(torch.arange(len(samples)), lengths)
        place = torch.arange(int(lengths.sum())) - torch.repeat_interleave(lengths.cumsum(0) - lengths, lengths)
        return torch.sparse_coo_tensor(torch.stack([first, place]), torch.hstack(samples), check_invariants=False)


def feed_ndarray(
    dali_tensor: TensorCPU | TensorGPU | TensorListCPU | TensorListGPU, arr: Any, cuda_stream: Any = None
) -> Any:
    """Copy a tensor, or a batch whose samples have one shape, into a PyTorch tensor.

    Parameters
    ----------
    dali_tensor : TensorCPU, TensorGPU, TensorListCPU or TensorListGPU
    arr : torch.Tensor
        Of the same shape and element type; may be a view with strides, and lie on another device.
    cuda_stream : torch.cuda.Stream or int, optional
        Stream (or its address) of the copy from a GPU, which is then not waited for.

    Returns
    -------
    torch.Tensor
        `arr`.

    Raises
    ------
    DaliStudioError
        DS203 if shape or element type differ, DS304 if the samples differ in shape.
    """
    torch = pytorch()
    if isinstance(dali_tensor, TensorListCPU | TensorListGPU):
        _check_dense("dali_tensor", dali_tensor)
        dali_tensor = dali_tensor.as_tensor()
    wanted = _types().get(dali_tensor.dtype)
    if wanted != arr.dtype or tuple(dali_tensor.shape()) != tuple(arr.shape):
        raise DaliStudioError(
            Diagnostic(
                code="DS203",
                argument="arr",
                message=f"arr is {arr.dtype} of shape {tuple(arr.shape)}; the data is "
                f"{short_name(dali_tensor.dtype)} of shape {tuple(dali_tensor.shape())}.",
                hint="Make arr with torch.empty(data.shape(), dtype=to_torch_type[data.dtype]).",
            )
        )
    if isinstance(dali_tensor, TensorCPU):
        arr.copy_(torch.from_numpy(np.ascontiguousarray(dali_tensor)))
        return arr
    check_cuda(torch)
    with torch.cuda.device(dali_tensor.device_id()), _stream(torch, cuda_stream):
        arr.copy_(torch.from_dlpack(dali_tensor), non_blocking=True)
        current = torch.cuda.current_stream()
        if cuda_stream is None or not arr.is_cuda:
            current.synchronize()
        else:
            _copies.keep(dali_tensor, current)
    return arr


_copies = Loans()


def _stream(torch: Any, given: Any) -> Any:
    if given is None or isinstance(given, torch.cuda.Stream):
        return nullcontext() if given is None else torch.cuda.stream(given)
    address = int(getattr(given, "value", given) or 0)
    return torch.cuda.stream(torch.cuda.ExternalStream(address) if address else torch.cuda.default_stream())


def _check_dense(name: str, batch: TensorListCPU | TensorListGPU) -> None:
    check_dense(name, batch, "PyTorch")
    _check_type(name, batch)


def _check_type(name: str, batch: TensorListCPU | TensorListGPU) -> None:
    if batch.dtype not in _types():
        message = f"{name!r} is {short_name(batch.dtype)}, which this version of PyTorch does not have."
        hint = "Cast it in the pipeline, for instance to INT64."
        raise DaliStudioError(Diagnostic(code="DS203", argument=name, message=message, hint=hint))


def _refused(name: str, message: str, hint: str) -> DaliStudioError:
    return DaliStudioError(Diagnostic(code="DS304", argument=name, message=message, hint=hint))
