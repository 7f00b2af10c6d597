"""Finding a GPU, and saying what is missing where there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from dali_studio.core.optional import available, require

_INSTALL = "pip install 'dali-studio[gpu-cu12]' (CUDA 12 driver) or 'dali-studio[gpu-cu13]' (CUDA 13 driver)"
#: Bytes of shared memory that every GPU gives a block without being asked.
ALWAYS_SHARED = 48 << 10


def cupy() -> Any:
    """The module cupy.

    Raises
    ------
    DaliStudioError
        DS601 if it is not installed.
    """
    return require("cupy", purpose="Running on a GPU", install="'dali-studio[gpu-cu12]' or 'dali-studio[gpu-cu13]'")


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why there is no GPU to run on, and what to do."""

    reason: str
    hint: str


@cache
def missing(device_id: int = 0) -> Unavailable | None:
    """What keeps GPU `device_id` from being used; ``None`` if it is there."""
    if not available("cupy"):
        return Unavailable("CuPy, through which GPUs are used, is not installed", f"Run: {_INSTALL}")
    try:
        count = int(cupy().cuda.runtime.getDeviceCount())
    except Exception as error:  # noqa: BLE001 - CuPy raises many kinds where a driver or a library is missing
        text = str(error).strip().splitlines()
        return Unavailable(f"CUDA does not start ({text[0] if text else type(error).__name__})",
                       "Install NVIDIA's driver, and the CuPy that fits its CUDA version: " + _INSTALL)  # fmt: skip
    if device_id >= count:
        there = "no GPU" if count == 0 else f"{count} GPU{'s' if count > 1 else ''} (0 to {count - 1})"
        return Unavailable(
            f"device_id is {device_id}, but there is {there}", "Give the number of a GPU that is there as device_id"
        )
    try:
        cupy().cuda.nvrtc.getVersion()
    except Exception:  # noqa: BLE001 - which kind it is depends on how CuPy looks for it
        return Unavailable("NVRTC, which compiles the kernels for a GPU, is not installed", f"Run: {_INSTALL}")
    return None


def device_count() -> int:
    """Number of GPUs that CuPy sees; 0 without it."""
    if not available("cupy"):
        return 0
    try:
        return int(cupy().cuda.runtime.getDeviceCount())
    except Exception:  # noqa: BLE001 - CuPy raises many kinds where a driver or a library is missing
        return 0


@cache
def shared_memory(device_id: int) -> int:
    """Bytes of shared memory that GPU `device_id` gives a block that asks for them."""
    properties = cupy().cuda.runtime.getDeviceProperties(device_id)
    return int(properties.get("sharedMemPerBlockOptin", ALWAYS_SHARED))


@cache
def total_memory(device_id: int) -> int:
    """Bytes of memory that GPU `device_id` has."""
    return int(cupy().cuda.runtime.getDeviceProperties(device_id)["totalGlobalMem"])


def describe() -> list[tuple[str, str]]:
    """Names and values for a report on the installation."""
    absent = missing()
    if absent is not None:
        return [("gpu", f"none used: {absent.reason}. {absent.hint}")]
    module = cupy()
    runtime = module.cuda.runtime
    lines: list[tuple[str, str]] = []
    for number in range(int(runtime.getDeviceCount())):
        info = runtime.getDeviceProperties(number)
        name, memory = info["name"].decode(), info["totalGlobalMem"] / 2**30
        lines.append(
            (f"gpu {number}", f"{name}, {memory:.0f} GiB, compute capability {info['major']}.{info['minor']}")
        )
    driver, used = int(runtime.driverGetVersion()), int(runtime.runtimeGetVersion())
    compiler = "{}.{}".format(*module.cuda.nvrtc.getVersion())
    lines.append(("cuda", f"driver for {_version(driver)}, runtime {_version(used)}, NVRTC {compiler}"))
    lines.append(("cupy", str(module.__version__)))
    return lines


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"
