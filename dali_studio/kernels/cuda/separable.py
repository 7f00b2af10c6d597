"""Convolution of batches along their axes: one launch for planes, and otherwise one for each axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cuda import strips
from dali_studio.kernels.cuda.batch import place
from dali_studio.kernels.cuda.stream import GpuStream

_LINE = np.dtype([(name, np.int64) for name in ("from", "to", "count", "first", "size", "inner", "taps")])
_WINDOWS = ("rows", "columns")
_PART = np.dtype(
    [*((f"{name}_{what}", np.int32) for name in _WINDOWS for what in ("first", "taps")), ("scale", np.float32),
     ("unused", np.int32)]
)  # fmt: skip
_TERM = np.dtype([*_LINE.descr, ("before", np.uint64), ("scale", np.float32), ("unused", np.int32)])


def convolve(
    src: Batch, out: Batch, first: int, windows: NDArray[np.float32], taps: NDArray[np.int64], stream: GpuStream,
    scales: NDArray[np.float32] | None = None,
) -> None:  # fmt: skip
    """Convolve neighbouring axes from `first` on (`kernels.cpu.separable.convolve`, with the same sums).

    Parameters
    ----------
    windows : (K,) float32 array
        The weights of all axes of the first sample, then of those of the second, and so on.
    taps : (N, A) or (N, T, A) int64 array
        How many weights each axis has; of terms whose results are added up, 0 for an axis that is left alone.
    scales : (N, T) float32 array
        Factor of each term, where there are terms.
    """
    if _planes(src, out, first, windows, taps, stream, scales):
        return
    starts = (np.cumsum(taps) - taps.ravel()).reshape(taps.shape)
    sums = np.dtype(np.float64 if src.dtype == np.float64 else np.float32)
    offsets, size = place(src.shapes, sums)
    kept: list[Any] = []  # then back to the pool of this stream, whose next user comes after the kernels

    def scratch() -> NDArray[np.int64]:
        kept.append(stream.room(size))
        return offsets + int(kept[-1].ptr)

    def launch(lines: NDArray[Any], axis: int, dtype: np.dtype[Any], target: np.dtype[Any]) -> None:
        lines["count"], lines["size"] = src.counts, src.shapes[:, first + axis]
        lines["inner"] = src.shapes[:, first + axis + 1 :].prod(axis=1)
        macros: dict[str, Any] = {"IN": dtype, "OUT": target, "SUMMED": lines.dtype == _TERM}
        stream.launch("separable", lines, src.counts, macros=macros, tables=(windows,))

    terms = 1 if scales is None else taps.shape[1]
    total = scratch() if terms > 1 else 0
    for term in range(terms):
        counts, begins = (taps, starts) if scales is None else (taps[:, term], starts[:, term])
        given, dtype = src.addresses, src.dtype
        *inner, last = [axis for axis in reversed(range(counts.shape[1])) if counts[:, axis].any()] or [0]
        for axis in inner:
            made = scratch()
            launch(_lines(_LINE, given, made, begins[:, axis], counts[:, axis]), axis, dtype, sums)
            given, dtype = made, sums
        made, target = (out.addresses, out.dtype) if term + 1 == terms else (total, sums)
        lines = _lines(_LINE if scales is None else _TERM, given, made, begins[:, last], counts[:, last])
        if scales is not None:
            lines["before"], lines["scale"] = total if term else 0, scales[:, term]
        launch(lines, last, dtype, target)


def _planes(
    src: Batch, out: Batch, first: int, windows: NDArray[np.float32], taps: NDArray[np.int64], stream: GpuStream,
    scales: NDArray[np.float32] | None,
) -> bool:  # fmt: skip
    """Convolve both axes in one launch; False if there are not two, or windows are too large for shared memory."""
    if taps.shape[-1] != len(_WINDOWS) or src.dtype == np.float64:
        return False
    given = src.shapes, windows, taps, scales
    key = (*map(id, given), first, stream.shared_memory)
    known = _known.get(key)
    if known is None or any(one is not other for one, other in zip(known.given, given, strict=True)):
        if len(_known) > _MAX_KNOWN:
            _known.clear()
        known = _known[key] = _prepared(given, first, stream)
    if known.cut is None:
        return False
    items = known.items.copy()  # other threads may launch the same
    items["from"], items["to"] = src.addresses, out.addresses
    macros: dict[str, Any] = {"IN": src.dtype, "OUT": out.dtype, **known.macros}
    stream.launch(
        "separable_planes", items, known.cut.work, macros=macros, tables=(known.table,), shared=known.cut.shared
    )  # fmt: skip
    return True


#: Shapes, windows, taps and scales: as long as nothing changes they are the same arrays in each iteration.
_Given = tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.int64], "NDArray[np.float32] | None"]


@dataclass(frozen=True, slots=True)
class _Prepared:
    given: _Given
    cut: strips.Layout | None
    items: NDArray[Any]
    table: NDArray[np.float32]
    macros: Mapping[str, Any]


_known: dict[tuple[int, ...], _Prepared] = {}
_MAX_KNOWN = 16


def _prepared(given: _Given, first: int, stream: GpuStream) -> _Prepared:
    shapes, windows, taps, scales = given
    sizes = taps.reshape(len(shapes), -1, len(_WINDOWS))  # of terms, along rows and columns
    terms = sizes.shape[1]
    radii = (sizes // 2).max(axis=1).repeat(2, axis=1).T
    cut = strips.cut(shapes, shapes, first, radii, strips.both_axes(terms), stream.shared_memory)
    padded = -(-sizes // strips.RUN) * strips.RUN  # neighbouring weights are read together
    begins, counts = (np.cumsum(padded) - padded.ravel()), sizes.ravel()
    table = np.zeros(int(padded.sum()) + strips.RUN, np.float32)
    table[np.repeat(begins - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))] = windows
    items = np.zeros(len(shapes), [("from", np.uint64), ("to", np.uint64), ("strips", strips.STRIPS),
                                   ("terms", _PART, (terms,))])  # fmt: skip
    if cut is not None:
        items["strips"] = cut.table
    for axis, name in enumerate(_WINDOWS):
        items["terms"][f"{name}_first"] = begins.reshape(sizes.shape)[:, :, axis]
        items["terms"][f"{name}_taps"] = sizes[:, :, axis]
    if scales is not None:
        items["terms"]["scale"] = scales
    macros = {
        "TERMS": terms, "SUMMED": scales is not None, "BORDER": Border.REFLECT_101, "TAPS": strips.taps(sizes),
        **({} if cut is None else strips.known(cut.table)),
    }  # fmt: skip
    return _Prepared(given, cut, items, table, macros)


def _lines(
    dtype: np.dtype[Any], given: NDArray[np.int64], made: NDArray[np.int64] | int, begins: NDArray[np.int64],
    taps: NDArray[np.int64],
) -> NDArray[Any]:  # fmt: skip
    lines = np.zeros(len(taps), dtype)
    lines["from"], lines["to"], lines["first"], lines["taps"] = given, made, begins, taps
    return lines
