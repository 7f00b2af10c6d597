"""The jobs of a session's worker: which of them are urgent, and what becomes of one that is interrupted."""

from __future__ import annotations

from dali_studio.studio.outputs.preview_renderer import PreviewRenderer
from dali_studio.studio.timing.profiler import Profiler

#: Most urgent first.
JOBS = (
    "output", "names", "folder", "preview", "pixel", "ends", "pair", "draws", "detail", "sound", "data", "effects",
    "batch", "twin", "free", "code", "run", "picture", "strip", "recipes",
)  # fmt: skip
#: Those of the previews' engine.
_RENDERED = (
    "output", "preview", "pixel", "ends", "pair", "draws", "detail", "sound", "effects", "batch", "twin", "picture",
    "strip",
)  # fmt: skip


def begin(job: str, renderer: PreviewRenderer, profiler: Profiler) -> None:
    """Make ready what a job uses."""
    if job in _RENDERED:
        renderer.begin()
    elif job == "run":
        profiler.arm()


def interrupt(job: str, other: str, renderer: PreviewRenderer, profiler: Profiler) -> None:
    """End a job, as far as `other` must not wait for it."""
    if job in _RENDERED and other not in {"code", "names", "folder"}:  # which take less time than it
        renderer.cancel()
    elif job == other == "run":  # more urgent jobs are done between its batches
        profiler.stop()
