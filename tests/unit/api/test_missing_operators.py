"""Names that ``fn`` and ``ops`` do not have: what people paste from elsewhere."""

from __future__ import annotations

from operator import attrgetter

import pytest

import dali_studio


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("fn.file_reader", "fn.readers.file"),
        ("fn.image_decoder", "fn.decoders.image"),
        ("fn.image_decoder_random_crop", "fn.decoders.image_random_crop"),
        ("fn.uniform", "fn.random.uniform"),
        ("fn.coin_flip", "fn.random.coin_flip"),
        ("fn.contrast", "fn.brightness_contrast"),
        ("fn.normalize", "fn.crop_mirror_normalize"),
        ("fn.rotates", "fn.rotate"),
        ("fn.resise", "fn.resize"),
        ("fn.readers.fil", "fn.readers.file"),
        ("ops.FileReader", "ops.readers.File"),
        ("ops.ImageDecoder", "ops.decoders.Image"),
        ("ops.Uniform", "ops.random.Uniform"),
        ("ops.HSV", "ops.Hsv"),
    ],
)
def test_the_error_names_what_may_be_meant(given: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"no operator {given}\. Did you mean {meant}\? docs/support.md"):
        attrgetter(given)(dali_studio)
    attrgetter(meant)(dali_studio)


@pytest.mark.parametrize("given", ["fn.color_twist", "fn.noise", "fn.transforms", "fn.readers.coco", "ops.readers.COCO", "ops.ColorTwist"])
def test_the_error_guesses_nothing_where_nothing_is_near(given: str) -> None:
    with pytest.raises(AttributeError, match=rf"dali_studio has no operator {given}\. docs/support.md lists what there is\."):
        attrgetter(given)(dali_studio)


def test_modules_can_still_be_asked() -> None:
    assert not hasattr(dali_studio.fn, "color_twist")
    assert getattr(dali_studio.ops.random, "Beta", None) is None
    with pytest.raises(ImportError, match="color_twist"):
        exec("from dali_studio.fn import color_twist")
