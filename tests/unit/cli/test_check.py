"""`dali-studio check`: what it finds, what it writes, how it goes on."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dali_studio import Pipeline, cli, fn
from dali_studio.cli import check as cli_check
from dali_studio.cli.check_files import FileInfo, decode_file


def encoded(height: int, width: int, kind: str = "JPEG", mode: str = "RGB", seed: int = 0) -> bytes:
    channels = {"L": (), "RGB": (3,), "CMYK": (4,)}[mode]
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, *channels), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels, mode).save(file, kind)
    return file.getvalue()


@pytest.fixture
def data_set(tmp_path: Path) -> Path:
    """Two classes, with what goes wrong in data sets."""
    root = tmp_path / "data"
    for name in ("a", "b"):
        (root / name).mkdir(parents=True)
        for i in range(12):
            (root / name / f"{i}.jpg").write_bytes(encoded(40, 50, seed=i + 100 * (name == "b")))
    good = encoded(40, 50, seed=1000)
    (root / "a" / "cut.jpg").write_bytes(good[: len(good) // 2])
    (root / "a" / "empty.jpg").touch()
    (root / "a" / "page.png").write_bytes(b"<!DOCTYPE html><title>404</title>")
    (root / "a" / "gone.jpg").symlink_to("nowhere.jpg")
    (root / "a" / "text.txt").write_text("not read")
    (root / "b" / "copy.jpg").write_bytes(encoded(40, 50, seed=3))
    (root / "b" / "gray.png").write_bytes(encoded(40, 50, "PNG", "L"))
    (root / "b" / "line.jpg").write_bytes(encoded(20, 400))
    (root / "b" / "small.jpg").write_bytes(encoded(8, 9))
    (root / "b" / "vast.jpg").write_bytes(encoded(400, 500))
    return root


def check(*arguments: str | Path) -> int:
    return cli.main(["check", *map(str, arguments)])


def read(arguments: dict[str, Any], count: int) -> list[tuple[str, int]]:
    """Shapes and labels that a pipeline gives."""
    pipeline = Pipeline(batch_size=count, num_threads=1, device_id=None)
    with pipeline:
        files, labels = fn.readers.file(**arguments)
        pipeline.set_outputs(fn.decoders.image(files), labels)
    images, labels = pipeline.run()
    return [(str(images.at(i).shape), int(labels.at(i)[0])) for i in range(count)]


BROKEN = {"cut.jpg", "empty.jpg", "page.png", "gone.jpg"}


def test_everything_that_stands_out_is_found(data_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(data_set, "--out", tmp_path / "out", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    reasons = {Path(one["path"]).name: one["reason"] for one in found["broken"]}
    assert reasons.keys() == BROKEN
    assert "a web page" in reasons["page.png"] and "no bytes" in reasons["empty.jpg"] and "No such file" in reasons["gone.jpg"]
    (copy,) = found["copies"]
    assert copy["path"].endswith("b/copy.jpg")
    assert copy["reason"] == f"the same contents as {data_set}/a/3.jpg, whose label is 0, and here 1"
    sizes = {Path(one["path"]).name: one["reason"] for one in found["sizes"]}
    assert sizes == {
        "line.jpg": "20 rows of 400 pixels: a side is more than 8 times as long as the other",
        "small.jpg": "8 rows of 9 pixels: a side is shorter than 16",
        "vast.jpg": "400 rows of 500 pixels, 200,000 in all; the median is 2,000",
    }
    assert [(Path(one["path"]).name, one["reason"]) for one in found["colors"]] == [("gray.png", "gray, as 1 of 29 pictures")]
    assert found["kinds"] == [
        {"format": "jpeg", "colors": "RGB", "files": 28}, {"format": "png", "colors": "gray", "files": 1},
    ]  # fmt: skip
    assert (found["files"], found["clean"]) == (33, 28)


def test_the_lists_are_what_readers_take(data_set: Path, tmp_path: Path, nvidia: ModuleType) -> None:
    out = tmp_path / "out"
    assert check(data_set, "--out", out) == 1
    clean = str(out / "clean.txt")
    lines = Path(clean).read_text().splitlines()
    assert len(lines) == 28
    ours = read({"file_list": clean}, 28)
    pipeline = nvidia.Pipeline(batch_size=28, num_threads=1, device_id=None)
    with pipeline:
        files, labels = nvidia.fn.readers.file(file_list=clean)
        pipeline.set_outputs(nvidia.fn.decoders.image(files), labels)
    images, labels = pipeline.run()
    assert ours == [(str(images.at(i).shape), int(labels.at(i)[0])) for i in range(28)]
    quarantine = [line.split("\t") for line in (out / "quarantine.txt").read_text().splitlines()]
    assert {Path(path).name for path, _ in quarantine} == BROKEN | {"copy.jpg"}
    assert check(clean, "--out", tmp_path / "again") == 0
    assert (tmp_path / "again" / "clean.txt").read_text().splitlines() == lines


def test_the_page_needs_no_other_file(data_set: Path, tmp_path: Path) -> None:
    check(data_set, "--out", tmp_path / "out")
    page = (tmp_path / "out" / "check.html").read_text()
    assert page.count("<figure>") == 9 and page.count("data:image/jpeg;base64,") == 6  # the one that is cut has a half
    assert page.count("no picture") == 3
    assert ">a/cut.jpg<" in page and ">b/copy.jpg<" in page  # files of one name in several folders
    assert "src=" not in page.replace('src="data:', "") and "href=" not in page


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that are decoded."""
    names: list[str] = []

    def counted(path: str, about: FileInfo) -> FileInfo:
        names.append(Path(path).name)
        return decode_file(path, about)

    monkeypatch.setattr(cli_check, "decode_file", counted)
    return names


