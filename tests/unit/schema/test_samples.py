"""Cases that follow from a declaration alone, and the data in them."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType as T
from dali_studio.core.meta import KINDS
from dali_studio.schema import samples
from dali_studio.schema.declare import Input, Operator, example
from dali_studio.schema.marks import Range, Start


class Shade(Operator):
    """Declares inputs and examples, and nothing about how to try it."""

    inputs = (Input("image", "image", layouts="HWC CHW", dtypes=(T.UINT8, T.FLOAT)), Input("mask", "mask", layouts="HW"))
    examples = (example(strength=0.5), example(strength=2.0))

    strength: float = 1.0


class Told(Shade):
    """Adds a case to those that follow."""

    @classmethod
    def samples(cls) -> list[samples.Case]:
        return [*super().samples(), samples.Case(note="more")]


class Bare(Operator):
    """Has no examples, and arguments that must be given."""

    inputs = (Input("sound", "audio"),)

    rate: Annotated[float, Range(0, 8)]
    taps: Annotated[list[float], Start((1.0, 2.0))]
    dtype: T


def test_examples_meet_every_type_and_layout() -> None:
    cases = Shade.samples()
    assert {case.arguments["strength"] for case in cases} == {0.5, 2.0}
    pairs = {(case.inputs[0].dtype, case.inputs[0].layout) for case in cases}
    assert pairs == {(dtype, layout) for dtype in (T.UINT8, T.FLOAT) for layout in ("HWC", "CHW")}
    assert all(case.inputs[1].samples()[0].ndim == 2 for case in cases)
    assert any(sample.shape == (1, 1, 3) for case in cases for sample in case.inputs[0].samples())
    assert len({case.name() for case in cases}) == len(cases)


def test_an_operator_adds_cases() -> None:
    assert [case.name() for case in Told.samples()] == [*(case.name() for case in Shade.samples()), "more"]


def test_required_arguments_are_guessed() -> None:
    assert {str(dict(case.arguments)) for case in Bare.samples()} == {
        str({"rate": 4.0, "taps": (1.0, 2.0), "dtype": "FLOAT"})
    }


@pytest.mark.parametrize("kind", KINDS)
def test_data_of_every_kind(kind: samples.Any) -> None:
    """It is what it says, has a name of its own, and is the same at every call."""
    made = list(samples.every(Input("input", kind)))
    assert made and len({data.label for data in made}) == len(made)
    for data in made:
        batch = data.samples()
        assert len(batch) > 1 and all(sample.dtype == to_numpy(data.dtype) for sample in batch)
        assert not data.layout or {sample.ndim for sample in batch} == {len(data.layout)}
        for one, again in zip(batch, data.samples(), strict=True):
            assert np.array_equal(one, again)


def test_any_tensor_has_every_type_and_empty_shapes() -> None:
    made = list(samples.every(Input("input")))
    assert {data.dtype for data in made} == set(NUMERIC)
    assert {sample.ndim for data in made for sample in data.samples()} >= {0, 1, 2, 3, 4}
    assert any(sample.size == 0 for data in made for sample in data.samples())


def test_axes_of_pictures() -> None:
    for layout, shape in (("HW", (5, 7)), ("CHW", (3, 5, 7)), ("FHWC", (2, 5, 7, 3)), ("FCHW", (2, 3, 5, 7)), ("DHWC", (2, 5, 7, 3))):
        (made,) = samples.images(((5, 7),), layout=layout, others=2).samples()
        assert made.shape == shape
    (hwc,), (chw,) = (samples.images(((5, 7),), layout=layout).samples() for layout in ("HWC", "CHW"))
    assert np.array_equal(hwc.transpose(2, 0, 1), chw)
