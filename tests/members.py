"""Members of enumerations that a pipeline of either package returns."""

from __future__ import annotations

from typing import Any


def as_numbers(batch: Any) -> Any:
    """The batch itself, as numbers if it holds members: nvidia.dali gives these to no array."""
    if batch.dtype.name in ("IMAGE_TYPE", "DATA_TYPE", "INTERP_TYPE"):
        batch.reinterpret(type(batch.dtype).UINT32)
    return batch
