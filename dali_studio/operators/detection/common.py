"""What operators on boxes share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.operators.common import T, check_dtype
from dali_studio.schema.samples import Data, values

_HINT = "Give a table of four numbers for each box."


def check_boxes(meta: TensorMeta) -> None:
    """Refuse what is no table of float32 numbers (DS203)."""
    check_dtype(meta, (T.FLOAT,))
    if meta.ndim not in (None, 2):
        raise ArgumentError(
            f"the boxes have {meta.ndim} axes; (boxes, 4) is accepted.", hint=_HINT, code="DS203"
        )  # fmt: skip


def check_fours(boxes: Batch) -> None:
    """Refuse samples that do not consist of four numbers each, whatever their axes (DS203)."""
    wrong = boxes.counts % 4 != 0
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"the boxes have the shape {tuple(boxes.shapes[index].tolist())}, which is not four numbers each.",
            hint=_HINT, sample=index, code="DS203",
        )  # fmt: skip


def check_widths(shapes: NDArray[np.int64], widths: tuple[int, ...] = (4,)) -> None:
    """Refuse tables that have no rows of such a width, or not one width for all samples (DS203)."""
    found = shapes[:, 1]
    wrong = ~np.isin(found, widths) | (found != found[:1])
    if wrong.any():
        index = int(np.argmax(wrong))
        accepted = " or ".join(f"(boxes, {width})" for width in widths)
        raise ArgumentError(
            f"the boxes have the shape {tuple(shapes[index].tolist())}; {accepted} is accepted.", hint=_HINT,
            sample=index, code="DS203",
        )  # fmt: skip


def check_labels(meta: TensorMeta) -> None:
    """Refuse labels that are not int32, or no list (DS203)."""
    if meta.dtype not in (None, T.INT32):
        raise ArgumentError(
            f"the labels are {meta.dtype.name}; INT32 is accepted.", hint="Insert a cast to INT32.", code="DS203"
        )
    if meta.ndim == 0:
        raise ArgumentError("the labels are scalars.", hint="Give a list of labels, one for each box.", code="DS203")


def check_counts(boxes: NDArray[np.int64], labels: NDArray[np.int64]) -> None:
    """Refuse another number of labels than of boxes (DS203); both are shapes."""
    wrong = boxes[:, 0] != labels[:, 0]
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ArgumentError(
            f"there are {labels[index, 0]} labels for {boxes[index, 0]} boxes.", hint="Give one label for each box.",
            sample=index, code="DS203",
        )  # fmt: skip


def boxes(counts: tuple[int, ...] = (5, 1, 0, 9), *, corners: bool = True, axes: int = 2, seed: int = 3) -> Data:
    """Random boxes in relative coordinates, for cases."""

    def make(count: int, number: int) -> NDArray[np.float32]:
        generator = np.random.default_rng([seed, number])
        ends = np.sort(generator.uniform(0, 1, (count, axes, 2)), axis=2).astype(np.float32)
        low, high = ends[..., 0], ends[..., 1]
        return np.concatenate([low, high if corners else (high - low) * np.float32(0.999)], axis=1)

    samples = [make(count, number) for number, count in enumerate(counts)]
    return values(*samples, label=f"{'corners' if corners else 'sizes'} of {','.join(map(str, counts))} {axes}-D boxes")


def labels(counts: tuple[int, ...] = (5, 1, 0, 9), *, column: bool = False) -> Data:
    """Labels of as many boxes."""
    made = [np.arange(1, count + 1).reshape((-1, 1) if column else -1) for count in counts]
    return values(*made, dtype=T.INT32, label="labels in a column" if column else "labels")
