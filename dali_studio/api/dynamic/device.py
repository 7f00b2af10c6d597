"""Devices of dynamic mode: the CPU, and GPUs where there are some."""

from __future__ import annotations

import re
import threading
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.kernels.cuda.device import Unavailable, cupy, missing

_NAME = re.compile(r"(cpu|gpu|cuda)(?::(\d+))?")


def no_gpu(what: str, absent: Unavailable) -> DaliStudioError:
    """The error for what only a GPU can do, where there is none."""
    return DaliStudioError(
        Diagnostic(
            code="DS206", message=f"{what} is not available: {absent.reason}.", argument="device",
            hint=f'{absent.hint}, or leave the device away for "cpu".',
        )
    )  # fmt: skip


def checked_gpu(what: str, device_id: int) -> int:
    """The number of a GPU that is there.

    Raises
    ------
    DaliStudioError
        DS206 if it is not.
    """
    absent = missing(device_id)
    if absent is not None:
        raise no_gpu(what, absent)
    return device_id


class _Current(threading.local):
    def __init__(self) -> None:
        self.stack: list[Device] = []


class Device:
    """Where data lies and operators run; inside ``with device:`` it is the current one.

    Parameters
    ----------
    name : str
        "cpu"; "gpu" or "cuda", also with a number: "gpu:0".
    device_id : int, optional
        Number of a GPU. Unset: `default_device_id`.

    Attributes
    ----------
    device_type : str
        "cpu" or "gpu".
    device_id : int or None

    Raises
    ------
    DaliStudioError
        DS206 for a GPU that is not there.
    """

    CPU: Device
    _current = _Current()

    def __init__(self, name: str, device_id: int | None = None) -> None:
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError(f'{name!r} is no device; give "cpu", "gpu" or "gpu:0".')
        if found[2] is not None and device_id is not None:
            raise ValueError(f"The number of the device is given twice: {name!r} and {device_id}.")
        number = device_id if found[2] is None else int(found[2])
        if found[1] == "cpu" and number is not None:
            raise ValueError("The CPU has no number; leave it away.")
        self.device_type, self.device_id = "cpu", None
        if found[1] != "cpu":
            number = Device.default_device_id("gpu") if number is None else number
            self.device_type, self.device_id = "gpu", checked_gpu(f"The device {name!r}", number or 0)

    @staticmethod
    def default_device_id(device_type: str) -> int | None:
        """The number of the current device of a type: the CPU has none; a GPU that of the innermost ``with``, or
        CuPy's current one.
        """  # noqa: D205 - one sentence
        if device_type == "cpu":
            return None
        chosen = [one.device_id for one in Device._current.stack if one.device_type == "gpu"]
        return chosen[-1] if chosen else 0 if missing(0) else int(cupy().cuda.Device().id)

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
        kind, number = dlpack_device.__dlpack_device__()
        name = Device.type_from_dlpack(kind)
        return Device(name, None if name == "cpu" else int(number))

    @staticmethod
    def current() -> Device:
        """The device of the innermost ``with device:``, or the default GPU, or the CPU where there is none."""
        stack = Device._current.stack
        return stack[-1] if stack else Device.CPU if missing(0) else Device("gpu")

    def __enter__(self) -> None:
        Device._current.stack.append(self)

    def __exit__(self, *exception: object) -> None:
        Device._current.stack.pop()

    def __str__(self) -> str:
        return self.device_type if self.device_id is None else f"{self.device_type}:{self.device_id}"

    def __repr__(self) -> str:
        number = "" if self.device_id is None else f", device_id={self.device_id}"
        return f"Device(device_type={self.device_type!r}{number})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


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
        DS206 for a GPU that is not there.
    """
    if isinstance(obj, str):
        return Device(obj, id)
    if obj is not None and id is not None:
        raise ValueError("A number goes with a text alone.")
    if obj is None or isinstance(obj, Device):
        return obj
    if type(obj).__module__ == "torch" and type(obj).__name__ == "device":
        return Device(obj.type, obj.index)
    raise TypeError(f"a {type(obj).__name__} is no device; give a Device or a text such as 'cpu' or 'gpu:0'")
