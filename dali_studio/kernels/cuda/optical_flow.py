"""Motion between pictures, by the optical flow hardware of NVIDIA's GPUs, through a library of their driver."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_char, c_int, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dali_studio.kernels.cuda import sources
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.stream import THREADS

#: Names of the library; the first is what drivers bring.
_LIBRARIES = ("libnvidia-opticalflow.so.1", "libnvidia-opticalflow.so")
#: 2.0 of the interface, as major << 4 | minor: the first that tells the sizes of pictures it takes.
_INTERFACE = 2 << 4
#: What calls return, where it is not 0.
_STATUS = (
    "", "there is no optical flow hardware", "the GPU has no optical flow hardware", "the GPU is not there any more",
    "a pointer is not valid", "a parameter is not valid", "calls are in a wrong order",
    "the driver does not know version 2.0 of the interface", "memory is exhausted", "the session is not initialised",
    "a feature is not supported",
)  # fmt: skip
_GREY, _COLOR, _VECTORS = 1, 3, 5
_PICTURE, _FLOW, _HINTS = 1, 2, 3
_FUNCTIONS = (
    "create", "init", "new_buffer", "array_of", "pointer_of", "strides_of", "set_streams", "execute", "free_buffer",
    "destroy", "last_error", "capability",
)  # fmt: skip
#: Numbers of capabilities: grids of vectors and hints, least and largest width and height.
_GRIDS, _HINT_GRIDS, _WIDTHS, _HEIGHTS = 0, 1, (4, 6), (5, 7)


class FlowError(RuntimeError):
    """The hardware cannot be used in this way.

    Attributes
    ----------
    argument : str
        The field of `FlowSettings` that it refuses; ``"picture"`` for a size of pictures.
    """

    def __init__(self, message: str, argument: str = "") -> None:
        super().__init__(message)
        self.argument = argument


class NoFlowError(FlowError):
    """There is no such hardware, or no library that drives it."""


class _Table(ctypes.Structure):
    _fields_ = tuple((name, c_void_p) for name in _FUNCTIONS)


class _Settings(ctypes.Structure):
    _fields_ = (
        *((name, c_uint32) for name in ("width", "height", "grid", "hint_grid", "mode", "level", "hints", "cost")),
        ("reserved", c_void_p), ("disparity_range", c_uint32), ("regions", c_uint32),
    )  # fmt: skip


class _Description(ctypes.Structure):
    _fields_ = tuple((name, c_uint32) for name in ("width", "height", "usage", "format"))


class _Strides(ctypes.Structure):
    _fields_ = (("of_planes", (c_uint32 * 2) * 3), ("planes", c_uint32))


class _Given(ctypes.Structure):
    _fields_ = (
        *((name, c_void_p) for name in ("picture", "reference", "hints")), ("alone", c_uint32), ("padding", c_uint32),
        ("reserved", c_void_p), ("more_padding", c_uint32), ("regions", c_uint32), ("of_regions", c_void_p),
    )  # fmt: skip


class _Made(ctypes.Structure):
    # version 2.0 has the first three; later ones read the rest if they were asked for more
    _fields_ = tuple(
        (name, c_void_p) for name in ("vectors", "cost", "reserved", "backward", "backward_cost", "of_picture")
    )


#: Arguments of the functions that are called; all return a status, but for `pointer_of`.
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "create": (c_void_p, POINTER(c_void_p)), "init": (c_void_p, POINTER(_Settings)),
    "new_buffer": (c_void_p, POINTER(_Description), c_int, POINTER(c_void_p)), "pointer_of": (c_void_p,),
    "strides_of": (c_void_p, POINTER(_Strides)), "set_streams": (c_void_p, c_void_p, c_void_p),
    "execute": (c_void_p, POINTER(_Given), POINTER(_Made)), "free_buffer": (c_void_p,), "destroy": (c_void_p,),
    "last_error": (c_void_p, POINTER(c_char), POINTER(c_uint32)),
    "capability": (c_void_p, c_int, POINTER(c_uint32), POINTER(c_uint32)),
}  # fmt: skip


class FlowSettings(NamedTuple):
    """What a session is for.

    Attributes
    ----------
    grid, hint_grid : int
        Pixels from one vector, or hint, to the next.
    level : int
        5: slow and good, 10, or 20: fast.
    grey, blue_first : bool
        Pictures have one channel; or three, of which blue is the first.
    temporal : bool
        Begin the search where that of the pictures before ended.
    hinted : bool
        Begin it at vectors that are given.
    """

    grid: int
    hint_grid: int
    level: int
    grey: bool = False
    blue_first: bool = False
    temporal: bool = False
    hinted: bool = False


@cache
def _functions() -> dict[str, Callable[..., int]]:
    """The functions of the driver's library."""
    library, reasons = None, list[str]()
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            break
        except OSError as error:
            reasons.append(str(error))
    if library is None:
        raise NoFlowError(f"the driver's library {_LIBRARIES[0]} is not there ({reasons[0]})")
    table = _Table()
    library.NvOFAPICreateInstanceCuda.argtypes = c_uint32, POINTER(_Table)
    status = library.NvOFAPICreateInstanceCuda(_INTERFACE, byref(table))
    if status:
        raise NoFlowError(_words(status))
    made: dict[str, Callable[..., int]] = {}
    for name, arguments in _ARGUMENTS.items():
        kind = ctypes.CFUNCTYPE(c_uint64 if name == "pointer_of" else c_int, *arguments)
        made[name] = kind(getattr(table, name))
    return made


