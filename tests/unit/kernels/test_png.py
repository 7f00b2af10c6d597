"""The row filters of PNG files, against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio.kernels.cpu import native


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    """PNG specification, section 9."""
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    distances = [(abs(left + up - corner - one), order) for order, one in enumerate((left, up, corner))]
    return (left, up, corner)[min(distances)[1]]


@pytest.mark.parametrize("step", [1, 2, 3, 4, 6, 8])
def test_rows_are_what_the_specification_says(step: int) -> None:
    random = np.random.default_rng(step)
    rows, width = 25, 31 * step
    filtered = random.integers(0, 256, (rows, width + 1), np.uint8)
    filtered[:, 0] = np.arange(rows) % 5
    made, given = np.zeros((rows + 1, width), np.uint8), filtered.astype(np.int64)
    assert native.kernel("unfilter")(filtered, made, step)
    wanted = np.zeros((rows + 1, step + width), np.int64)  # with what lies above and to the left
    for y in range(rows):
        for x in range(step, step + width):
            guess = _predicted(given[y, 0], wanted[y + 1, x - step], wanted[y, x], wanted[y, x - step])
            wanted[y + 1, x] = (given[y, x - step + 1] + guess) % 256
    np.testing.assert_array_equal(made, wanted[:, step:])
