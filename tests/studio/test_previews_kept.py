"""The browser has a picture of every card after every edit: what it drops comes again."""

from __future__ import annotations

from typing import Any

import pytest
from studio.clients import Client, rotating

from dali_studio.studio.protocol import messages

TORCHVISION = """import torchvision.transforms as T
tf = T.Compose([T.RandomResizedCrop(64), T.RandomHorizontalFlip(), T.ToTensor()])
"""
ALBUMENTATIONS = """import albumentations as A
tf = A.Compose([A.RandomCrop(64, 64), A.HorizontalFlip(p=0.5), A.Normalize()])
"""


def blank(client: Client) -> set[str]:
    """The cards of which the browser has nothing to show, after all that came."""
    origin, there, previews = 0, set[str](), dict[str, int]()
    for message, _ in client.received:
        if isinstance(message, messages.RevisionChanged):
            origin, there = message.origin, {node.key for node in message.graph.nodes}
            previews = {key: number for key, number in previews.items() if key in there}
        elif isinstance(message, messages.Previews):
            previews = {key: number for key, number in previews.items() if number >= min(origin, message.revision)}
            previews |= {item.key: message.revision for item in message.items}
    return there - previews.keys()


@pytest.fixture
def client() -> Any:
    made = Client(rotating().graph)
    made.send("ready", preview_width=120)
    yield made
    made.session.close()


def test_of_one_pasted_program_after_the_other(client: Client) -> None:
    for text in (TORCHVISION, ALBUMENTATIONS, TORCHVISION):
        client.send("apply_code", source=text)
        assert not blank(client)
    for step in ("undo", "undo", "redo", "undo", "undo", "redo"):
        client.send(step)
        assert not blank(client)
    for name in ("augmentations", "augmentations"):
        client.send("open_recipe", name=name)
        assert not blank(client)


def test_of_a_node_that_is_there_again_before_anything_was_computed_without_it(client: Client) -> None:
    for kind, content in (
        ("apply_edits", {"base_revision": client.session.revision, "edits": [{"type": "remove_node", "key": "rotate"}]}),
        ("undo", {}),
    ):
        client.session.receive({"type": kind, **content})
    assert client.session.worker.wait(60)
    assert not blank(client)
