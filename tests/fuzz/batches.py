"""Batches that are nearly what an operator takes: other types, shapes, layouts, numbers at the edges."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from fuzz.programs import Array, Fed
from fuzz.randomness import some

DTYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64, np.float16, np.float32, np.float64, np.bool_)
_LAYOUTS = ("HWC", "CHW", "FHWC", "DHWC", "HW", "C", "", "XY", "F", "WHC", "ABCDEFGH")
Change = Callable[[random.Random, Fed], Fed]


def _dtype(rng: random.Random, batch: Fed) -> Fed:
    kind = rng.choice(DTYPES)
    with np.errstate(all="ignore"):
        return Fed([item.astype(kind) for item in batch.samples], batch.layout)


def _layout(rng: random.Random, batch: Fed) -> Fed:
    fitting = [layout for layout in _LAYOUTS if not layout or len(layout) == batch.samples[0].ndim]
    return Fed(batch.samples, rng.choice(fitting if rng.random() < 0.8 else _LAYOUTS))


def _each(rng: random.Random, batch: Fed, change: Callable[[Array], Array]) -> Fed:
    """One of the samples changed, or all of them."""
    chosen = rng.randrange(len(batch.samples)) if rng.random() < 0.4 else None
    return Fed([change(item) if chosen in (None, at) else item for at, item in enumerate(batch.samples)], batch.layout)


def _extent(rng: random.Random, batch: Fed) -> Fed:
    """One axis with other extents: one element, none, a few, or twice as many."""
    axis, kind = rng.randrange(32), rng.choice((slice(0, 1), slice(0, 0), slice(0, 2), slice(0, 5), slice(1, None), None))

    def change(item: Array) -> Array:
        if not item.ndim:
            return item
        at = axis % item.ndim
        return np.concatenate([item, item], at) if kind is None else item[(slice(None),) * at + (kind,)]

    return _each(rng, batch, change)


def _tiny(rng: random.Random, batch: Fed) -> Fed:
    """Axes of one element but perhaps the last: a picture of one pixel."""
    kept = rng.randrange(2)
    return _each(rng, batch, lambda item: item[tuple(slice(0, 1) for _ in range(item.ndim - kept))])


def _rank(rng: random.Random, batch: Fed) -> Fed:
    """An axis more, or fewer, mostly for all samples alike."""
    more = rng.random() < 0.5
    changed = [item[None] if more else item[0] if item.ndim and len(item) else item for item in batch.samples]
    layout = f"{rng.choice('FDN')}{batch.layout}" if more and batch.layout else batch.layout[1:]
    if rng.random() < 0.1:
        changed[0] = batch.samples[0]
    return Fed(changed, layout if rng.random() < 0.8 else "")


def _edges(rng: random.Random, batch: Fed) -> Fed:
    """Some elements at the edges of the type."""

    def change(item: Array) -> Array:
        made = np.array(item)
        if made.size:
            kind = made.dtype.kind
            edges = [np.nan, np.inf, -np.inf, 0, -0.0, 1e30] if kind == "f" else [0, 1] if kind == "b" else [np.iinfo(made.dtype).min, np.iinfo(made.dtype).max, 0]
            with np.errstate(all="ignore"):
                made.reshape(-1)[rng.randrange(made.size) :: rng.choice((1, 7, 1000))] = np.array(rng.choice(edges)).astype(made.dtype)
        return made

    return _each(rng, batch, change)


def _storage(rng: random.Random, batch: Fed) -> Fed:
    """The same shape, and elements that do not lie one behind the other."""
    kind = rng.randrange(3)

    def change(item: Array) -> Array:
        if kind == 0 or not item.ndim:
            return np.asfortranarray(item)
        if kind == 1:
            return item[::-1]
        return np.repeat(item, 2, axis=-1)[..., ::2]

    return _each(rng, batch, change)


def _order(rng: random.Random, batch: Fed) -> Fed:
    """Axes in another order, all samples alike."""
    axes = rng.sample(range(batch.samples[0].ndim), batch.samples[0].ndim)
    same = all(item.ndim == len(axes) for item in batch.samples)
    return Fed([np.ascontiguousarray(item.transpose(axes)) for item in batch.samples], batch.layout) if same else batch


def _count(rng: random.Random, batch: Fed) -> Fed:
    """Fewer samples, or more."""
    return Fed(list(batch.samples)[: rng.choice((1, 2))] if rng.random() < 0.6 else [*batch.samples, *batch.samples][:6], batch.layout)


CHANGES: tuple[Change, ...] = (*(_dtype,) * 3, *(_layout,) * 2, *(_extent,) * 3, *(_tiny,) * 2, _rank, _edges, _storage, _order, _count)


def mutated(rng: random.Random, batch: Fed) -> Fed:
    """The batch after some changes."""
    return some(rng, CHANGES, batch) if batch.samples else batch
