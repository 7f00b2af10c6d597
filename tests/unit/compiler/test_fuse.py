"""Which steps on a GPU become one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from dali_studio import fn
from dali_studio.api.default import default_registry
from dali_studio.api.kernels import generated
from dali_studio.compiler.explain import explain
from dali_studio.compiler.passes.fuse import fuse
from dali_studio.compiler.pipeline import compile_graph
from dali_studio.compiler.plan import BatchStage, FusedStage, Plan
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, Node
from dali_studio.pipeline import Pipeline
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator
from dali_studio.schema.marks import PER_SAMPLE
from dali_studio.schema.registry import Registry
from dali_studio.schema.traits import PerSample, PixelPart, SourcePart

REGISTRY = default_registry()


def graph(define: Callable[[Any], Any]) -> Graph:
    made = Pipeline(batch_size=2, device_id=0, seed=1)
    with made:
        outputs = define(fn.decoders.image(fn.readers.file(file_root="photos")[0], device="mixed"))
        made.set_outputs(*(outputs if isinstance(outputs, tuple) else (outputs,)))
    return made.graph


def photo(images: Any) -> Any:
    turned = fn.rotate(fn.resize(images, size=256), angle=fn.random.uniform(range=(-9.0, 9.0)), keep_size=True)
    return fn.crop_mirror_normalize(fn.hsv(turned, hue=20.0), crop=(224, 224), mirror=fn.random.coin_flip(name="mirror"))


PHOTO = """\
passes: prune, push_windows, fuse
stage 0: whole batch
  reader = readers.file(file_root='photos') seed #0
stage 1: whole batch
  decode = decoders.image(reader) on mixed
  frees reader
stage 2: whole batch
  resize = resize(decode, size=(256.0,)) on gpu
  frees decode
stage 3: whole batch
  uniform = random.uniform(range=(-9.0, 9.0)) seed #1
stage 4: whole batch
  mirror = random.coin_flip() seed #2
stage 5: whole batch, one kernel
  rotate = rotate(resize, angle=uniform, keep_size=True) on gpu
  hsv = hsv(rotate, hue=20.0) on gpu
  normalize = crop_mirror_normalize(hsv, mirror=mirror, crop=(224.0, 224.0)) on gpu
  frees mirror, resize, uniform
