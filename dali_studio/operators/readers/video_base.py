"""What the readers of video share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, cast

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIImageType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.file_discovery import discover_files
from dali_studio.kernels.cpu.video_codec import FrameColors, NoVideoDecoderError
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, sentence
from dali_studio.operators.decoders.frames import video_finding
from dali_studio.operators.readers.ahead import ReaderRun
from dali_studio.operators.readers.clips import Choose, Clips, ClipsRead, Entry, Sampling
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.video_list import read_list
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Range, Refused, Ui
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.traits import MadeOnCpu

_MAX_FRAMES = 1 << 16
_SOURCES = ("filenames", "file_root", "file_list")
_NEVER = "nvidia.dali's reader does not have it"
_HINTS = {
    "filenames": "Give paths of videos.", "file_root": "Give a folder of folders with videos.",
    "file_list": "Give a text file with a path and a label on each line, and perhaps begin and end.",
}  # fmt: skip
_MORE = {"labels": Output("labels", "label"), "frame_num": Output("frame_num", "label"), "times": Output("timestamps")}
#: What `enable_frame_num` may be, and what that means.
_FRAME_NUM = {"none": "none", "False": "none", "scalar": "scalar", "True": "scalar", "sequence": "sequence"}


class VideoReader(Reader, abstract=True):
    """Base of readers of video: they say how sequences are taken, and what the words of a list mean."""

    icon = "file"
    traits = (*Reader.traits, MadeOnCpu)
    devices = ("cpu", "gpu")
    outputs = (Output("video", "video"),)

    filenames: Annotated[list[str], Doc("Paths of the videos."), COMMON] = []  # noqa: RUF012 - a declaration, read once
    labels: Annotated[list[int] | None, Doc("Labels of filenames; unset: no labels are given.")] = None
    file_root: Annotated[str, Doc("Folder with one sub-folder of videos per class."), Ui("path"), COMMON] = ""
    file_list: Annotated[
        str, Doc("Text file: on each line a path, a label, and perhaps begin and end of a range."), Ui("path"), COMMON
    ] = ""
    sequence_length: Annotated[int, Doc("Frames of a sequence."), Range(1, _MAX_FRAMES), COMMON]
    step: Annotated[
        int, Doc("Frames from the begin of a sequence to that of the next; below 1: sequences do not overlap."), COMMON
    ] = -1
    stride: Annotated[int, Doc("Frames from one of a sequence to the next."), Range(1), COMMON] = 1
    enable_frame_num: Annotated[
        str,
        Doc('Give frame numbers: "scalar" that of the first, int32 (1,), "sequence" all, int32 (F,), filled ones -1.'),
        Choices(tuple(_FRAME_NUM)),
    ] = "none"
    enable_timestamps: Annotated[
        bool, Doc("Give seconds from the first frame of the video, float64 (F,); -1 for filled frames.")
    ] = False
    image_type: Annotated[
        DALIImageType,
        Doc("RGB, or YCbCr: luma and chroma as they are in the file, chroma in the size of luma."),
        Choices(("RGB", "YCbCr")),
    ] = DALIImageType.RGB
    shuffle_after_epoch: Annotated[bool, Refused(_NEVER)] = False
    shuffle_after_epoch_seed: Annotated[int | None, Refused(_NEVER)] = None

    @classmethod
    def sampling(cls, args: Args) -> Sampling:
        """How sequences are taken."""
        raise NotImplementedError

    @classmethod
    def range(cls, args: Args, begin: np.float32, end: np.float32) -> Choose:
        """The range of frames that two numbers of a list mean."""
        raise NotImplementedError

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        labels = values.get("labels") is not None or not values.get("filenames")
        numbers = _FRAME_NUM.get(str(values.get("enable_frame_num")), "none") != "none"
        wanted = {"labels": labels, "frame_num": numbers, "times": bool(values.get("enable_timestamps"))}
        return (schema.outputs[0], *(_MORE[name] for name, given in wanted.items() if given))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args)
        _check_sources(args)
        made = [TensorMeta(T.UINT8, 4, "FHWC", "video")]
        if _labelled(args):
            made.append(TensorMeta(T.INT32, 1, "", "label"))
        if _FRAME_NUM[args["enable_frame_num"]] != "none":
            made.append(TensorMeta(T.INT32, 1, "", "label"))
        if args["enable_timestamps"]:
            made.append(TensorMeta(T.FLOAT64, 1, ""))
        return tuple(made)

    @classmethod
    def data_set(cls, args: Args) -> Clips:
        source, sampling = next(name for name in _SOURCES if args[name]), cls.sampling(args)
        try:
            dtype, normalized = cls.elements(args)
            colors = FrameColors(args["image_type"] is DALIImageType.YCbCr, normalized)
            made = Clips(cls._entries(args, source), sampling, colors, dtype if args.device == "gpu" else None)
        except NoVideoDecoderError as error:
            raise video_finding(error) from error
        except (OSError, ValueError) as error:
            reason = sentence(error)
            if isinstance(error, OSError):
                reason = f"{error.filename} cannot be read: {error.strerror}."
            raise ArgumentError(reason, hint=_HINTS[source], argument=source, code="DS302") from error
        if not made.longest:
            message, hint = "no video has a frame in its range.", "Give ranges that end behind their begin."
            raise ArgumentError(message, hint=hint, argument=source, code="DS302")
        if not len(made):
            # the last stride of a sequence may go beyond the end
            most = (made.longest + sampling.length * sampling.stride - sampling.span) // sampling.stride
            message = f"a sequence needs {sampling.span} frames; the longest video has {made.longest}."
            hint = f"Use at most {most}, or " if most else "Use "
            hint += "a smaller stride, or let the end be padded."
            raise ArgumentError(message, hint=hint, argument="sequence_length")
        return made

    @classmethod
    def _entries(cls, args: Args, source: str) -> list[Entry]:
        if source == "filenames":
            labels = args["labels"] or range(len(args["filenames"]))
            return [Entry(path, label) for path, label in zip(args["filenames"], labels, strict=True)]
        if source == "file_root":
            found = discover_files(args["file_root"], file_filters="*")
            return [Entry(path, int(label)) for path, label in zip(found.paths, found.labels, strict=True)]
        entries: list[Entry] = []
        for video in read_list(args["file_list"]):
            entry = Entry(video.path, video.label)
            is_whole = video.begin == 0 and video.end == 0
            entries.append(entry if is_whole else entry._replace(choose=cls.range(args, video.begin, video.end)))
        if not entries:
            raise ValueError(f"{args['file_list']} lists no video")
        return entries

    @classmethod
    def batches(cls, data: Clips, read: ClipsRead, args: Args) -> tuple[Batch, ...]:
        made, wanted = [data.batch(read, args)], _FRAME_NUM[args["enable_frame_num"]]
        if _labelled(args):
            made.append(data.labels(read))
        if wanted != "none":
            made.append(data.numbers(read) if wanted == "sequence" else data.first_numbers(read))
        if args["enable_timestamps"]:
            made.append(data.times(read))
        return tuple(made)

    @classmethod
    def run_gpu(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls, state: ReaderRun[Any], args: Args, inputs: Sequence[Batch], stream: GpuStream
    ) -> tuple[Batch, ...]:
        cast("Clips", state.data).decode_on(stream)
        return cls.run(state, args)

    @staticmethod
    def in_advance(data: Clips) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return data.in_advance()

    @classmethod
    def elements(cls, args: Args) -> tuple[np.dtype[Any], bool]:
        """Element type of frames, and whether floats are from 0 to 1."""
        return np.dtype(np.uint8), False

    @staticmethod
    def close(state: ReaderRun[Any]) -> None:
        state.close()
        cast("Clips", state.data).close()


def _labelled(args: Args) -> bool:
    return args["labels"] is not None or not args["filenames"]


def _check_sources(args: Args) -> None:
    """Refuse other than one source of videos, and labels of another number than files."""
    given = [name for name in _SOURCES if args[name]]
    if len(given) != 1:
        every = ", ".join(_SOURCES)
        message = f"{' and '.join(given)} are given together." if given else f"nothing to read: {every} are not set."
        raise ArgumentError(message, hint=f"Give one of {every}.", argument="file_root", code="DS103")
    labels, files = args["labels"], args["filenames"]
    if labels and len(labels) != len(files):
        message = f"{len(labels)} labels are given for {len(files)} files."
        raise ArgumentError(message, hint="Give one per file.", argument="labels")
