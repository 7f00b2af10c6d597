"""The GPU's own JPEG decoder, through nvJPEG: batches of files to pixels in device memory.

Its pixels are, to the last bit, those of libjpeg-turbo with repeated instead of interpolated chroma samples
(`jpeg.decode` with ``fast_upsampling``), for the files that `takes` lets pass. So the pictures of a batch may be shared
between this decoder and the CPU's in any way.

The hardware has hung when batches were enqueued without waiting between them, hence at most one is in flight. nvJPEG
does most of its work inside the call, so a thread of the decoder's own makes it: who waits for that thread can give up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.rows import addresses_of, shapes_of
from dali_studio.kernels.cpu.image_info import ImageInfo
from dali_studio.kernels.cpu.jpeg_facts import have_ends
from dali_studio.kernels.cuda import nvjpeg_library
from dali_studio.kernels.cuda.device import Missing, cupy, missing
from dali_studio.kernels.cuda.nvjpeg_library import Library, NvjpegError

#: Pixels of a side; beyond it the hardware refuses.
LARGEST_SIDE = 16384
_SAMPLINGS = ("4:4:4", "4:2:2", "4:2:0", "4:4:0")
#: Seconds that a batch may take before it counts as stalled, and bytes that add another: a hundredth of the speed.
_PATIENCE, _PATIENCE_BYTES = 5.0, 20e6


class HardwareStalledError(RuntimeError):
    """The hardware did not finish a batch in time. The decoder cannot be used any more, nor its targets' memory."""


def takes(info: ImageInfo) -> bool:
    """Whether the hardware decodes such a file, with the CPU's pixels; the measurements are in docs/gpu_decoding.md."""
    if info.format != "jpeg" or info.kind != "baseline" or info.bit_depth != 8 or not info.single_scan:
        return False
    if info.wide_tables or max(info.height, info.width) > LARGEST_SIDE:
        return False
    if info.colors == "gray":  # with other factors, which mean nothing for a single component, it reads wrong blocks
        return info.sampling == ((1, 1),)
    # RGB is taken for YCbCr, and chroma planes of different sizes are refused
    return info.colors == "ycc" and info.subsampling in _SAMPLINGS and info.sampling[1] == info.sampling[2]


