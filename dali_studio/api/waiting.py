"""A line for those who wait for a pipeline in a program of their own: on a terminal, or under a notebook's cell."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

from dali_studio.core.progress import current, watched
from dali_studio.runtime.prefetch import LONG

#: "0" keeps pipelines from writing about what they wait for.
PROGRESS = "DALI_STUDIO_PROGRESS"
#: Seconds from one change of the line to the next.
EVERY = 0.5
_WIDTH = 78


def _place() -> tuple[Any, bool] | None:
    """Where the line goes, and whether it can be erased there; nothing where nobody would see it move."""
    stream: Any = sys.stderr
    if stream is None or os.environ.get(PROGRESS) == "0":
        return None
    with suppress(Exception):  # streams of others, which may be closed
        if stream.isatty():
            return stream, True
        if type(stream).__module__.startswith("ipykernel"):
            return stream, False
    return None


def told(what: str, detail: Callable[[], str] = str, after: float = LONG) -> AbstractContextManager[None]:
    """Show what is waited for, if it takes long and somebody looks.

    Parameters
    ----------
    what : str
        Such as "Building the pipeline".
    detail : callable
        Returns how far it is, or nothing.
    after : float
        Seconds after which the line appears.

    Returns
    -------
    context manager
    """
    place = _place()
    return nullcontext() if place is None else _told(what, detail, after, *place)


@contextmanager
def _told(what: str, detail: Callable[[], str], after: float, stream: Any, erased: bool) -> Generator[None]:
    said: list[str] = []

    begin = time.monotonic() - (LONG - after)

    def tell(_: float) -> None:
        doing = "; ".join(filter(None, (detail(), current())))
        words = f"{what}, {time.monotonic() - begin:.0f} s{doing and f': {doing}'}"
        text = "".join(c if c.isprintable() else "?" for c in words)
        said[:] = [text]
        _write(stream, f"\r{text[:_WIDTH]:{_WIDTH}}")

    try:
        with watched(tell, after, EVERY):
            yield
    finally:
        if said:
            _write(stream, f"\r{'':{_WIDTH}}\r" if erased else "\n")


def _write(stream: Any, text: str) -> None:
    with suppress(Exception):  # a line about a wait is never a reason to fail
        stream.write(text.encode(stream.encoding or "utf-8", "replace").decode(stream.encoding or "utf-8"))
        stream.flush()
