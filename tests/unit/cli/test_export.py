"""Programs that are exported: their parameters, hand-made edits in them, and whether they agree with the document."""

from __future__ import annotations

from pathlib import Path

import pytest

from dali_studio import Designer, cli, read
from dali_studio.api.default import default_registry
from dali_studio.codegen.benchmark import with_benchmark
from dali_studio.graph.document import load, save
from dali_studio.studio.programs.own_text import in_view

PROGRAM = """
from nvidia.dali import fn, pipeline_def, types


@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def training():
    files, labels = fn.readers.file(file_root="/photos", random_shuffle=True, name="reader")
    images = fn.resize(fn.decoders.image(files), size=[224.0, 224.0])
    return images, labels
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "training.dali.json"
    save(read(PROGRAM), {}, path)
    return path


@pytest.fixture
def program(document: Path) -> Path:
    path = document.parent / "training.py"
    assert cli.main(["export", str(document), "-o", str(path)]) == 0
    return path


def change(document: Path) -> None:
    text = document.read_text()
    assert "224.0" in text
    document.write_text(text.replace("224.0", "160.0"))


def test_it_is_the_program_of_the_designer(program: Path, document: Path) -> None:
    def body() -> str:
        return program.read_text().partition("\n")[2]

    designer = Designer(document)
    assert body() == with_benchmark(designer.code("nvidia.dali"))
    designer.close()
    text = body().replace("    decode =", "    # for the model\n    decode =")
    save(read(text), in_view(text), document)
    assert cli.main(["export", str(document), "-o", str(program)]) == 0
    assert body() == text
    assert cli.main(["export", str(document), "--check"]) == 0


def test_a_hyphen_is_standard_output(document: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(document.parent)
    assert cli.main(["export", document.name, "-o", "-"]) == 0
    assert "fn.readers.file(" in capsys.readouterr().out
    assert [one.name for one in document.parent.iterdir()] == [document.name]


def test_the_function_takes_folder_and_shard(program: Path, document: Path) -> None:
    assert cli.main(["export", str(document), "-o", str(program), "--parameters"]) == 0
    text = program.read_text()
    head = text[text.index("def training(") : text.index("):")]
    assert all(one in head for one in ('reader_file_root="/photos"', "shard_id=0", "num_shards=1"))
    assert "shard_id=shard_id" in text and "num_shards=num_shards" in text
    given = {"reader_file_root": "/others", "shard_id": 2, "num_shards": 4}
    node = read(program, arguments=given, found=[]).node("reader")
    assert {name: node.arguments[name] for name in ("file_root", "shard_id", "num_shards")} == {
        "file_root": "/others", "shard_id": 2, "num_shards": 4,
    }  # fmt: skip
    assert cli.main(["export", str(document), "--check"]) == 0  # it does the same


def test_readers_of_different_shards_have_parameters_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "pairs.dali.json"
    body = """
from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def pairs():
    a, _ = fn.readers.file(file_root="/a", name="first", shard_id=1, num_shards=2)
    b, _ = fn.readers.file(file_root="/b", name="second")
    return a, b
"""
    save(read(body), {}, path)
    assert cli.main(["export", str(path), "-o", str(tmp_path / "pairs.py"), "--parameters"]) == 0
    text = (tmp_path / "pairs.py").read_text()
    for parameter in ('first_file_root="/a"', "first_shard_id=1", "first_num_shards=2", "second_shard_id=0"):
        assert parameter in text
    assert cli.main(["export", str(path), "--check"]) == 0


def test_what_nobody_has_edited_is_overwritten(program: Path, document: Path) -> None:
    change(document)
    assert cli.main(["export", str(document), "-o", str(program)]) == 0
    assert "size=[160, 160]" in program.read_text()


@pytest.mark.parametrize("edit", [("224, 224", "200, 200"), ("    images =", "    # for the model\n    images =")])
def test_edits_are_kept_and_the_difference_is_shown(
    edit: tuple[str, str], program: Path, document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = program.read_text().replace(*edit)
    program.write_text(mine)
    change(document)
    arguments = ["export", str(document), "-o", str(program)]
    assert cli.main(arguments) == 1
    shown = capsys.readouterr()
    assert program.read_text() == mine
    assert "was edited by hand" in shown.err and "--force" in shown.err
    assert f"--- {program}" in shown.out and "+" in shown.out and edit[1].splitlines()[0] in shown.out
    assert cli.main([*arguments, "--force"]) == 0
    assert "size=[160, 160]" in program.read_text()


def test_a_program_without_a_checksum_counts_as_edited(document: Path) -> None:
    path = document.parent / "mine.py"
    path.write_text("print('mine')\n")
    assert cli.main(["export", str(document), "-o", str(path)]) == 1
    assert path.read_text() == "print('mine')\n"


def test_line_ends_of_windows_are_no_edit(program: Path, document: Path) -> None:
    program.write_bytes(program.read_bytes().replace(b"\n", b"\r\n"))
    change(document)
    assert cli.main(["export", str(document), "-o", str(program)]) == 0


def test_check_compares_what_both_say(program: Path, document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["export", str(document), "--check"]
    assert cli.main(arguments) == 0
    program.write_text(program.read_text().replace("    images =", "    # for the model\n\n    images ="))
    assert cli.main(arguments) == 0  # a comment changes nothing
    capsys.readouterr()
    change(document)
    assert cli.main(arguments) == 1
    shown = capsys.readouterr()
    assert "-    images = fn.resize(decode, size=[224, 224])" in shown.out
    assert "+    images = fn.resize(decode, size=[160, 160])" in shown.out
    assert "disagree" in shown.err
    before = load(document, default_registry())[0]
    assert load(document, default_registry())[0] == before


def test_check_needs_a_program(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", str(document), "--check"]) == 1
    assert "training.py could not be read" in capsys.readouterr().err


def test_subgraphs_are_functions_and_are_compared_by_what_they_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, path, program = read(PROGRAM), tmp_path / "training.dali.json", tmp_path / "training.py"
    save(graph, {"marks": {"g": {"type": "group", "keys": ["decode", "images"], "title": "Small", "subgraph": True}}}, path)
    assert cli.main(["export", str(path), "-o", str(program)]) == 0
    assert "def Small(files):" in program.read_text()
    check = ["export", str(path), "--check"]
    assert cli.main(check) == 0
    program.write_text(program.read_text().replace("    decode =", "    # for the model\n    decode ="))
    assert cli.main(check) == 0
    other = tmp_path / "plain.dali.json"
    save(graph, {}, other)
    assert cli.main(["export", str(other), "-o", str(program), "--force"]) == 0  # without the function
    assert "def Small" not in program.read_text() and cli.main(check) == 0
    change(path)
    assert cli.main(check) == 1
    assert "size=[160, 160]" in capsys.readouterr().out
