"""Files of videos are opened at little cost where that changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.kernels.cpu import video_codec
from dali_studio.kernels.cpu.video_codec import VideoFile
from dali_studio.schema.sample_videos import encoded_video

pytest.importorskip("av", reason="needs PyAV")
SIZE = (97, 63)


def _frames(video: VideoFile, numbers: list[int]) -> NDArray[np.uint8]:
    made = np.empty((len(numbers), video.index.height, video.index.width, 3), np.uint8)
    video.read(numbers, made)
    return made


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of all openings."""
    made: list[dict[str, Any]] = []
    before: Callable[..., Any] = VideoFile._open  # pyright: ignore[reportPrivateUsage]

    def noted(self: VideoFile, **options: Any) -> Any:
        made.append(options)
        return before(self, **options)

    monkeypatch.setattr(VideoFile, "_open", noted)
    return made


def test_no_frame_of_vp9_is_decoded_to_open_it(opened: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    file = np.frombuffer(encoded_video("vp9", 12, SIZE, options={"g": "5"}), np.uint8)
    numbers = [11, 0, 4, 5, 6, 5]
    made = _frames(VideoFile(file), numbers)
    assert [list(options) for options in opened] == [["options"]]
    monkeypatch.setattr(video_codec, "_SMALL", 0)
    np.testing.assert_array_equal(made, _frames(VideoFile(file), numbers))
    assert opened[1:] == [{}]


def test_a_size_that_the_container_has_wrong_is_that_of_the_frames(opened: list[dict[str, Any]]) -> None:
    whole = encoded_video("vp9", 3, SIZE)
    width = bytes([0xB0, 0x81, SIZE[0]])
    assert whole.count(width) == 1
    video = VideoFile(np.frombuffer(whole.replace(width, bytes([0xB0, 0x81, SIZE[0] - 1])), np.uint8))
    assert opened[1:] == [{}]
    assert (video.index.height, video.index.width) == (SIZE[1], SIZE[0])
    np.testing.assert_array_equal(
        _frames(video, [0, 1, 2]), _frames(VideoFile(np.frombuffer(whole, np.uint8)), [0, 1, 2])
    )


@pytest.mark.parametrize("codec", ["h264", "hevc", "vp8", "vp9", "mpeg4", "mjpeg"])
def test_a_file_is_opened_again_without_decoding(codec: str, opened: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "video"
    path.write_bytes(encoded_video(codec, 30, (96, 64)))
    first, numbers = VideoFile(str(path)), [29, 0, 13, 14, 2]
    expected = _frames(first, numbers)
    again = VideoFile(str(path), first.index)
    np.testing.assert_array_equal(_frames(again, numbers), expected)
    if codec not in ("mpeg4", "mjpeg"):  # whose sizes a decoder tells, and in AVI, which has no times
        assert all("options" in options for options in opened[1:])
    path.write_bytes(encoded_video(codec, 30, (64, 48)))  # another one by now
    opened.clear()
    VideoFile(str(path), first.index).close()
    assert opened[-1] == {}
