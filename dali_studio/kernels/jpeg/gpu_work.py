"""What a decoder of a GPU has to do: batches of its own (hardware only), and groups of batches that it shares."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.jpeg import libjpeg, nvjpeg_groups


@dataclass(slots=True, eq=False)
class Batch:
    """Files on their way through a decoder: what `HardwareDecoder.submit` returns.

    Attributes
    ----------
    files
        Kept alive until they are decoded.
    trusted
        bool, (N,): which pictures are there. Complete after `HardwareDecoder.wait`.
    milliseconds
        How long the hardware was busy with them.
    """

    files: Sequence[NDArray[np.uint8]]
    pointers: NDArray[np.uint64]
    lengths: NDArray[np.uint64]
    destinations: NDArray[np.uint64]
    windows: NDArray[np.int64] | None
    output: str
    after: Any
    trusted: NDArray[np.bool_]
    error: BaseException | None = None
    begun: float | None = None  # when the hardware got it
    milliseconds: float = 0.0
    underway: threading.Lock = field(default_factory=threading.Lock)

    @property
    def size(self) -> float:
        """Bytes of the files."""
        return float(self.lengths.sum())


@dataclass(slots=True, eq=False)
class SubmittedGroup:
    """The hardware's part in a batch that it shares with others: what `HardwareDecoder.take_groups` returns.

    Attributes
    ----------
    queues, which
        From where it takes; see `decode_queue`.
    requests
        int64, (N, `libjpeg.FIELDS`).
    places
        int64, (N, 2): device addresses and pitches.
    outcomes
        int8, (N,): `decode_queue.BY_HARDWARE` is entered for what has been decoded.
    files
        Kept alive until they are decoded.
    enqueued
        The last group, where nobody has waited for it yet (`JpegKernels`).
    milliseconds
        How long the hardware was busy with them.
    """

    queues: NDArray[np.int64]
    which: int
    requests: NDArray[np.int64]
    places: NDArray[np.int64]
    outcomes: NDArray[np.int8]
    files: Any
    output: str
    after: Any
    enqueued: Any = None
    clock: NDArray[np.int64] = field(default_factory=lambda: np.zeros(nvjpeg_groups.CLOCK, np.int64))
    error: BaseException | None = None
    milliseconds: float = 0.0
    underway: threading.Lock = field(default_factory=threading.Lock)

    @property
    def size(self) -> float:
        """Bytes of the files."""
        return float(self.requests[:, libjpeg.SIZE].sum())

    @property
    def begun(self) -> float | None:
        """When the hardware got what it is at."""
        return float(self.clock[nvjpeg_groups.BEGUN]) / 1e9 or None


class GpuDecoder(Protocol):
    """What takes part in the decoding of a batch, group by group: `HardwareDecoder` or `JpegKernels`.

    Attributes
    ----------
    stalled : bool
        It did not answer, and may still write into memory.
    overlaps : bool
        It may take groups of the next batch before it is waited for.
    """

    stalled: bool
    overlaps: bool

    def take_groups(
        self, queue: tuple[NDArray[np.int64], int], requests: NDArray[np.int64], places: NDArray[np.int64],
        outcomes: NDArray[np.int8], output: str = "RGB", *, files: Any = None, after: Any = None, whole: bool = False,
    ) -> SubmittedGroup:  # fmt: skip
        """Take groups of pictures from a queue until nothing is left."""
        ...

    def wait(self, batch: SubmittedGroup) -> NDArray[np.bool_]:
        """Wait for the groups; which pictures are there."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...
