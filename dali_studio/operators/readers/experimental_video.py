"""``fn.experimental.readers.video``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.video_codec import VideoIndex
from dali_studio.operators.decoders.frames import PAD_MODES, PadArguments, check_fill
from dali_studio.operators.readers.clips import Choose, Sampling, frames_between
from dali_studio.operators.readers.video_base import VideoReader
from dali_studio.schema.arguments import Args
from dali_studio.schema.marks import Choices, Doc, Ignored
from dali_studio.schema.sample_videos import video_folder
from dali_studio.schema.samples import Case

_ROUNDINGS = ("start_down_end_up", "start_up_end_down", "all_up", "all_down")


class Video(PadArguments, VideoReader):
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec.

    Gives frames, uint8 (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. Sequences begin at every `step`-th frame; those that would go beyond the end are left out, unless `pad_mode`
    says what stands for missing frames. nvidia.dali decodes VP8, VP9 and MJPEG on the CPU.

    A range in `file_list` ends before its end. One that is empty, which in nvidia.dali also those are that have a begin
    alone or a time after the last frame, is left out with a warning; so are files of `file_root` that are no videos.
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
            {**root, "pad_mode": "reflect_101"}, {**root, "pad_mode": "symmetric", "step": 2},
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
            ("file_list", {**frames, "file_list": "/no/such"}), ("image_type", {**root, "image_type": "YCbCr"}),
            ("fill_value", {**root, "fill_value": (1, 2)}), ("shard_id", {**root, "shard_id": 3}),
            ("file_list", {**frames, "file_list": video_folder("a/one.webm")}),
        ]  # fmt: skip
        return [
            *(Case(arguments=one) for one in accepted),
            *(Case(arguments=one, refused=name) for name, one in refused),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_fill(args["fill_value"])
        return VideoReader.infer(args)

    @classmethod
    def sampling(cls, args: Args) -> Sampling:
        length, stride = args["sequence_length"], args["stride"]
        step = args["step"] if args["step"] > 0 else length * stride
        return Sampling(length, step, stride, args["pad_mode"], args["fill_value"], args["uniform_sample"])

    @classmethod
    def range(cls, args: Args, begin: str, end: str) -> Choose:
        if args["file_list_format"] == "frames":
            return frames_between(int(begin), int(end))
        return _between(np.float32(begin), np.float32(end), args["file_list_rounding"])


def _between(begin: np.float32, end: np.float32, rounding: str) -> Choose:
    """The frames between two times; a time after the last frame gives an empty range, as in nvidia.dali."""

    def frame(index: VideoIndex, time: np.float32, *, down: bool) -> int:
        ticks = int(float(time) / index.unit)  # a time that is a frame's own means that frame
        return max(int(np.searchsorted(index.pts, ticks, "right" if down else "left")) - down, 0)

    def choose(index: VideoIndex) -> tuple[int, int]:
        if float(end) / index.unit > index.pts[-1]:
            return 0, 0
        first = frame(index, begin, down=rounding in ("start_down_end_up", "all_down"))
        return first, frame(index, end, down=rounding in ("start_up_end_down", "all_down"))

    return choose
