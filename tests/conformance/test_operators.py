"""What every registered operator promises, over the cases that it offers: no operator is named here."""

from __future__ import annotations

import contextlib
import itertools
import linecache
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from chosen import some
from direct import check_saved, check_storage
from peers import collect
from reference import check_compared, check_reference, fed, has_reference
from subjects import (
    ACCEPTED,
    BATCH,
    EXAMPLES,
    OURS,
    PER_SAMPLE,
    REGISTRY,
    SUBJECTS,
    THEIRS,
    Subject,
    assert_equal,
    assert_same,
    path,
    pipeline,
    results,
    run,
    samples,
)

from dali_studio import DaliStudioError, fn
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.codegen.emit import emit
from dali_studio.core.batch import Batch
from dali_studio.core.dtypes import ENUMERATIONS
from dali_studio.core.enums import DALIDataType
from dali_studio.core.tensors import TensorListCPU
from dali_studio.graph.document import dumps, loads
from dali_studio.graph.validate import validate
from dali_studio.runtime import groups
from dali_studio.runtime.request import Request
from dali_studio.schema.declare import overrides
from dali_studio.schema.model import ArgumentSchema
from dali_studio.schema.samples import Case, Data, Folder, tensors, values
from dali_studio.schema.traits import MixesSamples, PerFrame, PerSample, RandomSource, SpansIterations


def of(subjects: list[Subject]) -> Any:
    """The test runs for each of them."""
    return pytest.mark.parametrize("subject", subjects, ids=str)


def refusal(subject: Subject, **options: Any) -> Any:
    """What comes of a pipeline that must be refused: the finding that says where and what to do."""
    with pytest.raises(DaliStudioError) as caught:
        run(pipeline(subject, **options))
    found = caught.value.diagnostics[0]
    assert found.node == "node" and found.message.endswith(".") and found.hint, str(found)
    return found


# ----------------------------------------------------------------------------------------------------------- results


def test_cases_have_names_of_their_own() -> None:
    names = [str(subject) for subject in SUBJECTS]
    assert sorted(set(names)) == sorted(names)


def test_every_operator_has_a_case_that_is_accepted() -> None:
    """Unless all that it offers are to be refused, since others would write files."""
    assert {one.operator for one in ACCEPTED} == {one.operator for one in SUBJECTS if one.case.refused is None}


@of([subject for subject in ACCEPTED if subject.peer])
def test_cpu_gives_what_nvidia_dali_gives(subject: Subject, nvidia: Any, record_property: Any) -> None:
    """The same program under both import prefixes, over two iterations.

    What is refused here for its data (a window outside a tiny picture) is not tried there: some bad calls crash it.
    """
    del nvidia
    ours = results(subject)
    if isinstance(ours, DaliStudioError):
        assert ours.diagnostics[0].node == "node" and ours.diagnostics[0].hint, str(ours)
        record_property("refused", True)
        return
    theirs = run(pipeline(subject, THEIRS), 2)
    record_property("compared", [data.dtype.name for data in subject.case.inputs[:1]])
    tolerance = subject.tolerance()
    assert len(ours) == len(theirs)
    for number, (mine, reference) in enumerate(zip(ours, theirs, strict=True)):
        assert (mine.dtype, mine.layout, len(mine.samples)) == (reference.dtype, reference.layout, len(reference.samples))
        for index, (result, expected) in enumerate(zip(mine.samples, reference.samples, strict=True)):
            tolerance.check(result, expected, f"output {number} sample {index}")


@pytest.mark.parametrize("operator", sorted({subject.operator for subject in ACCEPTED}))
def test_cpu_gives_what_the_reference_gives(operator: str) -> None:
    """Where one is declared, over all cases, also with numbers fed; what nvidia.dali lacks must have one."""
    check_compared(Subject(operator, Case()))
    for subject in ACCEPTED:
        if subject.operator == operator and has_reference(subject):
            for one in (subject, *fed(subject)):
                check_reference(one)


