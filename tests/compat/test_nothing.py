"""Batches, pictures, sequences and windows of nothing, and deviations of 0, against nvidia.dali."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from peers import check, pipeline
from PIL import Image

pytestmark = pytest.mark.usefixtures("nvidia")

PICTURE = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
#: Pictures without rows, without columns, and without both, beside a picture.
EMPTY = [np.zeros(shape, np.uint8) for shape in ((0, 5, 3), (5, 0, 3), (0, 0, 3))]


def outputs(prefix: str, program: str, names: dict[str, Any]) -> list[tuple[int, str, str]]:
    """Samples, types and layouts of two iterations."""
    pipe = pipeline(prefix, program, names=names, batch_size=2)
    return [(len(one), str(one.dtype), one.layout()) for _ in range(2) for one in pipe.run()]


@pytest.mark.parametrize("nothing", [[], np.zeros((0, 4, 5, 3), np.uint8)], ids=["list", "array"])
def test_batches_of_no_sample(nothing: Any) -> None:
    program = """
    data = fn.external_source(source=lambda: nothing)
    return data, fn.resize(data, size=(3, 3)), fn.random.uniform(range=(0, 1))
    """
    found = [outputs(prefix, program, {"nothing": nothing}) for prefix in ("dali_studio", "nvidia.dali")]
    assert found[0] == found[1] == [(0, "DALIDataType.NO_TYPE", "")] * 6


@pytest.mark.parametrize(
    "given",
    ["size=(3, 3)", "size=(0, 3)", "resize_x=7", "resize_y=7", "resize_shorter=4", "resize_longer=4",
     "size=6, mode='not_larger'", "size=6, mode='not_smaller'", "size=(6, 0), mode='stretch'"],
)  # fmt: skip
@pytest.mark.parametrize("empty", EMPTY, ids=["rows", "columns", "both"])
def test_pictures_without_pixels_are_resized_to_such(empty: Any, given: str) -> None:
    check(f"fn.resize(x, {given}, interp_type=types.INTERP_NN)", {"x": ([empty, PICTURE], "HWC")})


@pytest.mark.parametrize("empty", EMPTY, ids=["rows", "columns", "both"])
def test_tensors_without_elements_are_resized_to_such(empty: Any) -> None:
    program = "fn.tensor_resize(x, sizes=(6, 6), axes=(0, 1), interp_type=types.INTERP_NN)"
    check(program, {"x": ([empty, PICTURE], "HWC")})


@pytest.mark.parametrize("others", [0, 2])
@pytest.mark.parametrize(
    "program",
    ["gaussian_blur(x, sigma=1.0)", "brightness(x, brightness=1.5)", "hsv(x, hue=20.0)", "color_twist(x, hue=20.0)",
     "laplacian(x)", "equalize(x)", "jpeg_compression_distortion(x, quality=9)", "flip(x)"],
)  # fmt: skip
def test_sequences_without_frames_keep_their_shape(program: str, others: int) -> None:
    frames = [np.zeros((0, 4, 5, 3), np.uint8), np.ones((others, 4, 5, 3), np.uint8)]
    check(f"fn.{program}", {"x": (frames, "FHWC")})


@pytest.mark.parametrize(
    "given",
    ["std=0.0", "std=[0.0, 1.0, 2.0]", "std=0.0, mean=3.0", "std=0.0, mean=3.0, shift=2.0, scale=3.0",
     "std=0.0, mean=3.0, scale=0.0", "std=[0.0, 1.0, 2.0], dtype=types.UINT8", "std=0.0, mean=3.0, dtype=types.INT8",
     "std=[0.0, 1.0, 2.0], dtype=types.FLOAT16", "std=0.0, crop=(2, 9), out_of_bounds_policy='pad', mirror=1"],
)  # fmt: skip
@pytest.mark.parametrize("layout", ["CHW", "HWC"])
def test_deviations_of_0_divide_as_floats_do(given: str, layout: str) -> None:
    check(f"fn.crop_mirror_normalize(x, {given}, output_layout='{layout}')", {"x": ([PICTURE] * 2, "HWC")})


def picture_file() -> Any:
    """A picture as a JPEG file."""
    stream = io.BytesIO()
    Image.fromarray(np.arange(6000, dtype=np.uint8).reshape(40, 50, 3)).save(stream, "JPEG")
    return np.frombuffer(stream.getvalue(), np.uint8)


@pytest.mark.parametrize(
    "given",
    ["axes=(), start=(), end=()", "axes=(), start=(), shape=()", "axes=(), rel_start=(), rel_shape=()",
     "axis_names='', start=(), shape=()", "axes=(), start=()", "axes=(), shape=()"],
)  # fmt: skip
def test_windows_along_no_axis_are_all_there_is(given: str) -> None:
    check(f"fn.slice(x, {given})", {"x": ([PICTURE] * 2, "HWC")})
    check(f"fn.decoders.image_slice(x, {given})", {"x": ([picture_file()] * 2, "")})
