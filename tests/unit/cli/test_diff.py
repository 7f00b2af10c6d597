"""`dali-studio diff`: structure and numbers of two pipelines, also as Git has them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from dali_studio import Pipeline, cli, fn, pipeline_def, samples
from dali_studio.graph import document


def written(path: Path, **resizing: Any) -> Path:
    @pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=5)
    def made() -> Any:
        files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
        small = fn.resize(fn.decoders.image(files, name="decode"), name="resize", **resizing)
        return fn.rotate(small, angle=fn.random.uniform(range=(-9.0, 9.0), name="angle"), name="rotate"), labels

    pipeline: Pipeline = made()
    document.save(pipeline.graph, {}, path)
    return path


def test_structure_and_numbers_of_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a = written(tmp_path / "a.dali.json", size=[40, 60])
    b = written(tmp_path / "b.dali.json", size=[40, 60], interp_type=0)
    assert cli.main(["diff", str(a), str(a)]) == 0
    assert cli.main(["diff", str(a), str(b), "--pixels"]) == 1
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0].startswith("~ resize.interp_type: default -> ")
    assert {line.split()[0] for line in lines[3:]} >= {"resize", "rotate"} and "3 of 3" in said.out
    assert not any(line.startswith(("decode", "angle", "reader")) for line in lines)
    assert "4 outputs of 6 that both have are equal in the first 3 samples." in said.err
    c = written(tmp_path / "c.dali.json", size=[20, 60])
    assert cli.main(["diff", str(a), str(c), "--pixels"]) == 1
    assert "40×60×3 became 20×60×3" in capsys.readouterr().out


def test_a_file_as_git_has_it(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "a.dali.json", size=[40, 60])
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", path.name], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], check=True, cwd=tmp_path)
    written(path, size=[40, 80])
    assert cli.main(["diff", "HEAD:a.dali.json", "a.dali.json"]) == 1
    assert "~ resize.size: (40.0, 60.0) -> (40.0, 80.0)" in capsys.readouterr().out
    assert cli.main(["diff", "HEAD:none.dali.json", "a.dali.json"]) == 2
    assert "Git has no none.dali.json in HEAD" in capsys.readouterr().err
