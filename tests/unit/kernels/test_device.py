"""What is missing where there is no GPU to run on, and what a report says of one that is there."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from dali_studio.kernels.cuda import device


def a_cupy(gpus: int = 1, nvrtc: tuple[int, int] | None = (12, 6)) -> Any:
    """CuPy as far as it is asked here; without NVRTC it fails when that is first used."""

    def version() -> tuple[int, int]:
        if nvrtc is None:
            raise RuntimeError("libnvrtc.so.12: cannot open shared object file")
        return nvrtc

    def properties(number: int) -> dict[str, Any]:
        return {"name": b"Big", "totalGlobalMem": 8 << 30, "major": 9, "minor": 0}

    runtime = SimpleNamespace(
        getDeviceCount=lambda: gpus, getDeviceProperties=properties,
        driverGetVersion=lambda: 12080, runtimeGetVersion=lambda: 12060,
    )  # fmt: skip
    return SimpleNamespace(
        cuda=SimpleNamespace(runtime=runtime, nvrtc=SimpleNamespace(getVersion=version)), __version__="14.0"
    )


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    def used(module: Any) -> None:
        def available(name: str) -> bool:
            return module is not None

        monkeypatch.setattr(device, "available", available)
        monkeypatch.setattr(device, "cupy", lambda: module)
        monkeypatch.setattr(device, "missing", device.missing.__wrapped__)

    return used


@pytest.mark.parametrize(
    ("module", "number", "reason"),
    [
        (None, 0, "CuPy, .* is not installed"),
        (a_cupy(0), 0, "device_id is 0, but there is no GPU"),
        (a_cupy(2), 2, r"device_id is 2, but there is 2 GPUs \(0 to 1\)"),
        (a_cupy(nvrtc=None), 0, "NVRTC, which compiles the kernels for a GPU, is not installed"),
    ],
)  # fmt: skip
def test_what_is_missing(use: Any, module: Any, number: int, reason: str) -> None:
    use(module)
    absent = device.missing(number)
    assert absent is not None
    assert re.search(reason, absent.reason)
    assert ("pip install" in absent.hint) == ("not installed" in absent.reason)


def test_report(use: Any) -> None:
    use(a_cupy())
    assert device.missing(0) is None
    assert device.describe() == [
        ("gpu 0", "Big, 8 GiB, compute capability 9.0"),
        ("cuda", "driver for 12.8, runtime 12.6, NVRTC 12.6"),
        ("cupy", "14.0"),
    ]
