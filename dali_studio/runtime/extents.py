"""Results that are too large: refused by size, or named when memory for a batch runs out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.wording import byte_count
from dali_studio.kernels.cpu.descriptors import largest_sample

#: Bytes of a sample beyond which no machine need be asked: arithmetic over batches of such samples does not overflow.
_MAX_BYTES = 1 << 46
#: From where on extents are not written whole.
_LONG = 10**10
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
            f"the result would be {_words(shapes[index])} of {dtype.name}, {byte_count(int(sizes[index]))}.",
            hint=_HINT, sample=index, code="DS301",
        )  # fmt: skip


def no_room(shapes: NDArray[np.int64], dtype: np.dtype[np.generic]) -> tuple[int, NoRoomError]:
    """The largest sample of a batch for which there is no memory, and the error for it."""
    sizes = shapes.prod(axis=1) * dtype.itemsize
    index = int(sizes.argmax())
    one, batch = (byte_count(int(size)) for size in (sizes[index], sizes.sum()))
    others = f", {batch} with the other {len(sizes) - 1} of the batch" if len(sizes) > 1 else ""
    return index, NoRoomError(
        f"The result of {_words(shapes[index])} does not fit into memory: it needs {one}{others}."
    )


def _words(shape: NDArray[np.int64]) -> str:
    """Extents; those of more digits than can be read at once without the last of them."""
    return "×".join(f"{extent}" if extent < _LONG else f"{extent:.3g}" for extent in shape.tolist())
