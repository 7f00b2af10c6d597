"""A program that is pasted on the canvas: as a whole where nothing is there, its steps where something is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from studio.clients import Client, only, set_argument
from studio.texts import TEXT, code

from dali_studio import Designer, Pipeline, read, read_compose, samples
from dali_studio.graph import document
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.studio.protocol import messages
from dali_studio.studio.view import marks_in

AT = {"x": 40.0, "y": 30.0}


def test_a_program_pasted_into_an_empty_designer_brings_its_settings_and_text() -> None:
    client = Client(Graph())
    program = TEXT.replace("def training", "def train_pipe").replace("batch_size=4", "batch_size=32")
    got = client.send("paste_code", text=program, at=AT)
    (revision,) = only(got, messages.RevisionChanged)
    assert revision.options == messages.PipelineOptions(
        batch_size=32, num_threads=2, seed=3, device_id=None, prefetch_queue_depth=2
    )
    assert revision.graph.name == "train_pipe" and not only(got, messages.Refused)
    assert revision.origin == revision.revision and not revision.positions  # to be laid out
    assert code(got).source == program
    client.send("undo")
    assert client.session.graph == Graph() and not client.session.history.can_undo
    # lines alone, and a Compose, are laid out as well
    for text in ("x = fn.random.uniform()\ny = fn.rotate(images, angle=x)", "import albumentations as A\nA.Compose([A.Transpose()])"):
        (revision,) = only(client.send("paste_code", text=text, at=AT), messages.RevisionChanged)
        assert revision.graph.nodes and not revision.positions and revision.origin == revision.revision
        client.send("undo")
    client.session.close()


def test_a_function_that_nobody_knows_keeps_its_place_in_a_pasted_program() -> None:
    client = Client(Graph())
    got = client.send("paste_code", text=TEXT.replace("    return", "    images = my_helper(images)\n    return"), at=AT)
    (told,) = only(got, messages.Refused)[0].diagnostics
    assert (told.node, told.severity) == ("my_helper", "warning")
    assert told.message == "'my_helper' is not known here: my_helper keeps its place, and cannot run."
    assert told.hint == "Give its def in the text as well, or take the line out."
    assert client.session.graph.inputs("my_helper") == (PortRef(node="resize"),)
    assert "my_helper(images)" in code(got).source
    # where it cannot stand, the words are the same
    source = client.session.code().source
    client.send("undo")
    for got in (client.send("paste_code", text="x = my_helper(images)", at=AT), client.send("apply_code", source=source)):
        (refused,) = only(got, messages.Refused)
        assert refused.diagnostics[0].message.endswith("'my_helper' is not known here.")
        assert refused.diagnostics[0].hint == told.hint
    client.session.close()


def test_of_a_program_pasted_into_a_pipeline_the_settings_that_stay_are_named() -> None:
    client = Client(read(TEXT))
    before = client.session.graph.options
    program = TEXT.replace("batch_size=4", "batch_size=32").replace("seed=3", "seed=9").replace("num_threads=2, ", "")
    got = client.send("paste_code", text=program, at=AT)
    (told,) = only(got, messages.Refused)[0].diagnostics
    assert told.message == "The steps were added; the pipeline's settings stay: batch_size is 4 (the text has 32), seed is 3 (the text has 9)."
    assert told.severity == "info" and client.session.graph.options == before
    assert not only(client.send("paste_code", text=TEXT, at=AT), messages.Refused)
    client.session.close()


COMPOSE = """import torchvision.transforms as T
tf = T.Compose([T.Resize(64), T.RandomPerspective(0.5, p=0.8),
                T.RandomChoice([T.RandomAffine(9), T.RandomErasing(p=1.0)]), T.Pad(3), T.ToTensor()])
