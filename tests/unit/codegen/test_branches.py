"""Graphs with splits and merges are written as `if`, and read back as the same graph."""

from __future__ import annotations

import random
from collections.abc import Iterator

import black
import pytest
from same_graphs import assert_same

from dali_studio.api.default import default_registry
from dali_studio.api.reading.program import read
from dali_studio.codegen.emit import Emitted, emit
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.node import Node

REGISTRY = default_registry()
HEAD = """from nvidia.dali import fn, pipeline_def, types


@pipeline_def(batch_size=8, num_threads=2, device_id=None, enable_conditionals=True)
def pipeline():
"""
#: What the variables of programs are before their first `if`.
BEGIN = """files, labels = fn.readers.file(file_root="/photos", name="reader")
images = fn.decoders.image(files)
masks = fn.flip(images)
flag = fn.random.coin_flip(dtype=types.BOOL)
other = fn.random.coin_flip(dtype=types.BOOL)
"""


def graph_of(body: str) -> Graph:
    found: list[Diagnostic] = []
    graph = read(HEAD + "".join(f"    {line}\n" for line in body.strip("\n").splitlines()), found=found)
    assert found == []
    return graph


def written(graph: Graph, dialect: str = "nvidia.dali") -> Emitted:
    emitted = emit(graph, REGISTRY, dialect)
    assert [one for one in emitted.diagnostics if one.code == "DS501" and "`if`" in one.message] == []
    assert "fn._conditional" not in emitted.source
    return emitted


def body_of(emitted: Emitted) -> str:
    lines = emitted.source.partition("def pipeline():\n")[2].partition("\n\n\nif __name__")[0].splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines)


