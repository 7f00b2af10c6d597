"""Operators called without a pipeline: how batches are stored, whole batches in one call, and states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import to_numpy
from dali_studio.core.storage import Dense, Packed
from dali_studio.schema.arguments import Args, RunContext
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Operator, overrides
from dali_studio.schema.registry import Registry
from dali_studio.schema.samples import Array, Case, Data
from dali_studio.schema.values import canonical

#: The forms in which a batch may lie in host memory.
FORMS = ("separate", "packed", "dense")


def stored(samples: Sequence[Array], form: str, layout: str = "", *, like: Array | None = None) -> Batch:
    """A batch in one of the `FORMS`; the samples of a dense one have one shape, and `like` is there for none at all."""
    first = samples[0] if samples else like
    assert first is not None
    if form == "dense":
        table = np.stack(samples) if samples else np.empty((0, *first.shape), first.dtype)
        return Batch.of(Dense(table), layout)
    if form == "packed":
        shapes = np.array([sample.shape for sample in samples], np.int64).reshape(len(samples), first.ndim)
        sizes = np.array([-(-sample.nbytes // 64) * 64 for sample in samples], np.int64)  # each begins a cache line
        starts = np.cumsum(sizes) - sizes
        slab = np.zeros(int(sizes.sum()) + 64, np.uint8)
        packed = Packed(slab, starts, shapes, first.dtype)
        for index, sample in enumerate(samples):
            packed[index][...] = sample
        return Batch.of(packed, layout)
    return Batch.of([np.array(sample, order="C") for sample in samples], layout, dtype=first.dtype, ndim=first.ndim)


def arguments(operator: type[Operator], case: Case, pick: Sequence[int], context: RunContext | None = None) -> Args:
    """The arguments of a case, for the samples `pick` of its batches."""
    schema, values, wired = operator.schema, {}, {}
    for name, value in case.arguments.items():
        if isinstance(value, Data):
            whole = value.samples()
            wired[name] = [whole[index] for index in pick]
        elif (argument := schema.argument(name)) is not None:
            values[name] = canonical(argument, value)
    return Args(schema, values, wired, len(pick), context=context)


def computed(
    operator: type[Operator], case: Case, form: str, pick: Sequence[int], *, at_once: bool = False, onto: str = "separate"
) -> list[list[Array]]:  # fmt: skip
    """The outputs of a per-sample operator, by ``cpu`` for each sample or by ``cpu_batch``.

    Parameters
    ----------
    form, onto : str
        How inputs and outputs are stored.
    pick : sequence of int
        Which samples of the case's batches to take.
    """
    inputs: list[Batch] = []
    for data in case.inputs:
        whole = data.samples()
        inputs.append(stored([whole[index] for index in pick], form, data.layout, like=whole[0]).as_members(data.dtype))
    args = arguments(operator, case, pick, RunContext(len(pick), np.arange(len(pick)), seed=99, whole=True))
    metas = Registry([operator]).infer(operator.schema.name, args, [batch.meta for batch in inputs])
    work: Work = operator.plan(args, *inputs)
    outputs: list[Batch] = []
    for meta, shapes in zip(metas, work.outputs, strict=True):
        assert meta.dtype is not None
        assert len(shapes) == len(pick) and meta.ndim in (None, shapes.shape[1]), f"plan gave shapes {shapes.shape} of {len(pick)} samples"
        kind = to_numpy(meta.dtype)
        empty = [np.zeros(tuple(shape), kind) for shape in shapes.tolist()]
        same = onto != "dense" or len({array.shape for array in empty}) == 1
        like = np.empty((0,) * shapes.shape[1], kind)
        outputs.append(stored(empty, onto if same else "packed", meta.layout or "", like=like))
    if at_once:
        compute = None if not overrides(operator, "cpu_ranges") else operator.cpu_ranges(work, inputs, outputs)
        left: list[int] = []
        if compute is not None and len(pick) > 1 and onto == "packed":  # as threads share it
            left += compute(1, len(pick)) or ()
            left += compute(0, 1) or ()
        elif overrides(operator, "cpu_batch"):
            operator.cpu_batch(work, inputs, outputs)
        elif compute is not None:
            left += compute(0, len(pick)) or ()
        else:
            return computed(operator, case, form, pick)
        for index in left:
            operator.cpu(work, index, [batch[index] for batch in inputs], [batch[index] for batch in outputs])
        return [[np.array(sample) for sample in batch.samples] for batch in outputs]
    made: list[list[Array]] = [[] for _ in outputs]
    for index in range(len(pick)):
        given = operator.cpu(work, index, [batch[index] for batch in inputs], [batch[index] for batch in outputs])
        for number, batch in enumerate(outputs):
            made[number].append(np.array(given if given is not None and number == 0 else batch[index]))
    return made


def iterations(operator: type[Operator], case: Case, state: Any, numbers: Sequence[int], count: int = 4) -> list[Array]:
    """Samples that a batch operator gives in these iterations, one after the other."""
    made: list[Array] = []
    for number in numbers:
        context = RunContext(count, np.arange(count), number, number * count, seed=99, whole=True)
        args = arguments(operator, case, range(count), context)
        inputs = [stored(data.samples()[:count], "separate", data.layout) for data in case.inputs]
        made += [np.array(sample) for batch in operator.run(state, args, *inputs) for sample in batch.samples]
    return made


def opened(operator: type[Operator], case: Case, count: int = 4) -> Any:
    """A fresh state."""
    return operator.open(arguments(operator, case, range(count), RunContext(count, np.arange(count), seed=99, whole=True)))


def check_saved(operator: type[Operator], case: Case, before: int = 3, after: int = 4) -> None:
    """A state that is saved and restored goes on as the one that was not: fails otherwise."""
    first = opened(operator, case)
    iterations(operator, case, first, range(before))
    saved = operator.save(first)
    assert plain(saved), f"a saved state holds plain values and arrays; this is {saved!r}"
    again = opened(operator, case)
    operator.restore(again, saved)
    numbers = range(before, before + after)
    going_on, resumed = (iterations(operator, case, state, numbers) for state in (first, again))
    assert [one.tobytes() for one in resumed] == [one.tobytes() for one in going_on]


def plain(value: Any) -> bool:
    """Whether a value can be written into a checkpoint: nothing but numbers, texts, arrays, lists and mappings."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str | bytes | np.generic | np.ndarray)


def same_bytes(results: list[list[Array]], expected: list[list[Array]]) -> None:
    """Fails if outputs differ in any bit, shape or type."""
    assert len(results) == len(expected)
    for number, (mine, other) in enumerate(zip(results, expected, strict=True)):
        assert len(mine) == len(other)
        for index, (one, reference) in enumerate(zip(mine, other, strict=True)):
            where = f"output {number} sample {index}"
            assert (one.dtype, one.shape) == (reference.dtype, reference.shape), where
            assert one.tobytes() == reference.tobytes(), where


def check_storage(operator: type[Operator], case: Case, pick: Sequence[int], call: Callable[..., Any] = computed) -> None:
    """All forms of storage, and ``cpu_batch`` where there is one, give what ``cpu`` gives for separate samples."""
    reference = call(operator, case, "separate", pick)
    same = {data.samples()[index].shape for data in case.inputs[:1] for index in pick}
    forms = [form for form in FORMS if form != "dense" or len(same) == 1 or not pick]
    for form in forms:
        same_bytes(call(operator, case, form, pick), reference)
        if overrides(operator, "cpu_batch") or overrides(operator, "cpu_ranges"):
            for onto in FORMS:
                same_bytes(call(operator, case, form, pick, at_once=True, onto=onto), reference)


