"""The GPU's own JPEG decoder, through nvJPEG: batches of files to pixels in device memory.

Its pixels are, to the last bit, those of libjpeg-turbo with repeated instead of interpolated chroma samples
(`codec.decode` with ``fast_upsampling``), for the files that `gpu_rule.takes` lets pass. So the pictures of a batch
may be shared between this decoder and the CPU's in any way.

The hardware has hung when batches were enqueued without waiting between them, hence at most one is in flight. nvJPEG
does most of its work inside the call, so a thread of the decoder's own makes it: who waits for that thread can give up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.storage import addresses_of, shapes_of
from dali_studio.kernels.cuda.affinity import AwayFromInterrupts
from dali_studio.kernels.cuda.device import Unavailable, cupy, missing
from dali_studio.kernels.jpeg import libjpeg, nvjpeg_groups, nvjpeg_library
from dali_studio.kernels.jpeg.decode_queue import BY_HARDWARE
from dali_studio.kernels.jpeg.gpu_work import Batch, SubmittedGroup
from dali_studio.kernels.jpeg.header_cache import have_ends
from dali_studio.kernels.jpeg.nvjpeg_library import Library, NvjpegError

#: Pictures that the hardware takes from a queue at a time: more keep it busier, fewer leave less to wait for.
MAX_GROUP, MIN_GROUP = 256, 64
#: Seconds that a batch may take before it counts as stalled, and bytes that add another: a hundredth of the speed.
_TIMEOUT, _TIMEOUT_BYTES = 5.0, 20e6


class HardwareStalledError(RuntimeError):
    """The hardware did not finish a batch in time. The decoder cannot be used any more, nor its targets' memory."""


