"""The pane's text is the file: what a person writes becomes the graph, and changes of the graph go into the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from studio.clients import Client, only, set_argument
from studio.texts import TEXT, code

from dali_studio import Designer, read
from dali_studio.codegen.dialects import installed_first
from dali_studio.graph import document
from dali_studio.studio.programs.own_text import in_view
from dali_studio.studio.protocol import messages, requests


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(read(TEXT))
    yield made
    made.session.close()


def test_an_edited_text_is_one_step(client: Client) -> None:
    before = client.session.graph
    edited = TEXT.replace("    return", "    images = fn.flip(images)  # mirrored\n    return").replace("[60, 80]", "[50, 50]")
    got = client.send("apply_code", source=edited)
    (revision,) = only(got, messages.RevisionChanged)
    assert {node.key: node.operator for node in revision.graph.nodes}["flip"] == "flip"
    assert revision.can_undo and code(got).source == edited
    assert code(got).lines["flip"] == (10,)
    undone = client.send("undo")
    assert client.session.graph == before
    assert "fn.flip" not in code(undone).source and "# what is read" not in code(undone).source
    assert code(client.send("redo")).source == edited


def test_a_text_that_would_be_written_anyway_is_none_of_its_own(client: Client) -> None:
    edited = client.session.code().source.replace("[60, 80]", "[50, 80]")
    got = client.send("apply_code", source=edited)
    assert code(got).source == edited and only(got, messages.RevisionChanged)[-1].can_undo
    box = {"type": "group", "keys": ["images", "resize"], "title": "small", "subgraph": True, "collapsed": True}
    got = client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"box": box})
    assert "def small(" in code(got).source
    # and so is one with a function, until it has a comment
    edited = code(got).source.replace("[50, 80]", "[40, 80]")
    assert code(client.send("apply_code", source=edited)).source == edited
    commented = edited.replace("[40, 80])", "[40, 80])  # small")
    assert code(client.send("apply_code", source=commented)).source == commented
    assert "def small(" in code(client.send("undo")).source


def test_what_returns_nothing_yet_is_written_and_edited(client: Client) -> None:
    shown = code(client.edit({"type": "set_outputs", "outputs": []})).source
    assert "    resize = fn.resize(" in shown and "    return ...\n" in shown
    got = client.send("apply_code", source=shown.replace("[60, 80]", "[50, 80]").replace("return ...", "return resize"))
    assert client.session.graph.node("resize").arguments["size"] == (50, 80)
    assert "    return resize\n" in code(got).source and len(client.session.graph) == 3


def test_a_parameter_that_a_value_takes_the_place_of_is_told(client: Client) -> None:
    text = TEXT.replace("def training():", "def training(wide=80):").replace("[60, 80]", "[60, wide]")
    assert code(client.send("apply_code", source=text)).diagnostics == ()
    got = code(client.edit(set_argument("resize", "size", [60.0, 90.0])))
    assert "size=[60, 90]" in got.source
    assert [one.message for one in got.diagnostics] == [
        "The parameter wide has no effect any more: what it gave is set in its place."
    ]
    assert code(client.send("undo")).diagnostics == ()


def test_another_comment_is_a_step(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    edited = TEXT.replace("# RGB", "# red, green, blue")
    before = client.session.revision
    got = client.send("apply_code", source=edited)
    assert code(got).source == edited and only(got, messages.RevisionChanged)[-1].revision > before
    assert code(client.send("undo")).source == TEXT
    assert code(client.send("redo")).source == edited


def test_names_go_both_ways(client: Client) -> None:
    def names() -> list[str]:
        return [node.key for node in client.session.graph.nodes()]

    # of the program that is shown, without a text of one's own before
    shown = code(client.send("request_code", dialect="dali_studio")).source
    old = next(key for key in names() if client.session.graph.node(key).operator == "resize")
    client.send("apply_code", source=re.sub(rf"(?<!fn\.){old}", "small", shown))
    assert "small" in names() and old not in names()
    client.send("apply_code", source=TEXT)
    client.send("apply_code", source=TEXT.replace("images", "photos"))
    assert names() == ["reader", "decode", "resize"]  # a variable that goes on names none
    client.edit({"type": "rename", "key": "resize", "new_key": "small"}, set_argument("small", "size", [5.0, 5.0]))
    renamed = code(client.send("request_code", dialect="dali_studio"))
    assert "    small = fn.resize(photos, size=[5, 5])\n    return small, labels" in renamed.source
    assert "# RGB" in renamed.source and renamed.lines["small"] == (9,)
    for _ in range(4):
        client.send("undo")
    assert old in names()


def test_notes_of_the_canvas_are_comments(client: Client) -> None:
    plain = code(client.send("request_code", dialect="nvidia.dali"))
    note = {"type": "note", "x": 0, "y": 50, "width": 180, "height": 90, "text": "Mind the size:\nit matters"}
    first = {**note, "y": 0, "text": "From above\u2028import os"}
    got = client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"a": note, "b": first})
    noted = code(got)
    comment = "# From above\n# import os\n# Mind the size:\n# it matters\n@pipeline_def"
    assert noted.source == plain.source.replace("@pipeline_def", comment)
    assert {key: [n + 4 for n in lines] for key, lines in plain.lines.items()} == {
        key: list(lines) for key, lines in noted.lines.items()
    }
    assert client.session.code().source == noted.source
    # also where functions of subgraphs stand before the pipeline's
    group = {"type": "group", "keys": ["resize", "images"], "title": "small", "subgraph": True}
    boxed = code(client.send("apply_edits", base_revision=client.session.revision, edits=[], marks={"c": group})).source
    assert boxed.index("def small") < boxed.index(comment)


def test_the_text_goes_with_the_document(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "mine.dali.json"
    client.send("apply_code", source=TEXT)
    client.send("save_document", path=str(path), what="document")
    graph, view, _ = document.load(path)
    again = Client(graph, view=view, path=path)
    try:
        assert again.session.code().source == TEXT and again.session.dialect == "dali_studio"
        assert again.session.kept.holds(graph, view) and not again.session.kept.holds(graph, {**view, "program": "x"})
        stranger = Client(graph, view={**view, "program": TEXT.replace("# RGB", "# code")})
        assert "# code" not in stranger.session.code().source  # the signature is of another text
        stranger.session.close()
        changed = again.send("apply_code", source=TEXT.replace("# RGB", "# colours"))
        assert not only(changed, messages.RevisionChanged)[-1].saved
        assert only(again.send("undo"), messages.RevisionChanged)[-1].saved
    finally:
        again.session.close()


def test_what_is_not_applied_is_kept_in_the_document_for_its_own_user(client: Client, tmp_path: Path) -> None:
    def told(received: Any) -> messages.RevisionChanged:
        return only(received, messages.RevisionChanged)[-1]

    path, wrong = tmp_path / "mine.dali.json", TEXT.replace("fn.decoders", "fn.dekoders")
    client.send("save_document", path=str(path), what="document")
    refused = client.send("apply_code", source=wrong)
    assert only(refused, messages.Refused) and told(refused).draft == wrong and not told(refused).saved
    client.send("save_document", path=str(path), what="document")
    assert told(client.received).saved
    graph, view, _ = document.load(path)
    again = Client(graph, view=view, path=path)
    stranger = Client(graph, view={**view, "draft": wrong + "#"})
    try:
        assert stranger.session.history.places.get("draft") is None
        assert again.session.kept.holds(graph, view)
        assert told(again.send("ready", preview_width=200)).draft == wrong
        assert told(again.send("keep_draft", source=wrong + "# more")).draft == wrong + "# more"
        assert told(again.send("undo")).draft  # it is no step
        applied = told(again.send("apply_code", source=TEXT.replace("80]", "90]")))
        assert not applied.draft and again.session.graph != graph
    finally:
        again.session.close()
        stranger.session.close()


@pytest.mark.parametrize("text", [TEXT.replace("[60, 80]", "[50, 80]").replace("images, labels\n", "images\n"), "def (", 3])
def test_a_text_that_does_not_go_with_its_document_is_left(text: object, client: Client) -> None:
    graph, _, _ = document.loads(document.dumps(client.session.graph, {}))
    other = text if not isinstance(text, str) else text.replace("def training", "def other")
    other = re.sub(r"@pipeline_def\(.*\)", "@pipeline_def", other) if isinstance(other, str) else other  # options have no place
    again = Client(graph, view=in_view(other) if isinstance(other, str) else {"program": other})
    try:
        assert again.session.graph == graph
        assert again.session.code().source == again.session.current().code(next(iter(installed_first()))).source
    finally:
        again.session.close()


def test_a_program_opens_with_its_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    for given in (path, str(path), TEXT):
        designer = Designer(given)
        assert designer.code() == TEXT
        designer.close()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"\xef\xbb\xbf" + TEXT.encode(), TEXT),
        (TEXT.replace("\n", "\r\n").encode(), TEXT),
        ("# coding: cp1252\n{}".format(TEXT.replace("RGB", "f\xfcr")).encode("cp1252"), "# coding: cp1252\n{}".format(TEXT.replace("RGB", "f\xfcr"))),
    ],
    ids=["mark of byte order", "lines of Windows", "another encoding"],
)  # fmt: skip
def test_a_program_of_windows_opens_with_its_text(written: bytes, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_bytes(written)
    designer = Designer(path)
    assert designer.code() == shown
    designer.session.kept.written.know(path)
    designer.session.handle(requests.SaveDocument(path=str(path), what="code"))
    assert path.read_bytes() == written.removeprefix(b"\xef\xbb\xbf")
    designer.close()


def test_changes_of_the_graph_go_into_the_text(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    key = next(node.key for node in client.session.graph.nodes() if node.operator == "resize")
    got = client.edit({"type": "set_argument", "key": key, "argument": "size", "value": [40.0, 80.0]})
    assert code(got).source == TEXT.replace("[60, 80]", "[40, 80]")


def test_the_text_comes_back_after_what_it_cannot_say(client: Client) -> None:
    text = TEXT.replace("    images = fn.resize(images, size=[60, 80])\n",
                        "    for _ in range(2):\n        images = fn.flip(images)\n")  # fmt: skip
    client.send("apply_code", source=text)
    key = next(node.key for node in client.session.graph.nodes() if node.operator == "flip")
    got = code(client.edit({"type": "set_argument", "key": key, "argument": "horizontal", "value": 0}))
    assert "for _" not in got.source
    assert ["undo" in one.hint for one in got.diagnostics] == [True]
    assert code(client.send("undo")).source == text


def test_a_program_that_is_pasted_over_another_is_laid_out_anew(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    client.send("move_nodes", positions={"reader": {"x": 400.0, "y": 300.0}})
    flips = [TEXT.replace("    return", "    images = fn.flip(images)\n" * count + "    return") for count in (3, 10)]
    client.send("apply_code", source=flips[0])  # what is written on stays where it is
    assert "reader" in client.session.positions
    client.send("undo")
    client.send("apply_code", source=flips[1])
    assert not client.session.positions
    client.send("undo")
    assert "reader" in client.session.positions


def test_a_program_with_other_wires_is_laid_out_anew_where_nobody_has_moved_a_card(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    client.send("move_nodes", positions={"reader": {"x": 20.0, "y": 14.0}})
    sizes = TEXT.replace("[60, 80]", "[64, 64]")
    client.send("apply_code", source=sizes, laid=True)
    assert "reader" in client.session.positions  # no other node or wire
    branches = """    if fn.random.coin_flip(dtype=types.BOOL):
        images = fn.flip(images)
    return"""
    decided = sizes.replace("    return", branches).replace("@pipeline_def(", "@pipeline_def(enable_conditionals=True, ")
    client.send("apply_code", source=decided, laid=True)
    assert not client.session.positions
    client.send("undo")
    assert "reader" in client.session.positions


def test_a_program_whose_wires_would_run_back_is_laid_out_anew(client: Client) -> None:
    flip, turn, small = (f"    images = fn.{call}, name={name!r})\n" for call, name in (
        ("flip(images", "flip"), ("rotate(images, angle=9", "turn"), ("resize(images, size=[9, 9]", "small")))  # fmt: skip
    client.send("apply_code", source=TEXT.replace("    return", f"{flip}{turn}    return"))
    row = ["reader", "images", "resize", "flip", "turn", "__outputs__"]
    client.send("move_nodes", positions={key: {"x": 20.0 + 184 * i, "y": 14.0} for i, key in enumerate(row)})
    client.send("apply_code", source=TEXT.replace("    return", f"{flip}{small}{turn}    return"))
    assert client.session.positions["flip"].x == 572  # one more gets room
    client.send("undo")
    client.send("apply_code", source=TEXT.replace("    return", f"{turn}{flip}    return"))
    assert not client.session.positions
    client.send("undo")
    assert client.session.positions["flip"].x == 572


def test_the_other_dialect_is_written_anew(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    assert "# what is read" not in code(client.send("request_code", dialect="nvidia.dali")).source
    assert code(client.send("request_code", dialect="dali_studio")).source == TEXT


def test_the_text_is_what_is_saved(client: Client, tmp_path: Path) -> None:
    client.send("apply_code", source=TEXT)
    client.send("save_document", path=str(tmp_path / "mine.py"), what="code")
    assert (tmp_path / "mine.py").read_text() == TEXT


def boxed(client: Client, marks: dict[str, tuple[str, ...]], *exposed: tuple[str, str]) -> messages.Code:
    """Subgraphs by their titles, with operators for nodes."""
    keys = {node.operator: node.key for node in client.session.graph.nodes()}
    made = {
        title: {"type": "group", "keys": [keys[one] for one in operators], "title": title, "subgraph": True,
                "collapsed": True, "exposed": [(keys[one], name) for one, name in exposed]}
        for title, operators in marks.items()
    }  # fmt: skip
    return code(client.send("apply_edits", base_revision=client.session.revision, edits=[], marks=made))


def test_a_subgraph_is_a_function_of_the_text_with_its_comments(client: Client) -> None:
    text = TEXT.replace("    images = fn.resize", "    # to one size,\n    # for the net\n    images = fn.resize").replace(
        "    return", "    images = fn.flip(  # mirrored\n        images, horizontal=1,\n    )\n    return"
    )
    assert code(client.send("apply_code", source=text)).source == text
    got = boxed(client, {"small": ("resize", "flip")}, ("flip", "horizontal"))
    head, rest = text.split("\n\n\n@", 1)
    body = rest[rest.index("    # to one size") : rest.index("    return")]
    function = f"def small(images, horizontal):\n{body}    return images\n".replace("horizontal=1", "horizontal=horizontal")
    called = "    images = small(images, horizontal=1)\n"
    assert got.source == f"{head}\n\n\n{function}\n\n@{rest.replace(body, called)}"
    keys = {node.operator: node.key for node in client.session.graph.nodes()}
    assert got.lines[keys["flip"]] == (8, 9, 10)
    # what changes then is changed within it
    edit = set_argument(keys["resize"], "size", [50.0, 80.0])
    changed = code(client.edit(edit)).source
    assert changed == got.source.replace("[60, 80]", "[50, 80]")
    # it can be written on
    again = code(client.send("apply_code", source=changed.replace("# mirrored", "# turned"))).source
    assert again == changed.replace("# mirrored", "# turned")
    client.send("undo")
    client.send("undo")
    assert code(client.send("undo")).source == text


def test_a_subgraph_that_another_text_does_not_have_goes(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    text = boxed(client, {"Group 1": ("resize",)}).source
    assert "def Group_1(" in text
    edited = code(client.send("apply_code", source=text.replace("[60, 80]", "[50, 80]"))).source
    assert edited == text.replace("[60, 80]", "[50, 80]")  # one that is there stays
    other = TEXT.replace("[60, 80]", "[40, 40]")
    got = client.send("apply_code", source=other)
    assert code(got).source == other and not only(got, messages.RevisionChanged)[-1].marks
    assert code(client.send("undo")).source == edited


def test_subgraphs_in_subgraphs_are_functions_of_the_text(client: Client) -> None:
    text = TEXT.replace("    return", "    images = fn.flip(images)\n    images = fn.hsv(images)  # as it is\n    return")
    client.send("apply_code", source=text)
    source = boxed(client, {"inner": ("resize", "flip"), "outer": ("resize", "flip", "hsv")}).source
    assert "def inner(images):\n    images = fn.resize(images, size=[60, 80])\n    images = fn.flip(images)\n" in source
    assert "def outer(images):\n    images = inner(images)\n    images = fn.hsv(images)  # as it is\n    return images\n" in source
    assert "    images = outer(images)\n    return images, labels\n" in source


@pytest.mark.parametrize("comment", ["", "  # as it is"])
def test_what_is_written_into_the_function_of_a_subgraph_is_within_it(client: Client, comment: str) -> None:
    text = TEXT.replace("    return", f"    images = fn.flip(images)\n    images = fn.hsv(images){comment}\n    return")
    client.send("apply_code", source=text)
    source = boxed(client, {"inner": ("resize", "flip"), "outer": ("resize", "flip", "hsv")}).source

    def applied(source: str) -> dict[str, set[str]]:
        """The operators that are in each subgraph after the text was applied; it stays as it was written."""
        got = client.send("apply_code", source=source)
        assert code(got).source == source
        assert not [d for d in code(got).diagnostics if d.code == "DS501"]
        revision = only(got, messages.RevisionChanged)[-1]
        operators = {node.key: node.operator for node in revision.graph.nodes}
        return {name: {operators[key] for key in group.keys} for name, group in revision.marks.items()}

    first = source.replace("    images = fn.flip(images)\n", "    images = fn.flip(images)\n    images = fn.rotate(images, angle=9)\n")
    assert applied(first) == {"inner": {"resize", "flip", "rotate"}, "outer": {"resize", "flip", "rotate", "hsv"}}
    # of the outer one alone
    second = first.replace("    images = inner(images)\n", "    images = inner(images)\n    images = fn.gaussian_blur(images, sigma=1)\n")
    both = applied(second)
    assert both["inner"] == {"resize", "flip", "rotate"} and "gaussian_blur" in both["outer"]
    # and beside both
    third = second.replace("    return images, labels", "    images = fn.brightness(images, brightness=1.1)\n    return images, labels")
    assert applied(third) == both
    client.send("undo")
    client.send("undo")
    assert code(client.send("undo")).source == source


@pytest.mark.parametrize(
    ("change", "operators", "reason"),
    [
        (("    return images", "    flip = fn.flip(fn.hsv(images))\n    return flip"), ("flip",), "a statement makes other nodes"),
        (("    return images", "    flip = fn.hsv(images); flip = fn.flip(flip)\n    return flip"), ("flip",), "several statements"),
        (("    return images", "    images = fn.flip(images)\n    images = fn.hsv(images)\n    return images"), ("resize", "hsv"), "lie between"),
    ],
)  # fmt: skip
def test_what_is_no_function_of_the_text_leaves_it_as_it_is(
    change: tuple[str, str], operators: tuple[str, ...], reason: str, client: Client
) -> None:
    text = TEXT.replace(*change)
    client.send("apply_code", source=text)
    got = boxed(client, {"small": operators})
    (told,) = [d.message for d in got.diagnostics if "is no function" in d.message]
    assert got.source == text
    assert reason in told


def test_a_text_keeps_its_lines_while_an_input_is_open(client: Client) -> None:
    text = TEXT.replace("    return", "    images = fn.rotate(images, angle=fn.random.uniform(range=[0.0, 9.0]), fill_value=0)  # a bit\n    return")
    client.send("apply_code", source=text)
    decoded = next(node.key for node in client.session.graph.nodes() if node.operator == "decoders.image")
    cut = client.edit({"type": "disconnect", "target": "resize", "input": 0}, {"type": "disconnect", "target": "rotate", "argument": "angle"})
    drawn = "    uniform = fn.random.uniform(range=[0.0, 9.0])\n    return"
    opened = text.replace("resize(images,", "resize(...,").replace("fn.random.uniform(range=[0.0, 9.0]),", "...,")
    assert code(cut).source == opened.replace("    return", drawn)
    assert [(one.node, one.code, one.argument) for one in code(cut).diagnostics] == [("resize", "DS201", "image"), ("rotate", "DS103", "angle")]
    # what is written meanwhile changes that alone
    graph = client.session.graph
    client.send("apply_code", source=code(cut).source.replace("[60, 80]", "[61, 80]"))
    assert client.session.graph.node("resize").arguments["size"] == (61, 80) and client.session.graph.wires() == graph.wires()
    client.send("undo")
    wire = {"type": "connect", "source": {"node": decoded}, "target": "resize", "input": 0}
    wired = client.edit(wire, {"type": "connect", "source": {"node": "uniform"}, "target": "rotate", "argument": "angle"})
    assert code(wired).source == text
    removed = client.edit({"type": "remove_node", "key": decoded})
    assert code(removed).source == text.replace("    images = fn.decoders.image(files)   # RGB\n", "").replace("resize(images", "resize(...")
    assert code(client.send("undo")).source == text
    nothing = client.edit({"type": "set_outputs", "outputs": []})
    assert code(nothing).source == text.replace("return images, labels", "return ...")


@pytest.mark.parametrize("own", [True, False])
def test_what_the_program_does_not_have_stays_when_it_is_edited(own: bool, client: Client) -> None:
    if own:
        client.send("apply_code", source=TEXT)
    first = client.edit({"type": "add_node", "key": "flip", "operator": "flip"})
    assert "fn.flip" not in code(first).source and ("# what is read" in code(first).source) == own
    client.edit({"type": "set_bypass", "key": "resize", "bypassed": True})
    before = client.session.graph
    shown = code(client.send("request_code", dialect=client.session.dialect)).source
    mirrored = "    flip = fn.flip(files_, vertical=1)\n    return ".replace("files_", re.findall(r"return (\w+)", shown)[0])
    got = client.send("apply_code", source=shown.replace("    return ", mirrored).replace("batch_size=4", "batch_size=5"))
    assert not only(got, messages.Refused)
    graph = client.session.graph
    assert set(graph) == {*before, "flip_2"} and graph.node("flip_2").arguments == {"vertical": 1}
    assert [graph.wires(key) for key in before] == [before.wires(key) for key in before] and graph.options.batch_size == 5
    assert code(got).source.count("fn.flip") == 1


def test_a_value_below_a_wire_keeps_no_change_from_the_text(client: Client) -> None:
    text = TEXT.replace("    return", "    images = fn.rotate(images, angle=9.0, fill_value=0)  # a bit\n    return")
    client.send("apply_code", source=text)
    drawn = {"type": "add_node", "key": "angle", "operator": "random.uniform", "arguments": {"range": [0.0, 9.0]}}
    got = client.edit(drawn, {"type": "connect", "source": {"node": "angle"}, "target": "rotate", "argument": "angle"})
    line = "    angle = fn.random.uniform(range=[0, 9])\n    images = fn.rotate(images, angle=angle, fill_value=0)  # a bit\n"
    assert code(got).source == text.replace("    images = fn.rotate(images, angle=9.0, fill_value=0)  # a bit\n", line)
    client.send("apply_code", source=code(got).source.replace("[60, 80]", "[61, 80]"))
    assert client.session.graph.node("rotate").arguments["angle"] == 9.0  # which is there again when the wire is cut


def test_names_that_the_graph_gives_are_in_the_document(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    client.edit({"type": "rename", "key": "resize", "new_key": "small"})
    graph, view, _ = document.loads(client.session.kept.text(client.session.graph))
    again = Client(graph, view=view)
    try:
        assert "    small = fn.resize(images" in again.session.code().source and "return small, labels" in again.session.code().source
    finally:
        again.session.close()
    assert code(client.send("undo")).source == TEXT


def test_an_edit_of_a_program_with_half_an_if_is_taken(client: Client) -> None:
    client.edit({"type": "set_chance", "key": "resize", "part": 0.5})
    client.edit({"type": "disconnect", "target": "resize", "input": 0})
    shown = code(client.send("request_code", dialect=client.session.dialect)).source
    assert "fn._conditional.split" in shown
    assert not only(client.send("apply_code", source=shown.replace("batch_size=4", "batch_size=5")), messages.Refused)
    summed = {"type": "add_node", "key": "sum", "operator": "arithmetic", "arguments": {"expression": "a + 3"}}
    client.edit(summed, {"type": "set_outputs", "outputs": [{"node": "sum"}]})
    shown = client.session.code().source
    assert "... + 3" in shown
    assert not only(client.send("apply_code", source=shown.replace("+ 3", "+ 4")), messages.Refused)


def test_what_a_decorator_makes_is_written_anew(client: Client) -> None:
    halved = """def halved(function):
    def around(*args, **keywords):
        image, *others = function(*args, **keywords)
        return (fn.brightness(image, brightness=0.5), *others)
    return around


@pipeline_def"""
    client.send("apply_code", source=TEXT.replace("@pipeline_def", halved, 1).replace("seed=3)\n", "seed=3)\n@halved\n"))
    got = client.send("apply_edits", base_revision=client.session.revision, edits=[set_argument("brightness", "brightness", 0.75)])
    assert "brightness = fn.brightness(resize, brightness=0.75)" in code(got).source
    assert read(code(got).source) == client.session.graph
