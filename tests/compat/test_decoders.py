"""``fn.decoders.image`` and ``fn.decoders.image_random_crop`` against nvidia.dali."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import forged
import numpy as np
import pytest
from chosen import Grid
from declared import declared
from images import Array, encoded, picture, tiff_of
from peers import OURS, check, check_refused, run
from PIL import Image

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


def compressed(array: Array) -> bytes:
    """Rows without a filter."""
    return zlib.compress(b"".join(b"\0" + row.astype(array.dtype.newbyteorder(">")).tobytes() for row in array))


Chunk = tuple[bytes, bytes]


def png_file(array: Array, *chunks: Chunk, color: int = 2, break_checksums: bool = False, behind: tuple[Chunk, ...] = ()) -> Array:
    """A PNG file with more chunks before its pixels than the header, and more behind them than the end."""

    def chunk(kind: bytes, body: bytes, checksum_off_by: int = 0) -> bytes:
        checksum = (zlib.crc32(kind + body) + checksum_off_by) % 2**32
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", array.shape[1], array.shape[0], array.itemsize * 8, color, 0, 0, 0)
    before = b"".join(chunk(kind, body, break_checksums) for kind, body in chunks)
    after = b"".join(chunk(kind, body) for kind, body in (*behind, (b"IEND", b"")))
    made = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", compressed(array)) + after
    return np.frombuffer(made, np.uint8)


def gamma(value: int) -> Chunk:
    return b"gAMA", struct.pack(">I", value)


SRGB = b"sRGB", b"\0"


@pytest.mark.parametrize(
    "chunks",
    [
        (SRGB,), (gamma(45455),), (gamma(60000),), (gamma(96000),), (gamma(94999),), (gamma(105001),), (gamma(220000),),
        (SRGB, gamma(100000)), (gamma(100000), SRGB), (gamma(60000), gamma(45455)), ((b"sRGB", b"\x09"),), (gamma(0),),
        ((b"eXIf", b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"), SRGB),
    ],
)  # fmt: skip
def test_png_that_states_its_gamma(chunks: tuple[Chunk, ...]) -> None:
    """libpng makes gray of light then; other colours stay as they are."""
    rgb = np.random.default_rng(3).integers(0, 256, (40, 50, 3)).astype(np.uint8)
    rgb[:5] = rgb[:5, :, :1]
    wide, alpha = rgb.astype(np.uint16) * 257 - (rgb > 90), np.concatenate([rgb, rgb[..., :1]], axis=2)
    palette = b"PLTE", np.random.default_rng(4).bytes(768)
    files = [png_file(rgb, *chunks), png_file(wide, *chunks), png_file(alpha, *chunks, color=6), png_file(rgb[..., :1], *chunks, color=0)]
    files += [png_file(rgb[..., :1], *order, color=3) for order in ((*chunks, palette), (palette, *chunks))]
    if chunks[0][0] != b"eXIf":  # nvidia.dali takes a broken one half seriously
        files.append(png_file(rgb, *chunks, break_checksums=True))
    for what in ("image(x, output_type=types.GRAY)", "image(x, output_type=types.GRAY, dtype=types.UINT16)", "image(x)"):
        check(f"fn.decoders.{what}", {"x": files})
    check("fn.decoders.image_random_crop(x, output_type=types.GRAY)", {"x": files})


def frame_of(array: Array, number: int, top: int = 0, left: int = 0) -> tuple[Chunk, Chunk]:
    """The two chunks of a frame of an animation."""
    rows, columns = array.shape[:2]
    about = struct.pack(">5I2H2B", 2 * number, columns, rows, left, top, 1, 10, 0, 0)
    return (b"fcTL", about), (b"fdAT", struct.pack(">I", 2 * number + 1) + compressed(array))


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(("channels", "dtype"), [(1, np.uint8), (3, np.uint8), (4, np.uint8), (3, np.uint16), (4, np.uint16)])
def test_animated_png(channels: int, dtype: Any, colour: str) -> None:
    """The first frame, in gray without what libpng does; the still picture where it is a frame, or the only one."""
    still, first, second = (picture(24, 40, channels, dtype, seed=seed) for seed in range(3))
    several, one = ((b"acTL", struct.pack(">2I", frames, 0)) for frames in (2, 1))
    part, whole, last = frame_of(first[5:14, 7:30], 0, 5, 7), frame_of(first, 0), frame_of(second, 1)
    color = {1: 0, 3: 2, 4: 6}[channels]
    files = [
        png_file(still, several, whole[0], color=color, behind=last),
        png_file(still, gamma(45455), several, whole[0], color=color, behind=last),
        png_file(still, several, color=color, behind=whole + last), png_file(still, several, color=color, behind=part + last),
        png_file(still, one, color=color, behind=whole), png_file(still, color=color, behind=(several, *whole, *last)),
    ]  # fmt: skip
    check(f"fn.decoders.image(x, output_type=types.{colour}, dtype=types.UINT16)", {"x": files})


def test_animated_png_whose_first_frame_lies_beyond_its_picture_is_refused_by_both() -> None:
    still, several = picture(24, 40), (b"acTL", struct.pack(">2I", 2, 0))
    behind = frame_of(still, 0, left=1) + frame_of(still, 1)
    check_refused("fn.decoders.image(x)", {"x": [png_file(still, several, behind=behind)]}, "DS301")


def without_end(file: Array, padding: int) -> Array:
    """A JPEG file whose end marker is gone, or overwritten by zeros and more of them."""
    return np.concatenate([file[:-2], np.zeros(padding, np.uint8)])


TIFFS: dict[str, dict[str, Any]] = {
    "as it is": {}, "big-endian": {"order": ">"}, "deflate": {"deflate": True, "differences": True}, "tiles": {"tile": 16},
    "tiles, big-endian, deflate": {"tile": 16, "order": ">", "deflate": True, "differences": True}, "BigTIFF": {"big": True},
    "multiplied by alpha": {"extra": 1}, "turned": {"orientation": 6},
}  # fmt: skip


@pytest.mark.parametrize("form", TIFFS)
@pytest.mark.parametrize("colour", COLOURS)
def test_tiff_with_more_than_8_bits_or_other_channels(colour: str, form: str) -> None:
    """RGB and RGBA of 16 bits and floats, and five channels; nvidia.dali gives a turned one of floats or five no pixels."""
    options = TIFFS[form]
    made: list[Array] = []
    for number, (dtype, channels) in enumerate(((np.uint16, 3), (np.uint16, 4), (np.float32, 3), (np.uint8, 5), (np.uint8, 4))):
        array = np.dstack([picture(40, 53, 1, np.uint16, seed=5 * number + i) for i in range(channels)])
        values = array.astype(dtype) if dtype is np.uint16 else (array // 257).astype(dtype)
        floats = dtype is np.float32
        if floats:
            values = values / np.float32(200) - np.float32(0.1)  # some beyond 0 to 1
        if not (options.get("orientation") and (floats or channels == 5)) and not (options.get("differences") and floats):
            made.append(tiff_of(values, **options))
    check(f"fn.decoders.image(x, output_type=types.{colour}), fn.decoders.image(x, output_type=types.{colour}, dtype=types.FLOAT)",
          {"x": made}, declared("decoders.image"))  # fmt: skip
    check("fn.peek_image_shape(x)", {"x": made})


@pytest.mark.parametrize("form", TIFFS)
@pytest.mark.parametrize("colour", COLOURS)
def test_tiff_of_12_bits_and_of_16_of_which_0_is_white(colour: str, form: str) -> None:
    options = TIFFS[form]
    made: list[Array] = []
    for number, channels in enumerate((1, 1, 3)):
        array = np.dstack([picture(40, 53, 1, np.uint16, seed=5 * number + i) for i in range(channels)])
        white = {262: [0]} if number == 0 else {}
        if channels == 1:
            made.append(tiff_of(array, **options, others={262: [0]}))
        if not options.get("differences"):
            made.append(tiff_of(array, **options, twelve=True, others=white))
    check(f"fn.decoders.image(x, output_type=types.{colour}), fn.decoders.image(x, output_type=types.{colour}, dtype=types.FLOAT)",
          {"x": made}, declared("decoders.image"))  # fmt: skip
    check("fn.peek_image_shape(x)", {"x": made})


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("colour", COLOURS)
def test_tiff_of_ycbcr_as_it_is(colour: str, order: Any) -> None:
    whole = picture(40, 53, seed=1)
    files = [tiff_of(whole, order=order, others={262: [6], 530: [1, 1]})]
    for sides in (2, 2), (1, 2), (2, 1), (4, 4):
        blocks, size = _subsampled(whole, *sides), {262: [6], 530: [sides[1], sides[0]], 256: [53], 257: [40], 278: [40]}
        layout = {258: [8] * 3, 277: [3], 339: [1] * 3, 338: [], **size}
        files += [tiff_of(blocks, order=order, others={**layout, 274: [turn]}, rows=len(blocks)) for turn in (1, 6)]
    check(f"fn.decoders.image(x, output_type=types.{colour})", {"x": files})


def _subsampled(picture: Array, rows: int, columns: int) -> Array:
    """YCbCr as TIFF files store it: the brightness of a block of pixels, and its first pixel's colour."""
    height, width, _ = picture.shape
    padded = np.pad(picture, ((0, -height % rows), (0, -width % columns), (0, 0)), mode="edge")
    blocks = padded[..., 0].reshape(len(padded) // rows, rows, -1, columns).swapaxes(1, 2)
    return np.dstack([blocks.reshape(*blocks.shape[:2], -1), padded[::rows, ::columns, 1:]])


@pytest.mark.parametrize("colour", COLOURS)
def test_tiff_of_cielab(colour: str) -> None:
    levels = np.arange(0, 256, 5 if Grid.whole else 15)
    every = np.stack(np.meshgrid(*[levels] * 3), axis=-1).reshape(len(levels), -1, 3).astype(np.uint8)
    files = [tiff_of(every, others={262: [8]}, **options) for options in ({}, {"orientation": 8}, {"deflate": True})]
    check(f"fn.decoders.image(x, output_type=types.{colour}), fn.decoders.image(x, output_type=types.{colour}, dtype=types.FLOAT)",
          {"x": files})  # fmt: skip


@pytest.mark.parametrize("extra", [0, 1, 2])
def test_tiff_of_a_palette_with_alpha(extra: int) -> None:
    """nvidia.dali takes the alpha for a second pixel."""
    indices, alpha = picture(40, 53, 1, seed=1), picture(40, 53, 1, seed=2)
    colors = picture(256, 1, 3, np.uint16)[:, 0]
    file = tiff_of(np.dstack([indices, alpha]), others={262: [3], 320: colors.T.ravel().tolist(), 338: [extra]})
    ((made,),) = run(OURS, "fn.decoders.image(x, output_type=types.ANY_DATA, dtype=types.UINT16)", {"x": [file]})
    assert np.array_equal(made.samples[0], colors[indices[..., 0]])


@pytest.mark.parametrize("options", [{}, {"tile": 16}, {"deflate": True, "order": ">"}], ids=str)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("channels", [2, 3, 5])
def test_tiff_whose_channels_lie_in_planes(channels: int, dtype: Any, options: dict[str, Any]) -> None:
    """nvidia.dali refuses them, or gives what lies in memory."""
    array = np.dstack([picture(40, 53, 1, np.uint8, seed=i) for i in range(channels)]).astype(dtype)
    file = tiff_of(array, planes=True, **options)
    name = {np.uint8: "UINT8", np.uint16: "UINT16", np.float32: "FLOAT"}[dtype]
    ((made,),) = run(OURS, f"fn.decoders.image(x, output_type=types.ANY_DATA, dtype=types.{name})", {"x": [file]})
    assert np.array_equal(made.samples[0], array)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.uint32])
