"""Values at the edge of what an argument may be: the same verdict and result as nvidia.dali's."""

from __future__ import annotations

import importlib
import tracemalloc
from typing import Any

import numpy as np
import pytest
from images import picture

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.pipeline import Pipeline

SIZES = ((24, 31), (9, 16))
#: Operator, arguments, and the shapes of what comes out; none: refused.
CASES: list[tuple[str, dict[str, Any], list[tuple[int, ...]] | None]] = [
    # extents below 1 are 0, which keeps the image's
    ("crop", {"crop": [1.0, 0.6]}, [(1, 31, 3), (1, 16, 3)]),
    ("crop", {"crop_h": 0.99, "crop_w": 2.5}, [(24, 2, 3), (9, 2, 3)]),
    ("crop_mirror_normalize", {"crop": [0.4, 3.0]}, [(3, 24, 3), (3, 9, 3)]),
    # the depth goes with both other extents, and counts as a way of giving the size
    ("crop", {"crop_d": 0.0}, None),
    ("crop", {"crop_d": 0.0, "crop": [5.0, 4.0]}, None),
    ("crop", {"crop_d": 0.0, "crop_h": 4.0, "crop_w": 5.0}, [(4, 5, 3), (4, 5, 3)]),
    ("crop_mirror_normalize", {"crop_d": 0.0}, None),
    ("resize", {"resize_z": 0.0, "resize_shorter": 1.0}, None),
    ("resize", {"resize_z": 0.0, "size": [5.0, 4.0]}, None),
    ("resize", {"resize_z": 0.0, "resize_x": 5.0}, [(4, 5, 3), (3, 5, 3)]),
    ("resize", {"resize_z": 0.0}, [(24, 31, 3), (9, 16, 3)]),
    # a size of 0 keeps the image's, beyond max_size, too
    ("resize", {"resize_x": 0.0, "max_size": [20.0]}, [(24, 31, 3), (9, 16, 3)]),
    ("resize", {"resize_shorter": 0.0, "max_size": [4.0]}, [(24, 31, 3), (9, 16, 3)]),
    ("resize", {"resize_x": 0.0, "resize_y": 5.0, "max_size": [4.0]}, [(4, 4, 3), (4, 4, 3)]),
    # values are counted where nothing lies outside, too
    ("crop", {"fill_values": [1.0, 2.0], "out_of_bounds_policy": "pad"}, None),
    ("crop", {"fill_values": [1.0, 2.0], "out_of_bounds_policy": "trim_to_shape"}, [(24, 31, 3), (9, 16, 3)]),
    ("crop", {"fill_values": [1.0, 2.0, 3.0], "out_of_bounds_policy": "pad"}, [(24, 31, 3), (9, 16, 3)]),
]


def results(prefix: str, operator: str, arguments: dict[str, Any], dtype: Any = np.uint8) -> list[Any]:
    """The samples that come out."""
    package, functions = importlib.import_module(prefix), importlib.import_module(f"{prefix}.fn")
    made = package.Pipeline(batch_size=len(SIZES), num_threads=1, device_id=None)
    with made:
        images = functions.external_source(source=lambda: [picture(*size, 3, dtype) for size in SIZES], layout="HWC")
        made.set_outputs(getattr(functions, operator)(images, **arguments))
    made.build()
    (out,) = made.run()
    return [np.array(out.at(i)) for i in range(len(SIZES))]


@pytest.mark.parametrize(("operator", "arguments", "shapes"), CASES)
def test_edges(operator: str, arguments: dict[str, Any], shapes: list[tuple[int, ...]] | None) -> None:
    if shapes is None:
        with pytest.raises(DaliStudioError, match=r"DS10[35]"):
            results("dali_studio", operator, arguments)
    else:
        assert [sample.shape for sample in results("dali_studio", operator, arguments)] == shapes


@pytest.mark.parametrize(("operator", "arguments", "shapes"), CASES)
def test_edges_of_nvidia_dali(
    nvidia: Any, operator: str, arguments: dict[str, Any], shapes: list[tuple[int, ...]] | None
) -> None:
    if shapes is None:
        with pytest.raises(RuntimeError):
            results("nvidia.dali", operator, arguments)
        return
    expected = results("nvidia.dali", operator, arguments)
    assert [sample.shape for sample in expected] == shapes
    if operator != "resize":  # whose pixels have tests of their own
        for ours, theirs in zip(results("dali_studio", operator, arguments), expected, strict=True):
            assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", ["UINT8", "INT16", "INT32"])
@pytest.mark.parametrize(("operator", "more"), [("rotate", {"angle": 45.0}), ("warp_affine", {"matrix": [1.0, 0.2, 3.0, 0.1, 0.9, 1.0]})])
@pytest.mark.parametrize("fill", [300.7, -3.2, 0.5])
def test_floats_are_warped_to_integers_as_by_nvidia_dali(
    nvidia: Any, operator: str, more: dict[str, Any], dtype: str, fill: float
) -> None:
    """The colour outside is held in the type of the output before it is mixed with the image's."""
    ours, theirs = (
        results(prefix, operator, {**more, "fill_value": fill, "dtype": types}, np.float32)
        for prefix, types in (("dali_studio", dtype), ("nvidia.dali", getattr(nvidia.types, dtype)))
    )
    for made, expected in zip(ours, theirs, strict=True):
        assert made.dtype == expected.dtype and np.array_equal(made, expected)


def test_integers_are_not_warped_to_other_integers() -> None:
    with pytest.raises(DaliStudioError, match=r"DS105 rotate.dtype: INT16 is not available as output; UINT8, FLOAT are"):
        results("dali_studio", "rotate", {"angle": 3.0, "dtype": "INT16"})


def test_choosing_too_many_arrays_takes_no_memory() -> None:
    """The indices alone would take some hundred megabytes, before the result of 25 GB fails."""
    made = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with made:
        arrays = fn.external_source(source=lambda: [np.zeros((3, 24, 31), np.float16)] * 2)
        made.set_outputs(fn.random.choice(arrays, shape=2**24))
    made.build()
    tracemalloc.start()
    try:
        with pytest.raises(DaliStudioError, match=r"DS105.*16,777,216 arrays of 744 elements"):
            made.run()
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("height", "width", "argument"), [(9.0, 17.0, "crop_w"), (10.0, 16.0, "crop_h"), (10.0, 17.0, "crop_h")])
def test_a_window_beyond_the_image_names_the_side_that_is(height: float, width: float, argument: str) -> None:
    made = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with made:
        image = fn.external_source(source=[[picture(9, 16)]], layout="HWC")
        made.set_outputs(fn.crop(image, crop_h=height, crop_w=width))
    with pytest.raises(DaliStudioError) as caught:
        made.run()
    assert caught.value.diagnostics[0].argument == argument
