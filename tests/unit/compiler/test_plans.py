"""Plans as text: layers, windows, pruning, seeds and lifetimes, for the operators of the project."""

from __future__ import annotations

from typing import Any

import pytest

from dali_studio import Pipeline, fn, types
from dali_studio.api.default import default_registry
from dali_studio.compiler.explain import explain
from dali_studio.compiler.lower import lower
from dali_studio.compiler.passes.prune import prune
from dali_studio.compiler.passes.push_windows import push_windows
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.compiler.plan import BatchStage, Segment
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph

REGISTRY = default_registry()


def graph(define: Any) -> Graph:
    made = Pipeline(batch_size=2, seed=1)
    with made:
        outputs = define()
        made.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    return made.graph


def training() -> Any:
    files, labels = fn.readers.file(file_root="photos", random_shuffle=True)
    images = fn.decoders.image(files)
    bright = fn.brightness_contrast(images, brightness=fn.random.uniform(range=(0.5, 1.5)), name="bright")
    mirror = fn.random.coin_flip(name="mirror")
    return fn.crop_mirror_normalize(bright, crop=(224, 224), mirror=mirror), labels


TRAINING = """\
passes: prune, push_windows
stage 0: whole batch
  reader = readers.file(file_root='photos', random_shuffle=True) seed #0
stage 1: whole batch
  uniform = random.uniform(range=(0.5, 1.5)) seed #1
stage 2: whole batch
  mirror = random.coin_flip() seed #2
stage 3: one task per sample
  decode = decoders.image(reader)  [scratch, only the window that normalize reads]
  bright = brightness_contrast(decode, brightness=uniform)  [scratch]
  normalize = crop_mirror_normalize(bright, mirror=mirror, crop=(224.0, 224.0))
  frees bright, decode, mirror, reader, uniform
returns normalize, reader[1]"""


def chain_of_segments() -> Any:
    """A decoder reads data that an operator per sample made: two segments."""
    files, _ = fn.readers.file(file_root="photos")
    return fn.decoders.image(fn.cast(files, dtype=types.UINT8, name="bytes"), name="image")


CHAIN = """\
passes: prune, push_windows
stage 0: whole batch
  reader = readers.file(file_root='photos') seed #0
stage 1: one task per sample
  bytes = cast(reader, dtype='UINT8')
  frees reader
stage 2: one task per sample
  image = decoders.image(bytes)
  frees bytes
returns image"""


@pytest.mark.parametrize(("define", "text"), [(training, TRAINING), (chain_of_segments, CHAIN)])
def test_golden_plans(define: Any, text: str) -> None:
    assert explain(compile_graph(graph(define), REGISTRY)) == text


def test_what_no_output_needs_is_left_out_but_keeps_its_seed() -> None:
    def define() -> Any:
        fn.random.uniform(name="unused")
        fn.random.uniform(name="kept", preserve=True)
        return fn.random.uniform(name="used")

    plan = compile_graph(graph(define), REGISTRY)
    assert {step.key: step.seed_index for step in plan.steps()} == {"used": 0, "kept": 1}
    assert [s.key for s in compile_graph(graph(define), REGISTRY, whole=True).steps()] == ["unused", "kept", "used"]


def test_prune_returns_a_whole_graph_unchanged() -> None:
    full = graph(lambda: fn.flip(fn.external_source(name="data")))
    assert prune(full, REGISTRY) is full


def test_taps_are_kept_and_stop_windows() -> None:
    whole = graph(training)
    taps = [PortRef(node="decode", output=0)]
    plan = compile_graph(whole, REGISTRY, taps=taps)
    (segment,) = [stage for stage in plan.stages if isinstance(stage, Segment)]
    assert taps[0] in segment.kept
    assert all(step.window_sink is None for step in segment.steps)
    assert taps[0] not in plan.last_use


WINDOWS = [
    (lambda x: fn.crop(fn.decoders.image(x, name="d"), crop=(5, 5), name="c"), "c"),
    (lambda x: fn.crop(fn.hsv(fn.decoders.image(x, name="d")), crop=(5, 5), name="c"), "c"),
    (lambda x: fn.crop(fn.cast(fn.hsv(fn.decoders.image(x, name="d")), dtype=types.FLOAT), crop=(5, 5), name="c"), "c"),
    (lambda x: fn.crop(fn.flip(fn.decoders.image(x, name="d")), crop=(5, 5), name="c"), None),
    (lambda x: fn.hsv(fn.decoders.image(x, name="d")), None),
    (lambda x: fn.decoders.image(x, name="d"), None),
    (lambda x: fn.crop(fn.resize(fn.decoders.image(x, name="d"), size=9, name="r"), crop=(5, 5), name="c"), None),
]


@pytest.mark.parametrize(("define", "sink"), WINDOWS)
def test_windows_pass_pointwise_operators_only(define: Any, sink: str | None) -> None:
    whole = graph(lambda: define(fn.readers.file(file_root="x")[0]))
    steps = {step.key: step for step in push_windows(lower(whole, REGISTRY), REGISTRY).steps()}
    assert steps["d"].window_sink == sink


def test_two_readers_of_a_result_stop_windows() -> None:
    def define() -> Any:
        image = fn.decoders.image(fn.readers.file(file_root="x")[0], name="d")
        return fn.crop(image, crop=(5, 5)), fn.crop(image, crop=(6, 6))

    steps = {step.key: step for step in compile_graph(graph(define), REGISTRY).steps()}
    assert steps["d"].window_sink is None


def test_stages_follow_their_inputs() -> None:
    for define in (training, chain_of_segments):
        plan = compile_graph(graph(define), REGISTRY)
        made: set[PortRef] = set()
        for stage in plan.stages:
            for step in (stage.step,) if isinstance(stage, BatchStage) else stage.steps:
                assert {*step.inputs, *step.argument_inputs.values()} <= made
                made |= set(step.outputs)
        assert set(plan.outputs) <= made


def test_nothing_is_freed_before_its_last_use() -> None:
    plan = compile_graph(graph(training), REGISTRY)
    for port, last in plan.last_use.items():
        readers = [
            at for at, stage in enumerate(plan.stages)
            for step in ((stage.step,) if isinstance(stage, BatchStage) else stage.steps)
            if port in (*step.inputs, *step.argument_inputs.values())
        ]  # fmt: skip
        assert max(readers) == last
        assert port not in plan.outputs
