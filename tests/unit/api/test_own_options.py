"""Options of a pipeline that nvidia.dali does not have."""

from __future__ import annotations

import pytest

from dali_studio import fn, pipeline_def
from dali_studio.core.diagnostics import DaliStudioError


@pipeline_def(batch_size=1, num_threads=1, device_id=None, fuse_warps=True, device_memory_limit=1 << 20)
def pipeline(**_: object) -> object:
    return fn.random.uniform()


def test_they_belong_to_the_pipeline_even_if_its_function_takes_any_argument() -> None:
    assert len(pipeline(device_memory_limit=1 << 21, fuse_warps=False).run()[0]) == 1


def test_without_a_gpu_no_picture_is_decoded_for_one() -> None:
    made = pipeline()
    assert made.decoded_images() == {}
    made.run()
    assert made.decoded_images() == {} and made.failed_samples() == ()


def test_a_limit_without_memory_is_refused() -> None:
    with pytest.raises(DaliStudioError) as caught:
        pipeline(device_memory_limit=0)
    found = caught.value.diagnostics[0]
    assert (found.code, found.argument) == ("DS105", "device_memory_limit")
