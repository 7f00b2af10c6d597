"""Emphasis, decibels, rates and silence of sounds, on a GPU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.audio import BORDERS, decibel_numbers, lobes_of, moved_by, silence_ratio, sinc_window
from dali_studio.kernels.cuda.reduce import reduce_on_gpu
from dali_studio.kernels.cuda.stream import THREADS, GpuStream

_ITEM = np.dtype(
    [("source", np.uint64), ("target", np.uint64), ("count", np.int64), ("largest", np.uint64), ("part", np.float32),
     ("unused", np.int32)]
)  # fmt: skip
_RATE = np.dtype(
    [("source", np.uint64), ("target", np.uint64), *((name, np.int64) for name in ("count", "made", "channels")),
     ("step", np.float64)]
)  # fmt: skip
_POWERS = np.dtype(
    [*((name, np.uint64) for name in ("source", "means", "largest", "begin", "length")),
     *((name, np.int64) for name in ("windows", "width", "step", "blocks"))]
)  # fmt: skip
#: Windows of a block where sums of squares are exact and may begin anywhere.
_WINDOWS = 2048
#: Numbers of a sample of which one block finds the largest and makes decibels, at most.
_ALONE = 1 << 17


def preemphasis_on_gpu(
    src: Batch, out: Batch, coefficients: NDArray[np.float32], border: str, stream: GpuStream
) -> None:
    """What `kernels.cpu.audio.preemphasis` does; `coefficients` has one for each sample."""
    items = _items(src, out)
    items["part"] = coefficients
    macros = {"IN": src.dtype, "OUT": out.dtype}
    code = np.int64(BORDERS.index(border))
    stream.launch("audio", items, -(-src.counts // 4), code, function="preemphasis", macros=macros)


def to_decibels_on_gpu(
    src: Batch, out: Batch, multiplier: float, reference: float, cutoff: float, stream: GpuStream
) -> None:
    """What `kernels.cpu.audio.to_decibels` does."""
    items = _items(src, out)
    factor, smallest = decibel_numbers(multiplier, cutoff)
    macros = {"IN": src.dtype, "OUT": out.dtype}
    if reference == 0 and int(src.counts.max(initial=0)) <= _ALONE:
        numbers = map(np.float32, (factor, smallest))
        stream.launch("audio", items, THREADS, *numbers, function="decibels_of_largest", macros=macros)
        return
    if reference == 0:
        largest = stream.empty(np.empty((len(src), 0), np.int64), src.dtype, "")
        whole = np.full(src.shapes.shape[1], fill_value=True)
        reduce_on_gpu(src, whole, largest, stream, combine="Maximum")
        items["largest"] = largest.addresses
    numbers = map(np.float32, (factor, reference, smallest))
    stream.launch("audio", items, -(-src.counts // 4), *numbers, function="decibels", macros=macros)


def _items(src: Batch, out: Batch) -> NDArray[np.void]:
    items = np.zeros(len(src), _ITEM)
    items["source"], items["target"], items["count"] = src.addresses, out.addresses, src.counts
    return items


def resample_on_gpu(
    src: Batch, out: Batch, rates: NDArray[np.float64], wanted: NDArray[np.float64], quality: float, stream: GpuStream
) -> None:
    """What `kernels.cpu.audio.resample` does with samples of any type, (samples,) or (samples, channels)."""
    lobes = lobes_of(quality)
    table, _ = sinc_window(lobes)
    (address,) = stream.constant(f"sinc {lobes}", lambda: [np.stack([table[:-1], np.diff(table)], axis=1)])
    items = np.zeros(len(src), _RATE)
    items["source"], items["target"] = src.addresses, out.addresses
    items["count"], items["made"] = src.shapes[:, 0], out.shapes[:, 0]
    items["channels"] = src.shapes[:, 1:].prod(axis=1)
    items["step"] = np.divide(rates, wanted, out=np.ones(len(src)), where=wanted > 0)
    numbers = map(np.int64, (address, len(table), lobes, moved_by(src.dtype, out.dtype)))
    macros = {"IN": src.dtype, "OUT": out.dtype}
    shared = 8 * (len(table) - 1)  # for a copy of the table
    stream.launch("resample_audio", items, items["made"], *numbers, macros=macros, shared=shared)


def nonsilent_region_on_gpu(
    src: Batch, begins: Batch, lengths: Batch, width: int, interval: int | None, cutoff: float,
    reference: float | None, stream: GpuStream,
) -> None:  # fmt: skip
    """What `kernels.cpu.audio.nonsilent_region` does with each sample."""
    counts = src.counts
    widths = np.minimum(width, counts)
    items = np.zeros(len(src), _POWERS)
    items["source"], items["begin"], items["length"] = src.addresses, begins.addresses, lengths.addresses
    items["windows"], items["width"] = counts - widths + 1, widths
    exact = src.dtype.kind in "iu" and src.dtype.itemsize <= np.dtype(np.int16).itemsize
    items["step"] = _WINDOWS if exact else (counts if interval is None else interval) - widths + 1
    items["blocks"] = -(-items["windows"] // items["step"])
    means = stream.empty(items["windows"][:, None], np.dtype(np.float32), "")
    largest = stream.empty(items["blocks"][:, None], np.dtype(np.float32), "")
    items["means"], items["largest"] = means.addresses, largest.addresses
    macros = {"IN": src.dtype}
    stream.launch("silence", items, items["blocks"] * THREADS, function="powers", macros=macros)
    numbers = np.float32(silence_ratio(cutoff)), np.float32(reference or 0)
    stream.launch("silence", items, 1, *numbers, function="region", macros=macros)
    del means, largest  # back to the pool of this stream, whose next user comes after the kernels
