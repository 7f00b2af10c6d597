"""Parts of pointwise operators."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part, pixel_part
from dali_studio.kernels.cuda.sources import headers


def cast_part() -> Part:
    """Convert every element, rounding half away from zero and saturating (`kernels.cpu.convert.convert`)."""
    return pixel_part("Convert", (part_text("color"),))


def functor_part(functor: str, file: str, fields: NDArray[np.float32], *, rgb: bool = False) -> Part:
    """A functor of `include`, with its fields for each sample: what `kernels.cpu.pixels.apply` does on the CPU.

    Parameters
    ----------
    functor, file : str
        The struct, and its header without suffix.
    fields : (N, K) array
    rgb : bool
        Whether it takes pixels of three channels.
    """
    loop = "EachRgb" if rgb else "EachElement"
    alias = f"template <class I, class O> using {functor}Part = {loop}<I, O, {functor}>;"
    return pixel_part(f"{functor}Part", (part_text("color"), *headers(file), alias), rgb=rgb, fields=fields)
