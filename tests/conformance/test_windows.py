"""Computing only the window that a later crop keeps changes nothing: with the pass and without it, bit for bit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from images import Array, encoded, picture, pictures
from subjects import arrays, assert_same

from dali_studio import Pipeline, fn, types
from dali_studio.compiler import pipeline as compiler
from dali_studio.schema.samples import SIZES

SOURCES = {
    "decoded": lambda files, images: fn.decoders.image(files),
    "decoded grey": lambda files, images: fn.decoders.image(files, output_type=types.GRAY),
    "decoded to floats": lambda files, images: fn.decoders.image(files, dtype=types.FLOAT),
    "random window": lambda files, images: fn.decoders.image_random_crop(files, random_area=(0.6, 0.9), seed=5),
    "resized": lambda files, images: fn.resize(images, size=(50, 60)),
    "resized by nearest": lambda files, images: fn.resize(images, size=(50.5, 60.2), interp_type=types.INTERP_NN),
    "resized region": lambda files, images: fn.resize(images, size=(50, 60), roi_start=(0.9, 0.1), roi_end=(0.1, 0.8), roi_relative=True),
    "resized to floats": lambda files, images: fn.resize(images, resize_shorter=40, dtype=types.FLOAT),
    "decoded and resized": lambda files, images: fn.resize(fn.decoders.image(files), size=(50, 60)),
}  # fmt: skip
MIDDLES = {
    "nothing": lambda x: x,
    "brightness": lambda x: fn.brightness_contrast(x, brightness=1.3, contrast=fn.random.uniform(range=(0.5, 1.5), seed=3)),
    "cast": lambda x: fn.cast(x, dtype=types.FLOAT),
    "cast, brightness, cast": lambda x: fn.cast(fn.brightness_contrast(fn.cast(x, dtype=types.FLOAT), contrast=1.2), dtype=types.UINT8),
    "turned over": lambda x: fn.flip(x),
}
SINKS = {
    "crop": lambda x: fn.crop(x, crop=(17, 23), crop_pos_x=fn.random.uniform(range=(0, 1), seed=1), crop_pos_y=0.9),
    "crop to floats": lambda x: fn.crop(x, crop=(17, 23), dtype=types.FLOAT),
    "crop that pads some": lambda x: fn.crop(x, crop=(45, 20), out_of_bounds_policy="pad", fill_values=7),
    "crop that trims": lambda x: fn.crop(x, crop=(45, 99), out_of_bounds_policy="trim_to_shape"),
    "crop, mirror, normalize": lambda x: fn.crop_mirror_normalize(x, crop=(16, 21), mirror=fn.random.coin_flip(seed=2), mean=9, std=3),
    "crop twice": lambda x: fn.crop(fn.crop(x, crop=(20, 20)), crop=(7, 9), crop_pos_x=0.2),
    "whole": lambda x: fn.crop_mirror_normalize(x, mirror=1),
}


def files() -> list[Array]:
    return [encoded(picture(*size, seed=i), quality=85, subsampling=i % 3, progressive=i == 3) for i, size in enumerate(SIZES)]


def outputs(source: str, middle: str, sink: str, *, twice: bool = False) -> list[Array]:
    made = Pipeline(batch_size=len(SIZES), num_threads=2, seed=11)
    with made:
        whole = SOURCES[source](fn.external_source(source=files), fn.external_source(source=lambda: pictures(SIZES), layout="HWC"))
        changed = MIDDLES[middle](whole)
        made.set_outputs(SINKS[sink](changed), *([changed] if twice else []))
    return [sample for batch in made.run() for sample in arrays(batch)]


@pytest.mark.parametrize(("source", "middle", "sink"), list(itertools.product(SOURCES, MIDDLES, SINKS)))
def test_with_and_without_the_pass(source: str, middle: str, sink: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = outputs(source, middle, sink)
    monkeypatch.setattr(compiler, "PLAN_PASSES", ())
    assert_same(fast, outputs(source, middle, sink))


def test_a_result_that_is_returned_too_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = outputs("decoded", "brightness", "crop", twice=True)
    assert fast[len(SIZES)].shape == (*SIZES[0], 3)
    monkeypatch.setattr(compiler, "PLAN_PASSES", ())
    assert_same(fast, outputs("decoded", "brightness", "crop", twice=True))


def test_the_pass_has_work_in_these_graphs() -> None:
    made = Pipeline(batch_size=4)
    with made:
        image = SOURCES["decoded"](fn.external_source(source=files), None)
        made.set_outputs(SINKS["crop"](MIDDLES["brightness"](image)))
    assert "only the window that crop reads" in made.explain()


def test_pixels_are_those_of_the_plain_arrays() -> None:
    """The window of a decoded picture, cut by numpy."""
    plain: Any = outputs("decoded", "nothing", "whole")
    cut = outputs("decoded", "nothing", "crop to floats")
    assert len(plain) == len(cut) == len(SIZES)
    for whole, part in zip(plain, cut, strict=True):
        height, width = whole.shape[1:]
        y, x = int(0.5 * (height - 17) + 0.5), int(0.5 * (width - 23) + 0.5)
        window = whole[:, :, ::-1][:, y : y + 17, x : x + 23]
        assert np.array_equal(window.transpose(1, 2, 0), part)
