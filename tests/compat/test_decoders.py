"""``fn.decoders.image`` and ``fn.decoders.image_random_crop`` against nvidia.dali."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import Array, encoded, picture
from peers import OURS, check, check_refused, run
from PIL import Image
from tolerances import TOLERANCES

pytestmark = pytest.mark.usefixtures("nvidia")

COLOURS = ["RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA"]
TYPES = ["UINT8", "UINT16", "INT16", "INT32", "FLOAT", "INT8", "UINT32"]
SIZES = [(57, 43), (200, 301), (3, 5), (1, 1), (1, 17), (16, 1), (8, 8)]


def jpegs() -> list[Array]:
    """Every subsampling, grey, progressive, restart markers, qualities; odd sizes."""
    made: list[Array] = []
    for number, size in enumerate(SIZES):
        array = picture(*size, seed=number)
        made += [encoded(array, quality=quality, subsampling=sub) for quality, sub in ((95, 0), (75, 1), (60, 2))]
        made.append(encoded(array, quality=80, progressive=True))
        made.append(encoded(array, quality=80, mode="L"))
    return made


def pngs() -> list[Array]:
    """Grey, grey with alpha, palette, RGB, RGBA, 1 bit, 16 bit."""
    made: list[Array] = []
    for number, size in enumerate(SIZES[:3]):
        array = picture(*size, seed=number)
        made += [encoded(array, "PNG", mode=mode) for mode in ("L", "RGB", "RGBA", "P", "1")]
        made.append(encoded(picture(*size, 1, np.uint16, number), "PNG"))
    return made


def oriented() -> list[Array]:
    """The eight orientations of EXIF, and a senseless one."""
    made: list[Array] = []
    for value in (*range(1, 9), 0, 9):
        exif = Image.Exif()
        exif[0x0112] = value
        made.append(encoded(picture(24, 40, seed=value), quality=90, exif=exif.tobytes()))
    return made


@pytest.mark.parametrize("colour", COLOURS[:4])
def test_jpeg(colour: str) -> None:
    check(f"fn.decoders.image(x, output_type=types.{colour})", {"x": jpegs()})


def test_jpeg_with_its_own_channels() -> None:
    check("fn.decoders.image(x, output_type=types.ANY_DATA)", {"x": [encoded(picture(*size)) for size in SIZES]})


def test_grey_jpeg_with_its_own_channels() -> None:
    """nvidia.dali writes beyond its buffer here and crashes; the pixels must be those of GRAY."""
    data = {"x": jpegs()}
    ((own, grey),) = run(
        OURS, "fn.decoders.image(x, output_type=types.ANY_DATA), fn.decoders.image(x, output_type=types.GRAY)", data
    )
    single = [(a, b) for a, b in zip(own.samples, grey.samples, strict=True) if a.shape[2] == 1]
    assert len(single) == len(SIZES)
    assert all(np.array_equal(a, b) for a, b in single)


@pytest.mark.parametrize("colour", COLOURS[:4])
def test_png(colour: str) -> None:
    check(f"fn.decoders.image(x, output_type=types.{colour})", {"x": pngs()})


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1"])
def test_png_with_its_own_channels(mode: str) -> None:
    check("fn.decoders.image(x, output_type=types.ANY_DATA)", {"x": [encoded(picture(9, 7), "PNG", mode=mode)]})


def test_grey_png_with_alpha() -> None:
    """nvidia.dali refuses two channels."""
    ((made,),) = run(
        OURS, "fn.decoders.image(x, output_type=types.ANY_DATA)", {"x": [encoded(picture(9, 7), "PNG", mode="LA")]}
    )
    assert made.samples[0].shape == (9, 7, 2)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("colour", ["RGB", "GRAY"])
def test_element_types(colour: str, dtype: str) -> None:
    data = {"x": [*jpegs()[:5], *pngs()[:6]]}
    check(f"fn.decoders.image(x, output_type=types.{colour}, dtype=types.{dtype})", data, TOLERANCES["image_decoder"])


@pytest.mark.parametrize("adjust", [True, False])
@pytest.mark.parametrize("colour", COLOURS)
def test_orientation(colour: str, adjust: bool) -> None:
    check(f"fn.decoders.image(x, output_type=types.{colour}, adjust_orientation={adjust})", {"x": oriented()})


def test_arguments_without_effect_on_the_cpu() -> None:
    check("fn.decoders.image(x, device='cpu', jpeg_fancy_upsampling=True, affine=False, hw_decoder_load=0.3, "
          "preallocate_width_hint=100, preallocate_height_hint=100, host_memory_padding=1, device_memory_padding=5, "
          "hybrid_huffman_threshold=10, bytes_per_sample_hint=100)", {"x": jpegs()[:5]})  # fmt: skip


def test_fast_transform() -> None:
    check("fn.decoders.image(x, use_fast_idct=True)", {"x": jpegs()[:10]})


@pytest.mark.parametrize("folder", ["jpeg", "orientation", "png", "bmp", "pnm", "tiff", "webp_lossy", "webp_lossless"])
@pytest.mark.parametrize("colour", ["RGB", "GRAY"])
def test_real_files(data_dir: Path, folder: str, colour: str) -> None:
    files = sorted(
        p
        for p in (data_dir / folder).rglob("*")
        if p.suffix.lower() in (".jpg", ".png", ".bmp", ".ppm", ".pgm", ".pbm", ".tiff", ".tif", ".webp")
    )
    chosen = files[:: max(1, len(files) // 8)][:8]
    data = {"x": [np.frombuffer(path.read_bytes(), np.uint8) for path in chosen]}
    check(f"fn.decoders.image(x, output_type=types.{colour})", data)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("form", ["jpg", "bmp"])
def test_damaged_files(data_dir: Path, form: str, number: int) -> None:
    """Files that both decode as far as they can."""
    path = data_dir / "fuzzing" / ("jpeg" if form == "jpg" else form) / f"{number}.{form}"
    check("fn.decoders.image(x)", {"x": [np.frombuffer(path.read_bytes(), np.uint8)]})


WINDOWS = """

