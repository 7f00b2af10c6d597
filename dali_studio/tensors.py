"""Tensors; same names as ``nvidia.dali.tensors``."""

from __future__ import annotations

from dali_studio.core.tensors import TensorCPU, TensorList, TensorListCPU

__all__ = ["TensorCPU", "TensorList", "TensorListCPU"]
