"""Results that are too large: refused by size, or named when memory for a batch runs out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.descriptors import largest_sample

#: Bytes of a sample beyond which no machine need be asked: arithmetic over batches of such samples does not overflow.
_MAX_BYTES = 1 << 46
#: The largest whole number below which float32 has all.
_WHOLE = 1 << 24
_HINT = "Make the output smaller."


class NoRoomError(MemoryError):
    """Memory for a batch cannot be had; the message says what the batch and its largest sample need."""


def check_sizes(shapes: NDArray[np.int64], dtype: np.dtype[np.generic]) -> None:
    """Refuse results that no memory holds.

    Parameters
    ----------
    shapes : ndarray
        int64, (N, ndim) of the samples.
    dtype : numpy.dtype

    Raises
    ------
    ArgumentError
        DS301 with the sample.
    """
    if largest_sample(shapes) * dtype.itemsize <= _MAX_BYTES:
        return
    sizes = shapes.astype(np.float64).prod(axis=1) * dtype.itemsize
    if sizes.max() > _MAX_BYTES:
        index = int(sizes.argmax())
        raise ArgumentError(
            f"the result would be {_words(shapes[index])} of {dtype.name}, {_gib(sizes[index])}.",
            hint=_HINT, sample=index, code="DS301",
        )  # fmt: skip


def no_room(shapes: NDArray[np.int64], dtype: np.dtype[np.generic]) -> tuple[int, NoRoomError]:
    """The largest sample of a batch for which there is no memory, and the error for it."""
    sizes = shapes.prod(axis=1) * dtype.itemsize
    index = int(sizes.argmax())
    batch = f", {_gib(sizes.sum())} with the other {len(sizes) - 1} of the batch" if len(sizes) > 1 else ""
    return index, NoRoomError(
        f"The result of {_words(shapes[index])} does not fit into memory: it needs {_gib(sizes[index])}{batch}."
    )


def _words(shape: NDArray[np.int64]) -> str:
    """Extents; those whose last digits are not what was asked for, as sizes are computed in float32, without them."""
    return "×".join(f"{extent:.3g}" if extent > _WHOLE else f"{extent}" for extent in shape.tolist())


def _gib(size: float) -> str:
    return f"{size / 2**30:,.1f} GiB"
