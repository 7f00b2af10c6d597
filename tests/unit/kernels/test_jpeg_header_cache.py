"""Headers of many JPEG files: what is remembered of one file is true of every file that gets it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import simplejpeg
from file_headers import peeked, read_headers
from images import picture
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from dali_studio import samples
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu.image_codec import DecodeError, peek
from dali_studio.kernels.jpeg import header_cache
from dali_studio.kernels.jpeg.header import parse_header

BASE = picture(33, 47)
_EXIF = Image.Exif()
_EXIF[0x0112] = 6


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    before = dict(header_cache._known)
    header_cache._known.clear()
    yield
    header_cache._known.clear()
    header_cache._known.update(before)


def saved(mode: str | None = None, array: Any = BASE, **options: Any) -> bytes:
    stream = io.BytesIO()
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(stream, "JPEG", **options)
    return stream.getvalue()


def arrays(files: list[bytes]) -> list[Any]:
    return [np.frombuffer(file, np.uint8) for file in files]


def inserted(file: bytes, segment: bytes, before: int) -> bytes:
    """The file with a segment, or fill bytes, in front of its first segment of a kind."""
    at = file.index(bytes([0xFF, before]))
    return file[:at] + segment + file[at:]


def changed(file: bytes, marker: int, offset: int, value: int) -> bytes:
    """The file with one byte of a segment changed, counted from its marker."""
    at = file.index(bytes([0xFF, marker])) + offset
    assert file[at] != value
    return file[:at] + bytes([value]) + file[at + 1 :]


_SOF, _SOS, _APP14 = 0xC0, 0xDA, 0xEE
PLAIN = saved()
ADOBE = saved(keep_rgb=True)
NAMED = ADOBE[: ADOBE.index(b"\xff\xee")] + ADOBE[ADOBE.index(b"\xff\xee") + 16 :]
"""Only the names of the components, R, G and B, tell the colours."""
_TABLES = {
    "baseline": PLAIN,
    "444": saved(subsampling=0),
    "422": saved(subsampling=1),
    "440": simplejpeg.encode_jpeg(BASE, colorsubsampling="440"),
    "progressive": saved(progressive=True),
    "optimised": saved(optimize=True),
    "restart": saved(restart_marker_blocks=3),
    "gray": saved("L"),
    "adobe rgb": ADOBE,
    "comment": saved(comment=b"made by a test"),
    "profile": saved(icc_profile=bytes(3000)),
    "exif without orientation": saved(exif=Image.Exif().tobytes() + b"\0" * 4),
    "exif": saved(exif=_EXIF.tobytes()),
    "cmyk": saved("CMYK"),
    "ycck": simplejpeg.encode_jpeg(np.dstack([BASE, BASE[..., :1]]), colorspace="CMYK"),
    "fill bytes": inserted(inserted(PLAIN, b"\xff\xff\xff", _SOF), b"\xff", _SOS),
    "wide table": inserted(PLAIN, b"\xff\xdb\0\x83\x13" + bytes(range(1, 129)), _SOF),
    "two frames": inserted(PLAIN, PLAIN[PLAIN.index(b"\xff\xc0") :][:19], _SOS),
    "marker without a body": inserted(PLAIN, b"\xff\x01", _SOF),
    "text": b"this is no picture at all",
    "empty": b"",
    "png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "start only": b"\xff\xd8\xff",
    "cut off in the header": PLAIN[:60],
    "cut off in the image": PLAIN[:-40],
    "no frame": PLAIN[: PLAIN.index(b"\xff\xc0")] + PLAIN[PLAIN.index(b"\xff\xda") :],
    "hierarchical": PLAIN.replace(b"\xff\xc0", b"\xff\xc5", 1),
    "arithmetic": PLAIN.replace(b"\xff\xc0", b"\xff\xc9", 1),
    "no height": changed(PLAIN, _SOF, 6, 0),
}  # fmt: skip
KNOWN = [
    *"baseline 444 422 440 progressive optimised restart gray comment profile exif".split(), "adobe rgb", "fill bytes",
    "exif without orientation",
]  # fmt: skip


def said(file: Any) -> tuple[Any, str]:
    """What `peek` says: the header, or the error."""
    try:
        return peek(file), ""
    except DecodeError as error:
        return None, str(error)


@pytest.mark.parametrize("name", _TABLES)
def test_a_header_is_that_of_the_parser_or_left_to_others(name: str) -> None:
    (file,) = arrays([_TABLES[name]])
    for _ in range(2):  # parsed, and remembered
        (found,) = read_headers([file])
        assert found is None or found == parse_header(file)
        assert found is not None or name not in KNOWN


def test_all_together_say_what_each_says_alone() -> None:
    files = arrays([*_TABLES.values(), *reversed(_TABLES.values())])
    for _ in range(2):
        found = peeked(files)
        assert [(None, str(one)) if isinstance(one, DecodeError) else (one, "") for one in found] == [
            said(file) for file in files
        ]


def test_real_photos() -> None:
    """The samples."""
    paths = sorted(samples.photos().rglob("*.jpg"))
    assert len(paths) > 10
    files = arrays([path.read_bytes() for path in paths])
    assert peeked(files) == [peek(file) for file in files]
    assert any(found is not None for found in read_headers(files))


def test_photos_of_many_origins(data_dir: Path) -> None:
    files = arrays([path.read_bytes() for path in sorted(data_dir.rglob("*.jpg"))])
    assert len(files) > 10
    found = peeked(files)
    assert [None if isinstance(one, DecodeError) else one for one in found] == [said(file)[0] for file in files]


def test_files_of_one_kind_share_what_is_known() -> None:
    other = saved(array=255 - BASE)
    first, second = read_headers(arrays([PLAIN, other]))
    assert first is second is read_headers(arrays([other]))[0]
    assert len(header_cache._known) == 1


#: Pairs of files that differ in one number of their headers.
_PAIRS = {
    "height": (PLAIN, changed(PLAIN, _SOF, 6, 34)),
    "height's upper byte": (PLAIN, changed(PLAIN, _SOF, 5, 1)),
    "width": (PLAIN, changed(PLAIN, _SOF, 8, 48)),
    "width's upper byte": (PLAIN, changed(PLAIN, _SOF, 7, 1)),
    "bits": (PLAIN, changed(PLAIN, _SOF, 4, 12)),
    "coding": (PLAIN, changed(PLAIN, _SOF, 1, 0xC1)),
    "sampling": (PLAIN, changed(PLAIN, _SOF, 11, 0x21)),
    "sampling of the last component": (PLAIN, changed(PLAIN, _SOF, 17, 0x12)),
    "components of the scan": (PLAIN, changed(PLAIN, _SOS, 4, 1)),
    "JFIF": (inserted(NAMED, b"\xff\xe0\0\6JFIF", _SOF), inserted(NAMED, b"\xff\xe0\0\6JFIX", _SOF)),
    "restart interval": (
        inserted(PLAIN, b"\xff\xdd\0\4\0\5", _SOS), inserted(PLAIN, b"\xff\xdd\0\4\1\5", _SOS),
    ),
    "a restart interval": (inserted(PLAIN, b"\xff\xdd\0\4\0\0", _SOS), inserted(PLAIN, b"\xff\xdd\0\4\0\5", _SOS)),
    "Adobe's transform": (ADOBE, changed(ADOBE, _APP14, 15, 1)),
    "place of the frame": (PLAIN, inserted(PLAIN, b"\xff\xfe\0\5abc", _SOF)),
    "name of a component": (NAMED, changed(NAMED, _SOF, 10, 1)),
}  # fmt: skip


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("what", _PAIRS)
def test_files_that_differ_in_one_number_share_nothing(what: str, backwards: bool) -> None:
    files = arrays(list(_PAIRS[what]))[:: -1 if backwards else 1]
    first, second = read_headers(files)
    assert first is not None and second is not None
    assert (first, second) == (parse_header(files[0]), parse_header(files[1]))
    assert first != second


@pytest.mark.parametrize(
    "odd",
    [
        inserted(PLAIN, b"\xff\xdd\0\2", _SOF),  # no interval in it: the parser takes what follows
        inserted(PLAIN, b"\xff\xdd\0\3\7", _SOF),
        changed(ADOBE, _APP14, 8, 0x78),  # "Adobx": the parser takes no notice
        changed(ADOBE, _APP14, 6, 0x78),
        inserted(PLAIN, b"\xff\xe0\0\5JFI", _SOF),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_odd_segments_spoil_nothing_for_others(odd: bytes, first: bool) -> None:
    like_it = [PLAIN, inserted(PLAIN, b"\xff\xdd\0\4\0\0", _SOF), inserted(PLAIN, b"\xff\xfe\0\2", _SOF), ADOBE,
               inserted(PLAIN, b"\xff\xfe\0\3\1", _SOF), inserted(PLAIN, b"\xff\xe2\0\5JFI", _SOF)]  # fmt: skip
    files = arrays([odd, *like_it] if first else [*like_it, odd])
    assert peeked(files) == [peek(file) for file in files]


def test_a_file_ends_where_its_size_says_though_others_lie_behind_it() -> None:
    """Every part of a header, with the rest of the file behind it."""
    for file in arrays([PLAIN, ADOBE, _TABLES["restart"], _TABLES["progressive"]]):
        ends = np.arange(file.tobytes().index(b"\xff\xda") + 16)
        pieces = Packed.of_bytes(file, np.zeros_like(ends), ends)
        found = read_headers(pieces)
        assert found[-1] is not None
        for end, info in zip(ends.tolist(), found, strict=True):
            assert info is None or info == parse_header(file[:end])


def test_damaged_headers_say_what_the_parser_says() -> None:
    generator = np.random.default_rng(5)
    files: list[Any] = []
    for file in (PLAIN, ADOBE, _TABLES["restart"], _TABLES["gray"], _TABLES["progressive"]):
        header = file.index(b"\xff\xda") + 12
        for _ in range(150):
            damaged = np.frombuffer(file, np.uint8).copy()
            damaged[generator.integers(2, header, 2)] = generator.choice([0, 1, 2, 8, 17, 0xC4, 0xD9, 0xDD, 0xFF], 2)
            files.append(damaged)
    found = read_headers(files)
    assert sum(info is not None for info in found) > 100
    for file, info in zip(files, found, strict=True):
        assert info is None or info == parse_header(file)


def test_what_is_remembered_is_bounded() -> None:
    heights = np.arange(1, header_cache._MAX_KINDS + 800)
    table = np.tile(np.frombuffer(PLAIN, np.uint8), (len(heights), 1))
    at = PLAIN.index(b"\xff\xc0") + 5
    table[:, at], table[:, at + 1] = heights >> 8, heights & 255
    found = [info for first in range(0, len(table), 1000) for info in read_headers(list(table[first : first + 1000]))]
    assert [info.height for info in found if info is not None] == heights.tolist()
    assert 0 < len(header_cache._known) <= header_cache._MAX_KINDS


def test_pillow_agrees() -> None:
    for name in KNOWN:
        (info,) = read_headers(arrays([_TABLES[name]]))
        image = Image.open(io.BytesIO(_TABLES[name]))
        assert isinstance(image, JpegImageFile) and info is not None
        assert (info.width, info.height, info.channels) == (*image.size, len(image.getbands()))
        assert (info.kind == "progressive") == bool(image.info.get("progressive"))
