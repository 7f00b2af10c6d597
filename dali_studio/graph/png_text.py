"""A document inside of a PNG picture: a text of its own among the picture's chunks."""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: What the text is called in the picture.
KEYWORD = "dali-studio"


def with_text(png: bytes, text: str) -> bytes:
    """The picture with a text, as an international text chunk (iTXt) before its end."""
    body = KEYWORD.encode() + b"\0\0\0\0\0" + text.encode()
    chunk = struct.pack(">I", len(body)) + b"iTXt" + body + struct.pack(">I", zlib.crc32(b"iTXt" + body))
    return png[:-12] + chunk + png[-12:]


def text_in(png: bytes) -> str | None:
    """The text of a picture that `with_text` made; ``None`` for any other data."""
    if not png.startswith(_SIGNATURE):
        return None
    at, head = len(_SIGNATURE), KEYWORD.encode() + b"\0\0\0\0\0"
    while at + 8 <= len(png):
        (size,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + size]
        if kind == b"iTXt" and body.startswith(head):
            try:
                return body[len(head) :].decode()
            except UnicodeDecodeError:
                return None
        at += 12 + size
    return None
