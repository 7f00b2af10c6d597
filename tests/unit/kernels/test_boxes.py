"""Boxes against formulas written plainly, and numbers that do not fit each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import boxes
from dali_studio.kernels.cpu.box_crops import MAX_WINDOWS, NOT_FOUND, OUTSIDE, Rules, random_box_crops
from dali_studio.kernels.cpu.elementwise import Operand
from dali_studio.kernels.cpu.native import kernel
from dali_studio.kernels.cpu.polygons import MISSING, TWICE, select_polygons
from dali_studio.kernels.cpu.rows import PickedRows, row_samples

Array = np.ndarray[Any, Any]


#: What operands are about: they have addresses alone.
_alive: list[Any] = []


def operand_of(arrays: list[Any]) -> Operand:
    _alive.append(arrays)
    return Operand.of(arrays)


def some_boxes(count: int, seed: int = 0) -> Array:
    ends = np.sort(np.random.default_rng(seed).uniform(0, 1, (count, 2, 2)), axis=2).astype(np.float32)
    return np.concatenate([ends[..., 0], ends[..., 1]], axis=1)


def overlaps(first: Array, second: Array) -> Array:
    low, high = np.maximum(first[:, None, :2], second[None, :, :2]), np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.clip(high - low, 0, None).prod(axis=2)
    areas = [(one[:, 2:] - one[:, :2]).prod(axis=1) for one in (first, second)]
    return common / (areas[0][:, None] + areas[1][None] - common)


@pytest.mark.parametrize("criteria", [0.0, 0.3, 0.5])
def test_anchors_get_the_boxes_that_overlap_them_most(criteria: float) -> None:
    given, anchors = some_boxes(9), some_boxes(200, seed=1)
    labels = np.arange(1, 10, dtype=np.int32)
    out, classes = np.empty((200, 4), np.float32), np.empty(200, np.int32)
    boxes.encode_boxes(
        operand_of([given]), operand_of([labels]), boxes.anchor_table(anchors), operand_of([out]), operand_of([classes]),
        criteria=criteria, offset=False, scale=1.0, means=np.zeros(4, np.float32), deviations=np.ones(4, np.float32),
    )  # fmt: skip
    table = overlaps(given, anchors)
    table[np.arange(9), table.argmax(axis=1)] = 2
    matched = table.max(axis=0) > criteria
    assert np.array_equal(classes, np.where(matched, labels[table.argmax(axis=0)], 0))
    chosen = np.where(matched[:, None], given[table.argmax(axis=0)], anchors)
    expected = np.concatenate([(chosen[:, :2] + chosen[:, 2:]) / 2, chosen[:, 2:] - chosen[:, :2]], axis=1)
    assert np.allclose(out, expected, atol=1e-7)


def test_a_quarter_turn_exchanges_the_axes() -> None:
    given = some_boxes(20)
    turned, rows = boxes.rotate_boxes(
        operand_of([given]), np.array([np.pi / 2], np.float32), np.array([[300, 200]], np.float32),
        np.array([[200, 300]], np.float32), corners=True, relative=True, mode="expand", threshold=0.1,
    )  # fmt: skip
    left, top, right, bottom = given.T
    assert np.allclose(turned, np.stack([top, 1 - right, bottom, 1 - left], axis=1), atol=1e-5)
    assert rows.counts.tolist() == [20] and rows.picked.tolist() == list(range(20))


def rules(**changes: Any) -> Rules:
    given = {
        "layout": (0, 1, 2, 3), "corners": True, "thresholds": np.zeros(1, np.float32), "allow_none": False,
        "ratios": np.array([0.5, 2], np.float32), "scaling": np.array([0.3, 1], np.float32), "attempts": (5, -1),
        "by_overlap": False, "all_boxes": True, "prune": None,
    }  # fmt: skip
    return Rules(**{**given, **changes})


def test_windows_lie_in_the_image_and_hold_the_centres_of_the_boxes_that_are_left() -> None:
    given = [some_boxes(count, seed=count) for count in (1, 4, 30) * 30]
    places = np.arange(len(given), dtype=np.int64) * 65537
    made = random_box_crops(operand_of(given), 2, rules(), 5, places)
    ends = made.anchors + made.sizes
    assert (made.anchors >= 0).all() and (ends <= 1.0001).all() and (made.sizes >= 0.2999).all()
    for index, boxes_of_one in enumerate(given):
        centres = (boxes_of_one[:, :2] + boxes_of_one[:, 2:]) / 2
        inside = ((centres >= made.anchors[index]) & (centres < ends[index] - 1e-6)).all(axis=1)
        start, count = made.rows.starts[index], made.rows.counts[index]
        assert made.rows.picked[start : start + count].tolist() == np.flatnonzero(inside).tolist()
        assert (made.boxes[start : start + count] >= 0).all() and (made.boxes[start : start + count] <= 1).all()


def test_a_search_without_an_end_is_given_up() -> None:
    assert MAX_WINDOWS <= 10**6
    wanted = rules(thresholds=np.ones(1, np.float32), scaling=np.array([0.1, 0.2], np.float32))
    made = random_box_crops(operand_of([some_boxes(2)]), 2, wanted, 5, np.zeros(1, np.int64))
    assert made.rows.counts.tolist() == [NOT_FOUND]


def test_boxes_beyond_the_image_are_told() -> None:
    made = random_box_crops(operand_of([some_boxes(2) * 2, some_boxes(2)]), 2, rules(), 5, np.zeros(2, np.int64))
    assert made.rows.counts[0] == OUTSIDE and made.rows.counts[1] > 0


def test_rows_are_picked_from_each_sample() -> None:
    tables = [np.arange(12, dtype=np.int16).reshape(4, 3), np.arange(6, dtype=np.int16).reshape(2, 3)]
    batch = row_samples(np.concatenate(tables), np.array([0, 4]), np.array([4, 2]))
    assert [sample.tolist() for sample in batch] == [table.tolist() for table in tables]
    picked = PickedRows(np.array([3, 0, 1]), np.array([0, 2]), np.array([2, 1]))
    made = picked.of(Batch.of(tables))
    assert [sample.tolist() for sample in made.samples] == [tables[0][[3, 0]].tolist(), tables[1][[1]].tolist()]


def test_masks_are_selected_once_and_must_be_there() -> None:
    polygons = operand_of([np.array([[1, 0, 3], [2, 3, 7]], np.int32)] * 2)
    ids = operand_of([np.array([2, 2], np.int32), np.array([1, 5], np.int32)])
    _, _, rows = select_polygons(ids, polygons, np.array([7, 7]), renumber=False)
    assert rows.counts.tolist() == [TWICE, MISSING]


def test_tables_that_do_not_fit_are_refused() -> None:
    numbers, none = np.zeros(2, np.int64), np.zeros(1, np.int64)
    flags = np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="do not fit"):
        kernel("mirror_boxes")(numbers, none, flags, flags, True, numbers)
    with pytest.raises(ValueError, match="do not fit"):
        kernel("gather_rows")(numbers, numbers, numbers, numbers + 3, none, numbers)
