"""In place of CuPy where there is no GPU: "device" memory is the host's, and kernels are compiled by the C++ compiler.

Everything is done at once, in the thread that asks for it. With this folder's parent in front of the import path, tests
of kernels and of the code around them run on any Linux machine (CONTRIBUTING.md). It says nothing about the
speed of a GPU, its hazards, its JPEG hardware, or CuPy itself.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import os
import re
import subprocess
import tempfile
import threading
import time
import types
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dali_studio.kernels import build

__version__ = "14 emulated"

_HEADER = Path(__file__).parents[1] / "cuda.h"
_FOLDER = Path(tempfile.gettempdir()) / f"dali-studio-emulation-{os.getuid()}"
#: Beside those of the kernels for the CPU, whose compiler it is. The sources take what they see for NVRTC.
_FLAGS = ("-O1", "-shared", "-fno-strict-aliasing", "-fvisibility=default", "-w", "-D__CUDACC_RTC__=1")
#: The GPU's own instructions in the sources, and what they are here.
_INSTRUCTIONS = (
    (r'asm volatile\("ld\.shared\.u32[^;]*;" : "=r"\((\w+)\) : "r"\((\w+)\), "n"\((\w+)\)\);', r"\1 = *(const u32*)(emulated_shared_base + \2 + \3);"),
    (r'asm\("cvt\.f32\.f16[^;]*;" : "=f"\((\w+)\) : "h"\(([\w.]+)\)\);', r"\1 = emulated_half_to_float(\2);"),
    (r"extern __shared__ float4 memory\[\];", ""),
)  # fmt: skip


class _Context:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Device(_Context):
    def __init__(self, device_id: int = 0) -> None:
        self.id = device_id

    def use(self) -> None:
        pass

    def synchronize(self) -> None:
        pass


class _Entered(threading.local):
    """Streams that are current in a thread, the last one above."""

    def __init__(self) -> None:
        self.streams: list[Stream] = []


class Stream(_Context):
    _made, _entered = itertools.count(16), _Entered()

    def __init__(self, **_: object) -> None:
        self.ptr = next(self._made)

    def __enter__(self) -> Any:
        self._entered.streams.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._entered.streams.pop()

    @classmethod
    def current(cls) -> Stream:
        """The stream that is current in this thread."""
        return cls._entered.streams[-1] if cls._entered.streams else cls.null

    def wait_event(self, event: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass


class ExternalStream(Stream):
    def __init__(self, ptr: int, device_id: int = -1) -> None:
        self.ptr = ptr


Stream.null = ExternalStream(0)


class Event:
    done = True

    def __init__(self, **_: object) -> None:
        pass

    def record(self, stream: Any = None) -> None:
        self.when = time.perf_counter()

    def synchronize(self) -> None:
        pass


class MemoryPointer:
    def __init__(self, ptr: int, mem: Any) -> None:
        self.ptr, self.mem, self.device, self.device_id = ptr, mem, Device(), 0

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.ptr + offset, self.mem)

    def copy_from_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        ctypes.memmove(self.ptr, _address(mem), size)

    copy_from_device_async = copy_from_host_async

    def copy_to_host_async(self, mem: Any, size: int, stream: Any = None) -> None:
        ctypes.memmove(_address(mem), self.ptr, size)


def _address(place: Any) -> int:
    return int(getattr(place, "ptr", getattr(place, "value", place)))


def _alloc(size: int) -> MemoryPointer:
    memory = np.zeros(size + 512, np.uint8)  # a GPU's memory has no end nearby: kernels may read some bytes more
    return MemoryPointer((memory.ctypes.data + 255) // 256 * 256, memory)


_numbers = itertools.count()


class OutOfMemoryError(MemoryError):
    pass


class MemoryPool:
    _limit = 0

    def __init__(self) -> None:
        self._pieces: dict[int, int] = {}  # bytes of each, by a number

    def malloc(self, size: int) -> MemoryPointer:
        """Memory; unlike CuPy's, the limit is one of each piece."""
        if 0 < self._limit < size:
            raise OutOfMemoryError(f"Out of memory allocating {size:,} bytes (limit set to: {self._limit:,} bytes).")
        made, number = _alloc(size), next(_numbers)
        self._pieces[number] = -(-size // 512) * 512  # as CuPy's pools round
        weakref.finalize(made.mem, self._pieces.pop, number)
        return made

    def set_limit(self, size: int = 0) -> None:
        self._limit = size

    def used_bytes(self) -> int:
        return sum(list(self._pieces.values()))

    total_bytes = used_bytes

    def free_all_blocks(self, stream: Any = None) -> None:
        pass


class RawKernel:
    """A kernel, compiled when it is made; libraries are kept in the system's folder for temporary files."""

    def __init__(self, code: str, name: str, options: Sequence[str] = ()) -> None:
        for pattern, text in _INSTRUCTIONS:
            code = re.sub(pattern, text, code)
        begin = 'extern "C" void launch(unsigned x, unsigned y, unsigned threads, void** given)'
        source = f'#include "{_HEADER}"\n{code}\n{begin} {{ emulated_launch_kernel({name}, x, y, threads, given); }}\n'
        macros = [option for option in options if option.startswith("-D")]
        key = hashlib.sha256("\0".join([_HEADER.read_text(), source, *macros]).encode()).hexdigest()[:24]
        library = _FOLDER / f"{name}-{key}.so"
        if not library.exists():
            _FOLDER.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=_FOLDER) as own:  # other threads may compile the same kernel
                text, made = Path(own, f"{name}.cpp"), Path(own, f"{name}.so")
                text.write_text(source)
                command = [build.compiler(), "c++", *build.FLAGS, *_FLAGS, *macros, str(text), "-o", str(made)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise RuntimeError(f"{name} cannot be compiled: {done.stderr[:2000]}")
                made.replace(library)
        self._launch = ctypes.PyDLL(str(library)).launch  # keeps Python's lock: a library has one block at a time

    def compile(self) -> None:
        pass

    def __call__(self, grid: Sequence[int], block: Sequence[int], args: Sequence[Any], shared_mem: int = 0) -> None:
        if any(isinstance(value, np.ndarray) and value.size != 1 for value in args):
            raise TypeError("CuPy hands over arrays of numpy of one element alone")
        values = [np.array([value]) for value in args]
        given = (ctypes.c_void_p * len(values))(*[value.ctypes.data for value in values])
        self._launch(*(*grid, 1)[:2], block[0], given)


class RawModule:
    """The kernels of one source."""

    def __init__(self, *, code: str, options: Sequence[str] = ()) -> None:
        self._code, self._options = code, options

    def compile(self) -> None:
        pass

    def get_function(self, name: str) -> RawKernel:
        return RawKernel(self._code, name, self._options)


class ndarray:  # noqa: N801 - CuPy's name
    """A contiguous array in "device" memory."""

    def __init__(self, shape: Sequence[int], dtype: Any, memptr: MemoryPointer) -> None:
        self.shape, self.dtype, self.data, self.device = tuple(shape), np.dtype(dtype), memptr, Device()
        self.ndim, self.size = len(self.shape), int(np.prod(self.shape))
        self.nbytes = self.size * self.dtype.itemsize
        self.flags = types.SimpleNamespace(c_contiguous=True)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.data.ptr, False), "version": 3}

    def get(self) -> Any:
        place = (ctypes.c_char * max(self.nbytes, 1)).from_address(self.data.ptr)
        return np.frombuffer(place, np.uint8, self.nbytes).view(self.dtype).reshape(self.shape).copy()


