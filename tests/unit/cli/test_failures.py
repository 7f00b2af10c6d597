"""How the command line fails: errors of the user, Ctrl-C, full disks, closed outputs, files that cannot be read."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from dali_studio import cli, samples
from dali_studio.cli import run as cli_run

GETTING_STARTED = Path(__file__).resolve().parents[3] / "gallery" / "getting_started" / "pipeline.dali.json"


def documents(folder: Path) -> dict[str, str]:
    good = json.loads(GETTING_STARTED.read_text())
    newer = good | {"version": 99}
    unknown = json.loads(GETTING_STARTED.read_text().replace('"rotate"', '"rotatte"'))
    later = json.loads(GETTING_STARTED.read_text().replace('"operator": "rotate"', '"operator": "image_decoder"'))
    loop = json.loads(GETTING_STARTED.read_text())
    loop["pipeline"]["nodes"][3]["inputs"] = [["rotate", 0]]
    wrong = json.loads(GETTING_STARTED.read_text())
    wrong["pipeline"]["nodes"][3]["arguments"]["fill_value"] = "black"
    texts = {"newer": newer, "unknown": unknown, "later": later, "loop": loop, "wrong": wrong}
    for name, text in texts.items():
        (folder / f"{name}.dali.json").write_text(json.dumps(text))
    (folder / "broken.dali.json").write_text('{"format": "dali-studio",\n "version": }')
    (folder / "empty").mkdir()
    (folder / "texts" / "more").mkdir(parents=True)
    for name in ("a.txt", "b.wav"):
        (folder / "texts" / name).touch()
    (folder / "deep" / "train" / "cats").mkdir(parents=True)
    (folder / "deep" / "train" / "cats" / "a.jpg").touch()
    (folder / "program.py").write_text("raise SystemExit('it was run')")
    (folder / "not_images").mkdir()
    (folder / "not_images" / "a.jpg").write_bytes(b"no picture")
    return {"program": str(folder / "program.py")} | {name: str(folder / f"{name}.dali.json") for name in (*texts, "broken")}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["run", "{missing}"], 1, "DS302"),
        (["run", "{broken}"], 1, "line 2"),
        (["run", "{newer}"], 1, "DS402"),
        (["run", "{unknown}"], 1, "DS101"),
        (["explain", "{loop}"], 1, "DS204"),
        (["run", "{wrong}"], 1, "DS104 rotate.fill_value"),
        (["run", "{good}", "--images", "{folder}/nowhere"], 1, "DS302"),
        (["run", "{good}", "--images", "{folder}/empty"], 1, "holds no images, nor do its sub-folders: it is empty."),
        (["run", "{good}", "--images", "{folder}/deep"], 1, "but the sub-folders of {folder}/deep/train do. Give {folder}/deep/train."),
        (["run", "{good}", "--images", "{folder}/texts"], 1, "sub-folders: 2 other files and 1 folder. Give a folder of images (.jpg, "),
        (["run", "{program}"], 1, "DS502: program.py has no pipeline."),
        (["import", "{program}"], 1, "DS502: program.py has no pipeline."),
        (["import", "{good}"], 1, "DS502"),
        (["run", "xyzzy"], 1, "neither a file nor an example called 'xyzzy'. Give a .dali.json document, or one of the examples: action_clips, affine_warps, "),
        (["run", "augmentaton"], 1, "neither a file nor an example called 'augmentaton'. Did you mean 'augmentations'?"),
        (["catalog", "image_decoder"], 1, "DS101: nvidia.dali has the operator 'image_decoder', dali_studio does not have it yet."),
        (["explain", "{later}"], 1, "DS101 rotate: nvidia.dali has the operator 'image_decoder'"),
        (["run", "{good}", "--images", "{folder}/not_images"], 1, "DS301 decode (sample 0)"),
        (["run", "{good}", "--batches", "0"], 2, "whole number from 1"),
        (["run", "{good}", "--out", "{broken}"], 1, "cannot be used as a folder"),
        (["export", "{good}", "--dialect", "cobol"], 1, "DS501"),
        (["export", "{good}", "-o", "{folder}/nowhere/x.py"], 1, "could not be written"),
        (["export", "{good}", "--colour"], 2, "--colour"),
        (["catalog", "rotato"], 1, "DS101"),
        (["dance"], 2, "invalid choice"),
        ([], 2, "VERB"),
    ],
)  # fmt: skip
def test_errors_of_the_user_are_findings(
    arguments: list[str], code: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"good": str(GETTING_STARTED), "folder": str(tmp_path), "missing": "no.dali.json", **documents(tmp_path)}
    try:
        ended = cli.main([argument.format(**names) for argument in arguments])
    except SystemExit as end:  # of what reads the arguments
        ended = end.code
    assert (ended, says.format(**names) in capsys.readouterr().err) == (code, True)


def test_ctrl_c_ends_a_run() -> None:
    termios = pytest.importorskip("termios", reason="Windows has no SIGINT for other processes")
    # Far more batches than the test waits for: reading goes round and round.
    command = [sys.executable, "-m", "dali_studio", "run", str(GETTING_STARTED), "--batches", "1000000"]
    terminal, end = os.openpty()
    termios.tcsetwinsize(end, (24, 80))
    process = subprocess.Popen(command, stderr=end, stdout=subprocess.DEVNULL)
    os.close(end)
    said = b""
    while not re.search(rb" [1-9]\d*/1000000", said):  # some are done: the bar is whole; an error if the process has ended
        said += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    with suppress(OSError):  # there is no end of a terminal
        while more := os.read(terminal, 4096):
            said += more
    os.close(terminal)
    assert process.wait(timeout=60) == cli.INTERRUPTED, said
    assert b"Traceback" not in said


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_is_not_lost_in_a_finaliser() -> None:
    class Finalised:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with cli_run._interrupts() as check:
        check()
        Finalised()  # Python reports the exception, and goes on
        with pytest.raises(KeyboardInterrupt):
            check()


def shell(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command line in which `{}` is ours."""
    ours = f"{sys.executable} -m dali_studio"
    whole = ["bash", "-c", command.format(ours), "bash", *arguments]
    return subprocess.run(whole, capture_output=True, text=True, check=False, timeout=120)


POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no bash")
VERBS = ["catalog", "export $1", "explain $1", "run $1 --batches 1"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("verb", VERBS)
def test_a_full_disk_behind_standard_output_is_an_error(verb: str) -> None:
    done = shell(f"{{}} {verb} > /dev/full", str(GETTING_STARTED))
    assert done.returncode == cli.FAILED
    assert "error: DS302: Standard output could not be written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@POSIX
@pytest.mark.parametrize(
    ("verb", "end"),
    [*((verb, "2>&1 | head -c 10") for verb in VERBS), (VERBS[0], "| true"), (VERBS[0], ">&-"), (VERBS[-1], ">&- 2>&-")],
)
def test_a_closed_output_is_no_error(verb: str, end: str) -> None:
    done = shell(f"{{}} {verb} {end}; code=${{{{PIPESTATUS[0]}}}}; echo; echo $code", str(GETTING_STARTED))
    assert done.stdout.splitlines()[-1] == "0"
    assert "Traceback" not in done.stdout + done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.parametrize("name", ["contact_sheet.png", "report.json"])
def test_a_full_disk_under_the_results_of_a_run_is_an_error_and_leaves_no_half_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written: list[int] = []

    def fsync(stream: int) -> None:
        written.append(stream)
        if len(written) > (name == "report.json"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    assert cli.main(["run", str(GETTING_STARTED), "--batches", "1", "--out", str(tmp_path)]) == cli.FAILED
    said = capsys.readouterr()
    assert f"error: DS302: {tmp_path / name} could not be written: No space left on device." in said.err
    assert "samples/s" in said.out, "what was measured is shown all the same"
    assert [path.name for path in tmp_path.iterdir()] == (["contact_sheet.png"] if name == "report.json" else [])


def test_a_folder_that_may_not_be_written_is_told_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert cli.main(["run", str(GETTING_STARTED), "--out", str(tmp_path)]) == cli.FAILED
    said = capsys.readouterr()
    assert f"DS302: {tmp_path} cannot be used: It may not be written. Give --out another folder." in said.err
    assert not said.out


@pytest.mark.parametrize("verb", ["run", "export", "explain"])
@pytest.mark.parametrize("kind", ["missing", "folder", "cut", "empty", "latin", "locked"])
def test_documents_that_cannot_be_read_are_one_line(
    verb: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.dali.json"
    content = {"cut": GETTING_STARTED.read_bytes()[:300], "empty": b"", "latin": b'{"name": "\xe9"}', "locked": b"{}"}
    if kind in content:
        path.write_bytes(content[kind])
    elif kind == "folder":
        path.mkdir()
    if kind == "locked":  # root may read everything
        def locked(*given: Any, **options: Any) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(Path, "open", locked)
    assert cli.main([verb, str(path)]) == cli.FAILED
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert line.startswith(f"error: {'DS401' if kind in ('cut', 'empty', 'latin') else 'DS302'}: ")
    assert not said.out


@POSIX
def test_names_that_are_no_text_are_written_with_escapes(tmp_path: Path) -> None:
    folder = tmp_path / "\udcff"
    folder.mkdir()
    for photo in sorted(samples.photos().glob("things/*.jpg"))[:2]:
        shutil.copy(photo, folder)
    for verb in ("explain", "export"):
        assert cli.main([verb, str(GETTING_STARTED), "--images", str(folder)]) == 0
    done = shell('{} explain "$1" --images "$2"', str(GETTING_STARTED), str(folder))
    assert done.returncode == 0 and "\\udcff" in done.stdout
    done = shell('PYTHONIOENCODING=ascii {} run "$1" --images "$2" --out "$2/out" --batches 1', str(GETTING_STARTED), str(folder))
    assert done.returncode == 0 and "contact sheet: " in done.stdout and "Traceback" not in done.stderr
    assert (folder / "out" / "report.json").exists()
