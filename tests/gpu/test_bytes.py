"""RGB bytes have kernels of their own, which give the same numbers as those of other types, pixel by pixel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gpu_programs import run
from images import TINY_SIZES, pictures

from dali_studio import fn, types

pytestmark = pytest.mark.gpu

#: Ragged, and dense with rows and pictures that begin at any address.
BATCHES = {
    "ragged": ((57, 43), (131, 301), (64, 64), (33, 130), *TINY_SIZES),
    "dense, odd": ((67, 131),) * 5,
    "dense, in fours": ((64, 260),) * 3,
    "narrow": ((300, 3), (200, 2), (400, 5), (7, 127), (9, 129)),
}
SHEAR = (0.7, 0.4, -9.5, -0.6, 1.3, 20.25)


def _normalized(images: Any, **options: Any) -> Any:
    return fn.crop_mirror_normalize(
        images, crop=(40.0, 61.0), out_of_bounds_policy="pad", fill_values=(7.0,), mean=(10.0, 120.0, 3.5), std=(5.0, 7.0, 9.0),
        **options,
    )  # fmt: skip


CHAINS: dict[str, Callable[[Any], Any]] = {
    "flip": lambda x: fn.flip(x, horizontal=1, vertical=0),
    "flip down": lambda x: fn.flip(x, horizontal=0, vertical=1),
    "flip both": lambda x: fn.flip(x, horizontal=1, vertical=1),
    "crop": lambda x: fn.crop(x, crop=(50.0, 90.0), crop_pos_x=0.3, out_of_bounds_policy="pad", fill_values=(9.0,)),
    "windows": lambda x: fn.crop(
        fn.flip(fn.crop(x, crop=(70.0, 75.0), out_of_bounds_policy="pad"), horizontal=1), crop=(41.0, 37.0)
    ),
    "normalize": _normalized,
    "normalize, mirrored": lambda x: _normalized(x, mirror=1, output_layout="HWC"),
    "normalize to halves": lambda x: _normalized(x, dtype=types.FLOAT16),
    "normalize to bytes": lambda x: _normalized(x, dtype=types.UINT8, mirror=1),
    "normalize, padded": lambda x: _normalized(x, pad_output=True),
    **{
        f"rotate {angle} {fill}": lambda x, a=angle, f=fill: fn.rotate(x, angle=float(a), fill_value=f, keep_size=a == 27)
        for angle in (0, 10, 27, 45, 90, -135) for fill in (None, 0.0, 77.0, 12.7)
    },
    "warp": lambda x: fn.warp_affine(x, matrix=SHEAR, fill_value=3.0),
    "warp, enlarged": lambda x: fn.warp_affine(x, matrix=(0.1, 0.02, 3.0, -0.01, 0.12, 4.0), size=(200.0, 333.0), fill_value=0.0),
    "warp, far shrunk": lambda x: fn.warp_affine(x, matrix=(5.0, 0.0, 0.0, 0.0, 4.0, 0.0), size=(70.0, 70.0)),
    "warp, far outside": lambda x: fn.warp_affine(x, matrix=(1.0, 0.0, 9e5, 0.0, 1.0, -3e7), fill_value=200.0),
    "warp to floats": lambda x: fn.rotate(x, angle=20.0, dtype=types.FLOAT, fill_value=0.5),
    "warp and windows": lambda x: _normalized(fn.rotate(x, angle=-33.0, fill_value=4.0, size=(60.0, 140.0)), mirror=1),
    "resize": lambda x: fn.resize(x, size=(40.0, 57.0)),
    "resize, larger": lambda x: fn.resize(x, size=(140.0, 357.0)),
    "resize, wide filter": lambda x: fn.resize(x, size=(30.0, 70.0), interp_type=types.INTERP_LANCZOS3),
    "resize and windows": lambda x: _normalized(fn.resize(x, size=(70.0, 90.0), antialias=False), mirror=1),
}  # fmt: skip


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("chain", CHAINS)
def test_bytes_are_as_other_numbers(chain: str, batch: str) -> None:
    images = pictures(BATCHES[batch])
    define = CHAINS[chain]
    made = run(define, images, "HWC", on_gpu=True)[0].as_cpu()
    wide = run(define, [image.astype(np.int16) for image in images], "HWC", on_gpu=True)[0].as_cpu()
    assert len(made) == len(images)
    for index in range(len(images)):
        assert made.at(index).shape == wide.at(index).shape
        assert np.array_equal(made.at(index), wide.at(index)), (index, images[index].shape)
