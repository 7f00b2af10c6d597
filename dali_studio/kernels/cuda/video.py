"""Videos decoded by a GPU's hardware (NVDEC), which FFmpeg drives; frames stay in device memory."""

from __future__ import annotations

import base64
import ctypes
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu.video import fields, has_full_range, scale
from dali_studio.kernels.cpu.video_codec import (
    COMMON,
    RGB,
    FrameColors,
    GpuColored,
    NoVideoDecoderError,
    VideoError,
    VideoIndex,
    library,
)
from dali_studio.kernels.cpu.views import Array
from dali_studio.kernels.cuda import sources
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.stream import THREADS

_FRAME = np.dtype(
    [*((name, np.uint64) for name in ("luma", "blue", "red")),
     *((name, np.int64) for name in ("height", "width", "luma_pitch")),
     *((name, np.int64) for name in ("chroma_height", "chroma_width", "chroma_pitch", "chroma_step")),
     *((name, np.int32) for name in ("down", "across", "as_they_are")), ("unit", np.float32),
     ("colors", np.float32, 6)],
    align=True,
)  # fmt: skip
#: Frames whose pixels are made by one launch, at most, and where they and their pixels are.
AT_ONCE = 8
_PLACES = np.dtype([("of", [(name, np.uint64) for name in ("luma", "blue", "red", "to")], AT_ONCE)])
#: Of what the hardware gives: element type, what numbers are multiplied by to be from 0 to 255, and elements from one
#: chroma to the next (1: each kind has a plane of its own).
_FORMATS = {
    "nv12": (np.dtype(np.uint8), 1.0, 2), "nv16": (np.dtype(np.uint8), 1.0, 2), "yuv444p": (np.dtype(np.uint8), 1.0, 1),
    "p010le": (np.dtype(np.uint16), 1 / 256, 2), "p016le": (np.dtype(np.uint16), 1 / 256, 2),
    "p210le": (np.dtype(np.uint16), 1 / 256, 2), "p216le": (np.dtype(np.uint16), 1 / 256, 2),
    "yuv444p16le": (np.dtype(np.uint16), 1 / 256, 1),
}  # fmt: skip
#: The set of H.264's parameters that says what a frame is: its begin in a stream, its place in MP4's box, and profiles
#: that have chroma without saying so.
_SETTINGS, _BOXED, _WITH_CHROMA = re.compile(rb"\x00\x00\x01[\x27\x47\x67]"), 8, (66, 77, 88)
#: Clips of two frames, and the size of a frame: of H.264, which stands for all codecs that have no clip, and of AV1.
_CLIPS = {
    "h264": (
        (
            "AAAAAWdkAAqscgREehAAAAMAEAAAAwMg8SJYRgAAAAFo6EOESyLAAAABZYiBAAr//tmb7R9ImBiKHqK1JlXw"
            "LQ39Wmiik9iPjz3BDrG/EMY57eGh0oZuTvZ1jkklVwYsWGvdXNVfsY+9AAAAAUGaCC2I71Jae1s1ZmVbhmnA"
        ),
        (48, 64, 3),
    ),
    "av1": (
        (
            "EgAKCgAAAAM3/+NXzAIyYxQAJsgjnlxwM+AAgM9LvSut9yzirM0Kg3qdpi1I85V4N///c00+Teg7kW0DoSOa"
            "2EgQ1Irnbk6HqvuBiPmkLIDXTd9vIQAh2su/U0E9G5k577gw7R/EyvHCDIf3Xs2WU78ejRIAMhMwAgQJJJI6f4AAAIAAAACDzxqA"
        ),
        (128, 128, 3),
    ),
}
#: Decoders that FFmpeg prefers and that know no hardware, and those that know nothing else.
_FOR_HARDWARE = {"libdav1d": "av1"}
_CHECKING = threading.Lock()
#: Decoders that wait for files of the settings that they were made for.
_KEPT = 56
#: FFmpeg works in the CUDA context that CuPy has made current; it refuses to share the primary one otherwise.
_OPTIONS: dict[str, object] = {"primary_ctx": "0", "current_ctx": "1"}


