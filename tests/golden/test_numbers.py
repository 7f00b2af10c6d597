"""Numbers that must never change, one line each: draws, reading order and sizes, as nvidia.dali 2.4 gave them.

Unlike the tests in ``compat`` they need no peer, so that they hold on every platform.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import dataset, encoded, pictures
from peers import OURS, run

#: Three samples of two iterations, seed 1234.
DRAWS: list[tuple[str, list[Any]]] = [
    ("fn.random.uniform()", [[-0.18007707595825195, -0.8364726305007935, -0.6431909799575806], [-0.9605557918548584, -0.15252774953842163, -0.6980793476104736]]),
    ("fn.random.uniform(range=(-30, 30), shape=2)", [[[-5.402312278747559, -14.424839973449707], [-25.09417724609375, -10.125791549682617], [-19.29572868347168, 25.94497299194336]], [[-28.816673278808594, -2.4541640281677246], [-4.575832366943359, -9.301610946655273], [-20.942378997802734, 7.56824254989624]]]),
    ("fn.random.uniform(values=[1, 2, 4], shape=4)", [[[2.0, 1.0, 2.0, 1.0], [1.0, 1.0, 2.0, 1.0], [1.0, 4.0, 2.0, 2.0]], [[1.0, 2.0, 2.0, 2.0], [2.0, 2.0, 2.0, 2.0], [1.0, 2.0, 4.0, 2.0]]]),
    ("fn.random.uniform(range=(0, 255), dtype=types.UINT8, shape=4)", [[[105, 66, 125, 57], [21, 84, 139, 61], [45, 238, 150, 91]], [[5, 117, 150, 119], [108, 88, 111, 133], [38, 160, 195, 88]]]),
    ("fn.random.coin_flip(shape=8)", [[[1, 1, 1, 1, 1, 1, 0, 1], [1, 1, 0, 1, 1, 0, 1, 0], [1, 0, 0, 1, 0, 0, 0, 1]], [[1, 1, 0, 1, 0, 1, 1, 0], [1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 0, 1, 1, 1, 0, 1]]]),
    ("fn.random.coin_flip(probability=0.1, shape=8)", [[[0, 0, 0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1]], [[1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]]),
    ("fn.random.choice(5, shape=6)", [[[2, 1, 2, 1, 2, 0], [0, 1, 2, 1, 1, 2], [0, 4, 2, 1, 4, 2]], [[0, 2, 2, 2, 3, 2], [2, 1, 2, 2, 0, 0], [0, 3, 3, 1, 2, 1]]]),
    ("fn.random.choice(2000000000, shape=3)", [[[819922900, 519172025, 983161784], [163527395, 662473615, 1086589490], [356809012, 1864832367, 1175661035]], [[39444228, 918194559, 1180007058], [847472254, 689946298, 364253737], [301920683, 1252274724, 1529704507]]]),
    ("fn.random.choice([2, 3, 5], p=[0.7, 0.2, 0.1], shape=8)", [[[3, 2, 3, 2, 2, 5, 2, 2], [2, 2, 2, 3, 3, 3, 2, 2], [5, 3, 2, 2, 2, 2, 3, 2]], [[2, 2, 2, 2, 2, 5, 2, 2], [5, 2, 2, 2, 2, 2, 2, 2], [2, 3, 3, 5, 2, 2, 2, 2]]]),
    ("fn.random.choice(np.array([[1, 2], [3, 4]], np.int32), shape=3)", [[[[1, 2], [3, 4], [1, 2]], [[1, 2], [1, 2], [1, 2]], [[1, 2], [3, 4], [3, 4]]], [[[1, 2], [1, 2], [3, 4]], [[1, 2], [3, 4], [3, 4]], [[1, 2], [1, 2], [3, 4]]]]),
    ("fn.random.normal(dtype=types.INT16, stddev=100, shape=6)", [[[61, -121, 3, -165, -54, 255], [181, 145, -110, 134, 18, -3], [177, 18, -49, -1, -37, 38]], [[-109, -124, -50, -86, 59, 114], [119, -69, 53, -21, 232, 165], [-159, 62, 5, 144, -55, -149]]]),
    ("fn.readers.file(file_root=root, random_shuffle=True, initial_fill=4)[1]", [[[0], [1], [2]], [[1], [2], [2]]]),
    ("fn.readers.file(file_root=root, num_shards=5, shard_id=1)[1]", [[[0], [0], [1]], [[1], [1], [1]]]),
    ("fn.readers.file(file_root=root, shuffle_after_epoch=True)[1]", [[[2], [1], [0]], [[1], [1], [0]]]),
]  # fmt: skip
#: Shapes for pictures of 333x500, 101x100 and 480x640 pixels.
SHAPES: list[tuple[str, list[list[int]]]] = [
    ("fn.resize(x, size=(20.5, 30.4))", [[21, 30, 3], [21, 30, 3], [21, 30, 3]]),
    ("fn.resize(x, resize_shorter=256)", [[256, 384, 3], [259, 256, 3], [256, 341, 3]]),
    ("fn.resize(x, resize_longer=256)", [[170, 256, 3], [256, 253, 3], [192, 256, 3]]),
    ("fn.resize(x, resize_x=224)", [[149, 224, 3], [226, 224, 3], [168, 224, 3]]),
    ('fn.resize(x, size=[100, 200], mode="not_larger")', [[100, 150, 3], [100, 99, 3], [100, 133, 3]]),
    ('fn.resize(x, size=[100, 200], mode="not_smaller")', [[133, 200, 3], [202, 200, 3], [150, 200, 3]]),
    ("fn.resize(x, resize_shorter=256, max_size=300)", [[200, 300, 3], [259, 256, 3], [225, 300, 3]]),
    ("fn.rotate(x, angle=10)", [[415, 552, 3], [117, 118, 3], [584, 714, 3]]),
    ("fn.rotate(x, angle=45)", [[590, 591, 3], [144, 143, 3], [792, 792, 3]]),
    ("fn.rotate(x, angle=75)", [[570, 453, 3], [124, 125, 3], [744, 630, 3]]),
    ("fn.rotate(x, angle=90)", [[500, 333, 3], [100, 101, 3], [640, 480, 3]]),
    ("fn.crop(x, crop=(100.9, 50))", [[100, 50, 3], [100, 50, 3], [100, 50, 3]]),
    ("fn.crop_mirror_normalize(x, pad_output=True)", [[4, 333, 500], [4, 101, 100], [4, 480, 640]]),
    ("fn.decoders.image_random_crop(f, seed=7)", [[243, 247, 3], [72, 64, 3], [468, 529, 3]]),
]  # fmt: skip


@pytest.mark.parametrize(("program", "expected"), DRAWS, ids=[program for program, _ in DRAWS])
def test_draws(program: str, expected: list[Any], tmp_path: Path) -> None:
    root = dataset(tmp_path / "files")
    made = [[sample.tolist() for sample in outputs[0].samples] for outputs in run(OURS, program, None, 2, {"root": str(root)})]
    assert made == expected


@pytest.mark.parametrize(("program", "expected"), SHAPES, ids=[program for program, _ in SHAPES])
def test_shapes(program: str, expected: list[list[int]]) -> None:
    images = pictures([(333, 500), (101, 100), (480, 640)])
    data: dict[str, Any] = {"x": images} if "(x" in program else {"f": [encoded(image) for image in images]}
    assert [list(np.shape(sample)) for sample in run(OURS, program, data)[0][0].samples] == expected
