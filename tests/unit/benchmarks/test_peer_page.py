"""The page of the speeds on files of all kinds, and the lines of other pages that tell its figures."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    sys.modules.pop("peer_page", None)
    import peer_page

    return peer_page


def row(ours: float, theirs: float, *, per_batch: bool = False) -> dict[str, Any]:
    ratio = theirs / ours if per_batch else ours / theirs
    values = {"studio": ours, "nvidia": theirs, "ratio": ratio, "processor_ratio": 2 * ratio}
    spread = {key: {"median": one, "min": one / 2, "max": one * 2} for key, one in values.items()}
    return {"per_batch": per_batch, "summary": spread}


RESULTS = {
    "fast": row(80_466, 31_527), "slow": row(709.6, 3_680), "a list": row(0.35049, 0.192, per_batch=True),
    "late": {"error": "left out: the budget of 2 s was used up"},
    "broken": {"summary": {"studio": None, "ratio": None}, "nvidia_error": "no such file"},
}  # fmt: skip


def test_page(module: Any) -> None:
    written = {
        "machine": {"processor": "EPYC", "cores": 16}, "settings": {"threads": 16, "rounds": 3, "seconds": 0.2},
        "engines": {"studio": {"gpu": {"gpu 0": "H200"}}, "nvidia": {"version": "2.4.0"}}, "results": RESULTS,
    }  # fmt: skip
    reasons = [
        {"rows": ["slow"], "device": "gpu", "why": "it waits for the bus."},
        {"rows": ["a list"], "why": "that is the CPU"},
    ]
    text = module.page({"cpu": None, "gpu": written}, reasons)
    assert "## On the CPU\n\nThere are no figures of this version yet (`peer.py --all-rows --device cpu" in text
    assert "H200, EPYC, 16 cores, 16 threads, nvidia.dali 2.4.0; medians of 3 rounds of 0.2 s" in text
    assert "| fast | 80,500 | 31,500 | **2.55** (1.28 to 5.10) | 5.10 |\n" in text
    assert "| a list | 0.350 ms | 0.192 ms | **0.55** (0.27 to 1.10) | 1.10 |\n" in text
    slower = "- slow, 0.19: it waits for the bus.\n- a list, 0.55: not explained yet.\n"
    assert f"### Slower than nvidia.dali\n\n{slower}" in text
    absent = "- late: left out: the budget of 2 s was used up\n- broken: no such file\n"
    assert text.endswith(f"### Not measured\n\n{absent}")


def test_lines_get_the_figures_of_their_rows(module: Any) -> None:
    text = "Before\n| one | 1 | 2 | **0.5** |\n| two; and three | 0.1; 0.2 |\n| late | 1 | 2 | **0.5** |\nafter"
    lines = {"one": ["fast"], "two; and three": ["slow", "a list"], "late": ["fast", "late"]}
    assert module.with_figures(text, lines, RESULTS) == (
        "Before\n| one | 80,500 | 31,500 | **2.55** |\n| two; and three | 0.19; 0.55 |\n| late | 1 | 2 | **0.5** |\nafter"
    )
    with pytest.raises(ValueError, match="begins with «four»"):
        module.with_figures(text, {"four": ["fast"]}, RESULTS)


def test_lines_name_rows_that_are_measured(module: Any) -> None:
    rows: Any = importlib.import_module("duel_programs").ROWS
    measured = {str(row.name) for row in rows["gpu"]}
    assert {row for lines in module.LINES.values() for rows in lines.values() for row in rows} <= measured
