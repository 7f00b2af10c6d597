"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

class Read:
    """Reads the files whose paths it is given, as the bytes of their names."""
    def __init__(
        self,
        *,
        dont_use_mmap: bool | None = False,
        use_o_direct: bool | None = False,
        preserve: bool | None = False,
        bytes_per_sample_hint: int | _Sequence[int] | None = ...,
        name: str | None = ...,
        device: str | None = ...,
    ) -> None: ...
    def __call__(
        self,
        filepaths: _Input,
        /,
        **arguments: Any,
    ) -> DataNode: ...
