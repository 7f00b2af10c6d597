"""The page of the operators' speeds: what it says of losses, and of what could not be measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"
REASONS: list[dict[str, Any]] = [
    {"operators": ["crop", "pad"], "why": "both copy memory once."},
    {"operators": ["*"], "batch": 1, "below": 0.5, "why": "an iteration alone"},
]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    sys.modules.pop("operators_page", None)
    import operators_page

    return operators_page.page


def case(batch: int, ratio: float, ours: float = 2.0) -> dict[str, Any]:
    figures = {"studio": {"median": ours}, "nvidia": {"median": ours * ratio}}
    return {"case": "HWC a=1|2", "batch": batch, **figures, "ratio": {"median": ratio, "min": ratio / 2, "max": 3.0}}


def test_losses_stand_with_their_reasons(page: Any) -> None:
    results = {
        "rotate": [case(64, 4.0), case(1, 0.5, 0.2)], "crop": [case(64, 0.9), case(1, 1.0)],
        "blur": [case(64, 0.94), case(1, 0.7)], "pad": [{"case": "", "batch": 64, "error": {"nvidia": "no\nsuch"}}],
    }  # fmt: skip
    written = {
        "machine": {"processor": "EPYC", "cores": 2}, "settings": {"batches": [64, 1], "threads": 2},
        "engines": {"studio": {"version": "1"}, "nvidia": {"version": "2.4.0"}}, "results": results,
    }  # fmt: skip
    whole, one = page({"cpu": written}, REASONS).split("### Batch 1\n")
    assert "EPYC, 2 cores, 2 threads; nvidia.dali 2.4.0." in whole
    assert "| 64 | 3 | 1.50 | 1 | 2 |\n| 1 | 3 | 0.70 | 1 | 2 |" in whole
    assert "Slower than nvidia.dali (2):\n\n- `blur` 0.94: not explained yet.\n- `crop` 0.90: both copy memory once.\n" in whole
    assert "| `rotate` | `HWC a=1\\|2` | 2.000 | 8.000 | 4.00 (2.00 to 3.00) |" in whole
    assert "- `blur` 0.70: not explained yet.\n- `rotate` 0.50: an iteration alone.\n" in one
    assert one.endswith("### Not measured\n\n- `pad`, no arguments: nvidia: no such\n")


def test_reasons_are_those_of_the_device(page: Any) -> None:
    gpu = {
        "machine": {"processor": "Xeon", "cores": 16}, "settings": {"batches": [256], "threads": 16},
        "engines": {"studio": {"version": "1", "gpu": {"gpu 0": "NVIDIA H200, 140 GiB"}}, "nvidia": {"version": "2.4.0"}},
        "results": {"crop": [case(256, 0.5), {**case(256, 2.0), "ragged": True}]},
    }  # fmt: skip
    text = page({"cpu": None, "gpu": gpu}, [*REASONS, {"operators": ["crop"], "device": "gpu", "why": "small kernels"}])
    assert "## On the CPU\n\nThere are no figures of this version yet" in text
    assert "NVIDIA H200, 140 GiB, Xeon, 16 cores, 16 threads" in text
    assert "- `crop` 0.50: small kernels.\n" in text
    assert "| 256, images of different shapes | 1 | 2.00 | 1 | 0 |" in text


def test_before_a_run_there_are_no_figures(page: Any) -> None:
    text = page({"cpu": None}, [])
    assert text.endswith("There are no figures of this version yet (`make bench ARGS=--operators`).\n")
