"""What is known of a port, in the few words that the designer shows."""

from __future__ import annotations

from dali_studio.core.dtypes import short_name
from dali_studio.core.meta import TensorMeta


def describe(meta: TensorMeta) -> str:
    """For example ``H×W×C u8``.

    Extents are not known before there is a batch: the layout's letters stand for them, else the number of axes. An
    unknown rank or type is ``–``; nothing known at all is ``–`` alone.
    """
    if meta.kind == "encoded":
        return "encoded bytes"
    parts: list[str] = []
    if meta.layout:
        parts.append("×".join(meta.layout))
    elif meta.ndim is not None:
        parts.append(f"{meta.ndim}-D" if meta.ndim else "scalar")
    if meta.dtype is not None:
        parts.append(short_name(meta.dtype))
    if not parts:
        return "–"
    if meta.dtype is None:
        parts.append("–")
    if meta.ndim is None and not meta.layout:
        parts.insert(0, "–")
    return " ".join(parts)
