"""One operator on both devices, with the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dali_studio.pipeline import Pipeline

Array = np.ndarray[Any, Any]


def run(define: Callable[..., Any], batch: Sequence[Array], layout: str, *, on_gpu: bool, seed: int = 7) -> list[Any]:
    """The outputs of one iteration of ``define(images)`` over a batch."""
    from dali_studio import fn

    pipeline = Pipeline(batch_size=len(batch), num_threads=2, device_id=0 if on_gpu else None, seed=seed)
    with pipeline:
        images = fn.external_source(source=lambda: list(batch), layout=layout)
        made = define(images.gpu() if on_gpu else images)
        pipeline.set_outputs(*(made if isinstance(made, tuple) else (made,)))
    try:
        return list(pipeline.run())
    finally:
        pipeline.release()


def both(define: Callable[..., Any], batch: Sequence[Array], layout: str = "HWC") -> tuple[list[Array], list[Array]]:
    """The samples of the first output: on the GPU, and on the CPU."""
    ours, reference = run(define, batch, layout, on_gpu=True)[0], run(define, batch, layout, on_gpu=False)[0]
    assert type(ours).__name__ == "TensorListGPU" and type(reference).__name__ == "TensorListCPU"
    assert (ours.dtype, ours.layout(), ours.shape()) == (reference.dtype, reference.layout(), reference.shape())
    host = ours.as_cpu()
    return [host.at(i) for i in range(len(host))], [reference.at(i) for i in range(len(reference))]
