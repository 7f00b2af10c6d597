"""Objects in masks: where they are, and random ones; random pixels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu.native import kernel


def blobs(mask: NDArray[Any], background: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Connected regions of one value; elements that are neighbours along an axis are connected.

    Parameters
    ----------
    mask : ndarray
        bool, (u)int8, (u)int16 or (u)int32, of one axis or more.
    background : int
        What belongs to none.

    Returns
    -------
    boxes : ndarray
        int32, (regions, 2 ndim): where they begin and end along each axis, in the order in which they begin.
    values : ndarray
        int32, (regions,).
    """
    length = mask.shape[-1]
    flat = np.ascontiguousarray(mask).reshape(-1)
    find = kernel("mask_runs", mask.dtype)
    runs = np.empty((min(256, flat.size), 4), np.int32)
    count = find(flat, length, background, runs) if flat.size else 0
    if count > len(runs):
        runs = np.empty((count, 4), np.int32)
        find(flat, length, background, runs)
    runs = runs[:count]
    shape = np.array(mask.shape, np.int64)
    firsts, parents = np.empty(int(shape[:-1].prod()) + 1, np.int32), np.empty((2, count), np.int32)
    boxes, values = np.empty((count, 2 * mask.ndim), np.int32), np.empty(count, np.int32)
    found = kernel("blob_boxes")(runs, shape, firsts, parents, boxes, values)
    return boxes[:found], values[:found]


def pick_object(
    boxes: NDArray[np.int32], values: NDArray[np.int32], classes: NDArray[np.int32] | None,
    weights: NDArray[np.float32], threshold: NDArray[np.int32], largest: int, probability: float, seed: int, place: int,
    origin: int = 0,
) -> int:  # fmt: skip
    """Draw one of the regions that `blobs` has found.

    Parameters
    ----------
    classes : ndarray or None
        Values that are drawn first; ``None``: all regions are equal.
    weights : ndarray
        How likely each class is.
    threshold : ndarray
        Least extent along each axis; empty: any.
    largest : int
        Only so many of the largest regions count; 0: all.
    probability : float
        Of an object.
    seed, place, origin
        Key of the random stream, the sample's place in it, and the draws before the first one (`core.random_stream`).

    Returns
    -------
    int
        -1: none.
    """
    chosen = np.empty(0, np.int32) if classes is None else classes
    own, sums = weights[: len(chosen)].astype(np.float32), np.empty(len(chosen), np.float32)
    return kernel("pick_object")(
        boxes, values, chosen, own, sums, threshold, largest, classes is None, probability, stream_words(seed, origin),
        place, np.empty(len(values), np.int64),
    )  # fmt: skip


#: What is foreground: anything, values above a threshold, or one value.
ANY, ABOVE, EQUAL = range(3)


def random_pixels(
    masks: Batch, out: Batch, kind: int, foreground: NDArray[np.int32], thresholds: NDArray[np.float32],
    values: NDArray[np.int32], seed: int, places: NDArray[np.int64], origin: int = 0,
) -> Callable[[int, int], None]:  # fmt: skip
    """What draws an element of the foreground, or where there is none any one, of the masks from one to before another.

    Parameters
    ----------
    masks : Batch
        With elements, and one axis at least.
    out : Batch
        int64, (ndim,) each: where the elements are.
    kind : int
        What is foreground.
    foreground, thresholds, values, places : ndarray
        (N,): whether an element of it is drawn, above or equal to what, and the samples' places in the stream.
    seed, origin : int
        Key of the random stream, and the draws before the first one of every sample (`core.random_stream`).
    """
    run, stream = kernel("random_pixels", masks.dtype), stream_words(seed, origin)
    shapes = np.ascontiguousarray(masks.shapes)
    tables = foreground, thresholds, values
    sources, targets = masks.addresses, out.addresses

    def compute(begin: int, end: int) -> None:
        own = slice(begin, end)
        each = (one[own] for one in tables)
        run(sources[own], shapes[own], targets[own], kind, *each, stream, places[own])

    return compute
