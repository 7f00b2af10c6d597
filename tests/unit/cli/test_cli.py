"""The command line: what it writes, how it fails."""

from __future__ import annotations

import io
import json
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import few
from gallery_examples import GALLERY, ON_CPU, ON_GPU, ON_ITS_CPU, name_of
from PIL import Image

from dali_studio import __version__, cli, fn, samples
from dali_studio.api.default import default_registry
from dali_studio.api.sample_readers import sample_arguments
from dali_studio.cli import images
from dali_studio.cli import text as cli_text
from dali_studio.cli.sheet import contact_sheet
from dali_studio.cli.text import table
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.document import load, save
from dali_studio.kernels.cuda.device import missing
from dali_studio.pipeline import Pipeline

REPOSITORY = Path(__file__).resolve().parents[3]
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


@pytest.mark.parametrize("document", few(ON_CPU, 15), ids=name_of)
def test_the_gallery_runs_on_the_sample_photos(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(document), "--batches", "1"]) == 0
    shown = capsys.readouterr().out
    nodes = json.loads(document.read_text())["pipeline"]["nodes"]
    assert all(node["key"] in shown for node in nodes) and "samples/s" in shown


@pytest.mark.parametrize("document", ON_GPU, ids=name_of)
def test_an_example_for_a_gpu_says_what_is_missing(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = missing(0)
    assert cli.main(["run", str(document), "--batches", "1"]) == (0 if absent is None else 1)
    shown = capsys.readouterr()
    assert ("samples/s" in shown.out) if absent is None else ("DS206" in shown.err and 'device="cpu"' in shown.err)


@pytest.mark.parametrize("example", ["getting_started", "halves", "image_and_mask", "resnet50"])
def test_a_run_leaves_a_picture_and_a_report(example: str, tmp_path: Path) -> None:
    assert cli.main(["run", example, "--batches", "1", "--out", str(tmp_path)]) == 0
    written = json.loads((tmp_path / "report.json").read_text())
    nodes = json.loads((REPOSITORY / "gallery" / example / "pipeline.dali.json").read_text())["pipeline"]["nodes"]
    assert {node["key"] for node in nodes} == set(written["nodes"])
    assert written["samples_per_second"] > 0
    with Image.open(tmp_path / "contact_sheet.png") as sheet:
        assert len(sheet.convert("RGB").getcolors(1 << 24) or []) > 200  # photos, not an empty page


def test_a_document_of_another_engine_runs_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = json.loads(GETTING_STARTED.read_text())
    raw["written_by"] = {"dali_studio": "0.0.9", "operators": {"rotate": "1-00000000"}}
    (tmp_path / "p.dali.json").write_text(json.dumps(raw))
    assert cli.main(["explain", str(tmp_path / "p.dali.json")]) == 0
    assert capsys.readouterr().err.count("dali_studio 0.0.9 wrote the document, with other inputs") == 1


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
    for photo in sorted(samples.photos().glob("things/*.jpg"))[:3]:
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


def test_a_run_goes_on_without_damaged_files_if_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "photos").mkdir()
    for photo in sorted(samples.photos().glob("things/*.jpg"))[:3]:
        shutil.copy(photo, tmp_path / "photos")
    (tmp_path / "photos" / "text.jpg").write_text("no picture")
    arguments = ["run", "resnet50", "--images", str(tmp_path / "photos"), "--batches", "1", "--out", str(tmp_path)]
    assert cli.main(arguments) == 1
    assert "text.jpg" in capsys.readouterr().err
    assert cli.main([*arguments, "--on-error", "skip"]) == 0
    assert "left out" in capsys.readouterr().err


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
@pytest.mark.parametrize("document", GALLERY, ids=name_of)
def test_exported_programs_are_python(
    document: Path, dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["export", str(document), "--dialect", dialect]
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
@pytest.mark.parametrize("document", few(ON_ITS_CPU, 15), ids=name_of)
def test_the_exported_examples_run_in_dali_as_they_are(
    document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", document.parent.name, "-o", "program.py"]) == 0
    read = sample_arguments(load(document, default_registry())[0], default_registry())
    said, source = capsys.readouterr().err, Path("program.py").read_text()
    assert read
    for key, what in read.items():
        assert f"{key} reads samples: {what['file_root']}" in said
        assert f'file_root="{what["file_root"]}"' in source
    runpy.run_path("program.py", run_name="__main__")


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


def test_a_contact_sheet_has_slices_of_volumes_from_every_side() -> None:
    ramp = np.tile(np.arange(0, 240, 10, dtype=np.uint8), (12, 1))
    for layout, drawn in (("DW", True), ("FH", True), ("DWC", True), ("DX", False)):
        sample = ramp[..., None] if "C" in layout else ramp
        batch = TensorListCPU([sample], layout)
        assert (contact_sheet(["side"], [batch]) is not None) == drawn, layout
        assert not drawn or np.array_equal(images.displayable(sample, layout), ramp)
    assert contact_sheet(["table"], [TensorListCPU([ramp[:3]], "DW")]) is None  # rows of numbers


def test_a_contact_sheet_of_videos_moves_at_their_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("av", reason="needs PyAV")
    assert cli.main(["run", "camera_shake", "--batches", "1", "--out", str(tmp_path)]) == 0
    assert str(tmp_path / "contact_sheet.webp") in capsys.readouterr().out
    with Image.open(tmp_path / "contact_sheet.webp") as sheet, Image.open(tmp_path / "contact_sheet.png") as still:
        assert (sheet.n_frames, sheet.size) == (8, still.size)  # pyright: ignore[reportAttributeAccessIssue]
        pages: list[np.ndarray[Any, Any]] = []
        for number in (0, 7):
            sheet.seek(number)
            pages.append(np.array(sheet.convert("RGB"), np.int32))
            assert sheet.info["duration"] == 167  # every second frame of 12 a second
        assert np.abs(pages[0] - pages[1]).max() > 100
    assert cli.main(["run", "getting_started", "--batches", "1", "--out", str(tmp_path / "photos")]) == 0
    assert not (tmp_path / "photos" / "contact_sheet.webp").exists()
