"""Iterators for JAX on a GPU: arrays that lie there, with the CPU's numbers, in memory that nobody else writes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn
from dali_studio.plugin.jax import DALIGenericIterator

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def devices() -> list[Any]:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory to the pipelines of other tests
    jax = pytest.importorskip("jax", reason="iterators for JAX need jax, which is not installed")
    try:
        return jax.devices("cuda")
    except RuntimeError as error:
        pytest.skip(f"jax {jax.__version__} cannot use a GPU: {error}")


def numbered(dtype: Any, device_id: int = 0) -> Pipeline:
    """A pipeline whose batches are filled with their number; a kernel writes them."""
    given = ([np.full((64, 48, 3), number, dtype)] * 4 for number in range(1, 100))
    pipe = Pipeline(batch_size=4, num_threads=2, device_id=device_id)
    with pipe:
        pipe.set_outputs(fn.flip(fn.external_source(source=lambda: next(given), layout="HWC").gpu()))
    return pipe


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32])
def test_arrays_lie_on_the_gpu_and_stay_as_they_are(devices: list[Any], dtype: Any) -> None:
    batches = DALIGenericIterator(numbered(dtype), ["images"], size=400)
    held = [next(batches)["images"] for _ in range(20)]
    for number, array in enumerate(held, 1):
        assert array.devices() == {devices[0]}
        assert (array.shape, array.dtype) == ((4, 64, 48, 3), dtype)
        assert (np.asarray(array) == number).all()


def test_a_function_that_is_compiled_reads_them_while_the_pipeline_goes_on(devices: list[Any]) -> None:
    import jax

    add = jax.jit(lambda total, images: total + images.astype(np.float32).sum())
    total = jax.device_put(np.float32(0), devices[0])
    batches = DALIGenericIterator(numbered(np.uint8), ["images"], size=400)
    for _ in range(50):
        total = add(total, next(batches)["images"])
    assert float(total) == sum(range(1, 51)) * 4 * 64 * 48 * 3


def test_an_array_over_two_gpus(devices: list[Any]) -> None:
    import jax

    if len(devices) < 2:
        pytest.skip("needs two GPUs")
    mesh = jax.sharding.Mesh(np.array(devices), ("batch",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    pipes = [numbered(np.uint8, device.id) for device in devices]
    array = next(DALIGenericIterator(pipes, ["images"], size=400, sharding=sharding))["images"]
    assert array.shape == (4 * len(devices), 64, 48, 3)
    assert array.sharding == sharding and (np.asarray(array) == 1).all()
