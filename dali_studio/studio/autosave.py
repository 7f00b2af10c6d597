"""Edits that nobody has saved, beside the notebook: whoever opens the same pipeline again is offered them."""

from __future__ import annotations

import hashlib
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
    """Keeps what one pipeline was edited to.

    Parameters
    ----------
    folder : Path
        Made on first need.
    graph : Graph
        The pipeline as the program gives it; edits are found again by what it holds.
    """

    def __init__(self, folder: Path, graph: Graph) -> None:
        self.graph = graph
        self._place: Path | None = None
        with suppress(DaliStudioError):  # a value without a form in JSON cannot be kept
            digest = hashlib.sha256(document.dumps(graph, None).encode()).hexdigest()[:12]
            name = re.sub(r"[^A-Za-z0-9_-]+", "_", graph.options.name) or "pipeline"
            self._place = folder / f"{name}-{digest}.dali.json"
        self._waiting = self._place is not None and self._place.exists()

    @property
    def waiting(self) -> str:
        """When the edits were made that wait for being asked for, in words; empty if there are none."""
        if self._place is None or not self._waiting:
            return ""
        with suppress(OSError):
            then = time.localtime(self._place.stat().st_mtime)
            return f"{then.tm_mday} {time.strftime('%B %Y, %H:%M', then)}"
        return ""

    def take(self, registry: Registry) -> tuple[Graph, dict[str, Any]]:
        """The edits that wait.

        Raises
        ------
        DaliStudioError
            If the file is gone or damaged.
        """
        if self._place is None:
            raise AssertionError("nothing waits where nothing can be kept")
        graph, view, _ = document.load(self._place, registry)
        self._waiting = False
        return graph, view

    def keep(self, graph: Graph, view: Mapping[str, Any]) -> None:
        """Remember the graph as it is now; edits that still wait stay beside it until the next ones."""
        if self._place is None:
            return
        with suppress(OSError, DaliStudioError):  # a folder that cannot be written must not stop the edit
            if graph == self.graph:
                if not self._waiting:
                    self._place.unlink(missing_ok=True)
                return
            self._place.parent.mkdir(exist_ok=True)
            if self._waiting:
                self._place.replace(self._place.with_suffix(".before"))
                self._waiting = False
            document.save(graph, view, self._place)
            self._tidy()

    def drop(self) -> None:
        """Forget: the document was saved."""
        if self._place is not None and not self._waiting:
            with suppress(OSError):
                self._place.unlink(missing_ok=True)

    def _tidy(self) -> None:
        old = time.time() - _DAYS * 86_400
        for file in self._place.parent.iterdir() if self._place else ():
            if file.name.endswith((".dali.json", ".dali.before")) and file.stat().st_mtime < old:
                file.unlink()
