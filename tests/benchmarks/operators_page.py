"""``docs/operator_speeds.md``, from what the benchmark of operators wrote: ``python tests/benchmarks/operators_page.py``.

``--check`` fails if the page is stale. Who is slower than nvidia.dali is listed with the reason that ``slower.toml`` has.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from dali_studio.core.generated import write_or_check

HERE = Path(__file__).resolve().parent
#: What `operators.py` writes, and how it is called.
RESULTS = {
    "cpu": (HERE / "results" / "operators.json", "make bench ARGS=--operators"),
    "gpu": (HERE / "results" / "operators_gpu.json", 'make bench ARGS="--operators --device gpu"'),
}
REASONS = HERE / "slower.toml"
TARGET = HERE.parents[1] / "docs" / "operator_speeds.md"
#: Below this ratio an operator is slower; what lies between it and 1 is within what repetitions differ by.
SLOWER = 0.95
_HEAD = """# Speeds of operators

Each operator that nvidia.dali has on a device is alone in a pipeline, and both take turns
([how](benchmarks.md)). Ratios above 1: dali_studio is faster. This page is generated.
"""


def results(device: str) -> Path:
    """Where the figures of a device are."""
    return RESULTS[device][0]


def page(written: Mapping[str, dict[str, Any] | None], reasons: Sequence[dict[str, Any]]) -> str:
    """The text of the page.

    Parameters
    ----------
    written : mapping of str to dict or None
        What the benchmark wrote for each device; ``None`` if it has not run.
    reasons : sequence of dict
        Why operators are slower: ``operators``, ``why``, and perhaps ``device``, ``batch`` and ``below`` (milliseconds
        a batch).
    """
    return by_device(_HEAD, _device, written, reasons)


def by_device(
    head: str, lines: Callable[[str, dict[str, Any] | None, Sequence[dict[str, Any]]], Iterator[str]],
    written: Mapping[str, dict[str, Any] | None], reasons: Sequence[dict[str, Any]],
) -> str:  # fmt: skip
    """A page with a part for each device: the `lines` for what was written there, and the reasons of that device."""
    parts = [head]
    for device, figures in written.items():
        of_device = [one for one in reasons if one.get("device", "cpu") == device]
        parts.append("\n".join(lines(device, figures, of_device)).rstrip("\n") + "\n")
    return "\n".join(parts)


def _device(device: str, written: dict[str, Any] | None, reasons: Sequence[dict[str, Any]]) -> Iterator[str]:
    path, command = RESULTS[device]
    yield f"## On the {device.upper()}\n"
    if written is None:
        yield f"There are no figures of this version yet (`{command}`)."
        return
    machine, found = written["machine"], written["results"]
    versions = {name: engine["version"] for name, engine in written["engines"].items()}
    what = ", ".join(map(str, filter(None, [_gpu(written), machine["processor"], f"{machine['cores']} cores"])))
    yield f"`{command}` writes `tests/benchmarks/results/{path.name}`.\n"
    yield f"{what}, {written['settings']['threads']} threads; nvidia.dali {versions['nvidia']}.\n"
    if older := written["settings"].get("older"):
        new = [name for name in found if name not in older]
        if len(new) < len(older):
            yield f"The last run measured {', '.join(f'`{name}`' for name in new)}; all other figures are older.\n"
        else:
            yield f"The last run did not reach {', '.join(f'`{name}`' for name in older)}: their figures are older.\n"
    yield "| batch | cases | geometric mean | at least 1 | below 0.95 |\n|---|---|---|---|---|"
    groups = dict.fromkeys((one["batch"], bool(one.get("ragged"))) for _, one in _all(found))
    for batch, ragged in groups:
        ratios = [one["ratio"]["median"] for _, one in _measured(found, batch, ragged)]
        if ratios:
            faster, slower = sum(ratio >= 1 for ratio in ratios), sum(ratio < SLOWER for ratio in ratios)
            shown = f"{geometric_mean(ratios):.2f} | {faster} | {slower}"
            yield f"| {_title(batch, ragged)} | {len(ratios)} | {shown} |"
    for batch, ragged in groups:
        yield ""
        yield from _batch(found, batch, ragged, reasons)
    absent = [f"- `{name}`, {_case(one)}: {_why(one)}" for name, one in _all(found) if "error" in one]
    if absent:
        yield from ("", "### Not measured\n", *dict.fromkeys(absent))


def _gpu(written: dict[str, Any]) -> str:
    return str(written["engines"]["studio"].get("gpu", {}).get("gpu 0") or "")


def _title(batch: int, ragged: bool) -> str:
    return f"{batch}, images of different shapes" if ragged else str(batch)


def _batch(results: dict[str, Any], batch: int, ragged: bool, reasons: Sequence[dict[str, Any]]) -> Iterator[str]:
    found = list(_measured(results, batch, ragged))
    slower = [(name, one) for name, one in found if one["ratio"]["median"] < SLOWER]
    yield f"### Batch {_title(batch, ragged)}"
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


def _measured(results: dict[str, Any], batch: int, ragged: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, one in _all(results):
        if one["batch"] == batch and bool(one.get("ragged")) == ragged and "ratio" in one:
            yield name, one


def _case(one: dict[str, Any]) -> str:
    return f"`{one['case']}`".replace("|", "\\|") if one["case"] else "no arguments"


def _why(one: dict[str, Any]) -> str:
    said = "; ".join(f"{engine}: {why}" for engine, why in one["error"].items())
    return " ".join(said.split())[:200]


def generate() -> str:
    """The page as it should be now."""
    files = {device: path for device, (path, _) in RESULTS.items()}
    written = {
        device: json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        for device, path in files.items()
    }
    return page(written, tomllib.loads(REASONS.read_text(encoding="utf-8"))["slower"])


def main(arguments: list[str] | None = None) -> int:
    """Write the page, or say whether it is fresh."""
    return write_or_check("Write docs/operator_speeds.md.", lambda: {TARGET: generate()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
