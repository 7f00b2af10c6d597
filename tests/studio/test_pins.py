"""Pinned data: what previews take for a node's outputs, and what they do not compute any more."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio.clients import Client, only, set_argument

from dali_studio import fn, pipeline_def, types
from dali_studio.graph import document
from dali_studio.graph.edits import PortRef, SetArgument
from dali_studio.studio import steps
from dali_studio.studio.outputs.pins import Pin
from dali_studio.studio.protocol import messages, run_messages

pytestmark = pytest.mark.usefixtures("ready", "folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the kernel works, and where data that is pinned lies within it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".dali_studio" / "pins"


def pin(client: Client, held: bool, *keys: str) -> list[Any]:
    wanted = dict.fromkeys(keys, held)
    return client.send("apply_edits", base_revision=client.session.revision, edits=[], pins=wanted)


def pins(client: Client) -> dict[str, str]:
    found = only(client.received, messages.RevisionChanged)[-1]
    return {node.key: node.pin for node in found.graph.nodes if node.pin}


def shown(client: Client, key: str, samples: list[int] | None = None) -> list[Any]:
    return [np.asarray(one) for one in client.session.answers.output(PortRef(node=key), samples).samples]


def sent(received: list[Any]) -> set[str]:
    return {item.key for previews in only(received, messages.Previews) for item in previews.items}


def test_pinned_outputs_stay_and_nothing_before_them_is_computed(client: Client) -> None:
    before = shown(client, "resize", [0, 2, 3])
    pin(client, True, "resize")
    assert pins(client) == {"resize": "here", "decode": "behind"}  # the reader's labels are returned
    assert "decode" not in sent(client.edit(set_argument("resize", "resize_shorter", 40.0)))
    for one, other in zip(shown(client, "resize", [0, 2, 3]), before, strict=True):
        np.testing.assert_array_equal(one, other)
    client.send("choose_sample", sample=2, iteration=1)
    np.testing.assert_array_equal(shown(client, "resize")[0], before[1])
    # what follows is computed from it, with the numbers of the batch that is shown
    received = client.edit(set_argument("rotate", "fill_value", 255.0))
    assert sent(received) == {"rotate", "normalize"}
    assert shown(client, "rotate")[0].max() == 255

    pin(client, False, "resize")
    assert pins(client) == {}
    pin(client, True, "rotate")
    assert {n.pin_batch for n in only(client.received, messages.RevisionChanged)[-1].graph.nodes if n.pin == "here"} == {1}
    pin(client, False, "rotate")
    assert min(shown(client, "resize")[0].shape[:2]) == 40


def old(client: Client) -> dict[str, bool]:
    found = only(client.received, messages.RevisionChanged)[-1]
    return {node.key: node.pin_old for node in found.graph.nodes if node.pin == "here"}


def test_pins_of_before_an_edit_are_told_and_pinned_again(client: Client) -> None:
    pin(client, True, "resize", "normalize")
    assert old(client) == {"resize": False, "normalize": False}
    client.edit(set_argument("rotate", "fill_value", 7.0))
    assert old(client) == {"resize": False, "normalize": True}
    client.edit(set_argument("resize", "resize_shorter", 40.0))
    assert old(client) == {"resize": True, "normalize": True}
    (before,) = shown(client, "resize")
    pin(client, True, "resize")
    assert old(client) == {"resize": False, "normalize": True}
    assert min(shown(client, "resize")[0].shape[:2]) == 40
    client.send("undo")
    assert old(client) == {"resize": True, "normalize": True}
    np.testing.assert_array_equal(shown(client, "resize")[0], before)
    # a document knows of it, and another name or seed is no such edit
    client.edit({"type": "rename", "key": "resize", "new_key": "sized"}, {"type": "set_pipeline", "option": "seed", "value": 5})
    graph, view, _ = document.loads(client.session.kept.text(client.session.graph), client.session.registry)
    other = Client(graph, view=view)
    other.send("ready")
    assert old(other) == {"sized": True, "normalize": True}
    other.edit(set_argument("sized", "resize_shorter", 120.0))
    assert old(other) == {"sized": False, "normalize": True}
    other.session.close()


def test_a_sweep_changes_what_is_pinned(client: Client) -> None:
    (before,) = shown(client, "resize")
    pin(client, True, "resize")
    now = client.session.current()
    swept = now.variant([SetArgument(key="resize", argument="resize_shorter", value=40.0)])
    other = now.variant([SetArgument(key="rotate", argument="fill_value", value=40.0)])
    engine, port = client.session.renderer.engine, PortRef(node="resize")
    assert min(np.asarray(engine.compute(swept, 0, [0], only=port).outputs[port].samples[0]).shape[:2]) == 40
    np.testing.assert_array_equal(engine.compute(other, 0, [0], only=port).outputs[port].samples[0], before)


def test_a_run_computes_everything(client: Client) -> None:
    pin(client, True, "resize")
    (finished,) = only(client.send("run", batches=1), run_messages.RunFinished)
    assert {"decode", "resize"} <= {key for timing in finished.timings for key in (timing.key, *timing.group)}


def test_a_pin_follows_its_node(client: Client) -> None:
    held = {"resize": "here", "decode": "behind"}
    (before,) = shown(client, "resize")
    pin(client, True, "resize")
    client.edit({"type": "rename", "key": "resize", "new_key": "small"})
    assert pins(client) == {"small": "here", "decode": "behind"}
    client.send("undo")
    assert pins(client) == held
    client.edit({"type": "remove_node", "key": "resize"})
    assert pins(client) == {}
    client.send("undo")
    assert pins(client) == held
    np.testing.assert_array_equal(shown(client, "resize")[0], before)


def test_pins_are_steps_whose_data_is_kept_for_undo_and_redo(client: Client, folder: Path) -> None:
    held = {"resize": "here", "decode": "behind"}
    (before,) = shown(client, "resize")
    pin(client, True, "resize")
    client.edit(set_argument("resize", "resize_shorter", 40.0))
    client.send("undo")
    assert pins(client) == held
    client.send("undo")
    assert pins(client) == {} and not client.session.history.can_undo
    assert [file.suffix for file in folder.iterdir()] == [".before"]
    beyond = [one for places in client.session.history.beyond for one in places.values()]
    assert not any(one.outputs for one in beyond if isinstance(one, Pin))
    client.send("redo")
    assert pins(client) == held
    assert [file.suffix for file in folder.iterdir()] == [".npz"]
    client.send("redo")
    np.testing.assert_array_equal(shown(client, "resize")[0], before)
    pin(client, False, "resize")
    client.send("undo")
    np.testing.assert_array_equal(shown(client, "resize")[0], before)

    client.send("undo")
    client.send("undo")
    client.edit(set_argument("resize", "resize_shorter", 50.0))  # nothing leads to the pin any more
    assert [*folder.iterdir()] == []


def test_undo_leads_to_pins_of_another_kernel(client: Client) -> None:
    (before,) = shown(client, "resize")
    pin(client, True, "resize")
    client.edit(set_argument("resize", "resize_shorter", 40.0))
    pin(client, False, "resize")
    graph, view, _ = document.loads(client.session.kept.text(client.session.graph), client.session.registry)
    other = Client(graph, view=view)
    other.send("ready")
    steps.recall(other.session.history, json.loads(zlib.decompress(steps.packed(client.session.history))), other.session.modules)
    assert pins(other) == {}
    other.send("undo")
    np.testing.assert_array_equal(shown(other, "resize")[0], before)
    other.send("undo")
    assert pins(other) == {"resize": "here", "decode": "behind"}
    other.send("undo")
    assert pins(other) == {}
    other.send("redo")
    np.testing.assert_array_equal(shown(other, "resize")[0], before)
    other.session.close()


def test_pins_of_batches_of_another_size_say_so(client: Client) -> None:
    pin(client, True, "resize")
    size = client.session.graph.options.batch_size
    client.edit({"type": "set_pipeline", "option": "batch_size", "value": 2})
    changed = only(client.received, messages.RevisionChanged)[-1]
    (found,) = [d for d in changed.diagnostics if d.node == "resize"]
    assert found.message == f"resize is pinned with a batch of {size}, but batches are of 2 now, so it is computed."
    assert pins(client) == {}
    client.send("undo")
    assert pins(client) == {"resize": "here", "decode": "behind"}


def test_pinned_data_lies_beside_the_document_as_long_as_it_is_pinned(client: Client, folder: Path) -> None:
    code = client.session.code().source
    names = shown(client, "reader") and list(client.session.answers.output(PortRef(node="reader")).sources)
    kept = {key: shown(client, key, [3])[0] for key in ("reader", "resize", "uniform")}
    pin(client, True, "resize", "uniform", "reader")
    assert client.session.code().source == code
    text = client.session.kept.text(client.session.graph)
    assert len(text) < 4000  # it has their names
    assert len([*folder.iterdir()]) == 3

    # in another kernel
    graph, view, _ = document.loads(text, client.session.registry)
    other = Client(graph, view=view)
    other.send("ready")
    other.send("choose_sample", sample=3, iteration=2)
    for key, value in kept.items():
        np.testing.assert_array_equal(shown(other, key)[0], value)
    assert list(other.session.answers.output(PortRef(node="reader"), [0]).sources) == names
    assert other.session.kept.holds(graph, view)
    pin(other, False, "resize")
    assert len([*folder.glob("*.npz")]) == 2
    assert not other.session.kept.holds(graph, view)
    other.session.close()

    # it goes where the document goes
    client.session.save(folder.parent.parent / "there.dali.json")
    (folder.parent.parent / "elsewhere").mkdir()
    client.session.save(folder.parent.parent / "elsewhere" / "there.dali.json")
    assert len([*(folder.parent.parent / "elsewhere" / ".dali_studio" / "pins").iterdir()]) == 3


@pytest.mark.parametrize("damage", ["gone", "cut", "pickle", "compressed"])
def test_data_that_cannot_be_read_is_said_and_computed_anew(client: Client, folder: Path, damage: str) -> None:
    pin(client, True, "resize")
    (file,) = folder.iterdir()
    if damage == "gone":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    else:
        array: Any = np.array([{}], object) if damage == "pickle" else np.zeros((9, 9, 3))
        write: Any = np.savez if damage == "pickle" else np.savez_compressed
        write(file, told=np.array('[{"layout": "HWC", "sources": [], "count": 1}]'), **{"0 0": array})
    graph, view, _ = document.loads(client.session.kept.text(client.session.graph), client.session.registry)
    other = Client(graph, view=view)
    received = other.send("ready")
    (refused,) = only(received, messages.Refused)
    (found,) = refused.diagnostics
    assert (found.code, found.node, found.severity) == ("DS302", "resize", "warning")
    assert ("is gone" in found.message) == (damage == "gone")
    assert pins(other) == {}
    assert "resize" in sent(received)
    other.session.close()


def test_a_node_with_several_outputs_is_pinned_as_a_whole(client: Client) -> None:
    (name,) = (np.asarray(client.session.answers.output(PortRef(node="reader", output=1)).samples[0]),)
    pin(client, True, "reader")
    client.send("choose_sample", sample=0, iteration=1)
    np.testing.assert_array_equal(client.session.answers.output(PortRef(node="reader", output=1)).samples[0], name)
    assert pins(client) == {"reader": "here"}


def test_a_node_that_is_bypassed_gives_what_feeds_it_and_its_pin_waits(client: Client) -> None:
    pin(client, True, "resize")
    kept = shown(client, "resize")
    client.edit({"type": "set_bypass", "key": "resize", "bypassed": True})
    assert pins(client) == {}
    np.testing.assert_array_equal(shown(client, "resize")[0], shown(client, "decode")[0])
    assert shown(client, "rotate")[0].shape > shown(client, "decode")[0].shape  # of the whole photo
    (refused,) = only(pin(client, True, "resize"), messages.Refused)
    assert refused.diagnostics[0].message == "resize is bypassed, so its data cannot be pinned."
    client.edit({"type": "set_bypass", "key": "resize", "bypassed": False})
    assert pins(client) == {"resize": "here", "decode": "behind"}
    np.testing.assert_array_equal(shown(client, "resize")[0], kept[0])


def test_what_cannot_be_pinned_is_refused() -> None:
    @pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3, enable_conditionals=True)
    def branching() -> Any:
        value = fn.random.uniform(range=(0.0, 1.0), name="value")
        if fn.random.coin_flip(probability=0.5, dtype=types.BOOL, name="coin"):
            value = fn.cast(value, dtype=types.UINT8, name="taken")
        else:
            value = fn.cast(value + 1, dtype=types.UINT8, name="other")
        return value

    client = Client(branching().graph)
    client.send("ready")
    refused = [one for key in ("taken", "other") for one in only(pin(client, True, key), messages.Refused)]
    assert [d.code for one in refused for d in one.diagnostics].count("DS105") == 2
    assert pins(client) == {}
    assert only(pin(client, True, "nobody"), messages.Refused)
    client.session.close()
