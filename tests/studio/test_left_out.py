"""Bypassed nodes are comments of the program in their places, which come and go with them and are no text of users."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from studio.clients import Client, only
from studio.texts import TEXT, code

from dali_studio import Designer, cli, read
from dali_studio.codegen.dialects import DIALECTS
from dali_studio.studio.protocol import messages

LINE = "resize = fn.resize(decode, size=[60, 80])"
TURNED = TEXT.replace("    return", "    turned = fn.rotate(images, angle=9.0)\n    return").replace("return images", "return turned")
DECIDED = TEXT.replace("(batch_size", "(enable_conditionals=True, batch_size").replace("    return", """\
    if fn.random.coin_flip(dtype=types.BOOL, name="coin"):
        images = fn.flip(images, name="flip")
        images = fn.rotate(images, angle=9.0, name="turned")
    else:
        images = fn.gaussian_blur(images, window_size=3, name="blur")
        images = fn.brightness(images, brightness=2.0, name="bright")
    images = fn.hsv(images, hue=9.0, name="hsv")
    return""")  # fmt: skip


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(read(TURNED))
    yield made
    made.session.close()


def bypass(client: Client, *keys: str, on: bool = True) -> str:
    got = client.edit(*({"type": "set_bypass", "key": key, "bypassed": on} for key in keys))
    assert not only(got, messages.Refused)
    return code(got).source


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_comment_comes_and_goes_with_the_bypass(dialect: str, client: Client) -> None:
    plain = code(client.send("request_code", dialect=dialect))
    shown = bypass(client, "resize")
    assert shown == plain.source.replace(LINE, f"# bypassed: {LINE}").replace("rotate(resize", "rotate(decode")
    made = client.session.code()
    assert made.diagnostics == () and {*read(shown)} == {*client.session.graph} - {"resize"}
    lines = shown.splitlines()
    assert [lines[n - 1].strip() for n in made.lines["turned"]] == ["turned = fn.rotate(decode, angle=9)"]
    assert bypass(client, "resize", on=False) == plain.source
    ended = bypass(client, "resize", "turned")  # what stands last, too
    comments = f"    # bypassed: {LINE}\n    # bypassed: turned = fn.rotate(resize, angle=9)\n    return decode, labels\n"
    assert comments in ended


def test_edits_of_the_text_leave_it(client: Client) -> None:
    shown, before = bypass(client, "resize"), client.session.graph
    again = client.send("apply_code", source=shown)
    assert client.session.graph == before and code(again).source == shown
    edited = shown.replace("    turned", "    # of mine\n    turned").replace("batch_size=4", "batch_size=5")
    assert code(client.send("apply_code", source=edited)).source.count("# bypassed: ") == 1
    assert {*client.session.graph} == {*before} and client.session.graph.node("resize").bypassed
    back = bypass(client, "resize", on=False)
    assert "# bypassed" not in back and "# of mine\n" in back and f"    {LINE}\n" in back
    wrong = client.send("apply_code", source=bypass(client, "resize").replace("fn.rotate", "fn.rotat"))
    (refused,) = only(wrong, messages.Refused)
    number = [i for i, line in enumerate(client.session.code().source.splitlines(), 1) if "fn.rotate(" in line]
    assert refused.diagnostics[0].source.endswith(f":{number[0]}")  # as the pane counts them


@pytest.mark.parametrize("taken", [True, False])
def test_to_take_the_mark_away_uses_the_node_again(taken: bool, client: Client) -> None:
    shown, before = bypass(client, "resize"), client.session.graph
    edited = shown.replace("# bypassed: ", "")
    edited = edited.replace("rotate(decode", "rotate(resize") if taken else edited
    got = client.send("apply_code", source=edited)
    assert code(got).source == edited and not only(got, messages.Refused)
    assert {*client.session.graph} == {*before} and not client.session.graph.node("resize").bypassed
    assert client.session.graph.wires("turned")[0].source.node == ("resize" if taken else "decode")
    undone = client.send("undo")
    assert client.session.graph == before and code(undone).source == shown


def test_what_it_alone_needs_goes_with_it() -> None:
    client = Client(read(TURNED.replace("angle=9.0", 'angle=fn.random.uniform(range=[1.0, 9.0], name="drawn")')))
    plain, shown = client.session.code().source, bypass(client, "turned")
    comments = "    # bypassed: drawn = fn.random.uniform(range=[1, 9])\n    # bypassed: turned = fn.rotate(resize, angle=drawn)\n"
    assert f"{comments}    return resize, labels" in shown
    before = client.session.graph
    edited = shown.replace("# bypassed: ", "").replace("return resize", "return turned")
    assert code(client.send("apply_code", source=edited)).source == edited == plain
    assert {*client.session.graph} == {*before} and client.session.graph.wires() == before.wires()
    client.session.close()


def test_a_line_of_a_text_stays_and_says_that_nothing_takes_it(client: Client) -> None:
    client.send("apply_code", source=TURNED)
    shown = bypass(client, "resize")
    line = "    # bypassed: nothing takes resize\n    resize = fn.resize(images, size=[60, 80])\n    turned = fn.rotate(images"
    assert line in shown and "images = fn.decoders.image(files)   # RGB" in shown
    changed = client.send("apply_code", source=shown.replace("# RGB", "# colours"))
    assert line in code(changed).source
    assert bypass(client, "resize", on=False).count("# bypassed") == 0
    undone = [client.send("undo") for _ in range(3)]
    assert code(undone[-1]).source == TURNED


@pytest.mark.parametrize(
    ("keys", "part"),
    [
        (["flip"], "):\n        # bypassed: flip = fn.flip(resize)\n        "),
        (["blur"], "else:\n        # bypassed: blur = fn.gaussian_blur(resize, window_size=[3])\n        "),
        (["bright"], "window_size=[3])\n        # bypassed: merge = fn.brightness(blur, brightness=2)\n    hsv ="),
        (["flip", "turned"], ":\n        # bypassed: flip = fn.flip(resize)\n        # bypassed: merge = fn.rotate(flip, angle=9)\n        "),
        (["hsv"], "brightness=2)\n    # bypassed: hsv = fn.hsv(merge, hue=9)\n    return merge, labels"),
    ],
)  # fmt: skip
def test_in_a_branch_it_stands_in_this(keys: list[str], part: str) -> None:
    client = Client(read(DECIDED))
    shown = bypass(client, *keys)
    assert part.replace("):\n", ":\n") in shown
    before = client.session.graph
    got = client.send("apply_code", source=shown.replace("batch_size=4", "batch_size=5"))
    assert not only(got, messages.Refused) and code(got).source == shown.replace("batch_size=4", "batch_size=5")
    assert list(client.session.graph.nodes()) == list(before.nodes())
    client.session.close()


def test_exports_have_it_and_open_again_with_it(client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown, document, path = bypass(client, "resize"), tmp_path / "a.dali.json", tmp_path / "a.py"
    client.send("save_document", path=str(document), what="document")
    client.send("save_document", path=str(path), what="code")
    assert path.read_text().startswith(shown)
    dialect = client.session.dialect
    for more in ([], ["--parameters"]):
        assert cli.main(["export", str(document), "--dialect", dialect, *more]) == 0
        assert capsys.readouterr().out.count(f"    # bypassed: {LINE}\n") == 1
    assert cli.main(["export", str(document), "--dialect", dialect, "--check"]) == 0
    designer = Designer(path)  # there it is a comment as any other
    assert designer.code() == path.read_text() and "resize" not in designer.graph
    designer.session.receive({"type": "apply_code", "source": designer.code().replace("batch_size=4", "batch_size=5")})
    assert f"    # bypassed: {LINE}\n" in designer.code() and designer.graph.options.batch_size == 5
    designer.close()
