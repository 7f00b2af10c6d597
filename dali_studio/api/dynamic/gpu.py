"""The GPUs of dynamic mode: all plans of a stream share it and its memory, where data lies between them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any, cast

from dali_studio.api.default import default_registry
from dali_studio.api.dynamic.streams import Stream
from dali_studio.core.batch import Batch as Samples
from dali_studio.core.tensors_gpu import TensorListGPU
from dali_studio.kernels.cuda.ingest import producer
from dali_studio.runtime.gpu import GpuRunner


class Gpu:
    """A stream of a GPU, on which plans run one after the other.

    Parameters
    ----------
    device_id : int
    stream : Stream, optional
        Default: a new one.
    """

    def __init__(self, device_id: int, stream: Stream | None = None) -> None:
        from dali_studio.api.dynamic.context import default_pool  # noqa: PLC0415 - contexts have plans, and these a GPU

        self._runner = GpuRunner(default_registry(), default_pool().workers, device_id, stream=stream)
        if stream is not None:  # what it holds goes back when no plan is left
            weakref.finalize(self, _end, self._runner).atexit = False
        #: Held while a plan runs: iterations on a stream begin in one thread at a time.
        self.lock = threading.RLock()

    def runner(self) -> GpuRunner:
        """What runs the steps of one more plan."""
        return self._runner.alongside()

    @property
    def stream(self) -> Any:
        """CuPy's stream."""
        return self._runner.stream.kernels

    def take_in(self, arrays: Any, layout: str, given: Any) -> Samples:
        """A copy of CuPy arrays, or of one for the batch, in the order of the stream on which `given` is made."""
        stream = self._runner.stream
        with self.lock:
            return stream.take_in(arrays, layout, producer(None, given, stream.device_id))


def _end(runner: GpuRunner) -> None:
    runner.synchronize()
    runner.close()


_gpus: dict[int, Gpu] = {}
_chosen: weakref.WeakValueDictionary[Stream, Gpu] = weakref.WeakValueDictionary()
_making = threading.Lock()


def gpu(device_id: int, stream: Stream | None = None) -> Gpu:
    """The GPU of a number, with the stream that was chosen for it or one of its own."""
    with _making:
        found = _gpus.get(device_id)
        if stream is not None and (found is None or int(found.stream.ptr) != stream.handle):
            found = _chosen.get(stream)
            if found is None:
                found = _chosen[stream] = Gpu(device_id, stream)
        elif found is None:
            found = _gpus[device_id] = Gpu(device_id)
    return found


def listed(samples: Samples) -> TensorListGPU:
    """A batch on a GPU as pipelines give it; waits until it is there."""
    if samples.ready is not None:
        samples.ready.synchronize()
    return TensorListGPU.from_memory(
        samples.memory, samples.offsets, samples.shapes, samples.dtype, samples.layout, samples.sources
    )


def taken(data: TensorListGPU, given: Any, sources: Sequence[str] = ()) -> Samples:
    """A copy of samples on a GPU, in the order of the stream on which `given` is made."""
    whole = data.whole()
    made = gpu(data.device_id()).take_in(data.arrays() if whole is None else whole, data.layout(), given)
    made.sources = sources
    return made.as_members(cast(Any, data.dtype))
