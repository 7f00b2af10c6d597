"""Functions that Numba compiles for a GPU: what kernels are given, and what they write."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from dali_studio import fn, pipeline_def, types
from dali_studio.core.optional import available
from dali_studio.kernels.cuda.device import cupy
from dali_studio.pipeline import Pipeline

pytestmark = pytest.mark.gpu
numba: Any = pytest.importorskip("numba")
EMULATED = available("cupy") and "emulated" in cupy().__version__
if EMULATED:
    numba.config.ENABLE_CUDASIM = 1  # what "numba.cuda" is, is decided when it is imported
cuda: Any = pytest.importorskip("numba.cuda")


def brightened(out: Any, source: Any) -> None:
    x, y = cuda.grid(2)
    if x < out.shape[0] and y < out.shape[1]:
        for channel in range(out.shape[2]):
            out[x, y, channel] = min(int(source[x, y, channel]) + 40, 255)


def turned(out: Any, first: Any, source: Any) -> None:
    x, y = cuda.grid(2)
    if x < source.shape[0] and y < source.shape[1]:
        out[y, x] = math.sqrt(source[x, y, 0])
        if x == 0:
            first[y] = source[x, y, 1] > 100


def turned_shapes(outs: Any, ins: Any) -> None:
    for sample in range(len(outs[0])):
        outs[0][sample][0], outs[0][sample][1] = ins[0][sample][1], ins[0][sample][0]
        outs[1][sample][0] = ins[0][sample][1]


def summed(out: Any, left: Any, right: Any) -> None:
    place = cuda.grid(1)
    if place < out.shape[0]:
        out[place] = left[place] + right[0]


def shapes_of_first(outs: Any, ins: Any) -> None:
    for sample in range(len(ins[0])):
        outs[0][sample][:] = ins[0][sample]


#: While a kernel runs, the simulator puts another module in the place of ``cuda`` here, for all threads.
_SIMULATOR = threading.Lock()


def _simulated(function: Callable[..., None], declared: Sequence[tuple[np.dtype[Any], int]], device_id: int) -> Any:
    """A kernel that Numba's simulator runs, of arrays as a kernel in machine code gets them."""
    with _SIMULATOR:
        simulated: Any = cuda.jit(function)

    def call(grid: Any, block: Any, given: Sequence[Any]) -> None:
        arrays: list[Any] = []
        rest = [int(value) for value in given]
        for dtype, ndim in declared:
            own, parent, count, size, address = rest[:5]
            shape, strides = rest[5 : 5 + ndim], rest[5 + ndim : 5 + 2 * ndim]
            rest = rest[5 + 2 * ndim :]
            assert (own, parent, count, size) == (0, 0, math.prod(shape), dtype.itemsize)
            memory: Any = (ctypes.c_char * max(count * size, 1)).from_address(address)
            arrays.append(np.ndarray(shape, dtype, memory, strides=strides))
            assert arrays[-1].flags.c_contiguous
        assert not rest
        with _SIMULATOR:
            simulated[grid, block](*arrays)

    return call


@pytest.fixture(autouse=True)
def simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where CuPy is emulated, so are the kernels."""
    if EMULATED:
        monkeypatch.setattr("dali_studio.plugin.numba.gpu._compiled", _simulated)


PICTURES = [np.random.default_rng(seed).integers(0, 256, (5 + seed, 7, 3), np.uint8) for seed in range(4)]


def run(define: Callable[[Any], Any], batch: Sequence[Any] = PICTURES) -> list[list[Any]]:
    pipeline = Pipeline(batch_size=len(batch), num_threads=2, device_id=0)
    with pipeline:
        made = define(fn.external_source(source=lambda: list(batch)))
        pipeline.set_outputs(*(made if isinstance(made, (list, tuple)) else (made,)))
    try:
        outputs: list[list[Any]] = []
        for _ in range(2):
            outputs = [[one.as_cpu().at(i) for i in range(len(batch))] for one in pipeline.run()]
        return outputs
    finally:
        pipeline.release()


def call(*inputs: Any, **arguments: Any) -> Any:
    from dali_studio.plugin.numba.fn import numba_function

    return numba_function(*inputs, blocks=[2, 2, 1], threads_per_block=[8, 8, 1], **arguments)


@pytest.mark.parametrize(
    "batch", [PICTURES, [PICTURES[0], PICTURES[0][::-1]], PICTURES[:1]], ids=["ragged", "equal", "one"]
)
def test_outputs_of_the_shapes_of_inputs(batch: Sequence[Any]) -> None:
    """The device is the inputs' one."""
    words = {"out_types": [types.UINT8], "in_types": [types.UINT8], "outs_ndim": [3], "ins_ndim": [3]}
    (made,) = run(lambda x: call(x.gpu(), run_fn=brightened, **words), batch)
    for result, image in zip(made, batch, strict=True):
        assert np.array_equal(result, np.minimum(image.astype(int) + 40, 255))


def test_shapes_by_a_function_and_several_outputs() -> None:
    words = {"out_types": [types.FLOAT, types.BOOL], "in_types": [types.UINT8], "outs_ndim": [2, 1], "ins_ndim": [3]}
    made, first = run(lambda x: call(x.gpu(), run_fn=turned, setup_fn=turned_shapes, **words))
    for result, flags, image in zip(made, first, PICTURES, strict=True):
        assert result.dtype == np.float32 and np.allclose(
            result, np.sqrt(image[..., 0].T.astype(np.float32)), rtol=1e-6
        )
        assert flags.dtype == np.bool_ and np.array_equal(flags, image[0, :, 1] > 100)


def test_inputs_of_several_types() -> None:
    words = {"out_types": [types.FLOAT64], "in_types": [types.INT64, types.FLOAT64], "outs_ndim": [1], "ins_ndim": [1, 1],
             "setup_fn": shapes_of_first}  # fmt: skip
    rows = [np.arange(number, dtype=np.int64) for number in (3, 1, 5)]
    (made,) = run(lambda x: call(x.gpu(), fn.cast(x.gpu(), dtype=types.FLOAT64) + 2.0, run_fn=summed, **words), rows)
    for result, row in zip(made, rows, strict=True):
        assert np.array_equal(result, row + 2.0)


def test_samples_of_a_branch() -> None:
    """A batch of none launches nothing."""
    words = {"out_types": [types.UINT8], "in_types": [types.UINT8], "outs_ndim": [3], "ins_ndim": [3]}

    @pipeline_def(batch_size=4, num_threads=1, device_id=0, enable_conditionals=True)
    def branched(least: int) -> Any:
        x = fn.external_source(source=lambda: PICTURES, batch=True)
        out = x.gpu()
        if fn.shapes(x)[0] > least:
            out = call(out, run_fn=brightened, **words)
        return out

    for least in (0, 6, 100):
        (made,) = branched(least).run()
        for index, image in enumerate(PICTURES):
            expected = np.minimum(image.astype(int) + 40, 255) if len(image) > least else image
            assert np.array_equal(made.as_cpu().at(index), expected)
