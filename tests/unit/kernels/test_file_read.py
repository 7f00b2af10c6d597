"""Reading many files at once: every byte, whatever the names and sizes; what cannot be read is told by its position."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu.file_read import GROUP, read_files
from dali_studio.runtime.memory import SlabPool
from dali_studio.runtime.workers import Cancelled, WorkerPool
from dali_studio.schema.arguments import in_turn

Bytes = NDArray[np.uint8]


class Reading:
    """One call of `read_files`, and what it asked for."""

    def __init__(self, paths: list[str], run: Any = in_turn, **options: int) -> None:
        self.slabs: list[Bytes] = []
        self.failures: dict[int, OSError] = {}
        self.data = read_files(paths, self._take, run, self._failed, **options)

    def _take(self, size: int) -> Bytes:
        self.slabs.append(np.full(size + 7, 0xEE, np.uint8))
        return self.slabs[-1]

    def _failed(self, position: int, error: OSError) -> Bytes:
        self.failures[position] = error
        return np.frombuffer(b"none", np.uint8)

    def contents(self) -> list[bytes]:
        return [array.tobytes() for array in self.data]


def write(folder: Path, count: int) -> tuple[list[str], list[bytes]]:
    """Files of very different sizes, each fifth of them empty."""
    generator = np.random.default_rng(count)
    contents = [generator.bytes(int(generator.integers(1, 3000)) if i % 5 else 0) for i in range(count)]
    paths = [folder / f"{i}.bin" for i in range(count)]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return [str(path) for path in paths], contents


@pytest.fixture
def pool() -> Any:
    made = WorkerPool(4)
    yield made
    made.close()


@pytest.mark.parametrize("chunk", [1, 3, 8, 10_000])
@pytest.mark.parametrize("count", [1, 2, 17])
def test_every_byte_of_every_file(tmp_path: Path, count: int, chunk: int) -> None:
    paths, contents = write(tmp_path, count)
    reading = Reading(paths, chunk=chunk)
    assert reading.contents() == contents
    assert not reading.failures


@pytest.mark.parametrize("count", [GROUP, GROUP + 1, 2 * GROUP + 3])
def test_groups_are_read_by_many_threads(tmp_path: Path, pool: WorkerPool, count: int) -> None:
    paths, contents = write(tmp_path, count)
    assert Reading(paths, pool.map).contents() == contents
    backwards = paths[::-1]
    assert Reading(backwards, pool.map, chunk=5).contents() == contents[::-1]


def test_the_bytes_lie_in_the_memory_that_was_given(tmp_path: Path) -> None:
    paths, contents = write(tmp_path, 40)
    reading = Reading(paths)
    (slab,) = reading.slabs
    assert isinstance(reading.data, Packed) and reading.data.slab is slab
    assert slab[:-7].tobytes() == b"".join(contents), "side by side, in order"
    assert (slab[-7:] == 0xEE).all(), "nothing is written behind the last file"
    assert all(np.shares_memory(array, slab) for array in reading.data if len(array))


def test_a_pools_memory_is_not_used_again_while_somebody_looks_into_it(tmp_path: Path) -> None:
    paths, contents = write(tmp_path, 12)
    memory = SlabPool()

    def read(chosen: list[str]) -> Any:
        return read_files(chosen, memory.take, in_turn, lambda position, error: pytest.fail(str(error)))

    first = read(paths)
    kept = first[7]
    del first
    second = read(paths[::-1])
    assert kept.tobytes() == contents[7]
    assert [array.tobytes() for array in second] == contents[::-1]
    address = second.slab.ctypes.data
    del second
    assert read(paths).slab.ctypes.data == address


def test_the_same_file_may_be_asked_for_twice(tmp_path: Path) -> None:
    paths, contents = write(tmp_path, 3)
    assert Reading([paths[1], paths[2], paths[1]]).contents() == [contents[1], contents[2], contents[1]]


NAMES = ["ä ö ü.bin", "日本語.bin", "😀.bin", "two words.bin", "new\nline.bin", "quote'\".bin", "%s%n.bin", "e\u0301.bin"]


def test_names_of_all_kinds(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(name.encode())
    reading = Reading([str(tmp_path / name) for name in NAMES])
    assert reading.contents() == [name.encode() for name in NAMES]
    assert not reading.failures


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse names that are no text")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe.bin")
    path.write_bytes(b"bytes")
    assert Reading([str(path)]).contents() == [b"bytes"]


@pytest.mark.parametrize("count", [9, GROUP + 9])
def test_missing_files_are_told_by_position_and_the_others_are_read(
    tmp_path: Path, pool: WorkerPool, count: int
) -> None:  # fmt: skip
    paths, contents = write(tmp_path, count)
    gone = [0, 4, count - 1]
    for position in gone:
        Path(paths[position]).unlink()
        contents[position] = b"none"
    reading = Reading(paths, pool.map)
    assert sorted(reading.failures) == gone
    assert all(isinstance(error, FileNotFoundError) for error in reading.failures.values())
    assert all(paths[position] in str(error) for position, error in reading.failures.items())
    assert reading.contents() == contents


@pytest.mark.parametrize("folders", [[0], [2], [0, 1], [1, 3, 4], [0, 1, 2, 3, 4]])
def test_a_folder_is_no_file_whatever_size_it_tells(tmp_path: Path, folders: list[int]) -> None:
    """On some file systems the end of a folder is at 2**63 - 1."""
    paths, contents = write(tmp_path, 5)
    for position in folders:
        Path(paths[position]).unlink()
        Path(paths[position]).mkdir()
        contents[position] = b"none"
    reading = Reading(paths)
    assert sorted(reading.failures) == folders
    assert all(isinstance(error, IsADirectoryError) for error in reading.failures.values())
    assert reading.contents() == contents
    assert all(slab.size <= 5 * 3000 + 7 for slab in reading.slabs)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    paths, contents = write(tmp_path, 3)
    Path(paths[1]).chmod(0)
    reading = Reading(paths)
    assert isinstance(reading.failures[1], PermissionError)
    assert reading.contents() == [contents[0], b"none", contents[2]]


@pytest.mark.parametrize("when", ["open", "read"])
def test_a_file_that_vanishes_or_shrinks_between_two_looks(tmp_path: Path, when: str) -> None:
    """The second call by `run` reads; before it, or before it is over, the file loses its end."""
    paths, contents = write(tmp_path, 4)
    calls: list[int] = []

    def run(function: Callable[[int], None], count: int) -> None:
        calls.append(count)
        if len(calls) == 2:
            os.truncate(paths[2], 1) if when == "read" else Path(paths[2]).unlink()
        in_turn(function, count)

    reading = Reading(paths, run)
    expected = contents[2] if when == "open" else contents[2][:1]
    assert reading.contents() == [*contents[:2], expected, contents[3]]
    assert not reading.failures


@pytest.mark.skipif(not Path("/proc/version").is_file(), reason="there are no such files here")
def test_a_file_that_only_seems_to_be_empty(tmp_path: Path) -> None:
    paths, contents = write(tmp_path, 3)
    expected = Path("/proc/version").read_bytes()
    assert Reading([*paths, "/proc/version"]).contents() == [*contents, expected]


# ------------------------------------------------------------------------------------------------------ nothing leaks


def open_files() -> set[str]:
    """Names of the files that this process has open."""
    found: set[str] = set()
    for entry in os.listdir("/proc/self/fd"):  # noqa: PTH208 - numbers, not paths
        try:
            found.add(os.readlink(f"/proc/self/fd/{entry}"))  # noqa: PTH115 - a text
        except OSError:
            continue  # the one of listdir
    return found


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="tells open files by /proc")


@needs_proc
@pytest.mark.parametrize("count", [6, GROUP + 1])
def test_all_files_are_closed_also_those_that_fail(tmp_path: Path, count: int) -> None:
    paths, _ = write(tmp_path, count)
    Path(paths[0]).unlink()
    Path(paths[1]).unlink()
    Path(paths[1]).mkdir()
    Reading(paths)
    assert not any(str(tmp_path) in name for name in open_files())


@needs_proc
@pytest.mark.parametrize("call", [1, 2])
def test_all_files_are_closed_when_reading_is_cancelled(tmp_path: Path, call: int) -> None:
    paths, _ = write(tmp_path, 30)
    calls: list[int] = []

    def run(function: Callable[[int], None], count: int) -> None:
        calls.append(count)
        in_turn(function, count if len(calls) < call else count // 2)
        if len(calls) == call:
            assert any(str(tmp_path) in name for name in open_files())
            raise Cancelled

    with pytest.raises(Cancelled):
        Reading(paths, run, chunk=4)
    assert len(calls) == call
    assert not any(str(tmp_path) in name for name in open_files())


@needs_proc
def test_all_files_are_closed_when_there_is_no_memory(tmp_path: Path) -> None:
    paths, _ = write(tmp_path, 30)

    def take(size: int) -> Bytes:
        raise MemoryError

    with pytest.raises(MemoryError):
        read_files(paths, take, in_turn, lambda position, error: pytest.fail(str(error)))
    assert not any(str(tmp_path) in name for name in open_files())


@needs_proc
def test_more_files_than_may_be_open_at_a_time(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    paths, contents = write(tmp_path, 60)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208 - numbers, not paths
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 12, before[1]))
    try:
        reading = Reading(paths)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert reading.contents() == contents
    assert not reading.failures


def no_files(folder: Path) -> list[str]:
    """A pipe that nobody writes into, a link to it, a socket, and a device without an end."""
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    return [str(folder / name) for name in ("pipe", "link", "socket")] + ["/dev/zero"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("many", [False, True])
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, many: bool) -> None:
    paths, contents = write(tmp_path, GROUP + 4 if many else 4)
    paths[1:1] = no_files(tmp_path)
    made: list[Reading] = []
    thread = threading.Thread(target=lambda: made.append(Reading(paths)), daemon=True)
    thread.start()
    thread.join(30)
    assert made, "somebody waits for a pipe"
    assert made[0].contents() == [contents[0], *[b"none"] * 4, *contents[1:]]
    words = {position: error.strerror for position, error in made[0].failures.items()}
    kinds = {1: "a pipe", 2: "a pipe", 3: "a socket", 4: "a device"}
    assert words == {position: f"it is {kind}, not a file" for position, kind in kinds.items()}
