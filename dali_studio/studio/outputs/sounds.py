"""Sounds for the browser to play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph

#: Rate that sound of an unknown one is played at, in Hz.
USUAL = 16_000.0
#: Moments that are sent at most; what is longer is cut.
MAX_MOMENTS = 2**21
_RESAMPLERS = ("audio_resample", "experimental.audio_resample")


def rate_of(graph: Graph, port: PortRef, value_of: Callable[[PortRef], float]) -> float | None:
    """The sampling rate of an output in Hz, along first inputs: of the resampler or decoder that it comes from."""
    key: str | None = port.node
    passed: set[str] = set()
    while key is not None and key not in passed:
        passed.add(key)
        node, wired = graph.node(key), graph.argument_inputs(key)
        if node.operator in _RESAMPLERS and "out_rate" in wired:
            return value_of(wired["out_rate"])
        given = node.arguments.get("out_rate") if node.operator in _RESAMPLERS else node.arguments.get("sample_rate")
        if isinstance(given, int | float) and given > 0:
            return float(given)
        if node.operator == "decoders.audio":
            return value_of(PortRef(node=key, output=1))
        first = next(iter(graph.inputs(key)), None)
        key = first.node if first is not None else None
    return None


def pcm(sample: NDArray[Any]) -> tuple[int, bytes]:
    """Channels, and 16-bit numbers in turn: floats of full scale 1, whole numbers of that of their type."""
    moments = sample.reshape(len(sample), -1)[:MAX_MOMENTS]
    if sample.dtype.kind in "iu":
        limits = np.iinfo(sample.dtype)
        moments = (moments.astype(np.float64) - (limits.max // 2 if sample.dtype.kind == "u" else 0)) / (
            limits.max // 2 + 1 if sample.dtype.kind == "u" else limits.max
        )
    finite = np.nan_to_num(moments.astype(np.float32), nan=0.0, posinf=1.0, neginf=-1.0)
    return moments.shape[1], (np.clip(finite, -1, 1) * 32767).round().astype("<i2").tobytes()