def _context() -> int:
    runtime = cupy().cuda.runtime
    runtime.free(0)  # makes the device's context the thread's
    return int(cupy().cuda.driver.ctxGetCurrent())


def _words(status: int) -> str:
    return _STATUS[status] if 0 < status < len(_STATUS) else f"the driver's error {status}"


class _Buffer(NamedTuple):
    handle: c_void_p
    address: int
    pitch: int


class FlowSession:
    """The hardware, set up for pictures of one size on the device that is CuPy's current one.

    Parameters
    ----------
    settings : FlowSettings
    height, width : int
    device_id : int
        That device.

    Raises
    ------
    FlowError
    """

    def __init__(self, settings: FlowSettings, height: int, width: int, device_id: int) -> None:
        self.settings, self.height, self.width, self._device_id = settings, height, width, device_id
        self._functions = _functions()
        self._handle, self._is_ready, self._buffers = c_void_p(), False, list[_Buffer]()
        status = self._functions["create"](_context(), byref(self._handle))
        if status:
            raise NoFlowError(_words(status))
        try:
            self._begin()
        except Exception:
            self.close()
            raise

    def _begin(self) -> None:
        settings, height, width = self.settings, self.height, self.width
        self._check()
        self._call(
            "init", self._handle,
            byref(_Settings(width, height, settings.grid, settings.hint_grid if settings.hinted else 0, 1,
                            settings.level, settings.hinted)),
        )  # fmt: skip
        self._is_ready = True
        pictures = _GREY if settings.grey else _COLOR
        self._pictures = [self._buffer(height, width, 1, _PICTURE, pictures) for _ in range(2)]
        self._vectors = self._buffer(height, width, settings.grid, _FLOW, _VECTORS)
        self._hints = self._buffer(height, width, settings.hint_grid, _HINTS, _VECTORS) if settings.hinted else None

    def _check(self) -> None:
        """Refuse what the hardware does not take."""
        grids = [("grid", _GRIDS), ("hint_grid", _HINT_GRIDS)] if self.settings.hinted else [("grid", _GRIDS)]
        for name, number in grids:
            given, offered = getattr(self.settings, name), self._capability(number)
            if given not in offered:
                message = f"the GPU's hardware offers grids of {', '.join(map(str, offered))}; {given} is given"
                raise FlowError(message, name)
        for what, (least, largest), given in (("high", _HEIGHTS, self.height), ("wide", _WIDTHS, self.width)):
            low, high = self._capability(least)[0], self._capability(largest)[0]
            if not low <= given <= high:
                message = f"the GPU's hardware takes frames that are {low} to {high} pixels {what}; these are {given}"
                raise FlowError(message, "picture")

    def _capability(self, number: int) -> list[int]:
        size = c_uint32()
        self._call("capability", self._handle, number, None, byref(size))
        values = (c_uint32 * size.value)()
        self._call("capability", self._handle, number, values, byref(size))
        return [int(value) for value in values]

    def _buffer(self, height: int, width: int, grid: int, usage: int, kind: int) -> _Buffer:
        wanted = _Description(-(-width // grid), -(-height // grid), usage, kind)
        handle, strides = c_void_p(), _Strides()
        self._call("new_buffer", self._handle, byref(wanted), 2, byref(handle))  # 2: an address, not an array
        self._call("strides_of", handle, byref(strides))
        made = _Buffer(handle, self._functions["pointer_of"](handle), int(strides.of_planes[0][0]))
        self._buffers.append(made)
        return made

    def _call(self, name: str, *arguments: Any) -> None:
        status = self._functions[name](*arguments)
        if status:
            raise FlowError(_words(status) + self._details())

    def _details(self) -> str:
        """What the library has to add to a status."""
        if not self._handle:
            return ""
        text, size = ctypes.create_string_buffer(512), c_uint32(512)
        self._functions["last_error"](self._handle, text, byref(size))
        said = text.value.decode(errors="replace").strip()
        return f" ({said})" if said else ""

    def run(self, frames: int, count: int, out: int, hints: int | None) -> None:
        """Enqueue the search between each frame and the one before it, on CuPy's current stream.

        Parameters
        ----------
        frames : int
            Address of `count` pictures, uint8.
        out : int
            Address of `count` - 1 fields of vectors, float32 (height, width, 2) in units of the grid.
        hints : int or None
            Address of as many fields in units of the grid of hints.
        """
        stream = cupy().cuda.get_current_stream().ptr
        self._call("set_streams", self._handle, stream, stream)
        channels = 1 if self.settings.grey else 3
        step, (rows, columns) = self.height * self.width * channels, self._field(self.settings.grid)
        hint_rows, hint_columns = self._field(self.settings.hint_grid)
        for frame in range(count):
            target = self._pictures[frame % 2]
            _launch(
                "to_buffer", self.width, self.height, np.uint64(frames + frame * step), np.uint64(target.address),
                np.int64(self.width), np.int64(target.pitch), np.int64(self.settings.blue_first), channels=channels,
            )  # fmt: skip
            if not frame:
                continue
            before = frame - 1
            if self._hints is not None and hints is not None:
                _launch(
                    "to_fixed", 2 * hint_columns, hint_rows, np.uint64(hints + before * hint_rows * hint_columns * 8),
                    np.uint64(self._hints.address), np.int64(2 * hint_columns), np.int64(self._hints.pitch),
                )  # fmt: skip
            given = _Given(
                target.handle, self._pictures[before % 2].handle, self._hints and self._hints.handle,
                not self.settings.temporal,
            )  # fmt: skip
            self._call("execute", self._handle, byref(given), byref(_Made(self._vectors.handle)))
            _launch(
                "from_fixed", 2 * columns, rows, np.uint64(self._vectors.address),
                np.uint64(out + before * rows * columns * 8), np.int64(2 * columns), np.int64(self._vectors.pitch),
            )  # fmt: skip

    def _field(self, grid: int) -> tuple[int, int]:
        return -(-self.height // grid), -(-self.width // grid)

    def close(self) -> None:
        """Give back what the session holds, after the work that was enqueued."""
        if not self._handle:
            return
        with cupy().cuda.Device(self._device_id) as device:
            device.synchronize()
            for buffer in self._buffers:
                self._functions["free_buffer"](buffer.handle)
            if not self._is_ready:  # the library ends only sessions that have begun
                low = [self._capability(least)[0] for least, _ in (_WIDTHS, _HEIGHTS)]
                self._functions["init"](self._handle, byref(_Settings(*low, self._capability(_GRIDS)[0], 0, 1, 5)))
            self._functions["destroy"](self._handle)
        self._handle, self._buffers = c_void_p(), []


def describe() -> str:
    """Whether the driver brings what drives the hardware."""
    try:
        _functions()
    except NoFlowError as error:
        return f"not there: {error}"
    return "by the driver's library; the first batch shows whether the GPU has the hardware"


def _launch(name: str, width: int, height: int, *arguments: Any, channels: int = 0) -> None:
    _kernel(name, channels)((-(-width // THREADS), height), (THREADS,), arguments)


@cache
def _kernel(name: str, channels: int) -> Any:
    # those without channels do not read the macro
    return sources.compiled(sources.source("optical_flow"), name, sources.options({"CHANNELS": channels or 1}))
