"""NVIDIA's library for JPEG files, nvJPEG: finding it, and its functions through ctypes.

Calls release the GIL, except those of `set_windows`, which are so short that giving it up would cost more.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Sequence
from ctypes import POINTER, byref, c_int, c_uint, c_void_p
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cuda.device import Unavailable

#: Where the wheels of each major version of CUDA put the library, below the folder of the package ``nvidia``.
_IN_WHEELS = {13: "cu13/lib/libnvjpeg.so.13", 12: "nvjpeg/lib/libnvjpeg.so.12"}
#: Names of pixel formats that `Library` takes, and nvJPEG's numbers: interleaved colours, or the luma plane.
FORMATS = {"RGB": 5, "BGR": 6, "GRAY": 2}
_HARDWARE = 3
_STATUS = {
    1: "not initialised", 2: "invalid parameter", 3: "bad JPEG", 4: "JPEG not supported", 5: "allocator failure",
    6: "execution failed", 7: "architecture mismatch", 8: "internal error", 9: "not supported here",
    10: "incomplete bitstream",
}  # fmt: skip


class NvjpegError(RuntimeError):
    """A function of nvJPEG failed: its name, the status and what the status means."""

    def __init__(self, function: str, status: int) -> None:
        super().__init__(f"{function}: {_STATUS.get(status, 'unknown')} (status {status})")
        self.status = status


def places(cuda: int) -> list[str]:
    """Files and names to try, the one that fits major version `cuda` of CUDA first."""
    spec = importlib.util.find_spec("nvidia")
    folders = [Path(folder) for folder in (spec.submodule_search_locations if spec else None) or ()]
    found: list[str] = []
    for major in sorted(_IN_WHEELS, key=lambda number: number != cuda):
        found += [str(folder / _IN_WHEELS[major]) for folder in folders if (folder / _IN_WHEELS[major]).is_file()]
        found.append(f"libnvjpeg.so.{major}")
    return found


def load(cuda: int) -> Library | Unavailable:
    """The first library that loads, for the major version `cuda` of CUDA; or what to install."""
    for place in places(cuda):
        try:
            return Library(place)
        except (OSError, AttributeError):  # not there, or too old to have all functions
            continue
    package = "nvidia-nvjpeg-cu12" if cuda == 12 else "nvidia-nvjpeg"
    return Unavailable("nvJPEG, through which GPUs decode JPEG, is not installed", f"Run: pip install {package}")


class Library:
    """The functions of nvJPEG that the hardware decoder needs.

    Parameters
    ----------
    place : str
        File, or name for the system's loader.

    Raises
    ------
    OSError
        If it cannot be loaded.
    AttributeError
        If a function is missing.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self._library = library = ctypes.CDLL(place)
        self._set_window = ctypes.PyDLL(place).nvjpegDecodeParamsSetROI
        self._set_window.argtypes = [c_void_p, c_int, c_int, c_int, c_int]
        for name, kinds in {
            "nvjpegGetProperty": [c_int, POINTER(c_int)],
            "nvjpegCreateEx": [c_int, c_void_p, c_void_p, c_uint, POINTER(c_void_p)],
            "nvjpegDestroy": [c_void_p],
            "nvjpegGetHardwareDecoderInfo": [c_void_p, POINTER(c_uint), POINTER(c_uint)],
            "nvjpegJpegStateCreate": [c_void_p, POINTER(c_void_p)],
            "nvjpegJpegStateDestroy": [c_void_p],
            "nvjpegDecodeParamsCreate": [c_void_p, POINTER(c_void_p)],
            "nvjpegDecodeParamsSetOutputFormat": [c_void_p, c_int],
            "nvjpegDecodeParamsDestroy": [c_void_p],
            "nvjpegDecodeBatchedInitialize": [c_void_p, c_void_p, c_int, c_int, c_int],
            "nvjpegDecodeBatched": [c_void_p] * 6,
            "nvjpegDecodeBatchedEx": [c_void_p] * 7,
        }.items():
            getattr(library, name).argtypes = kinds

    @property
    def version(self) -> str:
        """Like "13.3.2"."""
        numbers = [c_int() for _ in range(3)]
        for which, number in enumerate(numbers):
            self._call("nvjpegGetProperty", which, byref(number))
        return ".".join(str(number.value) for number in numbers)

    def open(self) -> int:
        """A handle for the hardware decoder of the current device.

        Raises
        ------
        NvjpegError
            If this GPU has none.
        """
        return self._made("nvjpegCreateEx", _HARDWARE, None, None, 0)

    def close(self, handle: int) -> None:
        """Give a handle back."""
        self._call("nvjpegDestroy", handle)

    def engines(self, handle: int) -> int:
        """How many decoding units the hardware has."""
        count, cores = c_uint(), c_uint()
        self._call("nvjpegGetHardwareDecoderInfo", handle, byref(count), byref(cores))
        return count.value

    def make_state(self, handle: int) -> int:
        """Buffers for batches; this takes a tenth of a second."""
        return self._made("nvjpegJpegStateCreate", handle)

    def drop_state(self, state: int) -> None:
        """Give a state back."""
        self._call("nvjpegJpegStateDestroy", state)

    def prepare(self, handle: int, state: int, count: int, pixels: str) -> None:
        """Tell a state the size and the pixel format of the next batches; this takes some microseconds."""
        self._call("nvjpegDecodeBatchedInitialize", handle, state, count, 1, FORMATS[pixels])

    def make_window(self, handle: int, pixels: str) -> int:
        """Parameters of one picture, for `set_windows`, with their pixel format."""
        made = self._made("nvjpegDecodeParamsCreate", handle)
        self._call("nvjpegDecodeParamsSetOutputFormat", made, FORMATS[pixels])
        return made

    def set_windows(self, parameters: Sequence[int], windows: NDArray[np.int64]) -> None:
        """Which part of each picture to decode: (N, 4) first rows, first columns, heights, widths."""
        set_window = self._set_window
        for one, (y, x, h, w) in zip(parameters, windows.tolist(), strict=False):
            status = set_window(one, x, y, w, h)
            if status:
                raise NvjpegError("nvjpegDecodeParamsSetROI", status)

    def drop_window(self, parameters: int) -> None:
        """Give parameters back."""
        self._call("nvjpegDecodeParamsDestroy", parameters)

    def decode(
        self, handle: int, state: int, pointers: NDArray[np.uint64], lengths: NDArray[np.uint64],
        destinations: NDArray[np.uint64], windows: NDArray[np.int64] | None, stream: int,
    ) -> int:  # fmt: skip
        """Decode a batch of the size that `prepare` was told.

        Most of the work is done when this returns; what is left is enqueued on `stream`.

        Parameters
        ----------
        pointers, lengths
            (N,): addresses and sizes of the files.
        destinations
            (N, 8): addresses of four planes and their pitches, of which interleaved pixels need the first.
        windows
            (N,): from `make_window`; ``None`` decodes whole pictures.

        Returns
        -------
        int
            0, or a status: then no picture of the batch is to be trusted.
        """
        given = (handle, state, pointers.ctypes.data, lengths.ctypes.data, destinations.ctypes.data)
        if windows is None:
            return int(self._library.nvjpegDecodeBatched(*given, stream))
        return int(self._library.nvjpegDecodeBatchedEx(*given, windows.ctypes.data, stream))

    def _made(self, function: str, *arguments: object) -> int:
        made = c_void_p()
        self._call(function, *arguments, byref(made))
        return int(made.value or 0)

    def _call(self, function: str, *arguments: object) -> None:
        status = getattr(self._library, function)(*arguments)
        if status:
            raise NvjpegError(function, status)
