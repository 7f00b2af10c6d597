"""Matrices of ``fn.warp_affine`` on a GPU: from the CPU, from device memory, in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from declared import declared
from gpu_programs import both
from images import pictures

from dali_studio import fn, types
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.pipeline import Pipeline

MATRICES = [
    np.array([[1, 0.4, -8], [-0.2, 1, 5]], np.float32),
    np.array([[0.866, -0.5, 12], [0.5, 0.866, -9]], np.float32),
    np.array([[2.5, 0, 0], [0, 1.75, 0]], np.float32),
]


def warped(where: str, **arguments: Any) -> list[Any]:
    """Three images by their matrices; `where` says on which devices the two inputs lie."""
    batch = pictures(((57, 43), (64, 80), (33, 90)))
    shifted = iter(range(100))
    pipeline = Pipeline(batch_size=3, num_threads=2, device_id=0 if "gpu" in where else None)
    with pipeline:
        images = fn.external_source(source=lambda: list(batch), layout="HWC")
        matrices = fn.external_source(source=lambda: [m + np.float32(next(shifted) // 3) / 8 for m in MATRICES])
        first, second = where.split()
        images, matrices = (x.gpu() if d == "gpu" else x for x, d in ((images, first), (matrices, second)))
        pipeline.set_outputs(fn.warp_affine(images, matrices, **arguments))
    made = [batch for _ in range(3) for batch in pipeline.run()]
    return [np.asarray(item) for batch in made for item in (batch.as_cpu() if "gpu" in where else batch)]


@pytest.mark.gpu
@pytest.mark.parametrize("where", ["gpu gpu", "gpu cpu"])
@pytest.mark.parametrize("inverse_map", [True, False])
def test_matrices_that_change_with_every_iteration(where: str, inverse_map: bool) -> None:
    arguments = {"inverse_map": inverse_map, "fill_value": 3.0}
    results, references = warped(where, **arguments), warped("cpu cpu", **arguments)
    for index, (result, reference) in enumerate(zip(results, references, strict=True)):
        declared("warp_affine", "gpu").check(result, reference, index)


@pytest.mark.gpu
def test_matrices_in_device_memory_give_what_others_give() -> None:
    for inverse_map in (True, False):
        one, other = (warped(where, inverse_map=inverse_map) for where in ("gpu gpu", "gpu cpu"))
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("angle", [0.0, 10.0, 30.0, 45.0, 77.7, 90.0, 135.0, -150.4, 180.0, 270.0])
def test_nearest_takes_another_pixel_seldom(angle: float, dtype: Any) -> None:
    """Where a position falls on the border of two pixels, to the last bits of float32."""
    batch = pictures(((57, 43), (64, 64), (200, 301)), dtype=np.dtype(dtype))
    results, references = both(lambda x: fn.rotate(x, angle=angle, interp_type=types.INTERP_NN, fill_value=3.0), batch)
    for index, (result, reference) in enumerate(zip(results, references, strict=True)):
        declared("warp_affine", "gpu", interp_type="INTERP_NN").check(result, reference, index)


def test_matrices_on_a_gpu_are_refused_by_the_cpu() -> None:
    with pytest.raises(DaliStudioError) as caught:
        warped("cpu gpu", device="cpu")
    found = caught.value.diagnostics[0]
    assert (found.code, found.node, found.argument) == ("DS207", "warp_affine", "mtx")
