"""What an operator is in a dialect stands in its declaration; what is absent there has a way out, wherever it shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from toy import port, toy_registry

from dali_studio import Pipeline, cli, fn, types
from dali_studio.api import default
from dali_studio.cli import export
from dali_studio.codegen.dialects.base import Dialect
from dali_studio.codegen.emit import emit
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.document import dumps
from dali_studio.graph.model import Graph, Node
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, absent, named
from dali_studio.schema.registry import Registry
from dali_studio.studio.programs import translate
from dali_studio.studio.protocol import messages
from dali_studio.studio.session import Session


class Toy(Operator, abstract=True):
    """What the operators below share."""

    inputs = (Input("input"),)

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]


INSTEAD = "Use fn.lookup_table, with the inverted values in its keys."


class Solarize(Toy):
    """Is here alone."""

    dialects = (absent("nvidia.dali", INSTEAD),)


class Mirror(Toy):
    """Has another name there."""

    dialects = (named("nvidia.dali", "flip", since="0.8"),)


class Tomorrow(Toy):
    """Is in a version that is not out."""

    path = "water"
    dialects = (named("nvidia.dali", since="2.10"),)


class Grow(Toy):
    """Is there on the GPU alone."""

    path = "experimental.dilate"
    dialects = (named("nvidia.dali", gpu_only=True),)


class Strange(Toy):
    """Says nothing; the table of functions does not have it."""


def registry() -> Registry:
    made = toy_registry()
    for operator in (Solarize, Mirror, Tomorrow, Grow, Strange):
        made.register(operator)
    return made


def graph(operator: str) -> Graph:
    made = Graph()
    made.add_node(Node(key="data", operator="external_source"))
    made.add_node(Node(key="node", operator=operator))
    made.connect(port("data"), "node", 0)
    made.set_outputs([port("node")])
    return made


EXPECTED = {
    "solarize": ("NVIDIA DALI cannot express solarize: it has no such function.", INSTEAD),
    "water": (
        "NVIDIA DALI cannot express water: it has it since version 2.10, and programs are for 2.4.",
        "Choose another operator or another dialect.",
    ),
    "strange": ("NVIDIA DALI cannot express strange: it has no such function.", "Choose another operator or another dialect."),
}


@pytest.mark.parametrize("operator", EXPECTED)
def test_what_is_absent_is_refused_with_a_way_out(operator: str) -> None:
    emitted = emit(graph(operator), registry(), "nvidia.dali")
    (found,) = [one for one in emitted.diagnostics if one.severity == "error"]
    assert (found.code, found.node, (found.message, found.hint)) == ("DS501", "node", EXPECTED[operator])
    assert f"fn.{operator}(" not in emitted.source and "raise NotImplementedError(" in emitted.source


def test_another_name_is_written() -> None:
    emitted = emit(graph("mirror"), registry(), "nvidia.dali")
    assert "fn.flip(" in emitted.source and not emitted.diagnostics


def test_data_is_copied_for_what_the_gpu_alone_has() -> None:
    emitted = emit(graph("experimental.dilate"), registry(), "nvidia.dali")
    (found,) = emitted.diagnostics
    assert (found.severity, found.node) == ("warning", "node") and "copies there and back" in found.message
    assert "fn.experimental.dilate(data.gpu()).cpu()" in emitted.source


@pytest.mark.parametrize("operator", ["solarize", "mirror", "water", "experimental.dilate", "strange"])
def test_our_own_dialect_has_all(operator: str) -> None:
    emitted = emit(graph(operator), registry(), "dali_studio")
    assert f"fn.{operator}(" in emitted.source and not emitted.diagnostics


def test_an_absence_needs_a_way_out() -> None:
    with pytest.raises(ValueError, match=r"say what a program for nvidia\.dali does instead"):
        absent("nvidia.dali", "")


def test_what_a_dialect_lacks_on_its_own() -> None:
    dialect = Dialect("other", "Other", "other", operators={"cast": "it has one type"})
    assert dialect.lacks_operator("cast")[0] == "it has one type"
    assert dialect.lacks_operator("solarize", Solarize.schema)[0] == ""  # its entry is for nvidia.dali


def test_the_command_line_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for module in (default, export, translate):
        monkeypatch.setattr(module, "default_registry", registry)
    document = tmp_path / "solarize.dali.json"
    document.write_text(dumps(graph("solarize"), None))
    assert cli.main(["export", str(document), "--dialect", "nvidia.dali"]) == 1
    said = capsys.readouterr()
    assert all(words in said.err for words in EXPECTED["solarize"]) and not said.out


def test_the_code_pane_gets_it(tmp_path: Path) -> None:
    received: list[Any] = []

    def take(message: messages.KernelMessage, buffers: Sequence[bytes]) -> None:
        received.append(message)

    session = Session(graph("solarize"), registry(), take, images=lambda: tmp_path)
    session.receive({"type": "request_code", "dialect": "nvidia.dali"})
    assert session.worker.wait(60)
    (code,) = [message for message in received if isinstance(message, messages.Code)]
    assert INSTEAD in [found.hint for found in code.diagnostics]
    session.close()


@pytest.mark.parametrize(
    ("compared", "is_wrong"),
    [("x > -5", True), ("x == -5.0", False), ("-1 < x", True), ("x < 3", False), ("whole < x", True), ("whole > -5", False),
     ("x < types.Constant(7).int8()", False), ("fn.cast(whole, dtype=types.UINT8) < x", False), ("x + -5", False)],
)  # fmt: skip
def test_what_nvidia_dali_compares_wrongly_has_a_warning(compared: str, is_wrong: bool) -> None:
    with Pipeline(batch_size=1, num_threads=1, device_id=None) as pipe:
        space = {"fn": fn, "types": types, "x": fn.random.normal(), "whole": fn.random.coin_flip()}
        pipe.set_outputs(eval(compared, space))
    emitted = emit(pipe.graph, default.default_registry(), "nvidia.dali")
    warned = [found.message for found in emitted.diagnostics if found.severity == "warning"]
    said = "NVIDIA DALI 2.4 is wrong here: whole numbers below 0 are less than any real number there."
    assert warned == [said] * is_wrong
    assert all(found.severity == "info" for found in emit(pipe.graph, default.default_registry(), "dali_studio").diagnostics)
