"""Functions that Numba compiles; same names as ``nvidia.dali.plugin.numba``. Numba is imported when it is needed."""
