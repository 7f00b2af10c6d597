"""Exported programs measure themselves, in both dialects, and are read back as what they are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dali_studio import Designer, Graph, cli, read, samples
from dali_studio.codegen.benchmark import with_benchmark
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.document import save
from dali_studio.studio.programs.own_text import in_view
from dali_studio.studio.protocol import requests

DIALECTS = ("nvidia.dali", "dali_studio")
# called as a module that its measuring imports
PROGRAM = f"""from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def time():
    # photos
    files, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    images = fn.resize(fn.decoders.image(files), size=[60, 80])
    return images, labels
"""
END = '\n\nif __name__ == "__main__":\n    pipe = time()\n    pipe.build()\n    outputs = pipe.run()\n'


def exported(graph: Graph, folder: Path, dialect: str) -> Path:
    save(graph, {}, folder / "doc.dali.json")
    path = folder / "program.py"
    assert cli.main(["export", str(folder / "doc.dali.json"), "--dialect", dialect, "-o", str(path)]) == 0
    return path


@pytest.mark.parametrize("dialect", [
    pytest.param("nvidia.dali", marks=pytest.mark.peer), "dali_studio",
])  # fmt: skip
def test_it_tells_what_a_batch_is_and_how_fast_it_is(dialect: str, tmp_path: Path) -> None:
    if dialect == "nvidia.dali":
        pytest.importorskip("nvidia.dali", reason="the program needs nvidia-dali, which is not installed")
    path = exported(read(PROGRAM), tmp_path, dialect)
    imports = [line for line in path.read_text().splitlines() if line.lstrip().startswith(("import ", "from "))]
    assert imports == [f"from {dialect} import fn, pipeline_def", "    import sys", "    import time"]

    def said(*arguments: str) -> str:
        done = subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first, second = said().splitlines()
    assert first.startswith("output 0: 4 samples of ") and first.endswith("UINT8, shapes [(60, 80, 3)]")
    assert second.startswith("output 1: 4 samples of ") and second.endswith("INT32, shapes [(1,)]")
    measured = re.fullmatch(r"([\d.]+) samples/s, ([\d.]+) ms/batch\n", said("--bench", "3"))
    assert measured and float(measured[1]) * float(measured[2]) == pytest.approx(4000, rel=0.05)  # of 4 samples


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_is_read_back_with_these_lines(dialect: str, tmp_path: Path) -> None:
    path, document, found = exported(read(PROGRAM), tmp_path, dialect), str(tmp_path / "doc.dali.json"), list[Diagnostic]()
    text = path.read_text()
    read(path, found=found)
    assert not found and text.count("--bench ") == 1 and with_benchmark(text) == text
    assert cli.main(["diff", document, str(path)]) == 0
    assert cli.main(["export", document, "--dialect", dialect, "--check", "-o", str(path)]) == 0
    designer = Designer(path)
    assert designer.code() == text and not designer.session.code().diagnostics
    designer.session.handle(requests.SaveDocument(path=str(path), what="code", over=True))
    assert path.read_text() == text
    designer.close()


@pytest.mark.parametrize("text", [PROGRAM, PROGRAM + END, PROGRAM + END.replace("outputs =", "batch =")])
def test_a_file_of_its_user_does_not_get_them(text: str, tmp_path: Path) -> None:
    path, document = tmp_path / "mine.py", tmp_path / "mine.dali.json"
    path.write_text(text)
    designer = Designer(path)
    designer.session.handle(requests.SaveDocument(path=str(path), what="code", over=True))
    assert path.read_text() == text
    designer.close()
    save(read(text), in_view(text), document)
    assert cli.main(["export", str(document), "--check"]) == 0
    assert cli.main(["export", str(document), "-o", str(path)]) == 0
    assert path.read_text().partition("\n")[2] == text


def test_what_was_edited_in_the_pane_measures_itself_too(tmp_path: Path) -> None:
    designer = Designer(read(PROGRAM))
    edited = designer.code("nvidia.dali").replace("    images =", "    # small\n    images =")
    assert designer.code().endswith("outputs = pipe.run()\n")
    designer.session.handle(requests.ApplyCode(source=edited))
    designer.session.handle(requests.SaveDocument(path=str(tmp_path / "new.py"), what="code"))
    text = (tmp_path / "new.py").read_text()
    assert text == with_benchmark(edited) != edited
    designer.close()
