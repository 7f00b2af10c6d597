"""Dynamic mode computes what pipelines compute, and what nvidia.dali's dynamic mode does, over the cases of all operators."""

from __future__ import annotations

from typing import Any

import pytest
from chosen import some
from dynamic import computed, has_peer, tried
from subjects import ACCEPTED, EXAMPLES, THEIRS, Subject, assert_equal, results

from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.schema.traits import MixesSamples, PerSample

TRIED = [one for one in EXAMPLES if tried(one)]
FUNCTIONS = sorted({one.operator for one in TRIED})
#: nvidia.dali makes tensors of numbers that do not stand in the call itself, which it takes otherwise than constants:
#: it refuses them, forgets other arguments, or gives other shapes. The cases come to it in variables.
AS_TENSORS = ("reshape", "reinterpret", "coord_transform")


@pytest.mark.parametrize("operator", FUNCTIONS)
def test_batches_and_tensors_give_what_pipelines_give(operator: str) -> None:
    """Bit by bit; random operators draw from elsewhere."""
    for subject in TRIED:
        if subject.operator != operator or subject.schema.seeded:
            continue
        expected = results(subject)
        if isinstance(expected, DaliStudioError):
            with pytest.raises(DaliStudioError) as caught:
                computed(subject)
            assert caught.value.diagnostics[0].code == expected.diagnostics[0].code, str(subject)
            continue
        made = computed(subject)
        once = expected[: len(made)]  # of two iterations
        _same(made, once)
        if subject.has(PerSample) and not subject.has(MixesSamples) and subject.case.inputs:
            for output, whole in zip(computed(subject, alone=1), made, strict=True):
                assert (output.layout, output.samples[0].dtype) == (whole.layout, whole.samples[0].dtype), str(subject)
                assert output.samples[0].tobytes() == whole.samples[1].tobytes(), str(subject)


def _same(made: list[Any], expected: list[Any]) -> None:
    named = [type(one)(str(one.samples[0].dtype), one.layout, one.samples) for one in (*made, *expected)]
    assert_equal(named[: len(made)], named[len(made) :])


@pytest.mark.parametrize("subject", some(one for one in ACCEPTED if tried(one) and has_peer(one)), ids=str)
def test_batches_give_what_nvidia_dali_gives(subject: Subject, nvidia: Any) -> None:
    """Random operators draw from generators with one seed, and give the same numbers."""
    del nvidia
    if isinstance(results(subject), DaliStudioError):  # refused for its data; some bad calls crash nvidia.dali
        return
    try:
        theirs = computed(subject, THEIRS)
    except (RuntimeError, ValueError):
        theirs = None
    ours = computed(subject)
    if theirs is None or subject.operator in AS_TENSORS:
        return
    assert len(ours) == len(theirs)
    for number, (mine, reference) in enumerate(zip(ours, theirs, strict=True)):
        assert (mine.dtype, mine.layout, len(mine.samples)) == (reference.dtype, reference.layout, len(reference.samples))
        for index, (result, expected) in enumerate(zip(mine.samples, reference.samples, strict=True)):
            subject.tolerance().check(result, expected, f"output {number} sample {index}")
