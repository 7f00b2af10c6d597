"""Bytes: encoded files, and text."""

from __future__ import annotations

from dali_studio.studio.outputs.renderers.base import Card, Large, Shown
from dali_studio.studio.protocol.bodies import TextBody

_HEX_BYTES = 72
_TEXT_BYTES = 240


class EncodedRenderer:
    """Shows bytes as text where they are text, else the first ones in hex."""

    def accepts(self, shown: Shown) -> bool:
        """As in `Renderer`."""
        return shown.kind == "encoded" or _text(shown) != ""

    def card(self, shown: Shown, width: int, height: int) -> Card:
        """As in `Renderer`."""
        text = _text(shown)
        if text:
            return Card(TextBody(text=text, hex=False))
        raw = shown.sample.ravel()[:_HEX_BYTES].tobytes()
        return Card(TextBody(text=" ".join(f"{byte:02X}" for byte in raw), hex=True))

    def large(self, shown: Shown, plane: int) -> Large | None:
        """As in `Renderer`."""
        return None


def _text(shown: Shown) -> str:
    """The bytes as text; empty if they are none. A number or two is no text, and neither is a row of a grid."""
    sample = shown.sample
    if sample.dtype.name != "uint8" or sample.ndim != 1 or sample.size < 3 or shown.kind not in ("encoded", "any"):
        return ""
    try:
        # a character may be cut in two at the end
        text = sample[:_TEXT_BYTES].tobytes().decode("utf-8", "ignore" if sample.size > _TEXT_BYTES else "strict")
    except UnicodeDecodeError:
        return ""
    clean = text.rstrip("\0")
    if sample.size > _TEXT_BYTES:
        clean = clean if clean.encode() == sample[: len(clean.encode())].tobytes() else ""
    return clean if clean and all(c.isprintable() or c in "\n\t\r" for c in clean) else ""
