"""Emphasis, decibels, rates and silence of sounds, on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

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
#: Places of a block (`audio.hpp`), and samples that it holds at most (`resample_audio.cu`).
RESAMPLED_BLOCK, _HELD = 256, 2048
#: Blocks of a sound, and bytes of weights that the first-level cache keeps, up to which weights are computed before.
_BLOCKS, _MAX_BYTES = 4096, 300_000
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
    numbers = list(map(np.int64, (address, len(table), lobes, moved_by(src.dtype, out.dtype))))
    macros = {"IN": src.dtype, "OUT": out.dtype}
    step = float(items["step"][0]) if len(items) else 0.0
    tables = phase_tables(step, lobes) if _is_one_sound(items, step) else None
    if tables is not None:
        addresses = map(np.uint64, stream.constant(f"phases {step} {lobes}", lambda: tables))
        stream.launch(
            "resample_audio", items, items["made"], *numbers, *addresses, function="resample_by_phases", macros=macros
        )
        return
    shared = 8 * (len(table) - 1)  # for a copy of the table
    stream.launch("resample_audio", items, items["made"], *numbers, macros=macros, shared=shared)


def _is_one_sound(items: NDArray[Any], step: float) -> bool:
    """Whether all sounds have one channel, the same step, and at most `_BLOCKS` blocks."""
    alike = (items["step"] == step).all() and (items["channels"] == 1).all()
    return bool(alike) and int(items["made"].max(initial=0)) <= _BLOCKS * RESAMPLED_BLOCK


@lru_cache(maxsize=64)
def phase_tables(step: float, lobes: int) -> Sequence[NDArray[Any]] | None:
    """Tables of `resample_by_phases`, made by the kernels' own arithmetic; ``None`` where they would be too large.

    They are the phases of the blocks, and for each phase weights, first samples and places.
    """
    taps = 2 * lobes
    if not RESAMPLED_BLOCK * step < _HELD - taps - 8:
        return None
    exact, limit = np.arange(_BLOCKS) * float(RESAMPLED_BLOCK) * step, _MAX_BYTES // (4 * RESAMPLED_BLOCK * taps)
    begins = (exact - np.floor(exact)).astype(np.float32)
    if len(np.unique(begins[:256])) > limit:  # as most rates have it
        return None
    phases, of_blocks = np.unique(begins, return_inverse=True)
    if len(phases) > limit:
        return None
    places = np.full((len(phases), RESAMPLED_BLOCK), step, np.float32)
    places[:, 0] = phases
    places = np.add.accumulate(places, axis=1, dtype=np.float32)
    firsts = np.ceil(places).astype(np.int32) - np.int32(lobes)
    table, _ = sinc_window(lobes)
    rises, middle = np.diff(table), (len(table) - 6) // 2 + 1
    scale, weights = np.float32((middle - 1) / lobes), np.empty((len(phases), taps, RESAMPLED_BLOCK), np.float32)
    whole = taps // 4 * 4
    heads = [(firsts + k).astype(np.float32) - places for k in range(4)]
    last = (firsts + whole).astype(np.float32) - places
    for n in range(taps):
        at = (heads[n % 4] if n < whole else last) * scale + np.float32(middle)
        index = at.astype(np.int32)
        weights[:, n] = table[index] + (at - index.astype(np.float32)) * rises[index]
        if n < whole:
            heads[n % 4] = heads[n % 4] + np.float32(4)
        else:
            last = last + np.float32(1)
    return [of_blocks.astype(np.int32), weights, firsts, places]


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
