"""The compiled kernels: which library this processor takes, and how its functions are called.

A kernel is found by its name and the element types it is compiled for, and called with numpy arrays and numbers. It
reads the arrays' own objects (`arguments.hpp`), checks them, and then runs without Python's lock; kernels of a few
microseconds keep the lock, since to get it back from a busy thread takes longer than they run.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Callable
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_void_p, py_object
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_FOLDER = Path(__file__).parent / "lib"
#: A level of x86-64 ("v1", "v3" or "v4") to be used in place of the highest that the processor has.
LEVEL = "DALI_STUDIO_CPU_LEVEL"
_REFUSED, _PROBLEMS = -0x7FFFFFFFFFFFFF00, 16


class _Parameter(ctypes.Structure):
    _fields_ = (
        ("kind", c_char), ("axes", c_char), ("writable", c_bool), ("dense", c_bool), ("type", c_char_p),
    )  # fmt: skip


class _Entry(ctypes.Structure):
    pass


_Entry._fields_ = (
    ("name", c_char_p), ("types", c_char_p * 3), ("function", c_void_p), ("parameters", POINTER(_Parameter)),
    ("count", c_int), ("keeps_lock", c_int), ("next", POINTER(_Entry)),
)  # fmt: skip


def _path(level: str) -> Path:
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
    return _FOLDER / f"kernels-{system}-{platform.machine().lower()}-{level}{suffix}"


def _opened(level: str) -> ctypes.CDLL:
    path = _path(level)
    if not path.is_file():
        have = ", ".join(sorted(file.name for file in _FOLDER.glob("kernels-*"))) or "none"
        raise ImportError(
            f"The compiled kernels {path.name} are not there (found: {have}). In a checkout, run make; "
            "otherwise install a wheel for this platform."
        )
    return ctypes.CDLL(str(path))


@cache
def level() -> str:
    """Which library is used: "v1", "v3" or "v4" of x86-64, or "v8" of arm64."""
    first = "v1" if platform.machine().lower() in ("x86_64", "amd64") else "v8"
    wanted = os.environ.get(LEVEL)
    if wanted:
        return wanted
    highest = _opened(first).dali_studio_level()
    return next((name for name in ("v4", "v3") if int(name[1:]) <= highest and _path(name).is_file()), first)


@cache
def _entries() -> dict[tuple[str, ...], Any]:
    library = _opened(level())
    first = library.dali_studio_kernels
    first.argtypes, first.restype = (c_int64, py_object), POINTER(_Entry)
    entry = first(object.__basicsize__, np.ndarray)
    probe = np.zeros((2, 6), np.float32)[:, ::2]
    reads = library.dali_studio_reads
    reads.argtypes = (py_object, *(c_int64,) * 5)
    if not reads(probe, probe.ctypes.data, 2, 3, 6, 2):
        raise ImportError(f"numpy {np.__version__} lays out its arrays in a way that the compiled kernels do not know.")
    found: dict[tuple[str, ...], Any] = {}
    while entry:
        one = entry.contents
        found[(one.name.decode(), *(text.decode() for text in one.types if text))] = one
        entry = one.next
    return found


class _Memory(threading.local):
    def __init__(self) -> None:
        self.bytes = np.empty(0, np.uint8)


_memory = _Memory()
_KEPT = 1 << 24


def scratch(size: int = 0) -> np.ndarray[Any, Any]:
    """Memory of this thread for one call of a kernel: `size` bytes or more, without contents.

    What was asked for before is kept, up to 16 MiB.
    """
    if size > _KEPT:
        return np.empty(size, np.uint8)
    if size > _memory.bytes.size:
        _memory.bytes = np.empty(min(2 * size, _KEPT), np.uint8)
    return _memory.bytes


_KINDS: dict[bytes, Any] = {b"o": py_object, b"i": c_int64, b"d": c_double}


@cache
def kernel(name: str, *dtypes: np.dtype[Any]) -> Callable[..., int]:
    """A compiled kernel.

    Parameters
    ----------
    name : str
        Of the function in the C++ source.
    dtypes : dtype
        The element types that it is compiled for, inputs first.

    Returns
    -------
    callable
        Takes numpy arrays and numbers, and returns an integer, 0 where the C++ function returns nothing.

    Raises
    ------
    TypeError
        When it is not compiled for these types; by the callable, when an array is not what the kernel takes.
    """
    entry = _entries().get((name, *(dtype.name for dtype in dtypes)))
    if entry is None:
        have = sorted(", ".join(key[1:]) for key in _entries() if key[0] == name)
        given = ", ".join(dtype.name for dtype in dtypes)
        raise TypeError(f"{name}: arrays of {given} are not accepted. Convert to one of: {'; '.join(have) or 'none'}.")
    arguments = [_KINDS[entry.parameters[i].kind] for i in range(entry.count)]
    make = ctypes.PYFUNCTYPE if entry.keeps_lock else ctypes.CFUNCTYPE
    function = make(c_int64, *arguments)(entry.function)

    def call(*given: Any) -> int:
        result = function(*given)
        if result < _REFUSED + 0x10000:
            plain = [np.asarray(one).view(np.ndarray) if isinstance(one, np.ndarray) else one for one in given]
            if any(type(one) is not type(other) for one, other in zip(given, plain, strict=True)):
                return call(*plain)  # arrays of a class that inherits from numpy's
            raise TypeError(_refusal(name, entry, result - _REFUSED, given))
        return result

    call.__name__ = name
    return call


def _refusal(name: str, entry: Any, code: int, given: tuple[Any, ...]) -> str:
    position, problem = divmod(code, _PROBLEMS)
    parameter, array = entry.parameters[position - 1], given[position - 1]
    wanted = f"{'a writable' if parameter.writable else 'an'} array of {parameter.type.decode()}"
    wanted += f" with {ord(parameter.axes)} axes{' in C order without gaps' if parameter.dense else ''}"
    if not isinstance(array, np.ndarray):
        return f"{name}: argument {position} must be {wanted}, not {type(array).__name__}."
    flaws = ("", "not numpy.ndarray itself", "its type", "its axes", "read-only", "not aligned", "with gaps")
    return (
        f"{name}: argument {position} must be {wanted}; given is one of {array.dtype} and shape {array.shape} "
        f"({flaws[problem]})."
    )
