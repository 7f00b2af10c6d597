"""What functions with conditionals keep of the functions that they are made of, and what is refused."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import dataset

from dali_studio import DaliStudioError, Pipeline, fn, pipeline_def, samples, types
from dali_studio.api.default import default_registry
from dali_studio.auto_aug import rand_augment, trivial_augment
from dali_studio.graph.validate import validate
from dali_studio.pipeline import do_not_convert

BATCH = 4
HOLDS = [np.array(k % 2 == 0) for k in range(BATCH)]
OPTIONS: dict[str, Any] = {"batch_size": BATCH, "num_threads": 2, "device_id": None, "seed": 1}


def condition() -> Any:
    return fn.external_source(source=lambda: HOLDS)


def numbers(first: int = 0) -> Any:
    return fn.external_source(source=lambda: [np.int32(first + k) for k in range(BATCH)])


def values(function: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
    """The first output."""
    pipe = pipeline_def(function, enable_conditionals=True, **OPTIONS)(*args, **kwargs)
    return [np.array(sample).tolist() for sample in pipe.run()[0]]


def test_closures_defaults_and_arguments() -> None:
    outside = [7]

    def program(x: int, *more: int, key: int = 3, **rest: int) -> Any:
        result = numbers()
        if condition():
            result = np.int32(x + sum(more) + key + rest["other"] + outside[0])
        return result

    assert values(program, 1, key=20, other=100) == [128, 1, 128, 3]
    outside[0] = 0
    assert values(program, 1, other=0) == [4, 1, 4, 3]


def test_a_variable_of_the_enclosing_function() -> None:
    count = 0

    def program() -> Any:
        nonlocal count
        count += 1
        return np.int32(1) if condition is None else numbers()

    assert values(program) == [0, 1, 2, 3]
    assert count == 1


class Augmentation:
    """A definition that is a method, with a private name and a base."""

    def __init__(self, value: int) -> None:
        self.__value = value

    def base(self, x: Any) -> Any:
        if condition():
            x = np.int32(self.__value)
        return x

    def __call__(self, x: Any) -> Any:
        return self.base(x)


class Derived(Augmentation):
    """Calls what it overrides."""

    def base(self, x: Any) -> Any:
        if not condition():
            x = super().base(x)
            x = np.int32(-1)
        return super().base(x)


@pytest.mark.parametrize(("made", "expected"), [(Augmentation(9), [9, 1, 9, 3]), (Derived(9), [9, -1, 9, -1])])
def test_methods_and_objects_that_are_called(made: Augmentation, expected: list[int]) -> None:
    def program() -> Any:
        return made(numbers())

    assert values(program) == expected

    def of_a_method(x: Any) -> Any:
        return made.base(x)

    assert values(of_a_method, np.int32(1))[0] == 9
    assert values(made.base, np.int32(1))[0] == 9


def test_partial_functions_and_decorated_ones() -> None:
    def choose(x: Any, y: Any) -> Any:
        if condition():
            return x
        return y

    def twice(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def both(*given: Any) -> Any:
            return function(*given), function(*given)

        return both

    def program() -> Any:
        return functools.partial(twice(choose), numbers())(np.int32(8))

    assert values(program) == [0, 8, 2, 8]


def test_functions_that_are_not_to_be_converted() -> None:
    seen: list[Any] = []

    @do_not_convert
    def plain(x: Any) -> Any:
        seen.append(plain.__code__)
        if x is None:
            return 1
        return x

    def program() -> Any:
        return plain(numbers())

    assert values(program) == [0, 1, 2, 3]
    assert "dali_studio_branches" not in seen[0].co_freevars
    with pytest.raises(ValueError, match="cannot be marked"):
        do_not_convert(pipeline_def(program, **OPTIONS))


def test_an_exception_that_leaves_a_branch() -> None:
    def program() -> Any:
        x = numbers()
        try:
            if condition():
                raise KeyError
        except KeyError:
            x = fn.cast(x, dtype=types.FLOAT)
        return x

    assert values(program) == [0, 1, 2, 3]


def test_lines_of_errors_are_those_of_the_source() -> None:
    def program() -> Any:
        x = numbers()
        if condition():
            raise RuntimeError("here")  # this line
        return x

    with pytest.raises(RuntimeError, match="here") as caught:
        values(program)
    (frame,) = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.name == "program"]
    assert frame.filename == __file__
    assert frame.line is not None and frame.line.endswith("# this line")

    def wrong() -> Any:
        x = numbers()
        if condition() and not condition():
            x = fn.cast(x, dtype=types.FLOAT, angle=3)
        return x

    with pytest.raises(DaliStudioError) as found:
        values(wrong)
    line = wrong.__code__.co_firstlineno + 3
    assert found.value.diagnostics[0].source == f"test_conditionals.py:{line}"


def test_variables_without_a_value_are_those_of_python() -> None:
    def program(given: bool) -> Any:
        if given:
            x = numbers()
        return x

    assert values(program, given=True) == [0, 1, 2, 3]
    with pytest.raises(UnboundLocalError):
        values(program, given=False)

    def inside() -> Any:
        if condition():
            x = numbers()
        else:
            x = fn.cast(x, dtype=types.INT32)  # pyright: ignore[reportUnboundVariable]
        return x

    with pytest.raises(UnboundLocalError, match="'x'"):
        values(inside)


def test_nothing_is_left_of_what_is_not_used() -> None:
    def program() -> Any:
        x, unused = numbers(), 1
        if condition():
            unused = 2
            x = np.int32(4)
        else:
            unused = 3
        return x

    graph = pipeline_def(program, enable_conditionals=True, **OPTIONS)().graph
    made = sorted(graph.node(key).operator for key in graph)
    assert made == ["_conditional.merge", *["_conditional.split"] * 2, "constant", *["external_source"] * 2]


def test_no_source() -> None:
    space: dict[str, Any] = {}
    exec("def gone():\n    return 1\n", space)
    with pytest.raises(DaliStudioError) as caught:
        values(space["gone"])
    assert caught.value.diagnostics[0].argument == "enable_conditionals"
    assert "source of gone" in str(caught.value)
    with pytest.raises(DaliStudioError, match="cannot be told apart"):
        values((lambda: condition(), lambda: 2)[0])  # fmt: skip


def test_a_result_of_a_branch_stays_in_it() -> None:
    kept: list[Any] = []

    def program() -> Any:
        x = numbers()
        if condition():
            kept.append(fn.cast(x, dtype=types.FLOAT))
        return kept[0]

    with pytest.raises(DaliStudioError, match="belongs to a branch of an `if`, and is used outside"):
        values(program)


def test_the_option_belongs_to_pipeline_def() -> None:
    with pytest.raises(DaliStudioError, match="Give it to pipeline_def"):
        Pipeline(enable_conditionals=True, **OPTIONS)

    def program() -> Any:
        x = numbers()
        if condition():
            x = np.int32(1)
        return x

    with pytest.raises(DaliStudioError, match="enable_conditionals=True"):
        pipeline_def(program, **OPTIONS)()
    later = pipeline_def(program, **OPTIONS)(enable_conditionals=True)
    assert [np.array(sample).tolist() for sample in later.run()[0]] == [1, 1, 1, 3]


def test_partial_batches_of_split() -> None:
    pipe = Pipeline(**OPTIONS)
    with pipe:
        x, holds = numbers(), condition()
        some, rest = fn._conditional.split(x, predicate=holds)
        pipe.set_outputs(some, rest, fn._conditional.merge(some, rest, predicate=holds), fn._conditional.not_(holds))
    found = [[np.array(sample).tolist() for sample in batch] for batch in pipe.run()]
    assert found == [[0, 2], [1, 3], [0, 1, 2, 3], [False, True, False, True]]


@pytest.mark.parametrize("name", ["split", "merge"])
def test_a_constant_condition_of_split_and_merge_is_refused(name: str) -> None:
    pipe = Pipeline(**OPTIONS)
    with pipe:
        made = getattr(fn._conditional, name)(*[numbers()] * (2 if name == "merge" else 1), predicate=True)
        pipe.set_outputs(made[0] if name == "split" else made)
    with pytest.raises(DaliStudioError, match=f"DS104 {name}.predicate: True is one value for all samples"):
        pipe.build()


def test_inputs_of_different_branches_are_refused() -> None:
    pipe = Pipeline(**OPTIONS)
    with pipe:
        some, rest = fn._conditional.split(numbers(), predicate=condition())
        drawn = fn.random.uniform(rest, range=[0, 1])
        pipe.set_outputs(fn.random.uniform(some, range=fn.external_source(source=lambda: [np.float32([0, 1])] * BATCH)), drawn)
    with pytest.raises(DaliStudioError, match="for the samples of a branch, and"):
        pipe.run()


@pytest.mark.parametrize("action", ["skip", "placeholder"])
def test_damaged_files_in_branches(action: str, tmp_path: Path) -> None:
    folder = dataset(tmp_path)
    files = sorted(folder.rglob("*.jpg"))[:8]
    for damaged in (files[2], files[5]):
        damaged.write_bytes(b"not a picture")

    def program() -> Any:
        encoded, labels = fn.readers.file(files=[str(file) for file in files], labels=list(range(8)))
        if fn.random.coin_flip(dtype=types.BOOL):
            images = fn.resize(fn.decoders.image(encoded, on_error=action), size=[10, 10])
            seen = fn.random.uniform(images, range=[0, 1])
        else:
            images = fn.resize(fn.decoders.image(encoded, on_error=action), size=[20, 20])
            seen = fn.random.uniform(images, range=[0, 1])
        return images, labels, seen

    pipe = pipeline_def(program, enable_conditionals=True, **{**OPTIONS, "batch_size": 8})()
    images, labels, seen = pipe.run()
    kept = [k for k in range(8) if action == "placeholder" or k not in (2, 5)]
    assert [np.array(label).item() for label in labels] == kept
    assert [np.array(one).shape for one in images] == [np.array(one).shape for one in seen]
    assert {failed.sample for failed in pipe.failed_samples()} == {2, 5}


@pytest.mark.parametrize("augment", [rand_augment.rand_augment, trivial_augment.trivial_augment_wide])
def test_what_automatic_augmentation_gives_are_images(augment: Callable[..., Any]) -> None:
    """Though some of its branches end with arithmetic, which does not tell what it gives."""

    @pipeline_def(enable_conditionals=True, **OPTIONS)
    def program() -> Any:
        images = fn.decoders.image(fn.readers.file(file_root=str(samples.photos()))[0])
        return augment(images, **({"n": 1, "m": 9} if augment is rand_augment.rand_augment else {}))

    graph = program().graph
    assert [validate(graph, default_registry()).metas[port].kind for port in graph.outputs] == ["image"]
