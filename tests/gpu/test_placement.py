"""What is refused, with and without a GPU."""

from __future__ import annotations

import numpy as np
import pytest

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cuda import device
from dali_studio.pipeline import Pipeline


def pipeline_with(define: object, device_id: int | None = 0) -> Pipeline:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=device_id)
    with pipeline:
        images = fn.external_source(source=lambda: [np.zeros((4, 5, 3), np.uint8)] * 2, layout="HWC")
        pipeline.set_outputs(define(images))  # type: ignore[operator]
    return pipeline


def finding(pipeline: Pipeline) -> tuple[str, str, str]:
    with pytest.raises(DaliStudioError) as caught:
        pipeline.build()
    first = caught.value.diagnostics[0]
    return first.code, first.node, first.message + " " + first.hint


def test_devices_are_inferred_from_inputs() -> None:
    graph = pipeline_with(lambda images: fn.flip(fn.resize(images.gpu(), size=(3.0, 3.0)))).graph
    assert {key: graph.node(key).device for key in graph} == {
        "source": "cpu",
        "to_gpu": "mixed",
        "resize": "gpu",
        "flip": "gpu",
    }


def test_a_cpu_operator_after_a_gpu_one_is_refused() -> None:
    code, node, text = finding(pipeline_with(lambda images: fn.flip(images.gpu(), device="cpu")))
    assert (code, node) == ("DS207", "flip") and "Place flip on the GPU, or copy to_gpu to the CPU with .cpu()" in text


def test_argument_inputs_lie_on_the_cpu() -> None:
    code, node, text = finding(
        pipeline_with(lambda images: fn.rotate(images.gpu(), angle=fn.random.uniform(device="gpu")))
    )
    assert (code, node) == ("DS207", "rotate") and "argument inputs are read on the CPU" in text


def test_a_pipeline_without_device_id_has_no_gpu() -> None:
    assert finding(pipeline_with(lambda images: fn.flip(images.gpu()), device_id=None))[0] == "DS206"


def test_without_cupy_one_finding_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "available", lambda module: False)
    device.missing.cache_clear()
    try:
        code, node, text = finding(pipeline_with(lambda images: fn.flip(images.gpu())))
    finally:
        device.missing.cache_clear()
    assert (code, node) == ("DS206", "to_gpu")
    assert "to_gpu (mixed), flip (gpu) need a GPU. CuPy" in text
    assert "dali-studio[gpu-cu12]" in text and 'device="cpu"' in text


@pytest.mark.gpu
def test_a_gpu_that_is_not_there_is_refused() -> None:
    code, _, text = finding(pipeline_with(lambda images: fn.flip(images.gpu()), device_id=63))
    assert code == "DS206" and "device_id is 63, but there is" in text
