"""The programs in the pages of docs/ run."""

from __future__ import annotations

import importlib.util
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import cli, samples

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str = "python") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("torch")
def test_pytorch(capsys: pytest.CaptureFixture[str]) -> None:
    program, behind_a_loader = blocks("pytorch.md")
    space: dict[str, Any] = {}
    exec(compile(program, "docs/pytorch.md", "exec"), space)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * len(space["batches"])
    # 14 photos in batches of 4
    assert [line.split(" [")[0] for line in lines[:4]] == ["0 (4, 3, 224, 224)"] * 3 + ["0 (2, 3, 224, 224)"]
    exec(compile(behind_a_loader, "docs/pytorch.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" [")[0].split(" ('")[0] for line in lines] == ["(4, 224, 224, 3)"] * 3 + ["(2, 224, 224, 3)"]


@pytest.mark.usefixtures("torch")
def test_torchvision() -> None:
    (program,) = blocks("torchvision.md")
    exec(compile(program, "docs/torchvision.md", "exec"), {})


@pytest.mark.parametrize("page", ["getting_started.md", "from_torchvision.md", "measuring.md", "reading_programs.md"])
def test_programs_that_say_what_they_give(page: str) -> None:
    for program in blocks(page):
        exec(compile(program, f"docs/{page}", "exec"), {})


@pytest.mark.parametrize("page", ["user_guide.md", "checking_data.md"])
def test_commands(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gallery").symlink_to(DOCS.parent / "gallery")
    (tmp_path / "path" / "to").mkdir(parents=True)
    (tmp_path / "path" / "to" / "photos").symlink_to(samples.photos())
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    assert lines and all(line.startswith("dali-studio ") for line in lines)
    for line in lines:
        if "verify" not in line or importlib.util.find_spec("nvidia.dali"):
            assert cli.main(shlex.split(line)[1:]) == 0, line


def test_conditionals(tmp_path: Path) -> None:
    (program,) = blocks("conditionals.md")
    (tmp_path / "program.py").write_text(program)  # the source is read
    space = runpy.run_path(str(tmp_path / "program.py"))
    assert len(space["images"]) == len(space["labels"]) == 8


def test_dynamic(capsys: pytest.CaptureFixture[str]) -> None:
    space: dict[str, Any] = {}
    exec(compile("\n".join(blocks("dynamic.md")), "docs/dynamic.md", "exec"), space)
    assert capsys.readouterr().out.count("(32, 32, 3)") == 4


def test_checkpoints(tmp_path: Path) -> None:
    (program,) = blocks("checkpoints.md")
    (tmp_path / "program.py").write_text(program)
    space = runpy.run_path(str(tmp_path / "program.py"))
    for one, other in zip(space["pipeline"].run(), (space["images"], space["labels"]), strict=True):
        assert all(np.array_equal(np.array(one.at(i)), np.array(other.at(i))) for i in range(4))


def test_parallel_sources() -> None:
    (program,) = blocks("parallel_sources.md")
    space: dict[str, Any] = {}
    exec(compile(program, "docs/parallel_sources.md", "exec"), space)
    assert [int(np.asarray(space["images"].at(i)).max()) for i in range(8)] == list(range(8))


def test_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("av", reason="needs PyAV")
    monkeypatch.chdir(tmp_path)
    page, space = blocks("video.md"), dict[str, Any]()
    for program in page:
        exec(compile(program, "docs/video.md", "exec"), space)
    said = [line.removeprefix("# ") for program in page for line in program.splitlines() if line.startswith("# [")]
    assert capsys.readouterr().out.splitlines() == said


def test_damaged_files() -> None:
    (program,) = blocks("damaged_files.md")
    space: dict[str, Any] = {}
    exec(compile(program, "docs/damaged_files.md", "exec"), space)
    assert len(space["images"]) == len(space["labels"]) == 8
    assert space["pipeline"].failed_samples() == ()


@pytest.mark.parametrize("page", sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if "_site" not in path.parts))
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (DOCS / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (DOCS / page).parent.joinpath(link).exists()] == []
