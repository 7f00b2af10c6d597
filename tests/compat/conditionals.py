"""Pipelines with conditions, of either package."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from peers import Output, collect

BATCH = 6
A, B = (1, 0, 1, 0, 0, 1), (1, 1, 0, 0, 1, 1)


class World:
    """The modules of one of the two, and batches as sources."""

    def __init__(self, prefix: str) -> None:
        self.fn, self.types = (importlib.import_module(f"{prefix}.{name}") for name in ("fn", "types"))
        self.pipeline_def = importlib.import_module(prefix).pipeline_def

    def data(self) -> Any:
        """0, 10, 20 ..., with one more in each iteration."""
        return self.fn.external_source(source=lambda i: [np.int32(10 * k + i) for k in range(BATCH)])

    def condition(self, values: Sequence[float] = A, dtype: Any = np.bool_) -> Any:
        """The values, turned by one in each iteration."""
        return self.fn.external_source(source=lambda i: [np.array(v, dtype) for v in np.roll(values, i)])

    def numbers(self, *values: float) -> Any:
        """The same numbers for all samples."""
        return self.fn.external_source(source=lambda i: [np.float32(values if len(values) > 1 else values[0])] * BATCH)

    def real(self, node: Any) -> Any:
        """As FLOAT."""
        return self.fn.cast(node, dtype=self.types.FLOAT)


OPTIONS = {"batch_size": BATCH, "num_threads": 1, "device_id": None, "seed": 5}


def pipe(prefix: str, program: Callable[[World], Any], **options: Any) -> Any:
    """The pipeline of a program."""
    world = World(prefix)
    return world.pipeline_def(program, enable_conditionals=True, **OPTIONS, **options)(world)


def outputs(made: Any, iterations: int = 3) -> list[list[Output]]:
    """Outputs by iteration."""
    made.build()
    return [collect(made.run()) for _ in range(iterations)]
