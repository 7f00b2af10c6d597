"""Emphasis, decibels, rates and silence of sounds, on a GPU."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.audio import BORDERS, decibel_numbers, lobes_of, moved_by, silence_ratio, sinc_window
from dali_studio.kernels.cpu.descriptors import largest_sample
from dali_studio.kernels.cuda.extents import END, Extents
from dali_studio.kernels.cuda.reduce import reduce_on_gpu
from dali_studio.kernels.cuda.stream import THREADS, GpuStream

#: Samples of the sound, and the part of the sample before or where the largest number lies.
_ITEMS = Extents((0, 0, END), more=1)
_RATE = np.dtype(
    [("source", np.uint64), ("target", np.uint64), *((name, np.int64) for name in ("count", "made", "channels")),
     ("step", np.float64)]
)  # fmt: skip
_POWERS = np.dtype(
    [*((name, np.uint64) for name in ("source", "means", "largest", "begin", "length")),
     *((name, np.int64) for name in ("windows", "width", "first", "step", "blocks"))]
)  # fmt: skip
#: Windows of a block where sums of squares are exact and may begin anywhere.
_WINDOWS = 2048
#: Numbers of a sample of which one block finds the largest and makes decibels, at most, and the block's threads.
_ALONE, _BLOCK = 1 << 17, 1024


def preemphasis_on_gpu(
    src: Batch, out: Batch, coefficients: NDArray[np.float32], border: str, stream: GpuStream
) -> None:
    """What `kernels.cpu.audio.preemphasis` does; `coefficients` has one for each sample."""
    macros = {"IN": src.dtype, "OUT": out.dtype}
    code, rows = np.int64(BORDERS.index(border)), np.asarray(coefficients, np.float32)
    _ITEMS.launch(stream, "audio", "preemphasis", src, out, _quarter, code, macros=macros, rows=rows)


def to_decibels_on_gpu(
    src: Batch, out: Batch, multiplier: float, reference: float, cutoff: float, stream: GpuStream
) -> None:
    """What `kernels.cpu.audio.to_decibels` does."""
    factor, smallest = decibel_numbers(multiplier, cutoff)
    macros = {"IN": src.dtype, "OUT": out.dtype}
    launch = partial(_ITEMS.launch, stream, "audio", macros=macros)
    if reference == 0 and largest_sample(src.shapes) <= _ALONE:
        launch("decibels_of_largest", src, out, bool, np.float32(factor), np.float32(smallest), block=_BLOCK)
        return
    rows = None
    if reference == 0:
        largest = stream.empty(np.empty((len(src), 0), np.int64), src.dtype, "")
        whole = np.full(src.shapes.shape[1], fill_value=True)
        reduce_on_gpu(src, whole, largest, stream, combine="Maximum")
        rows = largest.addresses
    launch("decibels", src, out, _quarter, *map(np.float32, (factor, reference, smallest)), rows=rows)


def _quarter(count: int) -> int:
    return -(-count // 4)


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
    # the first sums end with sample `interval`, all others after as many windows
    items["step"] = _WINDOWS if exact else counts if interval is None else interval
    items["first"] = _WINDOWS if exact else items["step"] - widths + 1
    items["blocks"] = 1 + -(-np.maximum(items["windows"] - items["first"], 0) // items["step"])
    means = stream.empty(items["windows"][:, None], np.dtype(np.float32), "")
    largest = stream.empty(items["blocks"][:, None], np.dtype(np.float32), "")
    items["means"], items["largest"] = means.addresses, largest.addresses
    macros = {"IN": src.dtype}
    stream.launch("silence", items, items["blocks"] * THREADS, function="powers", macros=macros)
    numbers = np.float32(silence_ratio(cutoff)), np.float32(reference or 0)
    stream.launch("silence", items, 1, *numbers, function="region", macros=macros)
    del means, largest  # back to the pool of this stream, whose next user comes after the kernels
