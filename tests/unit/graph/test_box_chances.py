"""Subgraphs that are applied with a probability."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn, pipeline_def, samples, types
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.codegen.functions import Function
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.apply import apply
from dali_studio.graph.box_chances import chance_of
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.cards import cards_in
from dali_studio.graph.edits import CardEdit, SetChance
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate

REGISTRY = default_registry()
BOX = ("angle", "turned", "dark")
SIZE = 24


@pipeline_def(batch_size=SIZE, num_threads=2, device_id=None, seed=5)
def steps() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files, name="decode"), size=(24.0, 32.0), name="small")
    angle = fn.random.uniform(range=(20.0, 40.0), seed=3, name="angle")
    turned = fn.rotate(images, angle=angle, name="turned")
    dark = fn.brightness(turned, brightness=0.25, name="dark")
    return fn.flip(dark, name="mirrored"), images, labels


def after(graph: Graph, *edits: CardEdit) -> Graph:
    return apply(graph, unfolded(edits, graph, REGISTRY), REGISTRY)[0]


def sometimes(graph: Graph, part: float, *keys: str) -> Graph:
    return after(graph, SetChance(key=keys[0], part=part, keys=keys))


def first_output(graph: Graph) -> list[Any]:
    made = Pipeline.from_graph(graph).run()[0]
    return [np.asarray(made.at(i)) for i in range(SIZE)]


def with_new(plain: Graph, graph: Graph, *keys: str) -> tuple[str, ...]:
    return (*keys, *(key for key in graph if key not in plain))


def test_each_sample_goes_through_all_of_a_box_or_none_of_it() -> None:
    plain = steps().graph
    half = sometimes(plain, 0.5, *BOX)
    assert not validate(half, REGISTRY).diagnostics
    always, never = first_output(plain), [one[:, ::-1] for one in _images(plain)]
    whole = [np.array_equal(one, full) for one, full in zip(first_output(half), always, strict=True)]
    left = [np.array_equal(one, raw) for one, raw in zip(first_output(half), never, strict=True)]
    assert {*whole} == {True, False} and all(a != b for a, b in zip(whole, left, strict=True))
    # the coin is the box's, and its part is changed in place
    keys = with_new(plain, half, *BOX)
    chance = chance_of(half, REGISTRY, keys)
    assert chance is not None and (len(chance.splits), len(chance.merges)) == (2, 1)
    for part, expected in ((0.0, never), (0.9999999, always)):
        other = sometimes(half, part, *keys)
        assert {*other} == {*half}
        assert all(np.array_equal(a, b) for a, b in zip(first_output(other), expected, strict=True))
    assert sometimes(half, 1.0, *keys) == plain == sometimes(plain, 1.0, *BOX)


def _images(graph: Graph) -> list[Any]:
    made = Pipeline.from_graph(graph).run()[1]
    return [np.asarray(made.at(i)) for i in range(SIZE)]


@pytest.mark.parametrize("dialect", ["dali_studio", "nvidia.dali"])
@pytest.mark.parametrize("boxed", [False, True])
def test_programs_have_one_if_around_the_nodes_of_a_box(boxed: bool, dialect: str, tmp_path: Path) -> None:
    pytest.importorskip(dialect)
    plain = steps().graph
    half = sometimes(plain, 0.5, *BOX)
    functions = [Function("sometimes", frozenset(with_new(plain, half, *BOX)), ())] if boxed else []
    made = emit(half, REGISTRY, dialect, functions=functions)
    assert not made.diagnostics and "_conditional." not in made.source and made.source.count("if coin:") == 1
    assert ("def sometimes(small):" in made.source) == boxed
    program = tmp_path / "program.py"  # conditions are read from the file
    program.write_text(made.source)
    pipe = runpy.run_path(str(program))[plain.options.name]()
    outputs = pipe.run()[0]
    for i, one in enumerate(first_output(half)):
        assert np.abs(np.asarray(outputs.at(i)).astype(int) - one).mean() < 1


@pipeline_def(batch_size=SIZE, num_threads=2, device_id=None, seed=5)
def labelled() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files, name="decode"), size=(24.0, 32.0), name="small")
    more = fn.cast(labels + 1, dtype=types.INT32, name="more")
    floats = fn.cast(fn.flip(images, name="mirrored"), dtype=types.FLOAT, name="floats")
    return fn.brightness(images, brightness=0.25, name="dark"), more, floats


def test_each_exit_of_a_box_is_passed_by_what_comes_in_for_it() -> None:
    plain = labelled().graph
    (summed,) = plain.predecessors("more")
    half = sometimes(plain, 0.5, "dark", summed, "more")
    assert not validate(half, REGISTRY).diagnostics
    images, more, floats = (one.as_cpu() for one in Pipeline.from_graph(half).run())
    labels = Pipeline.from_graph(plain).run()[1]
    assert floats.shape() == images.shape()
    added = {int(np.asarray(labels.at(i))[0]) - int(np.asarray(more.at(i))[0]) for i in range(SIZE)}
    assert added == {0, 1}
    bright = [np.asarray(images.at(i)).mean() > np.asarray(floats.at(i)).mean() / 2 for i in range(SIZE)]
    assert bright == [int(np.asarray(labels.at(i))[0]) != int(np.asarray(more.at(i))[0]) for i in range(SIZE)]


@pytest.mark.parametrize(
    ("keys", "message", "hint"),
    [
        (("mirrored", "floats"),
         "both what floats gives (float HWC) and what passes in its place (uint8 HWC, from small).",
         "Take floats out of the subgraph, or end it with a step that gives uint8 HWC."),
        (("decode", "small"), "both what small gives (uint8 HWC) and", "Take small out"),
        (("reader", "decode"), "Nothing that comes into this subgraph goes out", "such as readers, out of it"),
    ],
)  # fmt: skip
def test_what_cannot_pass_is_refused(keys: tuple[str, ...], message: str, hint: str) -> None:
    plain = labelled().graph
    with pytest.raises(DaliStudioError) as refused:
        sometimes(plain, 0.5, *keys)
    (found,) = refused.value.diagnostics
    assert message in found.message and hint in found.hint


@pipeline_def(batch_size=SIZE, num_threads=2, device_id=None, seed=5, enable_conditionals=True)
def branching() -> Any:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files, name="decode"), size=(24.0, 32.0), name="small")
    if fn.random.coin_flip(probability=0.5, dtype=types.BOOL, seed=1, name="toss"):
        images = fn.brightness(images, brightness=0.5, name="dark")
        images = fn.flip(images, name="mirrored")
    return fn.contrast(images, contrast=1.2, name="strong"), labels


def test_a_box_has_a_whole_condition_or_lies_in_a_branch_of_it() -> None:
    plain = branching().graph
    conditional = [key for key in plain if plain.node(key).operator.startswith("_")]
    for keys in (("dark", "mirrored"), ("toss", "dark", "mirrored", "strong", *conditional)):
        half = sometimes(plain, 0.5, *keys)
        assert not validate(half, REGISTRY).diagnostics and len(first_output(half)) == SIZE
        assert sometimes(half, 1.0, *with_new(plain, half, *keys)) == plain
    for keys in (("mirrored", "strong", conditional[-1]), ("dark", conditional[0])):
        with pytest.raises(DaliStudioError, match="A condition is partly in this subgraph"):
            sometimes(plain, 0.5, *keys)


def test_boxes_with_probabilities_lie_within_each_other() -> None:
    plain = steps().graph
    inner = sometimes(plain, 0.5, "turned", "dark")
    own = with_new(plain, inner, "turned", "dark")
    outer = sometimes(inner, 0.5, *own, "mirrored")
    assert not validate(outer, REGISTRY).diagnostics
    around = with_new(inner, outer, *own, "mirrored")
    chances = [chance_of(outer, REGISTRY, keys) for keys in (own, around)]
    assert None not in chances and len({chance.coin for chance in chances if chance}) == 2
    assert first_output(outer) and sometimes(outer, 1.0, *around) == inner
    less = sometimes(outer, 0.25, *own)
    assert {*less} == {*outer}


def test_a_box_of_one_step_has_the_card_of_that_step() -> None:
    plain = steps().graph
    half = sometimes(plain, 0.5, "angle", "turned")
    assert cards_in(half, REGISTRY).chances["turned"].part == 0.5
    assert chance_of(half, REGISTRY, with_new(plain, half, "angle", "turned")) is not None
