"""Checkpoints of dynamic mode: where readers and generators of random numbers are, in one file."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dali_studio.api.dynamic.reader import Reader

#: Of the files.
_VERSION = 2
#: Begins the names that are handed out.
_OWN = "__op_"


class _Entry(NamedTuple):
    """The state of an object, and the name of its class if that is known."""

    state: Any
    kind: str | None = None


class _Saved(msgspec.Struct):
    state: str
    type: str | None = None


class _File(msgspec.Struct):
    version: int
    states: dict[str, _Saved]


class Checkpoint:
    """The states of readers and generators, by name.

    Objects are added by `register`. `collect` asks them for their states, `save` writes these to a file, and `load`
    reads them; objects that are registered after that, under the same names, go where those were.
    """

    def __init__(self) -> None:
        self._objects: dict[str, Any] = {}
        self._states: dict[str, _Entry] = {}
        #: Names of states that no object has got yet.
        self._new: set[str] = set()
        self._complete = self._loaded = False
        self._number: int | None = None

    def clear(self) -> None:
        """Forget everything."""
        Checkpoint.__init__(self)

    @property
    def is_complete(self) -> bool:
        """The states are those that `collect` found."""
        return self._complete

    @property
    def is_loaded(self) -> bool:
        """The states were loaded."""
        return self._loaded

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the registered objects."""
        return tuple(self._objects)

    def __len__(self) -> int:
        return len(self._objects)

    def __contains__(self, name: object) -> bool:
        return str(name) in self._objects

    def register(self, op: Any, name: str | None = None) -> str:
        """Add a reader or a generator; a state that waits for it is handed to it.

        Parameters
        ----------
        op : Reader or RNG
        name : str, optional
            Unset: one is handed out, by the order of registration, or it is that under which `op` is known. An object
            of this name is replaced.

        Returns
        -------
        str
            The name.

        Raises
        ------
        KeyError
            If states were loaded, and none is that of `name`.
        RuntimeError
            After `collect`, and for an object that has another name.
        """
        known = next((key for key, other in self._objects.items() if other is op), None)
        if isinstance(op, Reader):
            op.keep_state()
        key = self._checked(name, known) if name is not None else known or f"{_OWN}{len(self._objects)}"
        before = self._objects.get(key)
        if before is None:
            if self._complete:
                raise RuntimeError(f"The checkpoint is complete; clear() it before {key!r} is registered.")
            if self._loaded and key not in self._states:
                raise KeyError(f"The checkpoint has no state for {key!r}; it has {', '.join(self._states)}.")
        elif type(before) is not type(op):
            raise TypeError(f"{key!r} is a {type(before).__name__}; a {type(op).__name__} cannot replace it.")
        self._objects[key] = op
        self._hand_out(key)
        return key

    def _checked(self, name: str, known: str | None) -> str:
        if not name or name.startswith(_OWN):
            raise ValueError(f"{name!r} is no name; give a text that does not begin with {_OWN!r}.")
        if known is not None and known != name:
            raise RuntimeError(f"The object is registered as {known!r}; it cannot be {name!r} as well.")
        return name

    def _hand_out(self, key: str) -> None:
        if key not in self._new:
            return
        entry, op = self._states[key], self._objects[key]
        if entry.kind not in (None, type(op).__qualname__):
            raise TypeError(f"The state of {key!r} is one of {entry.kind}; the object is a {type(op).__qualname__}.")
        op.set_state(entry.state)
        self._new.discard(key)

    def get_state(self, name: str) -> Any:
        """The state of a registered object, as it was collected or loaded; ``None`` without one."""
        if str(name) not in self._objects:
            raise KeyError(f"{name!r} is not registered.")
        entry = self._states.get(str(name))
        return None if entry is None else entry.state

    def set_state(self, name: str, value: Any, op_type: Any = None) -> None:
        """Give a state by hand; `restore` or `register` hands it to its object.

        Parameters
        ----------
        name : str
        value
            What the object's ``set_state`` takes.
        op_type : type or str, optional
            The object's class, which is checked then.
        """
        if self._complete and str(name) not in self._objects:
            raise KeyError(f"{name!r} is not registered.")
        if not (op_type is None or isinstance(op_type, str | type)):
            raise TypeError(f"op_type is a {type(op_type).__name__}; give a class or its name.")
        kind = op_type.__qualname__ if isinstance(op_type, type) else op_type
        self._states[str(name)] = _Entry(value, kind)
        self._new.add(str(name))

    def collect(self) -> None:
        """Ask all registered objects for their states."""
        self._check_extra()
        self._states = {key: _Entry(op.get_state(), type(op).__qualname__) for key, op in self._objects.items()}
        self._new.clear()
        self._complete, self._loaded = True, False

    def restore(self) -> None:
        """Hand all states to their objects.

        Raises
        ------
        RuntimeError
            If a state has no object, or an object no state.
        """
        if not self._states:
            return
        self._check_extra()
        if missing := sorted(self._objects.keys() - self._states.keys()):
            raise RuntimeError(f"There is no state for {', '.join(missing)}.")
        for key in sorted(self._new):
            self._hand_out(key)

    def _check_extra(self) -> None:
        if extra := sorted(self._states.keys() - self._objects.keys()):
            raise RuntimeError(f"There are states of objects that are not registered: {', '.join(extra)}.")

    def serialize(self) -> str:
        """The states as JSON."""
        if not self._states:
            raise RuntimeError("There are no states; call collect() first.")
        states = {key: _Saved(state=str(entry.state), type=entry.kind) for key, entry in self._states.items()}
        return msgspec.json.encode(_File(version=_VERSION, states=states)).decode()

    def deserialize(self, data: str) -> None:
        """Take the states that `serialize` gave.

        Raises
        ------
        ValueError
            For what is no such text.
        """
        hint = "give what Checkpoint.serialize() gave"
        try:
            found = msgspec.json.decode(data, type=_File)
        except msgspec.DecodeError as error:
            raise ValueError(f"the text is no checkpoint ({error}); {hint}") from error
        if found.version != _VERSION:
            raise ValueError(f"the checkpoint has version {found.version}; {_VERSION} is read")
        self._states = {key: _Entry(one.state, one.type) for key, one in found.states.items()}
        self._new = set(self._states)
        self._complete, self._loaded = False, True

    def save(self, filename: str) -> str:
        """Write the states to a new file.

        Parameters
        ----------
        filename : str
            With a place for a number, such as ``"run_{seq:04d}.json"``: that behind the highest there is.

        Returns
        -------
        str
            The file.
        """
        text = self.serialize()
        number = self._number
        if number is None:
            number = max((at for at, _ in _files(filename)), default=-1) + 1
        while (path := Path(filename.format(seq=number))).exists():
            number += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.tmp")
        unfinished.write_text(text, "utf-8")
        unfinished.replace(path)
        self._number = number + 1
        return str(path)

    def load(self, filename: str) -> str:
        """Read the states of the file with the highest number; returns its name.

        Raises
        ------
        FileNotFoundError
        """
        found = max(_files(filename), default=None)
        if found is None:
            raise FileNotFoundError(f"There is no file {filename!r}.")
        number, path = found
        self.deserialize(Path(path).read_text("utf-8"))
        self._number = number + 1
        return path


def _files(pattern: str) -> Iterator[tuple[int, str]]:
    """Numbers and names of the files that a pattern stands for."""
    expression, numbers = "", 0
    for literal, field, _, _ in string.Formatter().parse(pattern):
        expression += re.escape(literal)
        if field is not None:
            if field != "seq":
                raise ValueError(f"{{{field}}} in {pattern!r} means nothing; {{seq}} stands for a number.")
            expression, numbers = expression + r"(\d+)", numbers + 1
    if numbers != 1:
        raise ValueError(f"{pattern!r} must have one {{seq}}, which stands for a number.")
    folder = Path(os.path.dirname(pattern) or ".")  # noqa: PTH120 - a pattern is no path
    for path in folder.iterdir() if folder.is_dir() else ():
        name = os.path.join(os.path.dirname(pattern), path.name)  # noqa: PTH118, PTH120 - likewise
        if found := re.fullmatch(expression, name):
            yield int(found[1]), name