@dataclass(frozen=True, slots=True)
class DeviceFrames:
    """Room for frames in device memory, as `VideoFile.read` writes them.

    Attributes
    ----------
    memory : cupy.cuda.MemoryPointer
    shape : tuple of int
        (F, H, W, C), or less.
    dtype : dtype
        uint8 or float32.
    device_id : int
    """

    memory: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    device_id: int

    @property
    def size(self) -> int:
        """Bytes."""
        return prod(self.shape) * self.dtype.itemsize

    def __getitem__(self, place: int) -> DeviceFrames:
        shape = self.shape[1:]
        memory = self.memory + place * prod(shape) * self.dtype.itemsize
        return DeviceFrames(memory, shape, self.dtype, self.device_id)

    def get(self) -> NDArray[Any]:
        """The frames in host memory; waits for them."""
        made, stream = np.empty(self.shape, self.dtype), cupy().cuda.Stream.null
        self.memory.copy_to_host_async(ctypes.c_void_p(made.ctypes.data), self.size, stream)
        stream.synchronize()
        return made

    def __setitem__(self, place: int | EllipsisType, value: DeviceFrames | Array | int) -> None:
        """Copy another frame, or numbers of host memory, which may be broadcast, into one frame or all."""
        part, stream = self if place is ... else self[place], cupy().cuda.Stream.null
        with cupy().cuda.Device(self.device_id):
            if isinstance(value, DeviceFrames):
                part.memory.copy_from_device_async(value.memory, part.size, stream)
                return
            host = np.ascontiguousarray(np.broadcast_to(value, part.shape), self.dtype)
            part.memory.copy_from_host_async(ctypes.c_void_p(host.ctypes.data), part.size, stream)
            stream.synchronize()  # until then the copy reads `host`


def frames_of(batch: Batch, position: int) -> DeviceFrames:
    """The room of one sample of a batch on a GPU."""
    memory = batch.memory + int(batch.offsets[position])
    shape = tuple(batch.shapes[position].tolist())
    return DeviceFrames(memory, shape, batch.dtype, int(batch.memory.device_id))