@of(some([subject for subject in SUBJECTS if subject.case.refused is None]))
def test_declared_types_are_the_real_ones(subject: Subject) -> None:
    """Either the graph is refused, and the run of undeclared data too, or the results are what inference said."""
    if subject.refusal is not None:
        assert (subject.refusal.code, subject.refusal.node) == (refusal(subject, declared=False).code, "node")
        return
    made = pipeline(subject)
    found = validate(made.graph, REGISTRY).metas
    outputs = results(subject)
    undeclared = results(subject, declared=False)
    if isinstance(outputs, DaliStudioError) or isinstance(undeclared, DaliStudioError):
        assert str(outputs) == str(undeclared)
        return
    assert_equal(outputs, undeclared)
    for port, output in zip(made.graph.outputs, outputs, strict=False):
        meta = found[port]
        ndim = output.samples[0].ndim
        told = (str(meta.dtype or output.dtype), ndim if meta.ndim is None else meta.ndim, meta.layout or "")
        assert (output.dtype, ndim, output.layout) == told  # what files hold is not known before


def _resizes_the_axes_of_others(subject: Subject) -> bool:
    """Whether an axis is resized that another sample of the batch resizes, as in nvidia.dali: where all keep its extent."""
    return "tensor_resize" in subject.operator and {"mode", "axes"} <= set(subject.case.arguments)


@of(some([subject for subject in PER_SAMPLE if not subject.has(RandomSource) and not subject.has(MixesSamples)
          and not _resizes_the_axes_of_others(subject)]))  # fmt: skip
def test_a_sample_does_not_depend_on_its_batch(subject: Subject) -> None:
    """Alone, among the others, and among many."""
    (whole, *_) = [run(pipeline(subject))]
    count = len(whole[0].samples)
    many = [index % count for index in range(37)]
    for picked in (*([index] for index in range(count)), many):
        for output, part in zip(whole, run(pipeline(subject, pick=picked)), strict=True):
            assert_same(part.samples, [output.samples[index] for index in picked])


def with_inputs_alone() -> list[Subject]:
    """Cases of inputs that any numbers may stand in, with constant arguments."""
    return [one for one in PER_SAMPLE if one.case.inputs and not one.schema.seeded and one.schema.inputs[0].kind != "encoded"
            and not any(isinstance(value, Data) for value in one.case.arguments.values())]  # fmt: skip


@of(some(with_inputs_alone()))
def test_an_iteration_does_not_depend_on_those_before(subject: Subject) -> None:
    """What is planned is kept for inputs of the same shapes: other data, other shapes, and the first ones again."""
    first = {data: samples(data) for data in subject.case.inputs}
    other = {data: [np.flip(one).copy() for one in batch] for data, batch in first.items()}
    turned = {data: batch[::-1] for data, batch in first.items()}
    expected = {}
    for number, batches in enumerate((first, other, turned)):
        with contextlib.suppress(DaliStudioError):  # numbers that it refuses
            expected[number] = run(pipeline(subject, held=partial(_given, [batches])))
    order = [number for number in (0, 1, 2, 0) if number in expected]
    made = pipeline(subject, held=partial(_given, [(first, other, turned)[number] for number in order]))
    for number in order:
        assert_equal(run(made), expected[number])


def _given(iterations: list[dict[Data, Any]], data: Data) -> Any:
    facts: dict[str, Any] = {"layout": data.layout} if data.layout else {}
    made = fn.external_source(source=lambda at: iterations[min(at, len(iterations) - 1)][data], **facts)
    return fn.cast(made, dtype=data.dtype) if data.dtype in ENUMERATIONS else made


@of(some(subject for subject in EXAMPLES if subject.case.inputs))
def test_storage_does_not_matter(subject: Subject) -> None:
    """Batches in one array give what separate samples give."""
    same = [0] * 3  # samples of one shape
    assert_equal(run(pipeline(subject, pick=same, dense=True)), run(pipeline(subject, pick=same)))


def for_direct_calls() -> list[Subject]:
    """Cases that operators are called with as they are: the runtime takes sequences apart."""
    return [subject for subject in ACCEPTED if subject.has(PerSample) and subject.case.inputs and not subject.has(RandomSource)
            and not (subject.has(PerFrame) and any(data.layout.startswith("F") for data in fed_by(subject.case)))]  # fmt: skip


def fed_by(case: Case) -> list[Data]:
    """Its inputs, and what its arguments are fed with."""
    return [*case.inputs, *(value for value in case.arguments.values() if isinstance(value, Data))]


