"""Tracebacks without the lines of this package: where a user's own program led to an error."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

#: Folders whose lines are nobody's own: this package, Python's library and what is installed.
_OTHERS = tuple(str(folder) for folder in (
    Path(__file__).resolve().parents[1], *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
))  # fmt: skip


def shortened(error: BaseException) -> list[str]:
    """The lines of a traceback: the user's own, also those of callbacks that failed, and what is wrong.

    ``traceback.print_exception`` gives all of it.
    """
    cause = error.__cause__
    before = shortened(cause) if cause is not None and _own(cause) else []
    return [*before, *_own(error), f"{type(error).__name__}: {error}"]


def _own(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return traceback.format_list([frame for frame in frames if not frame.filename.startswith((*_OTHERS, "<frozen"))])
