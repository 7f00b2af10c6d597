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
#: Under this name the view of a document that only the browser holds says where its edits are kept.
MARK = "autosave"
#: And that of a document in a cell's outputs says of which pipeline, as the program gives it, it was made.
PROGRAM = "program"
#: Days after which what nobody asked for goes.
DAYS = 30
#: A name and a digest; it comes back from the browser and becomes part of a path.
_STEM = re.compile(r"[A-Za-z0-9_-]+-[0-9a-f]{12}")


def program_of(text: str) -> str:
    """What tells the pipeline of a document from others; empty for a document that could not be written."""
    if not text:
        return ""
    # a page that saves a notebook writes 30.0 as 30, and integers as its own numbers have them
    found = json.loads(text, parse_float=_as_in_pages, parse_int=_as_in_pages)
    return hashlib.sha256(json.dumps(found["pipeline"], sort_keys=True).encode()).hexdigest()[:12]


def _as_in_pages(number: str) -> float | int:
    value = float(number)
    return int(value) if value.is_integer() else value


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
    program : str
        What tells the pipeline as the program gives it from others, on all machines; empty if nobody says it.
    """

    def __init__(self, folder: Path, graph: Graph, notebook: str = "", cell: str = "", program: str = "") -> None:
        self._notebook, self._cell, self._folder, self.program = notebook, cell, folder, program
        #: The name and digest of the pipeline as the program gives it; empty if that cannot be kept.
        self._stem = ""
        #: The edits that wait for being asked for.
        self._waiting: Path | None = None
        #: Those that were told of, and the words.
        self._told: tuple[Path | None, str] = None, ""
        if self._digest(graph, notebook):
            self._stem = self._stem_of(graph, notebook)
            self._waiting = self._left() or self._renamed(graph) or self._before() or self._in_outputs()

    @classmethod
    def again(cls, folder: Path, mark: Any) -> Autosave | None:
        """That of a designer that goes on in another kernel; None if `mark` is not one.

        Its document comes from the browser and has the edits: they do not wait.
        """
        match mark:
            case {"stem": str(stem), "notebook": str(notebook), "cell": str(cell)} if _STEM.fullmatch(stem):
                made = cls(folder, Graph(), notebook, cell)
                made._stem, made._waiting, made.program = stem, None, str(mark.get(PROGRAM, ""))
                with suppress(OSError):
                    if (left := made._left()) and made._place:
                        left.replace(made._place)
                return made
            case _:
                return None

    @property
    def mark(self) -> dict[str, str]:
        """By what `again` finds the same edits."""
        return {"stem": self._stem, "notebook": self._notebook, "cell": self._cell, PROGRAM: self.program}

    @property
    def _place(self) -> Path | None:
        return self._folder / f"{self._stem}.{os.getpid()}.dali.json" if self._stem else None

    def _stem_of(self, graph: Graph, notebook: str) -> str:
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", graph.options.name) or "pipeline"
        return f"{name}-{self._digest(graph, notebook)}"

    def _renamed(self, graph: Graph) -> Path | None:
        """The newest edits of the same cell from when its notebook had another name."""
        for file in sorted(self._folder.glob("*.dali.json"), key=lambda file: file.stat().st_mtime, reverse=True):
            with suppress(OSError, ValueError, LookupError, TypeError):
                mark = json.loads(file.read_text("utf-8"))["view"][MARK]
                before = Path(mark["notebook"])
                gone = mark["cell"] == self._cell and before.is_absolute() and not before.exists()
                if gone and file.name.startswith(self._stem_of(graph, str(before)) + ".") and not _elsewhere(file):
                    return file
        return None

    def _in_outputs(self) -> Path | None:
        """Edits that came with the notebook alone: its file has the graph below the cell, until this run is saved."""
        place, text = self._place, ""
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError, StopIteration, DaliStudioError):
            if self.program and self._notebook:
                text = Path(self._notebook).read_text("utf-8")
            if place is None or document.MIME not in text:
                return None
            outputs = next(cell["outputs"] for cell in json.loads(text)["cells"] if cell.get("id") == self._cell)
            found = next(data[document.MIME] for one in outputs if document.MIME in (data := one.get("data", {})))
            if found["view"].pop(PROGRAM) == self.program != program_of(json.dumps(found)):
                place.parent.mkdir(exist_ok=True)
                place.write_text(json.dumps(found), "utf-8")
                then = Path(self._notebook).stat().st_mtime
                os.utime(place, (then, then))
                return place
        return None

    def _before(self) -> Path | None:
        """Edits that waited while others were made."""
        kept = [file for file in self._folder.glob(f"{self._stem}.*.dali.before") if not _elsewhere(file)]
        return max(kept, key=lambda file: file.stat().st_mtime, default=None)

    def _left(self) -> Path | None:
        """The newest edits that no other process is still making."""
        kept = [file for file in self._folder.glob(f"{self._stem}.*.dali.json") if not _elsewhere(file)]
        return max(kept, key=lambda file: file.stat().st_mtime, default=None)

    def _digest(self, graph: Graph, notebook: str) -> str:
        """What tells this pipeline in this cell from others; empty for a value without a form in JSON."""
        with suppress(DaliStudioError):
            text = "\n".join((notebook, self._cell, document.dumps(graph, None)))
            return hashlib.sha256(text.encode()).hexdigest()[:12]
        return ""

    @property
    def waiting(self) -> str:
        """What waits, in words: how many operators, from which notebook, and when; empty if there are no edits."""
        if self._waiting != self._told[0]:  # each edit tells it
            self._told = self._waiting, self._words(self._waiting) if self._waiting else ""
        return self._told[1]

    def _words(self, file: Path) -> str:
        with suppress(OSError, ValueError, LookupError, TypeError):
            then = time.localtime(file.stat().st_mtime)
            count = len(json.loads(file.read_text("utf-8"))["pipeline"]["nodes"])
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
        view.pop(MARK, None)
        place = self._place
        if place is not None and self._waiting != place:
            self._waiting.replace(place)
        self._waiting = self._before()
        return graph, view

    def keep(self, graph: Graph, view: Mapping[str, Any], registry: Registry) -> None:
        """Remember the graph as it is now; edits that still wait stay beside it."""
        place = self._place
        if place is None:
            return
        with suppress(OSError, DaliStudioError):  # a folder that cannot be written must not stop the edit
            same = self._stem.endswith(f"-{self._digest(graph, self._notebook)}")
            if same and not {"pins", "draft", "written"} & view.keys():
                if self._waiting != place:
                    place.unlink(missing_ok=True)
                return
            place.parent.mkdir(exist_ok=True)
            if self._waiting is not None and self._waiting.suffix != ".before":
                self._waiting = self._waiting.replace(place.with_name(
                    f"{self._stem}.{self._waiting.stat().st_mtime_ns}.{os.getpid()}.dali.before"
                ))  # fmt: skip
            document.save(graph, {**view, MARK: self.mark}, place, registry)
            self._tidy()

    def drop(self) -> None:
        """Forget: the document was saved."""
        place = self._place
        if place is not None and self._waiting != place:
            with suppress(OSError):
                place.unlink(missing_ok=True)

    def _tidy(self) -> None:
        old = time.time() - DAYS * 86_400
        for file in self._folder.iterdir():
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