@of(some(for_direct_calls()))
def test_storage_and_whole_batches_do_not_matter(subject: Subject, record_property: Any) -> None:
    """Separate, packed and dense samples, of many shapes and of one, and none; ``cpu_batch`` and ``cpu``."""
    operator = REGISTRY.operator(subject.operator)
    if isinstance(results(subject), DaliStudioError):
        record_property("refused", True)
        return
    every = range(len(samples(subject.case.inputs[0])))
    for pick in ([*every, *every], [every[-1]] * 3, []):
        check_storage(operator, subject.case, pick)


@of([subject for subject in EXAMPLES if overrides(REGISTRY.operator(subject.operator), "save")])
def test_a_restored_state_goes_on(subject: Subject) -> None:
    check_saved(REGISTRY.operator(subject.operator), _with_paths(subject.case))


def _with_paths(case: Case) -> Case:
    """The case with folders that exist."""
    arguments = {name: str(path(value)) if isinstance(value, Folder) else value for name, value in case.arguments.items()}
    return replace(case, arguments=arguments)


def sequences() -> list[Subject]:
    """Cases whose first input has frames, which do not move among the axes, and no argument is fed."""
    return [subject for subject in ACCEPTED if subject.has(PerFrame) and subject.case.inputs
            and subject.case.inputs[0].layout.startswith("F")
            and str(subject.case.arguments.get("output_layout", "F")).startswith("F")
            and not _cuts_frames(subject.case)
            and not any(isinstance(value, Data) for value in subject.case.arguments.values())]  # fmt: skip


def _cuts_frames(case: Case) -> bool:
    """Whether a window has a depth, which is frames here."""
    window = case.arguments.get("crop")
    return "crop_d" in case.arguments or (isinstance(window, tuple | list) and len(window) > 2)


@of(some(sequences()))
def test_sequences_are_their_frames(subject: Subject, record_property: Any) -> None:
    """Each sample of a sequence is what its frames give, as samples of a batch of their own."""
    whole = results(subject)
    if isinstance(whole, DaliStudioError):
        record_property("refused", True)
        return
    first = samples(subject.case.inputs[0])
    apart = tuple(_frames(data) for data in subject.case.inputs)
    kinds = {argument.name: argument.type for argument in subject.schema.arguments}
    arguments = {name: value.removeprefix("F") if kinds[name] == "layout" else value
                 for name, value in subject.case.arguments.items()}  # fmt: skip
    alone = run(pipeline(Subject(subject.operator, replace(subject.case, inputs=apart, arguments=arguments))), 2)
    ends = np.cumsum([len(sample) for sample in first])
    for output, frames in zip(whole, alone, strict=True):
        assert output.layout == (f"F{frames.layout}" if frames.layout else "")
        together = [np.stack(frames.samples[end - len(sample) : end]) for sample, end in zip(first, ends, strict=True)]
        assert_same(output.samples, together)


def _frames(data: Data) -> Data:
    """The frames of sequences as samples; what has none is repeated for each frame."""
    if not data.layout.startswith("F"):
        raise AssertionError("a sequence beside an input without frames needs a case of its own")
    return Data(lambda: [frame for sample in data.samples() for frame in sample], data.dtype, data.layout[1:], "frames")


OPTIONS = [{"num_threads": 1}, {"num_threads": 3}, {"exec_async": False, "exec_pipelined": False}, {"prefetch_queue_depth": 1}, {"prefetch_queue_depth": 4}]


@of(some(EXAMPLES))
def test_speed_options_never_change_data(subject: Subject) -> None:
    first, *others = [run(pipeline(subject, **options), 3) for options in OPTIONS]
    for other in others:
        assert_equal(other, first)


def spanning() -> list[Subject]:
    """What the runtime may compute for several iterations at once, `runtime.groups` says."""
    return [one for one in EXAMPLES if (one.has(PerSample) or one.has(SpansIterations)) and not one.has(MixesSamples)]


@of(some(spanning()))
def test_iterations_together_are_those_alone(subject: Subject) -> None:
    single = pipeline(subject, exec_async=False, exec_pipelined=False)
    single.build()
    alone = [collect(single.run()) for _ in range(3)]
    engine = pipeline(subject, exec_async=False, exec_pipelined=False)._built()
    size = engine.graph.options.batch_size
    given = {key: (_joined([feeder.take()[0] for _ in alone]),) for key, feeder in engine.feeders.items()}
    made = engine.executor.run(Request(0, 0, size, given, iterations=len(alone)))
    for number, expected in enumerate(alone):
        outputs = groups.part(made, size, number)
        found = [outputs[port] for port in engine.plan.outputs]
        lists = [TensorListCPU.from_samples(one.samples, one.layout, (), one.meta.dtype) for one in found]
        assert_equal(collect(lists), expected)


