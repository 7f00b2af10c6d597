"""What one iteration has made so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dali_studio.runtime.failures import ErrorPolicy
from dali_studio.runtime.probe import Recording
from dali_studio.runtime.request import Cache, Request, Store, computed


@dataclass(slots=True)
class Iteration:
    """One iteration, or several that are computed together.

    Attributes
    ----------
    at : int
        The next stage.
    wait : callable or None
        What has to be called before it can run.
    indices : ndarray
        The samples that are computed.
    """

    request: Request
    error_policy: ErrorPolicy
    results: Store
    recording: Recording | None = None
    cache: Cache | None = None
    at: int = 0
    wait: Callable[[], None] | None = None
    indices: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.indices = computed(self.request)
