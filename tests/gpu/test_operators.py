"""Every operator that offers a GPU gives there what it gives on the CPU, over the cases that it offers."""

from __future__ import annotations

from typing import Any

import pytest
from chosen import some
from subjects import ACCEPTED, REGISTRY, Subject, assert_equal, pipeline, results, run

from dali_studio import DaliStudioError
from dali_studio.core.diagnostics import errors
from dali_studio.graph.validate import validate
from dali_studio.schema.declare import overrides
from dali_studio.schema.traits import MadeOnCpu, ReadsData

pytestmark = pytest.mark.gpu


def on_gpu(subject: Subject) -> bool:
    """Whether the operator has both devices for the case, and gives the same on both.

    Decoders of images have a test of their own, and so has what decodes videos, whose colours differ.
    """
    if "gpu" not in subject.schema.devices or subject.has(ReadsData):
        return False
    if subject.has(MadeOnCpu) and overrides(REGISTRY.operator(subject.schema.name), "run_gpu"):
        return False
    found = errors(validate(pipeline(subject, device="gpu").graph, REGISTRY).diagnostics)
    return not any(one.code == "DS207" and "not supported on the GPU" in one.message for one in found)


def decodes_images_on_gpu(subject: Subject) -> bool:
    """Whether the operator decodes images on the device "mixed"."""
    return "mixed" in subject.schema.devices and subject.schema.argument("jpeg_fancy_upsampling") is not None


OFFERED = [subject for subject in some(one for one in ACCEPTED if "gpu" in one.schema.devices) if on_gpu(subject)]


@pytest.mark.parametrize("subject", OFFERED, ids=str)
def test_gpu_gives_what_the_cpu_gives(subject: Subject, record_property: Any) -> None:
    reference = results(subject)
    if isinstance(reference, DaliStudioError):
        with pytest.raises(DaliStudioError) as caught:
            run(pipeline(subject, device="gpu"), 2)
        found, expected = caught.value.diagnostics[0], reference.diagnostics[0]
        assert (found.code, found.node, found.argument) == (expected.code, expected.node, expected.argument)
        record_property("refused", True)
        return
    result = run(pipeline(subject, device="gpu"), 2)
    record_property("compared", [data.dtype.name for data in subject.case.inputs[:1]])
    if subject.has(MadeOnCpu):
        assert_equal(result, reference)
        return
    tolerance = subject.tolerance("gpu")
    for number, (mine, other) in enumerate(zip(result, reference, strict=True)):
        assert (mine.dtype, mine.layout, len(mine.samples)) == (other.dtype, other.layout, len(other.samples))
        for index, (one, expected) in enumerate(zip(mine.samples, other.samples, strict=True)):
            tolerance.check(one, expected, f"output {number} sample {index}")


@pytest.mark.grid
@pytest.mark.parametrize("subject", [one for one in ACCEPTED if decodes_images_on_gpu(one)], ids=str)
def test_decoders_on_the_device_mixed_give_what_the_cpu_gives(subject: Subject) -> None:
    given = {**subject.case.arguments, "jpeg_fancy_upsampling": True}  # as the CPU
    made = pipeline(subject, device="mixed", arguments=given)
    reference = results(subject)
    if isinstance(reference, DaliStudioError):
        with pytest.raises(DaliStudioError) as caught:
            run(made, 2)
        found, expected = caught.value.diagnostics[0], reference.diagnostics[0]
        assert (found.code, found.node, found.sample) == (expected.code, expected.node, expected.sample)
        return
    assert_equal(run(made, 2), reference)
