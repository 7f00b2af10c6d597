"""Parts of pointwise operators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import computed_types
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part, pixel_part
from dali_studio.kernels.cuda.sources import TYPES, headers

_LOOKUP = np.dtype([("table", np.uint64)], align=True)


def cast_part() -> Part:
    """Convert every element, rounding half away from zero and saturating (`kernels.cpu.convert.convert`)."""
    return pixel_part("Convert", (part_text("color"),))


def functor_part(
    functor: str, file: str, fields: NDArray[np.float32], *, rgb: bool = False, channels: tuple[int, int] | None = None
) -> Part:
    """A functor of `include`, with its fields for each sample: what `kernels.cpu.pixels.apply` does on the CPU.

    Parameters
    ----------
    functor, file : str
        The struct, and its header without suffix.
    fields : (N, K) array
    rgb : bool
        Whether it takes pixels of three channels.
    channels : (int, int), optional
        How many channels its pixels have, and what it makes of them, where these are not three each.
    """
    loop, name = ("EachRgb" if rgb else "EachElement"), f"{functor}Part"
    more = ""
    if channels is not None:
        loop, name, more = "FromPixel", f"{functor}From{channels[0]}", f", {channels[0]}"
    alias = f"template <class I, class O> using {name} = {loop}<I, O, {functor}{more}>;"
    part = pixel_part(name, (part_text("color"), *headers(file), alias), rgb=rgb, fields=fields)
    part.channels = channels
    return part


def lookup_part(table: NDArray[Any], elements: np.dtype[Any], count: int) -> Part:
    """The value that a table of `kernels.cpu.lookup.table_of` has for each element, in a batch of `count` samples."""
    row = np.zeros(count, _LOOKUP)
    used = table[:256] if elements == np.uint8 else table
    return Part("LookUp", "pixel", (*headers("lookup"), part_text("lookup")), row, {"table": used})


def arithmetic_part(
    functor: str, operands: Sequence[NDArray[Any] | None], element: np.dtype[Any], common: np.dtype[Any], count: int
) -> Part:
    """A functor of ``arithmetic.hpp`` of each element and numbers, as `elementwise.compute_on_gpu` does it.

    Parameters
    ----------
    functor : str
    operands : sequence of array or None
        Arrays of one element; ``None``: the element.
    element, common : dtype
        Type of the elements; type in which the operands meet.
    count : int
        Samples of the batch.
    """
    given = [element if one is None else one.dtype for one in operands]
    types = computed_types(functor, given, common)
    name, texts = _arithmetic(functor, tuple(dtype.name for dtype in types), tuple(one is None for one in operands))
    numbers = {f"operand{place}": (_held(types[place]), one) for place, one in enumerate(operands) if one is not None}
    if not numbers:
        return Part(name, "pixel", texts)
    row = np.empty(count, np.dtype([(field, dtype) for field, (dtype, _) in numbers.items()], align=True))
    for field, (dtype, one) in numbers.items():
        row[field] = one.astype(dtype)  # as C++ does it: that never makes an integer of a real number
    return Part(name, "pixel", texts, row)


def _held(computed: np.dtype[Any]) -> np.dtype[Any]:
    """The type of a number in a row, which consists of words of 32 bits."""
    return computed if computed.itemsize >= 4 else np.dtype(f"{computed.kind}4")


@cache
def _arithmetic(functor: str, computed: tuple[str, ...], elements: tuple[bool, ...]) -> tuple[str, tuple[str, ...]]:
    """Name and texts of the part of a functor, from the types in which it computes and which operands are the element.

    The functors have a namespace, because some are called like what generated kernels have.
    """
    words, fields, values = [functor], "", list[str]()
    for place, (dtype, element) in enumerate(zip(computed, elements, strict=True)):
        kind, held = TYPES[dtype], TYPES[_held(np.dtype(dtype)).name]
        words.append(f"{kind}x" if element else kind)
        fields += "" if element else f"  {held} operand{place};\n"
        values.append(f"Plain<{kind}, I>::of(in[i])" if element else f"({kind})operand{place}")
    name = "_".join(words)
    struct = f"""template <class I, class O> struct {name} {{
{fields}  template <int C> __device__ __forceinline__ void apply(const I (&in)[C], O (&out)[C], int) const {{
#pragma unroll
    for (int i = 0; i < C; i++) out[i] = converted<O>({functor}::of({", ".join(values)}));
  }}
}};"""
    *needed, functors = headers("arithmetic")
    convert = "template <class O, class R> HD O converted(R x) { return Plain<O, R>::of(x); }"
    own = (f"namespace arithmetic {{\n{text}\n}}" for text in (functors, convert, struct))
    return f"arithmetic::{name}", (*needed, *own)
