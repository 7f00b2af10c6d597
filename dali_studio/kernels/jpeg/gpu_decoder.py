"""JPEG decoded by kernels (`jpeg.cu`): pictures from files in host memory to pixels in device memory, on any GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.progress import doing
from dali_studio.kernels.cuda import enqueue, sources
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.staging import Staging
from dali_studio.kernels.jpeg import libjpeg, scan
from dali_studio.kernels.jpeg.decode_queue import BY_KERNELS, has_group, take_group
from dali_studio.kernels.jpeg.gpu_scans import ScanTables
from dali_studio.kernels.jpeg.gpu_work import SubmittedGroup

#: Bytes of device memory for one launch, less if there is less; pictures that need more are left to others. Photos take
#: 4 to 7 for a pixel.
MAX_MEMORY, MIN_MEMORY = 256 << 20, 16 << 20
#: Pictures that are taken from a queue at a time.
MAX_GROUP, MIN_GROUP = 128, 32
#: Pictures of one launch where memory is to be saved: what a launch takes, the next one of the same stream uses, too.
#: Progressive ones are launched together, which takes no longer than for one of them.
FEW = 64
#: Parts of a segment, as `jpeg.hpp` has them: threads of a block that decodes one. Pictures of one segment, of which
#: many are decoded at a time, have fewer.
PARTS, FEW_PARTS = 512, 384
#: Bytes of coded data that one block of threads decodes of pictures that have more than three times as much: these are
#: shared between blocks, which takes launches more, so that smaller ones would not gain.
SEGMENT = 96 << 10
#: Launches that find where the parts of such a picture begin; the last one mostly changes nothing.
_TURNS = 3
#: Blocks that are made pixels of together, as `jpeg.hpp` has them: threads of a block.
_TILE = 128
#: Decoders that a batch is shared between, each with a group of pictures in flight: while one copies files, the GPU
#: works for the others. Of large pictures a launch has few, which do not fill the GPU: there is one decoder more. Scans
#: of progressive ones keep a few warps busy, for as long as the longest of them takes, whatever goes on beside them.
DECODERS, DECODERS_OF_LARGE, DECODERS_OF_SCANS = 2, 3, 4
MAX_DECODERS = max(DECODERS, DECODERS_OF_LARGE, DECODERS_OF_SCANS)
#: As many progressive pictures are decoded by a thread of the CPU as long as kernels are at a group of any size.
SCANS_OF_A_THREAD = 8
#: Pixels of a picture that a thread of the CPU decodes for as long as a GPU takes for a batch.
LARGE = 1 << 20
#: What makes pixels of coefficients.
DRAWING = "pixels", "transform", "colors"
#: Of a stream; the highest that all GPUs have is lower still.
_PRIORITY = -1


def decoders(requests: NDArray[np.int64], rooms: NDArray[np.int64], *, thrifty: bool = False) -> int:
    """How many decoders a batch is shared between.

    Parameters
    ----------
    requests : ndarray of int64, (N, `libjpeg.FIELDS`)
        At least one row.
    rooms : ndarray of int64, (N,)
        Bytes for coefficients, which progressive pictures have.
    thrifty : bool
        Whether device memory is to be saved.
    """
    if _one_takes_all(requests, thrifty=thrifty):
        return 1
    if rooms.any():
        return DECODERS_OF_SCANS
    return DECODERS_OF_LARGE if largest(requests) > LARGE else DECODERS


def _one_takes_all(requests: NDArray[np.int64], *, thrifty: bool) -> bool:
    """Whether one decoder takes a batch, all of it at once: what two of them take would be there twice."""
    return thrifty and len(requests) <= MAX_GROUP and largest(requests) <= LARGE


def largest(requests: NDArray[np.int64]) -> int:
    """Most pixels of a picture."""
    return int((requests[:, libjpeg.HEIGHT] * requests[:, libjpeg.WIDTH]).max())


class LimitedLaunches:
    """Pictures in launches that take no more memory than there is."""

    def __init__(self) -> None:
        self._most = MAX_MEMORY

    def _in_launches(self, begin: int, end: int, plan: Callable[[int], int], launch: Callable[[], None]) -> None:
        """Launch pictures `begin` to `end`; ``plan(first)`` says before which picture the next launch ends.

        Raises
        ------
        OutOfMemoryError
            CuPy's: when there is not even `MIN_MEMORY`.
        """
        while begin < end:
            after = plan(begin)
            try:
                launch()
            except Exception as error:
                if type(error).__name__ != "OutOfMemoryError" or self._most < 2 * MIN_MEMORY:
                    raise
                self._most //= 2
            else:
                begin = after


class _Launch(NamedTuple):
    """What was enqueued for some pictures.

    Attributes
    ----------
    rows : ndarray of int64
        Which of the requests they are.
    results : ndarray of uint8
        What the kernels say of them.
    begun, done : cupy.cuda.Event
    """

    rows: NDArray[np.int64]
    results: NDArray[np.uint8]
    begun: Any
    done: Any


class _Enqueued(NamedTuple):
    """Pictures on their way.

    Attributes
    ----------
    launches : list of _Launch
    staging : Staging
        What the launches read and write in host memory.
    done : cupy.cuda.Event
        Behind all of it.
    """

    launches: list[_Launch]
    staging: Staging
    done: Any


class JpegKernels(LimitedLaunches):
    """Decodes groups of files, one after the other; one thread at a time may call it.

    Parameters
    ----------
    device_id : int
    allocate : callable
        ``allocate(size)`` gives device memory for use on the current stream.
    thrifty : bool
        As for `decoders`.

    Attributes
    ----------
    milliseconds : float
        On the GPU, for all pictures so far: the copies of their files, and the kernels.
    stalled : bool
        Never.
    overlaps : bool
        See `GpuDecoder`. Of small batches only: of large ones a second decoder is at work meanwhile, and what else uses
        the GPU would wait longer.
    """

    stalled = False

    def __init__(self, device_id: int, allocate: Callable[[int], Any], *, thrifty: bool = False) -> None:
        super().__init__()
        self._thrifty = self.overlaps = thrifty
        self._device, self._allocate = cupy().cuda.Device(device_id), allocate
        with self._device:
            # what decoded pictures are made for waits for them: they go before other work on the GPU
            self._stream = cupy().cuda.Stream(non_blocking=True, priority=_PRIORITY)
            self._kernels = [module().get_function(name) for name in sources.FUNCTIONS["jpeg"]]
        self.milliseconds = 0.0
        self._pictures = np.zeros(MAX_GROUP, scan.PICTURE)
        self._rows, self._made = np.zeros(MAX_GROUP, np.int64), np.zeros(scan.PLANNED, np.int64)
        #: Not in use.
        self._staging: list[Staging] = []
        self._scans: ScanTables | None = None

    def take_groups(
        self, queue: tuple[NDArray[np.int64], int], requests: NDArray[np.int64], places: NDArray[np.int64],
        outcomes: NDArray[np.int8], output: str = "RGB", *, files: Any = None, after: Any = None, whole: bool = False,
    ) -> SubmittedGroup:  # fmt: skip
        """Take groups of pictures from a queue that others take from, too, until nothing is left.

        The last of them may still be computed when it returns.

        Parameters are those of `HardwareDecoder.take_groups`; `output` is not looked at, since requests say it. If
        `whole`, the baseline files lie in page-locked memory, one behind the other, from where they go up.
        `decode_queue.BY_KERNELS` is entered for what has been decoded.
        """
        submitted = SubmittedGroup(*queue, requests, places, outcomes, files, output, after)
        if after is not None:
            enqueue.wait(self._stream, after)
        least = MAX_GROUP if _one_takes_all(requests, thrifty=self._thrifty) else MIN_GROUP
        while True:
            first, count = take_group(*queue, least, MAX_GROUP)
            if count:
                submitted.enqueued = self._enqueue(requests, places, first, first + count, whole=whole)
            if not count or not has_group(*queue):
                return submitted
            self._finish(submitted)

    def wait(self, batch: SubmittedGroup) -> NDArray[np.bool_]:
        """Which pictures are there, by the kernels, bool, (N,)."""
        self._finish(batch)
        return batch.outcomes == BY_KERNELS

    def _finish(self, batch: SubmittedGroup) -> None:
        """Wait for the last group of a batch."""
        if batch.enqueued is not None:
            before, enqueued, batch.enqueued = self.milliseconds, batch.enqueued, None
            batch.outcomes[self._decoded(enqueued)] = BY_KERNELS
            batch.milliseconds += self.milliseconds - before

    def close(self) -> None:
        """Give page-locked memory back; that of the GPU is back already."""
        self._staging = []

    def decode(
        self, requests: NDArray[np.int64], places: NDArray[np.int64], begin: int, end: int, *, whole: bool = False
    ) -> NDArray[np.int64]:
        """Decode pictures, and wait until they are there.

        Parameters
        ----------
        requests : ndarray of int64, (N, `libjpeg.FIELDS`)
            Of files that `gpu_rule.takes` or `takes_scans` lets pass, and which have an end marker.
        places : ndarray of int64, (N, 2)
            Device addresses of the first pixels, and bytes from row to row.
        begin, end : int
            Which of them.
        whole : bool
            As for `take_groups`.

        Returns
        -------
        ndarray of int64
            Rows of `requests` whose pixels are there. Something is wrong with the others, or unusual.

        Raises
        ------
        OutOfMemoryError
            CuPy's: when there is not even `MIN_MEMORY`.
        """
        return self._decoded(self._enqueue(requests, places, begin, end, whole=whole))

    def _enqueue(
        self, requests: NDArray[np.int64], places: NDArray[np.int64], begin: int, end: int, *, whole: bool
    ) -> _Enqueued:
        """Enqueue what decodes pictures; see `decode`."""
        staging = self._staging.pop() if self._staging else Staging()
        most, launches = FEW if self._thrifty else MAX_GROUP, list[_Launch]()

        def plan(first: int) -> int:
            given = requests, places, first, min(first + most, end), self._most, SEGMENT
            return scan.plan(*given, self._pictures, self._rows, self._made, whole=whole)

        def launch() -> None:
            if self._made[0]:
                launches.append(self._launch(requests, staging, whole=whole))

        staging.begin()
        try:
            self._in_launches(begin, end, plan, launch)
            if sum(len(one.rows) for one in launches) < end - begin:
                left = np.setdiff1d(np.arange(begin, end), [row for one in launches for row in one.rows.tolist()])
                self._launch_scans(requests[left], places[left], left, launches, staging)
            with self._device:
                done = cupy().cuda.Event(block=False, disable_timing=True)
                enqueue.record(done, self._stream)
        except BaseException:
            self._stream.synchronize()
            self._staging.append(staging)
            raise
        return _Enqueued(launches, staging, done)

    def _decoded(self, enqueued: _Enqueued) -> NDArray[np.int64]:
        """Wait for pictures; rows of those that are there."""
        launches = enqueued.launches
        enqueued.done.synchronize()
        self.milliseconds += sum(cupy().cuda.get_elapsed_time(one.begun, one.done) for one in launches)
        done = [one.rows[one.results.view(np.uint32)[1::2] == 0] for one in launches]
        self._staging.append(enqueued.staging)
        return np.concatenate(done) if done else np.zeros(0, np.int64)

    def _launch_scans(
        self, requests: NDArray[np.int64], places: NDArray[np.int64], rows: NDArray[np.int64], launches: list[_Launch],
        staging: Staging,
    ) -> None:  # fmt: skip
        """Enqueue what decodes the progressive ones of some pictures, which `rows` name."""
        scans = self._scans = self._scans or ScanTables(MAX_GROUP)

        def compute(tables: Sequence[int], results: int, clear: Callable[[], None]) -> None:
            clear()
            scans.launch(tables, results, self._stream)
            given = np.uint64(tables[0]), np.uint64(results)
            draw(self._kernels[-len(DRAWING) :], scans.count, scans.largest, given, self._stream)

        def launch() -> None:
            if scans.count:
                tables = rows[scans.rows], scans.tables(), scans.sizes, scans.settle, compute
                launches.append(self._run(staging, *tables))

        def plan(first: int) -> int:
            return scans.plan(requests, places, first, self._most)

        self._in_launches(0, len(requests), plan, launch)

    def _launch(self, requests: NDArray[np.int64], staging: Staging, *, whole: bool) -> _Launch:
        """Enqueue what decodes the pictures of a plan."""
        count, scans, zero, rest, segments, *largest, first, size = self._made.tolist()

        def settle(host: int, _: Sequence[int], *regions: int) -> None:
            scan.settle(requests, count, self._pictures, self._rows, host, *regions)

        def compute(tables: Sequence[int], results: int, clear: Callable[[], None]) -> None:
            given = np.uint64(tables[0]), np.uint64(results)
            measure, unstuff, huffman, huffman_few, *drawing = self._kernels
            grid = segments, count
            if segments > 1:
                enqueue.launch(measure, grid, 512, given, self._stream)
            enqueue.launch(unstuff, grid, 512, given, self._stream)
            clear()
            if segments > 1:
                for turn in range(_TURNS + 1):
                    turns = np.uint32(turn), np.uint32(_TURNS)
                    enqueue.launch(huffman, grid, PARTS, (*given, *turns), self._stream)
            else:
                enqueue.launch(huffman_few, grid, FEW_PARTS, given, self._stream)
            draw(drawing, count, largest, given, self._stream)

        rows, tables = self._rows[:count].copy(), [scan.bytes_of(self._pictures[:count])]
        files = (first, size) if whole else None
        return self._run(staging, rows, tables, (scans, zero, rest), settle, compute, files=files, overlaid=True)

    def _run(
        self, staging: Staging, rows: NDArray[np.int64], tables: Sequence[NDArray[np.uint8]],
        sizes: tuple[int, int, int], settle: Callable[..., None],
        compute: Callable[[Sequence[int], int, Callable[[], None]], None], *, files: tuple[int, int] | None = None,
        overlaid: bool = False,
    ) -> _Launch:  # fmt: skip
        """Enqueue the kernels of a launch, and the copies before and behind them.

        Parameters
        ----------
        staging : Staging
        rows : ndarray of int64
            The pictures.
        tables : sequence of ndarray
            Of the pictures.
        sizes : tuple of int
            Bytes of coded data, of memory that is cleared, and of other memory.
        settle : callable
            ``settle(staged, tables, data, zero, rest)`` writes coded data to an address in host memory, or nothing
            where that is 0, and completes the tables, all of whose addresses on the GPU it gets.
        compute : callable
            ``compute(tables, results, clear)`` launches the kernels, and calls ``clear()`` in front of those that need
            cleared memory.
        files : (int, int), optional
            Address and bytes in page-locked memory from where the coded data goes up, so that it is not copied first.
        overlaid : bool
            As for `launch_size`: nothing behind ``clear()`` reads the coded data.
        """
        (data, cleared, _), count = sizes, len(rows)
        ends = np.cumsum([_rounded(table.size) for table in tables]).tolist()
        upload, results = ends[-1], count * scan.RESULT
        with self._device, self._stream:
            memory = self._allocate(launch_size([table.size for table in tables], count, sizes, overlaid=overlaid))
            told_at, staged = int(memory.ptr), staging.take(upload + (0 if files else data))
            base, host, starts = told_at + _rounded(results), int(staged.ctypes.data), [0, *ends[:-1]]
            places = [base + start for start in starts]
            data_at = base + upload
            cleared_at = data_at + (0 if overlaid else data)
            rest_at = max(cleared_at + cleared, data_at + data)
            settle(0 if files else host + upload, places, data_at, cleared_at, rest_at)
            for start, table in zip(starts, tables, strict=True):
                staged[start : start + table.size] = table.ravel()
            begun, done = cupy().cuda.Event(), cupy().cuda.Event()
            enqueue.record(begun, self._stream)
            enqueue.copy(base, host, staged.size, self._stream)
            if files:
                enqueue.copy(data_at, *files, self._stream)
            enqueue.clear(told_at, results, self._stream)
            compute(places, told_at, lambda: enqueue.clear(cleared_at, cleared, self._stream))
            enqueue.record(done, self._stream)
            told = staging.take(results)
            enqueue.copy(int(told.ctypes.data), told_at, results, self._stream)
        # `memory` goes back to the pool of this stream, whose next user comes behind all this
        return _Launch(rows, told, begun, done)


def launch_size(tables: Sequence[int], count: int, sizes: tuple[int, int, int], *, overlaid: bool) -> int:
    """Bytes of device memory for a launch: tables of so many bytes each, results, and the three regions.

    Where they are `overlaid`, coded data lies where coefficients come, which begin when all has been read.
    """
    data, cleared, rest = sizes
    regions = (max(data, cleared) if overlaid else data + cleared) + rest
    return sum(map(_rounded, tables)) + _rounded(count * scan.RESULT) + regions


def _rounded(size: int) -> int:
    return -(-size // 256) * 256


def draw(
    kernels: Sequence[Any], count: int, largest: Sequence[int], given: tuple[Any, ...], stream: Any
) -> None:  # fmt: skip
    """Launch the `DRAWING` kernels, those that are needed, over so many pictures.

    Parameters
    ----------
    largest : sequence of int
        The last three numbers of `scan.plan`.
    given : tuple
        Arguments of each kernel.
    stream : cupy.cuda.Stream
        The current one.
    """
    pixels, transform, colors = kernels
    tiles, blocks, groups = largest
    if tiles:
        enqueue.launch(pixels, (tiles, count), _TILE, given, stream)
    if blocks:
        enqueue.launch(transform, (-(-blocks // 128), count), 128, given, stream)
        enqueue.launch(colors, (-(-groups // 256), count), 256, given, stream)


@cache
def module() -> Any:
    """The compiled kernels of `jpeg.cu`."""
    with doing("compiling the GPU's JPEG decoder"):
        module = cupy().RawModule(code=sources.source("jpeg"), options=sources.options({"FEW_PARTS": FEW_PARTS}))
        module.compile()
    return module
