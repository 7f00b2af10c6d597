"""Lists of what is in folders: made in the background, given up by who waits no longer, and kept while they hold.

A million files take seconds. Who waits may be asked to stop, as the designer is by the next edit; the list is made
nevertheless, for the same folder is asked for again, as a rule. It ends when another folder is.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from dali_studio.core.progress import Stage, doing, wait_for

#: Listings that are kept, and how much older than a listing its folders must be, in ns: a change that comes soon after
#: another need not change the time of a folder.
_MAX_KEPT, _MIN_AGE = 2, 2 * 10**9

T = TypeVar("T")


class ListingStoppedError(Exception):
    """Another folder is asked for, and nobody waits for this one."""


class _State(NamedTuple):
    """What changes with a folder or a file: when that was, in ns, its bytes, and its number in the file system."""

    time: int
    size: int
    number: int


class _Listing(NamedTuple):
    """What was found, in which folders or in which file, and the state of each."""

    found: Any
    folders: Sequence[str]
    states: list[_State]

    def holds(self) -> bool:
        """Whether none of them has been changed since then."""
        try:
            return _states(self.folders) == self.states
        except OSError:
            return False


class _Running:
    """A listing that a thread makes."""

    def __init__(self) -> None:
        self.future: Future[Any] = Future()
        self.waiting = 0
        self.stopped = False

    def check(self) -> None:
        """Raise `ListingStoppedError` where nobody wants the rest."""
        if self.stopped:
            raise ListingStoppedError


_kept: dict[Hashable, _Listing] = {}
_running: dict[Hashable, _Running] = {}
_lock = threading.Lock()


def listed(
    key: Hashable, make: Callable[[Stage], T], folders: Callable[[T], Sequence[str]] | None,
    doing_what: str = "listing files",
) -> T:  # fmt: skip
    """What `make` gives; from the last time, if nothing was added, removed or renamed in the folders since then.

    Parameters
    ----------
    key : hashable
        The same for the same list.
    make : callable
        Called in a thread of its own with a `Stage`, which it moves on for each part.
    folders : callable or None
        The folders of a list, or the file that it was read from; ``None``: none says when it was changed.
    doing_what : str
        Said to those who wait.

    Raises
    ------
    BaseException
        What `make` raises, or what stops waiting (`progress.stoppable`).
    """
    while True:
        with _lock:
            kept = _kept.get(key)
        if kept is not None and kept.holds():
            return kept.found
        with _lock:
            for other in [other for other, one in _running.items() if other != key and not one.waiting]:
                _running.pop(other).stopped = True
            joined = _running.get(key) if folders is not None else None
            mine = joined or _Running()
            mine.waiting += 1
            if joined is None:
                _running[key] = mine
                threading.Thread(
                    target=_make, args=(mine, key, make, folders, doing_what), name="dali-studio-listing", daemon=True
                ).start()
        try:
            found = wait_for(mine.future)
        finally:
            with _lock:
                mine.waiting -= 1
        if joined is None:
            return found
        # begun before it was asked for here: what was added meanwhile may be missing, unless it is kept and holds
        with _lock:
            if _running.get(key) is mine:
                del _running[key]


def _make(
    mine: _Running, key: Hashable, make: Callable[[Stage], T], folders: Callable[[T], Sequence[str]] | None,
    doing_what: str,
) -> None:  # fmt: skip
    began = time.time_ns()
    try:
        with doing(doing_what, mine.check) as stage:
            found = make(stage)
        with suppress(OSError):
            _keep(key, found, began, [] if folders is None else folders(found))
        mine.future.set_result(found)
    except BaseException as error:  # noqa: BLE001 - raised where it is waited for
        mine.future.set_exception(error)
    finally:
        with _lock:
            if _running.get(key) is mine:
                del _running[key]


def _keep(key: Hashable, found: Any, began: int, folders: Sequence[str]) -> None:
    """Keep a listing, if its folders are old enough to tell by their times that it holds."""
    states = _states(folders)
    with _lock:
        _kept.pop(key, None)
        if states and max(one.time for one in states) < began - _MIN_AGE:
            _kept[key] = _Listing(found, folders, states)
        while len(_kept) > _MAX_KEPT:
            _kept.pop(next(iter(_kept)))


def _states(folders: Sequence[str]) -> list[_State]:
    found = (Path(folder).stat() for folder in folders)
    return [_State(one.st_mtime_ns, one.st_size, one.st_ino) for one in found]


def _in_child() -> None:
    """The threads are the parent's."""
    global _lock  # noqa: PLW0603 - one of the parent's threads may hold it
    _lock = threading.Lock()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
