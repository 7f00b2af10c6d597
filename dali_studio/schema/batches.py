"""What an operator prepares for a batch before it computes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Work:
    """What ``plan`` prepared for a batch.

    Attributes
    ----------
    shapes : ndarray
        int64, (N, ndim) of the first output.
    params : dict
        Arrays over the batch, which ``cpu`` indexes by sample, and constants.
    more : tuple of ndarray
        The same for further outputs.
    layout : str or None
        Of the first output, where it follows from shapes and not from types alone; ``None``: what ``infer`` says.
    """

    shapes: NDArray[np.int64]
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    more: tuple[NDArray[np.int64], ...] = ()
    layout: str | None = None

    @property
    def outputs(self) -> tuple[NDArray[np.int64], ...]:
        """Shapes of each output."""
        return (self.shapes, *self.more)


@dataclass(slots=True)
class JpegImages:
    """The images of a batch that are decoded without Python code for each; see `Operator.jpeg_images`.

    Attributes
    ----------
    positions : ndarray
        int64, (M,): where they stand in the batch. First come those that decoders of a GPU may take, progressive ones
        last.
    shared : int
        How many those are.
    hardware : bool
        Whether the GPU's JPEG hardware may be one of these decoders.
    requests : ndarray
        int64, (M, `libjpeg.FIELDS`): what to decode of each; addresses are left open.
    colors : str
        "RGB", "BGR" or "GRAY": what the hardware is asked for.
    rooms : ndarray
        int64, (M,): bytes for the coefficients of each image whose pixels kernels make of them, or 0.
    """

    positions: NDArray[np.int64]
    shared: int
    hardware: bool
    requests: NDArray[np.int64]
    colors: str
    rooms: NDArray[np.int64]
