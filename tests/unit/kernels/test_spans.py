"""Copies of batches in equal shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import spans
from dali_studio.operators.readers.ahead import Run
from dali_studio.schema.arguments import in_turn


def backwards(function: object, count: int) -> None:
    assert callable(function)
    for i in reversed(range(count)):
        function(i)


@pytest.mark.parametrize("share", [1, 7, 1 << 20])
@pytest.mark.parametrize("sizes", [(5,), (3, 0, 8, 1), (0, 0), (0, 40, 0)])
@pytest.mark.parametrize("run", [in_turn, backwards])
def test_each_part_is_what_lies_there(
    sizes: Sequence[int], share: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "_SHARE", share)
    samples: list[NDArray[np.uint8]] = [np.arange(1, size + 1, dtype=np.uint8) + i for i, size in enumerate(sizes)]
    offsets = np.cumsum([0, *(size + 2 for size in sizes[:-1])])  # with gaps
    whole = np.zeros(int(offsets[-1]) + sizes[-1], np.uint8)
    for offset, sample in zip(offsets, samples, strict=True):
        whole[offset : offset + sample.size] = sample
    for begin in range(len(whole) + 1):
        target = np.zeros(len(whole) - begin, np.uint8)
        spans.copy_span(Batch.of(samples), offsets, target, begin, run)
        assert target.tolist() == whole[begin:].tolist()
