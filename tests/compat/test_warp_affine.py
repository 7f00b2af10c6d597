"""``fn.warp_affine`` against nvidia.dali: matrices as argument and as input, directions, canvas, fill, types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from images import ODD_SIZES, TINY_SIZES, pictures
from peers import check, check_refused, refused

pytestmark = pytest.mark.usefixtures("nvidia")

MATRICES = {
    "unchanged": (1, 0, 0, 0, 1, 0),
    "shifted": (1, 0, 3.25, 0, 1, -7.5),
    "smaller": (2.5, 0, 0, 0, 1.75, 0),
    "larger": (0.3, 0, 2, 0, 0.4, 3),
    "sheared": (1, 0.4, -8, -0.2, 1, 5),
    "turned": (0.866, -0.5, 12, 0.5, 0.866, -9),
    "mirrored": (-1, 0, 43, 0, 1, 0),
    "quarter turn": (0, 1, 0, -1, 0, 57),
    "far away": (1, 0, 1e4, 0, 1, -1e5),
}

ARGUMENTS = """
fill_value=0
fill_value=128.0, inverse_map=False
inverse_map=False
size=(30, 50)
size=(30.5, 51.4), fill_value=10
size=(0.4, 5)
fill_value=0.0, dtype=types.FLOAT
fill_value=300.7
fill_value=-5
fill_value=12.6, dtype=types.FLOAT
""".strip().splitlines()


@pytest.mark.parametrize("matrix", MATRICES)
def test_matrices(matrix: str) -> None:
    check(
        f"fn.warp_affine(x, matrix={MATRICES[matrix]}, fill_value=0), fn.warp_affine(x, matrix={MATRICES[matrix]}), "
        f"fn.warp_affine(x, matrix={MATRICES[matrix]}, dtype=types.FLOAT)",
        {"x": pictures([*ODD_SIZES, (57, 43), (200, 301)])}, declared("warp_affine"),
    )  # fmt: skip


@pytest.mark.parametrize("matrix", ["sheared", "larger", "turned"])
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments(arguments: str, matrix: str) -> None:
    data = {"x": pictures([(57, 43), (40, 61), (200, 301)])}
    check(f"fn.warp_affine(x, matrix={MATRICES[matrix]}, {arguments})", data, declared("warp_affine"))


@pytest.mark.parametrize("matrix", MATRICES)
def test_nearest(matrix: str) -> None:
    check(
        f"fn.warp_affine(x, matrix={MATRICES[matrix]}, interp_type=types.INTERP_NN, fill_value=7)",
        {"x": pictures([(57, 43), (200, 301)])},
        declared("warp_affine", interp_type="INTERP_NN"),
    )


def test_tiny_pictures() -> None:
    check(
        "fn.warp_affine(x, matrix=(0.8, 0.3, 0.2, -0.1, 1.4, 0), fill_value=9), "
        "fn.warp_affine(x, matrix=(0.8, 0.3, 0.2, -0.1, 1.4, 0), dtype=types.FLOAT)",
        {"x": pictures(TINY_SIZES)}, declared("warp_affine"),
    )  # fmt: skip


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32])
def test_types_and_channels(dtype: Any, channels: int) -> None:
    data = {"x": pictures([(41, 53), (5, 3)], channels, dtype)}
    matrix = MATRICES["turned"]
    check(
        f"fn.warp_affine(x, matrix={matrix}, fill_value=3), fn.warp_affine(x, matrix={matrix}, dtype=types.FLOAT)",
        data,
        declared("warp_affine"),
    )


def test_arguments_by_sample() -> None:
    rows = [np.array(MATRICES[name], np.float32).reshape(2, 3) for name in ("turned", "smaller", "sheared")]
    sizes = [np.array(v, np.float32) for v in ((20, 30), (45.9, 7.2), (64, 64))]
    data = {"x": pictures([(57, 43), (40, 61), (23, 35)]), "m": rows, "s": sizes}
    check(
        "fn.warp_affine(x, m), fn.warp_affine(x, matrix=m, fill_value=0), fn.warp_affine(x, m, inverse_map=False), "
        "fn.warp_affine(x, matrix=m, inverse_map=False), fn.warp_affine(x, m, size=s, fill_value=2)",
        data, declared("warp_affine"), iterations=2,
    )  # fmt: skip


@pytest.mark.parametrize(
    "program",
    [
        "fn.warp_affine(x, np.array([[1, 0.2, 3], [0, 1.1, 2]], np.float32))",
        "fn.warp_affine(x, matrix=np.array([[1, 0.2, 3], [0, 1.1, 2]]))",
        "fn.warp_affine(x, types.Constant(np.array([[1, 0.2, 3], [0, 1.1, 2]], np.float32)))",
        "fn.warp_affine(x, matrix=types.Constant(np.array([[1, 0.2, 3], [0, 1.1, 2]], np.float32)), size=[9, 8])",
    ],
)
def test_matrices_as_arrays(program: str) -> None:
    check(program, {"x": pictures([(41, 53), (30, 61)])}, declared("warp_affine"))


@pytest.mark.parametrize(
    "program",
    [
        "fn.warp_affine(x)",
        "fn.warp_affine(x, matrix=(1, 0, 0, 0, 1))",
        "fn.warp_affine(x, matrix=(1, 0, 0, 0, 1, 0, 0, 0, 1))",
        "fn.warp_affine(x, matrix=1)",
        "fn.warp_affine(x, matrix=[[1, 0, 0], [0, 1, 0]])",
        "fn.warp_affine(x, d)",
        "fn.warp_affine(x, f)",
        "fn.warp_affine(x, matrix=f)",
        "fn.warp_affine(x, t)",
        "fn.warp_affine(x, m, m)",
        "fn.warp_affine(x, m, inverse_map=False, fill_value=u)",
        "fn.warp_affine(x, flat, inverse_map=False)",
        "fn.warp_affine(x, matrix=flat, inverse_map=False)",
        "fn.warp_affine(x, matrix=(1, 0, 0, 1, 0, 0), inverse_map=False)",
        "fn.warp_affine(x, m, interp_type=types.INTERP_CUBIC)",
        "fn.warp_affine(x, m, dtype=types.INT8)",
        "fn.warp_affine(x, m, size=10)",
        "fn.warp_affine(x, m, size=(10, 11, 12))",
        "fn.warp_affine(x, m, size=(0, 11))",
        "fn.warp_affine(x, m, size=(-4, 11))",
        "fn.warp_affine(x, m, size=n)",
        "fn.rotate(x, angle=3, size=(0, 11))",
        "fn.rotate(x, angle=3, size=n)",
    ],
)
def test_refused_by_both(program: str) -> None:
    matrix = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
    data = {
        "x": pictures([(41, 53), (30, 61)]), "m": [matrix] * 2, "d": [matrix.astype(np.float64)] * 2,
        "f": [matrix.reshape(6)] * 2, "t": [matrix.reshape(3, 2)] * 2, "u": [np.float32(3)] * 2,
        "flat": [np.array([[1, 0, 3], [1, 0, 2]], np.float32)] * 2, "n": [np.array([-3, 5], np.float32)] * 2,
    }  # fmt: skip
    check_refused(program, data)


@pytest.mark.parametrize(
    ("program", "codes"),
    [
        ("fn.warp_affine(x, m, matrix=(1, 0, 0, 0, 1, 0))", "DS105"),
        ("fn.warp_affine(x, matrix=(float('nan'), 0, 0, 0, 1, 0))", "DS105"),
    ],
)
def test_senseless_arguments_that_only_ours_refuses(program: str, codes: str) -> None:
    data = {"x": pictures([(41, 53)]), "m": [np.eye(2, 3, dtype=np.float32)]}
    refused(program, data, codes)


def test_matrices_that_are_refused_name_their_sample() -> None:
    good, bad = np.eye(2, 3, dtype=np.float32), np.full((2, 3), np.inf, np.float32)
    for use in ("m", "matrix=m"):
        text = refused(f"fn.warp_affine(x, {use})", {"x": pictures([(9, 9)] * 3), "m": [good, good, bad]}, "DS105")
        assert "sample 2" in text and "is not finite" in text


@pytest.mark.parametrize("dtype", ["UINT8", "INT16", "INT32", "FLOAT"])
@pytest.mark.parametrize("interp", ["NN", "LINEAR"])
def test_volumes_of_floats_become_integers(dtype: str, interp: str) -> None:
    volumes = [np.random.default_rng(n).uniform(-50, 400, (4, 9 + n, 12, 2)).astype(np.float32) for n in range(3)]
    words = f"dtype=types.{dtype}, interp_type=types.INTERP_{interp}"
    check(
        f"fn.rotate(x, angle=33.0, axis=(1.0, 2.0, 0.5), fill_value=77.5, {words}), "
        f"fn.warp_affine(x, matrix=(1, 0.1, 0, -2, 0, 0.9, 0.2, 1, 0.1, 0, 1, 0), {words})",
        {"x": (volumes, "DHWC")}, declared("warp_affine", interp_type=f"INTERP_{interp}"),
    )  # fmt: skip


def _places(*shape: int) -> list[Any]:
    """A picture or volume whose pixels say where they are."""
    return [np.stack(np.meshgrid(*(np.arange(extent, dtype=np.int16) for extent in shape), indexing="ij"), axis=-1)]


@pytest.mark.parametrize("call", [
    "warp_affine(x, matrix=(1.539, 0.348, 3.885, -0.294, 1.582, -6.107)",
    "warp_affine(x, matrix=(0.5, 0.348, 3.885, -0.294, 0.7, 6.107), inverse_map=False",
    "rotate(x, angle=65.12041454696134",
])  # fmt: skip
def test_places_of_12_megapixels_to_the_last_bit(call: str) -> None:
    check(f"fn.{call}, fill_value=-1, interp_type=types.INTERP_NN)", {"x": _places(2999, 4001)})


def test_places_of_volumes_to_the_last_bit() -> None:
    matrix = (1.039, 0.348, 0.33, -63.885, -0.0294, 1.082, 0.217, 6.107, 0.0031, 0.0113, 0.93, 1.17)
    program = f"fn.warp_affine(x, matrix={matrix}, fill_value=-1, interp_type=types.INTERP_NN)"
    check(program, {"x": (_places(30, 300, 1500), "DHWC")})


@pytest.mark.parametrize("interp", ["NN", "LINEAR"])
def test_inverses_of_volumes_to_the_last_bit(interp: str) -> None:
    """A matrix whose last bit differs moves some of these voxels."""
    random = np.random.default_rng(3)
    moves = [np.hstack([np.eye(3) + random.normal(0, 0.7, (3, 3)), random.normal(0, 4, (3, 1))]) for _ in range(100)]
    matrices = [move.astype(np.float32) for move in moves]
    volumes = [random.integers(0, 256, (9, 11, 13, 2), np.uint8) for _ in matrices]
    program = f"fn.warp_affine(x, matrix=m, inverse_map=False, fill_value=0, interp_type=types.INTERP_{interp})"
    check(program, {"x": (volumes, "DHWC"), "m": matrices})


@pytest.mark.parametrize(("dtype", "layout"), [(np.uint8, "HWC"), (np.int16, "HWC"), (np.int32, "HWC"), (np.int32, "DHWC")])
@pytest.mark.parametrize("fill", [-2, 77.5, 300.7])
def test_nearest_takes_values_and_fill_as_they_are(dtype: Any, layout: str, fill: float) -> None:
    largest = np.iinfo(dtype).max
    image = np.array([largest, largest - 1, largest // 3, 1], dtype).reshape(2, 2, 1)
    matrix = (1, 0, 1.2, 0, 1, 0) if layout == "HWC" else (1, 0, 0, 1.2, 0, 1, 0, 0, 0, 0, 1, 0)
    arguments = f"matrix={matrix}, fill_value={fill}, interp_type=types.INTERP_NN"
    data: Any = {"x": ([image if layout == "HWC" else image[None]], layout)}
    check(f"fn.warp_affine(x, {arguments}), fn.warp_affine(x, {arguments}, dtype=types.FLOAT)", data)


@pytest.mark.parametrize("call", ["warp_affine(x, matrix=(1, 0, 0, 0, 1, 0)", "rotate(x, angle=10"])
def test_pictures_without_a_pixel_give_the_fill_value(call: str) -> None:
    data = {"x": [np.zeros((0, 0, 3), np.uint8), *pictures([(9, 7)])]}
    check(f"fn.{call}, fill_value=7), fn.{call}, fill_value=7, size=(3, 4))", data, declared("warp_affine"))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.float32])
def test_canvas_of_wired_numbers(dtype: Any) -> None:
    data = {"x": pictures([(57, 43), (40, 61)]), "size": [np.array([12, 30], dtype), np.array([9, 7], dtype)]}
    check(
        f"fn.warp_affine(x, matrix={MATRICES['turned']}, size=size, fill_value=0), fn.rotate(x, angle=20.0, size=size)",
        data, declared("warp_affine"),
    )  # fmt: skip


def test_several_crops_of_an_image() -> None:
    """One matrix for each frame makes frames of an image; sizes are drawn as integers."""
    program = """
    shape = x.shape(dtype=types.INT32)
    width = fn.random.uniform(range=fn.stack(shape[1] / 4, shape[1] / 2), dtype=types.INT32)
    height = fn.random.uniform(range=fn.stack(shape[0] / 4, shape[0] / 2), dtype=types.INT32)
    count = fn.expand_dims(fn.random.uniform(range=(1, 5), dtype=types.INT32), axes=[0])
    left = fn.random.uniform(shape=count, range=fn.cast(fn.stack(0, shape[1] - width), dtype=types.FLOAT), dtype=types.INT32)
    top = fn.random.uniform(shape=count, range=fn.cast(fn.stack(0, shape[0] - height), dtype=types.FLOAT), dtype=types.INT32)
    start = fn.stack(left, top, axis=1) + 0.0
    size = fn.expand_dims(fn.stack(width, height), axes=[0]) + 0.0
    matrix = fn.transforms.crop(
        from_start=fn.per_frame(start), from_end=fn.per_frame(start + size), to_start=0.0, to_end=fn.per_frame(size)
    )
    return fn.warp_affine(x, matrix, size=fn.stack(height, width), interp_type=types.INTERP_NN, inverse_map=False)
    """
    check(program, {"x": pictures([(57, 43), (40, 61)])}, declared("warp_affine", interp_type="INTERP_NN"), iterations=3)
