"""Members of tar archives, read the quick way and by `tarfile`; pieces that are read by one call."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import numpy as np
import pytest

from dali_studio.kernels.cpu import webdataset
from dali_studio.kernels.cpu.file_read import FAST, FLAGS
from dali_studio.kernels.cpu.native import kernel


def written(path: Path, form: int, *, prefix: str = "", time: float = 0, folder: bool = True) -> Path:
    with tarfile.open(path, "w", format=form) as archive:
        if folder:
            member = tarfile.TarInfo("folder")
            member.type = tarfile.DIRTYPE
            archive.addfile(member)
        for number in range(4):
            member = tarfile.TarInfo(f"{prefix}{number}.bin")
            member.mtime, member.size = time, number * 300
            archive.addfile(member, io.BytesIO(bytes(member.size)))
    return path


def members(path: Path) -> tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]]:
    with path.open("rb") as file:
        return webdataset._plain_members(file), list(webdataset._members(file, str(path)))  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("time", [0, 1.5])
@pytest.mark.parametrize("folder", [True, False])
def test_plain_archives_are_read_the_quick_way(tmp_path: Path, form: int, time: float, folder: bool) -> None:
    quick, wanted = members(written(tmp_path / "a.tar", form, time=time, folder=folder))
    assert quick == wanted and len(wanted) == 4


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("prefix", ["long" * 40, "folder/" * 20])
def test_archives_with_long_names_are_left_to_tarfile(tmp_path: Path, form: int, prefix: str) -> None:
    quick, wanted = members(written(tmp_path / "a.tar", form, prefix=prefix))
    assert not quick and len(wanted) == 4


@pytest.mark.parametrize("at", [0, 130, 150, 512 * 2 + 124])
def test_archives_with_a_damaged_header_are_left_to_tarfile(tmp_path: Path, at: int) -> None:
    path = written(tmp_path / "a.tar", tarfile.GNU_FORMAT)
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    with path.open("rb") as file:
        assert not webdataset._plain_members(file)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.skipif(not FAST, reason="Windows reads pieces by Python")
def test_neighbouring_pieces_are_read_together(tmp_path: Path) -> None:
    content = np.random.default_rng(0).integers(0, 256, 40_000, np.uint8)
    path = tmp_path / "pieces"
    content.tofile(path)
    # side by side, after a gap, without bytes, far behind, before, overlapping, and past the end
    places = [
        (0, 10),
        (10, 20),
        (542, 100),
        (700, 0),
        (700, 5),
        (30_000, 1000),
        (5, 5),
        (8, 8),
        (39_990, 11),
        (39_999, 1),
    ]
    starts, sizes = (np.array(column, np.int64) for column in zip(*places, strict=True))
    ends = np.cumsum(sizes)
    slab, file = np.zeros(int(ends[-1]), np.uint8), os.open(path, FLAGS)
    try:
        made = sizes.copy()
        kernel("read_pieces")(np.full(len(places), file, np.int32), starts, made, slab, ends - sizes)
    finally:
        os.close(file)
    assert made.tolist() == [-1 if place == (39_990, 11) else place[1] for place in places]
    for (start, size), end in zip(places, ends, strict=True):
        if (start, size) != (39_990, 11):
            assert slab[end - size : end].tolist() == content[start : start + size].tolist()
