"""The compiled kernels: which library this processor takes, and how its functions are called.

A kernel is found by its name and the element types it is compiled for, and is a built-in function for Python, which
takes numpy arrays and numbers: a call lasts some 50 ns, where one through ctypes with ten arguments takes 2 us. It
reads the arrays' own objects (`arguments.hpp`), checks them, and then runs without Python's lock; kernels of a few
microseconds keep the lock, since to get it back from a busy thread takes longer than they run.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
from collections.abc import Callable, Iterator
from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_int64, c_void_p, cast, py_object, pythonapi
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

#: Another folder of libraries, such as those that sanitizers watch.
FOLDER = "DALI_STUDIO_KERNELS"
#: A level of x86-64 ("v1", "v3" or "v4") to be used in place of the highest that the processor has.
LEVEL = "DALI_STUDIO_CPU_LEVEL"


class _Parameter(ctypes.Structure):
    _fields_ = (
        ("kind", c_char), ("axes", c_char), ("writable", c_bool), ("dense", c_bool), ("type", c_char_p),
    )  # fmt: skip


class _Method(ctypes.Structure):
    _fields_ = (("name", c_char_p), ("call", c_void_p), ("flags", c_int), ("text", c_char_p))


class _Entry(ctypes.Structure):
    pass


_Entry._fields_ = (
    ("method", _Method), ("types", c_char_p * 3), ("parameters", POINTER(_Parameter)), ("count", c_int),
    ("keeps_lock", c_int), ("next", POINTER(_Entry)),
)  # fmt: skip

#: What `arguments.hpp` calls, in its order.
_PYTHON = (
    "PyLong_AsLongLong", "PyLong_AsUnsignedLongLongMask", "PyFloat_AsDouble", "PyLong_FromLongLong", "PyErr_Occurred",
    "PyErr_Clear", "PyEval_SaveThread", "PyEval_RestoreThread", "PyTuple_New", "PyTuple_SetItem", "Py_IncRef",
    "Py_DecRef", "PyObject_CallObject",
)  # fmt: skip
#: What is wrong with an argument, by its number there.
_PROBLEMS = (
    "", "not numpy.ndarray itself", "its type", "its axes", "read-only", "not aligned", "with gaps",
)  # fmt: skip
_NOT_AN_ARRAY, _WRONG_COUNT, _WRONG_SIZES = 1, 9, 10


def _folder() -> Path:
    return Path(os.environ.get(FOLDER) or Path(__file__).parent / "lib")


def path_of(level: str) -> Path:
    """The library for a level of processor, or "level", which tells the highest; it need not be there."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")
    suffix = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
    return _folder() / f"kernels-{system}-{platform.machine().lower()}-{level}{suffix}"


def _opened(level: str) -> ctypes.CDLL:
    path = path_of(level)
    if not path.is_file():
        have = ", ".join(sorted(file.name for file in _folder().glob("kernels-*"))) or "none"
        raise ImportError(
            f"The compiled kernels {path.name} are not there (found: {have}). In a checkout, run make; "
            "otherwise install a wheel for this platform."
        )
    return ctypes.CDLL(str(path))


@cache
def level() -> str:
    """Which library is used: "v1", "v3" or "v4" of x86-64, or "v8" of arm64."""
    wanted = os.environ.get(LEVEL)
    if wanted:
        return wanted
    highest = _opened("level").dali_studio_level()
    names = [f"v{number}" for number in (8, 4, 3, 1) if number <= highest]
    return next((name for name in names if path_of(name).is_file()), names[0])


@cache
def _library() -> tuple[Callable[[bytes], Any], Any]:
    """How an entry is found by its name and types, and the first of all entries."""
    library = _opened(level())
    begin, find, reads = library.dali_studio_begin, library.dali_studio_kernel, library.dali_studio_reads
    begin.argtypes, begin.restype = (c_int64, py_object, c_void_p), POINTER(_Entry)
    find.argtypes, find.restype = (c_char_p,), POINTER(_Entry)
    reads.argtypes = (py_object, *(c_int64,) * 5)
    functions = (c_void_p * len(_PYTHON))(*(cast(getattr(pythonapi, name), c_void_p).value for name in _PYTHON))
    first = begin(object.__basicsize__, np.ndarray, functions)
    probe = np.zeros((2, 6), np.float32)[:, ::2]
    if not reads(probe, probe.ctypes.data, 2, 3, 6, 2):
        raise ImportError(f"numpy {np.__version__} lays out its arrays in a way that the compiled kernels do not know.")
    return find, first


