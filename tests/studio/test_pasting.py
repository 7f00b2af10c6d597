"""A program that is pasted on the canvas: as a whole where nothing is there, its steps where something is."""

from __future__ import annotations

from studio.clients import Client, only
from studio.texts import TEXT, code

from dali_studio import read
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.studio.protocol import messages

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