"""
TITLES = ["pad", "random_choice", "random_perspective"]


def boxes(got: Any) -> list[messages.Group]:
    marks = only(got, messages.RevisionChanged)[-1].marks.values()
    return sorted((mark for mark in marks if isinstance(mark, messages.Group)), key=lambda mark: mark.title)


def test_a_long_transform_of_a_pasted_compose_is_a_box_and_a_function(tmp_path: Path) -> None:
    client = Client(Graph())
    client.send("request_code", dialect="nvidia.dali")  # also where it is not installed
    got = client.send("paste_code", text=COMPOSE, at=AT)
    assert [box.title for box in boxes(got)] == TITLES and all(box.collapsed and box.subgraph for box in boxes(got))
    graph, source = client.session.graph, code(got).source
    assert len(graph) - sum(len(box.keys) for box in boxes(got)) == len({"reader", "decode", "resize", "normalize"})
    assert all(source.count(f"def {title}(images):") == 1 for title in TITLES) and "across, down, rest" in source
    assert not code(got).diagnostics
    # it is the graph that `read_compose` gives, with the same pixels, and so is its program
    flat = read_compose(COMPOSE, found=[])
    assert list(graph.nodes()) == list(flat.nodes()) and list(graph.wires()) == list(flat.wires())
    texts = [source, client.session.code("dali_studio").source]  # in another language it is written anew
    assert texts[1].startswith("from dali_studio") and "def random_choice(" in texts[1]
    for old, new in (("fn.readers.file(", f"fn.readers.file(file_root={str(samples.photos())!r}, "), ("_id=None", "_id=None, seed=5")):
        texts = [text.replace(old, new) for text in texts]
    mine, again = (Pipeline.from_graph(read(text)).run()[0].as_cpu() for text in texts)
    assert all(np.array_equal(a, b) for a, b in zip(mine, again, strict=True))
    # a value goes into the lines of the function, and the other way round
    got = client.edit(set_argument("warp_perspective", "fill_value", [7.0]))
    assert "inverse_map=False, fill_value=[7])" in code(got).source and not code(got).diagnostics
    got = client.send("apply_code", source=code(got).source.replace("probability=0.8", "probability=0.3"))
    assert client.session.graph.node("coin_flip").arguments["probability"] == 0.3 and [b.title for b in boxes(got)] == TITLES
    path = tmp_path / "mine.dali.json"
    client.send("save_document", path=str(path), what="document")
    saved, view, _ = document.load(path)
    opened = Client(saved, view=view, path=path)
    assert [box.title for box in boxes(opened.send("ready"))] == TITLES
    assert opened.session.code().source == client.session.code().source
    opened.session.close()
    for _ in range(3):
        client.send("undo")
    assert client.session.graph == Graph() and not client.session.history.can_undo
    assert [box.title for box in boxes(client.send("redo"))] == TITLES and client.session.code().source == source
    client.session.close()


def test_a_long_transform_of_a_compose_in_the_code_pane_is_a_box() -> None:
    for begun in (Graph(), read(TEXT)):
        client = Client(begun)
        got = client.send("apply_code", source=COMPOSE)
        assert [box.title for box in boxes(got)] == TITLES and all(box.collapsed for box in boxes(got))
        assert all({*box.keys} < {*client.session.graph} for box in boxes(got))
        client.session.close()


def test_a_long_transform_behind_a_card_takes_the_room_of_one() -> None:
    client = Client(read(TEXT))
    places = {key: {"x": 184.0 * at, "y": 0.0} for at, key in enumerate((*client.session.graph.order(), "__outputs__"))}
    client.send("move_nodes", positions=places)
    got = client.send("paste_code", text=COMPOSE, at=AT, source={"node": "decode", "output": 0})
    assert [box.title for box in boxes(got)] == TITLES and "def random_perspective(" in code(got).source
    client.send("undo")
    # so is one from the search; what stands before it stays, and what is behind it goes on
    got = client.send("add_transform", name="torchvision.RandomPerspective", at=AT, source={"node": "decode", "output": 0})
    (box,) = boxes(got)
    now = client.session.positions
    assert box.title == "random_perspective" and {*box.keys} == {*now} - {*places}
    assert {key: now[key].x for key in places} == {"reader": 0.0, "decode": 184.0, "resize": 736.0, "__outputs__": 920.0}
    assert (min(now[key].x for key in box.keys), min(now[key].y for key in box.keys)) == (368.0, 0.0)
    client.session.close()


def test_a_long_transform_in_the_code_pane_is_a_box_and_stays_one() -> None:
    client = Client(read(TEXT))
    for _ in range(2):
        got = client.send("apply_code", source=COMPOSE)
        assert [box.title for box in boxes(got)] == TITLES and not code(got).diagnostics
        assert all(f"def {title}(images):" in code(got).source for title in TITLES)
    for inner, one in ((4, "affine"), (1, "perspective")):
        assert sum(one in node.operator for node in client.session.graph.nodes()) == 1, inner
    client.send("undo")
    client.send("undo")
    assert client.session.graph == read(TEXT)
    client.session.close()


OWN = f"""from dali_studio import fn, pipeline_def


