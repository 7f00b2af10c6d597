"""Colour pictures from those of sensors that see one colour each: a part that begins a chain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

#: Numbers of the algorithms in the source, and channels of the results.
ALGORITHMS = {"bilinear_ocv": (0, 3), "edgeaware_ocv": (1, 3), "gray_ocv": (2, 1), "vng_ocv": (3, 3)}
_ROW = np.dtype([("blue_row", np.int32), ("blue_column", np.int32)], align=True)


def debayer_part(algorithm: str, blue: NDArray[np.int64]) -> Part:
    """Find the colours that each sensor does not see (`kernels.cpu.debayer.debayer`); `blue` is (N, 2)."""
    kind, channels = ALGORITHMS[algorithm]
    row = np.empty(len(blue), _ROW)
    row["blue_row"], row["blue_column"] = ((blue + 1) & 1).T
    texts = (*headers("debayer"), part_text("debayer"))
    return Part("DebayerPart", "source", texts, row, flags=(kind,), channels=(1, channels))
