"""Generated from the registry. Do not edit: run ``make generated``."""

from typing import Any
from dali_studio.api.dynamic.batch import Batch
from dali_studio.api.dynamic.tensor import Tensor

def read(
    filepaths: Any,
    /,
    *,
    batch_size: int | None = ...,
    device: Any = ...,
    dont_use_mmap: Any = ...,
    use_o_direct: Any = ...,
    preserve: Any = ...,
    bytes_per_sample_hint: Any = ...,
) -> Tensor | Batch:
    """Reads the files whose paths it is given, as the bytes of their names."""
