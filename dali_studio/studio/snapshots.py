"""What a document was when it was saved: copies in a folder beside it, to look at and to go back to."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.files import replace_file
from dali_studio.graph.model import Graph
from dali_studio.schema.registry import Registry
from dali_studio.studio.autosave import FOLDER
from dali_studio.studio.protocol.run_messages import Snapshot

_MAX_KEPT = 30
_NAME = re.compile(r"(\d{8})-(\d{6})(\d{3})-[0-9a-f]{7}")


class Snapshots:
    """The saved states of one document.

    Parameters
    ----------
    path : Path
        Of the document. The folder beside it is made on first need.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.parent / FOLDER / f"{path.name.removesuffix('.dali.json')}.saved"

    def keep(self, graph: Graph, view: Mapping[str, Any]) -> None:
        """Keep a state that was saved just now, unless it is the newest one already."""
        text = document.dumps(graph, view)
        digest = hashlib.sha256(text.encode()).hexdigest()[:7]
        known = self._files()
        if known and known[0].stem.partition(".")[0].endswith(digest):
            return
        now = time.time()
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now)) + f"{int(now * 1000) % 1000:03d}"
        with suppress(OSError):  # a folder that cannot be written must not keep the document from being saved
            self._folder.mkdir(parents=True, exist_ok=True)
            replace_file(self._folder / f"{stamp}-{digest}.dali.json", text)
            for old in self._files()[_MAX_KEPT:]:
                old.unlink()

    def _files(self) -> list[Path]:
        """The newest first."""
        with suppress(OSError):
            found = (file for file in self._folder.iterdir() if _NAME.fullmatch(file.name.removesuffix(".dali.json")))
            return sorted(found, reverse=True)
        return []

    def all(self) -> tuple[Snapshot, ...]:
        """What is kept, the newest first."""
        made: list[Snapshot] = []
        for file in self._files():
            name = file.name.removesuffix(".dali.json")
            then = time.strptime(name[:15], "%Y%m%d-%H%M%S")
            made.append(Snapshot(name=name, when=f"{then.tm_mday} {time.strftime('%B %Y, %H:%M:%S', then)}"))
        return tuple(made)

    def graph(self, name: str, registry: Registry) -> Graph:
        """The graph of a saved state.

        Raises
        ------
        DaliStudioError
            DS209 if there is none of that name, or what keeps it from being read.
        """
        if not _NAME.fullmatch(name):  # it names a file
            found = Diagnostic(code="DS209", message=f"There is no saved state {name!r}.", hint="Choose another one.")
            raise DaliStudioError(found)
        return document.load(self._folder / f"{name}.dali.json", registry)[0]
