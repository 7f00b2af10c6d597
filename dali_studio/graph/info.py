"""What is known of a port, in the few words that the designer shows."""

from __future__ import annotations

from dali_studio.core.dtypes import short_name
from dali_studio.core.meta import TensorMeta


def describe(meta: TensorMeta) -> str:
    """For example ``?×?×3 u8 HWC``.

    Extents that differ from sample to sample are ``?``; the channels of a batch are not known before it exists. An
    unknown rank or type is ``–``; nothing known at all is ``–`` alone.
    """
    if meta.kind == "encoded":
        return "encoded bytes"
    parts: list[str] = []
    if meta.ndim is not None:
        parts.append("×".join("?" * meta.ndim) if meta.ndim else "scalar")
    elif meta.layout:
        parts.append("×".join("?" * len(meta.layout)))
    if meta.dtype is not None:
        parts.append(short_name(meta.dtype))
    if not parts:
        return "–"
    if meta.dtype is None:
        parts.append("–")
    if meta.ndim is None and not meta.layout:
        parts.insert(0, "–")
    return " ".join([*parts, *([meta.layout] if meta.layout else [])])
