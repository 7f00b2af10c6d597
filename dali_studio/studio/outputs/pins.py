"""Pinned data: outputs that previews keep as they are, so that nothing before them is computed.

The data lies in files beside the document, which knows their names alone.
"""

from __future__ import annotations

import json
import os
import re
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph.edits import Edit, PortRef, Rename
from dali_studio.graph.history import History
from dali_studio.studio.autosave import DAYS, FOLDER

if TYPE_CHECKING:
    from dali_studio.studio.revision import Revision

#: What the names of pins begin with beside the places of cards; no node is called so.
_PIN = "pin "
#: Their name in the view part of a document.
VIEW = "pins"
#: Names of pins, which become parts of paths.
_NAME = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Pin:
    """The outputs of a node for a whole batch.

    Attributes
    ----------
    name : str
        Stands for the node where results are looked up: it differs from that of any other data.
    iteration : int
        Of the batch.
    outputs : tuple of Batch
        Empty while only the file has them.
    computed : str
        The structural key of the node when this was computed, seeds of the pipeline aside; empty if nobody knows.
    """

    name: str
    iteration: int = field(compare=False)
    outputs: tuple[Batch, ...] = field(default=(), compare=False)
    computed: str = field(default="", compare=False)

    def batch(self, output: int, wanted: NDArray[np.int64]) -> Batch:
        """Some of the samples, as if they had been computed alone."""
        return replace(self.outputs[output].select(wanted), indices=None)


def pinned(key: str, now: Revision, output: Callable[[PortRef, Sequence[int]], Batch], iteration: int) -> Pin:
    """Keep what a node gives now.

    Parameters
    ----------
    key, now
        The node, and the state of its graph.
    output
        Computes an output of samples of the shown batch.
    iteration
        Of the batch that this is of.

    Raises
    ------
    DaliStudioError
        DS105 if the node gives nothing that could be kept.
    """
    left_out = key in now.active and now.graph.node(key).bypassed
    ports = [] if left_out else [port for port in now.validation.metas if port.node == key]
    on_gpu = bool(ports) and now.on_gpu and now.active.node(key).device != "cpu"
    size = now.active.options.batch_size
    made = [] if on_gpu else [output(port, range(size)) for port in ports]
    if not made or any(batch.indices is not None or len(batch) != size for batch in made):
        reason = "is computed on the GPU" if on_gpu else "is bypassed" if left_out else "has no outputs"
        reason = "does not give all samples of the batch" if made else reason
        message, hint = f"{key} {reason}, so its data cannot be pinned.", "Pin another node before or after it."
        raise DaliStudioError(Diagnostic(code="DS105", node=key, message=message, hint=hint))
    kept = [Batch.of([sample.copy() for sample in batch.samples], batch.layout, batch.sources) for batch in made]
    return Pin(uuid4().hex, iteration, tuple(kept), now.written(key))


def misfits(now: Revision) -> tuple[Diagnostic, ...]:
    """What is to be said of pins that do not hold, since they are of batches of another size."""
    size = now.active.options.batch_size
    kept = {key: len(pin.outputs[0]) for key, pin in now.kept.items()}
    return tuple(
        Diagnostic(
            code="DS105", severity="warning", node=key,
            message=f"{key} is pinned with a batch of {count}, but batches are of {size} now, so it is computed.",
            hint=f"Pin it anew, or go back to batches of {count}.",
        )
        for key, count in kept.items() if count != size
    )  # fmt: skip


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
    told = {
        key: {"name": pin.name, "iteration": pin.iteration, "computed": pin.computed} for key, pin in held.items()
    }
    return {VIEW: told} if held else {}


def of_view(view: Mapping[str, Any]) -> dict[str, Pin]:
    """The pins of a document's view part, without their data; what cannot be read is left out."""
    found: dict[str, Pin] = {}
    kept: object = view.get(VIEW)
    for key, entry in cast("dict[str, Any]", kept).items() if isinstance(kept, dict) else ():
        match entry:
            case {"name": str(name), "iteration": int(iteration)} if _NAME.fullmatch(name) and iteration >= 0:
                found[key] = Pin(name, iteration, computed=str(cast("dict[str, Any]", entry).get("computed", "")))
            case _:
                continue  # as with positions
    return found


