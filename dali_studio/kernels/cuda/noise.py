"""Random numbers for the elements of a batch: parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.random_stream import stream_words
from dali_studio.kernels.cpu import descriptors
from dali_studio.kernels.cuda.chains import order_of
from dali_studio.kernels.cuda.generate import part_text
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.sources import headers

#: `Stream` of ``philox.hpp``, and the upper half of a sample's counters.
STREAM = (("key", np.uint64), ("low", np.uint64), ("phase", np.int32), ("behind_phase", np.int32), ("high", np.uint64))
_ELEMENTS = tuple((name, np.int32) for name in ("row", "column", "plane", "unused"))
_GAUSSIAN = np.dtype([*STREAM, ("mean", np.float32), ("stddev", np.float32), *_ELEMENTS], align=True)
_SHOT = np.dtype([*STREAM, ("factor", np.float32), ("inverse", np.float32), *_ELEMENTS], align=True)
_SALT_AND_PEPPER = np.dtype(
    [*STREAM, ("values", np.uint64), ("channels", np.uint64), ("pixels", np.uint64), ("chance", np.float32),
     ("salt", np.float32), *_ELEMENTS], align=True
)  # fmt: skip


def place_streams(made: NDArray[Any], key: int, highs: NDArray[np.uint64], origin: int) -> None:
    """Fill the fields of `STREAM`."""
    made["key"], made["low"], made["phase"] = stream_words(key, origin)
    made["high"] = highs


def is_phased(made: NDArray[Any]) -> int:
    """Whether streams begin within a counter: kernels that know that they do not, draw words of neighbours faster."""
    return int(made["phase"].any())


def gaussian_part(
    data: Batch, key: int, highs: NDArray[np.uint64], means: NDArray[np.float32], deviations: NDArray[np.float32],
    origin: int = 0,
) -> Part:  # fmt: skip
    """Add normally distributed numbers (`kernels.cpu.noise.gaussian`, with equal numbers)."""
    made = _rows(_GAUSSIAN, data, key, highs, origin)
    made["mean"], made["stddev"] = means, deviations
    return Part("GaussianPart", "pixel", _texts(), made, flags=(is_phased(made),), place="element")


def salt_and_pepper_part(
    data: Batch, key: int, highs: NDArray[np.uint64], chances: NDArray[np.float32], salts: NDArray[np.float32],
    values: NDArray[Any], channels: NDArray[np.int64], *, planar: bool, origin: int = 0,
) -> Part:  # fmt: skip
    """Replace pixels by one of two values (`kernels.cpu.noise.salt_and_pepper`, with equal numbers)."""
    made = _rows(_SALT_AND_PEPPER, data, key, highs, origin)
    made["chance"], made["salt"], made["channels"] = chances, salts, channels
    made["pixels"] = data.counts // channels if planar else 0
    each = int(channels[0]) if (channels == channels[0]).all() else 0
    each = each if each == 1 or (each == len("RGB") and not planar) else 0
    return Part(
        "SaltAndPepperPart", "pixel", _texts(), made, {"values": np.ascontiguousarray(values)},
        (is_phased(made), each), rgb=each == len("RGB"), place="element",
    )  # fmt: skip


def shot_part(
    data: Batch, key: int, highs: NDArray[np.uint64], factors: NDArray[np.float32], origin: int = 0
) -> Part:  # fmt: skip
    """Replace elements by numbers of events (`kernels.cpu.noise.shot`, with equal numbers)."""
    made = _rows(_SHOT, data, key, highs, origin)
    made["factor"] = factors
    with np.errstate(divide="ignore"):
        made["inverse"] = np.float32(1) / made["factor"]
    texts = *_texts(), *headers("poisson"), part_text("shot")
    return Part("ShotPart", "pixel", texts, made, place="element")


def _texts() -> tuple[str, ...]:
    return *headers("gaussian"), part_text("noise")


def _rows(
    dtype: np.dtype[Any], data: Batch, key: int, highs: NDArray[np.uint64], origin: int
) -> NDArray[Any]:
    """Rows with the streams of the samples, and where their elements lie."""
    made = np.zeros(len(data), dtype)
    place_streams(made, key, highs, origin)
    order, shapes = order_of(data), data.shapes
    if order == descriptors.HWC:
        made["row"], made["column"], made["plane"] = shapes[:, 1] * shapes[:, 2], shapes[:, 2], 1
    elif order == descriptors.CHW:
        made["row"], made["column"], made["plane"] = shapes[:, 2], 1, shapes[:, 1] * shapes[:, 2]
    else:
        made["column"] = 1
    return made