def open_decoder(device_id: int = 0) -> HardwareDecoder | Missing:
    """The decoder of a GPU, or what is missing. Opening it takes about a second."""
    absent = missing(device_id)
    if absent is not None:
        return absent
    library = nvjpeg_library.load(int(cupy().cuda.runtime.runtimeGetVersion()) // 1000)
    if isinstance(library, Missing):
        return library
    try:
        return HardwareDecoder(library, device_id)
    except NvjpegError as error:
        return Missing(
            f"GPU {device_id} offers no JPEG hardware to nvJPEG {library.version} ({error})",
            "Nothing needs to be done: JPEG is decoded on the CPU. A100, H100, H200 and newer have the hardware",
        )


@dataclass(slots=True, eq=False)
class Batch:
    """Files on their way through a decoder: what `HardwareDecoder.submit` returns.

    Attributes
    ----------
    files
        Kept alive until they are decoded.
    trusted
        bool, (N,): which pictures are there. Complete after `HardwareDecoder.wait`.
    milliseconds
        How long the hardware was busy with them.
    """

    files: Sequence[NDArray[np.uint8]]
    pointers: NDArray[np.uint64]
    lengths: NDArray[np.uint64]
    destinations: NDArray[np.uint64]
    windows: NDArray[np.int64] | None
    output: str
    after: Any
    trusted: NDArray[np.bool_]
    error: BaseException | None = None
    milliseconds: float = 0.0
    underway: threading.Lock = field(default_factory=threading.Lock)


class HardwareDecoder:
    """The JPEG hardware of one GPU; use `open_decoder`. One thread at a time may call it.

    Parameters
    ----------
    library : Library
    device_id : int

    Attributes
    ----------
    version : str
        Of nvJPEG.
    engines : int
        Decoding units.
    stalled : bool
        The hardware did not answer; every further call raises.

    Raises
    ------
    NvjpegError
        If the GPU has no such hardware.
    """

    takes = staticmethod(takes)

    def __init__(self, library: Library, device_id: int) -> None:
        self._library, self.version = library, library.version
        self._device = cupy().cuda.Device(device_id)
        self._handle = self._state = 0
        self._prepared: tuple[int, str] | None = None
        self._windows: dict[str, list[int]] = {}
        with self._device:
            self._stream = cupy().cuda.Stream(non_blocking=True)
            self._handle = library.open()
            self._state = library.make_state(self._handle)
            self.engines = library.engines(self._handle)
        self.stalled = False
        self._begun: float | None = None  # when the hardware got what it is at
        self._queue: SimpleQueue[Batch | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=f"nvjpeg-{device_id}", daemon=True)
        self._thread.start()

    def decode(
        self, files: Sequence[NDArray[np.uint8]], targets: NDArray[np.uint64], pitches: NDArray[np.int64],
        output: str = "RGB", *, windows: NDArray[np.int64] | None = None, after: Any = None,
        patience: float | None = None,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Decode a batch, and wait for its pixels without holding the GIL. See `submit` and `wait`."""
        return self.wait(self.submit(files, targets, pitches, output, windows=windows, after=after), patience)

    def submit(
        self, files: Sequence[NDArray[np.uint8]], targets: NDArray[np.uint64], pitches: NDArray[np.int64],
        output: str = "RGB", *, windows: NDArray[np.int64] | None = None, after: Any = None,
    ) -> Batch:  # fmt: skip
        """Hand over a batch, which is decoded after the one before.

        The hardware keeps no order with the work of any stream: it writes its targets at once, even while kernels that
        were enqueued earlier still read them. So the memory must be free, or `after` say when it is.

        Parameters
        ----------
        files : sequence of ndarray of uint8
            Whole JPEG files, each contiguous in memory, whose headers `takes` lets pass.
        targets : ndarray of uint64, (N,)
            Device addresses of the first pixels, of any alignment.
        pitches : ndarray of int, (N,)
            Bytes from row to row.
        output : {"RGB", "BGR", "GRAY"}
            Interleaved colours (grey files give three equal ones), or the luma plane.
        windows : ndarray of int, (N, 4), optional
            First row, first column, height and width, inside the stored pictures; default: whole pictures.
        after : cupy.cuda.Event, optional
            The decoder waits until it has happened.

        Raises
        ------
        HardwareStalledError
            If an earlier batch stalled.
        """
        if self.stalled:
            raise HardwareStalledError(_GONE)
        whole = have_ends(files)
        pointers, lengths = addresses_of(files).astype(np.uint64), shapes_of(files)[:, 0].astype(np.uint64)
        destinations = np.zeros((len(files), 8), np.uint64)
        destinations[:, 0] = targets
        destinations[:, 4] = pitches
        batch = Batch(files, pointers, lengths, destinations, windows, output, after, whole)
        batch.underway.acquire()
        self._queue.put(batch)
        return batch

    def wait(self, batch: Batch, patience: float | None = None) -> NDArray[np.bool_]:
        """Wait for a batch.

        Parameters
        ----------
        patience : float, optional
            Seconds in the hardware until it counts as stalled; default: five, and more for large files.

        Returns
        -------
        ndarray of bool, (N,)
            Which pictures are there. The others have no end marker or are refused by nvJPEG: the CPU's decoder has to
            decode them, or say what is wrong. An error inside the compressed data is not noticed by the hardware.

        Raises
        ------
        HardwareStalledError
            If the batch did not finish in time.
        """
        limit = _PATIENCE + float(batch.lengths.sum()) / _PATIENCE_BYTES if patience is None else patience
        left = limit
        while not batch.underway.acquire(timeout=max(left, 0.001)):
            begun = self._begun
            left = limit if begun is None else begun + limit - time.monotonic()
            if left <= 0 or self.stalled:
                self.stalled = True
                raise HardwareStalledError(_GONE)
        batch.underway.release()
        if batch.error is not None:
            raise batch.error
        return batch.trusted

    def close(self) -> None:
        """Give everything back, save after a stall: what hangs cannot be freed."""
        if not self.stalled and self._handle:
            self._queue.put(None)
            self._thread.join()
            for parameters in self._windows.values():
                for parameter in parameters:
                    self._library.drop_window(parameter)
            self._library.drop_state(self._state)
            self._library.close(self._handle)
            self._handle = 0

    def _serve(self) -> None:
        self._device.use()
        while (batch := self._queue.get()) is not None:
            begin = time.monotonic()
            try:
                if batch.after is not None:
                    batch.after.synchronize()
                self._begun = begin = time.monotonic()
                self._run(batch, np.flatnonzero(batch.trusted))
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                batch.error = error
            self._begun = None
            batch.milliseconds = (time.monotonic() - begin) * 1e3
            batch.underway.release()
            del batch  # its files may go while the thread waits for the next

    def _run(self, batch: Batch, which: NDArray[np.int64]) -> None:
        """Decode some pictures of a batch; when that fails, the halves, until it is known which ones are to blame."""
        if not len(which):
            return
        if self._prepared != (len(which), batch.output):
            self._library.prepare(self._handle, self._state, len(which), batch.output)
            self._prepared = len(which), batch.output
        windows = None if batch.windows is None else self._set_windows(batch.windows[which], batch.output)
        status = self._library.decode(
            self._handle, self._state, batch.pointers[which], batch.lengths[which], batch.destinations[which],
            windows, int(self._stream.ptr),
        )  # fmt: skip
        self._stream.synchronize()
        if status and len(which) > 1:
            self._run(batch, which[: len(which) // 2])
            self._run(batch, which[len(which) // 2 :])
        elif status:
            batch.trusted[which] = False

    def _set_windows(self, windows: NDArray[np.int64], output: str) -> NDArray[np.uint64]:
        parameters = self._windows.setdefault(output, [])
        while len(parameters) < len(windows):
            parameters.append(self._library.make_window(self._handle, output))
        self._library.set_windows(parameters, windows)
        return np.array(parameters[: len(windows)], np.uint64)


_GONE = "the GPU's JPEG hardware did not finish a batch in time; it is not used any more, and the CPU decodes instead"