def _joined(batches: list[Batch]) -> Batch:
    """The samples of several batches as one."""
    return Batch.of([sample for batch in batches for sample in batch.samples], batches[0].layout)


@of(some(EXAMPLES))
def test_document_round_trip(subject: Subject) -> None:
    made = pipeline(subject)
    graph, _, _ = loads(dumps(made.graph, None), REGISTRY)
    assert dumps(graph, None) == dumps(made.graph, None)


EMITTED = [pytest.param(subject, dialect, marks=[pytest.mark.peer] * (dialect == THEIRS), id=f"{subject}-{dialect}")
           for subject, dialect in some(itertools.product(EXAMPLES, (OURS, THEIRS)), lambda pair: pair[0].operator)]  # fmt: skip


@pytest.mark.parametrize(("subject", "dialect"), EMITTED)
def test_emitted_programs_give_the_same(subject: Subject, dialect: str, request: pytest.FixtureRequest) -> None:
    """Byte by byte what the same program gives that was written by hand, in both dialects."""
    if dialect != OURS:
        request.getfixturevalue("nvidia")
        if not subject.peer and not subject.lacking:
            pytest.skip(f"is not compared with nvidia.dali: {subject.case.note}")
    emitted = emit(pipeline(subject).graph, REGISTRY, dialect)
    if any(found.severity == "error" for found in emitted.diagnostics):
        assert not subject.peer or subject.schema.in_dialect(dialect), emitted.diagnostics
        return
    scope: dict[str, Any] = {"__name__": "emitted"}
    linecache.cache["emitted.py"] = len(emitted.source), None, emitted.source.splitlines(keepends=True), "emitted.py"
    exec(compile(emitted.source, "emitted.py", "exec"), scope)  # of conditions, the source is read
    assert_equal(run(scope["pipeline"](**sources(subject)), 2), run(pipeline(subject, dialect), 2))


def sources(subject: Subject) -> dict[str, Any]:
    """The callables that an emitted program takes as parameters."""
    given = {f"data_{number}": data for number, data in enumerate(subject.case.inputs)}
    given |= {f"data_{name}": value for name, value in subject.case.arguments.items() if isinstance(value, Data)}
    return {f"{name}_source": _giver(samples(data)) for name, data in given.items()}


def _giver(batch: Any) -> Any:
    return lambda: batch


def test_all_dialects_are_run() -> None:
    assert set(DIALECTS) == {OURS, THEIRS}


# ------------------------------------------------------------------------------------------------------------- errors


@of([subject for subject in SUBJECTS if subject.case.refused is not None])
def test_what_a_case_says_is_refused(subject: Subject) -> None:
    found = refusal(subject)
    assert found.argument == subject.case.refused or not subject.case.refused, str(found)


def first_examples() -> list[Subject]:
    """One case of each operator."""
    return list({subject.operator: subject for subject in reversed(EXAMPLES)}.values())


def wrong_ranks() -> list[Subject]:
    """Inputs with more or fewer axes than any layout that is accepted."""
    made: list[Subject] = []
    for subject in first_examples():
        layouts = subject.schema.inputs[0].layouts if subject.case.inputs else ()
        if not layouts:
            continue
        for shape, layout in (((7,), "X"), ((3, 4), "HW"), ((2, 3, 4, 3), "FHWC"), ((2, 2, 3, 4, 3), "FDHWC")):
            if len(shape) not in {len(accepts) for accepts in layouts}:
                inputs = (tensors((shape,), DALIDataType.UINT8, layout), *subject.case.inputs[1:])
                made.append(Subject(subject.operator, Case(inputs, subject.case.arguments, note=f"{len(shape)} axes")))
    return made


@of(wrong_ranks())
def test_wrong_ranks_are_refused_with_the_node(subject: Subject) -> None:
    assert refusal(subject).code == refusal(subject, declared=False).code == "DS203"


