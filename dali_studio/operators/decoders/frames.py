"""Frames of videos, as decoders and readers of video take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.video_codec import NoVideoDecoderError
from dali_studio.operators.borders import mirrored, mirrored_between, repeated
from dali_studio.operators.common import sentence
from dali_studio.schema.marks import Choices, Doc, Range

#: What becomes of frames that a video does not have, by the words of programs.
PAD_MODES = ("none", "constant", "edge", "repeat", "reflect_1001", "symmetric", "reflect_101", "reflect")
_CHANNELS = 3


class PadArguments:
    """What stands for frames that a video does not have."""

    pad_mode: Annotated[
        str,
        Doc(
            'Frames that the video does not have: "none" leaves them out; "constant" fills them with fill_value; '
            '"edge" or "repeat" gives the last one; "reflect_1001" or "symmetric", and "reflect_101" or "reflect" go '
            "back, with and without the last one twice."
        ),
        Choices(PAD_MODES),
    ] = "constant"  # fmt: skip
    fill_value: Annotated[
        list[int], Doc("The colour of filled frames: a number, or one for each channel."), Range(0, 255)
    ] = [0]  # noqa: RUF012 - a declaration, read once


def padded(wanted: NDArray[np.int64], count: int, mode: str) -> NDArray[np.int64]:
    """Which frames of a video of `count` frames stand for those that are wanted; -1 for filled ones.

    Raises
    ------
    ValueError
        With ``"none"``, for a frame that there is not.
    """
    inside = (wanted >= 0) & (wanted < count)
    if inside.all():
        return wanted
    if mode == "none":
        missing = int(wanted[~inside][0])
        raise ValueError(f"there is no frame {missing}; the video has {count}")
    if mode == "constant":
        return np.where(inside, wanted, -1)
    if mode in ("edge", "repeat"):
        return repeated(wanted, count)
    return mirrored(wanted, count) if mode in ("reflect_1001", "symmetric") else mirrored_between(wanted, count)


def check_fill(values: Sequence[int]) -> None:
    """Refuse a fill value of neither one number nor one for each channel."""
    if len(values) not in (1, _CHANNELS):
        raise ArgumentError(
            f"fill_value has {len(values)} values; the frames have {_CHANNELS} channels.",
            hint=f"Give 1 or {_CHANNELS} values.", argument="fill_value",
        )  # fmt: skip


def video_finding(error: Exception, name: str = "", sample: int | None = None) -> ArgumentError:
    """What is said of a video that cannot be decoded."""
    if isinstance(error, NoVideoDecoderError):
        message, hint = f"video cannot be decoded: {error}.", "Run: pip install av"
        return ArgumentError(message, hint=hint, code="DS301")
    hint = 'Replace the file, or take it out of the data set; on_error="skip" leaves such files out.'
    reason = f"{name} cannot be decoded: {error}." if name else sentence(error)
    return ArgumentError(reason, hint=hint, sample=sample, code="DS301")
