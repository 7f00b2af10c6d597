"""Kernels draw the CPU's numbers wherever in the stream of random words an operator is, as in dynamic mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.kernels.cpu import displace
from dali_studio.kernels.cpu import noise as on_cpu
from dali_studio.kernels.cuda import chains, noise
from dali_studio.kernels.cuda.displace import jitter_part
from dali_studio.kernels.cuda.parts import Part
from dali_studio.kernels.cuda.stream import GpuStream

pytestmark = pytest.mark.gpu

Array = np.ndarray[Any, Any]
#: The last has a width of which rows begin anywhere.
SIZES = ((5, 8), (1, 1), (33, 37))
KEY, HIGHS = 0x123456789ABC, np.array([3, 5, 1 << 40], np.uint64)


def _same(batch: Batch, number: float) -> NDArray[np.float32]:
    return np.full(len(batch), number, np.float32)


def _salt(batch: Batch, origin: int) -> Part:
    chances, salts, channels = _same(batch, 0.6), _same(batch, 0.2), batch.shapes[:, 2]
    values = np.tile(np.array([250, 4], batch.dtype), (len(batch), 1))
    return noise.salt_and_pepper_part(batch, KEY, HIGHS, chances, salts, values, channels, planar=False, origin=origin)


def _salt_on_cpu(image: Array, out: Array, high: int, origin: int) -> None:
    values = np.array([250, 4], image.dtype)
    on_cpu.salt_and_pepper(image, out, KEY, high, 0.6, 0.2, values, image.shape[2], planar=False, origin=origin)


def _gaussian(batch: Batch, origin: int) -> Part:
    return noise.gaussian_part(batch, KEY, HIGHS, _same(batch, 3), _same(batch, 20), origin)


def _shot(batch: Batch, origin: int) -> Part:
    return noise.shot_part(batch, KEY, HIGHS, _same(batch, 11), origin)


def _jitter(batch: Batch, origin: int) -> Part:
    return jitter_part(np.zeros(len(batch), np.bool_), KEY, HIGHS, 6, origin)


DRAWN: dict[str, tuple[Callable[[Batch, int], Part], Callable[[Array, Array, int, int], None]]] = {
    "gaussian": (_gaussian, lambda image, out, high, origin: on_cpu.gaussian(image, out, KEY, high, 3, 20, origin)),
    "salt and pepper": (_salt, _salt_on_cpu),
    "shot": (_shot, lambda image, out, high, origin: on_cpu.shot(image, out, KEY, high, 11, origin)),
    "jitter": (_jitter, lambda image, out, high, origin: displace.jitter(image, out, KEY, high, 6, origin)),
}


def _run(images: Sequence[Array], made: Callable[[Batch], Part]) -> list[Array]:
    """What a part makes of a batch on the GPU."""
    stream = GpuStream(0)
    slot = stream.begin()
    with stream.use(slot):
        batch = Batch.of(list(images), "HWC")
        src = stream.target(batch.shapes, batch.dtype, "HWC")
        host = stream.pinned(src.size)
        for image, there in zip(images, src.on_host(host), strict=True):
            there[...] = image
        stream.fill(src, host, 0, src.size)
        stream.filled()
        out = stream.empty(batch.shapes, batch.dtype, "HWC")
        chains.run(src, out, [made(src)], (), stream)
        result = stream.fetch(out)
        stream.synchronize()
        return [one.copy() for one in out.on_host(result)]


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("origin", [0, 4, 7, (1 << 33) + 1])
def test_numbers_are_those_of_the_cpu(name: str, origin: int) -> None:
    part, expected_of = DRAWN[name]
    for dtype, channels in (("u1", 3), ("u1", 1), ("u1", 4), ("f4", 3)):
        if name == "jitter" and dtype != "u1":
            continue  # it moves bytes of images
        random = np.random.default_rng(channels)
        images = [random.integers(0, 256, (*size, channels)).astype(dtype) for size in SIZES]
        for index, (image, ours) in enumerate(zip(images, _run(images, lambda src: part(src, origin)), strict=True)):
            expected = np.empty_like(image)
            expected_of(image, expected, int(HIGHS[index]), origin)
            assert np.array_equal(ours, expected), (dtype, channels, index)
