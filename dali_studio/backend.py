"""What programs take from nvidia.dali's compiled module: tensors, the number of GPUs, and what becomes of memory.

Memory is recycled between iterations and belongs to pipelines, so nothing need be allocated in advance, nor is a buffer
ever enlarged or made smaller by a factor: those calls check what they are given, remember it, and do no more.
"""

from __future__ import annotations

import gc
from contextlib import suppress

from dali_studio.kernels.cuda.device import cupy, device_count
from dali_studio.kernels.cuda.retired import give_back
from dali_studio.tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

__all__ = [
    "GetCUDADeviceCount",
    "GetDeviceBufferGrowthFactor",
    "GetHostBufferGrowthFactor",
    "GetHostBufferShrinkThreshold",
    "PreallocateDeviceMemory",
    "PreallocatePinnedMemory",
    "ReleaseUnusedMemory",
    "SetBufferGrowthFactor",
    "SetDeviceBufferGrowthFactor",
    "SetHostBufferGrowthFactor",
    "SetHostBufferShrinkThreshold",
    "TensorCPU",
    "TensorGPU",
    "TensorListCPU",
    "TensorListGPU",
]

_factors = {"host": 1.1, "device": 1.1, "shrink": 0.5}


def GetCUDADeviceCount() -> int:  # noqa: N802 - nvidia.dali's names
    """Number of GPUs; 0 where there is none, or no CuPy."""
    return device_count()


def ReleaseUnusedMemory() -> None:  # noqa: N802
    """Give back memory of GPUs, and pinned memory of the host, that no pipeline and no result holds any more."""
    gc.collect()  # pipelines that are forgotten
    if device_count():
        give_back()
        with suppress(Exception):  # of a GPU that has failed
            cupy().get_default_memory_pool().free_all_blocks()
            cupy().get_default_pinned_memory_pool().free_all_blocks()


def PreallocateDeviceMemory(bytes: int, device_id: int) -> None:  # noqa: N802, A002
    """Has no effect.

    Parameters
    ----------
    bytes : int
        At least 0.
    device_id : int
        A GPU of this machine.

    Raises
    ------
    ValueError
        For a negative number, and for a GPU that is not there.
    """
    _check_bytes(bytes)
    if not 0 <= device_id < device_count():
        raise ValueError(f"device_id is {device_id}; this machine has {device_count()} GPUs, counted from 0.")


def PreallocatePinnedMemory(bytes: int) -> None:  # noqa: N802, A002
    """Has no effect.

    Parameters
    ----------
    bytes : int
        At least 0.

    Raises
    ------
    ValueError
        For a negative number.
    """
    _check_bytes(bytes)


def _check_bytes(number: int) -> None:
    if number < 0:
        raise ValueError(f"bytes is {number}; give 0 or more.")


def GetHostBufferShrinkThreshold() -> float:  # noqa: N802
    """What `SetHostBufferShrinkThreshold` was given; 0.5 at first."""
    return _factors["shrink"]


def SetHostBufferShrinkThreshold(threshold: float) -> None:  # noqa: N802
    """Remember a number from 0 to 1; it has no effect. Raises ValueError for others."""
    if not 0 <= threshold <= 1:
        raise ValueError(f"The threshold is {threshold}; give 0 (never shrink) to 1 (always).")
    _factors["shrink"] = float(threshold)


def GetHostBufferGrowthFactor() -> float:  # noqa: N802
    """What `SetHostBufferGrowthFactor` was given; 1.1 at first."""
    return _factors["host"]


def GetDeviceBufferGrowthFactor() -> float:  # noqa: N802
    """What `SetDeviceBufferGrowthFactor` was given; 1.1 at first."""
    return _factors["device"]


def SetHostBufferGrowthFactor(factor: float) -> None:  # noqa: N802
    """Remember a number from 1 to 4; it has no effect. Raises ValueError for others."""
    _factors["host"] = _growth(factor)


def SetDeviceBufferGrowthFactor(factor: float) -> None:  # noqa: N802
    """Remember a number from 1 to 4; it has no effect. Raises ValueError for others."""
    _factors["device"] = _growth(factor)


def SetBufferGrowthFactor(factor: float) -> None:  # noqa: N802
    """Remember a number from 1 to 4 for host and device; it has no effect. Raises ValueError for others."""
    _factors.update(host=_growth(factor), device=_growth(factor))


def _growth(factor: float) -> float:
    if not 1 <= factor <= 4:
        raise ValueError(f"The growth factor is {factor}; give 1 to 4.")
    return float(factor)
