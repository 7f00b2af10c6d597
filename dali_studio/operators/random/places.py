"""Where the random streams of samples begin, for operators whose kernels draw one word after another."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.random_stream import SAMPLE_STRIDE
from dali_studio.schema.arguments import RunContext
from dali_studio.schema.marks import Doc

_MASK64 = 0xFFFFFFFFFFFFFFFF


class SeedArgument:
    """The seed of random operators."""

    seed: Annotated[int | None, Doc("Seed of the stream; unset: the pipeline hands one out.")] = None


def places(context: RunContext) -> NDArray[np.int64]:
    """(N,) places of the samples in the stream of the operator's seed, as 64 bits with a sign."""
    start = np.uint64(context.samples_so_far & _MASK64)
    return (start + context.drawn.astype(np.uint64) * np.uint64(SAMPLE_STRIDE)).view(np.int64)
