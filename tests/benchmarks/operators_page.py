"""``docs/operator_speeds.md``, from what the benchmark of operators wrote: ``python tests/benchmarks/operators_page.py``.

``--check`` fails if the page is stale. Who is slower than nvidia.dali is listed with the reason that ``slower.toml`` has.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

HERE = Path(__file__).resolve().parent
#: What `operators.py` writes.
RESULTS = HERE / "results" / "operators.json"
REASONS = HERE / "slower.toml"
TARGET = HERE.parents[1] / "docs" / "operator_speeds.md"
#: Below this ratio an operator is slower; what lies between it and 1 is within what repetitions differ by.
SLOWER = 0.95
_HEAD = """# Speeds of operators

Generated from `tests/benchmarks/results/operators.json`, which `make bench ARGS=--operators`
writes, with this page. Each operator that nvidia.dali has on the CPU is alone in a pipeline, and
both take turns ([how](benchmarks.md)). Ratios above 1: dali_studio is faster.
"""


def page(written: dict[str, Any] | None, reasons: Sequence[dict[str, Any]]) -> str:
    """The text of the page.

    Parameters
    ----------
    written : dict or None
        What the benchmark wrote; ``None`` if it has not run.
    reasons : sequence of dict
        Why operators are slower: ``operators``, ``why``, and perhaps ``batch`` and ``below`` (milliseconds a batch).
    """
    if written is None:
        return f"{_HEAD}\nThere are no figures of this version yet.\n"
    machine, results = written["machine"], written["results"]
    versions = {name: engine["version"] for name, engine in written["engines"].items()}
    where = f"{machine['processor']}, {machine['cores']} cores, {written['settings']['threads']} threads"
    lines = [_HEAD, f"{where}; nvidia.dali {versions['nvidia']}.", ""]
    lines += ["| batch | cases | geometric mean | at least 1 | below 0.95 |", "|---|---|---|---|---|"]
    for batch in written["settings"]["batches"]:
        ratios = [one["ratio"]["median"] for _, one in _measured(results, batch)]
        if ratios:
            faster, slower = sum(ratio >= 1 for ratio in ratios), sum(ratio < SLOWER for ratio in ratios)
            lines.append(f"| {batch} | {len(ratios)} | {geometric_mean(ratios):.2f} | {faster} | {slower} |")
    for batch in written["settings"]["batches"]:
        lines += ["", *_batch(results, batch, reasons)]
    absent = [f"- `{name}`, {_case(one)}: {_why(one)}" for name, one in _all(results) if "error" in one]
    if absent:
        lines += ["", "## Not measured", "", *dict.fromkeys(absent)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _batch(results: dict[str, Any], batch: int, reasons: Sequence[dict[str, Any]]) -> Iterator[str]:
    found = list(_measured(results, batch))
    slower = [(name, one) for name, one in found if one["ratio"]["median"] < SLOWER]
    yield f"## Batch {batch}"
    if slower:
        yield f"\nSlower than nvidia.dali ({len(slower)}):\n"
        yield from _reasons(slower, reasons)
    yield "\n| operator | with | dali_studio, ms | nvidia.dali, ms | ratio (range) |\n|---|---|---|---|---|"
    for name, one in found:
        ratio, times = one["ratio"], [f"{one[engine]['median']:.3f}" for engine in ("studio", "nvidia")]
        shown = f"{ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f})"
        yield f"| `{name}` | {_case(one)} | {times[0]} | {times[1]} | {shown} |"


def _reasons(slower: Sequence[tuple[str, dict[str, Any]]], reasons: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each reason, with the operators that it is for."""
    named: dict[str, list[str]] = {}
    for name, one in slower:
        named.setdefault(_reason(name, one, reasons), []).append(f"`{name}` {one['ratio']['median']:.2f}")
    for why, names in named.items():
        yield f"- {', '.join(names)}: {why}."


def _reason(name: str, one: dict[str, Any], reasons: Sequence[dict[str, Any]]) -> str:
    for reason in reasons:
        ours: float = one["studio"]["median"]
        fits = name in reason["operators"] or "*" in reason["operators"]
        if fits and reason.get("batch", one["batch"]) == one["batch"] and ours < reason.get("below", ours + 1):
            return str(reason["why"]).rstrip(".")
    return "not explained yet"


def _all(results: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from ((name, one) for name in sorted(results) for one in results[name])


def _measured(results: dict[str, Any], batch: int) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from ((name, one) for name, one in _all(results) if one["batch"] == batch and "ratio" in one)


def _case(one: dict[str, Any]) -> str:
    return f"`{one['case']}`".replace("|", "\\|") if one["case"] else "no arguments"


def _why(one: dict[str, Any]) -> str:
    said = "; ".join(f"{engine}: {why}" for engine, why in one["error"].items())
    return " ".join(said.split())[:200]


def generate() -> str:
    """The page as it should be now."""
    written = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else None
    return page(written, tomllib.loads(REASONS.read_text(encoding="utf-8"))["slower"])


def main(arguments: list[str] | None = None) -> int:
    """Write the page, or say whether it is fresh."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is stale")
    made = generate()
    if parser.parse_args(arguments).check:
        fresh = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == made
        sys.stderr.write("" if fresh else f"{TARGET.name} is stale.\n")
        return 0 if fresh else 1
    TARGET.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
