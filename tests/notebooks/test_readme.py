"""The programs in README.md run, in the order in which they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dali_studio import cli

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


def test_the_commands_exist() -> None:
    parser = cli.make_parser()
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("dali-studio ")]
    assert len(lines) >= 5
    for line in lines:
        parser.parse_args(line.split()[1:])
        document = next((word for word in line.split() if word.endswith(".dali.json")), None)
        assert document is None or (REPOSITORY / document).is_file()


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links and [link for link in links if not (REPOSITORY / link).exists()] == []
