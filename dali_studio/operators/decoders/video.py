"""``fn.decoders.video``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.video_codec import GpuColored, NoVideoDecoderError, VideoError, VideoFile
from dali_studio.kernels.cuda.video import DeviceFrames, GpuVideoFile
from dali_studio.operators.common import ON_ERROR, T
from dali_studio.operators.decoders.common import check_encoded
from dali_studio.operators.decoders.frames import PadArguments, check_fill, padded, video_finding
from dali_studio.operators.decoders.opened import opened
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, example
from dali_studio.schema.marks import ANY_NUMBER, COMMON, PER_SAMPLE, Choices, Doc, Ignored
from dali_studio.schema.sample_videos import video_files
from dali_studio.schema.samples import Case, values
from dali_studio.schema.traits import PerSample, ReadsData

#: Frames of a sample beyond which no memory holds them.
_MAX_FRAMES = 1 << 24
_RANGE = ("start_frame", "end_frame", "sequence_length", "stride")


class Video(PadArguments, Operator):
    """Decodes videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any of its codecs.

    Gives frames, uint8 (F, H, W, C), red, green and blue: all of them; those whose numbers `frames` lists, in any
    order; or, from `start_frame`, every `stride`-th up to `end_frame` or as many as `sequence_length` says. nvidia.dali
    decodes VP8, VP9 and MJPEG on the CPU, and refuses the others there.
    """

    path = "decoders.video"
    category = "decoders"
    icon = "picture"
    node_name = "decode"
    keywords = "video mp4 webm avi h264 hevc vp9 frames decode clip"
    former = ("experimental.decoders.video",)
    inputs = (Input("encoded", "encoded"),)
    outputs = (Output("video", "video"),)
    traits = (PerSample, ReadsData)
    devices = ("cpu", "mixed")
    examples = (example(), example(start_frame=2, sequence_length=4, stride=2))

    frames: Annotated[list[int] | None, Doc("Numbers of the frames, from 0 on."), PER_SAMPLE, ANY_NUMBER, COMMON] = None
    start_frame: Annotated[int | None, Doc("The first frame; unset: 0."), PER_SAMPLE, COMMON] = None
    end_frame: Annotated[int | None, Doc("The frame before which to end; unset: the end."), PER_SAMPLE, COMMON] = None
    sequence_length: Annotated[
        int | None, Doc("How many frames; excludes end_frame."), PER_SAMPLE, COMMON
    ] = None  # fmt: skip
    stride: Annotated[int | None, Doc("From one frame to the next; unset: 1."), PER_SAMPLE, COMMON] = None
    on_error: Annotated[
        str,
        Doc(
            'What becomes of files that cannot be decoded: "raise" an error, "skip" the sample in all outputs of the '
            'pipeline, or a "placeholder" without frames.'
        ),
        Choices(ON_ERROR),
    ] = "raise"  # fmt: skip
    build_index: Annotated[bool, Ignored("where frames lie in a file is always looked up before it is decoded")] = True
    affine_: Annotated[bool, Ignored("threads are the pipeline's own")] = True

    @classmethod
    def samples(cls) -> Sequence[Case]:
        vp9, modes = video_files(), ("none", "constant", "edge", "reflect_1001", "reflect_101", "symmetric", "repeat")
        accepted: list[dict[str, Any]] = [
            {}, {"start_frame": 7}, {"end_frame": 3}, {"stride": 4}, {"start_frame": 2, "end_frame": 9, "stride": 3},
            {"start_frame": 8, "sequence_length": 5}, {"frames": (5, 1, 5, 9)}, {"frames": (3, 25, -1)},
            {"frames": ()}, {"sequence_length": 0}, {"start_frame": -1, "fill_value": (1, 2, 3)},
            *({"start_frame": 7, "sequence_length": 30, "pad_mode": mode, "stride": 2} for mode in modes),
            {"end_frame": 12, "pad_mode": "edge"}, {"end_frame": 12, "pad_mode": "none"},
        ]  # fmt: skip
        refused: list[tuple[str, dict[str, Any]]] = [
            ("frames", {"frames": (1,), "stride": 2}), ("end_frame", {"end_frame": 4, "sequence_length": 2}),
            ("start_frame", {"start_frame": 30}), ("end_frame", {"start_frame": 4, "end_frame": 4}),
            ("fill_value", {"start_frame": 8, "sequence_length": 5, "fill_value": (1, 2)}),
            ("fill_value", {"fill_value": 300}), ("sequence_length", {"sequence_length": -1}),
            ("sequence_length", {"sequence_length": 2**31 - 1}), ("start_frame", {"start_frame": -(2**31)}),
            ("stride", {"stride": -1}), ("frames", {"frames": (25,), "pad_mode": "none"}),
            ("pad_mode", {"pad_mode": "bogus"}),
        ]  # fmt: skip
        return [
            *(Case((vp9,), one) for one in accepted),
            *(Case((video_files(codec, size=size), ), {"stride": 3}) for codec in ("vp8", "mjpeg", "vp9")
              for size in ((97, 63), (64, 48))),
            Case((vp9,), {"start_frame": values(0, 3, 9, 2, dtype=T.INT32),
                          "sequence_length": values(1, 4, 2, 3, dtype=T.INT32)}),
            Case((vp9,), {"frames": values([0, 5], [9], [], [3, 2, 1], dtype=T.INT32)}),
            *(Case((vp9,), one, refused=name) for name, one in refused),
        ]  # fmt: skip

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_encoded(inputs[0])
        if args["pad_mode"] == "constant":
            check_fill(args["fill_value"])
        if args.given("frames") and any(args.given(name) for name in _RANGE):
            other = next(name for name in _RANGE if args.given(name))
            raise ArgumentError(f"frames and {other} exclude each other.", hint="Give one of them.", argument="frames")
        if args.given("end_frame") and args.given("sequence_length"):
            message = "end_frame and sequence_length exclude each other."
            raise ArgumentError(message, hint="Give one of them.", argument="end_frame")
        return TensorMeta(T.UINT8, 4, "FHWC", "video")

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        videos = _opened(args, inputs[0])
        good = next((one.index for one in videos if isinstance(one, VideoFile)), None)
        shapes, numbers = np.zeros((len(videos), 4), np.int64), list[NDArray[np.int64]]()
        given = {name: args.scalars(name, np.int64) for name in _RANGE if args.given(name)}
        for sample, one in enumerate(videos):
            index = good if isinstance(one, VideoError) else one.index
            chosen = np.zeros(0, np.int64)
            if isinstance(one, VideoFile):
                chosen = _chosen(args, given, sample, len(one.index))
            numbers.append(chosen)
            shapes[sample] = len(chosen), *((index.height, index.width) if index else (1, 1)), 3
        return Work(shapes, {"videos": videos, "numbers": numbers, "fill": args["fill_value"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        video: VideoFile | VideoError = work.params["videos"][index]
        try:
            if isinstance(video, VideoError):
                raise video
            video.read(work.params["numbers"][index], outputs[0], work.params["fill"])
            video.close()
        except VideoError as error:
            raise video_finding(error) from error

    @staticmethod
    def decode(work: Work, index: int, inputs: Arrays, out: DeviceFrames) -> None:
        found: VideoFile | VideoError = work.params["videos"][index]
        try:
            if isinstance(found, VideoError):
                raise found
            video = GpuVideoFile(out.device_id, inputs[0], found.index, found.hand_over())
            video.read(work.params["numbers"][index], out, work.params["fill"])
            video.close()
        except VideoError as error:
            raise video_finding(error) from error


def _chosen(args: Args, given: Mapping[str, NDArray[Any]], sample: int, count: int) -> NDArray[np.int64]:
    """Numbers of the frames of a sample; -1 for filled ones."""
    mode, argument = args["pad_mode"], "frames" if args.given("frames") else "start_frame"
    if argument == "frames":
        fed = args.samples("frames")
        wanted = np.asarray(args["frames"] if fed is None else fed[sample], np.int64).ravel()
    else:
        wanted = _range({name: int(values[sample]) for name, values in given.items()}, sample, count)
        if mode == "none":
            wanted = wanted[wanted < count]
    try:
        return padded(wanted, count, mode)
    except ValueError as error:
        hint = f"Choose frames of 0 to {count - 1}, or another pad_mode."
        raise ArgumentError(f"{error}.", hint=hint, argument=argument, sample=sample) from error


def _range(given: Mapping[str, int], sample: int, count: int) -> NDArray[np.int64]:
    start, stride, end = given.get("start_frame", 0), given.get("stride", 1), given.get("end_frame", count)
    length = given.get("sequence_length")

    def refuse(argument: str, message: str, hint: str) -> ArgumentError:
        return ArgumentError(message, hint=hint, argument=argument, sample=sample)

    if stride < 1:
        raise refuse("stride", f"the stride is {stride}.", "Give 1 or more.")
    if start >= count:
        message = f"the first frame is {start}, but the video has {count} frames."
        raise refuse("start_frame", message, f"Give less than {count}.")
    if length is None:
        if end <= start:
            message = f"the frame before which to end is {end}, the first one {start}."
            raise refuse("end_frame", message, "Let end_frame be the larger one.")
        length = -(-(end - start) // stride)
        if length > _MAX_FRAMES:
            argument = "start_frame" if start < 0 else "end_frame"
            raise refuse(argument, f"{length:,} frames are asked for.", f"Ask for {_MAX_FRAMES:,} at most.")
    if length < 0:
        raise refuse("sequence_length", f"the length is {length}.", "Give 0 or more.")
    if length > _MAX_FRAMES:
        raise refuse("sequence_length", f"{length:,} frames are asked for.", f"Ask for {_MAX_FRAMES:,} at most.")
    return start + stride * np.arange(length, dtype=np.int64)


def _opened(args: Args, encoded: Batch) -> list[VideoFile | VideoError]:
    """Open the files; DS301 for the sample that is no video, or if FFmpeg is not there."""
    try:
        kind = GpuColored if args.device == "mixed" else VideoFile
        return opened(args, encoded, kind, VideoError, lambda error, sample: video_finding(error, sample=sample))
    except NoVideoDecoderError as error:
        raise video_finding(error) from error