def colours(images):
    images = fn.brightness(images, brightness=fn.random.uniform(range=[0.8, 1.2]))
    images = fn.contrast(images, contrast=fn.random.uniform(range=[0.8, 1.2]))
    images = fn.hue(images, hue=fn.random.uniform(range=[-20, 20]))
    return fn.saturation(images, saturation=fn.random.uniform(range=[0.5, 1.5]))


def small(images):
    return fn.resize(images, size=[60, 80])


@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=3)
def views():
    files, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    images = small(fn.decoders.image(files))
    one = colours(images)
    two = colours(images)
    three = small(images)
    three = colours(three)
    return one, two, three, labels
"""


def test_functions_of_a_large_program_are_boxes_and_its_text_stays() -> None:
    client = Client(Graph())
    got = client.send("paste_code", text=OWN, at=AT)
    assert [box.title for box in boxes(got)] == ["colours"] * 3 and code(got).source == OWN and not code(got).diagnostics
    client.session.close()
    # what is seen at once has none, and one function of all gives way to what it calls
    few = OWN.replace("    three = colours(three)\n", "").replace("    two = colours(images)\n", "    two = images\n")
    whole = OWN.replace("@pipeline_def", "def every(images):\n    one = colours(images)\n    two = colours(one)\n"
                        "    three = colours(two)\n    return three\n\n\n@pipeline_def").replace(
        "    one = colours(images)\n    two = colours(images)\n    three = small(images)\n    three = colours(three)\n    return one, two, three",
        "    one = every(images)\n    return one")  # fmt: skip
    for text, count in ((few, 0), (whole, 3)):
        client = Client(Graph())
        got = client.send("paste_code", text=text, at=AT)
        assert len(boxes(got)) == count and code(got).source == text
        client.session.close()
    assert [mark.title for mark in marks_in(Designer(OWN).session.history).values() if isinstance(mark, messages.Group)] == ["colours"] * 3


def test_a_document_is_opened_where_nothing_is_else_its_steps_are_added() -> None:
    made = read(TEXT)
    first = next(iter(made))
    text = document.dumps(made, {"positions": {first: [300.0, 40.0]}})
    client = Client(Graph())
    (revision,) = only(client.send("paste_code", text=f"\n{text}", at=AT), messages.RevisionChanged)
    assert client.session.graph == made and revision.positions == {first: messages.Position(x=300, y=40)}
    got = client.send("paste_code", text=text, at=AT)
    assert len(client.session.graph) == 2 * len(made) and not only(got, messages.RevisionChanged)[-1].graph.outputs[2:]
    client.send("undo")
    assert client.session.graph == made
    (refused,) = only(client.send("paste_code", text='{"nodes": 3}', at=AT), messages.Refused)
    assert refused.diagnostics[0].code == "DS401" and client.session.graph == made
    client.session.close()
