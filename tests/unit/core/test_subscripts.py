"""Texts of indices."""

from __future__ import annotations

import pytest

from dali_studio.core.subscripts import Subscript, letters_of, ordered, parse, written


@pytest.mark.parametrize("text", ["0", "-1", ":", "::2", "1:", ":-1, 0", "a, :, b:c:d", "::-1, 3, :5"])
def test_texts_are_written_as_they_were(text: str) -> None:
    assert written(parse(text)) == text


def test_parts() -> None:
    assert parse("0, a:, ::-2") == (Subscript(0), Subscript(begin="a"), Subscript(step=-2))
    assert letters_of(parse("a, b:c, 0")) == {"a", "b", "c"}
    assert parse(":")[0].whole and not parse("1:")[0].whole
    assert parse(f"{10**30}:")[0].begin == 2**62 and parse(f"-{10**30}:")[0].begin == -(2**62)


@pytest.mark.parametrize(
    "text",
    ["", "...", "0.5", "x", "i", "True", "0], x[1", "0][1", "a()", "[0]", "::0", "1 +", "'a'", "a.b", "0:" * 600, ", ".join("0" * 40), "-a"],
)  # fmt: skip
def test_what_is_no_index_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse(text)


def test_places_are_ordered_as_nvidia_dalis_arguments() -> None:
    places = {("lo", 0): 1, ("at", 10): 2, ("at", 2): 3, ("hi", 0): 4, ("step", 1): 5}
    assert ordered(places) == [("at", 10), ("at", 2), ("hi", 0), ("lo", 0), ("step", 1)]
