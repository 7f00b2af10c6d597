"""What the browser is told of wires."""

from __future__ import annotations

from dali_studio.api.default import default_registry
from dali_studio.graph.fit import catalog


def test_what_a_palette_says_has_no_marks_of_docstrings() -> None:
    said = [text for one in catalog(default_registry()).operators
            for text in (one.summary, one.doc, *(argument.doc for argument in one.arguments))]  # fmt: skip
    assert any("slice" in text for text in said) and not any("`" in text for text in said)


def test_operators_that_take_any_data_and_keep_its_kind_are_told_from_those_that_make_something_else_of_it() -> None:
    kept = set(catalog(default_registry()).keep_kind)
    assert {"cast", "erase", "grid_mask", "gaussian_blur", "noise.shot"} <= kept
    assert not {"rotate", "shapes", "reductions.mean", "one_hot", "ones_like", "filter"} & kept
