"""Where and when operators of dynamic mode run: threads, contexts, and modes of evaluation."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from enum import Enum
from typing import TYPE_CHECKING, Any

from dali_studio.api.dynamic.device import Device, checked_gpu
from dali_studio.api.dynamic.gpu import gpu
from dali_studio.api.dynamic.plans import StepPlan
from dali_studio.api.dynamic.streams import Stream, chosen_streams, stream
from dali_studio.runtime.workers import WorkerPool

if TYPE_CHECKING:
    from dali_studio.api.dynamic.checkpoint import Checkpoint

#: Plans that a context keeps; those that were used last.
_PLANS = 512
_MAX_THREADS_PER_CORE = 100


class EvalMode(Enum):
    """When operators are computed; ``with mode:`` chooses one for the calling thread.

    Attributes
    ----------
    deferred
        When their results are asked for. Operators that nobody asks are never computed.
    eager
        At the call; the default.
    sync_cpu, sync_full
        At the call, as `eager`: calls return when they have computed.
    """

    deferred = 1
    eager = 2
    sync_cpu = 3
    sync_full = 4
    default = 2  # noqa: PIE796 - another name of eager

    def __enter__(self) -> None:
        _local.modes.append(self)

    def __exit__(self, *exception: object) -> None:
        _local.modes.pop()

    @staticmethod
    def current() -> EvalMode:
        """The mode of the calling thread."""
        return _local.modes[-1]


class _Local(threading.local):
    def __init__(self) -> None:
        self.modes: list[EvalMode] = [EvalMode.eager]
        self.contexts: list[EvalContext] = []
        self.default: EvalContext | None = None


_local = _Local()


class ThreadPool:
    """Threads that operators share.

    Parameters
    ----------
    num_threads : int, optional
        Unset: `get_num_threads`.
    device_id : int, optional
        Number of a GPU that is there; threads are not bound to one.
    """

    def __init__(self, num_threads: int | None = None, *, device_id: int | None = -1) -> None:
        self.device_id = None
        if device_id is not None and device_id >= 0:
            self.device_id = checked_gpu(f"A thread pool for GPU {device_id}", device_id)
        self.workers = WorkerPool(_checked_threads(get_num_threads() if num_threads is None else num_threads))

    @property
    def num_threads(self) -> int:
        """How many threads there are."""
        return self.workers.num_threads


class _Threads:
    """The number of threads that contexts without threads of their own share, and these."""

    lock = threading.Lock()
    chosen: int | None = None
    pool: ThreadPool | None = None


def get_num_threads() -> int:
    """How many threads operators share.

    What `set_num_threads` was given, or the environment variable ``DALI_NUM_THREADS``, or the number of processors
    that this process may use.
    """
    if _Threads.chosen is not None:
        return _Threads.chosen
    named = os.environ.get("DALI_NUM_THREADS")
    affinity = getattr(os, "sched_getaffinity", None)
    return int(named) if named else len(affinity(0)) if affinity else os.cpu_count() or 1


def set_num_threads(n: int | None) -> None:
    """Choose how many threads operators share; ``None`` for the default."""
    with _Threads.lock:
        _Threads.chosen = None if n is None else _checked_threads(n)
        if _Threads.pool is not None and _Threads.pool.num_threads != get_num_threads():
            _Threads.pool = None


def _checked_threads(n: Any) -> int:
    if not isinstance(n, int):
        raise TypeError(f"the number of threads is a {type(n).__name__}; it must be a whole number")
    most = _MAX_THREADS_PER_CORE * (os.cpu_count() or 1)
    if not 1 <= n <= most:
        raise ValueError(f"{n} threads are asked for; 1 to {most} are accepted.")
    return n


def get_current_stream() -> Stream | None:
    """The stream on which the calling thread's operators of the GPU work, unless a context has another one."""
    return EvalContext.default().cuda_stream


def default_pool() -> ThreadPool:
    """The threads that contexts without threads of their own share."""
    found = _Threads.pool
    if found is None:
        with _Threads.lock:
            found = _Threads.pool = _Threads.pool or ThreadPool()
    return found


