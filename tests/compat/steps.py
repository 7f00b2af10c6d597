"""What a pipeline with external sources does, step after step, under both prefixes."""

from __future__ import annotations

import importlib
from typing import Any

from peers import OURS, THEIRS, Output, assert_equal, collect


class Steps:
    """What a pipeline does, step after step, with ends of data written down."""

    def __init__(self, prefix: str, batch_size: int = 3, **options: Any) -> None:
        self.dali = importlib.import_module(prefix)
        self.fn = importlib.import_module(f"{prefix}.fn")
        self.types = importlib.import_module(f"{prefix}.types")
        self.pipe = self.dali.Pipeline(batch_size=batch_size, num_threads=2, device_id=None, seed=1, **options)
        self.log: list[Any] = []

    def run(self, times: int = 1, **inputs: Any) -> None:
        for _ in range(times):
            try:
                self.log.append(collect(self.pipe.run(**inputs)))
            except StopIteration:
                self.log.append("end")
                self.pipe.reset()


def same_steps(act: Any, **options: Any) -> None:
    """`act(steps)` gives the same log under both prefixes."""
    logs = []
    for prefix in (OURS, THEIRS):
        steps = Steps(prefix, **options)
        act(steps)
        logs.append(steps.log)
    ours, theirs = logs
    assert [item if isinstance(item, str) else "batch" for item in ours] == [item if isinstance(item, str) else "batch" for item in theirs]
    for mine, reference in zip(ours, theirs, strict=True):
        if isinstance(mine, list) and mine and isinstance(mine[0], Output):
            assert_equal(mine, reference)
        else:
            assert mine == reference


def define(steps: Steps, *args: Any, **kwargs: Any) -> None:
    with steps.pipe:
        made = steps.fn.external_source(*args, **kwargs)
        steps.pipe.set_outputs(*(made if isinstance(made, list) else [made]))
    steps.pipe.build()