class PinFiles:
    """The files of the pins of one document: ``.npz``, or ``.before`` of those that only undo and redo lead to.

    When a kernel ends, the latter stay for the one that takes up the steps; they go after some weeks.
    """

    def __init__(self) -> None:
        #: Those that are as they should be.
        self._there: set[Path] = set()
        #: By the names of pins, as the document may have been saved elsewhere since.
        self._before: dict[str, Path] = {}

    def settle(self, history: History, folder: Path) -> tuple[Diagnostic, ...]:
        """Give the pins their data and their files, and those of steps their files alone; returns what went wrong."""
        place = folder / FOLDER / "pins"
        failed: list[Diagnostic] = []
        held = pins_in(history)
        for key, pin in held.items():
            file = place / f"{pin.name}.npz"
            before = self._before.pop(pin.name, file.with_suffix(".before"))
            try:
                kept = pin if pin.outputs else replace(pin, outputs=self._opened(file, before))
                history.places[f"{_PIN}{key}"] = kept
            except (OSError, ValueError, LookupError, zipfile.BadZipFile, EOFError) as error:
                history.place(named_pins({key: None}))
                failed.append(_lost(key, file.relative_to(folder).as_posix(), error))
                continue
            try:
                if file not in self._there:
                    _write(file, kept.outputs)
                    self._there.add(file)
                before.unlink(missing_ok=True)
            except OSError as error:
                message = f"The pinned data could not be written to {file}: {error.strerror or error}."
                hint = "It lasts as long as this kernel."
                failed.append(Diagnostic(code="DS302", message=message, hint=hint, severity="warning"))
        self._set_aside(history, place, {pin.name for pin in held.values()})
        return tuple(failed)

    def _opened(self, file: Path, before: Path) -> tuple[Batch, ...]:
        if before.exists() and not file.exists():
            return _read(before)
        outputs = _read(file)
        self._there.add(file)
        return outputs

    def _set_aside(self, history: History, place: Path, held: set[str]) -> None:
        """Take memory from pins of steps, and files from those of none."""
        if not self._there and not self._before:
            return
        old = time.time() - DAYS * 86_400
        steps = [(places, key, pin) for places in history.beyond for key, pin in places.items() if isinstance(pin, Pin)]
        for places, key, pin in steps:
            file = place / f"{pin.name}.npz"
            if pin.name not in held and file in self._there:
                self._there.remove(file)
                with suppress(OSError):
                    self._before[pin.name] = file.replace(file.with_suffix(".before"))
                    os.utime(self._before[pin.name])
                    for left in place.glob("*.before"):
                        if left.stat().st_mtime < old:
                            left.unlink()
            if pin.name in held or pin.name in self._before:
                places[key] = replace(pin, outputs=())
        wanted = held | {pin.name for _, _, pin in steps}
        gone = [file for file in self._there if file.parent == place and file.stem not in wanted]
        self._there.difference_update(gone)
        gone += [self._before.pop(name) for name in self._before.keys() - wanted]
        for file in gone:
            with suppress(OSError):
                file.unlink(missing_ok=True)


def _lost(key: str, name: str, error: Exception) -> Diagnostic:
    gone = isinstance(error, FileNotFoundError)
    reason = f"is gone, with {name}" if gone else f"cannot be read from {name}: {str(error).rstrip('.')}"
    message, hint = f"The data that was pinned at {key} {reason}.", "The node is computed again; pin it anew."
    return Diagnostic(code="DS302", node=key, message=message, hint=hint, severity="warning")


def _write(path: Path, outputs: Sequence[Batch]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    told = [
        {"layout": one.layout, "sources": [str(source) for source in one.sources], "count": len(one)} for one in outputs
    ]
    arrays: dict[str, Any] = {
        f"{i} {k}": np.asarray(sample) for i, batch in enumerate(outputs) for k, sample in enumerate(batch.samples)
    }
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
            Batch.of(
                [arrays[f"{i} {k}"] for k in range(int(one["count"]))],
                str(one["layout"]), [str(source) for source in one["sources"]],
            )
            for i, one in enumerate(told)
        )  # fmt: skip
