"""Where sums of squares begin anew decides, by their rounding, where noise as loud as the cutoff ends."""

from __future__ import annotations

import numpy as np
import pytest
from peers import check

pytestmark = pytest.mark.usefixtures("nvidia")


@pytest.mark.parametrize(("width", "interval"), [(256, 1024), (512, 2048), (100, 700), (256, 256), (512, -1)])
@pytest.mark.parametrize("cutoff", [-60.0, -65.0])
def test_noise_at_the_cutoff(cutoff: float, width: int, interval: int) -> None:
    sounds: list[np.ndarray[tuple[int], np.dtype[np.float32]]] = []
    for seed in (9, 13, 16, 18, 22, 32):
        noise = np.random.default_rng(seed).normal(0, 1, 20_000)
        noise[3000:] *= 10 ** (cutoff / 20) * 0.93
        sounds.append(noise.astype(np.float32))
    arguments = f"cutoff_db={cutoff}, window_length={width}, reset_interval={interval}"
    for output in (0, 1):
        check(f"fn.nonsilent_region(sounds, {arguments})[{output}]", {"sounds": sounds})
