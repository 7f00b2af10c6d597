"""Header of a JPEG file: size, coding, colours, sampling and orientation.

Sources: ITU-T T.81, annex B, for the segments; libjpeg's rules for the colour model (JFIF and Adobe marks); Exif.
"""

from __future__ import annotations

from collections.abc import Iterator

from dali_studio.core.wording import byte_count, size_words
from dali_studio.kernels.cpu.exif import agreed, exif_orientation
from dali_studio.kernels.cpu.image_info import Buffer, DecodeError, ImageInfo, as_view

_KINDS = {0xC0: "baseline", 0xC1: "extended", 0xC2: "progressive", 0xC3: "lossless"}
_UNSUPPORTED_FRAMES = {
    0xC5: "hierarchical",
    0xC6: "hierarchical progressive",
    0xC7: "hierarchical lossless",
    0xC9: "arithmetic coding",
    0xCA: "arithmetic coding, progressive",
    0xCB: "arithmetic coding, lossless",
    0xCD: "hierarchical, arithmetic coding",
    0xCE: "hierarchical progressive, arithmetic coding",
    0xCF: "hierarchical lossless, arithmetic coding",
}
_ARITHMETIC = (0xC9, 0xCA)
_MARK, _TEM, _RST0, _SOI, _EOI = 0xFF, 0x01, 0xD0, 0xD8, 0xD9
_EXIF = b"Exif\0\0"
_DQT, _SOS, _DRI, _APP0, _APP1, _APP14 = 0xDB, 0xDA, 0xDD, 0xE0, 0xE1, 0xEE
NARROW_TABLE = 65
"""Bytes of a quantisation table whose entries have 8 bits; with 16 it has 129."""


def parse_header(data: Buffer) -> ImageInfo:
    """Read the header segments of a JPEG file up to its first scan.

    Parameters
    ----------
    data : bytes-like
        The whole file, or at least everything up to the first scan.

    Returns
    -------
    ImageInfo
        With all the JPEG fields filled in.

    Raises
    ------
    DecodeError
        When the header is cut off or makes no sense, or the coding is not supported.
    """
    view = as_view(data)
    size = len(view)
    frame, restart, adobe, jfif, wide = 0, 0, -1, False, False
    blocks: list[memoryview] = []
    for marker, position, body, end in _segments(view):
        if marker == _SOS:
            if not frame:
                raise DecodeError("broken JPEG header: the image data starts before any frame header (SOF)")
            components = view[body] if body < size else 0
            return header_info(view[frame:], frame, _orientation(blocks), restart, adobe, jfif, wide, components)
        if marker in _KINDS or marker in _UNSUPPORTED_FRAMES:
            frame = position
        elif marker == _APP1 and bytes(view[body : body + len(_EXIF)]) == _EXIF:
            blocks.append(view[body + len(_EXIF) : end])
        elif marker == _DQT:
            wide = wide or (end - body) % NARROW_TABLE != 0
        elif marker == _DRI and body + 2 <= size:
            restart = view[body] << 8 | view[body + 1]
        elif marker == _APP14:
            adobe = _adobe_transform(view, body, end, adobe)
        elif marker == _APP0:
            jfif = jfif or bytes(view[body : body + 4]) == b"JFIF"
    raise DecodeError(f"the JPEG file ends after {byte_count(size)}, before its image data starts; the file is cut off")


def _segments(view: memoryview) -> Iterator[tuple[int, int, int, int]]:
    """Marker, position of the marker, of the body and of the end, for every segment of the header."""
    position = 2
    while position + 4 <= len(view):
        if view[position] != _MARK:
            found = view[position]
            raise DecodeError(f"broken JPEG header: byte {position} is 0x{found:02x}, expected a marker (0xff)")
        marker = view[position + 1]
        if marker == _MARK:  # fill bytes may stand before any marker
            position += 1
        elif marker == _TEM or _RST0 <= marker <= _SOI:  # markers without a body, which have no business here
            raise DecodeError(f"broken JPEG header: marker 0x{marker:02x} at byte {position}")
        elif marker == _EOI:
            return
        else:
            end = position + 2 + (view[position + 2] << 8 | view[position + 3])
            yield marker, position, position + 4, end
            position = end


def _orientation(blocks: list[memoryview]) -> int:
    """Orientation by all Exif blocks: the parser takes the last one that gives it; OpenCV, if it turns, the first."""
    parsed = next((found for found in map(exif_orientation, reversed(blocks)) if found), 1)
    turned = next((found for block in blocks if (found := exif_orientation(block, damaged=True))), 1)
    return 1 if parsed == 1 else agreed(parsed, turned)


def _adobe_transform(view: memoryview, body: int, end: int, before: int) -> int:
    """Colour transform of an Adobe segment; the one known before if this is another kind of segment."""
    is_adobe = bytes(view[body : body + 5]) == b"Adobe" and end - body >= 12 and body + 12 <= len(view)
    return view[body + 11] if is_adobe else before


def header_info(
    view: memoryview | bytes, place: int, orientation: int, restart: int, adobe: int, jfif: bool, wide: bool,
    scanned: int,
) -> ImageInfo:  # fmt: skip
    """What a header says whose frame header, which stands at `place` of the file, is the beginning of `view`.

    Parameters
    ----------
    orientation, restart : int
        By Exif, and units between restart markers.
    adobe : int
        The transform that an Adobe segment names; -1 for none.
    jfif, wide : bool
        Whether there is a JFIF segment, and a quantisation table of 16 bits.
    scanned : int
        Components of the first scan.

    Raises
    ------
    DecodeError
        When the frame header makes no sense, or the coding is not supported.
    """
    marker = view[1]
    length = view[2] << 8 | view[3]
    if length < 11 or 2 + length > len(view):
        raise DecodeError(f"broken JPEG header: a frame header of {length} bytes, expected at least 11")
    if marker in _UNSUPPORTED_FRAMES and marker not in _ARITHMETIC:
        raise DecodeError(f"this JPEG uses {_UNSUPPORTED_FRAMES[marker]} coding; supported: baseline and progressive")
    bits, count = view[4], view[9]
    height, width = (view[5] << 8 | view[6]), (view[7] << 8 | view[8])
    if length != 8 + 3 * count or height == 0 or width == 0 or count not in (1, 3, 4):
        raise DecodeError(
            f"broken JPEG header: {size_words(height, width)}, {count} components in {length} bytes; expected a size "
            "of 1x1 or more and 1, 3 or 4 components"
        )
    sampling = tuple([(one >> 4, one & 15) for one in view[11 : 11 + 3 * count : 3]])
    names = bytes(view[10 : 10 + 3 * count : 3])
    kind = "arithmetic" if marker in _ARITHMETIC else _KINDS[marker]
    return ImageInfo(
        format="jpeg",
        height=height,
        width=width,
        channels=count,
        orientation=orientation,
        bit_depth=bits,
        kind=kind,
        colors=_color_model(count, adobe, jfif, names),
        inverted=adobe >= 0,
        sampling=sampling,
        restart_interval=restart,
        single_scan=scanned == count and kind in ("baseline", "extended"),
        wide_tables=wide,
        frame_offset=place + 5,
    )


def _color_model(count: int, adobe: int, jfif: bool, names: bytes) -> str:
    """libjpeg's rules: the Adobe marker decides, else JFIF means YCbCr, else the components' names."""
    if count == 1:
        return "gray"
    if count == 4:
        return "ycck" if adobe == 2 else "cmyk"
    if jfif:
        return "ycc"
    if adobe >= 0:
        return "rgb" if adobe == 0 else "ycc"
    return "rgb" if names == b"RGB" else "ycc"
