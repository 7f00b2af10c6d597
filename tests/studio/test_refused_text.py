"""Texts of the code pane that are no graph: what is wrong is told with its line, and nothing changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from studio.clients import Client, only
from studio.texts import TEXT, code

from dali_studio import read
from dali_studio.studio.protocol import messages

UNSET = """    if fn.random.coin_flip(dtype=types.BOOL):
        small = fn.resize(images, size=[9, 9])
    else:
        images = fn.flip(small)
    return images, labels
"""


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(read(TEXT))
    yield made
    made.session.close()


def test_an_operator_that_nobody_knows_is_told_with_its_line(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    (refused,) = only(client.send("apply_code", source=TEXT.replace("fn.resize", "fn.resise")), messages.Refused)
    (found,) = refused.diagnostics
    assert (found.code, found.source, found.hint) == ("DS101", "program:9", "Did you mean 'resize'?")


@pytest.mark.parametrize(("old", "new", "kind", "said", "line"), [
    ("return images", "return imagse", "DS101", "Nothing is called 'imagse' here. Did you mean 'images'?", 10),
    ("return images, labels", "return photos", "DS101",
     "Nothing is called 'photos' here. Give it a value in a line above.", 10),
    ("size=", "syze=", "DS102", "fn.resize has no argument 'syze'. Did you mean 'size'?", 9),
])  # fmt: skip
def test_what_nothing_is_called_by_is_told_once_with_its_line(
    old: str, new: str, kind: str, said: str, line: int, client: Client
) -> None:
    client.send("apply_code", source=TEXT)
    (refused,) = only(client.send("apply_code", source=TEXT.replace(old, new)), messages.Refused)
    (found,) = refused.diagnostics
    assert (found.code, found.source, f"{found.message} {found.hint}") == (kind, f"program:{line}", said)


@pytest.mark.parametrize("text", ["def training(:", "x = 3", "", "from dali_studio import fn\nimages = fn.resize(1)"])
def test_a_text_that_cannot_be_read_changes_nothing(text: str, client: Client) -> None:
    client.send("apply_code", source=TEXT)
    before = client.session.graph
    got = client.send("apply_code", source=text)
    (refused,) = only(got, messages.Refused)
    assert refused.diagnostics[0].code in ("DS502", "DS302") and refused.diagnostics[0].hint
    assert client.session.graph is before
    assert client.session.code().source == TEXT


def test_a_variable_that_a_branch_does_not_set_is_told_with_its_line(client: Client) -> None:
    source = TEXT.replace("    return images, labels\n", UNSET).replace("@pipeline_def(", "@pipeline_def(enable_conditionals=True, ")
    (refused,) = only(client.send("apply_code", source=source), messages.Refused)
    assert [(one.code, one.source) for one in refused.diagnostics] == [("DS502", "program:13")]


@pytest.mark.parametrize(("line", "why"), [
    ("images = images @ 2", "`images @ 2` is not understood (unsupported operand"),
    ("images = images / undefined", "The source does not tell `undefined` in `images / undefined`"),
    ("images = images * (2 ** -1 << 3)", "The source does not tell `2 ** (-1) << 3` in"),
    ("images = fn.rotatee(images)", "There is no operator called 'rotatee'."),
])  # fmt: skip
def test_a_calculation_that_cannot_be_followed_is_refused_with_its_reason(client: Client, line: str, why: str) -> None:
    got = client.send("apply_code", source=TEXT.replace("    return", f"    {line}\n    return"))
    (found,) = only(got, messages.Refused)[-1].diagnostics
    assert why in found.message and (found.severity, found.source) == ("error", "program:10")


@pytest.mark.parametrize(("line", "said"), [
    ("fn.decoder.image(files)", "There is no operator called 'decoder.image'. Did you mean 'decoders.image'?"),
    ("fn.cast(images, dtype=types.FLOT)", "types has no 'FLOT'. Did you mean 'FLOAT'?"),
    ("fn.resize(images, resize_x=8, mode='smaller')",
     "'smaller' is not accepted. Use one of: default, stretch, not_larger, not_smaller."),
    ("fn.resize(images, resize_x='wide')", "'wide' (str) is not accepted; resize_x takes a number. Give a number."),
    ("fn.rotate(images, angle=3, device='tpu')", "fn.rotate has no 'tpu' backend; it has cpu, gpu. Use device='cpu'."),
])  # fmt: skip
def test_a_value_that_is_none_is_told_and_not_left_out(line: str, said: str, client: Client) -> None:
    before = client.session.graph
    got = client.send("apply_code", source=TEXT.replace("    return", f"    images = {line}\n    return"))
    (found,) = only(got, messages.Refused)[-1].diagnostics
    assert (f"{found.message} {found.hint}", found.source) == (said, "program:10")
    assert client.session.graph is before


def test_what_only_a_run_would_tell_is_told_of_a_text_that_is_taken(client: Client) -> None:
    got = client.send("apply_code", source=TEXT.replace("[60, 80]", "args.size"))
    assert client.session.graph.node("resize").arguments == {}
    (found,) = code(got).diagnostics
    assert not only(got, messages.Refused)
    assert "`args.size`, whose value the source does not tell; it is left out" in found.message and found.severity == "warning"
