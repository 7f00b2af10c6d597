"""Kernels of a GPU against the CPU's where the cases of the operators do not reach: filters, sizes, special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from gpu_programs import both
from images import ODD_SIZES, pictures

from dali_studio import fn

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("interp", ["NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "float32"])
@pytest.mark.parametrize("antialias", [True, False])
def test_filters(interp: str, dtype: str, antialias: bool) -> None:
    for channels in (1, 3, 4, 5):
        batch = pictures(((57, 43), (200, 301), (7, 400), *ODD_SIZES), channels=channels, dtype=np.dtype(dtype))
        for size in ((24.0, 31.0), (100.0, 257.0), (1.0, 1.0)):
            results, references = both(
                lambda images, size=size: fn.resize(
                    images, size=size, interp_type=f"INTERP_{interp}", antialias=antialias
                ),
                batch,
            )
            for result, reference in zip(results, references, strict=True):
                declared("resize", "gpu").check(result, reference, f"{interp} {dtype} {size} {channels}")


def test_shrinking_far_takes_the_direct_kernel() -> None:
    batch = pictures(((40, 6000), (300, 5000), (2, 20000)))
    for size in ((5.0, 3.0), (1.0, 1.0)):
        results, references = both(
            lambda images, size=size: fn.resize(images, size=size, interp_type="INTERP_LANCZOS3"), batch
        )
        for result, reference in zip(results, references, strict=True):
            declared("resize", "gpu").check(result, reference)


def test_flipped_region_of_interest() -> None:
    batch = pictures(((57, 43), (200, 301)))
    results, references = both(
        lambda images: fn.resize(
            images, size=(30.0, 40.0), roi_start=(0.9, 0.8), roi_end=(0.1, 0.05), roi_relative=True
        ),
        batch,
    )
    for result, reference in zip(results, references, strict=True):
        declared("resize", "gpu").check(result, reference)


@pytest.mark.parametrize("channels", [1, 2, 4, 6])
def test_other_channel_counts(channels: int) -> None:
    batch = pictures(((57, 43), (31, 64)), channels=channels)
    programs = (
        lambda images: fn.crop_mirror_normalize(
            images, crop=(20.0, 21.0), mirror=1, mean=(3.0,), std=(2.0,), pad_output=True
        ),
        lambda images: fn.crop(images, crop=(80.0, 30.0), out_of_bounds_policy="pad", fill_values=(9.0,)),
        lambda images: fn.flip(images, vertical=1),
        lambda images: fn.brightness_contrast(images, brightness=1.3),
    )
    for program in programs:
        results, references = both(program, batch)
        for result, reference in zip(results, references, strict=True):
            declared("crop_mirror_normalize", "gpu").check(result, reference)
    results, references = both(lambda images: fn.rotate(images, angle=33.0, fill_value=5.0), batch)
    for result, reference in zip(results, references, strict=True):
        declared("rotate", "gpu").check(result, reference)


SPACES = {"RGB": 3, "BGR": 3, "GRAY": 1, "YCbCr": 3}


@pytest.mark.parametrize("source", SPACES)
@pytest.mark.parametrize("target", SPACES)
def test_colours_of_large_pictures(source: str, target: str) -> None:
    """Whole warps, which exchange what they load and store, and what is left."""
    sizes = ((57, 43), (200, 301), (16, 32), (1, 511), (1, 513))
    batch = pictures(sizes, channels=SPACES[source])
    if source == target:  # another operator of whole pixels
        define: Any = lambda images: fn.hsv(images, hue=120.0, saturation=1.7)  # noqa: E731
        batch = pictures(sizes)
    else:
        kinds = {"image_type": f"{source}", "output_type": f"{target}"}
        define = lambda images: fn.color_space_conversion(images, **kinds)  # noqa: E731
    for result, reference in zip(*both(define, batch), strict=True):
        assert np.array_equal(result, reference)


@pytest.mark.parametrize("interp", ["NN", "LINEAR"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("channels", [1, 2])
def test_volumes_of_several_tiles(interp: str, dtype: str, channels: int) -> None:
    shapes = ((9, 21, 45), (4, 8, 32), (1, 1, 1), (5, 33, 7))
    batch = [
        np.random.default_rng(n).uniform(0, 255, (*shape, channels)).astype(dtype) for n, shape in enumerate(shapes)
    ]
    for more in ({}, {"fill_value": 9.0}, {"keep_size": True, "fill_value": 9.0}):
        turn = {"angle": 30.0, "axis": (1.0, 2.0, -1.0), "interp_type": f"INTERP_{interp}", **more}
        made = both(lambda volumes, turn=turn: fn.rotate(volumes, **turn), batch, "DHWC")
        for result, reference in zip(*made, strict=True):
            declared("rotate", "gpu", **turn).check(result, reference, f"{more}")


SPECIAL = np.array(
    [
        np.nan,
        np.inf,
        -np.inf,
        0.5,
        1.5,
        -0.5,
        -1.5,
        2.5,
        0.49999997,
        -0.49999997,
        1e30,
        -1e30,
        255.5,
        65535.5,
        2**31,
        3e9,
    ],
    np.float32,
)


@pytest.mark.parametrize(
    "target", ["UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT16", "FLOAT64", "BOOL"]
)
@pytest.mark.parametrize("source", ["float32", "float64", "float16"])
def test_casts_of_special_values(source: str, target: str) -> None:
    with np.errstate(over="ignore"):
        batch = [SPECIAL.astype(source), np.arange(-70, 70, dtype=np.float32).astype(source) / 4]
    batch = [item.reshape(1, -1, 1) for item in batch]
    results, references = both(lambda images: fn.cast(images, dtype=_type(target)), batch)
    for result, reference in zip(results, references, strict=True):
        assert np.array_equal(result, reference, equal_nan=result.dtype.kind == "f"), (
            source,
            target,
            result,
            reference,
        )


def _type(name: str) -> Any:
    from dali_studio import types

    return getattr(types, name)
