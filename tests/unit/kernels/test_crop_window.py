"""Random crop windows: they obey their limits and equal nvidia.dali's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.cpu.crop_window import random_crop_windows


def _shapes(seed: int, count: int, low: int, high: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(low, high, (count, 2))


def test_known_windows() -> None:
    anchors, sizes = random_crop_windows(42, 0, [(480, 640), (375, 500)])
    again_anchors, again_sizes = random_crop_windows(42, 65537, [(375, 500)])
    assert np.array_equal(anchors[1:], again_anchors)
    assert np.array_equal(sizes[1:], again_sizes)
    assert anchors.dtype == sizes.dtype == np.int32


@pytest.mark.parametrize("limits", [((0.08, 1.0), (3 / 4, 4 / 3)), ((0.3, 0.5), (0.5, 2.0)), ((1.0, 1.0), (1.0, 1.0))])
def test_windows_lie_inside_and_keep_the_ratio(limits: tuple[tuple[float, float], tuple[float, float]]) -> None:
    shapes = _shapes(1, 3000, 20, 900)
    anchors, sizes = random_crop_windows(7, 100, shapes, *limits)
    assert (anchors >= 0).all()
    assert (sizes >= 1).all()
    assert (anchors + sizes <= shapes).all()
    ratio = sizes[:, 1] / sizes[:, 0]
    slack = 1 / sizes.min(1)  # a side is a whole number of pixels
    assert (ratio >= limits[1][0] - slack).all()
    assert (ratio <= limits[1][1] + 2 * slack).all()


def test_an_image_that_no_attempt_fits_gets_its_largest_window() -> None:
    anchors, sizes = random_crop_windows(3, 0, [(20, 1000)] * 50)
    assert (sizes == (20, 26)).all()
    assert len(set(anchors[:, 1].tolist())) > 30, "the fallback window is still placed at random"


def test_one_pixel() -> None:
    anchors, sizes = random_crop_windows(3, 0, [(1, 1)])
    assert anchors.tolist() == [[0, 0]]
    assert sizes.tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"area": (0.5, 0.2)}, r"random_area is \[0\.5, 0\.2\]"),
        ({"area": (0.0, 0.0)}, "above 0"),
        ({"aspect_ratio": (2.0, 1.0)}, "random_aspect_ratio"),
        ({"num_attempts": 0}, "expected 1 or more"),
    ],
)
def test_impossible_limits_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        random_crop_windows(0, 0, [(10, 10)], **arguments)


def test_images_without_pixels_are_refused() -> None:
    with pytest.raises(ValueError, match="sample 1 has 0x5 pixels"):
        random_crop_windows(0, 0, [(10, 10), (0, 5)])
    with pytest.raises(ValueError, match=r"expected one \(height, width\) per sample"):
        random_crop_windows(0, 0, [10, 10])


@pytest.mark.parametrize("sizes", [(1, 30), (100, 800), (1, 14000)])
@pytest.mark.parametrize("limits", [((0.08, 1.0), (3 / 4, 4 / 3), 10), ((0.01, 0.02), (0.1, 10.0), 2)])
def test_windows_equal_nvidia_dali(nvidia: Any, sizes: tuple[int, int], limits: Any) -> None:
    fn = nvidia.fn
    shapes = _shapes(5, 1000, *sizes).astype(np.int64)
    area, ratio, attempts = limits

    @nvidia.pipeline_def(batch_size=1000, num_threads=1, device_id=None)
    def pipe() -> Any:
        anchor, size = fn.random_crop_generator(
            fn.external_source(lambda: list(shapes), batch=True),
            seed=2**40 + 3,
            random_area=list(area),
            random_aspect_ratio=list(ratio),
            num_attempts=attempts,
        )
        return anchor, size

    built = pipe()
    built.build()
    for i in range(2):
        anchor, size = built.run()
        mine = random_crop_windows(2**40 + 3, 1000 * i, shapes, area, ratio, attempts)
        assert np.array_equal(anchor.as_array(), mine[0])
        assert np.array_equal(size.as_array(), mine[1])


@pytest.mark.parametrize("area", [(0.5, 3.0), (2.0, 3.0)])
def test_no_window_leaves_its_image(area: tuple[float, float]) -> None:
    shapes = np.array([(30, 50), (50, 30), (1, 9)] * 20)
    anchors, sizes = random_crop_windows(1, 0, shapes, area, (0.1, 9.0))
    assert (anchors >= 0).all() and (sizes >= 1).all() and (anchors + sizes <= shapes).all()
