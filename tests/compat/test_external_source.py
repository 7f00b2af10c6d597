"""``fn.external_source`` and the feeding of pipelines against nvidia.dali."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from images import Array, pictures
from peers import OURS, check, check_refused, refused
from steps import Steps, define, same_steps

from dali_studio import Pipeline, fn

pytestmark = pytest.mark.usefixtures("nvidia")


def batches(count: int = 3, size: int = 3) -> list[list[Array]]:
    """Batches whose values tell iteration and sample."""
    return [[np.full((2, 3), 10 * iteration + sample, np.float32) for sample in range(size)] for iteration in range(count)]


class Sized:
    """An iterable that begins again on each ``iter``."""

    def __iter__(self) -> Iterator[list[Array]]:
        return iter(batches())


class Callable3:
    """A callable object that ends."""

    def __call__(self, iteration: int) -> list[Array]:
        if iteration == 3:
            raise StopIteration
        return batches()[iteration]


def generator() -> Iterator[list[Array]]:
    yield from batches()


def by_iteration(iteration: int) -> list[Array]:
    if iteration >= 3:
        raise StopIteration
    return batches()[iteration]


@pytest.mark.parametrize("cycle", [None, False, "no", True, "quiet", "raise"])
@pytest.mark.parametrize("make", [batches, generator, Sized, lambda: iter(batches()), lambda: generator], ids=["list", "generator", "iterable", "iterator", "function"])
def test_iterables(make: Any, cycle: Any) -> None:
    def act(steps: Steps) -> None:
        define(steps, make(), cycle=cycle)
        steps.run(10)

    if cycle in (True, "quiet", "raise") and make is generator:
        check_refused(f"fn.external_source(source=make(), cycle={cycle!r})", names={"make": make})
    else:
        same_steps(act)


@pytest.mark.parametrize("make", [Callable3, lambda: by_iteration, lambda: lambda i: by_iteration(i), lambda: Callable3().__call__], ids=["object", "function", "lambda", "method"])
def test_callables(make: Any) -> None:
    def act(steps: Steps) -> None:
        define(steps, make())
        steps.run(10)

    same_steps(act)


def test_callable_with_a_default_argument_gets_the_iteration() -> None:
    def act(steps: Steps) -> None:
        define(steps, lambda i=None: [np.array(-1 if i is None else i)] * 3)
        steps.run(3)

    same_steps(act)


@pytest.mark.parametrize("batch_info", [False, True])
def test_what_a_batch_callable_gets(batch_info: bool) -> None:
    def act(steps: Steps) -> None:
        def source(info: Any) -> list[Array]:
            number = (info.iteration, info.epoch_idx) if batch_info else (info, -1)
            if number[0] == 2:
                raise StopIteration
            return [np.array(number, np.int32)] * 3

        define(steps, source, batch_info=batch_info)
        steps.run(8)

    same_steps(act)


def test_what_a_sample_callable_gets() -> None:
    def act(steps: Steps) -> None:
        def source(info: Any) -> Array:
            if info.iteration == 2:
                raise StopIteration
            return np.array([info.idx_in_epoch, info.idx_in_batch, info.iteration, info.epoch_idx], np.int64)

        define(steps, source, batch=False)
        steps.run(8)

    same_steps(act)


@pytest.mark.parametrize("cycle", ["quiet", "raise"])
def test_samples_from_a_generator(cycle: str) -> None:
    """At the end an unfinished batch is lost, or goes on with the first sample."""

    def source() -> Iterator[Array]:
        yield from (np.array([i]) for i in range(8))

    def act(steps: Steps) -> None:
        define(steps, source, batch=False, cycle=cycle)
        steps.run(8)

    same_steps(act)


@pytest.mark.parametrize("layout", [None, ["HW"], ["HW", "W"], ["", "W"], ["", ""]])
@pytest.mark.parametrize("kind", [tuple, list])
def test_several_outputs(kind: Any, layout: Any) -> None:
    def act(steps: Steps) -> None:
        data = [kind((batch, [sample[0] for sample in batch])) for batch in batches()]
        define(steps, data, num_outputs=2, layout=layout, cycle=True)
        steps.run(5)

    same_steps(act)


@pytest.mark.parametrize("batch", [True, False])
def test_an_array_of_several_outputs(batch: bool) -> None:
    def act(steps: Steps) -> None:
        define(steps, lambda i: np.arange(8, dtype=np.int16).reshape(2, 2, 2), num_outputs=2, batch=batch)
        steps.run(2)

    same_steps(act)


def test_several_outputs_by_sample() -> None:
    def act(steps: Steps) -> None:
        define(steps, lambda info: (np.full((1, 2), info.idx_in_epoch), np.full((2, 2), info.iteration)), num_outputs=2, batch=False,
               dtype=[steps.types.INT64, steps.types.INT64], ndim=2, layout="HW")  # fmt: skip
        steps.run(3)

    same_steps(act)


def test_one_output_in_a_tuple() -> None:
    def act(steps: Steps) -> None:
        define(steps, [(batch,) for batch in batches()], num_outputs=1)
        steps.run(4)

    same_steps(act)


def test_one_output_in_a_list_is_a_result() -> None:
    data = [(batch,) for batch in batches()]
    check("x = fn.external_source(data, num_outputs=1)\ny = fn.cast(x, dtype=types.INT32)\nreturn 2 * y + y[0], fn.cat(x, x)", names={"data": data})


def test_classes_take_a_source_by_its_place() -> None:
    data = [(batch, batch) for batch in batches()]
    check("a, b = ops.ExternalSource(data, 2, layout='HW')()\nreturn a, b, ops.ExternalSource(lambda: data[0][0])()", names={"data": data})


DATA = {
    "dense array": np.arange(24, dtype=np.int16).reshape(3, 2, 4),
    "list of arrays": [np.zeros((2, 3), np.uint8), np.ones((4, 5), np.uint8)],
    "scalars": [np.float32(1), np.float32(2)],
    "array of scalars": np.array([1, 2, 3], np.uint16),
    "float64": np.zeros((2, 3)),
    "bool": [np.array([True, False])],
    "float16": [np.ones((2,), np.float16)],
    "uint64": [np.arange(5, dtype=np.uint64)],
    "empty": [np.zeros((0, 3), np.float32), np.zeros((2, 3), np.float32)],
}


@pytest.mark.parametrize("kind", DATA)
def test_kinds_of_data(kind: str) -> None:
    check("fn.external_source(source=lambda: data)", names={"data": DATA[kind]})


def test_batches_may_be_smaller() -> None:
    sizes = [3, 1, 2, 3]
    data = [batches(1, size)[0] for size in sizes]
    check("x = fn.external_source(source=iter(data))\nreturn x, fn.cast(x, dtype=types.INT32), fn.random.uniform(), 7", names={"data": data}, iterations=4, batch_size=3)


def test_feed_input() -> None:
    def act(steps: Steps) -> None:
        with steps.pipe:
            node = steps.fn.external_source(name="numbers", layout="HW")
            steps.pipe.set_outputs(node)
        steps.pipe.build()
        for batch in batches():
            steps.pipe.feed_input("numbers", batch)
            steps.run()
        steps.pipe.feed_input(node, np.stack(batches()[1]))
        steps.run()

    same_steps(act, prefetch_queue_depth=1)


def test_feed_input_several_ahead() -> None:
    def act(steps: Steps) -> None:
        define(steps, name="numbers")
        steps.log.append(str(steps.pipe.input_feed_count("numbers")))
        for batch in batches():
            steps.pipe.feed_input("numbers", batch)
        steps.run(2)

    same_steps(act)


def test_run_with_named_data() -> None:
    def act(steps: Steps) -> None:
        with steps.pipe:
            a = steps.fn.external_source(name="a")
            b = steps.fn.external_source(name="b", layout="HW")
            steps.pipe.set_outputs(b, a)
        steps.pipe.build()
        steps.run(a=batches()[0], b=batches()[1])
        steps.run(a=batches()[2], b=np.stack(batches()[0]))

    same_steps(act, prefetch_queue_depth=1)


def test_repeat_last() -> None:
    """nvidia.dali needs a GPU driver for it."""
    steps = Steps(OURS, prefetch_queue_depth=1)
    define(steps, name="numbers", repeat_last=True)
    for batch in batches()[:2]:
        steps.pipe.feed_input("numbers", batch)
        steps.run(3)
    assert [item[0].samples[1][0, 0] for item in steps.log] == [1, 1, 1, 11, 11, 11]


def test_strided_arrays() -> None:
    """nvidia.dali refuses them."""
    array = np.arange(12, dtype=np.int32).reshape(3, 4)[::2, ::-1]
    steps = Steps(OURS)
    define(steps, lambda: [array, array.T])
    steps.run(1)
    assert all(np.array_equal(a, b) for a, b in zip(steps.log[0][0].samples, [array, array.T], strict=True))


def test_outputs_of_another_pipeline() -> None:
    def act(steps: Steps) -> None:
        other = Steps(steps.dali.__name__, batch_size=4)
        define(other, lambda: pictures(), layout="HWC")
        define(steps, lambda: other.pipe.run()[0])
        steps.run(2)

    same_steps(act, batch_size=4)


def test_iter_setup_feeds() -> None:
    def act(steps: Steps) -> None:
        fn = steps.fn

        class Feeding(steps.dali.Pipeline):  # type: ignore[name-defined,misc]
            def __init__(self) -> None:
                super().__init__(batch_size=3, num_threads=1, device_id=None, prefetch_queue_depth=1)
                self.count = 0

            def define_graph(self) -> Any:
                self.numbers = fn.external_source(name="numbers")
                return self.numbers

            def iter_setup(self) -> None:
                if self.count == 3:
                    raise StopIteration
                self.feed_input(self.numbers, batches()[self.count])
                self.count += 1

        steps.pipe = Feeding()
        steps.pipe.build()
        steps.run(3)

    same_steps(act)


@pytest.mark.parametrize(
    "program",
    [
        "fn.external_source(source=lambda: [np.zeros((2, 2))], dtype=types.FLOAT)",
        "fn.external_source(source=lambda: [np.zeros((2, 2))], ndim=3)",
        "fn.external_source(source=lambda: [np.zeros((2, 2))], layout='HWC')",
        "fn.external_source(source=lambda: [np.zeros(2), np.zeros((2, 2))])",
        "fn.external_source(source=lambda: [np.zeros(2, np.uint8), np.zeros(2, np.int8)])",
        "fn.external_source(source=lambda: [np.zeros(2)] * 9)",
        "fn.external_source(source=lambda: [np.zeros(2)], cycle=True)",
        "fn.external_source(source=lambda: [np.zeros(2)], cycle=False)",
        "fn.external_source(name='x', cycle='no')",
        "fn.external_source(source=lambda a, b: [np.zeros(2)])",
        "fn.external_source(source=lambda: 5)",
        "fn.external_source(source=3)",
        "fn.external_source(source=[[np.zeros(2)]], cycle='often')",
        "fn.external_source(source=lambda: ([np.zeros(2)],), num_outputs=2)",
        "fn.external_source(source=lambda: [np.zeros(2)], ndim=2, layout='HWC')",
        "fn.external_source(source=lambda: [np.array(['text'])])",
        "fn.external_source(source=(np.zeros(2) for _ in range(3)), cycle=True)",
        "fn.external_source(source=lambda *a: [np.zeros(2)])",
        "fn.external_source(source=lambda: None)",
        "fn.external_source()",
        "fn.external_source(num_outputs=2, name='two')",
    ],
)
def test_refused_by_both(program: str) -> None:
    check_refused(program)


TWO = "fn.external_source(source=lambda: ([np.zeros((2, 3), np.uint8)], [np.zeros(2, np.float32)]), num_outputs=2, "


@pytest.mark.parametrize(
    "given",
    [
        "dtype=[types.UINT8, types.FLOAT])", "dtype=(types.UINT8, types.FLOAT))", "dtype=[types.UINT8])", "ndim=[2, 1])", "ndim=(2,))",
        "dtype=[types.UINT8, types.FLOAT], ndim=[2, 1], layout=['HW', 'X'])",
        "dtype=[None, types.FLOAT], ndim=[None, 1], layout=[None, 'X'])", "dtype=[types.UINT8, None], ndim=(2, None), layout=('HW', None))",
    ],
)  # fmt: skip
def test_each_output_has_its_own_type(given: str) -> None:
    check(f"return tuple({TWO}{given})")


@pytest.mark.parametrize("given", ["dtype=[types.FLOAT, types.UINT8])", "ndim=[1, 2])", "ndim=[2, 2], layout=['HW', 'X'])", "dtype=types.UINT8)"])
def test_broken_promises_of_one_output_are_refused_by_both(given: str) -> None:
    check_refused(f"return tuple({TWO}{given})")


def test_sources_of_different_sizes_are_refused_by_both() -> None:
    check_refused("a = fn.external_source(source=lambda: [np.zeros(2)])\nb = fn.external_source(source=lambda: [np.zeros(2)] * 2)\nreturn a, b", codes="DS304")


@pytest.mark.parametrize(
    "program",
    [
        "fn.external_source(source=lambda: [np.array([1j])])",
        "fn.external_source(source=lambda: ([np.zeros(2)], [np.zeros(2)]), num_outputs=2, ndim=[1, 1, 1])",
        "fn.external_source(source=lambda: [np.zeros(2)], parallel=True)",
    ],
)
def test_refused_by_ours(program: str) -> None:
    refused(program)


def test_a_source_that_waits_for_another_thread() -> None:  # nvidia.dali's ends never if one iteration is not fed
    pipe = Pipeline(2, 1, None)
    with pipe:
        pipe.set_outputs(fn.external_source(name="late", blocking=True))
    pipe.build()

    def feed() -> None:
        for iteration in range(3):
            time.sleep(0.1)
            pipe.feed_input("late", [np.full(2, iteration, np.int32)] * 2)

    thread = threading.Thread(target=feed)
    thread.start()
    assert [np.array(pipe.run()[0][1]).tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]
    thread.join()


@pytest.mark.parametrize("options", [{}, {"exec_async": False, "exec_pipelined": False}, {"prefetch_queue_depth": 4}])
def test_a_buffer_that_is_filled_anew(options: dict[str, Any]) -> None:
    """What was fed is copied: the program may change it while iterations are computed ahead."""
    buffer = np.zeros((3, 40, 50, 3), np.uint8)

    def source(iteration: int) -> Any:
        buffer[...] = iteration
        return buffer

    program = "x = fn.external_source(source=source, layout='HWC')\nreturn x, fn.flip(x)"
    check(program, names={"source": source}, iterations=6, **options)


def test_no_copy_shares_memory() -> None:
    from peers import pipeline

    batch = [np.full((4, 5), k, np.float32) for k in range(3)]
    for no_copy in (True, False):
        made = pipeline("dali_studio", f"fn.external_source(source=lambda: batch, no_copy={no_copy})", names={"batch": batch})
        made.build()
        assert [np.shares_memory(np.asarray(made.run()[0].at(i)), sample) for i, sample in enumerate(batch)] == [no_copy] * 3
