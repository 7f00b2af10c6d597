"""Where data lies, told without touching it."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.core.tensors_gpu import on_gpu
from dali_studio.tensors import TensorCPU, TensorListCPU


class OnDevice:
    """What arrays of CUDA libraries look like."""

    @property
    def __cuda_array_interface__(self) -> dict[str, int]:
        return {"version": 3}


class Exported:
    """What exports DLPack: device types 1 (CPU), 2 (CUDA), 3 (page-locked), 13 (managed)."""

    def __init__(self, kind: int) -> None:
        self._kind = kind

    def __dlpack__(self) -> object:
        raise AssertionError("nothing is exported to find out where it lies")

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._kind, 0


def test_what_is_on_a_gpu() -> None:
    tensors = [TensorCPU(np.zeros(2)), TensorListCPU([np.zeros(2)])]
    host = [np.zeros(3), np.float32(1), 2.5, [1, 2], *tensors, Exported(1), Exported(3)]
    assert not any(on_gpu(item) for item in host) and not on_gpu(host) and not on_gpu([])
    device = [OnDevice(), Exported(2), Exported(13)]
    assert all(on_gpu(item) for item in device) and on_gpu(device)
    with pytest.raises(TypeError, match="sample 2 lies on a GPU and sample 0 does not"):
        on_gpu([*host[:2], device[0]])