seed=3
random_area=(0.5, 0.6)
random_area=[0.01, 0.02], random_aspect_ratio=[0.9, 1.1]
random_aspect_ratio=(2.0, 4.0), num_attempts=1
random_aspect_ratio=(0.1, 0.2), random_area=(0.9, 1.0), num_attempts=3
output_type=types.GRAY
output_type=types.BGR
dtype=types.FLOAT
seed=2**40
""".split("\n")[1:-1]


@pytest.mark.parametrize("arguments", WINDOWS)
def test_random_windows(arguments: str) -> None:
    """Windows are equal for equal seeds; pixels are those of the whole file (nvidia.dali's are not always)."""
    data = {"x": [*jpegs(), *oriented()[:8], *pngs()[:6]]}
    check(f"fn.decoders.image_random_crop(x, {arguments})", data, TOLERANCES["image_random_crop"], iterations=3)


def test_random_windows_take_a_seed_of_the_pipeline() -> None:
    program = "a = fn.random.uniform()\nb = fn.decoders.image_random_crop(x)\nc = fn.decoders.image_random_crop(x)\nreturn c, a, b"
    check(program, {"x": jpegs()[:7]}, iterations=3)


def test_random_windows_of_real_files(data_dir: Path) -> None:
    program = "files, labels = fn.readers.file(file_root=root, random_shuffle=True)\nreturn fn.decoders.image_random_crop(files), labels"
    check(program, iterations=2, names={"root": str(data_dir / "jpeg")}, batch_size=6)


@pytest.mark.parametrize(
    "program",
    [
        "fn.decoders.image(x, dtype=types.BOOL)",
        "fn.decoders.image(fn.cast(x, dtype=types.INT32))",
        "fn.decoders.image(x, output_type='RGBA')",
        "fn.decoders.image(fn.decoders.image(x))",
        "fn.decoders.image_random_crop(x, random_area=(0.5, 0.2))",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program, {"x": jpegs()[:2]})


@pytest.mark.parametrize("broken", [b"", b"no image at all", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"])
def test_broken_files_are_refused_by_both(broken: bytes) -> None:
    data: dict[str, Any] = {"x": [jpegs()[0], np.frombuffer(broken, np.uint8)]}
    check_refused("fn.decoders.image(x)", data, "DS301")
