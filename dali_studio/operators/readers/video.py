"""``fn.experimental.readers.video``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.file_discovery import discover_files
from dali_studio.kernels.cpu.video_codec import NoVideoDecoderError, VideoIndex
from dali_studio.operators.common import T, sentence
from dali_studio.operators.decoders.frames import PAD_MODES, PadArguments, check_fill, video_finding
from dali_studio.operators.readers.clips import Choose, Clips, ClipsRead, Entry, Sampling
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Ignored, Range, Refused, Ui
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.sample_videos import video_folder
from dali_studio.schema.samples import Case

MAX_FRAMES = 1 << 16
_SOURCES = ("filenames", "file_root", "file_list")
_ROUNDINGS = ("start_down_end_up", "start_up_end_down", "all_up", "all_down")
_NEVER = "nvidia.dali's reader does not have it"
_HINTS = {
    "filenames": "Give paths of videos.", "file_root": "Give a folder of folders with videos.",
    "file_list": "Give a text file with a path and a label on each line, and perhaps begin and end.",
}  # fmt: skip
MORE = {"labels": Output("labels", "label"), "frame_num": Output("frame_num", "label"), "times": Output("timestamps")}


class SequenceArguments:
    """Which sequences are taken from which videos."""

    filenames: Annotated[list[str], Doc("Paths of the videos."), COMMON] = []  # noqa: RUF012 - a declaration, read once
    labels: Annotated[list[int] | None, Doc("Labels of filenames; unset: no labels are given.")] = None
    file_root: Annotated[str, Doc("Folder with one sub-folder of videos per class."), Ui("path"), COMMON] = ""
    file_list: Annotated[
        str, Doc("Text file: on each line a path, a label, and perhaps begin and end of a range."), Ui("path"), COMMON
    ] = ""
    sequence_length: Annotated[int, Doc("Frames of a sequence."), Range(1, MAX_FRAMES), COMMON]
    step: Annotated[
        int, Doc("Frames from the begin of a sequence to that of the next; below 1: sequences do not overlap."), COMMON
    ] = -1
    stride: Annotated[int, Doc("Frames from one of a sequence to the next."), Range(1), COMMON] = 1
    enable_frame_num: Annotated[
        str,
        Doc(
            'Give frame numbers: "scalar" that of the first, int32 (1,), "sequence" all, int32 (F,), filled ones -1.'
        ),
        Choices(("none", "scalar", "sequence")),
    ] = "none"
    enable_timestamps: Annotated[
        bool, Doc("Give seconds from the first frame of the video, float64 (F,); -1 for filled frames.")
    ] = False
    image_type: Annotated[DALIImageType, Doc("Colours of the frames."), Choices(("RGB",))] = DALIImageType.RGB
    shuffle_after_epoch: Annotated[bool, Refused(_NEVER)] = False
    shuffle_after_epoch_seed: Annotated[int | None, Refused(_NEVER)] = None


class Video(PadArguments, SequenceArguments, Reader):
    """Reads sequences of frames from videos: MP4, WebM, Matroska, AVI and what else FFmpeg knows, in any codec.

    Gives frames, uint8 (F, H, W, C); labels, int32 (1,), where there are some; then frame numbers and times if they are
    wanted. Sequences begin at every `step`-th frame; those that would go beyond the end are left out, unless `pad_mode`
    says what stands for missing frames. nvidia.dali decodes VP8, VP9 and MJPEG on the CPU.

    A range in `file_list` ends before its end. One that is empty, which in nvidia.dali also those are that have a begin
    alone or a time after the last frame, is left out with a warning; so are files of `file_root` that are no videos.
    """

    path = "experimental.readers.video"
    icon = "file"
    keywords = "dataset video mp4 webm avi frames clips sequences"
    outputs = (Output("video", "video"),)

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
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        labels = values.get("labels") is not None or bool(values.get("file_root") or values.get("file_list"))
        numbers = values.get("enable_frame_num", "none") not in ("none", None)
        wanted = {"labels": labels, "frame_num": numbers, "times": bool(values.get("enable_timestamps"))}
        return (schema.outputs[0], *(MORE[name] for name, given in wanted.items() if given))

    @classmethod
    def infer(cls, args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        check_order(args)
        check_fill(args["fill_value"])
        return (TensorMeta(T.UINT8, 4, "FHWC", "video"), *more_metas(args))

    @classmethod
    def data_set(cls, args: Args) -> Clips:
        length, stride = args["sequence_length"], args["stride"]
        step = args["step"] if args["step"] > 0 else length * stride
        sampling = Sampling(length, step, stride, args["pad_mode"], args["fill_value"], args["uniform_sample"])

        def chosen(begin: str, end: str) -> Choose:
            if args["file_list_format"] == "frames":
                return _frames(int(begin), int(end))
            return _between(np.float32(begin), np.float32(end), args["file_list_rounding"])

        return clips(args, sampling, chosen)

    @classmethod
    def batches(cls, data: Clips, read: ClipsRead, args: Args) -> tuple[Batch, ...]:
        return (data.batch(read, args), *more_batches(data, read, args))


def check_sources(args: Args) -> None:
    """Refuse other than one source of videos, and labels of another number than files."""
    given = [name for name in _SOURCES if args[name]]
    if len(given) != 1:
        message = f"{' and '.join(given)} are given together." if given else "no videos to read are given."
        raise ArgumentError(message, hint=f"Give one of {', '.join(_SOURCES)}.", argument="file_root", code="DS103")
    if args["labels"] is not None and len(args["labels"]) != len(args["filenames"]):
        message = f"{len(args['labels'])} labels are given for {len(args['filenames'])} files."
        raise ArgumentError(message, hint="Give one per file.", argument="labels")


def more_metas(args: Args) -> list[TensorMeta]:
    """What is known of the outputs beside the frames."""
    check_sources(args)
    made: list[TensorMeta] = []
    if args["labels"] is not None or not args["filenames"]:
        made.append(TensorMeta(T.INT32, 1, "", "label"))
    if args["enable_frame_num"] != "none":
        made.append(TensorMeta(T.INT32, 1, "", "label"))
    if args["enable_timestamps"]:
        made.append(TensorMeta(T.FLOAT64, 1, ""))
    return made


def more_batches(data: Clips, read: ClipsRead, args: Args) -> list[Batch]:
    """The outputs beside the frames."""
    made: list[Batch] = []
    if args["labels"] is not None or not args["filenames"]:
        made.append(data.labels(read))
    if args["enable_frame_num"] != "none":
        whole = args["enable_frame_num"] == "sequence"
        numbers = [
            (frames if whole else data.begins[[one]]).astype(np.int32)
            for one, frames in zip(read.picked, read.frames, strict=True)
        ]
        made.append(Batch.of(numbers, dtype=np.dtype(np.int32), ndim=1))
    if args["enable_timestamps"]:
        made.append(data.times(read))
    return made


def clips(args: Args, sampling: Sampling, chosen: Callable[[str, str], Choose]) -> Clips:
    """The sequences of the videos that are given.

    Raises
    ------
    ArgumentError
        For a source that cannot be read, a file that is no video, or where there is no sequence.
    """
    source = next(name for name in _SOURCES if args[name])

    def finding(error: Exception) -> ArgumentError:
        if isinstance(error, NoVideoDecoderError):
            return video_finding(error)
        reason = (
            f"{error.filename} cannot be read: {error.strerror}." if isinstance(error, OSError) else sentence(error)
        )
        return ArgumentError(reason, hint=_HINTS[source], argument=source, code="DS302")

    try:
        made = Clips(_entries(args, source, chosen), sampling, strict=source != "file_root")
    except (OSError, ValueError, NoVideoDecoderError) as error:
        raise finding(error) from error
    if not len(made):
        message = f"no video has the {sampling.length * sampling.stride} frames that a sequence needs."
        hint = "Give a shorter sequence, or a smaller stride, or a pad_mode."
        raise ArgumentError(message, hint=hint, argument="sequence_length", code="DS302")
    return made


def _entries(args: Args, source: str, chosen: Callable[[str, str], Choose]) -> list[Entry]:
    if source == "filenames":
        labels = args["labels"] if args["labels"] is not None else [0] * len(args["filenames"])
        return [Entry(path, label) for path, label in zip(args["filenames"], labels, strict=True)]
    if source == "file_root":
        found = discover_files(args["file_root"], file_filters="*")
        return [Entry(path, int(label)) for path, label in zip(found.paths, found.labels, strict=True)]
    entries: list[Entry] = []
    for number, line in enumerate(Path(args["file_list"]).read_text("utf-8", "surrogateescape").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            path, label = words[0], int(words[1])
            ranged = chosen(words[2], words[3] if len(words) > 3 else "0") if len(words) > 2 else None
        except (ValueError, IndexError):
            wanted = "a path, a label and perhaps begin and end are needed"
            raise ValueError(f"line {number} of {args['file_list']} is {line[:60]!r}; {wanted}") from None
        entries.append(Entry(path, label) if ranged is None else Entry(path, label, ranged))
    return entries


def _frames(begin: int, end: int) -> Choose:
    def choose(index: VideoIndex) -> tuple[int, int]:
        count = len(index)
        return max(begin + count if begin < 0 else begin, 0), min(end + count if end < 0 else end, count)

    return choose


def _between(begin: np.float32, end: np.float32, rounding: str) -> Choose:
    """The frames between two times; a time after the last frame gives an empty range, as in nvidia.dali."""

    def frame(index: VideoIndex, time: np.float32, *, down: bool) -> int:
        # a time that is a frame's own means that frame
        place = (
            np.searchsorted(index.times, float(time), "right") - 1
            if down
            else np.searchsorted(index.times, float(time), "left")
        )
        return max(int(place), 0) if place < len(index) else 0

    def choose(index: VideoIndex) -> tuple[int, int]:
        if float(end) > index.times[-1]:
            return 0, 0
        first = frame(index, begin, down=rounding in ("start_down_end_up", "all_down"))
        return first, frame(index, end, down=rounding in ("start_up_end_down", "all_down"))

    return choose
