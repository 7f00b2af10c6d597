"""Strips of planes that blocks of threads bring to shared memory (`strip.cuh`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.stream import THREADS

_SIZES = ("height", "width", "inner", "out_height", "out_width")
_REACHES = ("above", "below", "left", "right")
STRIPS = np.dtype(
    [("blocks", np.int64), *((name, np.int32) for name in _SIZES),
     *((name, np.int32) for name in ("pixels", "rows", "across", "down", *_REACHES, "unused"))]
)  # fmt: skip
#: Results that a thread makes together, and rows that a block brings together.
RUN, PIECE = 8, 32
#: Elements of a strip's rows, if shared memory takes them; bytes of it that leave room for more than one block.
_WIDTHS, _SHARED = (192, 96, 48), 75_000
#: So many blocks keep every GPU busy; pieces of a strip, at most.
_BLOCKS, _PIECES = 1024, 16
#: Windows of which all have at most so many elements along an axis are written out by the compiler.
_WRITTEN_OUT = 31
#: Elements of a pixel, up to which a kernel is made for their number.
_FEW = 4

Ints = NDArray[np.int64]
#: Words of shared memory by the elements of a line with what lies beside it, of one without, and rows that windows have
#: besides one.
Words = Callable[[Ints, Ints, Ints], Ints]


@dataclass(frozen=True, slots=True)
class Layout:
    """Strips of a batch.

    Attributes
    ----------
    table : (N,) array of STRIPS
    work : (N,) int64 array
        Threads that the samples need.
    shared : int
        Bytes of shared memory of a block.
    """

    table: NDArray[np.void]
    work: Ints
    shared: int


def pitch(line: Ints) -> Ints:
    """Words from one line to the next in shared memory."""
    return line | 1


@cache
def both_axes(terms: int = 1) -> Words:
    """Of windows along rows, and columns of what those give (`along`)."""
    return lambda line, width, reach: line + PIECE * pitch(line) + terms * (PIECE + reach) * pitch(width)


def cut(
    given: Ints, made: Ints, first: int, reaches: Ints, words: Words, limit: int, rows: int = 0,
    more: Ints | None = None,
) -> Layout | None:  # fmt: skip
    """Cut planes into strips; ``None`` if shared memory does not take them.

    Parameters
    ----------
    given, made : (N, D) int64 arrays
        Shapes of the samples and of the results.
    first : int
        The axis of rows; that of columns follows it.
    reaches : (4, N) int64 array
        How far windows reach above, below, to the left and to the right.
    words : callable
        The same one for the same kernel: what was found is kept.
    limit : int
        Bytes of shared memory that the GPU gives a block.
    rows : int
        Of a strip; 0 for as many as keep the GPU busy.
    more : (N,) int64 array, optional
        Words of shared memory beside those of `words`.
    """
    beside = np.zeros(len(given), np.int64) if more is None else more
    arrays = [np.asarray(one, np.int64).tobytes() for one in (given, made, reaches, beside)]
    return _cut(given.shape[1], first, *arrays, words, limit, rows)


@lru_cache(maxsize=64)
def _cut(
    axes: int, first: int, given_shapes: bytes, made_shapes: bytes, all_reaches: bytes, more: bytes, words: Words,
    limit: int, rows: int,
) -> Layout | None:  # fmt: skip
    given, made = (np.frombuffer(one, np.int64).reshape(-1, axes) for one in (given_shapes, made_shapes))
    reaches, beside = np.frombuffer(all_reaches, np.int64).reshape(4, -1), np.frombuffer(more, np.int64)
    above, below, left, right = reaches
    inner = given[:, first + 2 :].prod(axis=1)
    planes = np.where(made.all(axis=1), made[:, :first].prod(axis=1), 0)
    high, wide = made[:, first], made[:, first + 1]
    longest = np.maximum(given[:, first], inner * np.maximum(given[:, first + 1], wide)) + reaches.max(axis=0)
    if longest.max(initial=0) > np.iinfo(np.int32).max:
        return None
    for width in _WIDTHS:
        pixels = np.maximum(width // np.maximum(inner, 1) // RUN, 1) * RUN
        needed = words((pixels + left + right) * inner, pixels * inner, above + below) + beside
        shared = 4 * int(needed.max(initial=0))
        if shared <= min(limit, _SHARED):
            break
    else:
        return None
    table = np.zeros(len(given), STRIPS)
    across = -(-wide // pixels)
    if rows:
        table["rows"] = rows
    else:
        pieces = int((planes * across * -(-high // PIECE)).sum()) // _BLOCKS
        tall = np.maximum(PIECE * min(max(pieces, 1), _PIECES) - above - below, PIECE)
        table["rows"] = -(-high // np.maximum(-(-high // tall), 1))
    table["down"] = -(-high // np.maximum(table["rows"], 1))
    for name, values in zip(_SIZES, (given[:, first], given[:, first + 1], inner, high, wide), strict=True):
        table[name] = values
    for name, values in zip(_REACHES, reaches, strict=True):
        table[name] = values
    table["pixels"], table["across"] = pixels, across
    table["blocks"] = planes * across * table["down"]
    return Layout(table, table["blocks"] * THREADS, shared)


def known(table: NDArray[np.void]) -> dict[str, int]:
    """Macros of what all strips have alike, of pixels of a few elements: one kernel for each number of channels."""
    inner, pixels = (np.unique(table[name]) for name in ("inner", "pixels"))
    alike = len(inner) == len(pixels) == 1 and 0 < inner[0] <= _FEW
    return {"INNER": int(inner[0]) if alike else 0, "PIXELS": int(pixels[0]) if alike else 0}


def taps(sizes: Ints) -> int:
    """How many elements all windows have along both axes, if the compiler is to know it; otherwise 0."""
    least, most = (int(sizes.min()), int(sizes.max())) if sizes.size else (0, 0)
    return most if least == most <= _WRITTEN_OUT else 0
