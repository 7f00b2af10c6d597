"""Arrays whose elements lie at any distances, and windows of arrays, copied on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.correlate import Border
from dali_studio.kernels.cpu.strided import steps_of
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.window import channel_fill

_AXES = 8
_NO_FILL = np.zeros((1, 1), np.uint64)
_PLAIN = np.zeros((1, 1), np.float32)
_PIXELS = np.dtype([("from", np.uint64), ("to", np.uint64), ("count", np.int64)])
Table = NDArray[np.int64]


def copy_strided_on_gpu(src: Batch, offsets: Table, steps: Table, out: Batch, stream: GpuStream) -> None:
    """Copy elements into `out`, as `kernels.cpu.strided.copy_strided` does.

    Parameters
    ----------
    offsets : (N,) array
        Bytes from the begin of each sample to the first element that is copied.
    steps : (N, ndim) array
        Bytes from an element to its neighbour along each axis of the result.
    """
    word = _word(out.dtype)
    if word.itemsize == 1 and _change_planes(src.addresses + offsets, steps, out, stream):
        return
    _launch(src.addresses + offsets, out, steps // word.itemsize, (word, word), None, _NO_FILL.view(word), -1, stream)


def _change_planes(places: Table, steps: Table, out: Batch, stream: GpuStream) -> bool:
    """Make planes of pixels of three bytes, or the other way round; ``False`` if it is something else."""
    groups = _groups(out.shapes, steps, None, -1, continued=False)
    if len(groups) != 2 or not len(out):
        return False
    upper, lower = groups
    if (upper.extents == 3).all() and (upper.steps == 1).all() and (lower.steps == 3).all():
        function, pixels = "apart", lower.extents
    elif (lower.extents == 3).all() and (upper.steps == 1).all() and (lower.steps == upper.extents).all():
        function, pixels = "together", upper.extents
    else:
        return False
    ends = int(np.bitwise_or.reduce([places, out.addresses, pixels], axis=None))
    if ends % 4:
        return False
    words = 4 if ends % 16 == 0 else 1
    items = np.zeros(len(out), _PIXELS)
    items["from"], items["to"], items["count"] = places, out.addresses, pixels
    stream.launch("planes", items, pixels // (4 * words), function=function, macros={"WORDS": words})
    return True


def copy_windows_on_gpu(
    src: Batch, out: Batch, firsts: Table, fills: NDArray[Any], along: int, stream: GpuStream,
    border: Border = Border.CONSTANT,
) -> None:  # fmt: skip
    """Copy windows into `out`, as `kernels.cpu.copy_window.copy_windows` does; other types are cut as crop does."""
    steps = steps_of(src.shapes, 1)
    types = (src.dtype, out.dtype) if src.dtype != out.dtype else (_word(out.dtype), _word(out.dtype))
    windows = firsts, src.shapes
    if not ((firsts < 0) | (firsts + out.shapes > src.shapes)).any():
        places = src.addresses + (firsts * steps).sum(axis=1) * src.dtype.itemsize
        _launch(places, out, steps, types, None, _NO_FILL.view(types[1]), -1, stream)
        return
    values = np.ascontiguousarray(fills).view(types[1])
    _launch(src.addresses, out, steps, types, windows, values, along, stream, border)


def normalize_windows_on_gpu(
    src: Batch, out: Batch, order: Sequence[int], firsts: Table, mirrors: tuple[int, NDArray[Any]], along: int,
    coefficients: tuple[NDArray[np.float32], NDArray[np.float32]], fill: Sequence[float], stream: GpuStream,
) -> None:  # fmt: skip
    """Write windows with their axes in another order, each element as round((x - mean) * factor) of its channel.

    Parameters
    ----------
    order : sequence of int
        Which axis of the input each axis of the result is.
    firsts : (N, ndim) array
        The first element that is shown, along the axes of the input.
    mirrors : (int, array)
        An axis of the input, and (N,) whether windows are mirrored along it.
    along : int
        The axis of the result that has the channels; what the input has not is `fill`, as are elements outside.
    coefficients : (array, array)
        Means and factors, (N, C).
    fill : sequence of float
        One value, or one for each channel; further channels have 0.
    """
    axis, mirrored = mirrors[0], np.asarray(mirrors[1], np.bool_)
    sizes, steps = src.shapes, steps_of(src.shapes, 1)
    ends = np.where(mirrored, (sizes[:, axis] - 1) * steps[:, axis], 0)
    firsts = firsts.copy()
    extents = out.shapes[:, list(order).index(axis)]
    firsts[mirrored, axis] = (sizes[:, axis] - extents - firsts[:, axis])[mirrored]
    steps[mirrored, axis] *= -1
    count = max(int(out.shapes[:, along].max(initial=1)), *(table.shape[1] for table in coefficients))
    means, factors = (np.zeros((len(out), count), np.float32) for _ in coefficients)
    for target, table in zip((means, factors), coefficients, strict=True):
        target[:, : table.shape[1]] = table
    fills = np.repeat(channel_fill(tuple(fill), count, out.dtype)[None], len(out), axis=0)
    places, axes = src.addresses + ends * src.dtype.itemsize, list(order)
    windows = firsts[:, axes], sizes[:, axes]
    types = src.dtype, out.dtype
    _launch(places, out, steps[:, axes], types, windows, fills, along, stream, coefficients=(means, factors))


def _word(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What is copied for an element that nobody looks at."""
    return np.dtype(f"u{dtype.itemsize}")


