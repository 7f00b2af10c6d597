"""Windows that compiled code decodes, several in a call, are those that are decoded one by one, of damaged files too."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.operators.decoders.image_crop import ImageCrop
from dali_studio.schema.arguments import Args, RunContext

Array = np.ndarray[Any, Any]


def files(sampling: int, interval: int, *, progressive: bool = False) -> bytes:
    """A picture with noise in it, of some kilobytes, with restarts after so many blocks."""
    random = np.random.default_rng(4)
    smooth = np.linspace(0, 255, 200)[:, None, None] * np.linspace(0.2, 1, 260)[None, :, None]
    pixels = np.clip(smooth + random.normal(0, 25, (200, 260, 3)), 0, 255).astype(np.uint8)
    file = io.BytesIO()
    options: dict[str, Any] = {"restart_marker_blocks": interval, "optimize": True} if interval else {}
    Image.fromarray(pixels).save(file, "JPEG", quality=92, subsampling=sampling, progressive=progressive, **options)
    return file.getvalue()


def decoded(given: list[bytes], arguments: dict[str, Any]) -> tuple[list[Array | str], list[Array | str]]:
    """Pixels of each file, or what is said of it: one by one, and in ranges."""
    batch = Batch.of([np.frombuffer(file, np.uint8) for file in given])
    context = RunContext(len(given), np.arange(len(given)), accepts=lambda *_: True)
    work = ImageCrop.plan(Args(ImageCrop.schema, arguments, {}, len(given), context=context), batch)

    def rooms() -> Batch:
        return Batch.of([np.zeros(tuple(shape), np.uint8) for shape in work.shapes.tolist()], "HWC")

    def alone(index: int, out: Batch) -> Array | str:
        try:
            ImageCrop.cpu(work, index, [batch[index]], [out[index]])
        except ArgumentError as error:
            return str(error)
        return out[index]

    first, second = rooms(), rooms()
    compute = ImageCrop.cpu_ranges(work, [batch], [second])
    assert compute is not None
    middle = len(given) // 2
    left = [*compute(middle, len(given)), *compute(0, middle)]
    apart = [alone(index, first) for index in range(len(given))]
    return apart, [alone(index, second) if index in left else second[index] for index in range(len(given))]


def check(given: list[bytes], arguments: dict[str, Any]) -> int:
    """Both are equal; returns how many files have pixels."""
    apart, together = decoded(given, arguments)
    for one, other in zip(apart, together, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)
    return sum(not isinstance(one, str) for one in apart)


@pytest.mark.parametrize("place", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("interval", [0, 3, 40])
@pytest.mark.parametrize("sampling", [0, 1, 2])
def test_parts_and_wholes(sampling: int, interval: int, place: float) -> None:
    given = [files(sampling, interval), files(sampling, 0, progressive=True)]
    for size in ((30.0, 40.0), (200.0, 260.0), (1.0, 1.0)):
        assert check(given, {"crop": size, "crop_pos_x": place, "crop_pos_y": place}) == 2
        assert check(given, {"crop": size, "crop_pos_y": place, "output_type": "GRAY"}) == 2


@pytest.mark.parametrize("sampling", [0, 2])
def test_damaged_files(sampling: int) -> None:
    random = np.random.default_rng(sampling)
    whole = files(sampling, 0 if sampling else 20)
    given = [whole, whole[: len(whole) // 2], whole[:-2], whole[:700], b"nothing", whole + bytes(90)]
    for _ in range(150):
        bytes_of = bytearray(whole)
        for at in random.integers(0, len(whole), random.integers(1, 6)):
            bytes_of[at] = int(random.integers(0, 256))
        given.append(bytes(bytes_of))
    for size in ((8.0, 260.0), (90.0, 40.0), (200.0, 260.0)):
        alike = [file for file in given if decodes_to_size(file)]
        assert check(alike, {"crop": size, "crop_pos_y": 0.0, "on_error": "placeholder"}) > 20


def decodes_to_size(file: bytes) -> bool:
    """Whether the header says what it said before, or nothing."""
    try:
        with Image.open(io.BytesIO(file)) as image:
            return image.size == (260, 200)
    except Exception:  # noqa: BLE001 - whatever Pillow says of damaged files
        return file == b"nothing"
