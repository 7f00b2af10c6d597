"""Element types, colour spaces, filters and constants, under nvidia.dali's names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import DTypeLike

from dali_studio.api.constants import ScalarConstant
from dali_studio.api.tracing import constant as Constant  # noqa: N812 - nvidia.dali's name
from dali_studio.api.tracing import constant_node as ConstantNode  # noqa: N812 - nvidia.dali's name
from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType

NO_TYPE = DALIDataType.NO_TYPE
UINT8 = DALIDataType.UINT8
UINT16 = DALIDataType.UINT16
UINT32 = DALIDataType.UINT32
UINT64 = DALIDataType.UINT64
INT8 = DALIDataType.INT8
INT16 = DALIDataType.INT16
INT32 = DALIDataType.INT32
INT64 = DALIDataType.INT64
FLOAT16 = DALIDataType.FLOAT16
FLOAT = DALIDataType.FLOAT
FLOAT64 = DALIDataType.FLOAT64
BOOL = DALIDataType.BOOL
STRING = DALIDataType.STRING
FEATURE = DALIDataType.FEATURE
IMAGE_TYPE = DALIDataType.IMAGE_TYPE
DATA_TYPE = DALIDataType.DATA_TYPE
INTERP_TYPE = DALIDataType.INTERP_TYPE
TENSOR_LAYOUT = DALIDataType.TENSOR_LAYOUT
PYTHON_OBJECT = DALIDataType.PYTHON_OBJECT

RGB = DALIImageType.RGB
BGR = DALIImageType.BGR
GRAY = DALIImageType.GRAY
YCbCr = DALIImageType.YCbCr
ANY_DATA = DALIImageType.ANY_DATA

INTERP_NN = DALIInterpType.INTERP_NN
INTERP_LINEAR = DALIInterpType.INTERP_LINEAR
INTERP_CUBIC = DALIInterpType.INTERP_CUBIC
INTERP_LANCZOS3 = DALIInterpType.INTERP_LANCZOS3
INTERP_TRIANGULAR = DALIInterpType.INTERP_TRIANGULAR
INTERP_GAUSSIAN = DALIInterpType.INTERP_GAUSSIAN

NCHW, NHWC, NFHWC, NFCHW, SAME = "CHW", "HWC", "FHWC", "FCHW", ""

CPU_ONLY_DEVICE_ID = -99999
#: Layouts are plain strings here.
TensorLayout = str


class PipelineAPIType(Enum):
    """How a pipeline is driven."""

    BASIC = 0
    ITERATOR = 1
    SCHEDULED = 2


@dataclass(frozen=True, slots=True)
class SampleInfo:
    """What a per-sample external source is asked for."""

    idx_in_epoch: int
    idx_in_batch: int
    iteration: int
    epoch_idx: int


@dataclass(frozen=True, slots=True)
class BatchInfo:
    """What a per-batch external source is asked for."""

    iteration: int
    epoch_idx: int


def to_numpy_type(dtype: DALIDataType) -> type[np.generic]:
    """The numpy scalar type of an element type."""
    return to_numpy(dtype).type


def to_dali_type(dtype: DTypeLike) -> DALIDataType:
    """The element type of a numpy dtype."""
    return from_numpy(dtype)


def __getattr__(name: str) -> object:
    from dali_studio.api.support import TYPE_NAMES  # noqa: PLC0415 - only needed for the message

    reason = f": {TYPE_NAMES[name].reason}" if name in TYPE_NAMES else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{reason}")


__all__ = [
    "ANY_DATA", "BGR", "BOOL", "CPU_ONLY_DEVICE_ID", "DATA_TYPE", "FEATURE", "FLOAT", "FLOAT16", "FLOAT64", "GRAY",
    "IMAGE_TYPE", "INT8", "INT16", "INT32", "INT64", "INTERP_CUBIC", "INTERP_GAUSSIAN", "INTERP_LANCZOS3",
    "INTERP_LINEAR", "INTERP_NN", "INTERP_TRIANGULAR", "INTERP_TYPE", "NCHW", "NFCHW", "NFHWC", "NHWC", "NO_TYPE",
    "PYTHON_OBJECT", "RGB", "SAME", "STRING", "TENSOR_LAYOUT", "UINT8", "UINT16", "UINT32", "UINT64",
    "BatchInfo", "Constant", "ConstantNode", "DALIDataType", "DALIImageType", "DALIInterpType", "PipelineAPIType",
    "SampleInfo", "ScalarConstant", "TensorLayout", "YCbCr", "to_dali_type", "to_numpy_type",
]  # fmt: skip
