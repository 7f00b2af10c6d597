"""``ops.Compose`` over devices; the rest is compared with nvidia.dali (tests/compat/test_pipeline_api.py)."""

from __future__ import annotations

import pytest

from dali_studio import Pipeline, fn, ops
from dali_studio.core.diagnostics import DaliStudioError


def _operators(pipeline: Pipeline) -> list[str]:
    return [pipeline.graph.node(key).operator for key in pipeline.graph]


def test_data_moves_to_the_gpu_where_it_is_read_there() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipeline:
        files = fn.external_source(name="files")
        made = ops.Compose([ops.decoders.Image(device="cpu"), ops.Resize(size=[6, 8], device="gpu"), ops.Flip(device="gpu")])
        pipeline.set_outputs(made(files))
    assert _operators(pipeline) == ["external_source", "decoders.image", "to_gpu", "resize", "flip"]


def test_what_is_read_on_the_cpu_stays_there() -> None:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=0)
    with pipeline:
        image, start, size = (fn.external_source(name=name) for name in ("image", "start", "size"))
        again = ops.Compose([ops.Slice(device="gpu"), ops.Flip(device="gpu")])
        pipeline.set_outputs(again(image, start, size))
    assert _operators(pipeline).count("to_gpu") == 1


def test_wrong_arguments_are_those_of_the_first_operator() -> None:
    with Pipeline(batch_size=2, num_threads=1, device_id=None), pytest.raises(DaliStudioError, match="angle"):
        ops.Compose([ops.Flip(), ops.Rotate(angle=3.0)])(fn.external_source(name="image"), angle=4.0)
