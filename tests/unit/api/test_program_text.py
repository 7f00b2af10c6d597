"""A program's text changes with its graph, and what a change does not concern stays as it was."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import pytest
from gallery_examples import GALLERY, name_of
from public_programs import HEAD, PROGRAMS

from dali_studio import DaliStudioError
from dali_studio.api.default import default_registry
from dali_studio.api.reading.changes import changed
from dali_studio.api.reading.patches import NotWritable
from dali_studio.api.reading.text import ProgramText
from dali_studio.codegen.emit import emit
from dali_studio.graph.apply import apply
from dali_studio.graph.card_edits import unfolded
from dali_studio.graph.difference import edits_between, matched, pairs
from dali_studio.graph.document import load
from dali_studio.graph.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    PortRef,
    RemoveNode,
    Rename,
    SetArgument,
    SetChance,
    SetDevice,
    SetOutputs,
    SetPipeline,
)
from dali_studio.graph.model import Graph

REGISTRY = default_registry()
TEXT = '''# my training pipeline
from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=4, num_threads=2, device_id=None)  # small
def training():
    """Reads photos."""
    # where the photos are
    files, labels = fn.readers.file(file_root="/photos",  random_shuffle=True, name="reader")
    images = fn.decoders.image(files)  # RGB: größer
    images = fn.resize(images,
                       size=[224, 224],   # as the model wants
                       antialias=False)
    # done
    return images, labels


pipe = training()
'''


def port(key: str, output: int = 0) -> PortRef:
    return PortRef(node=key, output=output)


def difference(*edits: Edit, text: str = TEXT) -> list[str]:
    """The lines that change."""
    source = ProgramText(text)
    graph = apply(source.graph, edits, REGISTRY)[0]
    made, same = changed(source, graph)
    assert set(same.values()) == set(graph)
    lines = difflib.unified_diff(text.splitlines(), made.text.splitlines(), lineterm="", n=0)
    return [line for line in lines if line[:2] not in ("--", "++", "@@")]


CASES: dict[str, tuple[list[Edit], list[str]]] = {
    "a value": (
        [SetArgument(key="resize", argument="size", value=(160.0, 160.0))],
        ["-                       size=[224, 224],   # as the model wants",
         "+                       size=[160, 160],   # as the model wants"],
    ),
    "a new value of a type": (
        [SetArgument(key="resize", argument="interp_type", value="INTERP_CUBIC")],
        ["+from nvidia.dali import types", "-                       antialias=False)",
         "+                       antialias=False, interp_type=types.INTERP_CUBIC)"],
    ),
    "a value that goes": (
        [SetArgument(key="resize", argument="antialias", unset=True)],
        ["-                       size=[224, 224],   # as the model wants", "-                       antialias=False)",
         "+                       size=[224, 224])"],
    ),
    "the first value goes": (
        [SetArgument(key="reader", argument="file_root", unset=True)],
        ['-    files, labels = fn.readers.file(file_root="/photos",  random_shuffle=True, name="reader")',
         '+    files, labels = fn.readers.file(random_shuffle=True, name="reader")'],
    ),
    "a node between": (
        [AddNode(key="flip", operator="flip"), Connect(source=port("decode"), target="flip", input=0),
         Connect(source=port("flip"), target="resize", input=0)],
        ["-    images = fn.resize(images,", "+    flip = fn.flip(images)", "+    images = fn.resize(flip,"],
    ),
    "nodes at the end": (
        [AddNode(key="labels", operator="random.uniform", arguments={"range": (-10.0, 10.0)}),
         AddNode(key="rotate", operator="rotate"), Connect(source=port("resize"), target="rotate", input=0),
         Connect(source=port("labels"), target="rotate", argument="angle"),
         SetOutputs(outputs=(port("rotate"), port("reader", 1)))],
        ["+    labels_2 = fn.random.uniform(range=[-10, 10])", "+    rotate = fn.rotate(images, angle=labels_2)",
         "-    return images, labels", "+    return rotate, labels"],
    ),
    "a wire instead of a value": (
        [AddNode(key="fill", operator="random.coin_flip"), Connect(source=port("fill"), target="resize", argument="roi_relative")],
        ["+    fill = fn.random.coin_flip()"],
    ),
    "a node goes": (
        [Disconnect(target="resize", input=0), RemoveNode(key="resize"),
         SetOutputs(outputs=(port("decode"), port("reader", 1)))],
        ["-    images = fn.resize(images,", "-                       size=[224, 224],   # as the model wants",
         "-                       antialias=False)"],
    ),
    "options": (
        [SetPipeline(option="batch_size", value=16), SetPipeline(option="seed", value=7)],
        ["-@pipeline_def(batch_size=4, num_threads=2, device_id=None)  # small",
         "+@pipeline_def(batch_size=16, num_threads=2, device_id=None, seed=7)  # small"],
    ),
    "a name": (
        [Rename(key="decode", new_key="photos")],
        ["-    images = fn.decoders.image(files)  # RGB: größer", "-    images = fn.resize(images,",
         "+    photos = fn.decoders.image(files)  # RGB: größer", "+    images = fn.resize(photos,"],
    ),
    "a name and a value": (
        [Rename(key="resize", new_key="small"), SetArgument(key="small", argument="antialias", value=True)],
        ["-    images = fn.resize(images,", "+    small = fn.resize(images,",
         "-                       antialias=False)", "+                       antialias=True)",
         "-    return images, labels", "+    return small, labels"],
    ),
    "a name that is given": (
        [Rename(key="reader", new_key="train")],
        ['-    files, labels = fn.readers.file(file_root="/photos",  random_shuffle=True, name="reader")',
         '+    files, labels = fn.readers.file(file_root="/photos",  random_shuffle=True, name="train")'],
    ),
    "a name that is a variable already": ([Rename(key="decode", new_key="labels")], []),
    "one output": ([SetOutputs(outputs=(port("resize"),))], ["-    return images, labels", "+    return images"]),
    "a device": (
        [SetDevice(key="decode", device="mixed"), SetDevice(key="resize", device="gpu")],
        ["-    images = fn.decoders.image(files)  # RGB: größer", '+    images = fn.decoders.image(files, device="mixed")  # RGB: größer',
         "-                       antialias=False)", '+                       antialias=False, device="gpu")'],
    ),
}  # fmt: skip
del CASES["a wire instead of a value"]


@pytest.mark.parametrize("name", CASES)
def test_only_the_lines_of_a_change_change(name: str) -> None:
    edits, lines = CASES[name]
    assert difference(*edits) == lines


def test_nothing_changes_without_a_change() -> None:
    source = ProgramText(TEXT)
    assert changed(source, source.graph.copy())[0] is source
    assert source.lines() == {"reader": (9,), "decode": (10,), "resize": (11, 12, 13)}


ARITHMETIC = """
from nvidia.dali import fn, pipeline_def, types

