"""The pages of the documentation's site, before Sphinx makes them HTML: ``make docs`` does, and checks each link again."""

from __future__ import annotations

import functools
import json
import re
import sys
from pathlib import Path

import pytest

from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import CODES

PACKAGE = Path(__file__).resolve().parents[2] / "dali_studio"
SITE = Path(__file__).resolve().parents[2] / "docs" / "_site"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(SITE))
    try:
        import build
    finally:
        sys.path.remove(str(SITE))
    folder = tmp_path_factory.mktemp("site") / "source"
    build.stage(folder, pictures=False)
    return folder


def test_links_lead_to_pages_and_to_places_in_them(source: Path) -> None:
    wrong: list[str] = []
    for page in sorted(source.rglob("*.md")):
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)):
            path, _, place = link.partition("#")
            target = page.parent / path if path else page
            if re.match(r"[a-z]+:", link):
                continue
            if not target.exists() or (place and place not in _places(target)):
                wrong.append(f"{page.relative_to(source)}: {link}")
    assert wrong == []


@functools.cache
def _places(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def test_each_operator_and_each_code_has_its_place(source: Path) -> None:
    names = {name for name in default_registry().functions() if not default_registry().schema(name).hidden}
    assert names == {page.stem for page in (source / "operators").glob("*.md")} - {"index"}
    errors = (source / "troubleshooting.md").read_text("utf-8")
    parts = {part[:5]: part for part in errors.split("\n## ")[1:]}
    assert set(parts) == set(CODES)
    assert [code for code, part in parts.items() if "| what is said |" not in part] == []


def test_each_code_that_is_used_is_explained() -> None:
    used = {code for path in PACKAGE.rglob("*.py") for code in re.findall(r"\bDS\d{3}\b", path.read_text("utf-8"))}
    assert used == set(CODES)


def test_pages_say_how_fast_operators_are_where_it_was_measured(source: Path, tmp_path: Path) -> None:
    import speed

    rotate, reader = ((source / "operators" / f"{name}.md").read_text("utf-8") for name in ("rotate", "readers.video"))
    assert "## Speed" in rotate and "NVIDIA H200, batch 256, 16 threads" in rotate
    assert "## Speed" not in reader  # nvidia.dali has it on the GPU alone
    assert speed.speeds(tmp_path) == {} and list(speed.section([])) == []
    ratio = {"median": 1.5, "min": 1.2, "max": 2.0}
    found = {"crop": [{"case": "HWC crop=9", "batch": 64, "ratio": ratio}, {"case": "HW", "error": {"nvidia": "refused"}}]}
    written = {
        "machine": {"processor": "EPYC", "cores": 2}, "engines": {"nvidia": {"version": "2.4.0"}},
        "settings": {"threads": 2}, "results": found,
    }  # fmt: skip
    (tmp_path / "operators.json").write_text(json.dumps(written), "utf-8")
    *_, line, _ = speed.section(speed.speeds(tmp_path)["crop"])
    assert line == "| `HWC crop=9` | 1.50 (1.20 to 2.00) | EPYC, 2 cores, batch 64, 2 threads, nvidia.dali 2.4.0 |"


def test_the_contents_name_each_page_once(source: Path) -> None:
    import build

    named = [name for pages in build.CONTENTS.values() for name in pages]
    there = {str(page.relative_to(source).with_suffix("")) for page in source.glob("*.md")} - {"index"}
    assert len(named) == len(set(named)) and there <= set(named)
    assert all((source / f"{name}.md").exists() for name in named)


def test_what_leads_nowhere_is_found(tmp_path: Path) -> None:
    sys.path.insert(0, str(SITE))
    try:
        import links
    finally:
        sys.path.remove(str(SITE))
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#x">b</a><a href="#top">a</a><a href="c.html">c</a>')
    (tmp_path / "b.html").write_text('<script src="https://example.org/x.js"></script><a href="https://example.org">e</a>')
    assert links.broken(tmp_path) == [
        "a.html leads to b.html#x, where there is no such place",
        "a.html leads to c.html, which is not there",
        "b.html fetches https://example.org/x.js",
    ]
