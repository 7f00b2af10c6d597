"""The scripts that measure: they run on the CPU, say what fails, and survive a worker that dies."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from images import dataset
from PIL import Image

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def run(script: str, out: Path, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, str(FOLDER / script), "--device", "cpu", "--batch", "3", "--out", str(out), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(json.loads(out.read_text(encoding="utf-8")))["results"]


@pytest.fixture
def photos(tmp_path: Path) -> str:
    return str(dataset(tmp_path / "photos", classes=2, images=4, size=(40, 50)))


@pytest.mark.slow
def test_several_processes(tmp_path: Path, photos: str) -> None:
    found = run(
        "multi_gpu.py",
        tmp_path / "out.json",
        "--engines",
        "studio",
        "--gpus",
        "1",
        "2",
        "--threads",
        "1",
        "--rounds",
        "1",
        "--seconds",
        "0.05",
        "--photos",
        photos,
    )
    ((title, engines),) = found.items()
    assert title == f"{photos}, 1 threads" and [*engines] == ["studio"]
    rates, multiples = (engines["studio"][name] for name in ("images_per_second", "multiples"))
    assert [*rates] == ["1", "2"] and all(rate["median"] > 0 for rate in rates.values())
    assert multiples["1"]["median"] == 1.0


def test_memory_and_repetitions(tmp_path: Path, photos: str) -> None:
    found = run(
        "endurance.py",
        tmp_path / "out.json",
        "memory",
        "repeat",
        "--batches",
        "60",
        "--runs",
        "1",
        "--threads",
        "1",
        "2",
        "--photos",
        photos,
    )
    assert found["memory"]["last"]["batch"] == 59 and found["memory"]["growth"]["resident"] <= 64
    assert [found["repeat"][work]["different"] for work in ("readme", "decode alone")] == [1, 1]


@pytest.mark.slow
def test_an_engine_that_fails_is_a_line_of_the_table(tmp_path: Path, photos: str) -> None:
    empty = tmp_path / "peer" / "nvidia" / "dali"  # hides an installed nvidia.dali
    empty.mkdir(parents=True)
    (empty / "__init__.py").write_text("raise ImportError('broken')")
    (empty.parent / "__init__.py").touch()
    found = run("peer.py", tmp_path / "out.json", "--peer", str(tmp_path / "peer"), "--rounds", "2", "--seconds", "0.05", "--threads", "1",
                "--only", "readme", "--only", "hsv", "--photos", photos)  # fmt: skip
    assert len(found["readme"]["studio"]) == len(found["hsv"]["studio"]) == 2
    assert "broken" in found["readme"]["nvidia_error"] and found["readme"]["summary"]["nvidia"] is None


@pytest.mark.slow
def test_rows_of_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset(tmp_path / "data" / "jpeg", classes=2, images=5, size=(40, 50))
    monkeypatch.setenv("DALI_STUDIO_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.syspath_prepend(str(FOLDER))
    found = run("peer.py", tmp_path / "out.json", "--all-rows", "--rounds", "1", "--seconds", "0.05", "--warm-up", "0",
                "--threads", "1", "--only", "500×375, batch 1")  # fmt: skip
    assert set(found) == {"decode alone, 500×375, batch 1"}
    assert all(len(row["studio"]) == 1 for row in found.values())
    from photos import photo_set

    bag = sorted(photo_set("mixed bag").rglob("*.*"))
    with Image.open(bag[0]) as first, Image.open(bag[2]) as third:
        assert "progression" in first.info and third.mode == "CMYK"
    assert [file.suffix for file in bag] == [".jpg", ".png", *[".jpg"] * 8]


def test_kernels_of_two_checkouts(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [sys.executable, str(FOLDER / "kernels.py"), "--before", str(FOLDER.parents[1]), "--rounds", "3",
               "--milliseconds", "1", "--processor", "0", "--only", "place, 64 rows", "--out", str(out)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (kernel,) = json.loads(out.read_text(encoding="utf-8"))["results"].values()
    assert min(kernel.values()) > 0 and "1 kernels: median" in done.stdout


def test_a_worker_that_dies_or_hangs_is_started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    from turns import Worker

    worker = Worker("studio")
    try:
        assert worker.ask({"do": "facts"})["engine"] == "studio"
        worker.send({"do": "facts"})
        assert worker._process is not None
        worker._process.kill()
        worker._process.wait()
        answers = [worker.receive(20)]
        if "error" not in answers[0]:  # it was quick enough to answer before its end
            answers.append(worker.ask({"do": "facts"}))
        assert "ended" in answers[-1]["error"]
        assert worker.ask({"do": "facts"}, timeout=0.0)["error"].startswith("no answer")
        assert worker.ask({"do": "facts"})["engine"] == "studio"
        assert "Error" in worker.ask({"do": "measure", "seconds": 0.1})["error"]
    finally:
        worker.stop()