@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def program():
    a = fn.random.uniform(range=[0.0, 1.0])
    b = a * 2  # twice
    c = b + a
    return (b, c)
"""


def test_operations_are_written_anew() -> None:
    edit = SetArgument(key="b", argument="expression", value="a * 3")
    assert difference(edit, text=ARITHMETIC) == ["-    b = a * 2  # twice", "+    b = a * 3  # twice"]
    assert difference(SetOutputs(outputs=(port("c"),)), text=ARITHMETIC) == ["-    return (b, c)", "+    return (c,)"]


LOOP = """
from nvidia.dali import fn, pipeline_def

@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def program():
    x = fn.random.uniform(shape=[4, 4, 3])
    for angle in (1, 2):
        x = fn.rotate(x, angle=angle)
    y = fn.flip(x)
    return y
"""


def test_what_single_statements_do_not_say_is_refused_and_the_rest_is_not() -> None:
    with pytest.raises(NotWritable, match="rotate is not made by a statement of its own"):
        difference(SetArgument(key="rotate", argument="angle", value=5.0), text=LOOP)
    edit = SetArgument(key="y", argument="horizontal", value=0)
    assert difference(edit, text=LOOP) == ["-    y = fn.flip(x)", "+    y = fn.flip(x, horizontal=0)"]


FUNCTION = """
from nvidia.dali import fn, pipeline_def

