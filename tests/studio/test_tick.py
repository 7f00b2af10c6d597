"""What a slider's tick may cost: everything that follows from a revision is found once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from studio.clients import Client, only, set_argument

from dali_studio.codegen.emit import emit
from dali_studio.runtime.executor import Executor
from dali_studio.studio import revision
from dali_studio.studio.protocol import messages, output_messages, run_messages

pytestmark = pytest.mark.usefixtures("ready")


@pytest.fixture
def counted(client: Client, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the expensive parts run; the fixture `client` has shown everything before."""
    counts: Counter[str] = Counter()

    def count(name: str, call: Any) -> Any:
        def counting(*given: Any, **more: Any) -> Any:
            counts[name] += 1
            return call(*given, **more)

        return counting

    for name in ("validate", "compile_graph", "structural_keys", "operator_indices", "emit"):
        monkeypatch.setattr(revision, name, count(name, getattr(revision, name)))
    monkeypatch.setattr(Executor, "__init__", count("executor", Executor.__init__))
    return counts


ONCE = {
    "validate": 1, "compile_graph": 1, "structural_keys": 1, "operator_indices": 1, "executor": 1, "emit": 1,
}  # fmt: skip


def test_a_tick_validates_compiles_and_prepares_once(client: Client, counted: Counter[str]) -> None:
    (shown,) = only(client.edit(set_argument("rotate", "fill_value", 50.0), gesture="drag"), messages.Previews)
    assert {item.key for item in shown.items} == {"rotate", "normalize"}
    assert counted == ONCE


def test_the_large_picture_and_the_strip_take_what_the_tick_has_found(client: Client, counted: Counter[str]) -> None:
    client.send("request_detail", key="rotate")
    counted.clear()
    got = client.edit(set_argument("rotate", "fill_value", 50.0), gesture="drag")
    assert len(only(got, output_messages.ImageDetail)) == 1 and not only(got, messages.SampleStrip)
    assert counted == ONCE
    client.send("request_detail", key="")
    assert not only(client.edit(set_argument("rotate", "fill_value", 60.0)), output_messages.ImageDetail)


def test_numbers_of_the_whole_batch_are_drawn_anew_only_where_they_change(
    client: Client, counted: Counter[str]
) -> None:
    """The slider of a random operator shows the numbers of all samples: one more executor, for these alone."""
    (shown,) = only(client.edit(set_argument("uniform", "range", [0.0, 5.0])), messages.Previews)
    values = next(item.body.values for item in shown.items if item.key == "uniform")
    assert len(values) == 6 and all(0 <= value <= 5 for value in values)
    assert counted == {**ONCE, "executor": 2}


def test_code_comes_after_the_images_and_names_its_revision(client: Client) -> None:
    got = client.edit(set_argument("rotate", "fill_value", 50.0), gesture="drag")
    order = [type(message) for message, _ in got]
    assert order.index(messages.RevisionChanged) < order.index(messages.Previews) < order.index(messages.Code)
    (code,) = only(got, messages.Code)
    assert code.revision == client.session.revision
    assert code.source == emit(client.session.graph, client.session.registry, client.session.dialect).source


def test_after_a_drag_the_code_is_that_of_its_end(client: Client) -> None:
    """Ticks that come while the worker is busy need no code of their own."""
    before = len(client.received)
    for value in range(20):
        client.session.receive(
            {"type": "apply_edits", "base_revision": client.session.revision, "gesture": "drag",
             "edits": [set_argument("rotate", "fill_value", float(value))]}
        )  # fmt: skip
    assert client.session.worker.wait(60)
    codes = only(client.received[before:], messages.Code)
    assert [code.revision for code in codes] == sorted(code.revision for code in codes)
    assert codes[-1].revision == client.session.revision
    assert "fill_value=19" in codes[-1].source


def test_code_is_written_during_a_run(client: Client) -> None:
    """It may take long, and the pane would show the program of another graph."""
    before = len(client.received)
    client.session.receive({"type": "run", "batches": 400})
    while not only(client.received[before:], run_messages.RunProgress):
        pass
    client.session.receive(
        {"type": "apply_edits", "base_revision": client.session.revision, "gesture": "",
         "edits": [set_argument("rotate", "fill_value", 77.0)]}
    )  # fmt: skip
    while not only(client.received[before:], messages.Code):
        pass
    assert not only(client.received[before:], run_messages.RunFinished)
    client.send("stop")
    assert "fill_value=77" in only(client.received[before:], messages.Code)[-1].source


def test_a_saved_picture_waits_until_no_edit_comes(client: Client) -> None:
    told: list[str] = []
    client.session.begun = lambda: told.append("begun")
    client.session.settled = lambda: told.append("settled")
    client.edit(set_argument("rotate", "fill_value", 50.0), gesture="drag")
    client.edit(set_argument("rotate", "fill_value", 60.0), gesture="drag")
    assert told == ["begun", "settled"] * 2
    client.send("apply_edits", base_revision=client.session.revision, edits=[{"type": "remove_node", "key": "none"}])
    assert told[-1] == "settled", "refused edits leave the picture of the last one waiting"
