"""Conditions that are refused, here and by nvidia.dali."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conditionals import BATCH, A, B, World, outputs, pipe
from peers import OURS, THEIRS

pytestmark = pytest.mark.usefixtures("nvidia")


def one_axis(w: World) -> Any:
    x = w.data()
    if w.fn.external_source(source=lambda: [np.array([True])] * BATCH):
        x = np.int32(1)
    return x


def no_truth_value(w: World) -> Any:
    return w.condition(A, np.int32) and w.condition()


def no_truth_value_right(w: World) -> Any:
    return w.condition() or w.condition(A, np.float32)


def set_in_one_branch(w: World) -> Any:
    if w.condition():
        y = w.data()
    return y


def returns_in_one_branch(w: World) -> Any:
    if w.condition():
        return w.data()


def returns_on_some_ways(w: World) -> Any:
    x = w.data()
    if w.condition():
        if w.condition(B):
            return x
        x = np.int32(3)
    return x


def other_structure(w: World) -> Any:
    x = w.data()
    if w.condition():
        pair = (x, x)
    else:
        pair = [x, x]
    return pair[0]


def none_in_one_branch(w: World) -> Any:
    y = w.data()
    if w.condition():
        y = None
    return y


def texts(w: World) -> Any:
    text = "a"
    if w.condition():
        text = "b"
    return w.fn.cast(w.data(), dtype=w.types.FLOAT, name=text)


def other_type(w: World) -> Any:
    y = w.data()
    if w.condition():
        y = 0.5
    return y


def leaves_loop(w: World) -> Any:
    y = w.data()
    for k in range(3):
        y = np.int32(k)
        if w.condition():
            break
    return y


def conditional_expression(w: World) -> Any:
    return w.data() if w.condition() else 3


def loop_condition(w: World) -> Any:
    y = w.data()
    while w.condition():
        y = np.int32(1)
    return y


REFUSED = {
    one_axis: "DS203 split.predicate: the samples have 1 axis; a condition is one number per sample",
    no_truth_value: "the left side of `and` is INT32; BOOL is accepted",
    no_truth_value_right: "the right side of `or` is FLOAT; BOOL is accepted",
    set_in_one_branch: "y has no value where the `else` branch of an `if` was taken",
    returns_in_one_branch: "One branch of an `if` returns, its `else` branch does not",
    returns_on_some_ways: "`return` would leave a branch for some samples only",
    other_structure: "pair cannot be merged behind an `if`: the branches give a tuple of 2 and a list of 2",
    none_in_one_branch: "the branches give None and an operator result",
    texts: "text cannot be merged behind an `if`: the branches give 'b' and 'a'",
    other_type: "the branches differ in their element type: FLOAT and INT32",
    leaves_loop: "`break` would leave a branch for some samples only",
    conditional_expression: "`x if c else y` do not",
    loop_condition: "using an operator's result as a condition is not available",
}


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused_by_both(program: Callable[[World], Any]) -> None:
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        outputs(pipe(THEIRS, program), 1)
    with pytest.raises(RuntimeError) as caught:
        outputs(pipe(OURS, program), 1)
    assert REFUSED[program] in str(caught.value)
    assert "[test_refused_conditionals.py:" in str(caught.value)
