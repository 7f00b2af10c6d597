"""What is lost when a picture is written as a JPEG file and read again, without the file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.native import kernel, scratch
from dali_studio.kernels.cpu.views import packed_rows


def distort(src: NDArray[np.uint8], out: NDArray[np.uint8], quality: int) -> None:
    """The pixels that libjpeg-turbo gives of a picture that it has written with halved chroma (4:2:0).

    Parameters
    ----------
    src, out : (H, W, 3) arrays of uint8
        Red, green and blue; the last two axes of `out` are contiguous, and it is other memory than `src`.
    quality : int
        1 to 100, by the tables of ITU-T T.81, annex K, and libjpeg's rule.
    """
    if not packed_rows(src):
        src = np.ascontiguousarray(src)
    if not packed_rows(out):
        raise ValueError("The pixels of a row of the output must lie one after the other.")
    needed = kernel("distort_jpeg")(src, out, scratch(), quality)
    if needed:
        kernel("distort_jpeg")(src, out, scratch(needed), quality)
