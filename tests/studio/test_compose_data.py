"""A training program in the designer: the folder and the batches of its loader, and what of them is not taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from studio.clients import Client, only
from studio.texts import TEXT, code

from dali_studio import Graph, read
from dali_studio.studio.protocol import messages

TRAINING = """
from torch.utils.data import DataLoader
from torchvision import transforms as T
from torchvision.datasets import ImageFolder

ROOT = "data/coco"
transform = T.Compose([T.CenterCrop(50), T.RandomHorizontalFlip()])
data = ImageFolder(ROOT, transform)
loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=4, drop_last=True)
"""
LEFT = "DataLoader of loader (line 9): drop_last=True is not taken."


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(read(TEXT))
    yield made
    made.session.close()


def told(got: Any) -> list[tuple[str, str]]:
    found = only(got, messages.RevisionChanged)[-1].diagnostics
    return [(one.node, one.message) for one in found if one.code == "DS503" and "DataLoader" in one.message]


def test_the_text_brings_its_data_into_the_program(client: Client) -> None:
    before = client.session.graph
    got = client.send("apply_code", source=TRAINING)
    assert not only(got, messages.Refused)
    graph = client.session.graph
    assert {"file_root": "data/coco", "random_shuffle": True}.items() <= graph.node("reader").arguments.items()
    assert (graph.options.batch_size, graph.options.num_threads, graph.options.seed) == (16, 4, before.options.seed)
    source = code(got).source
    assert 'file_root="data/coco"' in source and "batch_size=16" in source and f"# {LEFT}" in source
    assert told(got) == [("reader", LEFT)]
    got = client.send("apply_code", source=TRAINING)  # changes nothing
    assert client.session.graph == graph and told(got) == [("reader", LEFT)]
    got = client.send("apply_code", source=TRAINING.replace("shuffle=True", "shuffle=False"))
    assert client.session.graph.node("reader").arguments["random_shuffle"] is False
    for _ in range(2):
        client.send("undo")
    assert client.session.graph == before


def test_a_reader_of_something_else_keeps_its_data(client: Client) -> None:
    text = TEXT.replace("fn.readers.file(file_root=", "fn.readers.file(files=['a.jpg'], file_root=")
    assert text != TEXT
    client.send("apply_code", source=text)
    before = client.session.graph.node("reader")
    got = client.send("apply_code", source=TRAINING)
    assert client.session.graph.node("reader") == before
    why = "DataLoader of loader (line 9): random_shuffle=True, file_root='data/coco' are not taken, since decode is fed by no readers.file of a folder."
    assert told(got) == [("decode", LEFT), ("decode", why)]


def test_steps_that_are_pasted_behind_a_card_leave_the_data(client: Client) -> None:
    before = client.session.graph
    got = client.send("paste_code", text=TRAINING, at={"x": 0.0, "y": 0.0}, source={"node": "decode", "output": 0})
    (found,) = only(got, messages.Refused)[-1].diagnostics
    assert found.message == ("The steps were added; the reader and the pipeline's settings stay: the DataLoader of loader (line 9) "
                             "is not taken.")  # fmt: skip
    graph = client.session.graph
    assert graph.options == before.options and graph.node("reader") == before.node("reader") and "flip" in graph
    assert not told(got)


@pytest.mark.parametrize("kind", ["apply_code", "paste_code"])
def test_an_empty_designer_gets_all_of_it(kind: str) -> None:
    client = Client(Graph())
    given = {"source": TRAINING} if kind == "apply_code" else {"text": TRAINING, "at": {"x": 0.0, "y": 0.0}}
    got = client.send(kind, **given)
    graph = client.session.graph
    assert graph.node("reader").arguments["file_root"] == "data/coco"
    assert (graph.options.batch_size, graph.options.num_threads) == (16, 4) and told(got) == [("reader", LEFT)]
    client.session.close()
