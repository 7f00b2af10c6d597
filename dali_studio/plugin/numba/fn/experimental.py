"""The same function by its older name in nvidia.dali."""

from dali_studio.plugin.numba.fn import numba_function

__all__ = ["numba_function"]
