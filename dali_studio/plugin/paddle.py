"""Iterators that give tensors of PaddlePaddle; the names are those of ``nvidia.dali.plugin.paddle``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.dtypes import short_name
from dali_studio.core.enums import DALIDataType
from dali_studio.core.optional import require
from dali_studio.pipeline import Pipeline
from dali_studio.plugin.base_iterator import BaseIterator, LastBatchPolicy, Outputs
from dali_studio.plugin.dense import check_dense
from dali_studio.plugin.lent import shared_outputs
from dali_studio.tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

__all__ = ["DALIClassificationIterator", "DALIGenericIterator", "LastBatchPolicy", "feed_ndarray"]


def paddle() -> Any:
    """The package.

    Raises
    ------
    DaliStudioError
        DS601 without PaddlePaddle.
    """
    return require("paddle", purpose="Handing batches to PaddlePaddle", install="paddlepaddle")


class DALIGenericIterator(BaseIterator):
    """Hands out ``[{name: paddle.Tensor, ...}, ...]``: one dictionary for each pipeline.

    On the CPU, tensors share the memory of the pipeline's results, which is not used again as long as they are there.
    Copied are results on a GPU, there, and what does not belong to the iteration alone: a constant, and what an
    `external_source` with `no_copy` or `repeat_last` gives directly to an output.

    Parameters
    ----------
    pipelines : Pipeline or list of Pipeline
        All of one batch size.
    output_map : sequence of str
        A name for each output; pairs of a name and a LoD level are accepted with the level 0.
    size, reader_name, auto_reset, fill_last_batch, dynamic_shape, last_batch_padded, last_batch_policy, \
prepare_first_batch
        As of `dali_studio.plugin.pytorch.DALIGenericIterator`.

    Raises
    ------
    DaliStudioError
        DS601 without PaddlePaddle, DS105 for arguments that do not fit, DS106 for other LoD levels, DS304 if there is
        no data, or later for a batch whose samples differ in shape, DS203 for element types that it does not have.
    """

    def __init__(
        self,
        pipelines: Pipeline | Sequence[Pipeline],
        output_map: Sequence[str | tuple[str, int]],
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
        paddle()
        super().__init__(
            pipelines, [_name(one) for one in output_map], size, reader_name, auto_reset, fill_last_batch,
            last_batch_padded, last_batch_policy, prepare_first_batch,
        )  # fmt: skip

    @cached_property
    def _shared(self) -> list[list[bool]]:
        return [shared_outputs(pipe) for pipe in self._pipes]

    def _converted(self, pipeline: int, outputs: Outputs) -> dict[str, Any]:
        return {
            name: _tensor(name, batch, shared=shared)
            for name, batch, shared in zip(self.output_map, outputs, self._shared[pipeline], strict=True)
        }


class DALIClassificationIterator(DALIGenericIterator):
    """`DALIGenericIterator` for pipelines with two outputs, which are called ``"data"`` and ``"label"``.

    Its parameters are those of `DALIGenericIterator`, without `output_map`.
    """

    def __init__(self, pipelines: Pipeline | Sequence[Pipeline], *args: Any, **arguments: Any) -> None:
        super().__init__(pipelines, ["data", "label"], *args, **arguments)


def feed_ndarray(
    dali_tensor: TensorCPU | TensorGPU | TensorListCPU | TensorListGPU, ptr: int, cuda_stream: Any = None
) -> int:
    """Copy a tensor, or the samples of a batch one after the other, to an address.

    Parameters
    ----------
    dali_tensor : TensorCPU, TensorGPU, TensorListCPU or TensorListGPU
    ptr : int
        Where its bytes go, such as ``tensor.data_ptr()`` of a tensor of as many bytes on the same device.
    cuda_stream : stream or int, optional
        Accepted without effect: the copy is waited for.

    Returns
    -------
    int
        `ptr`.
    """
    del cuda_stream
    dali_tensor.copy_to_external(ptr)
    return ptr


def _name(given: str | tuple[str, int]) -> str:
    if isinstance(given, str):
        return given
    name, level = given
    if level:
        raise DaliStudioError(
            Diagnostic(
                code="DS106", argument="output_map", message=f"The LoD level {level} of {name!r} is not supported.",
                hint="Pad the samples to one shape with fn.pad, and name the output alone.",
            )
        )  # fmt: skip
    return name


def _tensor(name: str, batch: TensorListCPU | TensorListGPU, *, shared: bool) -> Any:
    check_dense(name, batch, "PaddlePaddle")
    if batch.dtype is DALIDataType.UINT16:
        raise DaliStudioError(
            Diagnostic(
                code="DS203", argument=name,
                message=f"{name!r} is {short_name(batch.dtype)}, which PaddlePaddle does not have.",
                hint="Cast it in the pipeline, for instance to INT32.",
            )
        )  # fmt: skip
    module = paddle()
    from_dlpack = module.utils.dlpack.from_dlpack
    if isinstance(batch, TensorListGPU):
        # the copy is waited for: Paddle says when it lets go of lent memory, but not when its kernels have read it
        made = from_dlpack(batch.as_tensor().__dlpack__(stream=None)).clone()
        module.device.synchronize()
        return made
    array = batch.as_array()
    return from_dlpack(np.array(array) if shared else array)
