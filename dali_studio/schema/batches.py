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
class JpegImages:
    """The images of a batch that are decoded without Python code for each; see `Operator.jpeg_images`.

    Attributes
    ----------
    positions : ndarray
        int64, (M,): where they stand in the batch. First come those that decoders of a GPU may take, ascending.
    shared : int
        How many those are.
    hardware : bool
        Whether the GPU's JPEG hardware may be one of these decoders.
    requests : ndarray
        int64, (M, `libjpeg.FIELDS`): what to decode of each; addresses are left open.
    colors : str
        "RGB", "BGR" or "GRAY": what the hardware is asked for.
    """

    positions: NDArray[np.int64]
    shared: int
    hardware: bool
    requests: NDArray[np.int64]
    colors: str
