"""The front ends that were built: what a notebook keeps of them, and what their widgets send it."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import Literal

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

_STATIC = Path(__file__).resolve().parent / "static"
#: A notebook may keep a widget's state: the program itself, which is large, comes by a message.
LOADER = _STATIC / "loader.js"


def check() -> None:
    """Make sure that they are there.

    Raises
    ------
    DaliStudioError
        DS601 if they are not, in a checkout that has not been set up.
    """
    if not all((_STATIC / name).exists() for name in ("loader.js", "widget.js", "gallery.js")):
        raise DaliStudioError(
            Diagnostic(
                code="DS601", message="The designer's front end has not been built.",
                hint="Install a released wheel, or run make setup in the checkout.",
            )
        )  # fmt: skip


@cache
def bundle(name: Literal["widget", "gallery"]) -> tuple[str, tuple[bytes, bytes]]:
    """A front end's program and style sheet, compressed, and a name that changes with them."""
    program, style = (gzip.compress((_STATIC / f"{name}.{kind}").read_bytes(), 6, mtime=0) for kind in ("js", "css"))
    return hashlib.sha256(program + style).hexdigest()[:16], (program, style)
