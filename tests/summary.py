"""What the last lines of a test run say: which tests did not run, and why, in plain words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

#: Folders that a quick run takes; the rest compares, drives a browser, or goes through all arguments of all operators.
QUICK = ("unit", "golden", "studio", "architecture")
#: Reasons for skips, as they are told, by what the tests give as reason.
_REASONS = (
    (r"GPU|cupy|JPEG hardware", "need an NVIDIA GPU"),
    (r"nvidia[-.]dali.* not installed", "compare with nvidia.dali, which is not installed (Linux: make test EXTRAS=dev,peer)"),
    (r"torchvision", "compare with torchvision, which is not installed, or for another PyTorch"),
    (r"torch", "need PyTorch, which is not installed"),
    (r"ray, which", "need Ray, which is not installed"),
    (r"Chromium|playwright", "drive a browser, and Chromium is not installed"),
    (r"real files", "read real files, of which this machine has none (DALI_STUDIO_DATA names their folder)"),
    (r"NVRTC", "compile CUDA sources (pip install nvidia-cuda-nvrtc-cu12)"),
    (r"make test-wheel", "build and install packages for minutes (make test-wheel runs them)"),
)


def skipped(reasons: Iterable[str]) -> list[str]:
    """Lines about skipped tests, of which each gives its reason; none where nothing was skipped."""
    counts = Counter(_told(reason) for reason in reasons)
    if not counts:
        return []
    width = len(f"{max(counts.values()):,}")
    total = f"{counts.total():,} test{'' if counts.total() == 1 else 's'} skipped"
    return [
        f"{total}, which is normal on a machine without a GPU or nvidia.dali:",
        *(f"  {count:{width},} {why}" for why, count in counts.most_common()),
    ]


def _told(reason: str) -> str:
    plain = reason.removeprefix("Skipped: ")
    return next((words for pattern, words in _REASONS if re.search(pattern, plain)), plain)


def left_out(folders: Iterable[str]) -> str:
    """What a quick run has left out."""
    return f"Quick: left out were tests/{{{','.join(sorted(folders))}}} and slow tests; `make test FULL=1` runs everything."
