"""Videos, by FFmpeg, which the package ``av`` (PyAV) brings."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.video import frame_pixels, has_full_range, planes_of, rgb_pixels
from dali_studio.kernels.cpu.views import Array

#: Of colour conversion: with these flags of swscale, pixels are nvidia.dali's.
_FLAGS = ("BILINEAR", "ACCURATE_RND", "FULL_CHR_H_INT")
#: Names of codecs in FFmpeg, and what they are called.
COMMON = {
    "h264": "H.264", "hevc": "HEVC", "vp8": "VP8", "vp9": "VP9", "av1": "AV1", "mpeg4": "MPEG-4", "mjpeg": "MJPEG",
}  # fmt: skip
#: Codecs of which nvidia.dali makes pixels on the CPU: as if their chroma lay between luma, which PyAV does not say.
_CENTRED = ("vp8", "vp9", "mjpeg", "libvpx", "libvpx-vp9")
#: How files begin, from where on, and FFmpeg's format: to try all takes longer than to open one.
_BEGINS = ((0, b"\x1aE\xdf\xa3", "matroska"), (4, b"ftyp", "mov"), (8, b"AVI LIST", "avi"))
#: Frames that are decoded in one go, at least, also where a key frame is among them.
IN_ONE_GO = 16
#: To open a file of which enough is known: of codecs whose frames come in another order than packets a decoder tells by
#: how much; others need none.
_REORDERED = {"skip_frame": "all", "probesize": "32"}
_IN_ORDER = {"codec_whitelist": "none", "probesize": "32"}
#: Containers whose packets have their times, whatever is known of the stream.
_SURE = ("mov", "matroska")
#: Where containers of the kind Matroska say that a video is VP9; how a key frame of it with 4:2:0 begins, and where in
#: that, in bits, its size is.
_VP9, _HEAD, _VP9_KEY, _SIZE_AT = b"V_VP9", 4096, (0x82, 0x83), 36
#: Bytes of a file in memory up to which its packets are kept.
_SMALL = 1 << 20
#: What a packet of VP8 says of frames that are never shown, such as those that later ones refer to.
_VP8_SHOWN = 0x10


@cache
def _flags() -> Any:
    kinds = library().video.reformatter.Interpolation
    return kinds(sum(kinds[name] for name in _FLAGS))


class VideoError(ValueError):
    """A file that is no video, or a damaged one."""


class EmptyVideoError(VideoError):
    """A video without a frame."""


class NoVideoDecoderError(RuntimeError):
    """FFmpeg is not there."""


def library() -> Any:
    """PyAV; `NoVideoDecoderError` if it is not there."""
    try:
        import av  # noqa: PLC0415 # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise NoVideoDecoderError("the package av is not installed") from error
    _be_quiet()
    return av


@cache
def _be_quiet() -> None:
    from av import logging  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    logging.set_level(None)  # what FFmpeg prints of damaged files is said by errors


def _lenient(av: Any) -> dict[str, str]:
    """Options of PyAV for titles and the like in any encoding, of which nothing is used; 19 has taken them away."""
    return {"metadata_errors": "ignore"} if int(av.__version__.partition(".")[0]) < 19 else {}


def describe() -> str:
    """What decodes videos, and which of the common codecs."""
    try:
        av = library()
    except NoVideoDecoderError as error:
        return f"{error}: pip install av"
    there = [words for name, words in COMMON.items() if name in av.codecs_available]
    return f"FFmpeg of av {av.__version__}: {', '.join(there)}"


class FrameColors(NamedTuple):
    """What pixels are.

    Attributes
    ----------
    ycbcr : bool
        Luma and chroma as they are in the file, in place of red, green and blue.
    normalized : bool
        Floats are from 0 to 1, and not from 0 to 255.
    """

    ycbcr: bool = False
    normalized: bool = False


RGB = FrameColors()


class VideoFile:
    """A video, of which frames are taken by number.

    Parameters
    ----------
    source : str or ndarray of uint8
        A path, or the contents of a file.
    index : VideoIndex, optional
        What an earlier opening of the same file found.
    container : optional
        What that has left open (`hand_over`).

    Attributes
    ----------
    index : VideoIndex

    Raises
    ------
    VideoError
        If there is no video in it.
    NoVideoDecoderError
    """

    def __init__(self, source: str | Array, index: VideoIndex | None = None, container: Any = None) -> None:
        self._av = library()
        self._source = source
        self._reformatter: Any = None
        self._container: Any = None
        self._frames: Iterator[Any] = iter(())
        #: What an earlier opening of the file found, if there was one.
        self._known = index
        #: All packets, of small files.
        self._packets: list[Any] | None = None
        if container is None:
            self._restart()
        else:
            self._use(container)
        if index is None:
            index = self._looked_up()
            container = self._container
        if container is not None:
            self.position = len(index)  # the file has been read to its end
        self.index = self._known = index

    def hand_over(self) -> Any:
        """The open file, for another object to go on with; this one has none any more."""
        container, self._container = self._container, None
        self.close()
        return container

    def _restart(self) -> None:
        """Go back to before the first frame."""
        self.close()
        self._use(self._opened())

    def _opened(self) -> Any:
        """The file, at little cost if enough is known of it."""
        known = self._known
        if known is not None and known.form in _SURE:
            container = self._open(format=known.form, options=_REORDERED if known.is_reordered else _IN_ORDER)
            streams = container.streams.video
            if streams and streams[0].codec_context is not None and _settings(streams[0]) == known.settings:
                return container
            container.close()
        source = self._source
        if isinstance(source, str) or source.nbytes > _SMALL or _VP9 not in source[:_HEAD].tobytes():
            return self._open()
        # FFmpeg decodes a frame of VP9 to know what the decoder will say, too, but for the size, which may differ
        container = self._open(options=_IN_ORDER)
        stream = next(iter(container.streams.video), None)
        if stream is not None and stream.codec_context is not None:
            with suppress(self._av.FFmpegError):
                packets = list(container.demux(stream))
                size = stream.codec_context.height, stream.codec_context.width
                if packets and _size_of_vp9(bytes(packets[0])) == size:
                    self._packets = packets
                    return container
        container.close()
        return self._open()

    def _looked_up(self) -> VideoIndex:
        """Where the frames of the file are, which has been opened."""
        try:
            is_small = not isinstance(self._source, str) and self._source.nbytes <= _SMALL
            if is_small and self._packets is None:
                self._packets = list(self._container.demux(self._stream))
            packets = self._container.demux(self._stream) if self._packets is None else self._packets
            return VideoIndex(self._stream, self._container.format.name, packets)
        except self._av.FFmpegError as error:
            raise VideoError(_words(error)) from error

    def _open(self, **options: Any) -> Any:
        source = self._source
        if not isinstance(source, str):
            data = source.tobytes()
            source = io.BytesIO(data)
            name = next((name for at, begin, name in _BEGINS if data.startswith(begin, at)), None)
            if name:
                options = {"format": name, **options}
        try:
            return self._av.open(source, **options, **_lenient(self._av))
        except OSError as error:  # errors of FFmpeg that are not of the system are of it, too
            if isinstance(error, self._av.FFmpegError):
                raise VideoError(_words(error)) from error
            raise
        except self._av.FFmpegError as error:
            raise VideoError(_words(error)) from error

    def _use(self, container: Any) -> None:
        """Take frames from an open file."""
        self._container = container
        streams = container.streams.video
        if not streams:
            self.close()
            raise VideoError("there is no video track in it")
        if streams[0].codec_context is None:
            self.close()
            raise VideoError("there is no decoder for its codec")
        self._stream = streams[0]
        self._stream.thread_type = "NONE"
        self._is_centred = self._stream.codec_context.name in _CENTRED
        self._decoder = self._taken(self._stream.codec_context)
        self._frames = self._decoded()
        #: Which frame comes next, and of packets that are kept, which one.
        self.position = self._packet = 0

    def _taken(self, decoder: Any) -> Any:
        """The decoder of the file that was opened, or another one of the same settings."""
        return decoder

    def _decoded(self) -> Iterator[Any]:
        """The frames from where the file is."""
        decoder = self._decoder
        for packet in self._demuxed():
            yield from decoder.decode(packet)

    def _demuxed(self) -> Iterator[Any]:
        """The packets from where the file is."""
        return self._container.demux(self._stream) if self._packets is None else iter(self._packets[self._packet :])

    def close(self) -> None:
        """Give back what the open file holds."""
        self._frames = iter(())  # which refer to this object: it would live on until cycles are collected
        if self._container is not None:
            self._container.close()
            self._container = None

    def read(
        self, wanted: Sequence[int] | NDArray[np.int64], out: Any, fill: Sequence[int] = (0,),
        colors: FrameColors = RGB,
    ) -> None:  # fmt: skip
        """Decode frames.

        Parameters
        ----------
        wanted : sequence of int
            Their numbers, in any order; -1 for filled ones.
        out : ndarray of uint8, or sequence of them
            (F, H, W, C), or (H, W, C) each: red, green and blue, or luma and chroma.
        fill : sequence of int
            The colour of filled frames.
        colors : FrameColors

        Raises
        ------
        VideoError
            If a frame cannot be decoded.
        """
        places: dict[int, list[int]] = {}
        for place, number in enumerate(np.asarray(wanted, np.int64).tolist()):
            places.setdefault(number, []).append(place)
        for number in sorted(places):
            if number < 0:
                for place in places[number]:
                    out[place][...] = np.asarray(fill, np.uint8)
            else:
                self.put(number, [out[place] for place in places[number]], colors)

    def put(self, number: int, rooms: Sequence[Any], colors: FrameColors = RGB) -> None:
        """Decode a frame into all `rooms`; arguments and errors as of `read`."""
        try:
            self._write(self._frame(number), rooms, colors)
        except self._av.FFmpegError as error:
            raise VideoError(_words(error)) from error

    def _write(self, frame: Any, rooms: Sequence[Any], colors: FrameColors) -> None:
        first, *others = rooms
        self._convert(frame, first, colors)
        for room in others:
            room[...] = first

    def _frame(self, number: int) -> Any:
        if number != self.position:
            self._go(number)
        for frame in self._frames:
            at = self.index.number(frame.pts, self.position)
            self.position = at + 1
            if at == number:
                return frame
            if at > number:
                break
        message = f"frame {number} of {len(self.index)} cannot be decoded; the file may be cut off"
        raise VideoError(message)

    def _go(self, number: int) -> None:
        """Go to a frame from which all that are needed for another one follow."""
        key = self.index.key_before(number)
        if self.position <= number and key <= self.position:
            return
        try:
            self._seek(self.index.pts[key])
            if self._decoder.is_open:
                self._decoder.flush_buffers()
            self._frames = self._decoded()
            first = next(self._frames)
        except (self._av.FFmpegError, StopIteration):
            pass
        else:
            at = self.index.number(first.pts, -1)
            if 0 <= at <= number:
                self._frames = chain((first,), self._frames)
                self.position = at
                return
        self._restart()

    def _seek(self, pts: int) -> None:
        if self._packets is None:
            self._container.seek(pts, stream=self._stream)
        else:
            places = enumerate(self._packets)
            self._packet = next((place for place, one in places if one.pts == pts and one.is_keyframe), 0)

    def _convert(self, frame: Any, out: Any, colors: FrameColors) -> None:
        height, width, _ = out.shape
        if self._is_centred and not colors.ycbcr and rgb_pixels(frame, out):
            return
        form = "yuv444p" if colors.ycbcr else "rgb24"
        # the matrix is BT.601, whatever the file names, as in nvidia.dali
        self._reformatter = self._reformatter or self._av.video.reformatter.VideoReformatter()
        made = self._reformatter.reformat(
            frame, width, height, form, "DEFAULT", "DEFAULT", interpolation=_flags(), threads=1
        )
        planes = [np.frombuffer(plane, np.uint8).reshape(height, plane.line_size) for plane in made.planes]
        if colors.ycbcr:
            for channel, plane in enumerate(planes):
                out[..., channel] = plane[:, :width]
        else:
            out.reshape(height, -1)[...] = planes[0][:, : width * 3]


class GpuColored(VideoFile):
    """A video whose colours are those of a GPU's decoder in nvidia.dali, decoded by the processor.

    Frames may be float32, too.
    """

    def _convert(self, frame: Any, out: Any, colors: FrameColors) -> None:
        frame_pixels(planes_of(frame), out, full_range=has_full_range(frame), **colors._asdict())


class VideoIndex:
    """Where the frames of a video are in time, and where decoding can begin.

    Attributes
    ----------
    pts : list of int
        When the frames are shown, in units of `time_base` seconds, in order.
    time_base : Fraction
    seconds : ndarray of float64
        The same in seconds since the first frame.
    height, width : int
    rate : float
        Frames in a second, on average.
    form : str
        FFmpeg's name of the container.
    settings : tuple
        What a decoder knows before it begins.
    is_reordered : bool
        Whether frames come in another order than packets.
    """

    def __init__(self, stream: Any, form: str, packets: Iterable[Any]) -> None:
        vp8 = stream.codec_context.name in ("vp8", "libvpx")
        found: list[tuple[int | None, bool]] = [
            (packet.pts, packet.is_keyframe) for packet in packets
            if packet.size and not packet.is_discard and not (vp8 and not bytes(packet)[0] & _VP8_SHOWN)
        ]  # fmt: skip
        self.rate = float(stream.average_rate or 1)
        self.form = form.partition(",")[0]
        self.settings = _settings(stream)
        self.is_reordered = stream.codec_context.reorder_depth > 0
        self.height, self.width = stream.codec_context.height, stream.codec_context.width
        if not found or not self.height or not self.width:
            raise EmptyVideoError("there are no frames in it")
        self.pts = [pts or 0 for pts, _ in found]
        known = [(pts, key) for pts, key in found if pts is not None]
        #: Numbers of the frames from which decoding can begin; the first alone where frames have no times.
        self.keys = [0]
        if len(known) == len(found) == len({pts for pts, _ in known}):
            known.sort()
            self.pts = [pts for pts, _ in known]
            self.keys = [0, *(number for number, (_, key) in enumerate(known) if key and number)]
        self._groups = [0]
        for key in self.keys:
            if key - self._groups[-1] >= IN_ONE_GO:
                self._groups.append(key)
        self._starts = frozenset(self._groups[1:])
        self._numbers = {pts: number for number, pts in enumerate(self.pts)} if len(known) == len(found) else {}
        self.time_base: Fraction = stream.time_base
        if not self._numbers:
            self.pts, self.time_base = list(range(len(found))), 1 / Fraction(stream.average_rate or 1)

    @cached_property
    def seconds(self) -> NDArray[np.float64]:
        ticks = np.array(self.pts, np.float64) - self.pts[0]
        return ticks * self.time_base.numerator / self.time_base.denominator

    def __len__(self) -> int:
        return len(self.pts)

    def number(self, pts: int | None, expected: int) -> int:
        """The number of a decoded frame; where its time does not tell, that which is expected."""
        return self._numbers.get(pts, expected) if pts is not None else expected

    def key_before(self, number: int) -> int:
        """The last frame up to `number` from which decoding can begin."""
        return self.keys[bisect_right(self.keys, number) - 1]

    def group_before(self, number: int) -> int:
        """The first frame of those that are decoded in one go with `number`."""
        return self._groups[bisect_right(self._groups, number) - 1]

    def begins_group(self, number: int) -> bool:
        """Whether `number` is a key frame that is not decoded in one go with what is before it."""
        return number in self._starts

    def is_last(self, number: int) -> bool:
        """Whether what follows a frame, if anything, follows another key frame."""
        return number + 1 == len(self) or self.key_before(number + 1) > number


def _size_of_vp9(packet: bytes) -> tuple[int, int] | None:
    """Height and width of a key frame of VP9 of 8 bits."""
    if len(packet) * 8 < _SIZE_AT + 32 or packet[0] not in _VP9_KEY:
        return None
    size = int.from_bytes(packet[: _SIZE_AT // 8 + 5], "big") >> 4
    return (size & 0xFFFF) + 1, (size >> 16 & 0xFFFF) + 1


def _settings(stream: Any) -> tuple[Any, ...]:
    decoder = stream.codec_context
    return decoder.name, decoder.width, decoder.height, decoder.reorder_depth, decoder.extradata, stream.time_base


def _words(error: Any) -> str:
    text = str(getattr(error, "strerror", "") or error)
    return f"{text[:1].lower()}{text[1:]}"
