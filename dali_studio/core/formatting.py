"""The text form of tensors and batches; the format is nvidia.dali's, so that printed notebooks compare equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EDGE = 2
_INDENT = " " * 4
#: Batches with more elements than this (and more samples than twice the edge) are shortened.
_SHORTEN_ELEMENTS = 1000
_SHAPE_LINE = 75


def format_tensor(
    name: str, array: NDArray[Any], dtype: str, layout: str, *, show_data: bool, device: str = "cpu"
) -> str:
    """Text of one tensor; without the data only its shape is looked at."""
    rows = [np.array2string(array, prefix=_INDENT, edgeitems=_EDGE)] if show_data else []
    rows += [*_info(dtype, layout, device), f"shape={tuple(array.shape)})"]
    return f"{name}(\n{_INDENT}" + f",\n{_INDENT}".join(rows)


def format_tensor_list(
    name: str, samples: Sequence[NDArray[Any]], dtype: str, layout: str, *, show_data: bool, device: str = "cpu"
) -> str:
    """Text of a batch."""
    rows = [f"[{_data(samples)}]"] if show_data else []
    rows += _info(dtype, layout, device)
    rows += [f"num_samples={len(samples)}", f"shape=[{_shapes([s.shape for s in samples])}])"]
    return f"{name}(\n{_INDENT}" + f",\n{_INDENT}".join(rows)


def _info(dtype: str, layout: str, device: str) -> list[str]:
    return [f"dtype={dtype}", *([f'layout="{layout}"'] if layout else []), f'device="{device}"']


def _data(samples: Sequence[NDArray[Any]]) -> str:
    if not samples:
        return ""
    elements = sum(max(sample.size, 1) for sample in samples)
    shorten = len(samples) > 2 * _EDGE + 1 and elements > _SHORTEN_ELEMENTS
    shown = [*samples[:_EDGE], *samples[-_EDGE:]] if shorten else samples
    texts = [np.array2string(sample, prefix=_INDENT, edgeitems=_EDGE) for sample in shown]
    if shorten:
        texts.insert(_EDGE, "...")
    ndim = samples[0].ndim
    return (", " if ndim == 0 else ",\n" + "\n" * (ndim - 1) + _INDENT).join(texts)


def _shapes(shapes: Sequence[tuple[int, ...]]) -> str:
    count = len(shapes)
    texts = [str(shape) for shape in shapes]
    if count > 16 or (count > 2 * _EDGE + 1 and count * len(shapes[0]) > 100):
        texts = [*texts[:_EDGE], "...", *texts[-_EDGE:]]
    line = ", ".join(texts)
    return line if len(line) <= _SHAPE_LINE else (", \n" + _INDENT + " " * len("shape=[")).join(texts)
