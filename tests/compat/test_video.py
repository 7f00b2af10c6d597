"""Videos, frame by frame and over epochs, against nvidia.dali."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from peers import check, check_refused

from dali_studio.schema.sample_videos import encoded_video, video_folder

pytest.importorskip("av", reason="needs PyAV")
pytestmark = pytest.mark.usefixtures("nvidia")


@pytest.mark.parametrize(
    ("codec", "size", "pixels", "options"),
    [
        ("vp9", (64, 48), "yuv444p", {}), ("vp9", (64, 48), "yuv422p", {}), ("vp9", (65, 49), "yuv420p", {}),
        ("vp9", (64, 48), "gbrp", {}),
        ("vp9", (64, 48), "yuv420p", {"g": "3"}), ("vp9", (2, 2), "yuv420p", {}),
        ("vp8", (64, 48), "yuv420p", {"auto-alt-ref": "1", "lag-in-frames": "8"}), ("vp8", (64, 48), "yuv420p", {"g": "4"}),
        ("mjpeg", (64, 48), "yuvj420p", {}), ("mjpeg", (64, 48), "yuvj444p", {}),
    ],
)  # fmt: skip
def test_frames_are_equal(codec: str, size: tuple[int, int], pixels: str, options: dict[str, str]) -> None:
    file = np.frombuffer(encoded_video(codec, 20, size, pixels=pixels, options=options), np.uint8)
    frames = "fn.decoders.video(x, frames=[19, 4, 4, 11, 0, 3]), fn.decoders.video(x, start_frame=13), fn.decoders.video(x)"
    check(frames, {"x": ([file, file], "")})


def test_frames_at_uneven_times(tmp_path: Path) -> None:
    (tmp_path / "a.webm").write_bytes(encoded_video("vp9", 6, times=[3, 5, 6, 10, 20, 21]))
    (tmp_path / "b.webm").write_bytes(encoded_video("vp9", 8, rate=4))
    reader = "fn.experimental.readers.video(sequence_length=1, enable_frame_num=True, enable_timestamps=True"
    (tmp_path / "list.txt").write_text(f"{tmp_path}/a.webm 2 0.2 0.5\n{tmp_path}/b.webm 1 0.25 1.1\n{tmp_path}/b.webm 3 -1 0.3")
    for rounding in ("start_down_end_up", "start_up_end_down", "all_up", "all_down"):
        check(f"return tuple({reader}, file_list={str(tmp_path / 'list.txt')!r}, file_list_rounding={rounding!r}))", iterations=4)


@pytest.mark.parametrize("options", ["", "random_shuffle=True, initial_fill=5", "num_shards=3, shard_id=1, stick_to_shard=True"])
def test_sequences_over_epochs(tmp_path: Path, options: str) -> None:
    for number, count in enumerate((31, 12, 47)):
        (tmp_path / f"{number}.webm").write_bytes(encoded_video("vp9", count, (32, 24), seed=number, options={"g": "7"}))
    names = [str(tmp_path / f"{number}.webm") for number in range(3)]
    check(f"fn.experimental.readers.video(filenames={names}, sequence_length=4, stride=2, step=3, {options})", iterations=25)


@pytest.mark.parametrize("options", [{"colorspace": "bt709"}, {"colorspace": "bt2020nc"}, {"chroma_sample_location": "left"}, {"color_range": "pc"}])
def test_what_a_file_says_of_its_colours(options: dict[str, str]) -> None:
    """nvidia.dali weighs luma and chroma by BT.601, and takes chroma to lie between luma, whatever a file says."""
    file = np.frombuffer(encoded_video("vp9", 4, (64, 48), options=options), np.uint8)
    check("fn.decoders.video(x)", {"x": ([file], "")})


@pytest.mark.parametrize("options", ["step=1", "step=2, stride=3", "step=1, pad_mode='reflect_101'", "step=3, random_shuffle=True, initial_fill=9"])
def test_sequences_that_overlap_and_that_key_frames_are_within(tmp_path: Path, options: str) -> None:
    names: list[str] = []
    for number, (codec, settings) in enumerate((("vp9", {"g": "5"}), ("vp8", {"g": "100"}), ("mjpeg", {}))):
        names.append(str(tmp_path / f"{number}.{'avi' if codec == 'mjpeg' else 'webm'}"))
        Path(names[-1]).write_bytes(encoded_video(codec, 29, (32, 24), seed=number, options=settings))
    reader = f"fn.experimental.readers.video(filenames={names}, sequence_length=7, enable_frame_num='sequence', {options})"
    check(f"return tuple({reader})", iterations=12, batch_size=5)


def test_an_empty_list_of_labels_is_refused() -> None:
    file = str(video_folder("a/one.webm"))
    check_refused(f"fn.experimental.readers.video(filenames=[{file!r}], labels=[], sequence_length=4)[0]", codes="DS105")
