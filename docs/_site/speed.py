"""How fast operators are beside nvidia.dali's, from what the benchmarks have written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[2] / "tests" / "benchmarks" / "results"
_HEAD = "\n## Speed\n\nTimes of the operator alone in a pipeline; above 1 dali_studio is faster.\n"


@dataclass(frozen=True)
class Speed:
    """One measured case.

    Attributes
    ----------
    case : str
        Data and arguments.
    ratio : mapping
        Median and range of how many times faster it is than nvidia.dali's.
    where : str
        Processor or GPU, batch and threads.
    """

    case: str
    ratio: dict[str, float]
    where: str


def speeds(results: Path = RESULTS) -> dict[str, list[Speed]]:
    """What was measured, by operator; nothing of those that were not."""
    found: defaultdict[str, list[Speed]] = defaultdict(list)
    for read in (_cpu, _gpu):
        for name, speed in read(results):
            found[name].append(speed)
    return found


def section(measured: list[Speed]) -> Iterator[str]:
    """A table for the page of an operator; nothing if there is no figure."""
    if measured:
        yield _HEAD
        yield "| with | times as fast as nvidia.dali | on |\n|---|---|---|"
    for one in measured:
        low, high = one.ratio["min"], one.ratio["max"]
        case = f"`{one.case}`".replace("|", "\\|") if one.case else "no arguments"
        yield f"| {case} | {one.ratio['median']:.2f} ({low:.2f} to {high:.2f}) | {one.where} |"
    if measured:
        yield "\n[How it is measured](../benchmarks.md)."


def _cpu(results: Path) -> Iterator[tuple[str, Speed]]:
    written = _read(results / "operators.json")
    if written:
        machine = written["machine"]
        where = f"{machine['processor']}, {machine['cores']} cores"
        for name, cases in written["results"].items():
            for one in cases:
                if "ratio" in one:
                    yield name, Speed(one["case"], one["ratio"], f"{where}, {_settings(written, one['batch'])}")


def _gpu(results: Path) -> Iterator[tuple[str, Speed]]:
    """Lines of ``peer.py`` on a GPU whose name begins with that of an operator."""
    written = _read(results / "peer_gpu.json")
    if written:
        gpu = written["engines"]["studio"]["gpu"]["gpu 0"].partition(",")[0]
        for case, one in written["results"].items():
            summary = one.get("summary", {})
            if one.get("per_batch") and summary.get("ratio"):
                name = case.partition(",")[0].partition(" ")[0]
                yield name, Speed(case, summary["ratio"], f"{gpu}, {_settings(written, written['settings']['batch'])}")


def _settings(written: dict[str, Any], batch: int) -> str:
    settings, version = written["settings"], written["engines"]["nvidia"]["version"]
    return f"batch {batch}, {settings['threads']} threads, nvidia.dali {version}"


def _read(path: Path) -> dict[str, Any] | None:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
