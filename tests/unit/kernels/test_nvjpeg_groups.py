"""The hardware's turn at a queue, with functions of the tests in place of nvJPEG's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_void_p
from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.jpeg import decode_queue, libjpeg, nvjpeg_groups
from dali_studio.kernels.jpeg.decode_threads import DecodeBatch

_RNG = np.random.default_rng(1)


class Nvjpeg:
    """Notes what it is asked for, and fails where it is told to."""

    def __init__(self) -> None:
        self.prepared: list[tuple[int, ...]] = []
        self.windows: dict[int, tuple[int, ...]] = {}
        self.groups: list[dict[str, Any]] = []
        self.waits = 0
        self.fails: Callable[[int], int] = lambda _: 0
        kinds = {
            "nvjpegDecodeBatchedInitialize": (self._prepare, c_void_p, c_void_p, c_int, c_int, c_int),
            "nvjpegDecodeBatched": (self._decode, *[c_void_p] * 6),
            "nvjpegDecodeBatchedEx": (self._decode_parts, *[c_void_p] * 7),
            "nvjpegDecodeParamsSetROI": (self._set_window, c_void_p, *[c_int] * 4),
            "cuStreamSynchronize": (self._wait, c_void_p),
        }
        self._kept = {name: ctypes.CFUNCTYPE(c_int, *kind)(function) for name, (function, *kind) in kinds.items()}
        self.functions = np.array([ctypes.cast(self._kept[name], c_void_p).value for name in nvjpeg_groups.FUNCTIONS], np.int64)

    def _prepare(self, *given: int) -> int:
        self.prepared.append(given)
        return 0

    def _set_window(self, which: int, *window: int) -> int:
        self.windows[which] = window
        return 0

    def _decode(self, handle: int, state: int, files: int, sizes: int, targets: int, stream: int) -> int:
        return self._decode_parts(handle, state, files, sizes, targets, 0, stream)

    def _decode_parts(self, handle: int, state: int, files: int, sizes: int, targets: int, parts: int, stream: int) -> int:
        count = self.prepared[-1][2]

        def numbers(address: int, width: int = 1) -> Any:
            return np.ctypeslib.as_array((ctypes.c_int64 * (count * width)).from_address(address)).reshape(count, width)

        parts_of = numbers(parts)[:, 0].tolist() if parts else []
        self.groups.append(
            {
                "files": numbers(files)[:, 0].tolist(), "sizes": numbers(sizes)[:, 0].tolist(),
                "targets": numbers(targets, 8)[:, [0, 4]].tolist(), "who": (handle, state, stream),
                "windows": [self.windows[part] for part in parts_of],
            }
        )  # fmt: skip
        return self.fails(len(self.groups) - 1)

    def _wait(self, stream: int) -> int:
        self.waits += stream == 33
        return 0


@pytest.fixture
def nvjpeg() -> Nvjpeg:
    return Nvjpeg()


def take(nvjpeg: Nvjpeg, batch: DecodeBatch, info: Any, places: Any, windows: Any, clock: Any) -> tuple[int, int]:
    tables = np.zeros(16, np.int64), np.zeros(16, np.int64), np.zeros((16, 8), np.int64)
    assert batch.requests is not None
    return nvjpeg_groups.decode_groups(nvjpeg.functions, batch.queue, info, batch.requests, places, windows, tables, batch.outcomes, clock)


@pytest.mark.parametrize("windowed", [False, True])
def test_groups_are_decoded_until_nothing_is_left(nvjpeg: Nvjpeg, windowed: bool) -> None:
    requests = _RNG.integers(1, 1000, (53, libjpeg.FIELDS))
    batch, places = DecodeBatch(53, 50, requests), _RNG.integers(1, 1000, (53, 2))
    info = np.array([11, 22, 33, 5, -1, 4, 16], np.int64)
    windows = np.arange(100, 116) if windowed else np.zeros(0, np.int64)
    clock = np.zeros(nvjpeg_groups.CLOCK, np.int64)
    assert take(nvjpeg, batch, info, places, windows, clock)[1] == 0
    sizes = [len(group["files"]) for group in nvjpeg.groups]
    assert sum(sizes) == 50 and max(sizes) == 16 and nvjpeg.waits == len(sizes)
    assert [row[2] for row in nvjpeg.prepared] == [n for k, n in enumerate(sizes) if not k or n != sizes[k - 1]]
    assert {(row[0], row[1], row[3], row[4]) for row in nvjpeg.prepared} == {(11, 22, 1, 5)}
    assert {group["who"] for group in nvjpeg.groups} == {(11, 22, 33)}
    told = {name: [row for group in nvjpeg.groups for row in group[name]] for name in nvjpeg.groups[0]}
    assert told["files"] == requests[:50, libjpeg.DATA].tolist()
    assert told["sizes"] == requests[:50, libjpeg.SIZE].tolist()
    assert told["targets"] == places[:50].tolist()
    y, x, h, w = range(libjpeg.FIRST_ROW, libjpeg.COLUMNS + 1)
    expected = [tuple(row) for row in requests[:50, [x, y, w, h]].tolist()]
    assert told["windows"] == (expected if windowed else [])
    assert (batch.outcomes[:50] == decode_queue.BY_HARDWARE).all() and not batch.outcomes[50:].any()
    assert clock[nvjpeg_groups.BEGUN] == 0 and clock[nvjpeg_groups.BUSY] > 0
    assert [batch.take() for _ in range(4)] == [52, 51, 50, -1]


def test_a_group_that_fails_is_told_and_the_rest_can_go_on(nvjpeg: Nvjpeg) -> None:
    requests, places = np.ones((40, libjpeg.FIELDS), np.int64), np.ones((40, 2), np.int64)
    batch, info = DecodeBatch(40, 40, requests), np.array([11, 22, 33, 5, -1, 4, 8], np.int64)
    clock = np.zeros(nvjpeg_groups.CLOCK, np.int64)
    nvjpeg.fails = lambda number: 6 if number == 1 else 0
    assert take(nvjpeg, batch, info, places, np.zeros(0, np.int64), clock) == (8, 8)
    assert nvjpeg.waits == 2 and clock[nvjpeg_groups.BEGUN] == 0
    assert take(nvjpeg, batch, info, places, np.zeros(0, np.int64), clock)[1] == 0
    assert np.flatnonzero(batch.outcomes == 0).tolist() == list(range(8, 16))


@pytest.mark.parametrize(
    ("count", "sizes"), [(0, []), (31, [31]), (65, [32, 32, 1]), (384, [128, 128, 64, 32, 32])]
)
def test_a_group_is_half_of_what_is_left_within_bounds(count: int, sizes: list[int]) -> None:
    batch = DecodeBatch(count, count)
    found = []
    while (group := decode_queue.take_group(*batch.queue, 32, 128))[1]:
        assert group[0] == sum(found)
        found.append(group[1])
    assert found == sizes
    assert batch.take() == -1