returns normalize"""


def test_golden_plan() -> None:
    assert explain(compile_graph(graph(photo), REGISTRY, devices=True)) == PHOTO


def fused(plan: Plan) -> list[list[str]]:
    return [[step.key for step in stage.steps] for stage in plan.stages if isinstance(stage, FusedStage)]


def test_fusion_can_be_left_out_and_is_for_gpus_alone() -> None:
    for options in ({"devices": True, "fuse": False}, {"devices": False}):
        plan = compile_graph(graph(photo), REGISTRY, **options)
        assert not fused(plan) and "fuse" not in plan.passes


CHAINS: list[tuple[Callable[[Any], Any], list[list[str]]]] = [
    (lambda x: fn.hsv(fn.flip(x)), [["flip", "hsv"]]),
    (lambda x: fn.hsv(fn.resize(x, size=9)), [["resize", "hsv"]]),
    # what reads pixels anywhere begins a kernel
    (lambda x: fn.rotate(fn.hsv(x), angle=3.0), []),
    (lambda x: fn.cast(fn.rotate(fn.hsv(fn.flip(x)), angle=3.0), dtype="FLOAT"), [["flip", "hsv"], ["rotate", "cast"]]),
    # an output in between, and a second reader
    (lambda x: (y := fn.hsv(x), fn.flip(y)), []),
    (lambda x: (fn.flip(y := fn.hsv(x)), fn.cast(y, dtype="FLOAT")), []),
    (lambda x: fn.cast(fn.flip(y := fn.hsv(x), horizontal=fn.random.uniform(y, dtype="INT32")), dtype="FLOAT"), [["flip", "cast"]]),
]  # fmt: skip


@pytest.mark.parametrize(("define", "chains"), CHAINS)
def test_chains(define: Callable[[Any], Any], chains: list[list[str]]) -> None:
    assert fused(compile_graph(graph(define), REGISTRY, devices=True)) == chains


def test_a_tap_ends_a_chain() -> None:
    taps = [PortRef(node="rotate", output=0)]
    assert fused(compile_graph(graph(photo), REGISTRY, taps=taps, devices=True)) == [["hsv", "normalize"]]


def test_arguments_exist_before_the_stage_and_nothing_is_freed_early() -> None:
    plan = compile_graph(graph(photo), REGISTRY, devices=True)
    made: set[PortRef] = set()
    for place, stage in enumerate(plan.stages):
        for step in (stage.step,) if isinstance(stage, BatchStage) else stage.steps:
            needed = {*step.inputs, *step.argument_inputs.values()}
            assert needed <= made
            assert all(plan.last_use.get(port, place) >= place for port in needed)
            made |= set(step.outputs)
    assert set(plan.outputs) <= made
    assert PortRef(node="hsv", output=0) not in plan.last_use


def test_fusing_again_changes_nothing() -> None:
    plan = compile_graph(graph(photo), REGISTRY, devices=True)
    assert fuse(plan, REGISTRY) == plan


class Begin(Operator):
    """Begins a kernel."""

    inputs = (Input("input"),)
    devices = ("cpu", "gpu")
    traits = (PerSample, SourcePart)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]


class Follow(Begin):
    """Follows."""

    traits = (PerSample, PixelPart)

    amount: Annotated[float, PER_SAMPLE] = 0.0


class Other(Begin):
    """Has no part."""

    traits = (PerSample,)


def test_operators_from_outside_are_fused_by_their_traits() -> None:
    made = Graph()
    for key, operator in (("a", "other"), ("b", "begin"), ("c", "follow"), ("d", "follow"), ("e", "other")):
        made.add_node(Node(key=key, operator=operator, device="gpu"))
    for before, after in zip("abcd", "bcde", strict=True):
        made.connect(PortRef(node=before, output=0), after, 0)
    made.set_outputs([PortRef(node="e", output=0)])
    plan = compile_graph(made, Registry([Begin, Follow, Other]), devices=True)
    assert fused(plan) == [["b", "c", "d"]]


def test_sources_of_a_plan_are_known_without_running_it() -> None:
    whole = graph(photo)
    plan = compile_graph(whole, REGISTRY, devices=True)
    found = dict(generated(whole, plan, REGISTRY))
    assert list(found) == [("resize",), ("rotate", "hsv", "normalize")]
    text = found[("rotate", "hsv", "normalize")]
    assert "typedef Warp<u8, u8, 0, 0, 0> S;" in text and "typedef Window<u8, f32, 2> P2;" in text
    assert "#define PLANAR_OUT 1" in text and "void __launch_bounds__(256) grid(" in text
    assert "void __launch_bounds__(256, 4) rows(" in found[("resize",)]


def test_arithmetic_with_numbers_is_fused_and_alone_is_not_generated() -> None:
    def define(images: Any) -> Any:
        photos = fn.cast(fn.hsv(images, hue=20.0, name="hsv") * 0.5, dtype="UINT8", name="cast")
        return (photos + 1) * photos

    whole = graph(define)
    plan = compile_graph(whole, REGISTRY, devices=True)
    (steps,) = fused(plan)
    assert (steps[0], steps[-1], len(steps)) == ("hsv", "cast", 3)
    ((generates, text),) = generated(whole, plan, REGISTRY)
    assert list(generates) == steps
    assert "typedef arithmetic::Multiply_f32x_f32<u8, f32> P1;" in text


WARPS = """\
passes: prune, push_windows, fuse_warps
stage 0: whole batch
  reader = readers.file(file_root='photos') seed #0
stage 1: whole batch
  decode = decoders.image(reader) on mixed
  frees reader
stage 2: whole batch, one kernel, the first 3 as one resampling
  rotate = rotate(decode, angle=3.0) on gpu
  flip = flip(rotate) on gpu
  rotate_2 = rotate(flip, angle=5.0) on gpu
  hsv = hsv(rotate_2) on gpu
  flip_2 = flip(hsv) on gpu
  frees decode
returns flip_2"""


def test_affine_steps_are_one_resampling_where_that_is_asked_for() -> None:
    def define(images: Any) -> Any:
        return fn.flip(fn.hsv(fn.rotate(fn.flip(fn.rotate(images, angle=3.0)), angle=5.0)))

    plan = compile_graph(graph(define), REGISTRY, devices=True, fuse_warps=True)
    assert explain(plan) == WARPS
    (stage,) = [stage for stage in plan.stages if isinstance(stage, FusedStage)]
    assert [[step.key for step in other.steps] for other in stage.instead if isinstance(other, FusedStage)] == [
        ["rotate", "flip"],
        ["rotate_2", "hsv", "flip_2"],
    ]
    exact = compile_graph(graph(define), REGISTRY, devices=True)
    assert fused(exact) == [["rotate", "flip"], ["rotate_2", "hsv", "flip_2"]]
