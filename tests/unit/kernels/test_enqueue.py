"""What is enqueued reaches the driver's functions as it was given; here these are Python's."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dali_studio.kernels.cuda import enqueue

_LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, *(ctypes.c_uint,) * 7, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
)  # fmt: skip
_COPY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)
_CLEAR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_ubyte, ctypes.c_uint64, ctypes.c_void_p)
_RECORD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_WAIT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint)
STREAM, EVENT, KERNEL = (SimpleNamespace(ptr=1 << 40 | k) for k in (1, 2, 3))


class DriverFailedError(Exception):
    """In place of CuPy's."""


class Driver:
    """Notes what its functions are called with.

    Attributes
    ----------
    calls : list of tuple
    sizes : list of int
        Bytes of the arguments of the kernels that are launched.
    code : int
        What all functions return.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.sizes: list[int] = []
        self.code = 0
        self._functions = (
            _LAUNCH(self._launch), _COPY(self._note("copy")), _CLEAR(self._note("clear")), _RECORD(self._note("record")),
            _WAIT(self._note("wait")),
        )  # fmt: skip

    def addresses(self) -> Any:
        return np.array([ctypes.cast(one, ctypes.c_void_p).value for one in self._functions], np.int64)

    def _note(self, name: str) -> Any:
        def function(*given: int) -> int:
            self.calls.append((name, *given))
            return self.code

        return function

    def _launch(self, kernel: int, *given: Any) -> int:
        *numbers, stream, arguments, _ = given
        read = tuple(ctypes.string_at(arguments[k], size) for k, size in enumerate(self.sizes))
        self.calls.append(("launch", kernel, *numbers, stream, *read))
        return self.code


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    made = Driver()
    monkeypatch.setattr(enqueue, "_driver", made.addresses)
    cuda = SimpleNamespace(driver=SimpleNamespace(CUDADriverError=DriverFailedError))
    monkeypatch.setattr(enqueue, "cupy", lambda: SimpleNamespace(cuda=cuda))
    return made


def test_a_launch_hands_over_grid_threads_and_the_bytes_of_each_argument(driver: Driver) -> None:
    given = np.uint64(1 << 63 | 5), np.uint32(7), np.float32(1.5), -3, np.float64(-0.1), np.bool_(True), np.int16(-2)
    driver.sizes = [8, 4, 4, 8, 8, 1, 2]
    enqueue.launch(SimpleNamespace(kernel=KERNEL), (70_000, 3), 512, given, STREAM, 4096)
    expected = [np.asarray(one).tobytes() for one in given]
    assert driver.calls == [("launch", KERNEL.ptr, 70_000, 3, 1, 512, 1, 1, 4096, STREAM.ptr, *expected)]


@pytest.mark.parametrize("given", [(np.zeros(1, [("a", np.int64), ("b", np.int64)])[0],), (np.uint64(1),) * 33])
def test_other_arguments_are_cupys(driver: Driver, given: tuple[Any, ...]) -> None:
    seen: list[Any] = []
    enqueue.launch(lambda *launch, **options: seen.append((launch, options)), (2, 3), 64, given, STREAM, 16)
    assert seen == [(((2, 3), (64,), given), {"shared_mem": 16})]
    assert not driver.calls


def test_copies_zeros_and_events(driver: Driver) -> None:
    enqueue.copy(1 << 47, 1 << 46, 1 << 33, STREAM)
    enqueue.clear(1 << 45, 12, STREAM)
    enqueue.record(EVENT, STREAM)
    enqueue.wait(STREAM, EVENT)
    assert driver.calls == [
        ("copy", 1 << 47, 1 << 46, 1 << 33, STREAM.ptr), ("clear", 1 << 45, 0, 12, STREAM.ptr),
        ("record", EVENT.ptr, STREAM.ptr), ("wait", STREAM.ptr, EVENT.ptr, 0),
    ]  # fmt: skip


def test_what_the_driver_says_is_raised(driver: Driver) -> None:
    driver.code = 700
    with pytest.raises(DriverFailedError, match="700"):
        enqueue.copy(1, 2, 3, STREAM)
    driver.sizes = []
    with pytest.raises(DriverFailedError, match="700"):
        enqueue.launch(SimpleNamespace(kernel=KERNEL), (1, 1), 32, (), STREAM)
