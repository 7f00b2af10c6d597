"""Batches as arrays of JAX; same names as ``nvidia.dali.plugin.jax``. JAX is imported when it is needed."""

from __future__ import annotations

from dali_studio.plugin.base_iterator import LastBatchPolicy
from dali_studio.plugin.jax import fn
from dali_studio.plugin.jax.iterator import DALIGenericIterator, data_iterator

__all__ = ["DALIGenericIterator", "LastBatchPolicy", "data_iterator", "fn"]
