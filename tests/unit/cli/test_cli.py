"""The command line: what it writes, how it fails."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dali_studio import __version__, cli, fn, samples
from dali_studio.cli import images
from dali_studio.cli import run as cli_run
from dali_studio.cli import text as cli_text
from dali_studio.cli.lab import FIRST, starter
from dali_studio.cli.text import table
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.document import save
from dali_studio.pipeline import Pipeline

REPOSITORY = Path(__file__).resolve().parents[3]
GALLERY = sorted((REPOSITORY / "gallery").glob("*/pipeline.dali.json"))
GETTING_STARTED = REPOSITORY / "gallery" / "getting_started" / "pipeline.dali.json"


def test_tables_have_even_columns() -> None:
    assert table(("a", "bb"), [("long", "1"), ("x", "22")], numbers=(1,)) == "a     bb\n----  --\nlong   1\nx     22"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_wait_has_a_line_on_a_terminal_that_goes_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(cli_text, "_SHOWN_AFTER", 0)
    with cli_text.waiting("Listing a\x1b folder"):
        while "Listing a\\x1b folder, 0 s" not in terminal.getvalue():
            time.sleep(0.01)
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_wait_says_nothing_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_text, "_SHOWN_AFTER", 0)
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with cli_text.waiting("Listing"):
            time.sleep(0.05)
        assert stream is None or not stream.getvalue()


def sample_folder(document: Path) -> Path:
    """What an example reads that is told nothing."""
    return samples.videos() if "readers.video" in document.read_text() else samples.photos()


@pytest.mark.parametrize("document", GALLERY, ids=lambda path: path.parent.name)
def test_the_gallery_runs_on_the_sample_photos(
    document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", str(document), "--batches", "1", "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "report.json").read_text())
    nodes = json.loads(document.read_text())["pipeline"]["nodes"]
    assert {node["key"] for node in nodes} == set(written["nodes"])
    assert written["samples_per_second"] > 0
    shown = capsys.readouterr().out
    assert all(node["key"] in shown for node in nodes) and "samples/s" in shown
    with Image.open(tmp_path / "contact_sheet.png") as sheet:
        assert len(sheet.convert("RGB").getcolors(1 << 24) or []) > 1000  # photos, not an empty page


def test_images_replace_what_a_document_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flat = tmp_path / "flat"
    flat.mkdir()
    for photo in sorted(samples.photos().glob("animals/*.jpg")):
        shutil.copy(photo, flat)
    assert cli.main(["explain", str(GETTING_STARTED), "--images", str(flat)]) == 0
    assert f"files=('{flat}" in capsys.readouterr().out
    assert cli.main(["explain", str(GETTING_STARTED), "--images", str(samples.photos())]) == 0
    assert f"file_root='{samples.photos()}'" in capsys.readouterr().out
    assert cli.main(["run", str(GETTING_STARTED), "--images", str(flat)]) == 0
    assert "8 samples in 1 batch," in capsys.readouterr().out


@pytest.mark.parametrize(("action", "count", "says"), [("skip", 3, "left out"), ("placeholder", 4, "replaced by black pictures")])
def test_a_run_tells_which_samples_failed(
    action: str, count: int, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "photos").mkdir()
    for photo in sorted(samples.photos().glob("animals/*.jpg"))[:3]:
        shutil.copy(photo, tmp_path / "photos")
    (tmp_path / "photos" / "text.jpg").write_text("no picture")
    pipeline = Pipeline(batch_size=4, num_threads=1, device_id=None, seed=1)
    with pipeline:
        files, _labels = fn.readers.file(files=[str(f) for f in sorted((tmp_path / "photos").iterdir())])
        pipeline.set_outputs(fn.decoders.image(files, on_error=action, name="decode"))
    save(pipeline.graph, None, tmp_path / "p.dali.json")
    assert cli.main(["run", str(tmp_path / "p.dali.json"), "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(f"{count} samples in 1 batch")
    assert f"1 sample could not be read or decoded; {says}" in shown.err and "text.jpg" in shown.err
    (failed,) = json.loads((tmp_path / "report.json").read_text())["failed"]
    assert (failed["node"], failed["action"], Path(failed["source"]).name) == ("decode", action, "text.jpg")


def test_explain_shows_fused_steps_and_their_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0, seed=1)
    with pipeline:
        files, _ = fn.readers.file(file_root=str(samples.photos()))
        images = fn.hsv(fn.decoders.image(files, device="mixed"), hue=30.0)
        pipeline.set_outputs(fn.flip(images))
    document = tmp_path / "pipeline.dali.json"
    save(pipeline.graph, None, document)
    assert cli.main(["explain", str(document)]) == 0
    plan = capsys.readouterr().out
    assert "whole batch, one kernel" in plan and "__global__" not in plan
    assert cli.main(["explain", str(document), "--cuda"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(plan) and "// hsv -> flip" in shown and shown.count("__global__") == 1


@pytest.mark.parametrize("dialect", ["nvidia.dali", "dali_studio"])
@pytest.mark.parametrize("document", GALLERY, ids=lambda path: path.parent.name)
def test_exported_programs_are_python(
    document: Path, dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["export", str(document), "--dialect", dialect, "--images", str(sample_folder(document))]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"from {dialect} import")
    compile(printed, "program.py", "exec")
    target = tmp_path / "program.py"
    assert cli.main([*arguments, "-o", str(target)]) == 0
    head, _, rest = target.read_text().partition("\n")
    assert head.startswith("# Written by `dali-studio export`") and rest == printed


def attack(folder: Path) -> Path:
    """A document that wants to run a command, and to write to the terminal."""
    nodes = [{"key": "\x1b[2Jimages", "operator": "_b.sysconfig.os.system", "arguments": {"command": "id > x"}}]
    pipeline = {"nodes": nodes, "outputs": [["\x1b[2Jimages", 0]]}
    path = folder / "attack.dali.json"
    path.write_text(json.dumps({"format": "dali-studio", "version": 1, "pipeline": pipeline}))
    return path


@pytest.mark.parametrize("dialect", ["nvidia.dali", "dali_studio"])
def test_nothing_is_exported_with_errors(dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    arguments = ["export", str(attack(tmp_path)), "--dialect", dialect]
    assert cli.main(arguments) == cli.main([*arguments, "-o", str(program)]) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and not program.exists()
    assert "DS101" in shown.err and "--force" in shown.err


def test_what_is_exported_by_force_raises_there(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    assert cli.main(["export", str(attack(tmp_path)), "--dialect", "dali_studio", "--force", "-o", str(program)]) == 1
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "NotImplementedError: \x1b[2Jimages: There is no operator called '_b.sysconfig.os.system'" in done.stderr
    assert not (tmp_path / "x").exists() and "system(" not in program.read_text()


@pytest.mark.parametrize("verb", ["export", "run", "explain"])
def test_documents_do_not_command_the_terminal(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([verb, str(attack(tmp_path))]) == 1
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err and "\\x1b[2Jimages" in shown.err


def test_titles_of_contact_sheets_are_no_formulas(tmp_path: Path) -> None:
    raw = json.loads(GETTING_STARTED.read_text().replace('"rotate"', '"$\\\\frac{$ \\udcff"'))
    raw["pipeline"]["nodes"][-1]["operator"] = "rotate"
    assert [node["key"] for node in raw["pipeline"]["nodes"]][-1] == "$\\frac{$ \udcff"
    path = tmp_path / "formula.dali.json"
    path.write_text(json.dumps(raw))
    assert cli.main(["run", str(path), "--batches", "1", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "contact_sheet.png").exists()


def test_the_exported_program_runs(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    arguments = ["export", str(GETTING_STARTED), "--dialect", "dali_studio", "--images", str(samples.photos())]
    assert cli.main([*arguments, "-o", str(program)]) == 0
    subprocess.run([sys.executable, str(program)], check=True, cwd=tmp_path)


@pytest.mark.usefixtures("nvidia")
@pytest.mark.parametrize("document", GALLERY, ids=lambda path: path.parent.name)
def test_the_exported_examples_run_in_dali_as_they_are(document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, folder = tmp_path / "program.py", sample_folder(document)
    assert cli.main(["export", document.parent.name, "-o", str(program)]) == 0
    assert f"reads the sample {folder.name}, by a parameter's default" in capsys.readouterr().err
    assert f'_file_root="{folder}"' in program.read_text()
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_catalog_lists_and_describes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["catalog"]) == 0
    shown = capsys.readouterr().out
    assert "crop_mirror_normalize" in shown and "geometry" in shown
    assert cli.main(["catalog", "fn.rotate"]) == 0
    assert "angle : float" in capsys.readouterr().out


def test_the_doctor_names_what_there_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extension = tmp_path / "labextensions" / "@dali-studio" / "lab"
    extension.mkdir(parents=True)
    (extension / "package.json").write_text('{"version": "0.0.9"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    cli.main(["doctor"])
    shown = capsys.readouterr().out
    [line] = [line for line in shown.splitlines() if line.startswith("jupyterlab extension")]
    assert f"of version 0.0.9: install dali-studio {__version__} there" in line
    assert "kernels" in shown and "compiled for" in shown and "libjpeg-turbo" in shown and "gpu" in shown and "video" in shown and "nvidia.dali" in shown


def documents(folder: Path) -> dict[str, str]:
    good = json.loads(GETTING_STARTED.read_text())
    newer = good | {"version": 99}
    unknown = json.loads(GETTING_STARTED.read_text().replace('"rotate"', '"rotatte"'))
    later = json.loads(GETTING_STARTED.read_text().replace('"operator": "rotate"', '"operator": "decoders.inflate"'))
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
        (["catalog", "decoders.inflate"], 1, "DS101: nvidia.dali has the operator 'decoders.inflate', dali_studio does not have it yet."),
        (["explain", "{later}"], 1, "DS101 rotate: nvidia.dali has the operator 'decoders.inflate'"),
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
def test_errors_of_the_user_are_findings(arguments: list[str], code: int, says: str, tmp_path: Path) -> None:
    names = {"good": str(GETTING_STARTED), "folder": str(tmp_path), "missing": "no.dali.json", **documents(tmp_path)}
    given = [argument.format(**names) for argument in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "dali_studio", *given], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == code, done.stderr
    assert says.format(**names) in done.stderr
    assert "Traceback" not in done.stderr


def test_a_program_is_read_as_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "own.py"
    assert cli.main(["export", str(GETTING_STARTED), "-o", str(program)]) == 0
    program.write_text(program.read_text() + "\nraise SystemExit('it was run')\n")
    assert cli.main(["import", str(program)]) == 0
    document = tmp_path / "own.dali.json"
    assert f"{document}: 4 nodes." in capsys.readouterr().err
    for source in (document, program):
        assert cli.main(["export", str(source)]) == 0
        assert "fn.rotate" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for other processes")
def test_ctrl_c_ends_a_run(tmp_path: Path) -> None:
    # --batches is far more than the test waits for: reading goes round and round.
    command = [sys.executable, "-m", "dali_studio", "run", str(GETTING_STARTED), "--batches", "1000000"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == cli.INTERRUPTED, said
    assert "Traceback" not in said


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


def test_starters_are_put_once_and_never_overwritten(tmp_path: Path) -> None:
    notebook = starter(tmp_path / "mine")
    assert notebook.name == FIRST and (tmp_path / "mine" / "gallery" / "resnet50" / "README.md").exists()
    notebook.write_text("changed")
    assert starter(tmp_path / "mine").read_text() == "changed"


def test_starters_of_a_checkout_stay_where_they_are() -> None:
    assert starter(REPOSITORY / "notebooks") == REPOSITORY / "notebooks" / FIRST
    assert not (REPOSITORY / "notebooks" / "gallery").exists()


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
    for photo in sorted(samples.photos().glob("animals/*.jpg"))[:2]:
        shutil.copy(photo, folder)
    for verb in ("explain", "export"):
        assert cli.main([verb, str(GETTING_STARTED), "--images", str(folder)]) == 0
    done = shell('{} explain "$1" --images "$2"', str(GETTING_STARTED), str(folder))
    assert done.returncode == 0 and "\\udcff" in done.stdout
    done = shell('PYTHONIOENCODING=ascii {} run "$1" --images "$2" --out "$2/out" --batches 1', str(GETTING_STARTED), str(folder))
    assert done.returncode == 0 and "contact sheet: " in done.stdout and "Traceback" not in done.stderr
    assert (folder / "out" / "report.json").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there is no root")
@pytest.mark.parametrize(
    ("user", "given", "passed", "told"),
    [(0, [], 1, True), (0, ["--allow-root"], 1, False), (1000, [], 0, False), (1000, ["--allow-root"], 1, False)],
)
def test_jupyterlab_may_run_as_root_only_if_that_is_told(
    user: int, given: list[str], passed: int, told: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    labapp = pytest.importorskip("jupyterlab.labapp")
    started: list[list[str]] = []
    monkeypatch.setattr(labapp.LabApp, "launch_instance", lambda argv: started.append(argv))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert cli.main(["lab", str(tmp_path), "--no-browser", *given]) == 0
    (arguments,) = started
    assert arguments.count("--allow-root") == passed and "--no-browser" in arguments
    assert ("You are root" in capsys.readouterr().err) == told


def test_without_arguments_the_first_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run"]) == 0
    shown = capsys.readouterr().out
    assert "16 samples in 2 batches" in shown and "contact sheet: dali-studio-result" in shown
    assert "rotate  rotate" in shown and "uint8 HWC " in shown and "\x1b" not in shown
    assert (tmp_path / "dali-studio-result" / "contact_sheet.png").is_file()
    assert shown.rstrip().endswith("takes photos of yours.")


def test_the_table_says_what_each_node_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, size in (("a.png", (30, 20)), ("b.png", (40, 20))):
        Image.new("RGB", size).save(tmp_path / name)
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=1)
    with pipeline:
        files, labels = fn.readers.file(files=[str(file) for file in sorted(tmp_path.iterdir())], name="reader")
        images = fn.decoders.image(files, name="decode")
        pipeline.set_outputs(fn.crop_mirror_normalize(images, crop=(8, 8), name="normalize"), labels)
    save(pipeline.graph, None, tmp_path / "p.dali.json")
    assert cli.main(["run", str(tmp_path / "p.dali.json")]) == 0
    gives = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert gives["decode"].endswith("%  uint8 HWC 20×30-40×3")
    assert gives["normalize"].endswith("%  float CHW 3×8×8")
    assert gives["reader"].endswith(", int32 1")


def test_images_have_no_effect_where_nothing_reads_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=1)
    with pipeline:
        pipeline.set_outputs(fn.random.coin_flip())
    save(pipeline.graph, None, tmp_path / "p.dali.json")
    assert cli.main(["run", str(tmp_path / "p.dali.json"), "--images", str(samples.photos())]) == 0
    assert "--images has no effect" in capsys.readouterr().err


def test_a_terminal_with_colours_shows_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = type("Colours", (Terminal,), {"encoding": "utf-8"})()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert images.shows_images()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not images.shows_images()
    monkeypatch.setenv("COLUMNS", "24")
    red, grey = np.zeros((6, 6, 3), np.uint8), np.full((12, 6, 1), 7, np.uint8)
    red[:3, :, 0] = 200
    shown = images.strips([TensorListCPU.from_samples([red, red, red], "HWC"), TensorListCPU.from_samples([grey], "HWC")])
    frames = images.strips([TensorListCPU.from_samples([np.stack([red, red]).transpose(0, 3, 1, 2)], "FCHW")])
    assert frames.count("38;2;200;0;0;") == 11 * 4  # four frames, two beside two, as wide as one image
    reds, greys = shown.lstrip("\n").split("\n\n")
    lines = reds.splitlines()
    assert len(lines) == 6 and all(line.count("▀") == 22 for line in lines)  # two of 11 characters fit
    assert lines[0].startswith("\x1b[38;2;200;0;0;48;2;200;0;0m▀") and lines[-1].startswith("\x1b[38;2;0;0;0;48;2;0;0;0m▀")
    assert len(greys.splitlines()) == 11 and greys.startswith("\x1b[38;2;7;7;7;48;2;7;7;7m▀")


def test_the_page_of_what_is_supported_comes_with_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["support"]) == 0
    assert capsys.readouterr().out == (REPOSITORY / "docs" / "support.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "folder", "options"),
    [
        ([], None, []),
        (["--port", "8889"], None, ["--port", "8889"]),
        (["mine", "--no-browser", "--port", "8889"], "mine", ["--no-browser", "--port", "8889"]),
        (["mine", "--", "--port=8889"], "mine", ["--port=8889"]),
    ],
)
def test_values_of_jupyters_options_are_no_folders(
    given: list[str], folder: str | None, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str | None, list[str]]] = []
    monkeypatch.setattr("dali_studio.cli.lab.open_lab", lambda *told: opened.append(told) or 0)
    assert cli.main(["lab", *given]) == 0
    assert opened == [(folder, options)]
