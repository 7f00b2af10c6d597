"""The row filters of PNG files, against their definition; who inflates them, and where pixels go."""

from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from images import picture
from PIL import Image

from dali_studio.kernels.cpu import image_codec, native, png


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    """PNG specification, section 9."""
    if kind < 4:
        return (0, left, up, (left + up) // 2)[kind]
    distances = [(abs(left + up - corner - one), order) for order, one in enumerate((left, up, corner))]
    return (left, up, corner)[min(distances)[1]]


def _file(mode: str) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(picture(71, 97)).convert(mode).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize("pixels", [1, 2, 3, 31])
@pytest.mark.parametrize("step", [1, 2, 3, 4, 6, 8])
def test_rows_are_what_the_specification_says(step: int, pixels: int) -> None:
    random = np.random.default_rng(step)
    rows, width = 25, pixels * step
    filtered = random.integers(0, 256, (rows, width + 1), np.uint8)
    filtered[:, 0] = np.minimum(random.integers(0, 8, rows), 4)  # often Paeth's, of which two rows are undone at once
    made, given = np.zeros((rows, width), np.uint8), filtered.astype(np.int64)
    assert native.kernel("unfilter")(filtered, made, np.zeros(width, np.uint8), step)
    wanted = np.zeros((rows + 1, step + width), np.int64)  # with what lies above and to the left
    for y in range(rows):
        for x in range(step, step + width):
            guess = _predicted(given[y, 0], wanted[y + 1, x - step], wanted[y, x], wanted[y, x - step])
            wanted[y + 1, x] = (given[y, x - step + 1] + guess) % 256
    np.testing.assert_array_equal(made, wanted[1:, step:])


def test_an_unknown_filter_is_refused() -> None:
    filtered = np.array([[4, 1, 2, 3], [5, 1, 2, 3]], np.uint8)
    assert not native.kernel("unfilter")(filtered, np.zeros((2, 3), np.uint8), np.zeros(3, np.uint8), 3)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_files_are_decoded_the_same_by_zlib_alone(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = np.asarray(Image.open(io.BytesIO(_file(mode)))).reshape(71, 97, -1)
    np.testing.assert_array_equal(image_codec.decode(_file(mode), output_type="ANY_DATA"), wanted)
    monkeypatch.setattr(png, "fast_zlib", zlib)
    np.testing.assert_array_equal(image_codec.decode(_file(mode), output_type="ANY_DATA"), wanted)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
@pytest.mark.parametrize("output_type", image_codec.OUTPUT_TYPES)
def test_pixels_are_put_where_they_are_wanted(output_type: str, mode: str) -> None:
    wanted = image_codec.decode(_file(mode), output_type=output_type)
    out = np.zeros_like(wanted)
    assert image_codec.decode(_file(mode), output_type=output_type, out=out) is out
    np.testing.assert_array_equal(out, wanted)
