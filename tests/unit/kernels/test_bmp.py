"""BMP files of all kinds: what is accepted and which pixels they have; equality with nvidia.dali."""

from __future__ import annotations

import io
from collections.abc import Iterator

import forged
import numpy as np
import pytest
from fuzz.machine import SANITIZED, Memory
from fuzz.peer import Peer
from fuzz.programs import Call, Member
from images import picture
from PIL import Image

from dali_studio.kernels.cpu import image_codec
from dali_studio.kernels.cpu.image_codec import DecodeError

FILES = forged.bitmaps()


@pytest.fixture(scope="module")
def peer() -> Iterator[Peer]:
    if SANITIZED:
        pytest.skip("nvidia.dali does not load under sanitizers")
    pytest.importorskip("nvidia.dali", reason="the comparison needs nvidia-dali, which is not installed")
    asked = Peer()
    yield asked
    asked.close()


@pytest.mark.parametrize("colors", ["RGB", "BGR", "GRAY", "YCbCr"])
@pytest.mark.parametrize("name", FILES)
def test_pixels_are_those_of_nvidia_dali(peer: Peer, name: str, colors: str) -> None:
    (theirs,) = peer.decode(Call("decoders.image", {"output_type": Member(colors)}), [FILES[name]], [True])
    assert theirs.arrays is not None, theirs.message
    np.testing.assert_array_equal(image_codec.decode(FILES[name], output_type=colors), theirs.arrays[0][0])


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1"])
@pytest.mark.parametrize("size", [(1, 1), (3, 33), (20, 31)])
def test_pixels_are_those_of_pillow(size: tuple[int, int], mode: str) -> None:
    stream = io.BytesIO()
    image = Image.fromarray(picture(*size)).convert(mode)
    image.save(stream, "BMP")
    np.testing.assert_array_equal(image_codec.decode(stream.getvalue()), np.asarray(image.convert("RGB")))


def test_bits_of_16_are_not_stretched() -> None:
    """As OpenCV does it: white is 248."""
    white = forged.bitmap(1, 1, 16, kind=3, more=FILES["16 bits, 565"][54:66], pixels=b"\xff" * 4)
    assert image_codec.decode(white).tolist() == [[[248, 252, 248]]]


def test_runs() -> None:
    colors = b"".join(bytes([i, i, i, 0]) for i in range(256))
    runs = b"\2\7\0\3\1\2\3\0\0\0\0\2\1\1\4\5\0\1"  # 7 7 1 2 3; end of line; one column and one row on; 5 5 5 5
    data = forged.bitmap(3, 5, 8, kind=1, colors=colors, pixels=runs)
    assert image_codec.decode(data, output_type="ANY_DATA")[..., 0].tolist() == [
        [0, 5, 5, 5, 5],
        [0, 0, 0, 0, 0],
        [7, 7, 1, 2, 3],
    ]


def test_alpha_is_a_channel_of_its_own() -> None:
    data = forged.bitmap(1, 1, 32, kind=3, size=108, more=FILES["32 bits, masks of 8"][54:122], pixels=b"\1\2\3\4")
    assert image_codec.decode(data, output_type="ANY_DATA").tolist() == [[[1, 2, 3, 4]]]
    assert image_codec.decode(data).tolist() == [[[1, 2, 3]]]