def asarray(data: Any) -> ndarray:
    if isinstance(data, ndarray):
        return data
    if hasattr(data, "__cuda_array_interface__"):
        told = data.__cuda_array_interface__
        return ndarray(told["shape"], told["typestr"], MemoryPointer(told["data"][0], data))
    whole = np.ascontiguousarray(data)
    memory = _alloc(whole.nbytes)
    memory.copy_from_host_async(ctypes.c_void_p(whole.ctypes.data), whole.nbytes)
    return ndarray(whole.shape, whole.dtype, memory)


def stack(arrays: Sequence[ndarray]) -> ndarray:
    return asarray(np.stack([array.get() for array in arrays]))


def asnumpy(array: ndarray) -> Any:
    return array.get()


def get_default_pinned_memory_pool() -> MemoryPool:
    return MemoryPool()


def _memcpy(target: int, source: int, size: int, kind: int, stream: int = 0) -> None:
    ctypes.memmove(int(target), int(source), int(size))


runtime = types.SimpleNamespace(
    getDeviceCount=lambda: 1, runtimeGetVersion=lambda: 13000, driverGetVersion=lambda: 13000,
    getDeviceProperties=lambda _: {"name": b"emulated", "totalGlobalMem": 1 << 34, "major": 9, "minor": 0, "sharedMemPerBlockOptin": 227 << 10},
    streamSynchronize=lambda _: None, memcpyAsync=_memcpy, memsetAsync=lambda place, value, size, stream: ctypes.memset(place, value, size), memcpyHostToDevice=1, memcpyDeviceToHost=2, memcpyDeviceToDevice=3,
)  # fmt: skip
cuda = types.SimpleNamespace(
    Device=Device, Stream=Stream, ExternalStream=ExternalStream, Event=Event, MemoryPool=MemoryPool, MemoryPointer=MemoryPointer, runtime=runtime,
    alloc=_alloc, alloc_pinned_memory=bytearray, get_current_stream=Stream.current, get_elapsed_time=lambda begin, end: 1e3 * (end.when - begin.when),
    nvrtc=types.SimpleNamespace(getVersion=lambda: (13, 0)),
)  # fmt: skip
