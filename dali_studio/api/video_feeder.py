"""Videos from the program: what stands behind ``fn.experimental.inputs.video`` while a pipeline runs."""

from __future__ import annotations

from typing import cast

import numpy as np

from dali_studio.api.source_pool import ParallelSource
from dali_studio.api.sources import SourceFeeder, TakeIn
from dali_studio.core.batch import Batch
from dali_studio.graph.node import Node
from dali_studio.kernels.cpu.video_codec import GpuColored, NoVideoDecoderError, VideoError, VideoFile
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.video import GpuVideoFile, frames_of
from dali_studio.operators.common import sentence
from dali_studio.operators.sources.video import Video
from dali_studio.runtime.request import ExternalInput


def feeder_for(
    node: Node, batch_size: int, take_in: TakeIn | None = None, parallel: ParallelSource | None = None,
    stream: GpuStream | None = None,
) -> SourceFeeder:  # fmt: skip
    """What gives an external source, or an input of videos, its batches; on a GPU, if it has its `stream`."""
    if node.operator == Video.path:
        return VideoFeeder(node, batch_size, stream)
    return SourceFeeder(node, batch_size, take_in, parallel)


class VideoFeeder(SourceFeeder):
    """Gives the sequences of the videos that were fed, one video after the other.

    Parameters
    ----------
    node, batch_size
        As of `SourceFeeder`.
    stream : GpuStream, optional
        Of the GPU that is to decode.
    """

    def __init__(self, node: Node, batch_size: int, stream: GpuStream | None = None) -> None:
        super().__init__(node, batch_size)
        self._stream = stream
        self._video: VideoFile | None = None
        self._next_frame = 0

    def ready(self) -> bool:
        return self._video is not None or super().ready()

    def take(self) -> ExternalInput:
        """The next sequences; errors as of `SourceFeeder.take`, and DS301 for what is no video."""
        try:
            video = self._video or self._opened(super().take()[0])
            self._video = None  # until it has turned out that there are more frames in it
            return (self._sequences(video),)
        except (VideoError, NoVideoDecoderError) as error:
            message = f"The video cannot be decoded: {sentence(error)[:-1]}."
            hint = "Feed the contents of a video file; to decode it, the package av is needed."
            raise self._error("DS301", message, hint) from error

    def _opened(self, fed: Batch) -> VideoFile:
        file = fed.samples[0]
        if file.dtype != np.uint8:
            raise self._error("DS203", f"The data is {file.dtype}; a file is uint8.", "Give the bytes of the file.")
        self._next_frame = 0
        if self._stream is not None:
            return GpuVideoFile(self._stream.device_id, file.ravel())
        return (GpuColored if self._node.device == "mixed" else VideoFile)(file.ravel())

    def _sequences(self, video: VideoFile) -> Batch:
        count, length = len(video.index), cast(int, self._argument("sequence_length"))
        begin, end = self._next_frame, min(self._next_frame + length * self._batch_size, count)
        filled = -(end - begin) % length if self._argument("last_sequence_policy") == "pad" else 0
        numbers = np.concatenate([np.arange(begin, end), np.full(filled, -1)])
        sequences = [numbers[at : at + length] for at in range(0, len(numbers), length)]
        shapes = np.array([(len(one), video.index.height, video.index.width, 3) for one in sequences], np.int64)
        stream = self._stream
        if stream is None:
            frames = [np.empty(shape, np.uint8) for shape in shapes]
            made, rooms = Batch.of(frames, "FHWC"), frames
        else:
            made = stream.apart(shapes, np.dtype(np.uint8), "FHWC")
            rooms = [frames_of(made, position) for position in range(len(sequences))]
        for sequence, room in zip(sequences, rooms, strict=True):
            video.read(sequence, room)
        if stream is not None:
            stream.is_filled(made)
        if end < count:
            self._video, self._next_frame = video, end
        else:
            video.close()
        return made