def colours(images):
    # mine
    images = fn.hsv(images, hue=30.0)
    return fn.brightness_contrast(images, contrast=1.3)  # stronger

@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def program():
    images = fn.random.uniform(shape=[4, 4, 3])
    images = colours(images)
    return images
"""


def test_a_value_in_a_function_that_is_called_once_is_written_there() -> None:
    edit = SetArgument(key="brightness_contrast", argument="contrast", value=0.7)
    assert difference(edit, text=FUNCTION) == [
        "-    return fn.brightness_contrast(images, contrast=1.3)  # stronger",
        "+    return fn.brightness_contrast(images, contrast=0.7)  # stronger",
    ]
    twice = FUNCTION.replace("colours(images)\n    return", "colours(colours(images))\n    return")
    with pytest.raises(NotWritable, match="not made by a statement of its own"):
        difference(edit, text=twice)
    between = [AddNode(key="flip", operator="flip"), Connect(source=port("uniform"), target="flip", input=0),
               Connect(source=port("flip"), target="hsv", input=0)]  # fmt: skip
    lines = ["-    images = colours(images)", "+    flip = fn.flip(images)", "+    images = colours(flip)"]
    assert difference(*between, text=FUNCTION) == lines


def test_several_statements_of_a_line_stay_together() -> None:
    text = TEXT.replace("    # done\n", "    more = fn.flip(images); images = fn.flip(more)\n")
    with pytest.raises(NotWritable, match="several statements"):
        difference(RemoveNode(key="more"), Connect(source=port("resize"), target="flip", input=0), text=text)


def test_a_text_without_a_pipeline_is_refused() -> None:
    with pytest.raises(DaliStudioError, match="DS502"):
        ProgramText("print(1)")


@pytest.mark.parametrize("path", GALLERY, ids=name_of)
def test_a_value_of_every_node_of_the_gallery_is_written_in_its_place(path: Path) -> None:
    graph: Graph = load(path, REGISTRY)[0]
    text = emit(graph, REGISTRY, "nvidia.dali").source.replace("    return ", "    # the end\n    return ")
    source = ProgramText(text)
    assert source.dialect == "nvidia.dali"
    for node in source.graph.nodes():
        numbers = [name for name, value in node.arguments.items() if type(value) is float and name != "fdata"]
        for name in numbers[:1]:
            value: Any = node.arguments[name]
            other = apply(source.graph, [SetArgument(key=node.key, argument=name, value=value / 2 + 0.125)], REGISTRY)[0]
            made, _ = changed(source, other)
            assert made.text.count("\n") == text.count("\n") and "    # the end\n" in made.text
            assert sum(one != other for one, other in zip(made.text.splitlines(), text.splitlines(), strict=True)) == 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_edits_lead_from_one_graph_to_another(name: str) -> None:
    one, other = ProgramText(TEXT).graph, ProgramText(HEAD + PROGRAMS[name])
    if any(node.operator not in REGISTRY for node in other.graph.nodes()):  # edits add no operators that nobody knows
        with pytest.raises(DaliStudioError, match="DS101"):
            apply(one, edits_between(one, other.graph), REGISTRY)
        return
    other.rename(matched(one, other.graph))
    made = apply(one, edits_between(one, other.graph), REGISTRY)[0]
    assert pairs(made, other.graph, REGISTRY) is not None
    assert made.options == other.graph.options


STEPS = """
from nvidia.dali import fn, pipeline_def

@pipeline_def(batch_size=4, num_threads=2, device_id=None)
def program():
    files, labels = fn.readers.file(file_root="/photos")
    images = fn.decoders.image(files)
    resize = fn.resize(images, size=(200,  200))

    angle = fn.random.uniform(range=(-5, 5))  # degrees
    rotate = fn.rotate(resize, angle=angle)
    # the lens of camera two
    blur = fn.gaussian_blur(rotate, sigma=2.0)  # tuned
    return blur, labels
