"""Boxes, windows around them, transforms, and objects in masks."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import boxes, objects, transforms
from dali_studio.kernels.cpu.box_crops import Rules, random_box_crops, region_crops, ssd_crops
from dali_studio.kernels.cpu.elementwise import Operand

COUNTS = (5, 1, 0, 40, 7)


#: What operands are about: they have addresses alone.
_alive: list[Any] = []


def operand_of(arrays: list[Any]) -> Operand:
    _alive.append(arrays)
    return Operand.of(arrays)


def some_boxes(random: np.random.Generator, axes: int = 2) -> list[Any]:
    made = []
    for count in COUNTS:
        ends = np.sort(random.uniform(0, 1, (count, axes, 2)), axis=2).astype(np.float32)
        made.append(np.concatenate([ends[..., 0], ends[..., 1]], axis=1))
    return made


def like(arrays: list[Any]) -> list[Any]:
    return [np.empty_like(array) for array in arrays]


def of_boxes(random: np.random.Generator) -> list[Any]:
    given, count = some_boxes(random), len(COUNTS)
    operand, mirrored, pasted = operand_of(given), like(given), like(given)
    coins = random.integers(0, 2, (2, count)).astype(np.int32)
    boxes.mirror_boxes(operand, *coins, operand_of(mirrored), corners=False)
    ratios = random.uniform(1, 3, count).astype(np.float32)
    boxes.paste_boxes(operand, ratios, (ratios - 1, np.ones_like(ratios)), operand_of(pasted), corners=True)
    sizes = random.integers(20, 500, (2, count, 2)).astype(np.float32)
    turned, rows = boxes.rotate_boxes(operand, ratios, *sizes, corners=True, relative=True, mode="halfway", threshold=0.3)
    left = np.concatenate([turned[start : start + some] for start, some in zip(rows.starts, rows.counts, strict=True)])
    anchors = boxes.anchor_table(np.concatenate(some_boxes(random)))
    targets = [np.empty((anchors.shape[1], 4), np.float32) for _ in given]
    classes = [np.empty(anchors.shape[1], np.int32) for _ in given]
    labels = operand_of([np.arange(some, dtype=np.int32) for some in COUNTS])
    ones = np.ones(4, np.float32)
    boxes.encode_boxes(operand, labels, anchors, operand_of(targets), operand_of(classes), criteria=0.2, offset=True,
                       scale=3.0, means=ones / 7, deviations=ones / 9)  # fmt: skip
    return [*mirrored, *pasted, left, *targets, *classes]


def of_windows(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    places = np.arange(len(COUNTS), dtype=np.int64) * 65537
    for axes in (2, 3):
        ratio = np.array([0.5, 2.0] if axes == 2 else [2, 2, 0.1, 9, 0.1, 9], np.float32)
        rules = Rules(tuple(range(2 * axes)), True, np.array([0.0, 0.1], np.float32), True, ratio,
                      np.array([0.3, 1.0], np.float32), (20, 200), False, False, None)  # fmt: skip
        found = random_box_crops(operand_of(some_boxes(random, axes)), axes, rules, 2**63 + 5, places)
        made += [found.anchors, found.sizes, found.rows.counts]
    images = np.tile(np.array([[300, 400]], np.int64), (len(COUNTS), 1))
    windows, _, rows = ssd_crops(operand_of(some_boxes(random)), images, 10, 3, places)
    regions = [random.integers(1, 90, (len(COUNTS), 2)).astype(np.int32) for _ in range(3)]
    return [*made, windows, rows.counts, region_crops(regions, None, 9, places)]


def of_masks(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    for dtype in ("?", "u1", "i2", "u4", "i4"):
        mask = (random.uniform(0, 4, (40, 50)) * (random.uniform(0, 1, (40, 50)) < 0.6)).astype(dtype)
        regions, values = objects.blobs(mask, 0)
        pixel = np.empty(2, np.int64)
        objects.random_pixels(
            Batch.of([mask]), Batch.of([pixel]), objects.ABOVE, np.ones(1, np.int32), np.full(1, 0.5, np.float32),
            np.zeros(1, np.int32), 7, np.array([3], np.int64),
        )(0, 1)  # fmt: skip
        none = np.empty(0, np.int32)
        picked = objects.pick_object(regions, values, None, np.empty(0, np.float32), none, 5, 0.9, 7, 65537)
        made += [regions, values, pixel, picked]
    return made


def of_transforms(random: np.random.Generator) -> list[Any]:
    made: list[Any] = []
    for axes in (1, 2, 3, 6):
        given = [[random.uniform(-2, 2, (axes, axes + 1)).astype(np.float32) for _ in range(9)] for _ in range(3)]
        points = [(random.uniform(-1, 1, (count, axes)) * 999).astype(np.int16) for count in range(9)]
        out, moved = like(given[0]), like(points)
        transforms.combine([operand_of(one) for one in given], operand_of(out), reverse=axes == 2)
        both = np.stack(out)
        transforms.transform_points(
            operand_of(points), np.ascontiguousarray(both[..., :-1]), np.ascontiguousarray(both[..., -1]), operand_of(moved)
        )
        made += [both, *moved]
    return made


def digest() -> str:
    """Of all that is computed here."""
    random = np.random.default_rng(5)
    made = hashlib.sha256()
    for value in (*of_boxes(random), *of_windows(random), *of_masks(random), *of_transforms(random)):
        made.update(np.ascontiguousarray(value).tobytes())
    return made.hexdigest()
