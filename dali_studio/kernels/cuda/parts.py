"""Parts: what one step of a chain computes, as a piece of a generated kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

#: "pixel": turns a pixel into another; "window": chooses which pixel of its input a pixel is, and turns that into
#: another; "source": computes a pixel from any pixels of an image in memory, so that it begins a kernel; "resample": a
#: source that has a kernel form of its own, row by row.
Kind = Literal["pixel", "window", "source", "resample"]
#: What a pixel part needs to know of the place of its output: nothing, which element of the sample it is, or the row,
#: the column and the channel.
Place = Literal["", "element", "pixel"]


@dataclass(slots=True)
class Part:
    """One step's piece of a generated kernel.

    Attributes
    ----------
    name : str
        A CUDA struct template, over the element types of input and output and then `flags`. Its fields are those of
        `row`, in order. What it has to define depends on the kind:

        - pixel: ``apply(in, out, c)`` for arrays of C channels, the first of which is channel c; with `place`
          ``apply(in, out, c, y, x)`` for the pixel in row y and column x. Where all parts do without pixels, a sample
          may come as one row, whose units (elements, or whole pixels) x counts: FLAT is then 1, UNIT its elements;
        - window: the same, ``row(y)`` and ``column(x)``, which replace an output coordinate by the input's and tell
          whether it lies inside, and ``outside(out, c)``; its row has a field ``channels``;
        - source: ``at(image, y, x, c, out)``; with `patch` also what ``templates/patch.cuh`` asks for, with `numbered`
          ``at_number(image, number, y, x, c, out)``.
    kind : {"pixel", "window", "source", "resample"}
    texts : tuple of str
        CUDA sources, the last of which defines `name`; each is taken once into a kernel, so that parts may share them.
    row : ndarray or None
        Structured, aligned, (N,): the parameters of every sample.
    tables : mapping of str to ndarray
        Contiguous arrays whose addresses go into the fields of these names: (K,) for all samples, or (N, K) with a row
        each.
    flags : tuple of int
        Whole numbers by which the source differs.
    rgb : bool
        Whether it works on whole pixels of three channels.
    patch : bool
        Whether this source can read RGB bytes from shared memory.
    numbered : bool
        Whether this source is faster for neighbours whose numbers in the image the compiler knows the last bits of.
    place : {"", "element", "pixel"}
        What this pixel part needs to know of its place.
    channels : (int, int) or None
        How many channels its input and its result have, where it makes others of a pixel: ``in`` of ``apply`` is then
        the whole pixel.
    launch : callable or None
        Replaces `chains.run` for chains that this part begins: takes source, result, the parts behind, the types of
        what all but the last part give, and the stream.
    """

    name: str
    kind: Kind
    texts: tuple[str, ...]
    row: NDArray[Any] | None = None
    tables: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    flags: tuple[int, ...] = ()
    rgb: bool = False
    patch: bool = False
    numbered: bool = False
    place: Place = ""
    channels: tuple[int, int] | None = None
    launch: Callable[..., None] | None = None

    @property
    def signature(self) -> tuple[Any, ...]:
        """What the text of a kernel depends on."""
        return (
            self.name, self.kind, self.texts, self.flags, self.rgb, self.patch, self.numbered, self.place,
            self.channels, self.row is not None,
        )  # fmt: skip


def pixel_part(
    name: str, texts: tuple[str, ...], *, rgb: bool = False, flags: tuple[int, ...] = (), **values: NDArray[np.float32]
) -> Part:
    """A pointwise part whose fields are float32 arrays over the batch: (N,), or (N, K) for arrays."""
    if not values:
        return Part(name, "pixel", texts, rgb=rgb, flags=flags)
    row = np.empty(len(next(iter(values.values()))), _floats(tuple((key, v.shape[1:]) for key, v in values.items())))
    for key, value in values.items():
        row[key] = value
    return Part(name, "pixel", texts, row, rgb=rgb, flags=flags)


@cache
def _floats(fields: tuple[tuple[str, tuple[int, ...]], ...]) -> np.dtype[Any]:
    return np.dtype([(name, np.float32, shape) for name, shape in fields], align=True)