#: Programs as they are written, after `BEGIN`; what is read and written again is the same text.
PROGRAMS = {
    "one branch": """
if flag:
    angle = fn.random.uniform(range=[-20, 20])
    rotate = fn.rotate(images, angle=angle, keep_size=True)
else:
    rotate = images
return rotate, labels
""",
    "else if": """
if flag:
    merge_3 = fn.rotate(images, angle=15)
elif fn.random.coin_flip(dtype=types.BOOL) and not other:
    merge_3 = fn.flip(images)
else:
    merge_3 = fn.gaussian_blur(images, sigma=[1])
return merge_3, labels
""",
    "only where it does not hold": """
if flag:
    flip = images
else:
    flip = fn.flip(images)
return flip, labels
""",
    "the old value is used behind": """
if flag:
    images_2 = fn.flip(images)
else:
    images_2 = images
return images, images_2
""",
    "the old value is used in the branch": """
if flag:
    images_2 = fn.flip(images)
    cat = fn.cat(images_2, images)
else:
    images_2 = images
    cat = images
return images_2, cat
""",
    "several values": """
if flag:
    flip = fn.flip(images)
    flip_2 = fn.flip(masks)
    number = 3
else:
    number = labels + 1
    flip = images
    flip_2 = masks
return flip, flip_2, number
""",
    "exchanged": """
if flag:
    merge = masks
    merge_2 = images
else:
    merge = images
    merge_2 = masks
return merge, merge_2
""",
    "numbers": """
if flag:
    factor = 0.5
else:
    factor = fn.random.uniform(range=[1, 2])
brightness = fn.brightness(images, brightness=factor)
return brightness, labels
""",
    "one after the other": """
if flag:
    flip = fn.flip(images)
else:
    flip = images
brightness = fn.brightness(flip, brightness=1.5)
if flag:
    flip_2 = fn.flip(brightness, horizontal=0, vertical=1)
else:
    flip_2 = brightness
return flip_2, labels
""",
    "nested": """
if flag:
    rotate = fn.rotate(images, angle=15, keep_size=True)
    if other:
        flip = fn.flip(rotate)
    else:
        flip = rotate
    merge_3 = fn.brightness(flip, brightness=1.5)
else:
    if other:
        images_3 = fn.flip(images)
    else:
        images_3 = images
    merge_3 = fn.brightness(images_3, brightness=0.5)
return merge_3, labels
""",
    "conditions": """
dark = labels > 3
if (flag or other) and not (dark and other):
    flip = fn.flip(images)
else:
    flip = images
merge_6 = flag or dark or other
negated_2 = not flag
return flip, merge_6, negated_2
""",
    "computed inside of a condition": """
if flag and (labels + 1) * 2 > 7:
    flip = fn.flip(images)
else:
    flip = images
return flip, labels
""",
    "several outputs": """
if flag:
    images_2 = fn.flip(images)
    shapes = fn.shapes(images_2)
    subscript = shapes[:2]
    anchor, shape = fn.random_crop_generator(subscript, seed=3)
else:
    images_2 = images
    anchor = labels
    shape = labels
return images_2, anchor, shape
""",
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_are_written_as_they_were(name: str) -> None:
    body = BEGIN + PROGRAMS[name].strip("\n")
    graph = graph_of(body)
    back = read(written(graph).source, found=[])
    assert_same(graph, back)
    assert {(node.key, node.operator) for node in back.nodes()} <= {(node.key, node.operator) for node in graph.nodes()}
    begin = BEGIN.splitlines()
    assert [line for line in body_of(written(graph)).splitlines() if line not in begin] == body.splitlines()[len(begin) :]


def split_of(graph: Graph, key: str, source: PortRef, predicate: PortRef) -> tuple[PortRef, PortRef]:
    graph.add_node(Node(key=key, operator="_conditional.split"))
    graph.connect(source, key, 0)
    graph.connect(predicate, key, argument="predicate")
    return PortRef(node=key), PortRef(node=key, output=1)


def by_hand(change: str) -> Graph:
    """A split and a merge, wired as no `if` wires them."""
    graph = graph_of(BEGIN + "return images, flag, other")
    images, flag, other = graph.outputs
    holds, fails = split_of(graph, "parts", images, flag)
    if change == "a side is missing":
        graph.set_outputs([holds])
        return graph
    if change == "sides of two conditions":
        fails = split_of(graph, "more", images, other)[1]
    graph.add_node(Node(key="joined", operator="_conditional.merge"))
    sides = (fails, holds) if change == "the sides are exchanged" else (holds, fails)
    for at, side in enumerate(sides):
        graph.connect(side, "joined", at)
    graph.connect(other if change == "another condition" else flag, "joined", argument="predicate")
    graph.set_outputs([PortRef(node="joined"), holds] if change == "a branch is returned" else [PortRef(node="joined")])
    return graph


@pytest.mark.parametrize("dialect", ["nvidia.dali", "dali_studio"])
@pytest.mark.parametrize(
    "change",
    ["a side is missing", "the sides are exchanged", "another condition", "sides of two conditions", "a branch is returned"],
)
def test_what_no_if_makes_is_written_as_calls(change: str, dialect: str) -> None:
    graph = by_hand(change)
    emitted = emit(graph, REGISTRY, dialect)
    (found,) = [one for one in emitted.diagnostics if "`if`" in one.message]
    assert (found.severity, found.code) == ("info", "DS501")
    assert found.node in graph and found.hint
    assert "fn._conditional.split(" in emitted.source
    assert "enable_conditionals" not in emitted.source


def test_lines_of_a_program_with_branches() -> None:
    emitted = written(graph_of(BEGIN + PROGRAMS["else if"].strip("\n")))
    numbers = {line.strip(): at for at, line in enumerate(emitted.source.splitlines(), 1)}
    condition = numbers["elif fn.random.coin_flip(dtype=types.BOOL) and not other:"]
    assert emitted.lines["flag"] == (numbers["flag = fn.random.coin_flip(dtype=types.BOOL)"],)
    assert emitted.lines["coin_flip"] == (condition,)
    assert condition not in emitted.lines["other"] and emitted.lines["negated"] == (condition,)
    assert emitted.lines["merge_3"] == (numbers["if flag:"],)
    assert emitted.lines["flip"] == (numbers["merge_3 = fn.flip(images)"],)
    assert set(emitted.lines) == set(graph_of(BEGIN + PROGRAMS["else if"].strip("\n"))) - {"masks"}


def test_deep_graphs_are_written_as_calls() -> None:
    graph = graph_of(BEGIN + "return images, flag")
    port, flag = graph.outputs
    for level in range(60):
        port = split_of(graph, f"level{level}", port, flag)[0]
        flag = split_of(graph, f"flag{level}", flag, flag)[0]
    graph.set_outputs([port])
    emitted = emit(graph, REGISTRY, "dali_studio")
    assert any("`if`" in one.message for one in emitted.diagnostics)
    assert "fn._conditional.split(" in emitted.source


def program(seed: int) -> str:
    """A random program."""
    dice = random.Random(seed)
    names = ["images", "masks"]

    def condition(depth: int) -> str:
        kind = dice.randrange(6 if depth else 3)
        if kind < 2:
            return dice.choice(["flag", "other"])
        if kind == 2:
            return dice.choice(["fn.random.coin_flip(dtype=types.BOOL)", "fn.random.uniform(range=[0.0, 2.0]) > 1.0"])
        if kind == 3:
            return f"not ({condition(depth - 1)})"
        return f"(({condition(depth - 1)}) {dice.choice(['and', 'or'])} ({condition(depth - 1)}))"

    def value() -> str:
        name = dice.choice(names)
        return dice.choice([
            f"fn.flip({name})", f"fn.rotate({name}, angle=fn.random.uniform(range=[-9.0, 9.0]), keep_size=True)",
            f"fn.brightness({name}, brightness=fn.random.uniform(range=[0.5, 1.5]))", dice.choice(names),
        ])  # fmt: skip

    def block(indent: int) -> Iterator[str]:
        space = "    " * indent
        for _ in range(dice.randrange(1, 4)):
            if indent < 3 and dice.random() < 0.6:
                yield f"{space}if {condition(2)}:"
                yield from block(indent + 1)
                if dice.random() < 0.6:
                    yield f"{space}else:"
                    yield from block(indent + 1)
            elif dice.random() < 0.2:
                yield f"{space}masks, images = images, masks"
            else:
                yield f"{space}{dice.choice(names)} = {value()}"

    return BEGIN + "\n".join(block(0)) + "\nreturn images, masks, flag, labels"


@pytest.mark.parametrize("seed", [*range(12), 17, 24, 25, 148])
def test_random_programs_are_written_as_they_were(seed: int) -> None:
    graph = graph_of(program(seed))
    for dialect in ("nvidia.dali", "dali_studio"):
        emitted = written(graph, dialect)
        assert_same(graph, read(emitted.source, found=[]))
    sources = [emitted.source]  # what two names suit may have them in turns
    for _ in range(4):
        sources.append(emit(read(sources[-1], found=[]), REGISTRY, dialect).source)
    assert sources[-1] in sources[:-1]
    assert black.format_str(emitted.source, mode=black.Mode()) == emitted.source
