"""Tensors; same names as ``nvidia.dali.tensors``."""

from __future__ import annotations

from dali_studio.core.tensors import TensorCPU, TensorList, TensorListCPU
from dali_studio.core.tensors_gpu import TensorGPU, TensorListGPU

__all__ = ["TensorCPU", "TensorGPU", "TensorList", "TensorListCPU", "TensorListGPU"]
