"""The same function by its older name in nvidia.dali."""

from __future__ import annotations

from dali_studio.plugin.numba.fn import numba_function

__all__ = ["numba_function"]