def bad_values(argument: ArgumentSchema) -> list[tuple[Any, str]]:
    """Values that an argument does not take, with the code of the finding."""
    listed = argument.type.endswith("_list")

    def shaped(value: Any) -> Any:
        return (value,) * (argument.length[0] if argument.length else 1) if listed else value

    if argument.now:  # its values are those of the other
        return []
    if argument.support == "refused":
        return [(shaped({"float": 1.0, "int": 1, "bool": True}.get(argument.type.removesuffix("_list"), "FLOAT")), "DS106 DS104")]
    if argument.support == "ignored" or argument.type == "object":
        return []
    found: list[tuple[Any, str]] = [({"no": "value"}, "DS104")]
    if argument.choices:
        found.append(("no such word", "DS104 DS105"))
    if argument.minimum is not None and argument.type.startswith(("float", "int")):
        found.append((shaped(argument.minimum - 1), "DS105"))
    if argument.maximum is not None and argument.type.startswith(("float", "int")) and argument.maximum < 2**31:
        found.append((shaped(argument.maximum + 1), "DS105"))
    if argument.length:
        found.append(((1,) * (max(argument.length) + 1), "DS104 DS105"))
    return found


BAD = [pytest.param(subject, argument, value, codes, id=f"{subject.operator}: {argument.name}={value!r}")
       for subject in first_examples() for argument in subject.schema.arguments for value, codes in bad_values(argument)]  # fmt: skip


@pytest.mark.parametrize(("subject", "argument", "value", "codes"), BAD)
def test_bad_values_are_refused_with_the_argument(subject: Subject, argument: ArgumentSchema, value: Any, codes: str) -> None:
    found = refusal(subject, arguments={**subject.case.arguments, argument.name: value})
    assert found.argument == argument.name and found.code in codes, str(found)


@of([subject for subject in first_examples() if any(a.type == "data_type" and a.support == "used" for a in subject.schema.arguments)])
def test_element_types_are_given_or_refused(subject: Subject) -> None:
    """Every type that a user can ask for is what comes out, or the finding names the argument."""
    for argument in subject.schema.arguments:
        if argument.type != "data_type" or argument.support != "used":
            continue
        for name in argument.choices:
            arguments = {**subject.case.arguments, argument.name: name}
            try:
                output = run(pipeline(subject, arguments=arguments))[0]
            except DaliStudioError:
                assert refusal(subject, arguments=arguments).argument == argument.name
            else:
                assert output.dtype == str(DALIDataType[name])


@of([subject for subject in first_examples() if subject.case.inputs and subject.schema.inputs[0].kind == "encoded"])
def test_broken_samples_are_named(subject: Subject) -> None:
    good = subject.case.inputs[0]
    broken = Data(lambda: [*good.samples()[:2], np.frombuffer(b"no picture", np.uint8)], good.dtype, label="broken")
    found = refusal(Subject(subject.operator, Case((broken, *subject.case.inputs[1:]), subject.case.arguments)))
    assert (found.code, found.sample) == ("DS301", 2)


PER_SAMPLE_ARGUMENTS = [
    pytest.param(subject, argument, id=f"{subject.operator}: {argument.name}")
    for subject in PER_SAMPLE for argument in subject.schema.arguments
    if argument.tensor and argument.support == "used" and argument.type in ("float", "int")
    and isinstance(subject.case.arguments.get(argument.name), float | int)
]  # fmt: skip


@pytest.mark.parametrize(("subject", "argument"), PER_SAMPLE_ARGUMENTS)
def test_fed_arguments_are_checked_by_sample(subject: Subject, argument: ArgumentSchema) -> None:
    """The same value, fed; a wrong element type; and a vector where a number is wanted: its sample is named."""
    right, wrong = (DALIDataType.FLOAT, DALIDataType.INT16) if argument.type == "float" else (DALIDataType.INT32, DALIDataType.FLOAT)
    value = subject.case.arguments[argument.name]

    def fed(data: Data) -> dict[str, Any]:
        return {"arguments": {**subject.case.arguments, argument.name: data}}

    count = len(samples(subject.case.inputs[0])) if subject.case.inputs else BATCH
    assert_equal(run(pipeline(subject, **fed(values(*[value] * count, dtype=right)))), run(pipeline(subject)))
    found = refusal(subject, **fed(values(*[value] * count, dtype=wrong)))
    assert (found.argument, found.sample) == (argument.name, None)
    vectors = [[value]] * count
    vectors[-1] = [value] * 3
    found = refusal(subject, **fed(values(*vectors, dtype=right)))
    assert (found.argument, found.sample) == (argument.name, count - 1)
