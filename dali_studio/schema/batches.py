"""What flows between operators: batches, what is known of them before they are computed, and prepared work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.meta import TensorMeta


@dataclass(slots=True)
class Batch:
    """Samples that exist: what flows between stages.

    Attributes
    ----------
    samples : sequence of ndarray
        One per computed sample; `Rows` where they lie in one array.
    layout : str
    sources : sequence of str
        Where each sample came from, for messages; empty if not known.
    """

    samples: Sequence[NDArray[Any]]
    layout: str = ""
    sources: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.samples)


@dataclass(slots=True)
class BatchView:
    """An input batch as ``plan`` sees it.

    Attributes
    ----------
    meta : TensorMeta
        dtype, ndim and layout are known here.
    shapes : ndarray
        int64, (N, ndim).
    samples : sequence of ndarray or None
        The data, where it exists already (always for operators with the trait ``ReadsData``).
    sources : sequence of str
        Where each sample came from, for messages.
    """

    meta: TensorMeta
    shapes: NDArray[np.int64]
    samples: Sequence[NDArray[Any]] | None = None
    sources: Sequence[str] = ()


@dataclass(slots=True)
class Work:
    """What ``plan`` prepared for a batch: the output's shapes, and parameters that ``cpu`` indexes by sample.

    Attributes
    ----------
    shapes : ndarray
        int64, (N, ndim) of the output.
    params : dict
        Arrays over the batch and constants.
    """

    shapes: NDArray[np.int64]
    params: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class HardwareImages:
    """What a hardware decoder may take of a batch; see `Operator.hardware`.

    Attributes
    ----------
    positions : sequence of int
        Those images, ascending.
    colors : str
        "RGB", "BGR" or "GRAY".
    windows : ndarray or None
        int64, (N, 4): first row, first column, height and width of the part of each image of the batch; ``None`` for
        whole images.
    """

    positions: Sequence[int]
    colors: str
    windows: NDArray[np.int64] | None
