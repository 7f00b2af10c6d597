"""Listings of class folders are made in the background, and kept as long as nothing in the folders changes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dali_studio.core.progress import current, stoppable
from dali_studio.kernels.cpu import file_discovery, listings
from dali_studio.kernels.cpu.file_discovery import discover_files

AGE = 3600


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two classes, which nobody has changed for an hour."""
    monkeypatch.setattr(listings, "_kept", {})
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for i in range(3):
            (tmp_path / name / f"{i}.jpg").touch()
    age(tmp_path)
    return tmp_path


def age(root: Path, seconds: float = AGE) -> None:
    for folder in (*root.iterdir(), root):
        os.utime(folder, (time.time() - seconds,) * 2)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots that are listed."""
    roots: list[str] = []
    list_folders: Callable[..., object] = file_discovery._from_folders

    def counted(root: str, *others: object) -> object:
        roots.append(root)
        return list_folders(root, *others)

    monkeypatch.setattr(file_discovery, "_from_folders", counted)
    return roots


def names(root: Path, **options: object) -> list[str]:
    return [str(Path(path).relative_to(root)) for path in discover_files(root, **options).paths]  # type: ignore[arg-type]


def test_what_has_not_changed_is_not_listed_again(root: Path, listed: list[str]) -> None:
    assert names(root) == names(root) == [f"{name}/{i}.jpg" for name in "ab" for i in range(3)]
    assert len(listed) == 1
    assert names(root, file_filters="[01].jpg") == ["a/0.jpg", "a/1.jpg", "b/0.jpg", "b/1.jpg"]
    assert names(root, dir_filters="b") == ["b/0.jpg", "b/1.jpg", "b/2.jpg"]
    assert len(listed) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a" / "new.jpg").touch(),
        lambda root: (root / "b" / "1.jpg").unlink(),
        lambda root: (root / "b" / "1.jpg").rename(root / "b" / "10.jpg"),
        lambda root: (root / "aa").mkdir(),
        lambda root: (root / "b").rename(root / "c"),
    ],
    ids=["a file more", "a file less", "another name", "a folder more", "another folder"],
)
def test_a_change_is_seen(change: Callable[[Path], None], root: Path, listed: list[str]) -> None:
    before = discover_files(root)
    change(root)
    after = discover_files(root)
    assert len(listed) == 2
    assert sorted(map(str, root.glob("*/*.jpg"))) == list(after.paths)
    assert (list(before.paths), before.labels.tolist()) != (list(after.paths), after.labels.tolist()) or before.classes != after.classes


def test_what_has_just_changed_is_listed_again(root: Path, listed: list[str]) -> None:
    """A second change within the same tick of the clock leaves the time of a folder as it is."""
    age(root, 0)
    discover_files(root)
    discover_files(root)
    assert len(listed) == 2


def test_the_last_two_are_kept(root: Path, listed: list[str]) -> None:
    for pattern in ("0*", "1*", "2*", "2*", "1*", "0*"):
        names(root, file_filters=pattern)
    assert len(listed) == 4


class GivenUpError(Exception):
    """Somebody waits no longer."""


class Slow:
    """A listing that goes on when it is told to, and somebody who gives up waiting for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on, self.ended = threading.Event(), threading.Event(), threading.Event()
        self.stage = ""
        list_names = file_discovery._plain_files

        def slowly(folder: bytes) -> list[bytes]:
            self.begun.set()
            self.stage = current()
            assert self.go_on.wait(60)
            return list_names(folder)

        monkeypatch.setattr(file_discovery, "_plain_files", slowly)
        list_folders: Callable[..., object] = file_discovery._from_folders

        def noted(*given: object) -> object:
            try:
                return list_folders(*given)
            finally:
                self.ended.set()

        monkeypatch.setattr(file_discovery, "_from_folders", noted)

    def give_up(self, root: Path) -> None:
        """Begin to list, and give up while it lasts."""

        def check() -> None:
            if self.begun.is_set():
                raise GivenUpError

        with stoppable(check), pytest.raises(GivenUpError):
            names(root)


def test_a_listing_that_nobody_waits_for_is_there_for_the_next(root: Path, listed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    slow.give_up(root)
    assert slow.stage == "listing files"
    slow.go_on.set()
    assert len(names(root)) == 6
    assert len(listed) == 1


def test_a_listing_that_nobody_waits_for_ends_when_another_is_wanted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    slow.give_up(root)
    monkeypatch.undo()
    (running,) = listings._running.values()
    assert len(names(root, file_filters="1*")) == 2
    slow.go_on.set()
    assert slow.ended.wait(60)
    with pytest.raises(listings.ListingStoppedError):
        running.future.result(60)


def test_what_is_added_while_others_list_is_found(root: Path, listed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(monkeypatch)
    slow.give_up(root)
    (root / "a" / "new.jpg").touch()
    slow.go_on.set()
    assert "a/new.jpg" in names(root)


def test_a_list_is_read_again_only_where_its_file_has_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    parse: Callable[..., object] = file_discovery._from_lines
    monkeypatch.setattr(file_discovery, "_from_lines", lambda *given: (read.append(given[1]), parse(*given))[1])
    place = root / "list.txt"

    def written(text: str, age: float) -> list[int]:
        place.write_text(text)
        os.utime(place, (time.time() - age,) * 2)
        return found()

    def found(**options: str) -> list[int]:
        return discover_files(file_list=str(place), **options).labels.tolist()

    assert written("a/0.jpg 3\nb/1.jpg 4\n", AGE) == found() == [3, 4]
    assert len(read) == 1
    assert found(file_root=str(root / "other")) == [3, 4]
    assert len(read) == 2
    assert written("a/0.jpg 5\nb/1.jpg 4\n", AGE - 10) == found() == [5, 4]
    assert len(read) == 3
    state = place.stat()
    place.write_text("a/0.jpg 55\n")
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))  # of another length at the same time
    assert found() == [55]
    assert len(read) == 4
    assert written("a/0.jpg 6\n", 0) == [6]
    assert written("a/0.jpg 7\n", 0) == found() == [7]  # a file that has just been written is never kept
    assert len(read) == 7
    place.write_text("a/0.jpg none\n")
    for _ in range(2):
        with pytest.raises(ValueError, match="line 1"):
            found()
