"""Pinned data: outputs that previews keep as they are, so that nothing before them is computed.

The data lies in files beside the document, which knows their names alone.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import Edit, PortRef, Rename
from dali_studio.graph.history import History
from dali_studio.studio.autosave import FOLDER

if TYPE_CHECKING:
    from dali_studio.studio.revision import Revision

#: What the names of pins begin with beside the places of cards; no node is called so.
_PIN = "pin "
#: Their name in the view part of a document.
VIEW = "pins"
#: Names of pins, which become parts of paths.
_NAME = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, eq=False)
class Pin:
    """The outputs of a node for one sample.

    Attributes
    ----------
    outputs : tuple of Batch
        One sample each.
    name : str
        Stands for the node where results are looked up: it differs from that of any other data.
    iteration : int
        Of the batch that the sample is of.
    """

    outputs: tuple[Batch, ...]
    iteration: int
    name: str = field(default_factory=lambda: uuid4().hex)

    def batch(self, output: int, count: int) -> Batch:
        """The sample, as if `count` samples had given it."""
        kept = self.outputs[output]
        sources = [*kept.sources] * count
        return Batch.of([kept.samples[0]] * count, kept.layout, sources, dtype=kept.dtype, ndim=kept.meta.ndim)


def pinned(key: str, now: Revision, output: Callable[[PortRef], Batch], iteration: int) -> Pin:
    """Keep what a node gives now.

    Parameters
    ----------
    key, now
        The node, and the state of its graph.
    output
        Computes an output of the shown sample.
    iteration
        Of the batch that this is of.

    Raises
    ------
    DaliStudioError
        DS105 if the node gives nothing that could be kept.
    """
    ports = [port for port in now.validation.metas if port.node == key]
    on_gpu = bool(ports) and now.on_gpu and now.active.node(key).device != "cpu"
    made = [] if on_gpu else [output(port) for port in ports]
    if not made or any(batch.indices is not None for batch in made):
        reason = "is computed on the GPU" if on_gpu else "has no outputs"
        reason = "lies in a branch that not all samples take" if made else reason
        message, hint = f"{key} {reason}, so its data cannot be pinned.", "Pin another node before or after it."
        raise DaliStudioError(Diagnostic(code="DS105", node=key, message=message, hint=hint))
    return Pin(tuple(Batch.of([batch.samples[0].copy()], batch.layout, batch.sources) for batch in made), iteration)


def pins_in(history: History) -> dict[str, Pin]:
    """The pins, by node."""
    return {key.removeprefix(_PIN): pin for key, pin in history.places.items() if isinstance(pin, Pin)}


def named_pins(pins: Mapping[str, Pin | None]) -> dict[str, Pin | None]:
    """Pins by the names under which they are kept beside the places of cards; ``None`` takes one away."""
    return {f"{_PIN}{key}": pin for key, pin in pins.items()}


def renamed(pins: Mapping[str, Pin], edits: Iterable[Edit]) -> dict[str, Pin | None]:
    """How pins change where edits rename nodes."""
    changed: dict[str, Pin | None] = {}
    for edit in edits:
        if isinstance(edit, Rename) and edit.key in pins:
            changed |= {edit.key: None, edit.new_key: pins[edit.key]}
    return changed


def in_view(history: History) -> dict[str, Any]:
    """Pins in the view part of a document: the names of their files."""
    held = {key: pin for key, pin in pins_in(history).items() if key in history.graph}
    return {VIEW: {key: {"name": pin.name, "iteration": pin.iteration} for key, pin in held.items()}} if held else {}


class PinFiles:
    """The files of the pins of one document."""

    def __init__(self) -> None:
        #: Those that are as they should be.
        self._there: set[Path] = set()

    def open(self, view: Mapping[str, Any], folder: Path) -> tuple[dict[str, Pin], tuple[Diagnostic, ...]]:
        """The pins of a document's view part, and what is to be said of those whose files are gone or damaged."""
        found: dict[str, Pin] = {}
        lost: list[Diagnostic] = []
        kept: object = view.get(VIEW)
        for key, entry in cast("dict[str, Any]", kept).items() if isinstance(kept, dict) else ():
            match entry:
                case {"name": str(name), "iteration": int(iteration)} if _NAME.fullmatch(name) and iteration >= 0:
                    path = folder / FOLDER / "pins" / f"{name}.npz"
                case _:
                    continue  # as with positions
            try:
                found[key] = Pin(_read(path), iteration, name)
                self._there.add(path)
            except (OSError, ValueError, LookupError, zipfile.BadZipFile, EOFError) as error:
                gone, file = isinstance(error, FileNotFoundError), path.relative_to(folder).as_posix()
                reason = f"is gone, with {file}" if gone else f"cannot be read from {file}: {str(error).rstrip('.')}"
                message = f"The data that was pinned at {key} {reason}."
                hint = "The node is computed again; pin it anew."
                lost.append(Diagnostic(code="DS302", node=key, message=message, hint=hint, severity="warning"))
        return found, tuple(lost)

    def keep(self, pins: Iterable[Pin], folder: Path) -> None:
        """Write the files of pins that have none, and remove those that were of pins in this folder.

        Raises
        ------
        DaliStudioError
            DS302 if one cannot be written.
        """
        place = folder / FOLDER / "pins"
        wanted = {place / f"{pin.name}.npz": pin for pin in pins}
        for path in [path for path in self._there - wanted.keys() if path.parent == place]:
            self._there.remove(path)
            with suppress(OSError):
                path.unlink(missing_ok=True)
        for path, pin in wanted.items():
            if path in self._there:
                continue
            try:
                place.mkdir(parents=True, exist_ok=True)
                _write(path, pin.outputs)
            except OSError as error:
                message = f"The pinned data could not be written to {path}: {error.strerror or error}."
                hint = "It lasts as long as this kernel."
                found = Diagnostic(code="DS302", message=message, hint=hint, severity="warning")
                raise DaliStudioError(found) from error
            self._there.add(path)


def _write(path: Path, outputs: Sequence[Batch]) -> None:
    told = [{"layout": batch.layout, "sources": [str(one) for one in batch.sources]} for batch in outputs]
    arrays: dict[str, Any] = {str(i): np.asarray(batch.samples[0]) for i, batch in enumerate(outputs)}
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    with unfinished.open("wb") as file:
        np.savez(file, told=np.array(json.dumps(told)), **arrays)
    unfinished.replace(path)


def _read(path: Path) -> tuple[Batch, ...]:
    """What `_write` has written: arrays without a pickle, not compressed, so that they are no larger than the file."""
    with zipfile.ZipFile(path) as members:
        if any(one.compress_type != zipfile.ZIP_STORED for one in members.infolist()):
            raise ValueError("it is compressed")
    with np.load(path, allow_pickle=False) as arrays:
        told = json.loads(str(arrays["told"]))
        return tuple(
            Batch.of([arrays[str(i)]], str(one["layout"]), [str(source) for source in one["sources"]])
            for i, one in enumerate(told)
        )