_COLORS = bytes(1024)
REFUSED: dict[str, tuple[bytes, str]] = {
    "no header": (b"BM" + bytes(12), "broken BMP header in a file of 14 bytes"),
    "half a header": (forged.bitmap(1, 1)[:50], "states 40 bytes"),
    "header of 36 bytes": (forged.bitmap(1, 1, size=36), "states 36 bytes; expected 12, or 40"),
    "header of 2^31 bytes": (forged.bitmap(1, 1, size=2**31), "broken BMP header"),
    "no width": (forged.bitmap(5, 0), "5 rows of 0 pixels"),
    "negative width": (forged.bitmap(5, -7), "5 rows of -7 pixels"),
    "no height": (forged.bitmap(0, 5), "0 rows of 5 pixels"),
    "lowest height": (forged.bitmap(-(2**31), 5, pixels=b""), "pixels; expected 1 to"),
    "2 bits": (forged.bitmap(5, 7, 2, colors=_COLORS), "2 bits per pixel and compression 0"),
    "15 bits without masks": (forged.bitmap(5, 7, 16), "16 bits per pixel and compression 0"),
    "runs of 4 bits": (forged.bitmap(5, 7, 4, kind=2, colors=_COLORS), "4 bits per pixel and compression 2"),
    "JPEG inside": (forged.bitmap(5, 7, kind=4), "24 bits per pixel and compression 4"),
    "other masks of 16 bits": (forged.bitmap(5, 7, 16, kind=3, more=bytes(12)), "masks 0/0/0"),
    "masks of 16 bits are missing": (forged.bitmap(1, 1, 16, kind=3, begin=50, pixels=b""), "masks missing"),
    "more colours than bits": (forged.bitmap(5, 7, 4, colors=_COLORS, used=17), "palette of 17 colours for 4 bits"),
    "half a palette": (forged.bitmap(1, 1, 8, colors=_COLORS[:100], begin=54), "palette of 256 colours"),
    "a row is missing": (forged.bitmap(5, 7)[:-24], "cannot hold the 5 rows of 7 pixels"),
    "padding is missing": (forged.bitmap(5, 7)[:-3], "cannot hold the 5 rows of 7 pixels"),
    "pixels behind the end": (forged.bitmap(5, 7, begin=5000), "cannot hold the 5 rows of 7 pixels"),
    "a run over the edge": (forged.bitmap(5, 7, 8, kind=1, colors=_COLORS, pixels=b"\x08\1\0\1"), "beyond row 0"),
    "single pixels over the edge": (
        forged.bitmap(5, 7, 8, kind=1, colors=_COLORS, pixels=b"\0\x08\1\2\3\4\5\6\7\x08\0\1"),
        "beyond row 0",
    ),
    "a run behind a full row": (forged.bitmap(2, 3, 8, kind=1, colors=_COLORS, pixels=b"\0\3\1\2\3\0\1\1\0\1"), "row 0"),
    "runs that end": (forged.bitmap(2, 3, 8, kind=1, colors=_COLORS, pixels=b"\3\1"), "end at row 1"),
    "single pixels that end": (forged.bitmap(2, 9, 8, kind=1, colors=_COLORS, pixels=b"\0\5\1"), "beyond row 0"),
    "half a jump": (forged.bitmap(2, 3, 8, kind=1, colors=_COLORS, pixels=b"\0\2\1"), "end at row 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    data, words = REFUSED[name]
    with pytest.raises(DecodeError, match=words):
        image_codec.decode(data)


@pytest.mark.parametrize("name", REFUSED)
def test_nvidia_dali_refuses_it_or_takes_it_for_rows_of_24_bits_without_padding(peer: Peer, name: str) -> None:
    data, _ = REFUSED[name]
    (theirs,) = peer.decode(Call("decoders.image"), [data], [False])
    if theirs.arrays is not None:
        assert theirs.arrays[0][0][::-1, :, ::-1].tobytes() in data


@pytest.mark.parametrize("pixels", [b"\3\1\0\0", b"\0\2\1", b"\x08\1"])
def test_runs_for_a_large_picture_that_break_off_take_no_memory(pixels: bytes) -> None:
    data = forged.bitmap(1 << 20, 100, 8, kind=1, colors=_COLORS, pixels=pixels)
    memory = Memory()
    with pytest.raises(DecodeError):
        image_codec.decode(data)
    assert memory.grown() < 20 << 20


def test_no_compression_of_a_large_picture_takes_no_memory() -> None:
    """Run lengths of 32 bits, which there are not: Pillow had the rows before it found out."""
    data = forged.bitmap(1 << 24, 3, 32, kind=2)[:258]
    memory = Memory()
    with pytest.raises(DecodeError):
        image_codec.decode(data)
    assert memory.grown() < 20 << 20
