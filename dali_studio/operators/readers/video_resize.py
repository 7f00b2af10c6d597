"""``fn.readers.video_resize``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.operators.common import T
from dali_studio.operators.geometry.resampling import FilterArguments
from dali_studio.operators.geometry.resize import Resize
from dali_studio.operators.geometry.sizes import SizeArguments, check_size_arguments
from dali_studio.operators.readers.clips import Clips, ClipsRead
from dali_studio.operators.readers.video import Video
from dali_studio.schema.arguments import Args
from dali_studio.schema.sample_videos import video_folder
from dali_studio.schema.samples import Case, values


class VideoResize(Video, SizeArguments, FilterArguments):  # pyright: ignore[reportIncompatibleVariableOverride]
    """Reads sequences of frames from videos, and resizes them: `readers.video` and `resize` in one.

    Gives frames, (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. One draw of an argument holds for a whole sequence. nvidia.dali has this reader on the GPU alone.
    """

    path = "readers.video_resize"
    keywords = "dataset video mp4 webm avi frames clips sequences nvdec scale"
    former = ("video_reader_resize",)

    @classmethod
    def samples(cls) -> Sequence[Case]:
        note = "nvidia.dali has it on the GPU alone"
        root = {"file_root": video_folder(), "sequence_length": 3}
        accepted: list[dict[str, Any]] = [
            {"size": (24.0, 31.0)}, {"resize_shorter": 20.0, "pad_sequences": True, "enable_frame_num": "sequence"},
            {"resize_x": 120.0, "interp_type": "INTERP_NN"},
            {"size": (50.0, 90.0), "mode": "not_larger", "max_size": (40.0,)},
            {"resize_longer": 33.0, "dtype": "FLOAT", "normalized": True},
            {"size": (24.0, 30.0), "roi_start": (0.1, 0.2), "roi_end": (0.9, 0.7), "roi_relative": True},
            {"size": 20.0, "interp_type": values(2, 0, dtype=T.INTERP_TYPE)},
            {"size": values((20.0, 31.0), (30.0, 9.0))}, {"resize_shorter": values(9.0, 30.0), "antialias": False},
        ]  # fmt: skip
        refused: list[tuple[str, dict[str, Any]]] = [
            ("size", {}), ("size", {"size": (9.0, 8.0), "resize_x": 5.0}), ("size", {"size": (9.0, 8.0, 7.0)}),
            ("dtype", {"size": 9.0, "dtype": "INT16"}), ("sequence_length", {"size": 9.0, "sequence_length": 99}),
        ]  # fmt: skip
        return [
            *(Case(arguments={**root, **one}, peer=False, note=note) for one in accepted),
            *(Case(arguments={**root, **one}, refused=name) for name, one in refused),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_size_arguments(args, 2)
        return Video.infer(args)

    @classmethod
    def batches(cls, data: Clips, read: ClipsRead, args: Args) -> tuple[Batch, ...]:
        video, *others = super().batches(data, read, args)
        work, frames = Resize.plan(args, video), video.samples
        dtype, stream = video.dtype, data.stream
        if stream is not None:
            resized = stream.empty(work.shapes, dtype, "FHWC", video.sources)
            Resize.gpu(work, (stream.adopt(video),), (resized,), stream)
            return (resized, *others)
        sizes = work.shapes.prod(axis=1) * dtype.itemsize
        made = Packed(args.context.memory(int(sizes.sum())), np.cumsum(sizes) - sizes, work.shapes, dtype)
        args.context.map(lambda index: Resize.cpu(work, index, (frames[index],), (made[index],)), len(made))
        return (Batch.of(made, "FHWC", video.sources, dtype=dtype, ndim=4), *others)
