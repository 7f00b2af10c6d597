"""Loops over the samples of a batch: places, descriptors, windows and the geometry of resizing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from axis import axis_weights

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import axis_batch, descriptors, window_batch
from dali_studio.kernels.cpu.weights import Interp
from dali_studio.kernels.cuda import chains, resample
from dali_studio.kernels.cuda.generate import BAND

_HEAD = np.dtype([("src", np.int64), ("dst", np.int64), ("count", np.int64), ("extents", np.int32, 6)], align=True)
_ROW = np.dtype([("table", np.uint64), ("number", np.float32), ("whole", np.int32, 3)], align=True)


def _shapes(count: int, *, equal: bool = False) -> np.ndarray[Any, Any]:
    made = np.random.default_rng(count).integers(1, 90, (count, 3))
    return np.tile(made[:1], (count, 1)) if equal else made


@pytest.mark.parametrize("itemsize", [1, 4])
@pytest.mark.parametrize("equal", [True, False])
def test_places(itemsize: int, equal: bool) -> None:
    shapes = _shapes(7, equal=equal)
    offsets, size = descriptors.place(shapes, itemsize, 16)
    end = 0
    for offset, shape in zip(offsets.tolist(), shapes.tolist(), strict=True):
        assert offset == end
        length = math.prod(shape) * itemsize
        end += length if equal else -(-length // 16) * 16
    assert size == end
    assert descriptors.place(np.zeros((0, 3), np.int64), itemsize, 16)[1] == 0


def test_measures() -> None:
    shapes = _shapes(9)
    most = max(math.prod(shape) for shape in shapes.tolist())
    assert descriptors.measure(shapes, descriptors.HWC) == (most, int((shapes[:, 0] * shapes[:, 1]).max()))
    tiles = [-(-h // 8) * -(-(w + 3) // 32) for h, w, _ in shapes.tolist()]
    assert descriptors.measure(shapes, descriptors.HWC, (8, 32), 3) == (most, max(tiles))
    planes = [-(-h // 8) * -(-w // 32) for _, h, w in shapes.tolist()]
    assert descriptors.measure(shapes, descriptors.CHW, (8, 32)) == (most, max(planes))
    assert descriptors.measure(shapes[:, :2], descriptors.ROW, (1, 32))[1] == max(
        -(-h * w // 32) for h, w, _ in shapes.tolist()
    )


def test_the_largest_sample() -> None:
    shapes = _shapes(9)
    assert descriptors.largest_sample(shapes) == shapes.prod(axis=1).max()
    assert descriptors.largest_sample(shapes[:0]) == 0
    huge = np.array([(2**40, 2**40, 1), (3, 2, 1)], np.int64)
    assert descriptors.largest_sample(huge) == 2**63 - 1
    assert descriptors.largest_sample(huge * [[1, 1, 0], [1, 1, 1]]) == 6


@pytest.mark.parametrize("more", [0, 2])
def test_products_of_extents(more: int) -> None:
    count, source, result = 5, _shapes(5), _shapes(6)[:5]
    fields = np.array([(0, 0, 1 << 30), (1, 1, 2), (0, 1, 3), (1, 0, 0)], np.int64)
    host = np.full(8 * (6 + more) * count, 255, np.uint8)
    items = descriptors.Descriptors(host, count, 8 * (6 + more))
    offsets = np.arange(count) * 512
    largest = items.extents((1000, offsets, 5000, offsets * 2, source, result), fields, 2)
    written = host.view(np.int64).reshape(count, -1)
    expected = [1000 + offsets, 5000 + 2 * offsets, source.prod(axis=1), result[:, 1], source[:, 1:].prod(axis=1),
                np.ones(count), *[np.zeros(count)] * more]  # fmt: skip
    np.testing.assert_array_equal(written, np.stack(expected, axis=1))
    assert largest == source[:, 1:].prod(axis=1).max()
    with pytest.raises(ValueError, match="descriptor_extents"):
        descriptors.Descriptors(host[8:], count, 8 * (6 + more)).extents(
            (1000, offsets, 5000, offsets, source, result), fields, 0
        )


@pytest.mark.parametrize(
    ("order", "columns"), [(descriptors.HWC, (0, 1, 2)), (descriptors.CHW, (1, 2, 0)), (descriptors.ROW, None)]
)
@pytest.mark.parametrize("unit", [0, 1, 3])
def test_descriptors(order: int, columns: tuple[int, ...] | None, unit: int) -> None:
    count, shapes = 6, _shapes(6)
    item = np.dtype([("head", _HEAD), ("row", _ROW)], align=True)
    host = np.full(count * item.itemsize, 255, np.uint8)
    offsets, _ = descriptors.place(shapes, 1, 16)
    rows = np.zeros(count, _ROW)
    rows["number"], rows["whole"] = np.arange(count) / 3, np.arange(3 * count).reshape(count, 3) - 5
    made = descriptors.Descriptors(host, count, item.itemsize)
    made.heads((1000, offsets, shapes, order), (2**40, offsets[::-1], shapes[::-1], descriptors.HWC), unit)
    made.rows(_HEAD.itemsize, rows)
    made.addresses(_HEAD.itemsize, 2**41, 24)
    items = host.view(item)
    head = items["head"]
    assert head["src"].tolist() == (1000 + offsets).tolist()
    assert head["dst"].tolist() == (2**40 + offsets[::-1]).tolist()
    elements = shapes.prod(axis=1)
    assert head["count"].tolist() == (elements // unit if unit else 0 * elements).tolist()
    expected = np.stack([0 * elements + 1, elements, 0 * elements + 1], 1) if columns is None else shapes[:, columns]
    assert np.array_equal(head["extents"], np.concatenate([expected, shapes[::-1]], axis=1))
    assert items["row"]["table"].tolist() == [2**41 + 24 * k for k in range(count)]
    assert np.array_equal(items["row"]["number"], rows["number"])
    assert np.array_equal(items["row"]["whole"], rows["whole"])


@pytest.mark.parametrize("nearest", [True, False])
@pytest.mark.parametrize("policy", [window_batch.KEEP, window_batch.TRIM])
def test_windows(nearest: bool, policy: int) -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(1, 60, (200, 2))
    wanted = random.integers(0, 80, (2, 200)).astype(np.float32)
    places = random.choice([0.0, 0.25, 0.5, 0.75, 1.0], (2, 200)).astype(np.float32)  # many corners at halves
    anchors, crops, outside = window_batch.windows(
        sizes, wanted[0], wanted[1], (places[0], places[1]), nearest=nearest, policy=policy
    )
    for i in range(len(sizes)):
        left = False
        for axis in range(2):
            size = int(sizes[i, axis])
            crop = int(wanted[axis, i]) or size
            corner = float(places[axis, i]) * (size - crop)
            away = math.copysign(math.floor(abs(corner) + 0.5), corner)
            anchor = int(away if nearest else math.trunc(corner))
            if policy == window_batch.TRIM:
                anchor, end = min(max(anchor, 0), size), min(max(anchor + crop, 0), size)
                crop = end - anchor
            left |= anchor < 0 or anchor + crop > size
            assert (anchors[i, axis], crops[i, axis]) == (anchor, crop)
        assert outside[i] == left


def test_shapes_of_windows() -> None:
    shapes, crops = np.array([[9, 8, 3], [7, 6, 1], [5, 4, 5]]), np.array([[2, 3], [4, 5], [6, 7]])
    made, channels = window_batch.window_shapes(shapes, "HWC", crops, "CHW", padded=True)
    assert (made.tolist(), channels) == ([[4, 2, 3], [1, 4, 5], [8, 6, 7]], 5)
    planar, channels = window_batch.window_shapes(shapes[:, [2, 0, 1]], "CHW", crops, "HWC", padded=False)
    assert (planar.tolist(), channels) == ([[2, 3, 3], [4, 5, 1], [6, 7, 5]], 5)
    assert window_batch.columns(shapes, 2, 0).tolist() == [[3, 9], [1, 7], [5, 5]]
    assert window_batch.with_columns(shapes, 0, 1, crops).tolist() == [[2, 3, 3], [4, 5, 1], [6, 7, 5]]


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("kinds", [(Interp.LINEAR, Interp.CUBIC), (Interp.LANCZOS3, Interp.NN)])
def test_the_geometry_of_axes_is_that_of_their_weights(
    layout: str, antialias: bool, kinds: tuple[Interp, Interp]
) -> None:
    random = np.random.default_rng(4)
    order = [layout.index(letter) for letter in "HWC"]
    shapes, out = np.empty((30, 3), np.int64), np.empty((30, 3), np.int64)
    shapes[:, order] = np.concatenate([random.integers(1, 90, (30, 2)), np.full((30, 1), 3)], axis=1)
    out[:, order] = np.concatenate([random.integers(1, 90, (30, 2)), np.full((30, 1), 3)], axis=1)
    low = random.uniform(0, 1, (30, 2)) * shapes[:, order[:2]]
    rois = np.concatenate([low, shapes[:, order[:2]].astype(np.float64)], axis=1)
    each = np.tile([kinds, kinds[::-1]], (15, 1)).astype(np.int32)
    table, rows, starts, size, span, fewest = axis_batch.axes(
        shapes, out, layout, rois, each, (64, 32), 512, antialias=antialias
    )
    end, widest = 0, 1
    for axis in range(2):
        for i in range(len(shapes)):
            found = table[axis * len(shapes) + i]
            in_size, out_size = int(shapes[i, order[axis]]), int(out[i, order[axis]])
            kind = each[i, 0 if abs(rois[i, 2 + axis] - rois[i, axis]) > out_size else 1]
            begins, weights = axis_weights(
                int(kind), antialias, in_size, rois[i, axis], rois[i, 2 + axis], out_size, 0, out_size, False, axis == 0
            )
            taps = weights.shape[1]
            assert (found["taps"], found["kind"], found["in_size"], found["out_size"]) == (taps, kind, in_size, out_size)
            assert found["accumulate"] == (axis == 0)
            assert rows[i][("y_taps", "x_taps")[axis]] == taps and rows[i][("height", "width")[axis]] == out_size
            assert starts[axis * len(shapes) + i] == end
            end += 4 * out_size * (1 + taps)
            if axis == 1:  # what the first columns of the output read
                tile = int(rows[i]["tile"])
                assert 32 <= tile <= 64 and tile % 4 == 0
                widest = max(widest, int(begins[:tile].max() + taps - begins[:tile].min()))
    assert fewest == rows["tile"].min()
    assert size == end and span >= widest * (1 if layout == "CHW" else 3)
    axis_batch.place_weights(table, rows, starts, 2**40)
    assert table["starts"].tolist() == (2**40 + starts).tolist()
    assert table["weights"].tolist() == (2**40 + starts + 4 * table["out_size"]).tolist()
    for name, part in (("y", table[:30]), ("x", table[30:])):
        assert rows[f"{name}_starts"].tolist() == part["starts"].tolist()
        assert rows[f"{name}_weights"].tolist() == part["weights"].tolist()


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("layout_out", ["HWC", "CHW"])
def test_all_of_a_resized_and_padded_batch_is_computed(
    layout: str, layout_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows behind a resize may make the result larger: as many warps are launched as the kernel has pieces of it."""
    launched: list[int] = []

    def launch(*given: Any) -> None:
        blocks, threads = given[6:8]
        launched.append(blocks * threads // 32)

    monkeypatch.setattr(chains, "launch", launch)
    for count, seed in itertools.product((1, 2, 20), range(5)):
        random = np.random.default_rng([count, seed])
        sizes, resized, final = (random.integers(1, high, (count, 2)) for high in (300, 90, 200))
        channels = np.full((count, 1), 3)
        shapes = [
            np.concatenate([two, channels] if order == "HWC" else [channels, two], axis=1).astype(np.int64)
            for two, order in ((sizes, layout), (resized, layout), (final, layout_out))
        ]
        rois = np.concatenate([np.zeros((count, 2)), sizes], axis=1).astype(np.float64)
        prepared = resample.geometry(shapes[0], shapes[1], np.ones((count, 2), np.int32), True, rois, layout)
        prepared.weights = object()
        batches = [
            Batch.on_gpu(None, np.zeros(count, np.int64), shape, np.dtype(np.uint8), order)
            for shape, order in ((shapes[0], layout), (shapes[2], layout_out))
        ]
        resample.resize(*batches, prepared, None)  # type: ignore[arg-type] - nothing is enqueued
        row = prepared.part.row
        assert row is not None
        pieces = -(-final[:, 1] // row["tile"]) * -(-final[:, 0] // BAND) * (3 if layout == "CHW" else 1)
        assert launched[-1] >= int(pieces.max())
        assert len(set(row["tile"])) > 1 or launched[-1] - prepared.warps < int(pieces.max())


def test_an_image_without_pixels_has_no_axes() -> None:
    shapes, rois = np.array([[4, 5, 3], [0, 5, 3]]), np.array([[0.0, 0.0, 4.0, 5.0], [0.0, 0.0, 0.0, 5.0]])
    kinds = np.ones((2, 2), np.int32)
    with pytest.raises(ValueError, match="without pixels"):
        axis_batch.axes(shapes, np.full((2, 3), 3), "HWC", rois, kinds, (64, 32), 512, antialias=True)
    with pytest.raises(ValueError, match="Interp"):
        axis_batch.axes(shapes, np.full((2, 3), 3), "HWC", rois, 6 * kinds, (64, 32), 512, antialias=True)
