"""``docs/file_speeds.md``, and lines of other pages, from what ``peer.py --all-rows`` wrote: ``python tests/benchmarks/peer_page.py``.

Lines of tables in `README.md` and `docs/performance.md` that begin with one of the words in `LINES` get the figures of
their rows. ``--check`` fails if anything is stale. Rows that are slower than nvidia.dali are listed with the reason that
``slower.toml`` has.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from operators_page import by_device

from dali_studio.core.generated import write_or_check

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
#: What `peer.py` writes, and how it is called.
RESULTS = {
    "cpu": (HERE / "results" / "peer_cpu.json", "peer.py --all-rows --device cpu --threads 2"),
    "gpu": (HERE / "results" / "peer_gpu_rows.json", "peer.py --all-rows"),
}
REASONS = HERE / "slower.toml"
TARGET = REPOSITORY / "docs" / "file_speeds.md"
_README, _PERFORMANCE = REPOSITORY / "README.md", REPOSITORY / "docs" / "performance.md"
_TRAINING, _DECODING = "readme, {}, batch {}", "decode alone, {}, batch {}"
_PEER = "readme, peer's hw_decoder_load 0.75, 500×375, batch 256"
#: Page to the first cell of a line to the rows that it tells, all on a GPU.
LINES: dict[Path, dict[str, tuple[str, ...]]] = {
    _README: {
        "the pipeline above without `rotate`, images/s": (_TRAINING.format("500×375", 256),),
        "the same, nvidia.dali with `hw_decoder_load` 0.75": (_PEER,),
        "the same on photos of mixed sizes, 4:2:0; 4:4:4": tuple(
            _TRAINING.format(f"mixed sizes, {chroma}", 256) for chroma in ("4:2:0", "4:4:4")
        ),
        "the same on progressive JPEG; PNG; a mixed bag": tuple(
            _TRAINING.format(name, 256) for name in ("progressive", "PNG", "mixed bag")
        ),
        "the same with batches of 1; of 8; of 32": tuple(_TRAINING.format("500×375", size) for size in (1, 8, 32)),
        "decoding alone, images/s": (_DECODING.format("500×375", 256),),
        "five operators in a row, ms a batch": ("chain, batch 256",),
        "`external_source` with an array on the GPU, copied, ms a batch": ("external_source, copied, batch 256",),
    },
    _PERFORMANCE: {
        "training pipeline, one H200, batch 256": (_TRAINING.format("500×375", 256),),
        "the same, nvidia.dali with `hw_decoder_load` 0.75": (_PEER,),
        "the same on photos of mixed sizes, 4:2:0; 4:4:4": tuple(
            _TRAINING.format(f"mixed sizes, {chroma}", 256) for chroma in ("4:2:0", "4:4:4")
        ),
        "the same with batches of 1; 8; 32": tuple(_TRAINING.format("500×375", size) for size in (1, 8, 32)),
        "decoding alone, on a GPU": (_DECODING.format("500×375", 256),),
        "five operators in a row on a GPU, one generated kernel": ("chain, batch 256",),
        "progressive JPEG, the same pipeline on a GPU": (_TRAINING.format("progressive", 256),),
        "PNG, and a mixed bag of files, the same pipeline on a GPU": tuple(
            _TRAINING.format(name, 256) for name in ("PNG", "mixed bag")
        ),
        "12 megapixels (batch 16), 3 megapixels (batch 64), the same pipeline on a GPU": (
            _TRAINING.format("12 megapixels", 16), _TRAINING.format("3 megapixels", 64),
        ),
        "`external_source` with an array on the GPU, copied": ("external_source, copied, batch 256",),
    },
}  # fmt: skip
_HEAD = """# Speeds on files of all kinds

