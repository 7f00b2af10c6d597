"""Operators called on tensors and batches, without a pipeline; same names as ``nvidia.dali.experimental.dynamic``."""

from __future__ import annotations

import sys

from dali_studio.api.dynamic.batch import Batch, as_batch, batch
from dali_studio.api.dynamic.context import (
    EvalContext,
    EvalMode,
    ThreadPool,
    get_current_stream,
    get_num_threads,
    set_num_threads,
)
from dali_studio.api.dynamic.device import Device, DeviceLike, device
from dali_studio.api.dynamic.dtype import (
    DataType,
    DType,
    ImageType,
    InterpType,
    bfloat16,
    dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    type_id,
    uint8,
    uint16,
    uint32,
    uint64,
)
from dali_studio.api.dynamic.dtype import boolean as bool  # noqa: A004 - nvidia.dali's name
from dali_studio.api.dynamic.functions import imread, offered
from dali_studio.api.dynamic.reader import entry_for, path_of
from dali_studio.api.dynamic.source import ExternalSource
from dali_studio.api.dynamic.streams import (
    Stream,
    get_default_stream,
    set_current_stream,
    set_default_stream,
    stream,
)
from dali_studio.api.dynamic.tensor import Tensor, as_tensor, tensor
from dali_studio.api.functions import populate
from dali_studio.experimental.dynamic import capture, checkpoint, math, pytorch, random

__all__ = [  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]
    "Batch", "DType", "DataType", "Device", "DeviceLike", "EvalContext", "EvalMode", "ExternalSource", "ImageType",
    "InterpType", "Stream", "Tensor", "ThreadPool", "as_batch", "as_tensor", "batch", "bfloat16", "bool", "capture",
    "checkpoint", "device", "dtype", "float16", "float32", "float64", "get_current_stream", "get_default_stream",
    "get_num_threads", "imread", "int8", "int16", "int32", "int64", "math", "pytorch", "random", "set_current_stream",
    "set_default_stream", "set_num_threads", "stream", "tensor", "type_id", "uint8", "uint16", "uint32", "uint64",
    *populate(sys.modules[__name__], entry_for, path_of, offered),
]  # fmt: skip
