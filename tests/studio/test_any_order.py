"""Edits in any order, of the graph and of its text: nothing fails, nothing is lost, and all of it can be taken back."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from chosen import few
from studio.clients import Client, only

from dali_studio import read, samples
from dali_studio.api.default import default_registry
from dali_studio.graph import document
from dali_studio.graph.edits import PortRef
from dali_studio.studio.protocol import messages
from dali_studio.studio.session import Session

TEXT = f'''"""A training."""
from dali_studio import fn, pipeline_def, types


@pipeline_def(batch_size=3, num_threads=1, device_id=None, enable_conditionals=True)
def training():
    # what is read
    files, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    images = fn.resize(fn.decoders.image(files), resize_shorter=64)  # one line
    angle = fn.random.uniform(range=[-20.0, 20.0])
    images = fn.rotate(images, angle=angle, fill_value=0)  # turned
    if fn.random.coin_flip(probability=0.4, dtype=types.BOOL):
        images = fn.flip(images)  # in a branch
    images = images * 0.5 + 3  # darker
    return images, labels
'''
OPERATORS = ("rotate", "flip", "hsv", "resize", "random.uniform", "random.coin_flip", "decoders.image", "cat", "color_twist")
ARGUMENTS = {"angle": 5.0, "fill_value": 1.0, "horizontal": 0, "hue": 5.0, "probability": 0.25, "resize_shorter": 40.0}
STEPS = 40


def edits_of(session: Session, draw: random.Random) -> list[dict[str, Any]]:
    """Edits as a person makes them, of which some cannot be done."""
    graph = session.graph
    keys = [*graph] or [""]
    key, other, wires = draw.choice(keys), draw.choice(keys), graph.wires()
    new, operator, argument = graph.free_key("new"), draw.choice(OPERATORS), draw.choice([*ARGUMENTS])
    wire = draw.choice(wires) if wires else None
    end = {"target": wire.target, **({"argument": wire.argument} if wire.input is None else {"input": wire.input})} if wire else {}
    source = next((port for port in graph.inputs(key) if port is not None), None) if key else None
    fed = graph.consumers(PortRef(node=key)) if source is not None else []
    start = {"node": source.node, "output": source.output} if source is not None else {}
    bridges = [{"type": "connect", "source": start, "target": to, **({"argument": name} if at is None else {"input": at})} for to, at, name in fed]
    add = {"type": "add_node", "key": new, "operator": operator}
    ways: tuple[Callable[[], list[dict[str, Any]]], ...] = (
        lambda: [add],
        lambda: [add, {"type": "connect", "source": {"node": other}, "target": new, "input": 0}, {"type": "connect", "source": {"node": new}, **end}],
        lambda: [{"type": "disconnect", **end}],
        lambda: [{"type": "remove_node", "key": key}],
        lambda: [*bridges, {"type": "remove_node", "key": key}],
        lambda: [{"type": "set_argument", "key": key, "argument": argument, "value": ARGUMENTS[argument]}],
        lambda: [{"type": "rename", "key": key, "new_key": graph.free_key(draw.choice(["photo", "für"]))}],
        lambda: [{"type": "set_bypass", "key": key, "bypassed": draw.random() < 0.6}],
        lambda: [{"type": "set_outputs", "outputs": [{"node": draw.choice(keys)} for _ in range(draw.randrange(3))]}],
        lambda: [{"type": "set_chance", "key": key, "part": draw.choice([0.25, 0.5, 1.0])}],
        lambda: [{"type": "connect", "source": {"node": key}, "target": other, "input": 0}],
    )  # fmt: skip
    return draw.choice(ways)()


def edited(source: str, draw: random.Random) -> str:
    """A program with another number, or one that is none."""
    numbers = list(re.finditer(r"(?<![\w.\"'/])\d+(?![\w.\"'/])", source))
    if draw.random() < 0.3 or not numbers:
        return f"{source[: draw.randrange(len(source))]}("
    one = draw.choice(numbers)
    return f"{source[: one.start()]}{int(one.group()) + 1}{source[one.end() :]}"


@pytest.mark.parametrize("seed", few(range(5), 2))
def test_nothing_fails_and_all_can_be_taken_back(seed: int) -> None:
    draw = random.Random(seed)
    client = Client(read(TEXT))
    session, first = client.session, client.session.graph
    client.send("apply_code", source=TEXT)
    for _ in range(STEPS):
        before, wanted = Counter(node.operator for node in session.graph.nodes()), ""
        kind = draw.choice(["edit", "edit", "edit", "edit", "code", "undo", "redo"])
        if kind == "edit":
            got = client.edit(*edits_of(session, draw))
        elif kind == "code":
            wanted = edited(session.code().source, draw)
            got = client.send("apply_code", source=wanted)
        else:
            got = client.send(kind)
        refused = [one for message in only(got, messages.Refused) for one in message.diagnostics]
        assert not [one for one in refused if "defect" in one.hint], refused
        ast.parse(session.code().source)
        if wanted and not refused:  # a number of the program is another one, and nothing else
            assert not before - Counter(node.operator for node in session.graph.nodes())
        graph, view, _ = document.loads(session.kept.text(session.graph), default_registry())
        assert session.kept.holds(graph, view)
    while session.history.can_redo:
        client.send("redo")
    last, source = session.graph, session.code().source
    while session.history.can_undo:
        client.send("undo")
    assert session.graph == first
    while session.history.can_redo:
        client.send("redo")
    assert session.graph == last and session.code().source == source
    session.close()
