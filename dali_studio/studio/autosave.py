"""Edits that nobody has saved, beside the notebook: the same cell is offered them when it is run again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry

#: The folder, in the one that the kernel works in.
FOLDER = ".dali_studio"
#: Days after which what nobody asked for goes.
_DAYS = 30


class Autosave:
    """Keeps what one pipeline was edited to, in a file of this kernel's own.

    Parameters
    ----------
    folder : Path
        Made on first need.
    graph : Graph
        The pipeline as the program gives it; edits are found again by what it holds.
    notebook, cell : str
        Where the designer stands; another place is not offered its edits.
    """

    def __init__(self, folder: Path, graph: Graph, notebook: str = "", cell: str = "") -> None:
        self.graph, self._notebook = graph, notebook
        self._place: Path | None = None
        #: The edits that wait for being asked for.
        self._waiting: Path | None = None
        with suppress(DaliStudioError):  # a value without a form in JSON cannot be kept
            text = "\n".join((notebook, cell, document.dumps(graph, None)))
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            name = re.sub(r"[^A-Za-z0-9_-]+", "_", graph.options.name) or "pipeline"
            self._place = folder / f"{name}-{digest}.{os.getpid()}.dali.json"
            kept = [file for file in folder.glob(f"{name}-{digest}.*.dali.json") if not _elsewhere(file)]
            self._waiting = max(kept, key=lambda file: file.stat().st_mtime, default=None)

    @property
    def waiting(self) -> str:
        """What waits, in words: how many operators, from which notebook, and when; empty if there are no edits."""
        if self._waiting is None:
            return ""
        with suppress(OSError, ValueError, LookupError, TypeError):
            then = time.localtime(self._waiting.stat().st_mtime)
            count = len(json.loads(self._waiting.read_text("utf-8"))["pipeline"]["nodes"])
            place = f" in {Path(self._notebook).name}" if self._notebook else ""
            when = f"{then.tm_mday} {time.strftime('%B %Y, %H:%M', then)}"
            return f"{count} operator{'s' * (count != 1)}{place}, {when}"
        return ""

    def take(self, registry: Registry) -> tuple[Graph, dict[str, Any]]:
        """The edits that wait.

        Raises
        ------
        DaliStudioError
            If the file is gone or damaged.
        """
        if self._waiting is None:
            raise AssertionError("nothing waits")
        graph, view, _ = document.load(self._waiting, registry)
        if self._place is not None and self._waiting != self._place:
            self._waiting.replace(self._place)
        self._waiting = None
        return graph, view

    def keep(self, graph: Graph, view: Mapping[str, Any]) -> None:
        """Remember the graph as it is now; edits that still wait stay beside it until the next ones."""
        if self._place is None:
            return
        with suppress(OSError, DaliStudioError):  # a folder that cannot be written must not stop the edit
            if graph == self.graph:
                if self._waiting is None:
                    self._place.unlink(missing_ok=True)
                return
            self._place.parent.mkdir(exist_ok=True)
            if self._waiting is not None:
                self._waiting.replace(self._waiting.with_suffix(".before"))
                self._waiting = None
            document.save(graph, view, self._place)
            self._tidy()

    def drop(self) -> None:
        """Forget: the document was saved."""
        if self._place is not None and self._waiting is None:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)

    def _tidy(self) -> None:
        old = time.time() - _DAYS * 86_400
        for file in self._place.parent.iterdir() if self._place else ():
            if file.name.endswith((".dali.json", ".dali.before")) and file.stat().st_mtime < old:
                file.unlink()


def _elsewhere(file: Path) -> bool:
    """Whether the process that keeps its edits in this file still runs, and is not this one."""
    pid = int(file.name.split(".")[-3])
    if pid == os.getpid() or os.name == "nt":  # where a signal, even none, would end it
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True
