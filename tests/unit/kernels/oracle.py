"""The real nvidia.dali as an oracle for kernel tests: one operator, one sample, on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]


def nvidia_dali() -> Any:
    """The package, or a skip where it is not installed."""
    return pytest.importorskip("nvidia.dali", reason="the comparison needs nvidia-dali, which is not installed")


def run(operator: Callable[..., Any], array: Array, layout: str = "HWC", **arguments: Any) -> Array:
    """The output of `operator(array, **arguments)`."""
    dali = nvidia_dali()
    pipeline = dali.Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipeline:
        source = dali.fn.external_source(source=lambda: [array], layout=layout)
        pipeline.set_outputs(operator(source, **arguments))
    pipeline.build()
    return np.array(pipeline.run()[0][0])


def dali_type(dtype: Any) -> Any:
    """nvidia.dali's name of a numpy dtype."""
    names = {"float32": "FLOAT", "float64": "FLOAT64", "float16": "FLOAT16"}
    name = np.dtype(dtype).name
    return getattr(nvidia_dali().types, names.get(name, name.upper()))


def interp_type(kind: int) -> Any:
    """nvidia.dali's interpolation kind of that number."""
    return nvidia_dali().types.DALIInterpType(kind)


def image(height: int, width: int, channels: int, dtype: Any = np.uint8, seed: int = 0) -> Array:
    """A smooth random picture with some noise, in 0..255."""
    generator = np.random.default_rng([seed, height, width, channels])
    y, x, c = np.ogrid[0:height, 0:width, 0:channels]
    phase = generator.uniform(0, 6, 3)
    waves = np.sin(y / 7.0 + phase[0] + c) + np.cos(x / 5.0 + phase[1] - c) + np.sin((x + y) / 23.0 + phase[2])
    noisy = 127.5 + 35 * waves + generator.normal(0, 8, (height, width, channels))
    return np.clip(noisy, 0, 255).astype(dtype)