def _types_of(name: str) -> Iterator[tuple[str, ...]]:
    """The combinations of element types that a kernel is compiled for."""
    entry = _library()[1]
    while entry:
        if entry.contents.method.name.decode() == name:
            yield tuple(text.decode() for text in entry.contents.types if text)
        entry = entry.contents.next


class NotCompiledError(TypeError):
    """A kernel that the libraries do not have: its source is newer, or is not listed among the generated ones."""

    hint = "Run: make generated kernels"


def _aligned(size: int) -> np.ndarray[Any, Any]:
    """Memory that begins where kernels align their parts to, so that they need as much wherever it lies."""
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT
    return memory[begin : begin + size]


class _Memory(threading.local):
    def __init__(self) -> None:
        self.bytes = _aligned(_ALIGNMENT)


_ALIGNMENT = 64
_KEPT = 1 << 24
_memory = _Memory()


def scratch(size: int = 0) -> np.ndarray[Any, Any]:
    """Memory of this thread for one call of a kernel: `size` bytes or more, without contents.

    What was asked for before is kept, up to 16 MiB.
    """
    if size > _KEPT:
        return _aligned(size)
    if size > _memory.bytes.size:
        _memory.bytes = _aligned(min(2 * size, _KEPT))
    return _memory.bytes


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
    NotCompiledError
        When there is no kernel of this name.
    TypeError
        When it is not compiled for these types; by the callable, when an argument is not what the kernel takes. A
        callable that looks at the sizes of its arguments raises a ValueError when they do not fit each other.
    """
    found = _library()[0](" ".join((name, *(dtype.name for dtype in dtypes))).encode())
    if not found:
        given = ", ".join(dtype.name for dtype in dtypes)
        have = zip(*_types_of(name), strict=True)
        accepted = " and ".join(", ".join(sorted(set(types))) for types in have)
        if not accepted:
            raise NotCompiledError(f"The C++ kernel {name} is not compiled.")
        raise TypeError(f"{name}: arrays of {given} are not accepted. Convert to {accepted}.")
    entry = found.contents

    def refused(position: int, problem: int, *given: Any) -> int:
        if problem == _NOT_AN_ARRAY:
            plain: list[Any] = [one.view(np.ndarray) if isinstance(one, np.ndarray) else one for one in given]
            if any(type(one) is not type(other) for one, other in zip(given, plain, strict=True)):
                return function(*plain)  # arrays of a class that inherits from numpy's
        if problem == _WRONG_SIZES:
            sizes = ", ".join(str(getattr(one, "shape", one)) for one in given)
            raise ValueError(f"{name}: arrays of these shapes, and these numbers, do not fit each other: {sizes}.")
        raise TypeError(_refusal(name, entry, position, problem, given))

    make = pythonapi.PyCFunction_NewEx
    make.argtypes, make.restype = (c_void_p, py_object, c_void_p), py_object
    function: Callable[..., int] = make(ctypes.addressof(entry.method), refused, None)
    return function


def _refusal(name: str, entry: Any, position: int, problem: int, given: tuple[Any, ...]) -> str:
    if problem == _WRONG_COUNT:
        return f"{name}: {entry.count} arguments are needed, not {len(given)}."
    parameter, found = entry.parameters[position - 1], given[position - 1]
    if parameter.kind != b"o":
        wanted = {b"i": "an integer", b"d": "a number"}[parameter.kind]
        wrong = "one that is out of range" if hasattr(found, "__index__") else type(found).__name__
        return f"{name}: argument {position} must be {wanted}, not {wrong}."
    wanted = f"{'a writable' if parameter.writable else 'an'} array of {parameter.type.decode()}"
    wanted += f" with {ord(parameter.axes)} axes{' in C order without gaps' if parameter.dense else ''}"
    if not isinstance(found, np.ndarray):
        return f"{name}: argument {position} must be {wanted}, not {type(found).__name__}."
    return (
        f"{name}: argument {position} must be {wanted}; given is one of {found.dtype} and shape {found.shape} "
        f"({_PROBLEMS[problem]})."
    )