Pipelines on files of all kinds and sizes, dali_studio and nvidia.dali in turns ([how](benchmarks.md)). `readme` is the
training pipeline; `validation` is `decoders.image`, `resize` with `resize_shorter=256`, `crop_mirror_normalize` to
224×224. Images per second, or milliseconds a batch (ms); ratios above 1: dali_studio is faster, by the clock, and by the
time of the processors, which hardly depends on who else uses the machine. This page is generated.
"""


def page(written: Mapping[str, dict[str, Any] | None], reasons: Sequence[dict[str, Any]]) -> str:
    """The text of the page.

    Parameters
    ----------
    written : mapping of str to dict or None
        What `peer.py` wrote for each device; ``None`` if it has not run.
    reasons : sequence of dict
        Why rows are slower: ``rows``, ``why``, and perhaps ``device``.
    """
    return by_device(_HEAD, _device, written, reasons)


def _device(device: str, written: dict[str, Any] | None, reasons: Sequence[dict[str, Any]]) -> Iterator[str]:
    path, command = RESULTS[device]
    yield f"## On the {device.upper()}\n"
    if written is None:
        yield f"There are no figures of this version yet (`{command}`)."
        return
    machine, settings, engines = written["machine"], written["settings"], written["engines"]
    gpu = engines["studio"].get("gpu", {}).get("gpu 0") if device == "gpu" else None
    what = ", ".join(filter(None, (gpu, machine["processor"], f"{machine['cores']} cores")))
    yield f"`{command}` writes `tests/benchmarks/results/{path.name}`.\n"
    yield (
        f"{what}, {settings['threads']} threads, nvidia.dali {engines['nvidia']['version']}; medians of "
        f"{settings['rounds']} rounds of {settings['seconds']} s, with their ranges.\n"
    )
    yield "| work, files, batch | dali_studio | nvidia.dali | ratio (range) | processors |\n|---|---|---|---|---|"
    measured = {name: one for name, one in written["results"].items() if _both(one)}
    for name, one in measured.items():
        parts = one["summary"]
        ratio, unit = parts["ratio"], " ms" if one["per_batch"] else ""
        ours, theirs = (figure(parts[engine]["median"], one["per_batch"]) for engine in ("studio", "nvidia"))
        shown = f"**{ratio['median']:.2f}** ({ratio['min']:.2f} to {ratio['max']:.2f})"
        yield f"| {name} | {ours}{unit} | {theirs}{unit} | {shown} | {parts['processor_ratio']['median']:.2f} |"
    yield from _list("Slower than nvidia.dali", [
        f"{name}, {one['summary']['ratio']['median']:.2f}: {_reason(name, reasons)}."
        for name, one in measured.items()
        if one["summary"]["ratio"]["median"] < 1
    ])  # fmt: skip
    yield from _list("Not measured", [
        f"{name}: {'; '.join(str(one[key]) for key in sorted(one) if key.endswith('error'))}"
        for name, one in written["results"].items()
        if name not in measured
    ])  # fmt: skip


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"\n### {title}\n"
        yield from (f"- {line}" for line in lines)


def _both(one: dict[str, Any]) -> bool:
    """Whether both engines have been measured."""
    return bool(one.get("summary", {}).get("ratio"))


def _reason(name: str, reasons: Sequence[dict[str, Any]]) -> str:
    return next((str(one["why"]).rstrip(".") for one in reasons if name in one["rows"]), "not explained yet")


def figure(value: float, per_batch: bool) -> str:
    """Milliseconds to a thousandth, images per second to three digits."""
    if per_batch:
        return f"{value:.3f}"
    digits = 10 ** max(len(str(int(value))) - 3, 0)
    return f"{round(value / digits) * digits:,}"


def with_figures(text: str, lines: Mapping[str, Sequence[str]], results: Mapping[str, dict[str, Any]]) -> str:
    """A page whose `lines` tell the figures of their rows: the ratio, and in front of it ours and theirs if there is room.

    Lines of which not all rows have been measured stay as they are.

    Raises
    ------
    ValueError
        If the page has no such line.
    """
    made = text.split("\n")
    for label, rows in lines.items():
        at = next((number for number, line in enumerate(made) if line.startswith(f"| {label} |")), None)
        if at is None:
            raise ValueError(f"No line of a table begins with «{label}»; peer_page.py writes its figures.")
        if not all(_both(results.get(row, {})) for row in rows):
            continue
        ratios = "; ".join(f"{results[row]['summary']['ratio']['median']:.2f}" for row in rows)
        cells = [label, *("; ".join(
            figure(results[row]["summary"][engine]["median"], results[row]["per_batch"]) for row in rows
        ) for engine in ("studio", "nvidia")), f"**{ratios}**"]  # fmt: skip
        made[at] = f"| {' | '.join(cells if made[at].count(' | ') == 3 else (label, ratios))} |"
    return "\n".join(made)


def generate() -> dict[Path, str]:
    """Pages as they should be now."""
    written = {
        device: json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        for device, (path, _) in RESULTS.items()
    }
    results: dict[str, Any] = written["gpu"]["results"] if written["gpu"] else {}
    pages = {path: with_figures(path.read_text(encoding="utf-8"), lines, results) for path, lines in LINES.items()}
    return {TARGET: page(written, tomllib.loads(REASONS.read_text(encoding="utf-8")).get("rows", [])), **pages}


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or say whether they are fresh."""
    return write_or_check("Write docs/file_speeds.md, and lines of other pages.", generate, arguments)


if __name__ == "__main__":
    sys.exit(main())
