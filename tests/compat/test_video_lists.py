"""What lines of a list of videos mean, against nvidia.dali."""

from __future__ import annotations

from pathlib import Path

import pytest
from peers import check, check_refused

from dali_studio.schema.sample_videos import encoded_video

pytest.importorskip("av", reason="needs PyAV")
pytestmark = [pytest.mark.usefixtures("nvidia"), pytest.mark.filterwarnings("ignore:.*(passed over|left out)")]

FRAMES = [
    "V 3 2 8\r", "\r", "V 3 0x10 -2", "V 3 2 100", "V 3 1e30 -2", "V 3 -1e30 5", "V 3 2.5 7.5", "V 3 -2.5 9.5", "V 3 7 -12",
    "V 3 2", "V 3 2 nan", "V 3 nan 2", "V 3 inf 2", "V 3 1e2 2", "V 1e3 0 -2", "V abc 0 -2", "V 0x10 3", "V 99999999999 3 5",
    "V +3 3 5", "V 3 3 3", "V 3 0 0", "V 007 0 2", "nothere 3", "V\0x 3", "V\t3\v2\f4", "V 3,2 4", "V 3 1,5 4", "V 3 1. 4.",
    "V 3 .5 4", "V 3 1e 4", "V 3 1e+ 4", "V 3 1 4e", "V 3 1 4 5 6", "V 3 1 5\0 6", "V 3.7 5", "V -0 5 7", "V 3 1 1e-46",
    "V 3 1 2e39", "V 3 -1e39 5", "\ufeffV 3", "V 3 1 --4", "V 3 1 4.5.6", "V 3 1 4e1.5", "V -", "V 3\x1c2 4", "V 3 2 2147483650",
]  # fmt: skip
TIMES = [
    "V 3 1e30 0.3", "V 3 0.1 1e30", "V 3 2660 0.4", "V 3 1e3 0.3", "V 3 0.08 nan", "V 3 -5 .3", "V 3 -5e30 .3", "V 3 .1 -5",
    "V 3 .1", "V 3 0.36 0.37", "V 3 0.35 0.36", "V 3 0.37 0.36", "V 3 0.35 0.3605", "V 3 0.35 0.361", "V 3 0.1 0.1",
]  # fmt: skip


def written(folder: Path, *lines: str) -> str:
    (folder / "v.webm").write_bytes(encoded_video("vp9", 10, (32, 24)))
    (folder / "list.txt").write_bytes("\n".join(lines).replace("V", str(folder / "v.webm")).encode())
    return str(folder / "list.txt")


@pytest.mark.parametrize("rounding", ["start_down_end_up", "start_up_end_down", "all_up", "all_down"])
@pytest.mark.parametrize("kind", ["frames", "timestamps"])
def test_lines_mean_the_same(tmp_path: Path, kind: str, rounding: str) -> None:
    listed = written(tmp_path, *(FRAMES if kind == "frames" else TIMES))
    reader = "fn.experimental.readers.video(sequence_length=1, enable_frame_num=True"
    check(f"{reader}, file_list={listed!r}, file_list_format={kind!r}, file_list_rounding={rounding!r})", iterations=8, batch_size=32)


@pytest.mark.parametrize("mode", ["edge", "constant", "reflect_1001", "reflect_101"])
def test_a_range_that_begins_before_the_first_frame(tmp_path: Path, mode: str) -> None:
    listed = written(tmp_path, "V 3 -13 6")
    wanted = "sequence_length=2, file_list_format='frames', enable_frame_num='sequence', enable_timestamps=True"
    check(f"fn.experimental.readers.video(file_list={listed!r}, pad_mode={mode!r}, {wanted})", iterations=2)


@pytest.mark.parametrize("line", ["V", "V ", "V -3 0 2", "V 3 -20 5", "nothere 3", "", "V 3 2"])
def test_lists_that_are_refused(tmp_path: Path, line: str) -> None:
    reader = "fn.experimental.readers.video(sequence_length=1, file_list_format='frames'"
    check_refused(f"{reader}, file_list={written(tmp_path, line)!r})", codes="DS302")