"""
FORWARD = [
    Connect(source=port("images"), target="blur", input=0), Connect(source=port("blur"), target="resize", input=0),
    SetOutputs(outputs=(port("rotate"), port("reader", 1))),
]  # fmt: skip


def test_a_line_goes_where_its_step_goes_with_its_comments() -> None:
    line = "blur = fn.gaussian_blur({}, sigma=2.0)  # tuned"
    assert difference(*FORWARD, text=STEPS) == [
        "-    resize = fn.resize(images, size=(200,  200))",
        "+    # the lens of camera two", f"+    {line.format('images')}", "+    resize = fn.resize(blur, size=(200,  200))",
        "-    # the lens of camera two", f"-    {line.format('rotate')}", "-    return blur, labels",
        "+    return rotate, labels",
    ]  # fmt: skip
    backward = [Connect(source=port("images"), target="rotate", input=0), Connect(source=port("rotate"), target="blur", input=0),
                Connect(source=port("blur"), target="resize", input=0), SetOutputs(outputs=(port("resize"), port("reader", 1)))]  # fmt: skip
    assert difference(*backward, text=STEPS) == [
        "-    resize = fn.resize(images, size=(200,  200))", "-    rotate = fn.rotate(resize, angle=angle)",
        "+    rotate = fn.rotate(images, angle=angle)", "-    return blur, labels",
        "+    resize = fn.resize(blur, size=(200,  200))", "+    return resize, labels",
    ]  # fmt: skip


def test_lines_of_one_variable_only_change_their_order() -> None:
    text = STEPS.replace("rotate", "images").replace("fn.images", "fn.rotate").replace("blur", "images").replace("_images", "_blur")
    text = text.replace("resize", "images").replace("fn.images", "fn.resize")
    moved = [
        Connect(source=port("decode"), target="gaussian_blur", input=0), Connect(source=port("gaussian_blur"), target="resize", input=0),
        SetOutputs(outputs=(port("rotate"), port("reader", 1))),
    ]  # fmt: skip
    comment, line = "    # the lens of camera two", "    images = fn.gaussian_blur(images, sigma=2.0)  # tuned"
    assert difference(*moved, text=text) == [f"+{comment}", f"+{line}", f"-{comment}", f"-{line}"]


def test_a_value_that_is_needed_later_is_not_assigned_over() -> None:
    text = STEPS.replace("resize = ", "images = ").replace("rotate(resize", "rotate(images")
    assert difference(Connect(source=port("decode"), target="blur", input=0), text=text) == [
        "-    images = fn.resize(images, size=(200,  200))", "+    resize = fn.resize(images, size=(200,  200))",
        "-    rotate = fn.rotate(images, angle=angle)", "+    rotate = fn.rotate(resize, angle=angle)",
        "-    blur = fn.gaussian_blur(rotate, sigma=2.0)  # tuned", "+    blur = fn.gaussian_blur(images, sigma=2.0)  # tuned",
    ]  # fmt: skip


def test_what_stands_within_a_call_gets_a_line_when_the_call_goes() -> None:
    text = STEPS.replace("angle=angle", "angle=fn.random.uniform(range=(-7,  7))")
    gone = [Connect(source=port("resize"), target="blur", input=0), RemoveNode(key="rotate")]
    assert difference(*gone, text=text) == [
        "-    rotate = fn.rotate(resize, angle=fn.random.uniform(range=(-7,  7)))",
        "-    blur = fn.gaussian_blur(rotate, sigma=2.0)  # tuned", "+    blur = fn.gaussian_blur(resize, sigma=2.0)  # tuned",
        "+    uniform = fn.random.uniform(range=(-7,  7))",
    ]  # fmt: skip


def test_a_step_with_a_probability_is_put_into_an_if() -> None:
    graph = ProgramText(STEPS).graph
    applied = unfolded([SetChance(key="rotate", part=0.25)], graph, REGISTRY)
    assert difference(*applied, text=STEPS) == [
        "+from nvidia.dali import types", "-@pipeline_def(batch_size=4, num_threads=2, device_id=None)",
        "+@pipeline_def(batch_size=4, num_threads=2, device_id=None, enable_conditionals=True)",
        "-    rotate = fn.rotate(resize, angle=angle)",
        "+    coin = fn.random.coin_flip(probability=0.25, dtype=types.BOOL)", "+    if coin:", "+        rotate = fn.rotate(resize, angle=angle)",
        "+    else:", "+        rotate = resize",
    ]  # fmt: skip


def test_a_probability_that_is_taken_away_leaves_what_its_if_does() -> None:
    lines = (
        "    # sometimes", "    if fn.random.coin_flip(probability=0.3, dtype=types.BOOL):  # rarely", "        # a bit",
        "        turned = fn.rotate(resize,  # this", "                           angle=angle)", "    else:",
        "        turned = resize", "    # the lens of camera two",
    )  # fmt: skip
    text = STEPS.replace("    rotate = fn.rotate(resize, angle=angle)\n    # the lens of camera two", "\n".join(lines))
    text = text.replace("(rotate, sigma", "(turned, sigma").replace("import fn,", "import fn, types,")
    text = text.replace("device_id=None)", "device_id=None, enable_conditionals=True)")
    always = unfolded([SetChance(key="turned", part=1)], ProgramText(text).graph, REGISTRY)
    assert difference(*always, text=text) == [
        "-    if fn.random.coin_flip(probability=0.3, dtype=types.BOOL):  # rarely", "-        # a bit",
        "-        turned = fn.rotate(resize,  # this", "-                           angle=angle)", "-    else:",
        "-        turned = resize", "+    # rarely", "+    # a bit", "+    turned = fn.rotate(resize,  # this",
        "+                       angle=angle)",
    ]  # fmt: skip


def test_the_comment_above_a_step_goes_with_it() -> None:
    out = [RemoveNode(key="blur"), SetOutputs(outputs=(port("rotate"), port("reader", 1)))]
    assert difference(*out, text=STEPS) == [
        "-    # the lens of camera two", "-    blur = fn.gaussian_blur(rotate, sigma=2.0)  # tuned",
        "-    return blur, labels", "+    return rotate, labels",
    ]  # fmt: skip


def test_a_pipeline_is_called_otherwise_where_it_is_made() -> None:
    assert difference(SetPipeline(option="name", value="photos"), text=TEXT) == [
        "-def training():", "+def photos():", "-pipe = training()", "+pipe = photos()",
    ]  # fmt: skip


IN_A_BRANCH = """from nvidia.dali import fn, pipeline_def, types