def _launch(
    places: Table, out: Batch, steps: Table, types: tuple[np.dtype[Any], np.dtype[Any]],
    windows: tuple[Table, Table] | None, fills: NDArray[Any], along: int, stream: GpuStream,
    border: Border = Border.CONSTANT, coefficients: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
) -> None:  # fmt: skip
    """Launch the kernel; `windows` are the first elements that are shown, and the extents of the input."""
    groups = _groups(out.shapes, steps, windows, along, continued=border is not Border.CONSTANT)
    if len(groups) > _AXES:
        raise ArgumentError(
            f"the elements lie along {len(groups)} axes; {_AXES} are accepted on a GPU.",
            hint="Reshape the tensors to fewer axes, or compute on the CPU.", code="DS203",
        )  # fmt: skip
    items = np.zeros(len(out), _item(len(groups)))
    items["source"], items["target"], items["count"] = places, out.addresses, out.counts
    turns = 0 <= along == out.shapes.shape[1] - 1  # neighbours have values of their own outside
    items["period"] = out.shapes[:, along] if turns else 1
    if len(fills) > 1:
        items["fill"] = np.arange(len(out)) * fills.shape[-1]
    for number, group in enumerate(groups):
        items["extents"][:, number], items["steps"][:, number] = group.extents, group.steps
        if windows is not None:
            below = windows[1][:, group.first + 1 : group.last + 1].prod(axis=1)
            items["firsts"][:, number] = windows[0][:, group.first] * below
            items["sizes"][:, number] = windows[1][:, group.first] * below
            items["channels"][:, number] = group.first == along and not turns
    count = 16 // types[1].itemsize
    macros = {
        "IN": types[0], "OUT": types[1], "AXES": len(groups), "COUNT": count, "WINDOWED": windows is not None,
        "BORDER": int(border), "NORMALIZED": coefficients is not None,
    }  # fmt: skip
    tables = fills, *(coefficients or (_PLAIN, _PLAIN))
    stream.launch("strided", items, -(-items["count"] // count), macros=macros, tables=tables)


@dataclass(slots=True)
class _Axes:
    """Neighbouring axes that count as one in all samples: the first and the last, extents and steps."""

    first: int
    last: int
    extents: Table
    steps: Table


def _groups(
    extents: Table, steps: Table, windows: tuple[Table, Table] | None, along: int, *, continued: bool
) -> list[_Axes]:
    """The axes as the kernel sees them; a number has one. Those that go on outside do so element by element."""
    if not extents.shape[1]:
        return [_Axes(0, 0, np.ones(len(extents), np.int64), np.zeros(len(extents), np.int64))]
    made: list[_Axes] = []
    for axis, (extent, step) in enumerate(zip(extents.T, steps.T, strict=True)):
        if made and _together(made[-1], axis, extent, step, windows, along, continued=continued):
            group = made[-1]
            group.steps = step if windows is not None else np.where(extent == 1, group.steps, step)
            group.last, group.extents = axis, group.extents * extent
        else:
            made.append(_Axes(axis, axis, extent, step))
    return made


def _together(
    group: _Axes, axis: int, extent: Table, step: Table, windows: tuple[Table, Table] | None, along: int, *,
    continued: bool,
) -> bool:  # fmt: skip
    if windows is None:
        return bool(((extent == 1) | (group.extents == 1) | (group.steps == step * extent)).all())
    firsts, sizes = windows
    whole = (firsts[:, axis] == 0) & (extent == sizes[:, axis]) & (group.steps == step * extent)
    if continued:
        whole &= (firsts[:, group.first] == 0) & (group.extents == sizes[:, group.first : axis].prod(axis=1))
    mixed = group.first == along or axis == along != firsts.shape[1] - 1  # values outside differ along one of them
    return not mixed and bool(whole.all())


@cache
def _item(axes: int) -> np.dtype[Any]:
    names = ("extents", "steps", "firsts", "sizes", "channels")
    return np.dtype(
        [("source", np.uint64), ("target", np.uint64), ("count", np.int64), ("fill", np.int64),
         ("period", np.int64), *((name, np.int64, (axes,)) for name in names)]
    )  # fmt: skip
