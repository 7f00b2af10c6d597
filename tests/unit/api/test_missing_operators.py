"""Names that ``fn`` and ``ops`` do not have: what people paste from elsewhere."""

from __future__ import annotations

from operator import attrgetter

import pytest

import dali_studio
from dali_studio.api.default import default_registry
from dali_studio.schema.dali_functions import FUNCTIONS


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("fn.rotates", "fn.rotate"),
        ("fn.resise", "fn.resize"),
        ("fn.readers.fil", "fn.readers.file"),
        ("ops.Resise", "ops.Resize"),
        ("ops.HSV", "ops.Hsv"),
    ],
)
def test_the_error_names_what_may_be_meant(given: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=rf"no operator {given}\. Did you mean {meant}\? `dali-studio support` "):
        attrgetter(given)(dali_studio)
    attrgetter(meant)(dali_studio)


def test_the_error_guesses_nothing_where_nothing_is_near() -> None:
    with pytest.raises(AttributeError) as caught:
        attrgetter("fn.cubism")(dali_studio)
    assert str(caught.value) == "dali_studio has no operator fn.cubism. `dali-studio support` lists what there is."


def test_nothing_of_dali_is_missing() -> None:
    registry = default_registry()
    assert not {name for name in FUNCTIONS if name not in registry and name not in registry.former()}


def test_documents_say_what_dali_has_as_well() -> None:
    found = default_registry().unknown("gaussian_blur", "blur")
    assert (found.code, found.node) == ("DS101", "blur")
    assert found.message == "nvidia.dali has the operator 'gaussian_blur', dali_studio does not have it yet."
    assert default_registry().unknown("rotatte").hint == "Did you mean 'rotate'?"


def test_modules_can_still_be_asked() -> None:
    assert not hasattr(dali_studio.fn, "cubism")
    assert getattr(dali_studio.ops, "Cubism", None) is None
    with pytest.raises(ImportError, match="cubism"):
        exec("from dali_studio.fn import cubism")
