"""``fn.experimental.readers.video``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.video_codec import VideoIndex
from dali_studio.operators.decoders.frames import PAD_MODES, PadArguments, check_fill
from dali_studio.operators.readers.clips import Choose, Sampling
from dali_studio.operators.readers.video_base import VideoReader
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import Choices, Doc, Ignored
from dali_studio.schema.sample_videos import video_folder
from dali_studio.schema.samples import Case

#: What does not fit into 64 bits, of which nvidia.dali makes the least number there is: in 32 bits, 0.
_TOO_LARGE = 2**63
_ROUNDINGS = ("start_down_end_up", "start_up_end_down", "all_up", "all_down")


class Video(PadArguments, VideoReader):
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec.

    Gives frames, uint8 (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. Sequences begin at every `step`-th frame; those that would go beyond the end are left out, unless `pad_mode`
    says what stands for missing frames. nvidia.dali decodes VP8, VP9 and MJPEG on the CPU.

    A range in `file_list` ends before its end. One that is empty, which in nvidia.dali also those are that have a begin
    alone or end after the last frame's time, is left out with a warning; so are files that are no videos.
    """

    path = "experimental.readers.video"
    keywords = "dataset video mp4 webm avi frames clips sequences"

    pad_mode: Annotated[
        str,
        Doc('Frames after the end: "none" leaves such sequences out; otherwise as in decoders.video.'),
        Choices(PAD_MODES),
    ] = "none"
    uniform_sample: Annotated[
        bool, Doc("Take one sequence from each video or range, spread evenly over it; step and stride have no effect.")
    ] = False
    file_list_format: Annotated[
        str, Doc("What begin and end are: seconds, or frame numbers, of which negative ones count from the end."),
        Choices(("timestamps", "frames")),
    ] = "timestamps"  # fmt: skip
    file_list_rounding: Annotated[
        str, Doc("Which frames are meant by times between two frames."), Choices(_ROUNDINGS)
    ] = "start_down_end_up"
    file_list_include_end: Annotated[bool, Ignored("in nvidia.dali, too, a range ends before its end")] = True

    @classmethod
    def samples(cls) -> Sequence[Case]:
        root = {"file_root": video_folder(), "sequence_length": 3}
        files = {"filenames": video_folder("a/one.webm"), "sequence_length": 4}
        frames = {"file_list": video_folder("frames.txt"), "file_list_format": "frames", "sequence_length": 2}
        times = {"file_list": video_folder("times.txt"), "sequence_length": 1, "enable_frame_num": "scalar"}
        whole = {"enable_frame_num": "sequence"}
        accepted: list[dict[str, Any]] = [
            root, {**root, "step": 1, "stride": 2}, {**root, "pad_mode": "edge", "stride": 2},
            {**root, **whole, "pad_mode": "constant", "fill_value": (7, 8, 9), "enable_timestamps": True},
            {**root, "pad_mode": "reflect_101", "step": 1}, {**root, "pad_mode": "symmetric", "step": 2},
            {**root, "fill_value": (1, 2)},
            {**root, "enable_frame_num": "scalar"}, {**root, "enable_timestamps": True},
            {**root, **whole, "uniform_sample": True}, {**root, "uniform_sample": True, "sequence_length": 9},
            {**root, "random_shuffle": True, "initial_fill": 4},
            {**root, "num_shards": 2, "shard_id": 1, "pad_last_batch": True},
            {**root, "num_shards": 3, "stick_to_shard": True, "random_shuffle": True},
            files, {**files, "labels": (5,)}, {**files, "sequence_length": 1, "enable_frame_num": "scalar"},
            {"file_list": video_folder("list.txt"), "sequence_length": 3}, frames, {**frames, "uniform_sample": True},
            {**frames, **whole, "pad_mode": "reflect_1001", "sequence_length": 5},
            *({**times, "file_list_rounding": one} for one in _ROUNDINGS),
        ]  # fmt: skip
        refused: list[tuple[str, dict[str, Any]]] = [
            ("file_root", {"sequence_length": 3}), ("file_root", {**root, **files}),
            ("labels", {**files, "labels": (1, 2)}), ("sequence_length", {**root, "sequence_length": 99}),
            ("filenames", {**files, "filenames": "/no/such.mp4"}),
            ("filenames", {**files, "filenames": video_folder("list.txt")}),
            ("file_list", {**frames, "file_list": "/no/such"}), ("image_type", {**root, "image_type": "GRAY"}),
            ("fill_value", {**root, "fill_value": (1, 2), "pad_mode": "constant"}),
            ("fill_value", {**root, "fill_value": ()}),
            ("shard_id", {**root, "shard_id": 3}), ("file_list", {**frames, "file_list": video_folder("a/one.webm")}),
        ]  # fmt: skip
        return [
            *(Case(arguments=one) for one in accepted),
            Case(arguments={**root, "image_type": "YCbCr"}, peer=False, note="nvidia.dali fails on the CPU"),
            *(Case(arguments=one, refused=name) for name, one in refused),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        if args["pad_mode"] == "constant" or not args["fill_value"]:
            check_fill(args["fill_value"])
        if args["filenames"] and args["labels"] is not None and not args["labels"]:
            raise ArgumentError("no labels are given.", hint="Give one per file, or none at all.", argument="labels")
        return VideoReader.infer(args)

    @classmethod
    def sampling(cls, args: Args) -> Sampling:
        length, stride = args["sequence_length"], args["stride"]
        step = args["step"] if args["step"] > 0 else length * stride
        # nvidia.dali asks for a stride after the last frame, too
        return Sampling(
            length, step, stride, args["pad_mode"], args["fill_value"], length * stride, uniform=args["uniform_sample"]
        )

    @classmethod
    def range(cls, args: Args, begin: np.float32, end: np.float32) -> Choose:
        rounding = args["file_list_rounding"]
        down = rounding in ("start_down_end_up", "all_down"), rounding in ("start_up_end_down", "all_down")
        place = _numbered if args["file_list_format"] == "frames" else _timed

        def choose(index: VideoIndex) -> tuple[int, int]:
            first, last = place(index, begin, down=down[0]), place(index, end, down=down[1])
            return first, min(last, len(index))

        return choose


def _numbered(index: VideoIndex, number: np.float32, *, down: bool) -> int:
    """The frame that a number means; negative ones count from the end."""
    from_begin = np.float32(len(index)) + number if number < 0 else number
    return _whole(math.floor(from_begin) if down else math.ceil(from_begin))


def _timed(index: VideoIndex, seconds: np.float32, *, down: bool) -> int:
    """The frame at a time, or next to it; after the last frame the first one, as in nvidia.dali."""
    ticks = float(seconds) * index.time_base.denominator / index.time_base.numerator
    if abs(ticks) >= _TOO_LARGE or ticks >= index.pts[-1] + 1:
        return 0
    frame = int(np.searchsorted(index.pts, int(ticks)))  # a time that is a frame's own means that frame
    return max(frame - 1, 0) if down and index.pts[frame] != int(ticks) else frame


def _whole(number: int) -> int:
    """What conversions to 64 and to 32 bits make of a number in nvidia.dali."""
    return (number + 2**31) % 2**32 - 2**31 if abs(number) < _TOO_LARGE else 0
