"""Where the random streams of samples begin, for operators whose kernels draw one word after another."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.schema.arguments import RunContext
from dali_studio.schema.marks import Doc


class SeedArgument:
    """The seed of random operators."""

    seed: Annotated[int | None, Doc("Seed of the stream; unset: the pipeline hands one out.")] = None


def places(context: RunContext) -> NDArray[np.int64]:
    """(N,) places of the samples in the stream of the operator's seed, as 64 bits with a sign."""
    return context.highs.view(np.int64)
