"""Small videos, made by PyAV when they are asked for."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dali_studio.schema.samples import Array, Data, Folder, picture

#: Encoder, format of pixels and container of codecs.
CODECS = {
    "vp8": ("libvpx", "yuv420p", "webm"), "vp9": ("libvpx-vp9", "yuv420p", "webm"),
    "mjpeg": ("mjpeg", "yuvj422p", "avi"), "h264": ("libx264", "yuv420p", "mp4"),
    "hevc": ("libx265", "yuv420p", "mp4"), "mpeg4": ("mpeg4", "yuv420p", "mp4"), "av1": ("libsvtav1", "yuv420p", "mp4"),
}  # fmt: skip


def encoded_video(
    codec: str = "vp9", count: int = 10, size: tuple[int, int] = (97, 63), *, rate: int = 25,
    times: Sequence[int] | None = None, seed: int = 0, pixels: str = "", options: dict[str, str] | None = None,
) -> bytes:  # fmt: skip
    """A video of a window that moves over a picture.

    Parameters
    ----------
    codec : str
        A key of `CODECS`.
    count : int
        Frames.
    size : tuple of int
        Width and height.
    rate : int
        Frames in a second.
    times : sequence of int, optional
        Of the frames, in units of 1 / `rate` s; evenly if not given.
    seed : int
        Tells pictures apart.
    pixels : str
        Format of pixels, if not the codec's own.
    options : dict, optional
        Of the encoder.
    """
    whole = picture(size[1] + count, size[0] + 2 * count, seed=seed)
    windows = [whole[number : number + size[1], 2 * number : 2 * number + size[0]] for number in range(count)]
    return encoded_frames(windows, codec, rate=rate, times=times, pixels=pixels, options=options)


def encoded_frames(
    frames: Sequence[Array], codec: str = "vp9", *, rate: int = 25, times: Sequence[int] | None = None,
    pixels: str = "", options: dict[str, str] | None = None,
) -> bytes:  # fmt: skip
    """A video of RGB images of one size (other parameters as in `encoded_video`)."""
    import av  # noqa: PLC0415 # pyright: ignore[reportMissingImports] - optional

    encoder, form, container = CODECS[codec]
    made = io.BytesIO()
    with av.open(made, "w", format=container, options={"fflags": "+bitexact"}) as file:  # the same bytes each time
        stream: Any = file.add_stream(encoder, rate=rate, options={"threads": "1", **(options or {})})
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = pixels or form
        for number, image in enumerate(frames):
            frame: Any = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts = number if times is None else times[number]
            for packet in stream.encode(frame):
                file.mux(packet)
        for packet in stream.encode(None):
            file.mux(packet)
    return made.getvalue()


def video_files(codec: str = "vp9", size: tuple[int, int] = (97, 63)) -> Data:
    """Videos of 10 frames in bytes."""

    def make() -> list[Array]:
        return [np.frombuffer(_made(codec, size, seed), np.uint8) for seed in range(4)]

    return Data(make, label=f"{codec} {size[0]}x{size[1]}")


@cache
def _made(codec: str, size: tuple[int, int], seed: int) -> bytes:
    return encoded_video(codec, size=size, seed=seed)


def video_folder(entry: str = "") -> Folder:
    """Videos of different lengths in two folders, and lists of them."""
    return Folder(_folder_files, "videos", entry)


@cache
def _videos() -> tempfile.TemporaryDirectory[str]:
    """The videos of the lists, which name whole paths."""
    folder = tempfile.TemporaryDirectory(prefix="dali-studio-")
    for name, content in _video_files().items():
        file = Path(folder.name, name)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    return folder


@cache
def _video_files() -> dict[str, bytes]:
    lengths = {"a/one.webm": 10, "a/two.webm": 7, "b/three.webm": 13, "b/four.avi": 5}
    return {
        name: encoded_video("mjpeg" if name.endswith("avi") else "vp9", count, seed=seed)
        for seed, (name, count) in enumerate(lengths.items())
    }


def _folder_files() -> dict[str, bytes]:
    one, three, four = (f"{_videos().name}/{name}" for name in ("a/one.webm", "b/three.webm", "b/four.avi"))
    return {
        **_video_files(),
        "list.txt": f"{one} 3\n{three} 1\n{four} 0\n".encode(),
        "frames.txt": f"{one} 3 2 8\n\n{three} 1 0 -2\n{four} 0\n".encode(),
        "times.txt": f"{one} 3 0.1 0.3\n{three} 1 0.08 0.4\n{four} 0\n".encode(),
    }