@pytest.mark.parametrize("channels", [1, 3])
def test_tiff_of_numbers_that_are_no_levels(channels: int, dtype: Any) -> None:
    file = tiff_of(np.arange(2 * 3 * channels, dtype=dtype).reshape(2, 3, channels))
    check_refused("fn.decoders.image(x, output_type=types.GRAY)", {"x": [file]}, codes="DS301")


def test_jpeg_without_its_end_marker() -> None:
    """Complete pixels are enough, if something follows them that libjpeg can read in advance."""
    array = picture(200, 301)
    files = [without_end(encoded(array, quality=80, **options), 9) for options in ({"subsampling": 0}, {"subsampling": 2}, {"mode": "L"})]
    for program in ("fn.decoders.image(x)", "fn.decoders.image(x, output_type=types.GRAY)", "fn.decoders.image_random_crop(x)"):
        check(program, {"x": files})
    for file in (encoded(array, progressive=True), encoded(array)[:-100]):
        check_refused("fn.decoders.image(x)", {"x": [without_end(file, 9)]}, codes="DS301")


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
    check(f"fn.decoders.image(x, output_type=types.{colour}, dtype=types.{dtype})", data, declared("decoders.image"))


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


@pytest.mark.parametrize("folder", ["jpeg", "orientation", "png", "bmp", "pnm", "tiff", "webp_lossy", "webp_lossless", "jpeg2k_16bit"])
@pytest.mark.parametrize("colour", ["RGB", "GRAY"])
def test_real_files(data_dir: Path, folder: str, colour: str) -> None:
    files = sorted(
        p
        for p in (data_dir / folder).rglob("*")
        if p.suffix.lower() in (".jpg", ".png", ".bmp", ".ppm", ".pgm", ".pbm", ".tiff", ".tif", ".webp", ".jp2")
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
random_area=(0.2, 1.5)
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
    check(f"fn.decoders.image_random_crop(x, {arguments})", data, declared("decoders.image_random_crop"), iterations=3)


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


def as_files(data: dict[str, bytes]) -> list[Array]:
    return [np.frombuffer(one, np.uint8) for one in data.values()]


def test_png_with_more_than_its_pixels() -> None:
    check("fn.decoders.image(x)", {"x": as_files(forged.surplus())})


@pytest.mark.parametrize("name", forged.incomplete() | forged.misplaced())
def test_png_without_all_of_its_pixels_or_with_senseless_chunks_is_refused_by_both(name: str) -> None:
    files = forged.incomplete() | forged.misplaced()
    check_refused("fn.decoders.image(x)", {"x": as_files({name: files[name]})}, "DS301")


@pytest.mark.parametrize("form", forged.SHORT)
def test_files_too_short_for_their_pixels_are_refused_by_both(form: str) -> None:
    data = forged.SHORT[form](16000, 16000)
    check_refused("fn.decoders.image(x)", {"x": as_files({form: data})}, "DS301")


@pytest.mark.parametrize("options", [{}, {"mode": "L"}, {"restart_marker_blocks": 3}], ids=str)
def test_jpeg_with_strange_markers_behind_its_rows(options: dict[str, Any]) -> None:
    """Markers that libjpeg does not know, or that have no place there."""
    file = encoded(picture(48, 64), quality=90, **options).tobytes()
    markers = (0x02, 0x63, 0xBF, 0xC0, 0xC3, 0xC5, 0xC8, 0xD8, 0xDA, 0xDE, 0xF0, 0xFD)
    ends = [file[:-2] + bytes([0xFF, marker]) + body + file[-2:] for marker in markers for body in (b"", b"\0\6abcd")]
    middle = len(file) - 60
    inside = [file[:middle] + bytes([0xFF, marker]) + file[middle:] for marker in markers[:3]]
    inside += [one[:-2] for one in inside]
    check("fn.decoders.image(x)", {"x": [np.frombuffer(one, np.uint8) for one in ends + inside]})


@pytest.mark.parametrize("marker", [0x01, 0x02, 0xBF, 0xD0, 0xD7, 0xF0])
def test_jpeg_with_strange_markers_in_its_header_is_refused_by_both(marker: int) -> None:
    file = encoded(picture(48, 64)).tobytes()
    strange = file[:2] + bytes([0xFF, marker]) + (b"" if marker in (0x01, 0xD0, 0xD7) else b"\0\6abcd") + file[2:]
    check_refused("fn.decoders.image(x)", {"x": [np.frombuffer(strange, np.uint8)]}, "DS301")