def new_frames(device_id: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceFrames:
    """Room for frames of its own."""
    with cupy().cuda.Device(device_id):
        return DeviceFrames(cupy().cuda.alloc(int(np.prod(shape)) * dtype.itemsize), shape, dtype, device_id)


class _Decoders:
    """Decoders of a GPU that wait for files of the settings that they were made for.

    To make one takes longer than to decode a short sequence.

    Parameters
    ----------
    device_id : int
    """

    def __init__(self, device_id: int) -> None:
        self.device_id = device_id
        self._idle: dict[Any, list[Any]] = {}
        self._lock = threading.Lock()

    def take(self, made: Any) -> tuple[Any, Any]:
        """A decoder that has waited and takes what `made` would take, or else None; and by what `give` knows it."""
        settings = made.name, made.width, made.height, made.reorder_depth, made.extradata
        with self._lock:
            waiting = self._idle.get(settings)
            return waiting.pop() if waiting else None, settings

    def for_hardware(self, made: Any) -> Any:
        """`made`, which has not begun, or another decoder of its codec where that knows no hardware."""
        if made.name not in _FOR_HARDWARE:
            return made
        other = library().CodecContext.create(_FOR_HARDWARE[made.name], "r", self.hardware())
        other.extradata, other.thread_type = made.extradata, "NONE"
        return other

    def give(self, decoder: Any, settings: Any) -> None:
        """Let a decoder wait for the next file."""
        decoder.flush_buffers()
        with self._lock:
            self._idle[settings] = [*self._idle.pop(settings, ()), decoder]  # the settings used last are given up last
            if sum(map(len, self._idle.values())) > _KEPT:
                oldest = next(settings for settings, waiting in self._idle.items() if waiting)
                self._idle[oldest].pop(0)

    def hardware(self) -> Any:
        """What PyAV needs to know to open a file, in the thread that calls."""
        return _hardware(self.device_id)


_decoders = cache(_Decoders)


def _hardware(device_id: int) -> Any:
    library()
    runtime = cupy().cuda.runtime
    runtime.setDevice(device_id)
    runtime.free(0)  # makes the device's context current in this thread, which is to be FFmpeg's
    from av.codec.hwaccel import HWAccel  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    return HWAccel("cuda", str(device_id), allow_software_fallback=True, is_hw_owned=True, options=_OPTIONS)


def missing(device_id: int, codec: str = "h264") -> str:
    """Why a GPU's hardware is not used, for any codec or for AV1; empty if it is.

    It is used once it has shown that it gives the pixels of a small clip that the processor gives.
    """
    with _CHECKING:
        return _missing(device_id, "h264") or _missing(device_id, codec)


@cache
def _missing(device_id: int, codec: str) -> str:
    encoded, size = _CLIPS[codec]
    av, file = library(), np.frombuffer(base64.b64decode(encoded), np.uint8)
    try:
        _hardware(device_id).create(av.Codec(codec, "r"))
        expected = np.empty((2, *size), np.uint8)
        GpuColored(file).read((0, 1), expected)
        there = new_frames(device_id, expected.shape, expected.dtype)
        decoded = GpuVideoFile(device_id, file, trusted=True)
        decoded.read((0, 1), there)
        used = decoded.by_hardware
        decoded.close()
        right = np.array_equal(there.get(), expected)
    except Exception as error:  # noqa: BLE001 - of CuPy or FFmpeg: whatever is missing, the processor decodes
        return str(error).strip() or type(error).__name__
    if not used:
        return f"it does not take {COMMON[codec]}"
    return "" if right else "it gives other pixels than the processor for a small clip"


def _takes(decoder: Any) -> bool:
    """Whether the hardware gives the right pixels of a file, if FFmpeg thinks that it takes it."""
    grey = decoder.name == "h264" and is_grey(decoder.extradata or b"")
    return decoder.width % 2 == decoder.height % 2 == 0 and not grey


def is_grey(settings: bytes) -> bool:
    """Whether the settings of an H.264 file, as containers of either kind hold them, say that it has no chroma."""
    found = _SETTINGS.search(settings)
    begin = _BOXED if settings[:1] == b"\x01" else found.end() - 1 if found else len(settings)
    profile, rest = settings[begin + 1 : begin + 2], settings[begin + 4 : begin + 12]
    if not rest or profile[0] in _WITH_CHROMA:
        return False
    bits = f"{int.from_bytes(rest, 'big'):0{8 * len(rest)}b}"
    zeros = bits.find("1")  # a number with n zeros before it has n + 1 digits; the second one is 0 for no chroma
    return zeros >= 0 and bits[2 * zeros + 1 : 2 * zeros + 2] == "1"


class GpuVideoFile(GpuColored):
    """A video of which frames are decoded into device memory.

    What the hardware does not take, the processor decodes: where FFmpeg knows that it does not, where a decoder that
    knows hardware alone fails (AV1), and grey H.264 and odd sizes, of which it gives wrong pixels.

    Parameters
    ----------
    device_id : int
    source : str or ndarray of uint8
    index : VideoIndex, optional
    container : optional
        As of `VideoFile`; opened for the processor.
    trusted : bool
        Use the hardware without asking `missing`.
    """

    def __init__(
        self, device_id: int, source: str | Array, index: VideoIndex | None = None, container: Any = None, *,
        trusted: bool = False,
    ) -> None:  # fmt: skip
        self._decoders = _decoders(device_id)
        self._used: tuple[Any, Any] | None = None
        self._trusted = trusted
        self._by_processor = not trusted and bool(missing(device_id))
        #: What the kernel needs to know of frames like the last one, and by what these are known.
        self._like: tuple[Any, NDArray[Any]] = None, np.zeros(1, _FRAME)
        #: Frames whose pixels are still to be made, where these go, and what that is besides.
        self._waiting: list[tuple[Any, DeviceFrames]] = []
        #: Before which frame the decoder was made to give all that it had, and has to go back for what follows.
        self._end: int | None = None
        self._begins = False
        super().__init__(source, index, container)
        self._begins = True

    @property
    def by_hardware(self) -> bool:
        """Whether FFmpeg was asked to use the hardware, which it does unless that cannot take the file."""
        return not self._by_processor

    @property
    def is_resting(self) -> bool:
        """Whether it has no decoder of the hardware."""
        return self._used is None

    @property
    def is_at_key(self) -> bool:
        """Whether nothing is gained by going on with the decoder where it is."""
        return not 0 < self.position < len(self.index) or self.index.is_last(self.position - 1)

    def rest(self) -> None:
        """Let other files have the decoder, until a frame is asked for."""
        if self._used is not None:
            if self._used[0].is_open:
                self._decoders.give(*self._used)
            self._used, self._frames = None, iter(())
            self.position = len(self.index)

    def _takes(self, decoder: Any) -> bool:
        codec = _FOR_HARDWARE.get(decoder.name)
        known = codec is None or self._trusted or not missing(self._decoders.device_id, codec)
        return known and _takes(decoder)

    def _restart(self) -> None:
        super()._restart()
        if self._begins:
            self._begin()

    def _taken(self, decoder: Any) -> Any:
        self._by_processor = self._by_processor or not self._takes(decoder)
        return decoder  # of the processor, until a frame is asked for

    def _begin(self) -> None:
        """Take a decoder of the hardware, if there is none yet: one that waits, or a new one."""
        if self._by_processor or self._used is not None:
            return
        waiting, settings = self._decoders.take(self._stream.codec_context)
        if waiting is None:
            there = self._open(hwaccel=self._decoders.hardware())
            waiting = there.streams.video[0].codec_context
            waiting.thread_type = "NONE"
            waiting = self._decoders.for_hardware(waiting)
            there.close()
        self._used, self._decoder = (waiting, settings), waiting
        self._frames = self._decoded()

    def _frame(self, number: int) -> Any:
        try:
            return self._found(number)
        except (self._av.FFmpegError, VideoError):
            if self._by_processor or self._stream.codec_context.name not in _FOR_HARDWARE:
                raise
        self._by_processor, self._used = True, None  # the hardware's decoder has nothing to fall back to
        self._restart()
        return super()._frame(number)

    def _found(self, number: int) -> Any:
        self._begin()
        if self._end is not None and number >= self._end:
            self.position = len(self.index)  # what was decoded ends there
        return super()._frame(number)

    def _decoded(self) -> Iterator[Any]:
        """As of `VideoFile`; before a key frame the decoder gives all frames without any packet that follows them."""
        self._end = None
        decoder, index, end, beyond = self._decoder, self.index, -1, set[int]()
        for packet in self._demuxed():
            yield from decoder.decode(packet)
            number = index.number(packet.pts, -1)
            end = number if end < 0 else end
            if number < end or number < 0:
                continue
            beyond.add(number)
            while end in beyond:  # all up to there have been fed
                beyond.remove(end)
                end += 1
            if index.begins_group(end):
                frames = decoder.decode(None)
                self._end = end if beyond else None
                yield from frames
                if beyond:  # of a key frame whose packet comes before those of earlier frames
                    return
                decoder.flush_buffers()

    def close(self) -> None:
        """Give back what the open file holds; its decoder waits for the next file."""
        self.rest()
        super().close()

    def read(
        self, wanted: Sequence[int] | NDArray[np.int64], out: DeviceFrames | Sequence[DeviceFrames],
        fill: Sequence[int] = (0,), colors: FrameColors = RGB,
    ) -> None:  # fmt: skip
        """As of `VideoFile`, into device memory, on the default stream."""
        cuda = cupy().cuda
        with cuda.Device(self._decoders.device_id), cuda.Stream.null:
            super().read(wanted, out, fill, colors)
            self.finish()

    def _write(self, frame: Any, rooms: Sequence[DeviceFrames], colors: FrameColors) -> None:
        if frame.format.name != "cuda":
            super()._write(frame, rooms, colors)
            return
        luma, chroma, out = frame.planes[0], frame.planes[1], rooms[0]
        key = frame.sw_format.name, luma.line_size, chroma.line_size, frame.color_range, out.shape, out.dtype, colors
        if key != self._like[0]:
            self.finish()
            self._like = key, _like(frame, out, colors)
        for room in rooms:
            self._waiting.append((frame, room))
            if len(self._waiting) == AT_ONCE:
                self.finish()

    def finish(self) -> None:
        """Make the pixels of all frames that were put, on the default stream; until then they may not be there."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        (form, *_, (height, width, _), made, colors), like = self._like
        taken, _, step = _FORMATS[form]
        found: list[tuple[int, ...]] = []
        for frame, room in waiting:
            planes = frame.planes
            blue = planes[1].buffer_ptr
            red = planes[2].buffer_ptr if step == 1 else blue + taken.itemsize
            found.append((planes[0].buffer_ptr, blue, red, room.memory.ptr))
        places = np.zeros(1, _PLACES)
        places["of"][0, : len(found)] = found
        blocks, factor = -(-width // THREADS), scale(made, normalized=colors.normalized)
        given = like, places, np.uint32(blocks), np.float32(factor)
        _kernel(taken, made)((blocks * len(waiting), height), (THREADS,), given)

    def _convert(self, frame: Any, out: DeviceFrames, colors: FrameColors) -> None:
        host = np.empty(out.shape, out.dtype)
        super()._convert(frame, host, colors)
        out[...] = host


def _like(frame: Any, out: DeviceFrames, colors: FrameColors) -> NDArray[Any]:
    """What the kernel needs to know of frames, but for where they are."""
    name = frame.sw_format.name
    if name not in _FORMATS:
        raise VideoError(f"the hardware gives frames of the kind {name}, which is not supported")
    dtype, unit, step = _FORMATS[name]
    luma, chroma = frame.planes[0], frame.planes[1]
    item = np.zeros(1, _FRAME)
    item["height"], item["width"] = out.shape[:2]
    item["luma_pitch"], item["chroma_pitch"] = luma.line_size // dtype.itemsize, chroma.line_size // dtype.itemsize
    # PyAV counts pairs of chroma as it does luma, and rounds up
    item["chroma_height"], item["chroma_width"], item["chroma_step"] = chroma.height, chroma.width, step
    item["down"], item["across"] = chroma.height < luma.height, chroma.width < luma.width
    item["as_they_are"], item["unit"] = colors.ycbcr, unit
    item["colors"] = fields(full_range=has_full_range(frame), ycbcr=False)
    return item


def describe(device_id: int = 0) -> str:
    """Which of the common codecs a GPU's hardware may decode."""
    try:
        av, reason = library(), missing(device_id)
    except NoVideoDecoderError as error:
        return str(error)
    if reason:
        return f"not used: {reason}"
    there = [
        words for name, words in COMMON.items()
        if av.Codec(name, "r").hardware_configs and not (name in _CLIPS and missing(device_id, name))
    ]  # fmt: skip
    return f"NVDEC by FFmpeg, as far as the GPU has them: {', '.join(there)}"


@cache
def _kernel(taken: np.dtype[Any], made: np.dtype[Any]) -> Any:
    return sources.compiled(
        sources.source("video"), "frame_pixels", sources.options({"IN": taken, "OUT": made, "FRAMES": AT_ONCE})
    )
