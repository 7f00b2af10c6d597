"""``fn.resize`` against nvidia.dali: sizes, regions, filters, element types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import Comparison, declared
from images import ODD_SIZES, TINY_SIZES, Array, pictures
from peers import check, check_refused

from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")
SMALL = Tolerance(1, relative=4e-6, reason="in pictures of a few pixels most values may be ties")
FAR = Tolerance(1, relative=2e-5, reason="reductions by thousands: float32 sums of 8192 products, in another order")

SIZES = """
size=(20, 30)
size=(64, 90)
size=20
size=(20.5, 30.5)
size=(20.4, 0)
size=(0, 33)
size=(0, 0)
size=(-20, 30)
size=(-20.5, -30.2)
size=(20, 30), mode="stretch"
size=(0, 30), mode="stretch"
size=(20, 30), mode="not_larger"
size=(20, 30), mode="not_smaller"
size=(0, 30), mode="not_larger"
size=(-20, 30), mode="not_smaller"
size=(60, 90), mode="not_smaller", max_size=(50, 70)
size=(60, 90), mode="not_larger", max_size=50
size=(60, 90), max_size=(50, 70)
size=(0, 90), max_size=(50, 70)
resize_x=33
resize_y=33
resize_x=33, resize_y=21
resize_x=33, mode="stretch"
resize_x=33, mode="not_larger"
resize_x=33, resize_y=21, mode="not_smaller"
resize_x=-33, resize_y=21
resize_x=-33
resize_x=30.7, max_size=25
resize_x=30.7, resize_y=0
resize_shorter=20
resize_shorter=64
resize_shorter=20.6
resize_shorter=-20
resize_shorter=40, max_size=50
resize_shorter=40, max_size=(45, 50)
resize_longer=20
resize_longer=70.3
resize_longer=-20
resize_longer=70, max_size=50
size=(20.5, 30.5), subpixel_scale=False
resize_shorter=20.6, subpixel_scale=False
resize_x=30.3, subpixel_scale=False
resize_y=0.029
resize_shorter=0.0594
resize_longer=1e-45
size=(0.05, -0.02)
size=(1e-8, 7), mode="stretch"
""".strip().splitlines()

REGIONS = """
size=(20, 30), roi_start=(1, 2), roi_end=(3, 5)
size=(20, 30), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True
size=(20, 30), roi_start=(0.9, 0.2), roi_end=(0.1, 0.7), roi_relative=True
size=(20, 30), roi_start=(0.9, 0.7), roi_end=(0.1, 0.2), roi_relative=True, interp_type=types.INTERP_NN
size=(20, 0), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True
size=(0, 30), roi_start=(0.2, 0.0), roi_end=(0.7, 0.9), roi_relative=True
size=(-20, 30), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True
size=(20, 30), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True, mode="not_larger"
size=(20, 30), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True, mode="not_smaller"
size=(20.5, 30.2), roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True
resize_shorter=24, roi_start=(0.1, 0.2), roi_end=(0.9, 0.7), roi_relative=True
resize_longer=24, roi_start=(0.3, 0.2), roi_end=(0.9, 0.7), roi_relative=True, antialias=False
size=(20, 30), roi_start=(-0.3, -0.2), roi_end=(1.4, 1.7), roi_relative=True
size=(20, 30), roi_start=(-2, -3), roi_end=(70, 80)
size=(20, 30), roi_start=(0, 0), roi_end=(1, 1), roi_relative=True
resize_shorter=24, roi_start=0.2, roi_end=0.8, roi_relative=True
size=(20, 0), roi_start=(0.9, 0.7), roi_end=(0.1, 0.2), roi_relative=True
resize_x=30, roi_start=(0.9, 0.7), roi_end=(0.1, 0.2), roi_relative=True
resize_y=-20, roi_start=(0.1, 0.7), roi_end=(0.9, 0.2), roi_relative=True, mode="stretch"
size=(20, 0), roi_start=(0.9, 0.7), roi_end=(0.1, 0.2), roi_relative=True, mode="not_smaller"
size=(0, 0), roi_start=(0.9, 0.7), roi_end=(0.1, 0.2), roi_relative=True, mode="not_larger"
""".strip().splitlines()

FILTERS = """
interp_type=types.INTERP_NN
interp_type=types.INTERP_NN, antialias=False
interp_type=types.INTERP_LINEAR, antialias=False
interp_type=types.INTERP_TRIANGULAR
interp_type=types.INTERP_TRIANGULAR, antialias=False
interp_type=types.INTERP_CUBIC
interp_type=types.INTERP_CUBIC, antialias=False
interp_type=types.INTERP_LANCZOS3
interp_type=types.INTERP_LANCZOS3, antialias=False
interp_type=types.INTERP_GAUSSIAN
interp_type=types.INTERP_GAUSSIAN, antialias=False
min_filter=types.INTERP_NN
mag_filter=types.INTERP_NN
min_filter=types.INTERP_NN, mag_filter=types.INTERP_NN
min_filter=types.INTERP_LINEAR, mag_filter=types.INTERP_NN
min_filter=types.INTERP_NN, mag_filter=types.INTERP_LINEAR
min_filter=types.INTERP_CUBIC, mag_filter=types.INTERP_NN, antialias=False
interp_type=types.INTERP_NN, min_filter=types.INTERP_LINEAR
interp_type=types.INTERP_NN, mag_filter=types.INTERP_LINEAR
""".strip().splitlines()


def both_types(arguments: str, batch: list[Array], tolerance: Comparison = SMALL) -> None:
    """FLOAT output shows every bit of the arithmetic; uint8 may differ by one level where the value is a tie."""
    program = f"fn.resize(x, {arguments}), fn.resize(x, {arguments}, dtype=types.FLOAT)"
    check(program, {"x": batch}, tolerance)


@pytest.mark.parametrize("arguments", SIZES)
def test_sizes(arguments: str) -> None:
    both_types(arguments, pictures([*ODD_SIZES, (90, 31)]))


@pytest.mark.parametrize("arguments", REGIONS)
def test_regions(arguments: str) -> None:
    both_types(arguments, pictures([(57, 43), (200, 301), (7, 9)]))


@pytest.mark.parametrize("size", ["(20, 30)", "(70, 30)", "(21, 91)", "(77, 64)"])
@pytest.mark.parametrize("arguments", FILTERS)
def test_filters(arguments: str, size: str) -> None:
    batch = pictures([(41, 53), (57, 43), (30, 200)])
    if arguments.startswith("interp_type=types.INTERP_NN") and "filter" not in arguments:
        check(f"fn.resize(x, size={size}, {arguments})", {"x": batch}, declared("resize", interp_type="INTERP_NN"))
    else:
        both_types(f"size={size}, {arguments}", batch)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float32])
def test_types_layouts_channels(dtype: Any, planar: bool, channels: int) -> None:
    batch = pictures([(41, 53), (30, 61), (5, 3)], channels, dtype, planar)
    data = {"x": (batch, "CHW" if planar else "HWC")}
    check("fn.resize(x, size=(24, 71)), fn.resize(x, size=(24, 71), dtype=types.FLOAT), "
          "fn.resize(x, size=(24, 71), interp_type=types.INTERP_NN)", data, SMALL)  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    ["size=(5, 4)", "size=(1, 1)", "resize_shorter=3", "size=(3, 0)", "resize_longer=9, interp_type=types.INTERP_NN"],
)
def test_tiny_pictures(arguments: str) -> None:
    both_types(arguments, pictures(TINY_SIZES))


def slopes(*sizes: tuple[int, int]) -> list[Array]:
    """Pictures that brighten faster and faster: another part of them has another average."""
    made: list[Array] = []
    for height, width in sizes:
        y, x, c = np.ix_(np.linspace(0, 1, height), np.linspace(0, 1, width), np.arange(3))
        noise = np.random.default_rng([height, width]).uniform(0, 40, (height, width, 3))
        made.append((noise + 100 * (x**3 + y**3) + 5 * c).astype(np.uint8))
    return made


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("kind", ["NN", "LINEAR", "CUBIC", "LANCZOS3", "GAUSSIAN"])
@pytest.mark.parametrize(
    "arguments",
    [
        "size=(1, 1)",
        "size=(2, 3)",
        "size=(1, 40)",
        "size=(2, 2), roi_start=(0.1, 0.2), roi_end=(0.9, 0.95), roi_relative=True",
        "size=(1, 3), roi_start=(1, 1), roi_end=(0, 0), roi_relative=True",
    ],
)
def test_very_large_reductions(arguments: str, kind: str, antialias: bool) -> None:
    batch = slopes((1, 65535), (30001, 2), (4097, 3), (4, 8191))
    both_types(f"{arguments}, interp_type=types.INTERP_{kind}, antialias={antialias}", batch, FAR)


@pytest.mark.parametrize("kind", ["NN", "LINEAR", "CUBIC", "LANCZOS3", "GAUSSIAN"])
@pytest.mark.parametrize("size", ["(3, 40000)", "(30001, 1)"])
def test_very_large_enlargements(size: str, kind: str) -> None:
    both_types(f"size={size}, interp_type=types.INTERP_{kind}", slopes((1, 2), (4, 1), (3, 5)))


def rows(*values: Any, dtype: Any = np.float32) -> list[Array]:
    """One value per sample."""
    return [np.array(value, dtype) for value in values]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ("size=a", rows((20, 30), (64, 90), (-7.5, 11.2))),
        ("size=a, mode='not_larger'", rows((20, 30), (64, 90), (7.5, 11.2))),
        ("resize_x=a", rows(20, 90, 11.5)),
        ("resize_x=a, resize_y=33", rows(20, 90, 0)),
        ("resize_shorter=a", rows(20, 90, 11.5)),
        ("resize_longer=a", rows(20, 90, 11.5)),
        ("size=(20, 30), roi_start=a, roi_end=(0.9, 0.8), roi_relative=True", rows((0, 0), (0.3, 0.2), (0.95, 0.1))),
    ],
)
def test_arguments_by_sample(arguments: str, values: list[Array]) -> None:
    check(
        f"fn.resize(x, {arguments})",
        {"x": pictures([(41, 53), (200, 301), (30, 61)]), "a": values},
        declared("resize"),
    )


def test_without_layout_three_axes_are_an_image() -> None:
    check("fn.resize(x, size=(10, 12))", {"x": (pictures([(41, 53)]), "")}, declared("resize"))


@pytest.mark.parametrize(
    "program",
    [
        "fn.resize(x)",
        "fn.resize(x, size=(20, 30), resize_x=5)",
        "fn.resize(x, size=(20, 30), resize_shorter=5)",
        "fn.resize(x, resize_longer=20, resize_shorter=5)",
        "fn.resize(x, resize_x=20, resize_shorter=5)",
        "fn.resize(x, size=(20, 30, 40))",
        "fn.resize(x, size=(20, 30), roi_start=(1, 1))",
        "fn.resize(x, size=(20, 30), mode='fit')",
        "fn.resize(x, resize_shorter=20, mode='not_larger')",
        "fn.resize(x, size=(20, 30), dtype=types.INT32)",
        "fn.resize(x, size=(20, 30), sise=3)",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program, {"x": pictures([(41, 53), (30, 61)])}, "DS102 DS103 DS104 DS105 DS106")


@pytest.mark.parametrize("dtype", [np.float64, np.bool_, np.int64, np.uint64])
def test_element_types_refused_by_both(dtype: Any) -> None:
    check_refused("fn.resize(x, size=(20, 30))", {"x": pictures([(41, 53)], dtype=dtype)}, "DS203")


@pytest.mark.parametrize(
    ("arguments", "size", "wanted"),
    [("resize_shorter=s", (52, 89), 30.608583), ("resize_longer=s", (20, 24), 130.04895), ("resize_shorter=s, max_size=79", (76, 140), 84.61313),
     ("size=s, mode='not_larger'", (57, 90), 191.32878), ("size=s, mode='not_smaller', max_size=100", (136, 150), 194.11868)],
)  # fmt: skip
def test_the_last_bit_of_a_size_decides_about_the_pixel_in_the_middle(arguments: str, size: tuple[int, int], wanted: float) -> None:
    places: Array = np.moveaxis(np.indices(size, np.int16), 0, -1).copy()
    check(f"fn.resize(x, interp_type=types.INTERP_NN, {arguments.replace('=s', '=' + str(wanted), 1)})", {"x": [places]})
