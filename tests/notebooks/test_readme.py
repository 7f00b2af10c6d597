"""The programs in README.md run, in the order in which they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dali_studio import cli, samples
from dali_studio.api.default import default_registry
from dali_studio.api.support_page import counted
from dali_studio.cli.lab import FOLDER
from dali_studio.cli.verbs import RESULT

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_python_blocks_run() -> None:
    found = blocks("python")
    assert len(found) >= 2
    space: dict[str, Any] = {"__name__": "readme"}
    for number, block in enumerate(found):
        exec(compile(block, f"README.md, block {number + 1}", "exec"), space)


def commands(program: str) -> list[list[str]]:
    lines = [line.partition("#")[0].split() for block in blocks("sh") for line in block.splitlines()]
    return [words[1:] for words in lines if words[0] == program]


def test_the_commands_run_as_they_stand_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gallery").symlink_to(REPOSITORY / "gallery")
    (tmp_path / "path" / "to").mkdir(parents=True)
    (tmp_path / "path" / "to" / "photos").symlink_to(samples.photos())
    monkeypatch.chdir(tmp_path)
    assert len(commands("dali-studio")) >= 7
    for words in commands("dali-studio"):
        if words != ["lab"]:
            assert cli.main(words) == 0, words
    assert (tmp_path / "result" / "contact_sheet.png").is_file() and (tmp_path / "training.py").is_file()


def test_the_verbs_of_make_exist() -> None:
    told = {word for page in ("README.md", "CONTRIBUTING.md") for word in verbs((REPOSITORY / page).read_text("utf-8"))}
    targets = re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert {"try", "lab", "test"} <= told <= set(targets)


def verbs(text: str) -> list[str]:
    return re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.MULTILINE)


def test_what_is_tried_does_not_change_the_checkout() -> None:
    ignored = (REPOSITORY / ".gitignore").read_text("utf-8").splitlines()
    assert {f"{FOLDER}/", f"{RESULT}/"} <= set(ignored)
    recipes = dict(re.findall(r"^(try|lab):.*\n\t(.*)", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert recipes == {"try": "@$(BIN)/dali-studio run $(ARGS)", "lab": "@$(BIN)/dali-studio lab $(ARGS)"}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (REPOSITORY / "docs").glob("*.md"))])
def test_pages_count_no_operators_of_their_own_and_name_no_package_that_pypi_lacks(page: str) -> None:
    text = (REPOSITORY / page).read_text("utf-8")
    counted = "" if page == "docs/support.md" else r"\b(\d\d+|\w+teen|twenty[\w-]*) (of (its|the) )?(operators|functions)\b"
    assert not counted or not re.search(counted, text, re.IGNORECASE)
    assert not re.search(r"pip install '?dali[-_]studio(\[| |'|`|$)", text)


def test_every_place_counts_the_same_operators(capsys: pytest.CaptureFixture[str]) -> None:
    registry = default_registry()
    count = len(registry.shown())  # what the palette is made of
    sentence = counted(registry)
    assert sentence.startswith(f"{count} operators: {len(registry.functions())} functions of fn")
    assert sentence in (REPOSITORY / "docs" / "support.md").read_text("utf-8")
    assert cli.main(["catalog"]) == 0
    *rows, _, last = capsys.readouterr().out.splitlines()
    assert last == sentence and len(rows) == 2 + count


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links and [link for link in links if not (REPOSITORY / link).exists()] == []
