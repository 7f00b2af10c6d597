"""Devices and streams of dynamic mode, which runs on the CPU."""

from __future__ import annotations

import re
import threading
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic

_NAME = re.compile(r"(cpu|gpu|cuda)(?::(\d+))?")


def no_gpu(what: str) -> DaliStudioError:
    """The error for what only a GPU can do."""
    return DaliStudioError(
        Diagnostic(
            code="DS206", message=f"{what} is not available: dynamic mode runs on the CPU alone.", argument="device",
            hint='Leave the device away or give "cpu"; pipelines (pipeline_def) run on a GPU.',
        )
    )  # fmt: skip


class _Current(threading.local):
    def __init__(self) -> None:
        self.stack: list[Device] = []


class Device:
    """Where data lies and operators run; inside ``with device:`` it is the current one.

    Parameters
    ----------
    name : str
        "cpu"; "gpu", "cuda" and "gpu:0" are known, but not available.
    device_id : int, optional
        Number of a GPU.

    Attributes
    ----------
    device_type : str
        "cpu" or "gpu".
    device_id : int or None
    """

    CPU: Device
    _current = _Current()

    def __init__(self, name: str, device_id: int | None = None) -> None:
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(f'{name!r} is no device; give "cpu".')
        if found[2] is not None and device_id is not None:
            raise ValueError(f"The number of the device is given twice: {name!r} and {device_id}.")
        if found[1] != "cpu":
            raise no_gpu(f"The device {name!r}")
        if device_id is not None or found[2] is not None:
            raise ValueError("The CPU has no number; leave it away.")
        self.device_type, self.device_id = "cpu", None

    @staticmethod
    def default_device_id(device_type: str) -> int | None:
        """The number of the current device of a type; the CPU has none."""
        return Device(device_type).device_id

    @staticmethod
    def type_from_dlpack(dev_type: Any) -> str:
        """The type of device that a number of DLPack stands for."""
        known = {1: "cpu", 2: "gpu"}
        if int(dev_type) not in known:
            raise ValueError(f"DLPack's device type {int(dev_type)} is neither the CPU (1) nor a GPU (2).")
        return known[int(dev_type)]

    @staticmethod
    def from_dlpack(dlpack_device: Any) -> Device:
        """Where an object that exports DLPack lies."""
        return Device(Device.type_from_dlpack(dlpack_device.__dlpack_device__()[0]))

    @staticmethod
    def current() -> Device:
        """The device of the innermost ``with device:``, or the CPU."""
        stack = Device._current.stack
        return stack[-1] if stack else Device.CPU

    def __enter__(self) -> None:
        Device._current.stack.append(self)

    def __exit__(self, *exception: object) -> None:
        Device._current.stack.pop()

    def __str__(self) -> str:
        return self.device_type

    def __repr__(self) -> str:
        return f"Device(device_type={self.device_type!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.device_type == other.device_type

    def __hash__(self) -> int:
        return hash(self.device_type)


Device.CPU = Device("cpu")
#: What names a device.
DeviceLike = Device | str | Any


def device(obj: DeviceLike, id: int | None = None) -> Any:  # noqa: A002 - nvidia.dali's name
    """The device that something names: a `Device`, a text, a device of PyTorch; ``None`` stays ``None``.

    Parameters
    ----------
    obj : Device, str, torch.device or None
    id : int, optional
        Number of the device, for a text without one.

    Raises
    ------
    TypeError
        For anything else.
    DaliStudioError
        DS206 for a GPU.
    """
    if isinstance(obj, str):
        return Device(obj, id)
    if obj is not None and id is not None:
        raise ValueError("A number goes with a text alone.")
    if obj is None or isinstance(obj, Device):
        return obj
    if type(obj).__module__ == "torch" and type(obj).__name__ == "device":
        return Device(obj.type, obj.index)
    raise TypeError(f"a {type(obj).__name__} is no device; give a Device or a text such as 'cpu'")


class Stream:
    """A stream of work on a GPU; there is none to make here."""

    #: Stands for a new stream.
    create_new = object()

    def __init__(self, *, stream: Any = create_new, device_id: int | None = None) -> None:
        raise no_gpu("A stream of a GPU")


def stream(*, stream: Any = Stream.create_new, device_id: int | None = None) -> Any:
    """A stream of a GPU, which is refused; ``None`` for ``None``."""
    return None if stream is None else Stream(stream=stream, device_id=device_id)


def set_current_stream(cuda_stream: Any, /) -> None:
    """Choose the stream of the calling thread; there is none on the CPU, so that only ``None`` is accepted."""
    stream(stream=cuda_stream)


def set_default_stream(cuda_stream: Any, /, device_id: int | None = None) -> None:
    """Choose the stream of all threads; there is none on the CPU, so that only ``None`` is accepted."""
    stream(stream=cuda_stream, device_id=device_id)


def get_current_stream() -> None:
    """The stream of the calling thread: none on the CPU."""


def get_default_stream(device_id: int | None = None) -> None:
    """The stream of all threads: none on the CPU."""
