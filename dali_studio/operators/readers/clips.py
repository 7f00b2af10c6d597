"""Data sets whose samples are sequences of frames of videos."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.progress import doing
from dali_studio.core.storage import Packed
from dali_studio.core.timed import TimedSource
from dali_studio.kernels.cpu.video_codec import (
    IN_ONE_GO,
    RGB,
    EmptyVideoError,
    FrameColors,
    GpuColored,
    VideoError,
    VideoFile,
    VideoIndex,
)
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.kernels.cuda.video import frames_of
from dali_studio.operators.decoders.frames import padded, video_finding
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.operators.readers.engines import Engines, Frame
from dali_studio.schema.arguments import Args

#: Videos that stay open, to go on where a sequence has ended.
_OPEN = 16
#: Threads that look up where frames lie.
_THREADS = 8
#: How long before the first frame of a video a range may begin: so many sequences are filled frames alone.
_MAX_BEFORE = 1 << 20


#: Gives the range of frames that is meant, of the index of a video.
Choose = Callable[[VideoIndex], tuple[int, int]]


class Entry(NamedTuple):
    """A video of the data set, its label, and what range of it is meant."""

    path: str
    label: int
    choose: Choose = lambda index: (0, len(index))


class Sampling(NamedTuple):
    """How sequences are taken from videos.

    Attributes
    ----------
    length, step, stride : int
    pad_mode : str
    fill : sequence of int
    span : int
        Frames that there must be from the begin of a sequence on for it not to go beyond the end.
    pads_all : bool
        Whether all sequences that go beyond the end are padded, and not the first one of a range alone.
    uniform : bool
    """

    length: int
    step: int
    stride: int
    pad_mode: str
    fill: Sequence[int]
    span: int
    pads_all: bool = False
    uniform: bool = False

    def begins(self, first: int, end: int) -> NDArray[np.int64]:
        """Where sequences begin in a range of frames.

        Raises
        ------
        ValueError
            For a range that begins before the first frame, where nothing stands for missing frames, or long before it.
        """
        if first < 0 and (self.uniform or self.pad_mode == "none" or first < -_MAX_BEFORE):
            raise ValueError(f"the range begins {-first} frames before the first one")
        if self.uniform:
            return np.array([first], np.int64)
        begins = np.arange(first, max(end - self.span + 1, first), self.step, dtype=np.int64)
        if self.pad_mode == "none":
            return begins
        tails = np.arange(first + len(begins) * self.step, end, self.step, dtype=np.int64)
        return np.concatenate([begins, tails if self.pads_all else tails[:1]])

    def frames(self, begin: int, end: int) -> NDArray[np.int64]:
        """The frames of the sequence that begins at `begin`; -1 for filled ones."""
        if self.uniform:
            return np.floor(np.linspace(begin, end - 1, self.length) + 0.5).astype(np.int64)
        return padded(begin + self.stride * np.arange(self.length, dtype=np.int64), end, self.pad_mode)


@dataclass(slots=True)
class ClipsRead:
    """Some sequences.

    Attributes
    ----------
    picked : list of int
        Which sequences of the data set these are.
    data : Packed or Batch
        (F, H, W, C) each, in host memory, or on a GPU.
    frames : list of ndarray
        The numbers of their frames; -1 for filled ones.
    failures : dict
        Why sequences cannot be decoded, by their position.
    """

    picked: list[int]
    data: Packed | Batch
    frames: list[NDArray[np.int64]]
    failures: dict[int, Exception] = field(default_factory=dict[int, Exception])


@dataclass(frozen=True, slots=True)
class _Part:
    """Frames of a batch that one decoder gives in one go.

    Attributes
    ----------
    path : str
    index : VideoIndex
    frames : list of (int, int, int)
        Numbers, the positions of their sequences, and their places in these; numbers in order.
    """

    path: str
    index: VideoIndex
    frames: list[tuple[int, int, int]]


class Clips:
    """Sequences of frames.

    Parameters
    ----------
    entries : sequence of Entry
    sampling : Sampling
    colors : FrameColors
    gpu_dtype : dtype, optional
        Frames have the colours of a GPU's decoder, whoever decodes them, and this type: uint8 or float32.

    Raises
    ------
    VideoError, OSError
        For a video without a frame, as in nvidia.dali; and where no file can be read, for the first of them, with its
        path as `filename`. Other files that cannot be read are left out, with a warning.
    NoVideoDecoderError
    """

    def __init__(
        self, entries: Sequence[Entry], sampling: Sampling, colors: FrameColors = RGB,
        gpu_dtype: np.dtype[Any] | None = None,
    ) -> None:  # fmt: skip
        self.sampling, self._colors = sampling, colors
        self._begin: Callable[[str, VideoIndex], VideoFile] = VideoFile if gpu_dtype is None else GpuColored
        self._dtype = np.dtype(np.uint8) if gpu_dtype is None else gpu_dtype
        #: What decodes frames, if they are not decoded to host memory.
        self._engines: Engines | None = None
        found = _indices(sorted({entry.path for entry in entries}))
        self.entries: list[Entry] = []
        self.indices: list[VideoIndex] = []
        unreadable: list[tuple[str, Exception]] = []
        files, begins, ends = [np.empty(0, np.int64)], [np.empty(0, np.int64)], list[int]()
        #: Frames of the longest range, from which sequences are taken.
        self.longest = 0
        for entry in entries:
            index = found[entry.path]
            if isinstance(index, EmptyVideoError):
                raise index
            if isinstance(index, Exception):
                unreadable.append((entry.path, index))
                continue
            try:
                first, end = entry.choose(index)
                begun = sampling.begins(first, end)
            except ValueError as error:
                raise ValueError(f"{entry.path}: {error}") from error
            if end <= first:
                message = f"{entry.path} is left out: its range is empty (frames {first} to {end})"
                warnings.warn(message, UserWarning, stacklevel=2)
                continue
            begins.append(begun)
            files.append(np.full(len(begins[-1]), len(self.entries), np.int64))
            ends.append(end)
            self.longest = max(self.longest, end - first)
            self.entries.append(entry)
            self.indices.append(index)
        if len(unreadable) == len(entries) > 0:
            raise unreadable[0][1]
        for path, error in unreadable:
            warnings.warn(f"{path} is left out: {error}", UserWarning, stacklevel=2)
        self.files, self.begins = np.concatenate(files), np.concatenate(begins)
        self.ends = np.array(ends, np.int64)
        self._idle: list[tuple[str, VideoFile]] = []
        #: Of batches that are being read: an event for the end, by the sequence after their last one.
        self._reading: dict[int, threading.Event] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.files)

    def decode_on(self, stream: GpuStream) -> None:
        """Let frames be decoded by a GPU from now on, into its memory."""
        if self._engines is None:
            self._engines = Engines(stream, self._colors)

    def in_advance(self) -> int:
        """Batches that are to be read at the same time for a GPU's decoders to have work; 0 where none is used."""
        return 0 if self._engines is None else self._engines.in_advance()

    @property
    def stream(self) -> GpuStream | None:
        """Of the GPU that frames are decoded on, if it is one."""
        return None if self._engines is None else self._engines.stream

    def close(self) -> None:
        """Give back what open files hold."""
        if self._engines is not None:
            self._engines.close()
        with self._lock:
            idle, self._idle = self._idle, []
        for _, video in idle:
            video.close()

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> ClipsRead:
        """As `DataSet.read`."""
        del ahead
        numbers = [self.sampling.frames(int(self.begins[one]), int(self.ends[self.files[one]])) for one in picked]
        shapes = np.zeros((len(picked), 4), np.int64)
        for position, chosen in enumerate(picked):
            index = self.indices[int(self.files[chosen])]
            shapes[position] = len(numbers[position]), index.height, index.width, 3
        if self._engines is not None:
            return self._read_on_gpu(self._engines, picked, numbers, shapes)
        sizes = shapes.prod(axis=1) * self._dtype.itemsize
        data = Packed(memory(int(sizes.sum())), np.cumsum(sizes) - sizes, shapes, self._dtype)
        made, rooms = ClipsRead(picked, data, numbers), [data[position] for position in range(len(shapes))]
        ended, after = threading.Event(), picked[-1] + 1 if picked else -1
        with self._lock:
            before = self._reading.get(picked[0]) if picked else None
            self._reading[after] = ended
        parts = self._parts(picked, numbers)
        try:
            if before is not None:
                before.wait()  # a video is decoded once, if its sequences follow each other
            run(lambda which: self._read_part(made, parts[which], rooms), len(parts))
            self._fill(made, rooms)
        finally:
            ended.set()
            with self._lock:
                if self._reading.get(after) is ended:
                    del self._reading[after]
        return made

    def _read_on_gpu(
        self, engines: Engines, picked: list[int], numbers: list[NDArray[np.int64]], shapes: NDArray[np.int64]
    ) -> ClipsRead:  # fmt: skip
        data = engines.stream.apart(shapes, self._dtype, "FHWC")
        rooms = [frames_of(data, position) for position in range(len(shapes))]
        frames: list[Frame] = []
        for position, chosen in enumerate(picked):
            file = int(self.files[chosen])
            path, index = self.entries[file].path, self.indices[file]
            for place, number in enumerate(numbers[position].tolist()):
                if number >= 0:
                    frames.append(Frame(path, index, number, position, place))
        made = ClipsRead(picked, data, numbers, engines.decode(frames, rooms, data.size))
        self._fill(made, rooms)
        engines.stream.is_filled(data)
        return made

    def _parts(self, picked: list[int], numbers: list[NDArray[np.int64]]) -> list[_Part]:
        """What is decoded in one go each, in the order of the sequences: the frames that follow a key frame.

        No frame is decoded twice for the sequences of a batch, whether they overlap or a key frame is within them.
        """
        found: dict[tuple[str, int], _Part] = {}
        for position, chosen in enumerate(picked):
            file = int(self.files[chosen])
            path, index = self.entries[file].path, self.indices[file]
            for place, number in enumerate(numbers[position].tolist()):
                if number >= 0:
                    part = found.setdefault((path, index.key_before(number)), _Part(path, index, []))
                    part.frames.append((number, position, place))
        made: list[_Part] = []
        for part in found.values():
            last = made[-1] if made else None
            if last and last.path == part.path and len(last.frames) + len(part.frames) <= IN_ONE_GO:
                last.frames.extend(part.frames)
            else:
                made.append(part)
        for part in made:
            part.frames.sort()
        return made

    def _read_part(self, made: ClipsRead, part: _Part, rooms: list[Any]) -> None:
        """Decode frames; sequences that fail are put down in `made`."""
        try:
            self._decode(part, rooms)
        except (VideoError, OSError):  # which of the sequences these are
            for position in sorted({position for _, position, _ in part.frames}):
                its = [frame for frame in part.frames if frame[1] == position]
                try:
                    self._decode(replace(part, frames=its), rooms)
                except (VideoError, OSError) as error:
                    made.failures.setdefault(position, error)

    def _fill(self, made: ClipsRead, rooms: list[Any]) -> None:
        """Write filled frames; sequences that have failed are black."""
        for position, frames in enumerate(made.frames):
            for place in np.flatnonzero(frames < 0).tolist():
                rooms[position][place][...] = np.asarray(self.sampling.fill, np.uint8)
        for position in made.failures:
            rooms[position][...] = 0

    def _decode(self, part: _Part, rooms: list[Any]) -> None:
        numbers = [number for number, _, _ in part.frames]
        video = self._open(part.path, part.index, numbers[0])
        video.read(numbers, [rooms[position][place] for _, position, place in part.frames], colors=self._colors)
        self._keep(part.path, video)

    def _open(self, path: str, index: VideoIndex, first: int) -> VideoFile:
        """An open file: one that need not go back, or to another key frame, if there is one."""
        key = index.key_before(first)
        with self._lock:
            there = [(first - video.position, place) for place, (name, video) in enumerate(self._idle) if name == path]
            near = [one for one in there if 0 <= one[0] <= first - key]
            if there:
                return self._idle.pop(min(near or there[:1])[1])[1]
        return self._begin(path, index)

    def _keep(self, path: str, video: VideoFile) -> None:
        with self._lock:
            self._idle.append((path, video))
            surplus = self._idle[:-_OPEN]
            del self._idle[:-_OPEN]
        for _, one in surplus:
            one.close()

    def batch(self, read: ClipsRead, args: Args) -> Batch:
        """The sequences as an output.

        Raises
        ------
        ArgumentError
            DS301 for a sequence that cannot be decoded, unless `on_error` says to go on.
        """
        seconds = self._seconds(read)
        paths = [self.entries[int(self.files[one])].path for one in read.picked]
        sources = [TimedSource.of(path, times) for path, times in zip(paths, seconds, strict=True)]
        for position, error in read.failures.items():
            index = int(args.context.indices[position])
            finding = video_finding(error, sources[position], index)
            if not args.context.accepts(index, sources[position], finding):
                raise finding from error
        if isinstance(read.data, Batch):
            return replace(read.data, sources=sources)
        return Batch.of(read.data, "FHWC", sources)

    def labels(self, read: ClipsRead) -> Batch:
        """The labels of their files, (1,)."""
        found = [self.entries[int(self.files[one])].label for one in read.picked]
        return Batch.of_array(np.array(found, np.int32)[:, None])

    def numbers(self, read: ClipsRead) -> Batch:
        """Numbers of the frames, (F,); -1 for filled ones, or less before the first frame, as in nvidia.dali."""
        made: list[NDArray[np.int32]] = []
        for one, frames in zip(read.picked, read.frames, strict=True):
            wanted = self.begins[one] + self.sampling.stride * np.arange(len(frames))
            made.append(np.where(wanted < 0, wanted, frames).astype(np.int32))
        return Batch.of(made, dtype=np.dtype(np.int32), ndim=1)

    def first_numbers(self, read: ClipsRead) -> Batch:
        """Numbers of the first frames, (1,)."""
        return Batch.of_array(self.begins[read.picked].astype(np.int32)[:, None])

    def times(self, read: ClipsRead) -> Batch:
        """Seconds from the first frame of the video, (F,); -1 for filled frames."""
        return Batch.of(self._seconds(read), dtype=np.dtype(np.float64), ndim=1)

    def _seconds(self, read: ClipsRead) -> list[NDArray[np.float64]]:
        made: list[NDArray[np.float64]] = []
        for one, frames in zip(read.picked, read.frames, strict=True):
            made.append(np.where(frames >= 0, self.indices[int(self.files[one])].seconds[frames], -1.0))
        return made


def _indices(paths: Sequence[str]) -> dict[str, VideoIndex | Exception]:
    """Where the frames of the files lie; for files that are no videos, why not."""
    found: dict[str, VideoIndex | Exception] = {}
    with doing("looking up the frames of videos") as stage, ThreadPoolExecutor(_THREADS) as threads:
        for path, index in zip(paths, threads.map(_index, paths), strict=True):
            found[path] = index
            stage.done = len(found)
    return found


def _index(path: str) -> VideoIndex | Exception:
    try:
        video = VideoFile(path)
    except OSError as error:
        error.filename = path
        return error
    except VideoError as error:
        return type(error)(f"{path} cannot be decoded: {error}")
    video.close()
    return video.index
