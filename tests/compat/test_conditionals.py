"""``if``, ``and``, ``or`` and ``not`` on operator results: the same functions in both, sample for sample."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conditionals import BATCH, B, World, outputs, pipe
from declared import declared
from peers import OURS, THEIRS, assert_equal, check

from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit

pytestmark = pytest.mark.usefixtures("nvidia")

def plain_if(w: World) -> Any:
    x = w.data()
    if w.condition():
        y = w.real(x)
    else:
        y = w.real(5)
    return y, x


def changed_in_one_branch(w: World) -> Any:
    x = w.data()
    if w.condition():
        x = np.int32(-1)
    return x


def changed_in_else(w: World) -> Any:
    x = w.data()
    y = np.int32(5)
    if w.condition():
        pass
    else:
        y = x
    return y


def nested(w: World) -> Any:
    x = w.data()
    if w.condition():
        if w.condition(B):
            y = x
        else:
            y = np.int32(-1)
    elif w.condition(B):
        y = np.int32(-2)
    else:
        y = np.int32(-3)
    return y


def outer_used_twice(w: World) -> Any:
    x, condition = w.data(), w.condition()
    if condition:
        y, z = w.real(x), x
    else:
        y, z = w.numbers(7), x
    if condition:
        z = np.int32(1)
    return y, z


def assigned_what_was_there(w: World) -> Any:
    """The first condition chooses nothing, and still counts among what the outputs depend on: seeds follow it."""
    x, five = w.data(), np.int32(5)
    first, second = w.fn.random.uniform(), w.fn.random.uniform()
    if first < 0:
        x, five = x, five  # noqa: PLW0127
    if second < 0:
        x = x + five
    return x, first, second


def structures(w: World) -> Any:
    x = w.data()
    if w.condition():
        pair, named = (x, [1, x]), {"a": x, "b": 2}
    else:
        pair, named = (np.int32(7), [x, x]), {"b": x, "a": 1}
    return pair[0], pair[1][0], pair[1][1], named["a"], named["b"]


class Holder:
    """Has attributes."""

    value: Any = None


def items_and_attributes(w: World) -> Any:
    holder, named = Holder(), {"a": w.data()}
    holder.value = w.data()
    if w.condition():
        named["a"] = np.int32(3)
        holder.value = np.int32(4)
        fresh = Holder()
        fresh.value = 1
    return named["a"], holder.value


def logical(w: World) -> Any:
    return (
        w.condition() and w.condition(B), w.condition() or w.condition(B), not w.condition(),
        w.condition() and not w.condition(B) or w.condition(B) and w.condition() and w.condition(),
    )  # fmt: skip


def logical_with_constants(w: World) -> Any:
    return w.condition() and True, True and w.condition(), False or w.condition(), w.condition() or False


def logical_as_condition(w: World) -> Any:
    x = w.data()
    if w.condition() and not w.condition(B):
        x = np.int32(-1)
    return x


def negated_number(w: World) -> Any:
    return not w.condition((0, 1, 2, 0, 0, 3), np.int32)


def returns(w: World) -> Any:
    x = w.data()
    y = x
    if w.condition():
        y = np.int32(1)
        if w.condition(B):
            return y
        return x
    y = np.int32(2)
    return y


def returns_tuples(w: World) -> Any:
    x = w.data()
    if w.condition():
        return x, w.real(x)
    return np.int32(5), w.numbers(2)


def choose(x: Any, condition: Any) -> Any:
    """Converted, too, since a pipeline function calls it."""
    if condition:
        return x
    return np.int32(9)


def calls_functions(w: World) -> Any:
    def inner(condition: Any) -> Any:
        return not condition

    negated = lambda condition: not condition  # noqa: E731 - that is what is tested
    return choose(w.data(), w.condition()), inner(w.condition()), negated(w.condition(B))


def plain_python(w: World) -> Any:
    x = w.data()
    for k in range(3):
        if k == 1:
            continue
        if w.condition():
            x = np.int32(k)
    if w is None:
        unused = 1 / 0
    try:
        if w.condition(B):
            x = np.int32(50)
    finally:
        x = w.real(x)
    while True:
        if w is not None:
            break
    return x


def dead_variables(w: World) -> Any:
    x = w.data()
    if w.condition():
        text = "a"
        only_here = w.real(x)
    else:
        text = "b"
    return x


def random_without_inputs(w: World) -> Any:
    if w.condition():
        y = w.fn.random.uniform(range=[0, 1])
    else:
        y = w.fn.random.normal()
    return y, w.fn.random.uniform(range=[0, 1])


def random_with_inputs(w: World) -> Any:
    half = w.numbers(0.5)
    if w.condition():
        y = w.fn.random.coin_flip(probability=half)
    elif w.condition(B):
        y = w.fn.random.coin_flip(probability=w.numbers(0.4))
    else:
        y = w.fn.cast(w.fn.random.uniform(range=w.numbers(0, 9)), dtype=w.types.INT32)
    return y, w.fn.random.coin_flip(probability=half)


def random_as_condition(w: World) -> Any:
    x = w.data()
    if w.fn.random.coin_flip(dtype=w.types.BOOL):
        if w.fn.random.coin_flip():
            x = w.fn.cast(w.fn.random.uniform(w.data(), range=[0, 100]), dtype=w.types.INT32)
    return x


def empty_branch(w: World) -> Any:
    x = w.data()
    if w.condition((1,) * BATCH):
        y = w.real(x)
    else:
        y = w.fn.random.uniform(range=w.numbers(0, 1))
    return y


def images(w: World) -> Any:
    pictures = w.fn.external_source(
        source=lambda i: [np.full((8 + k, 9, 3), 20 * k + i, np.uint8) for k in range(BATCH)], layout="HWC"
    )
    if w.condition():
        pictures = w.fn.rotate(pictures, angle=w.numbers(90))
    elif w.condition(B):
        pictures = w.fn.resize(w.fn.flip(pictures), size=[5, 5])
    return w.fn.cast(pictures, dtype=w.types.FLOAT)


def arithmetic(w: World) -> Any:
    x = w.data()
    if x > 20 and x % 3 != 1:
        y = x * 2 + 1
    elif not x < 10:
        y = x - w.fn.cast(w.fn.random.uniform(range=[0, 5]), dtype=w.types.INT32)
    else:
        y = -x
    y += 1
    return y, x == 30


def nested_with_variables_of_their_own(w: World) -> Any:
    x = w.data()
    if w.condition():
        if w.condition(B):
            inner = w.real(x)
            doubled = inner * 2
        else:
            doubled = w.numbers(3)
            other = doubled + 1
            doubled = other
    else:
        again = w.real(x)
        doubled = again - 1
    return doubled


def chained_comparisons(w: World) -> Any:
    x, least = w.data(), 10
    if 5 < x <= 31:
        y = w.real(x)
    else:
        y = w.real(-1)
    inside = 9 < w.fn.random.uniform(range=(0, 30)) < 20  # two draws: what stands in the middle is written twice
    return y, inside, least <= x != least + 21, 0 < least < 99


def orders_of_branches(w: World) -> Any:
    x, y = w.data(), w.fn.batch_permutation(seed=4)
    if w.condition():
        x = w.fn.permute_batch(x, indices=w.fn.batch_permutation(seed=3))
    elif w.condition(B):
        x, y = w.fn.batch_permutation(seed=3), w.fn.batch_permutation(seed=5, no_fixed_points=True)
    return x, y


def unchanged_in_both_branches(w: World, is_noisy: bool = False) -> Any:
    """What is assigned nowhere, as it turns out, is merged nonetheless: the seeds tell."""
    x, y = w.fn.random.uniform(shape=[2]), w.fn.random.normal()
    if w.fn.random.coin_flip(dtype=w.types.BOOL):
        if is_noisy:
            x = w.fn.noise.gaussian(x)
        y = y + w.fn.random.uniform()
    return x, y


PROGRAMS: tuple[Callable[[World], Any], ...] = (
    plain_if, changed_in_one_branch, changed_in_else, nested, outer_used_twice, assigned_what_was_there,
    structures, items_and_attributes,
    logical, logical_with_constants, logical_as_condition, negated_number, returns, returns_tuples, calls_functions,
    plain_python, dead_variables, random_without_inputs, random_with_inputs, random_as_condition, empty_branch, images,
    arithmetic, nested_with_variables_of_their_own, chained_comparisons,
    orders_of_branches, unchanged_in_both_branches,
)  # fmt: skip
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_same_samples(program: Callable[[World], Any]) -> None:
    for mine, reference in zip(outputs(pipe(OURS, program)), outputs(pipe(THEIRS, program)), strict=True):
        assert_equal(mine, reference)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float16, np.float32, np.float64])
def test_types_of_conditions(dtype: Any) -> None:
    def program(w: World) -> Any:
        x = w.data()
        if w.condition((0, 1, 2, 0.5, 0, 1), dtype):
            x = np.int32(-1)
        return x

    for mine, reference in zip(outputs(pipe(OURS, program)), outputs(pipe(THEIRS, program)), strict=True):
        assert_equal(mine, reference)


@pytest.mark.parametrize(
    ("program", "prefix"), [(program, THEIRS) for program in PROGRAMS] + [(nested, OURS), (random_with_inputs, OURS)],
    ids=lambda one: getattr(one, "__name__", one),
)  # fmt: skip
def test_emitted_programs(program: Callable[[World], Any], prefix: str) -> None:
    made = pipe(OURS, program)
    expected = outputs(made)
    graph = made.graph
    emitted = emit(graph, default_registry(), prefix)
    assert [found for found in emitted.diagnostics if found.severity == "error" or "`if`" in found.message] == []
    assert "fn._conditional" not in emitted.source
    file = f"<emitted {program.__name__} {prefix}>"
    linecache.cache[file] = (len(emitted.source), None, emitted.source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": "emitted", "__file__": file}
    exec(compile(emitted.source, file, "exec"), space)
    sources = {key: graph.node(key).objects["source"] for key in graph if graph.node(key).objects}
    given = {f"{key}_source": source for key, source in sources.items() if f"{key}_source" in emitted.source}
    again = outputs(space[program.__name__](**given))
    for mine, reference in zip(again, expected, strict=True):
        assert_equal(mine, reference)


@pytest.mark.parametrize("taken", [True, False])
def test_a_branch_that_no_sample_takes_may_have_another_type(taken: bool) -> None:
    def program(w: World) -> Any:
        condition = w.fn.external_source(source=lambda: [np.array(taken)] * 4)
        made = w.fn.external_source(source=lambda: [np.float32(3)] * 4)
        if not condition:
            made = w.fn.copy(w.fn.external_source(source=lambda: [np.int32(3)] * 4))
        return made

    ours, theirs = outputs(pipe(OURS, program), 1), outputs(pipe(THEIRS, program), 1)
    assert str(ours) == str(theirs)


# ------------------------------------------------------------------------------------------------------- whole programs


@pytest.mark.parametrize("taken", [True, False])
def test_an_order_of_all_samples_in_a_branch_of_all_or_none(taken: bool) -> None:
    def program(w: World) -> Any:
        x = w.data()
        if w.condition([taken] * BATCH):
            y = w.fn.permute_batch(x, indices=list(reversed(range(BATCH))))
        else:
            y = x + 1
        return y

    ours, theirs = (outputs(pipe(prefix, program)) for prefix in (OURS, THEIRS))
    for mine, other in zip(ours, theirs, strict=True):
        assert_equal(mine, other)


def test_decoders_in_branches(data_dir: Path) -> None:
    def program(w: World) -> Any:
        files, labels = w.fn.readers.file(file_root=str(data_dir / "jpeg"), random_shuffle=True, initial_fill=9)
        if w.fn.random.coin_flip(probability=0.4):
            images = w.fn.decoders.image_random_crop(files)
            images = w.fn.resize(images, size=[40, 50])
        else:
            images = w.fn.decoders.image(files)
            if w.fn.random.coin_flip(dtype=w.types.BOOL) and not w.fn.random.coin_flip(dtype=w.types.BOOL):
                place = w.fn.random.uniform(images, range=[0, 1])
                images = w.fn.crop(images, crop=(30, 40), crop_pos_x=w.fn.random.uniform(range=[0, 1]))
            else:
                place = w.fn.random.uniform(w.data(), range=[0, 1])
                images = w.fn.resize(images, size=[30, 40])
        return images, labels

    for mine, reference in zip(outputs(pipe(OURS, program), 4), outputs(pipe(THEIRS, program), 4), strict=True):
        assert_equal(mine, reference, declared("resize"))


@pytest.mark.parametrize("name", ["gaussian", "salt_and_pepper", "shot"])
def test_noise_follows_from_the_place_among_the_samples_of_a_branch(name: str) -> None:
    batch, taken = [np.full((4, 5, 3), 90, np.uint8)] * 4, [np.array(one) for one in (True, False, False, True)]
    program = f"fn.noise.{name}(fn._conditional.split(x, predicate=is_taken)[0], seed=5)"
    check(program, {"x": batch, "is_taken": taken}, iterations=2)