@pipeline_def(batch_size=4, num_threads=2, device_id=None, enable_conditionals=True)
def program():
    files, labels = fn.readers.file(file_root="/photos", name="reader")
    images = fn.decoders.image(files)
    if fn.random.coin_flip(dtype=types.BOOL):
        # sharp
        images = fn.laplacian(images)  # edges
    else:
        images = 255 - images  # negative
    return images, labels
"""


def test_a_step_behind_one_within_an_if_is_written_around_it() -> None:
    graph = ProgramText(IN_A_BRANCH).graph
    (merge,) = (node.key for node in graph.nodes() if node.operator == "_conditional.merge")
    dark = next(wire for wire in graph.wires(merge) if graph.node(wire.source.node).operator == "arithmetic")
    cast = [
        AddNode(key="cast", operator="cast"), Connect(source=dark.source, target="cast", input=0),
        SetArgument(key="cast", argument="dtype", value="UINT8"),
        Connect(source=port("cast"), target=merge, input=dark.input),
    ]  # fmt: skip
    assert difference(*cast, text=IN_A_BRANCH) == [
        "-        images = 255 - images  # negative", "+        images = fn.cast(255 - images, dtype=types.UINT8)  # negative",
    ]  # fmt: skip
    # two of them, one around the other, under names of their own
    again = [
        *cast, AddNode(key="small", operator="resize"), Connect(source=port("cast"), target="small", input=0),
        SetArgument(key="small", argument="size", value=[9.0, 9.0]), Connect(source=port("small"), target=merge, input=dark.input),
    ]  # fmt: skip
    assert difference(*again, text=IN_A_BRANCH)[1] == (
        "+        images = fn.resize(fn.cast(255 - images, dtype=types.UINT8), size=[9, 9])  # negative"
    )
    # what another step takes, too, would be made twice
    with pytest.raises(NotWritable, match="apart from each other"):
        difference(*cast, SetOutputs(outputs=(*graph.outputs, dark.source)), text=IN_A_BRANCH)