def test_another_call_finds_out_what_is_new(data_set: Path, tmp_path: Path, decoded: list[str]) -> None:
    out = tmp_path / "out"
    check(data_set, "--out", out)
    assert len(decoded) == 30  # three have no header that says what to decode
    clean, page = (out / "clean.txt").read_bytes(), (out / "check.html").read_bytes()
    decoded.clear()
    with (out / "state.jsonl").open("a") as state:
        state.write('["/half a li')
    check(data_set, "--out", out)
    assert not decoded and (out / "clean.txt").read_bytes() == clean and (out / "check.html").read_bytes() == page
    (data_set / "a" / "empty.jpg").write_bytes(encoded(30, 30))
    (data_set / "b" / "0.jpg").write_bytes(b"")
    check(data_set, "--out", out)
    assert decoded == ["empty.jpg"]
    text = (out / "clean.txt").read_text()
    assert f"{data_set}/a/empty.jpg 0\n" in text and f"{data_set}/b/0.jpg" not in text


def test_a_state_of_another_version_does_not_count(data_set: Path, tmp_path: Path, decoded: list[str]) -> None:
    check(data_set, "--out", tmp_path / "out")
    state = tmp_path / "out" / "state.jsonl"
    state.write_text('{"dali_studio": "0"}\n' + state.read_text().partition("\n")[2])
    decoded.clear()
    check(data_set, "--out", tmp_path / "out")
    assert len(decoded) == 30


