"""Mixup and its like, as programs of new users: batches that are mixed with their own samples in another order."""

from __future__ import annotations

import numpy as np
import pytest
from images import pictures
from peers import check, check_refused

from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")
SAME_SIZE = [(40, 50)] * 6
LABELS = ([np.array([label], np.int32) for label in (3, 0, 1, 4, 1, 2)], "")

CLOSE = Tolerance(1, 0.001, relative=1e-5, reason="the weights differ in their last bits")

MIXUP = """
order = fn.batch_permutation()
weight = fn.random.beta(alpha=0.4, beta=0.4)
images = fn.cast(x, dtype=types.FLOAT)
mixed = images * weight + fn.permute_batch(images, indices=order) * (1 - weight)
labels = fn.one_hot(y, num_classes=5)
soft = labels * weight + fn.permute_batch(labels, indices=order) * (1.0 - weight)
return fn.cast(mixed, dtype=types.UINT8), soft, fn.permute_batch(y, indices=order)
"""

CUTMIX = """
order = fn.batch_permutation(no_fixed_points=True)
weight = fn.random.beta(alpha=1.0, beta=1.0)
size = fn.cast(x.shape()[:2], dtype=types.FLOAT)
side = math.sqrt(1 - weight)
shape = fn.cast(size * side, dtype=types.INT32)
anchor = fn.cast(fn.random.uniform(range=[0, 1], shape=[2]) * (size - size * side), dtype=types.INT32)
ones = fn.ones(shape=[40, 50, 1], dtype=types.UINT8)
kept = fn.erase(ones, anchor=fn.cast(anchor, dtype=types.FLOAT), shape=fn.cast(shape, dtype=types.FLOAT), axis_names="HW")
other = fn.permute_batch(x, indices=order)
return x * kept + other * (types.Constant(1, dtype=types.UINT8) - kept), order
"""


def test_mixup() -> None:
    check(MIXUP, {"x": pictures(SAME_SIZE), "y": LABELS}, CLOSE, iterations=3)


def test_cutmix() -> None:
    check(CUTMIX.replace("fn.ones(shape=[40, 50, 1], dtype=types.UINT8)", 'fn.reshape(fn.ones(shape=[40, 50, 1], dtype=types.UINT8), layout="HWC")'),
          {"x": pictures(SAME_SIZE)}, CLOSE, iterations=3)  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 7, 64, 257])
def test_orders(count: int) -> None:
    data = {"x": ([np.int32(k) for k in range(count)], "")}
    calls = [f"fn.batch_permutation(allow_repetitions={some}, no_fixed_points={others})" for some in (True, False) for others in (True, False)]
    check(f"{', '.join(calls)}, fn.permute_batch(x, indices=fn.batch_permutation(seed=3))", data, iterations=2)


def test_beta() -> None:
    data = {"a": ([np.float32(v) for v in (0.3, 1.0, 2.5)], ""), "b": ([np.float32(v) for v in (0.9, 0.1, 1.5)], ""),
            "s": ([np.zeros((3, 2)), np.zeros((1, 1)), np.zeros((0, 5))], "")}  # fmt: skip
    check("fn.random.beta(alpha=a, beta=b), fn.random.beta(s, alpha=a), fn.random.beta(beta=b, shape=[4], dtype=types.FLOAT64)", data, CLOSE, iterations=3)
    for wrong in ("alpha=0.0", "beta=-1.0", "alpha=float('nan')", "dtype=types.INT32", "alpha=a - 0.3"):
        check_refused(f"fn.random.beta({wrong})", data, "DS105", names={"float": float})
