"""Where a sequence came from, and when its frames are shown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class TimedSource(str):
    """The file of a sequence of frames, for `Batch.sources`.

    Attributes
    ----------
    seconds : ndarray of float64
        From the first frame of the file to each frame of the sequence; -1 for filled ones.
    """

    __slots__ = ("seconds",)

    seconds: NDArray[np.float64]

    @classmethod
    def of(cls, source: str, seconds: NDArray[np.float64]) -> TimedSource:
        """The file `source`, with times."""
        made = cls(source)
        made.seconds = seconds
        return made
