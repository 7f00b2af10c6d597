"""Tensors under the name of nvidia.dali's compiled module, from which programs import them, too."""

from __future__ import annotations

from dali_studio.tensors import TensorCPU, TensorGPU, TensorListCPU, TensorListGPU

__all__ = ["TensorCPU", "TensorGPU", "TensorListCPU", "TensorListGPU"]
