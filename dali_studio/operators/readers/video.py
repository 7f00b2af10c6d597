"""``fn.readers.video``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.video_codec import VideoIndex
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.readers.clips import Choose, Clips, ClipsRead, Sampling
from dali_studio.operators.readers.video_base import VideoReader
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import named
from dali_studio.schema.marks import Doc, Ignored, Range
from dali_studio.schema.sample_videos import video_folder
from dali_studio.schema.samples import Case


class Video(VideoReader):
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec.

    Gives frames, (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. Sequences begin at every `step`-th frame; those that would go beyond the end are left out, or with
    `pad_sequences` filled with black. `experimental.readers.video` chooses frames in more ways. On a GPU its
    hardware decodes, and colours are other than on the CPU; nvidia.dali has this reader there alone.
    """

    path = "readers.video"
    keywords = "dataset video mp4 webm avi frames clips sequences nvdec"
    former = ("video_reader",)
    dialects = (named("nvidia.dali", gpu_only=True),)

    dtype: Annotated[DALIDataType, Doc("Element type: UINT8 or FLOAT.")] = T.UINT8
    normalized: Annotated[bool, Doc("Floats from 0 to 1 instead of 0 to 255.")] = False
    pad_sequences: Annotated[bool, Doc("Fill sequences that go beyond the end with black frames.")] = False
    file_list_frame_num: Annotated[bool, Doc("Begin and end in file_list are frame numbers, not seconds.")] = False
    file_list_include_preceding_frame: Annotated[
        bool, Doc("Round times to begin at down and to end at up, instead of the other way round.")
    ] = False
    channels: Annotated[int, Doc("Channels of the frames: 3."), Range(3, 3)] = 3
    skip_vfr_check: Annotated[bool, Ignored("videos with frames at uneven times are read as well")] = False
    additional_decode_surfaces: Annotated[int, Ignored("it is a setting of a GPU's decoder")] = 2

    @classmethod
    def samples(cls) -> Sequence[Case]:
        note = "nvidia.dali has it on the GPU alone"
        root = {"file_root": video_folder(), "sequence_length": 3}
        frames = {"file_list": video_folder("frames.txt"), "file_list_frame_num": True, "sequence_length": 2}
        accepted: list[dict[str, Any]] = [
            root, {**root, "pad_sequences": True, "enable_frame_num": "sequence", "enable_timestamps": True},
            {**root, "dtype": "FLOAT"}, {**root, "dtype": "FLOAT", "normalized": True}, frames,
            {"file_list": video_folder("times.txt"), "sequence_length": 1, "enable_frame_num": "scalar"},
            {"filenames": video_folder("a/one.webm"), "labels": (), "sequence_length": 3, "stride": 2, "step": 1},
        ]  # fmt: skip
        return [
            *(Case(arguments=one, peer=False, note=note) for one in accepted),
            Case(arguments={**root, "dtype": "INT16"}, refused="dtype"),
            Case(arguments={**root, "channels": 1}, refused="channels"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        accept_output(args["dtype"], (T.UINT8, T.FLOAT))
        _, *others = VideoReader.infer(args)
        return (TensorMeta(args["dtype"], 4, "FHWC", "video"), *others)

    @classmethod
    def sampling(cls, args: Args) -> Sampling:
        length, stride = args["sequence_length"], args["stride"]
        step = args["step"] if args["step"] > 0 else length * stride
        mode = "constant" if args["pad_sequences"] else "none"
        return Sampling(length, step, stride, mode, (0,), 1 + (length - 1) * stride, pads_all=True)

    @classmethod
    def range(cls, args: Args, begin: np.float32, end: np.float32) -> Choose:
        def choose(index: VideoIndex) -> tuple[int, int]:
            count = len(index)
            if args["file_list_frame_num"]:
                first, last = int(begin), int(end)
            else:
                down, up = math.floor, math.ceil
                if not args["file_list_include_preceding_frame"]:
                    down, up = up, down
                first, last = down(float(begin) * index.rate), up(float(end) * index.rate)
            first, last = first + count if begin < 0 else first, last if end > 0 else last + count
            if not 0 <= first <= last <= count:
                raise ValueError(f"the range from {begin:g} to {end:g} is not in the video, which has {count} frames")
            return first, last

        return choose

    @classmethod
    def elements(cls, args: Args) -> tuple[np.dtype[Any], bool]:
        return to_numpy(args["dtype"]), args["normalized"]

    @classmethod
    def batches(cls, data: Clips, read: ClipsRead, args: Args) -> tuple[Batch, ...]:
        video, *others = super().batches(data, read, args)
        dtype, normalized = cls.elements(args)
        if video.dtype != dtype:
            floats = [frames * np.float32(1 / 255 if normalized else 1) for frames in video.samples]
            video = Batch.of(floats, "FHWC", video.sources, dtype=np.dtype(np.float32), ndim=4)
        return (video, *others)
