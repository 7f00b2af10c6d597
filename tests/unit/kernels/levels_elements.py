"""Arithmetic, reductions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.kernels.cpu.elementwise import Operand, compute
from dali_studio.kernels.cpu.reduce import reduce_extremes, reduce_sums

TYPES = [np.dtype(name) for name in ("u1", "i2", "u4", "i8", "f4", "f8")]


def results(random: np.random.Generator) -> Iterator[NDArray[Any]]:
    for dtype in TYPES:
        x, y = random.normal(0, 50, (2, 70, 33, 3))
        if dtype.kind == "u":  # what becomes of negative numbers is the processor's business
            x, y = np.abs(x), np.abs(y)
        a, b = x.astype(dtype), y[0].astype(dtype)
        if dtype.kind != "f":
            b[b == 0] = 3  # whole numbers are not divided by zero
        common = np.dtype(np.float32) if dtype.kind != "f" else dtype
        for functor in ("Add", "Multiply", "Divide", "Least", "Modulo", *(["Power"] if dtype.kind != "f" else [])):
            out = np.empty(a.shape, dtype)
            compute(functor, [Operand.of([a]), Operand.of([b])], Operand.of([out]), dtype)
            yield out
        # the systems' libraries compute other functions, and differ in last bits
        for functor in ("Root", "Floor", "ReciprocalRoot"):
            out = np.empty(a.shape, common)
            compute(functor, [Operand.of([a])], Operand.of([out]), common)
            yield out
    for dtype in ("u1", "i2", "u4", "i8", "f4"):
        a = np.abs(random.normal(0, 50, (40, 33, 20))).astype(dtype)
        for axes in ([True, False, False], [False, True, True], [True, False, True]):
            out = np.empty([size for size, gone in zip(a.shape, axes, strict=True) if not gone], np.float32)
            reduced = np.array(axes)
            for taken, finish in (("itself", "sum"), ("square", "root")):
                reduce_sums(Operand.of([a]), reduced, Operand.of([out]), taken=taken, finish=finish)
                yield out
            least = np.empty(out.shape, dtype)
            reduce_extremes(Operand.of([a]), reduced, Operand.of([least]), largest=False)
            yield least


def digest() -> str:
    """Of all that is computed here; the bits of what is no number may differ."""
    made = hashlib.sha256()
    for array in results(np.random.default_rng(0)):
        made.update(np.where(array == array, array, 0).astype(array.dtype).tobytes())
    return made.hexdigest()
