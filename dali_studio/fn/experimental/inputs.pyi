"""Generated from the registry. Do not edit: run ``make generated``."""

from collections.abc import Sequence as _Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.pipeline import DataNode

_Input = DataNode | _Sequence[DataNode] | NDArray[Any] | np.generic | float

def video(
    *,
    sequence_length: int,
    last_sequence_policy: str | None = 'partial',
    blocking: bool | None = False,
    no_copy: bool | None = False,
    affine: bool | None = True,
    preserve: bool | None = False,
    bytes_per_sample_hint: int | _Sequence[int] | None = ...,
    name: str | None = ...,
    device: str | None = ...,
) -> DataNode:
    """Brings a video from the program, by Pipeline.feed_input, and decodes it over as many iterations as it takes.

    What is fed is the contents of a file, as a batch of one sample: uint8, (bytes,). Each iteration gives the next
    sequences, uint8 (F, H, W, C), as many as the pipeline's batch size says; the last one of a video may give fewer.
    Then comes the next video that was fed. nvidia.dali decodes VP8, VP9 and MJPEG on the CPU.
    """
    ...