def open_decoder(device_id: int = 0) -> HardwareDecoder | Unavailable:
    """The decoder of a GPU, or what is missing. Opening it takes about a second."""
    absent = missing(device_id)
    if absent is not None:
        return absent
    library = nvjpeg_library.load(int(cupy().cuda.runtime.runtimeGetVersion()) // 1000)
    if isinstance(library, Unavailable):
        return library
    try:
        return HardwareDecoder(library, device_id)
    except NvjpegError as error:
        return Unavailable(
            f"GPU {device_id} offers no JPEG hardware to nvJPEG {library.version} ({error})",
            "Nothing needs to be done: kernels decode JPEG. A100, H100, H200 and newer have the hardware",
        )


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
    overlaps : bool
        Never; see `GpuDecoder`.

    Raises
    ------
    NvjpegError
        If the GPU has no such hardware.
    """

    overlaps = False

    def __init__(self, library: Library, device_id: int) -> None:
        self._library, self.version = library, library.version
        self._device = cupy().cuda.Device(device_id)
        self._handle = self._state = 0
        self._info = np.zeros(nvjpeg_groups.INFO, np.int64)
        self._tables = np.zeros(MAX_GROUP, np.int64), np.zeros(MAX_GROUP, np.int64), np.zeros((MAX_GROUP, 8), np.int64)
        self._windows: dict[str, list[int]] = {}
        with self._device:
            self._stream = cupy().cuda.Stream(non_blocking=True)
            self._handle = library.open()
            self._state = library.make_state(self._handle)
            self.engines = library.engines(self._handle)
        self._functions = nvjpeg_groups.functions(library.place)
        self._info[:] = self._handle, self._state, int(self._stream.ptr), -1, -1, MIN_GROUP, MAX_GROUP
        self.stalled = False
        self._queue: SimpleQueue[Batch | SubmittedGroup | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name=f"nvjpeg-{device_id}", daemon=True)
        self._thread.start()

    def decode(
        self, files: Sequence[NDArray[np.uint8]], targets: NDArray[np.uint64], pitches: NDArray[np.int64],
        output: str = "RGB", *, windows: NDArray[np.int64] | None = None, after: Any = None,
        timeout: float | None = None,
    ) -> NDArray[np.bool_]:  # fmt: skip
        """Decode a batch, and wait for its pixels without holding the GIL. See `submit` and `wait`."""
        return self.wait(self.submit(files, targets, pitches, output, windows=windows, after=after), timeout)

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
        whole = have_ends(files)
        pointers, lengths = addresses_of(files).astype(np.uint64), shapes_of(files)[:, 0].astype(np.uint64)
        destinations = np.zeros((len(files), 8), np.uint64)
        destinations[:, 0] = targets
        destinations[:, 4] = pitches
        batch = Batch(files, pointers, lengths, destinations, windows, output, after, whole)
        self._hand_over(batch)
        return batch

    def take_groups(
        self, queue: tuple[NDArray[np.int64], int], requests: NDArray[np.int64], places: NDArray[np.int64],
        outcomes: NDArray[np.int8], output: str = "RGB", *, files: Any = None, after: Any = None, whole: bool = False,
    ) -> SubmittedGroup:  # fmt: skip
        """Take groups of pictures from a queue that others take from, too, until nothing is left.

        Parameters
        ----------
        queue : (ndarray, int)
            See `decode_queue`.
        requests : ndarray of int64, (N, `libjpeg.FIELDS`)
            Of pictures whose headers `takes` lets pass, and which have an end marker.
        places : ndarray of int64, (N, 2)
            Device addresses of the first pixels, and bytes from row to row.
        outcomes : ndarray of int8, (N,)
            `decode_queue.BY_HARDWARE` is entered for what has been decoded. Other pictures are refused by nvJPEG.
        output, after
            As for `submit`.
        files
            Kept alive meanwhile.
        whole : bool
            Not looked at: nvJPEG copies files itself.

        Raises
        ------
        HardwareStalledError
            If an earlier batch stalled.
        """
        submitted = SubmittedGroup(*queue, requests, places, outcomes, files, output, after)
        self._hand_over(submitted)
        return submitted

    def _hand_over(self, work: Batch | SubmittedGroup) -> None:
        if self.stalled:
            raise HardwareStalledError(_STALLED)
        work.underway.acquire()
        self._queue.put(work)

    def wait(self, batch: Batch | SubmittedGroup, timeout: float | None = None) -> NDArray[np.bool_]:
        """Wait for a batch.

        Parameters
        ----------
        timeout : float, optional
            Seconds in the hardware until it counts as stalled; default: five, and more for large files.

        Returns
        -------
        ndarray of bool, (N,)
            Which pictures are there, by the hardware. The others have no end marker or are refused by nvJPEG: the CPU's
            decoder has to decode them, or say what is wrong. An error inside the compressed data is not noticed by the
            hardware.

        Raises
        ------
        HardwareStalledError
            If the batch did not finish in time.
        """
        limit = _TIMEOUT + batch.size / _TIMEOUT_BYTES if timeout is None else timeout
        left = limit
        while not batch.underway.acquire(timeout=max(left, 0.001)):
            begun = batch.begun
            left = limit if begun is None else begun + limit - time.monotonic()
            if left <= 0 or self.stalled:
                self.stalled = True
                raise HardwareStalledError(_STALLED)
        batch.underway.release()
        if batch.error is not None:
            raise batch.error
        return batch.trusted if isinstance(batch, Batch) else batch.outcomes == BY_HARDWARE

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
        place = AwayFromInterrupts()
        while (batch := self._queue.get()) is not None:
            try:
                if batch.after is not None:
                    batch.after.synchronize()
                if isinstance(batch, SubmittedGroup):
                    self._work_through(batch)
                else:
                    batch.begun = time.monotonic()
                    self._run(batch, np.flatnonzero(batch.trusted))
                    batch.milliseconds = (time.monotonic() - batch.begun) * 1e3
            except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
                batch.error = error
            batch.underway.release()
            place.look()
            del batch  # its files may go while the thread waits for the next

    def _work_through(self, submitted: SubmittedGroup) -> None:
        requests = submitted.requests
        sizes, windows = requests[:, [libjpeg.HEIGHT, libjpeg.WIDTH]], requests[:, [libjpeg.ROWS, libjpeg.COLUMNS]]
        whole = np.array_equal(sizes, windows)
        parameters = self._parameters(0 if whole else MAX_GROUP, submitted.output)
        self._set_format(submitted.output)
        while True:
            first, count = nvjpeg_groups.decode_groups(
                self._functions, (submitted.queues, submitted.which), self._info, requests, submitted.places,
                parameters, self._tables, submitted.outcomes, submitted.clock,
            )  # fmt: skip
            if not count:
                break
            self._sort_out(submitted, slice(first, first + count), whole=whole)
        submitted.milliseconds = float(submitted.clock[nvjpeg_groups.BUSY]) / 1e6

    def _sort_out(self, submitted: SubmittedGroup, rows: slice, *, whole: bool) -> None:
        """Decode a group that failed as a whole, but for those to blame."""
        requests, places = submitted.requests[rows], submitted.places[rows]
        destinations = np.zeros((len(requests), 8), np.uint64)
        destinations[:, [0, 4]] = places
        windows = None if whole else requests[:, libjpeg.FIRST_ROW : libjpeg.COLUMNS + 1]
        group = Batch(
            submitted.files, requests[:, libjpeg.DATA].astype(np.uint64), requests[:, libjpeg.SIZE].astype(np.uint64),
            destinations, windows, submitted.output, None, np.ones(len(requests), np.bool_),
        )  # fmt: skip
        submitted.clock[nvjpeg_groups.BEGUN] = time.monotonic_ns()
        self._run(group, np.arange(len(requests)))
        submitted.clock[nvjpeg_groups.BEGUN] = 0
        submitted.outcomes[rows][group.trusted] = BY_HARDWARE

    def _run(self, batch: Batch, which: NDArray[np.int64]) -> None:
        """Decode some pictures of a batch; when that fails, the halves, until it is known which ones are to blame."""
        if not len(which):
            return
        self._set_format(batch.output)
        if self._info[nvjpeg_groups.PREPARED] != len(which):
            self._library.prepare(self._handle, self._state, len(which), batch.output)
            self._info[nvjpeg_groups.PREPARED] = len(which)
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

    def _set_format(self, output: str) -> None:
        if self._info[nvjpeg_groups.FORMAT] != nvjpeg_library.FORMATS[output]:
            self._info[nvjpeg_groups.FORMAT], self._info[nvjpeg_groups.PREPARED] = nvjpeg_library.FORMATS[output], -1

    def _parameters(self, count: int, output: str) -> NDArray[np.int64]:
        """nvJPEG's parameters of so many pictures."""
        parameters = self._windows.setdefault(output, [])
        while len(parameters) < count:
            parameters.append(self._library.make_window(self._handle, output))
        return np.array(parameters[:count], np.int64)

    def _set_windows(self, windows: NDArray[np.int64], output: str) -> NDArray[np.int64]:
        parameters = self._parameters(len(windows), output)
        self._library.set_windows(parameters.tolist(), windows)
        return parameters


_STALLED = "the GPU's JPEG hardware did not finish a batch in time; it is not used any more, and others decode instead"
