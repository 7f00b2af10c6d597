"""NVTX ranges: what NVIDIA's Nsight Systems draws above threads and kernels, one for each node and iteration.

They are off unless the environment variable ``DALI_STUDIO_NVTX`` is set (to anything but ``0``) before the first
pipeline runs: a range costs time on every step of every sample.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.kernels.cuda.device import cupy

VARIABLE = "DALI_STUDIO_NVTX"


@cache
def nvtx() -> Any | None:
    """CuPy's module of ranges if they are wanted, else ``None``.

    Raises
    ------
    DaliStudioError
        DS601 if they are wanted and cannot be made.
    """
    if os.environ.get(VARIABLE, "0") in ("", "0"):
        return None
    module = cupy().cuda.nvtx
    if not getattr(module, "available", True):
        raise DaliStudioError(
            Diagnostic(
                code="DS601", message=f"{VARIABLE} is set, but this CuPy was built without NVTX.",
                hint=f"Install another build of CuPy, or unset {VARIABLE}.",
            )
        )  # fmt: skip
    return module


@contextmanager
def named(name: str) -> Generator[None]:
    """A range around the body, if ranges are wanted."""
    module = nvtx()
    if module is None:
        yield
        return
    module.RangePush(name)
    try:
        yield
    finally:
        module.RangePop()