class EvalContext:
    """What operators run with: threads, and the plans of those that have run. ``with context:`` makes it current.

    Parameters
    ----------
    num_threads : int, optional
        Threads of its own. Unset: those that all share (`set_num_threads`).
    device_id : int, optional
        The GPU that ``device="gpu"`` means inside. Unset: `Device.default_device_id`.
    cuda_stream : optional
        The stream on which operators of the GPU work: a `Stream`, one of CuPy, PyTorch or another library, or the
        address of one. Unset: what `set_current_stream` or `set_default_stream` has chosen by now, or a stream that all
        contexts share.
    thread_pool : ThreadPool, optional
        Threads to use, in place of `num_threads`.
    """

    def __init__(
        self, *, num_threads: int | None = None, device_id: int | None = None, cuda_stream: Any = None,
        thread_pool: ThreadPool | None = None,
    ) -> None:  # fmt: skip
        chosen = stream(stream=cuda_stream, device_id=device_id)
        #: The streams that were chosen, by GPU; those of the thread's own context are asked for anew.
        self._streams = chosen_streams() if chosen is None else {chosen.device_id: chosen}
        self._device = None if device_id is None else Device("gpu", device_id)
        if thread_pool is not None and num_threads is not None:
            raise ValueError("thread_pool and num_threads exclude each other.")
        self._pool = thread_pool if num_threads is None else ThreadPool(num_threads)
        self._plans: OrderedDict[Hashable, StepPlan] = OrderedDict()
        self._entered = threading.RLock()
        self._checkpoint: Checkpoint | None = None

    @staticmethod
    def current() -> EvalContext:
        """The context of the innermost ``with context:``, or the thread's own."""
        return _local.contexts[-1] if _local.contexts else EvalContext.default()

    @staticmethod
    def default() -> EvalContext:
        """The calling thread's own context."""
        if _local.default is None:
            _local.default = EvalContext()
        return _local.default

    def __enter__(self) -> EvalContext:
        if not self._entered.acquire(blocking=False):
            raise RuntimeError("A context cannot be current in two threads at once; make one for each.")
        _local.contexts.append(self)
        if self._device is not None:
            self._device.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        _local.contexts.pop()
        if self._device is not None:
            self._device.__exit__()
        self._entered.release()

    def evaluate_all(self) -> None:
        """Accepted without effect: what is not computed yet is computed when it is asked for."""

    @property
    def thread_pool(self) -> ThreadPool:
        """The threads that operators run on."""
        return self._pool or default_pool()

    @property
    def num_threads(self) -> int:
        """How many there are."""
        return self.thread_pool.num_threads

    @property
    def device_id(self) -> int | None:
        """Number of the GPU; ``None`` where there is none, or the CPU is the current device."""
        return (self._device or Device.current()).device_id

    @property
    def cuda_stream(self) -> Stream | None:
        """The stream on which operators of the GPU work; ``None`` where there is no GPU."""
        number = self.device_id
        if number is None:
            return None
        return self.stream_of(number) or Stream(stream=gpu(number).stream, device_id=number)

    def stream_of(self, device_id: int) -> Stream | None:
        """The stream that was chosen for a GPU."""
        return (chosen_streams() if self is _local.default else self._streams).get(device_id)

    @property
    def checkpoint(self) -> Checkpoint:
        """A checkpoint that belongs to the context."""
        from dali_studio.api.dynamic.checkpoint import Checkpoint  # noqa: PLC0415 - it knows readers

        if self._checkpoint is None:
            self._checkpoint = Checkpoint()
        return self._checkpoint

    def plan(self, key: Hashable, make: Callable[[], StepPlan]) -> StepPlan:
        """The plan that was made for `key`, or a new one."""
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = make()
            if len(self._plans) > _PLANS:
                self._plans.popitem(last=False)
        else:
            self._plans.move_to_end(key)
        return found
