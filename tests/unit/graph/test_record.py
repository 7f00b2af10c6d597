"""What documents tell of their writer: kept while nothing changes, said once where operators are not what they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from toy import photo_graph, toy_registry

from dali_studio.core.version import __version__
from dali_studio.graph import record
from dali_studio.graph.apply import apply
from dali_studio.graph.document import dumps, load, loads, save
from dali_studio.graph.edits import SetArgument, SetPipeline
from dali_studio.graph.model import Graph
from dali_studio.schema.model import ArgumentSchema, OperatorSchema, OutputSchema

REGISTRY = toy_registry()


def written(graph: Graph, view: dict[str, Any] | None = None) -> dict[str, Any]:
    return json.loads(dumps(graph, view, REGISTRY)).get("written_by", {})


def another(text: str, **changes: Any) -> str:
    """The document as another engine has written it."""
    raw = json.loads(text)
    raw["written_by"]["dali_studio"] = changes.pop("engine", "0.0.9")
    raw["written_by"]["operators"] |= changes
    return dumps(*loads(json.dumps(raw))[:2], REGISTRY)


def test_the_engine_and_the_form_of_each_operator_are_recorded_on_lines_of_their_own() -> None:
    text = dumps(photo_graph(), {"zoom": 1}, REGISTRY)
    said = json.loads(text)["written_by"]
    assert said["dali_studio"] == __version__
    assert list(said["operators"]) == ["decoders.image", "random.uniform", "readers.file", "rotate"]
    assert f'      "rotate": "{record.form_of(REGISTRY.schema("rotate"))}"\n' in text
    assert "written_by" not in dumps(photo_graph())  # what no file is told of, such as the names of runs


def test_an_unchanged_document_is_written_as_it_was_read(tmp_path: Path) -> None:
    old = dumps(photo_graph(), {"zoom": 1})  # by an engine that recorded nothing
    other = another(dumps(photo_graph(), {"zoom": 1}, REGISTRY), rotate="1-00000000")
    assert '"dali_studio": "0.0.9"' in other
    for text in (old, other, other.replace('"0.0.9"', "[7]")):
        (tmp_path / "a.dali.json").write_text(text, encoding="utf-8")
        graph, view, _ = load(tmp_path / "a.dali.json", REGISTRY)
        save(graph.copy(), view, tmp_path / "a.dali.json", REGISTRY)
        assert (tmp_path / "a.dali.json").read_text(encoding="utf-8") == text
    graph, _, _ = loads(other, REGISTRY)
    assert written(graph, {"zoom": 2})["dali_studio"] == "0.0.9"  # a view is not what engines compute
    changed, back = apply(graph, [SetArgument(key="turned", argument="fill_value", value=9.0)], REGISTRY)
    assert written(changed) == written(photo_graph())
    assert written(apply(changed, back, REGISTRY)[0])["dali_studio"] == "0.0.9"
    assert written(apply(graph, [SetPipeline(option="batch_size", value=3)], REGISTRY)[0])["dali_studio"] == __version__
    assert written(loads(old, REGISTRY)[0]) == {}


def test_operators_that_are_not_what_they_were_are_told_in_one_warning() -> None:
    text = dumps(photo_graph(), None, REGISTRY)
    same = loads(another(text), REGISTRY)[0]
    assert record.written_otherwise(same, REGISTRY) == ()  # another version alone says nothing of the pipeline
    later = {"rotate": "2-00000000", "of.others": "1-00000000", "cast": "1-00000000"}
    assert record.written_otherwise(loads(another(text, **later))[0], REGISTRY) == ()  # migrated, unknown, not used
    graph = loads(another(text, rotate="1-00000000", **{"random.uniform": "1-00000000"}), REGISTRY)[0]
    (found,) = record.written_otherwise(graph, REGISTRY)
    assert (found.code, found.severity, found.node) == ("DS403", "warning", "")
    assert found.message == (
        "dali_studio 0.0.9 wrote the document, with other inputs, arguments or defaults of random.uniform, rotate than "
        f"are installed here (dali_studio {__version__})."
    )
    assert record.written_otherwise(photo_graph(), REGISTRY) == ()


@pytest.mark.parametrize("said", [None, 5, "x", [], {}, {"operators": 3}, {"operators": {"rotate": 3, "cast": None}}])
def test_damaged_records_are_kept_and_say_nothing(said: Any) -> None:
    raw = {**json.loads(dumps(photo_graph())), "written_by": said}
    graph, view, found = loads(json.dumps(raw), REGISTRY)
    assert found == () and record.written_otherwise(graph, REGISTRY) == ()
    assert json.loads(dumps(graph, view, REGISTRY)).get("written_by") == said


def test_the_form_is_what_an_unchanged_document_relies_on() -> None:
    schema = OperatorSchema(
        name="a", class_name="A", category="c", summary="s", outputs=(OutputSchema(name="output"),),
        arguments=(ArgumentSchema(name="angle", type="float", default=1.0),),
    )  # fmt: skip
    (angle,) = schema.arguments

    def form(**changes: Any) -> str:
        return record.form_of(msgspec.structs.replace(schema, **changes))

    assert form(doc="words", summary="others", icon="i") == form()
    assert form(arguments=(msgspec.structs.replace(angle, doc="x", maximum=3.0, span=(0.0, 1.0)),)) == form()
    assert form(version=2)[1:] == form()[1:] and form(version=2) != form()
    other = [
        form(arguments=(msgspec.structs.replace(angle, default=2.0),)),
        form(arguments=(msgspec.structs.replace(angle, name="turn"),)),
        form(arguments=()), form(outputs=()),
    ]  # fmt: skip
    assert len({form(), *other}) == 5