def test_it_goes_on_where_it_was_interrupted(
    data_set: Path, tmp_path: Path, decoded: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    kept: list[str] = []
    keep: Callable[..., None] = cli_check._keep

    def interrupted(state: Any, path: str, about: FileInfo) -> None:
        if about.digest:
            if len(kept) == 10:
                raise KeyboardInterrupt
            kept.append(Path(path).name)
        keep(state, path, about)

    with monkeypatch.context() as patched:
        patched.setattr(cli_check, "_keep", interrupted)
        assert check(data_set, "--out", tmp_path / "out") == 130
    assert "the same call goes on from there" in capsys.readouterr().err
    assert not (tmp_path / "out" / "clean.txt").exists()
    decoded.clear()
    assert check(data_set, "--out", tmp_path / "out") == 1
    assert len(decoded) == 20
    assert len((tmp_path / "out" / "clean.txt").read_text().splitlines()) == 28


def test_headers_alone_decode_nothing(data_set: Path, tmp_path: Path, decoded: list[str]) -> None:
    assert check(data_set, "--out", tmp_path / "out", "--headers") == 1
    assert not decoded
    quarantine = (tmp_path / "out" / "quarantine.txt").read_text()
    assert "empty.jpg" in quarantine and "cut.jpg" not in quarantine
    assert check(data_set, "--out", tmp_path / "out") == 1  # and decodes what the headers have left
    assert len(decoded) == 30


def test_pictures_side_by_side_and_single_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flat = tmp_path / "flat"
    flat.mkdir()
    (flat / "x.jpg").write_bytes(encoded(20, 20))
    (flat / "y.jpg").write_bytes(encoded(20, 20, mode="CMYK"))
    assert check(flat, "--out", tmp_path / "out") == 0
    assert (tmp_path / "out" / "clean.txt").read_text() == f"{flat}/x.jpg 0\n{flat}/y.jpg 0\n"
    text = capsys.readouterr().out
    assert "CMYK" in text and "2 files: 2 lines in the list, 0 not usable, 0 with the contents of another." in text
    assert check(flat / "y.jpg", "--out", tmp_path / "one") == 0
    (flat / "z.jpg").write_bytes(encoded(20, 20)[:-300])
    assert check(flat / "z.jpg", "--out", tmp_path / "one") == 1


def test_sounds_are_decoded_too(data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "sounds" / "speech"
    root.mkdir(parents=True)
    some = {kind: sorted(data_dir.joinpath("audio").rglob(f"*.{kind}"))[0] for kind in ("wav", "flac", "ogg")}
    for kind, path in some.items():
        shutil.copyfile(path, root / f"good.{kind}")
        (root / f"cut.{kind}").write_bytes(path.read_bytes()[:9000])
    assert check(root.parent, "--out", tmp_path / "out", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    # libsndfile takes what there is of a WAV file for the whole, and since 1.2.1 of an OGG file, too
    assert {Path(one["path"]).name for one in found["broken"]} - {"cut.ogg"} == {"cut.flac"}
    assert {row["format"] for row in found["kinds"]} == {"WAV", "FLAC", "OGG"}


def test_sounds_are_no_unusual_pictures(data_set: Path, data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copyfile(sorted(data_dir.joinpath("audio").rglob("*.wav"))[0], data_set / "a" / "said.wav")
    check(data_set, "--out", tmp_path / "out", "--json")
    found = json.loads(capsys.readouterr().out)
    assert [Path(one["path"]).name for one in found["colors"]] == ["gray.png"]


def test_names_that_no_list_can_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [b"two\nlines.jpg", b"bytes\xff.jpg", "ä ö.jpg".encode()]
    folder = tmp_path / "data" / "class"
    folder.mkdir(parents=True)
    for seed, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(encoded(20, 20, seed=seed))
    assert check(folder.parent, "--out", tmp_path / "out") == 1
    assert "no list can hold" in capsys.readouterr().out
    assert len(read({"file_list": str(tmp_path / "out" / "clean.txt")}, 2)) == 2
    assert check(folder.parent, "--out", tmp_path / "out") == 1


def test_a_file_that_a_list_names_twice_is_checked_once(tmp_path: Path, decoded: list[str]) -> None:
    (tmp_path / "x.jpg").write_bytes(encoded(20, 20))
    (tmp_path / "list.txt").write_text("x.jpg 0\nx.jpg 0\n")
    assert check(tmp_path / "list.txt", "--out", tmp_path / "out") == 0
    assert decoded == ["x.jpg"] and (tmp_path / "out" / "clean.txt").read_text() == f"{tmp_path}/x.jpg 0\n" * 2


@pytest.mark.parametrize(
    ("target", "out", "says"),
    [
        ("nowhere", "out", "cannot be read as a folder"),
        ("empty", "out", "holds no images"),
        ("data", "data/out", "lies in the data set"),
        ("data/a/text.txt", "out", "DS302: data/a/text.txt, line 1: "),
        ("data", "data/a/0.jpg", "lies in the data set"),
        ("data", "file", "cannot be used as a folder"),
    ],
)
def test_what_cannot_be_checked(
    target: str, out: str, says: str, data_set: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.chdir(data_set.parent)
    Path("empty").mkdir()
    Path("file").touch()
    assert check(Path(target), "--out", Path(out)) == 1
    error = capsys.readouterr().err
    assert "DS302" in error and says in error
