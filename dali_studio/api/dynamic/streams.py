"""Streams of GPUs, on which operators of dynamic mode work where they are chosen."""

from __future__ import annotations

import threading
from typing import Any

from dali_studio.api.dynamic.device import Device, checked_gpu
from dali_studio.kernels.cuda.device import cupy
from dali_studio.kernels.cuda.ingest import address_of


class Stream:
    """A stream of work on a GPU; `stream` makes one.

    Parameters
    ----------
    stream : optional
        A stream of CuPy, PyTorch or another library (``__cuda_stream__``), or the address of one. Default: a new one,
        which waits for the default stream, as that does for it.
    device_id : int, optional
        Number of its GPU. Default: that of the stream if it tells, or the current one.

    Raises
    ------
    TypeError
        For what is no stream.
    ValueError
        If the stream belongs to another GPU.
    DaliStudioError
        DS206 if the GPU is not there.
    """

    #: Stands for a new stream.
    create_new = object()

    def __init__(self, *, stream: Any = create_new, device_id: int | None = None) -> None:
        if stream is None:
            raise ValueError("None is no stream; leave the argument away for a new one.")
        new = stream is Stream.create_new
        self._handle = 0 if new else address_of(stream)
        found = None if new else _device_of(stream)
        if device_id is not None and found is not None and device_id != found:
            raise ValueError(f"The stream belongs to GPU {found}; device_id is {device_id}.")
        number = device_id if found is None else found
        number = Device.default_device_id("gpu") if number is None else number
        self._device_id = checked_gpu("A stream", number or 0)
        self._object = stream
        if new:
            with cupy().cuda.Device(self._device_id):
                self._object = cupy().cuda.Stream()
            self._handle = int(self._object.ptr)

    @property
    def handle(self) -> int:
        """Its address."""
        return self._handle

    @property
    def device_id(self) -> int:
        """Number of its GPU."""
        return self._device_id

    def synchronize(self) -> None:
        """Wait for everything that was enqueued so far."""
        cupy().cuda.runtime.streamSynchronize(self._handle)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle

    def __str__(self) -> str:
        return f"CUDA stream {self._handle}, device_id={self._device_id}"

    def __repr__(self) -> str:
        return f"Stream(stream={self._object!r}, device_id={self._device_id})"

    def __eq__(self, other: object) -> bool:
        if other is None or other is self:
            return other is self
        try:
            same = stream(stream=other)
        except TypeError:
            return NotImplemented
        return (self._handle, self._device_id) == (same.handle, same.device_id)

    def __hash__(self) -> int:
        return hash((self._handle, self._device_id))


def _device_of(stream: Any) -> int | None:
    """The number of the GPU that a stream tells, or ``None``."""
    device = getattr(stream, "device", None)
    told = (getattr(stream, "device_id", None), device, getattr(device, "index", None), getattr(device, "id", None))
    return next((one for one in told if isinstance(one, int) and one >= 0), None)


def stream(*, stream: Any = Stream.create_new, device_id: int | None = None) -> Any:
    """A new stream of a GPU, or one of another library as a `Stream`; ``None`` for ``None``."""
    if stream is None or (isinstance(stream, Stream) and device_id in (None, stream.device_id)):
        return stream
    return Stream(stream=stream, device_id=device_id)


#: The streams that all threads use, by GPU.
_of_all: dict[int, Stream] = {}


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}


_of_thread = _OfThread()


def set_current_stream(cuda_stream: Any, /) -> None:
    """Choose the stream of the calling thread on the current GPU.

    Contexts that are made later have it, too. ``None``: the default one again.
    """
    number = Device.default_device_id("gpu") or 0
    _choose(_of_thread.streams, number, stream(stream=cuda_stream, device_id=None if cuda_stream is None else number))


def set_default_stream(cuda_stream: Any, /, device_id: int | None = None) -> None:
    """Choose the stream of all threads that have chosen none; ``None`` for the one that is there anyhow."""
    chosen = stream(stream=cuda_stream, device_id=device_id)
    if chosen is not None and device_id is None:
        device_id = chosen.device_id
    _choose(_of_all, (Device.default_device_id("gpu") or 0) if device_id is None else device_id, chosen)


def _choose(streams: dict[int, Stream], number: int, chosen: Stream | None) -> None:
    if chosen is None:
        streams.pop(number, None)
    else:
        streams[number] = chosen


def get_default_stream(device_id: int | None = None) -> Stream | None:
    """The stream that `set_default_stream` has chosen."""
    return _of_all.get((Device.default_device_id("gpu") or 0) if device_id is None else device_id)


def chosen_streams() -> dict[int, Stream]:
    """The streams that the calling thread uses where it has chosen some, by GPU."""
    return {**_of_all, **_of_thread.streams}
