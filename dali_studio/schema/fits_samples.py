"""Sample files of the format FITS, written as its standard says: a header of cards and data, in blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.schema.samples import Folder

_BLOCK = 2880


def fits_files(kind: str = "int16", entry: str = "") -> Folder:
    """Files of three units: an image of bytes, one of `kind`, one of real numbers.

    `kind` is an element type, "scaled" by header, "empty", "damaged" or "unlike" each other in part, or "table".
    """
    return Folder(lambda: _fits_files(kind), f"fits {kind} {entry}".rstrip(), entry)


def unit(array: NDArray[Any], cards: Mapping[str, object] | None = None, *, first: bool = False) -> bytes:
    """A unit that holds an image; `cards` are added to its header, or replace those of the same name."""
    begin = {"SIMPLE": "T"} if first else {"XTENSION": "'IMAGE   '"}
    bits = array.dtype.itemsize * (-8 if array.dtype.kind == "f" else 8)
    extents = {f"NAXIS{axis}": extent for axis, extent in enumerate(reversed(array.shape), 1)}
    head = {**begin, "BITPIX": bits, "NAXIS": array.ndim, **extents, "PCOUNT": 0, "GCOUNT": 1, **(cards or {})}
    text = "".join(f"{name:8}= {value!s:>20} / of a sample".ljust(80) for name, value in head.items()) + "END".ljust(80)
    data = array.astype(array.dtype.newbyteorder(">")).tobytes()
    return text.encode().ljust(-(-len(text) // _BLOCK) * _BLOCK) + data.ljust(-(-len(data) // _BLOCK) * _BLOCK, b"\0")


def _fits_files(kind: str) -> dict[str, bytes]:
    shapes: dict[str, tuple[int, ...]] = {name: (6 + place, 9 - place) for place, name in enumerate(("0", "1", "2"))}
    shapes |= {"sub/0": (5, 7), "sub/10": (30, 60), "sub.2/3": (7, 7)}
    made = {"list.txt": b"sub/0.fits\n\n2.fits\n0.fits\n"}
    for place, (name, shape) in enumerate(shapes.items()):
        rng = np.random.default_rng(place)
        dtype = kind if kind in ("uint8", "int32", "int64", "float32", "float64") else "int16"
        numbers = rng.uniform(0 if dtype == "uint8" else -100, 100, (0, 3) if kind == "empty" else shape)
        array, cards = numbers.astype("float32" if kind == "unlike" and place == 1 else dtype), dict[str, object]()
        if kind == "scaled":
            cards = {"BSCALE": "2.5E0", "BZERO": "-1D1", "BLANK": 3}
        if kind == "table":
            cards = {"XTENSION": "'BINTABLE'", "TFIELDS": 0}
        content = unit(rng.integers(0, 256, shape, np.uint8), first=True) + unit(array, cards)
        content += unit(numbers.astype(np.float32))
        cut = kind == "damaged" and place == 1
        made[f"{name}.fits"] = content[: 3 * _BLOCK + 100] if cut else content
    return made
