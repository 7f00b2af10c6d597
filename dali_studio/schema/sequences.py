"""Sequences: samples whose first axis F counts frames, for operators that work on each frame alone."""

from __future__ import annotations

from dali_studio.core.meta import TensorMeta


def is_sequence(meta: TensorMeta) -> bool:
    """Whether the samples are sequences of frames."""
    return bool(meta.layout) and meta.layout.startswith("F")  # pyright: ignore[reportOptionalMemberAccess]


def frame_of(meta: TensorMeta) -> TensorMeta:
    """The type of a frame; that of the sample, if it is no sequence."""
    if not meta.layout or not is_sequence(meta):
        return meta
    kind = "image" if meta.kind == "video" else meta.kind
    return meta.with_(ndim=None if meta.ndim is None else meta.ndim - 1, layout=meta.layout[1:], kind=kind)


def sequence_of(meta: TensorMeta) -> TensorMeta:
    """The type of a sequence of frames."""
    layout = f"F{meta.layout}" if meta.layout else meta.layout
    kind = "video" if meta.kind == "image" else meta.kind
    return meta.with_(ndim=None if meta.ndim is None else meta.ndim + 1, layout=layout, kind=kind)
