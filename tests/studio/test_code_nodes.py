"""Functions that are written in the designer: tried, kept, imported, and never run for a stranger."""

from __future__ import annotations

import json
import re
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from studio.clients import Client, only

from dali_studio import fn, pipeline_def, read, samples
from dali_studio.api.default import default_registry
from dali_studio.codegen.emit import emit
from dali_studio.codegen.functions import Function
from dali_studio.core.calls import Calls, Ended, StoppedError
from dali_studio.graph import document
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph
from dali_studio.graph.written import WrittenFunction
from dali_studio.studio.attach import attach
from dali_studio.studio.programs import code_nodes
from dali_studio.studio.programs.code_nodes import TEMPLATE
from dali_studio.studio.programs.own_text import in_view
from dali_studio.studio.programs.trust import signature
from dali_studio.studio.protocol import messages, output_messages
from dali_studio.studio.protocol.comms import Comm

REGISTRY = default_registry()
SOURCE = """import numpy as np

RAN = []


def darker(image):
    return (image // 2).astype(np.uint8), np.asarray(image.mean(dtype=np.float32))
"""
#: What must not run.
HOSTILE = "from pathlib import Path\nPath({!r}).touch()\ndef change(image):\n    return image\n"


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=4)
def photos() -> Any:
    images = fn.decoders.image(fn.readers.file(file_root=str(samples.photos()), name="reader")[0], name="decode")
    return fn.resize(images, size=[40, 60], name="small")


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.chdir(tmp_path)
    made = with_half()
    yield made
    made.session.close()


def with_half() -> Client:
    made = Client(photos().graph)
    small = {"node": "small", "output": 0}
    made.edit(
        {"type": "add_node", "key": "half", "operator": "python_function"},
        {"type": "connect", "source": small, "target": "half", "input": 0},
        {"type": "set_outputs", "outputs": [{"node": "half", "output": 0}, small]},
    )
    return made


def node_of(got: Any, key: str = "half") -> messages.NodeView:
    (revision, *_) = only(got, messages.RevisionChanged)[-1:]
    return next(node for node in revision.graph.nodes if node.key == key)


def errors(got: Any) -> list[str]:
    return [found.message for refused in only(got, messages.Refused) for found in refused.diagnostics]


def test_a_function_is_tried_and_its_outputs_are_known(client: Client) -> None:
    begun = node_of(client.send("ready"))
    assert begun.code == messages.NodeCode(source=TEMPLATE, module="photos_half", signature=signature(TEMPLATE)) and begun.facts == ("H×W×C u8",)
    assert not client.session.current().validation.diagnostics
    node = node_of(client.send("apply_function", key="half", source=SOURCE))
    assert node.code == messages.NodeCode(source=SOURCE, module="photos_half", signature=signature(SOURCE))
    assert node.arguments == {"num_outputs": 2, "output_layouts": ("HWC", "")}
    assert node.facts == ("H×W×C u8", "scalar f32")
    half, whole = (client.session.answers.output(PortRef(node=key)).samples[0] for key in ("half", "small"))
    assert np.array_equal(half, whole // 2)
    assert node_of(client.send("undo")).code == begun.code
    assert node_of(client.send("redo")).code == node.code
    client.send("undo")
    gone = client.send("undo")
    assert all(one.key != "half" for one in only(gone, messages.RevisionChanged)[-1].graph.nodes)


@pytest.mark.parametrize(
    ("source", "said"),
    [("def (", "The code has a syntax error: invalid syntax (line 1)."), ("x = 1", "The code has no function."),
     ("raise KeyError('no')\ndef f(x): pass", "The code failed with KeyError ('no').")],
)  # fmt: skip
def test_what_fails_is_refused_and_changes_nothing(client: Client, source: str, said: str) -> None:
    client.send("apply_function", key="half", source=SOURCE)
    before = client.session.graph
    assert errors(client.send("apply_function", key="half", source=source)) == [said]
    assert client.session.graph is before


UNKNOWN = f"""from nvidia.dali import fn, pipeline_def
import mylib

@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=4)
def training():
    images = fn.decoders.image(fn.readers.file(file_root={str(samples.photos())!r}, name="reader")[0], name="decode")
    angle = fn.random.uniform(range=(-9.0, 9.0))
    images = mylib.warpFast(images, strength=3, angle=angle)
    return fn.flip(images)
"""


def test_what_nobody_knows_becomes_a_code_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The press of a button makes it one, with a function of as many inputs, which does not run before it is trusted."""
    monkeypatch.chdir(tmp_path)
    found: list[Any] = []
    client = Client(read(UNKNOWN, found=found))
    assert "mylib.warpFast" in found[0].message
    (repair,) = [one for one in only(client.send("ready"), messages.RevisionChanged)[-1].repairs if one.code == "DS101"]
    assert repair.title == "Write it as a code node"
    got = client.send("apply_repair", code=repair.code, node=repair.node, argument=repair.argument)
    node = node_of(got, repair.node)
    assert node.operator == "python_function" and [port.node for port in node.inputs if port] == ["decode", "angle"]
    assert node.code is not None and not node.code.trusted
    assert node.code.source == (
        "def warpFast(input_1, input_2):\n    # in place of mylib.warpFast(strength=3)\n    return input_1\n"
    )
    got = client.send("apply_function", key=repair.node, source=node.code.source)
    assert errors(got) == [] and not only(got, messages.RevisionChanged)[-1].diagnostics
    assert client.session.answers.output(PortRef(node="flip")).samples[0].shape[2] == 3
    for _ in range(2):
        undone = client.send("undo")
    assert node_of(undone, repair.node).unknown
    client.session.close()


def test_a_function_that_fails_says_so_at_its_node(client: Client) -> None:
    client.send("ready")
    got = client.send("apply_function", key="half", source="def f(image):\n    return image[99, 99]\n")
    (failed,) = [one for previews in only(got, messages.Previews) for one in previews.failed]
    assert failed.node == "half" and "failed in line 2 with IndexError" in failed.message
    assert errors(client.send("apply_function", key="small", source=SOURCE)) == ["small has no code: it is an operator."]


def test_its_module_stands_beside_the_document(client: Client, tmp_path: Path) -> None:
    client.send("apply_function", key="half", source=SOURCE)
    assert (tmp_path / "photos_half.py").read_text() == SOURCE
    changed = SOURCE.replace("// 2", "// 3")
    client.send("apply_function", key="half", source=changed)
    assert (tmp_path / "photos_half.py").read_text() == changed
    client.send("save_document", path=str(tmp_path / "kept.dali.json"), what="document")
    (tmp_path / "kept_half.py").write_text("mine = 1\n")
    (said,) = errors(client.send("save_document", path=str(tmp_path / "other.py"), what="code"))
    assert "holds something else" in said and (tmp_path / "kept_half.py").read_text() == "mine = 1\n"


def test_a_function_keeps_its_name_when_another_comes_before_it(client: Client) -> None:
    small, early = ({"node": key, "output": 0} for key in ("small", "early"))
    client.edit(
        {"type": "add_node", "key": "early", "operator": "python_function"},
        {"type": "connect", "source": small, "target": "early", "input": 0},
        {"type": "disconnect", "target": "half", "input": 0},
        {"type": "connect", "source": early, "target": "half", "input": 0},
    )
    program = client.session.code().source
    assert "from photos_half import change\nfrom photos_early import change as change_2\n" in program
    assert "early = fn.python_function(small, function=change_2," in program


def test_a_copy_of_a_document_has_modules_of_its_own(client: Client, tmp_path: Path) -> None:
    """What is edited after Save As leaves what the program of the first document imports as it is."""
    first, second = ("def change(image):\n    return image // 2\n", "def change(image):\n    return image // 3\n")
    client.send("apply_function", key="half", source=first)
    client.send("save_document", path=str(tmp_path / "one.dali.json"), what="document")
    assert "from one_half import change\n" in client.session.code().source
    text = client.session.code().source.replace("    half =", "    # mine\n    half =")
    client.send("apply_code", source=text)  # of its own, with the import
    got = client.send("save_document", path=str(tmp_path / "two.dali.json"), what="document")
    (code,) = only(got, messages.Code)[-1:]
    assert "from two_half import change\n" in code.source and "one_half" not in code.source and "# mine" in code.source
    assert node_of(got).code == messages.NodeCode(source=first, module="two_half", signature=signature(first))
    client.send("apply_function", key="half", source=second)
    assert (tmp_path / "one_half.py").read_text() == first and (tmp_path / "two_half.py").read_text() == second
    undone = client.send("undo")
    code = node_of(undone).code
    assert code is not None and (code.source, code.module) == (first, "two_half")
    again, _ = reopened((tmp_path / "two.dali.json").rename(tmp_path / "moved.dali.json"))
    code = node_of(again.send("ready")).code
    assert code is not None and code.module == "moved_half"
    assert not errors(again.send("apply_function", key="half", source=first))
    assert (tmp_path / "moved_half.py").read_text() == first
    again.session.close()


def test_what_another_pipeline_of_the_name_has_written_stays(client: Client, tmp_path: Path) -> None:
    """Also where both begin with the same text: two designers of a notebook have no files."""
    client.send("apply_function", key="half", source=SOURCE)
    other = with_half()
    assert not errors(other.send("apply_function", key="half", source=SOURCE))
    (said,) = errors(other.send("apply_function", key="half", source=TEMPLATE))
    assert "photos_half.py holds something else" in said and (tmp_path / "photos_half.py").read_text() == SOURCE
    other.session.close()


@pytest.mark.parametrize("dialect", ["dali_studio", "nvidia.dali"])
def test_programs_import_it(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    pytest.importorskip(dialect)
    client.send("apply_function", key="half", source=SOURCE)
    program = client.session.code(dialect)
    assert "from photos_half import darker\n" in program.source and "function=darker" in program.source
    assert not [one for one in program.diagnostics if one.severity == "error"]
    monkeypatch.syspath_prepend(str(tmp_path))
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(program.source, "program", "exec"), space)
    pipe = space["photos"]()
    pipe.build()
    half, small = pipe.run()
    assert np.array_equal(np.asarray(half.at(0)), np.asarray(small.at(0)) // 2)
    assert "python_function" in {node.operator for node in read(program.source, found=[]).nodes()}


def test_functions_around_it_do_not_take_it_as_a_parameter(client: Client) -> None:
    client.send("apply_function", key="half", source=SOURCE)
    source = emit(client.session.graph, REGISTRY, "dali_studio", functions=[Function("both", frozenset(["small", "half"]))]).source
    assert "def both(decode):" in source and "from photos_half import darker" in source


def test_a_text_of_its_own_gets_the_import(client: Client) -> None:
    text = client.session.code().source.replace("function=...", "function=None").replace("    half =", "    # mine\n    half =")
    client.send("apply_code", source=text)
    (code,) = only(client.send("apply_function", key="half", source="def first(image):\n    return image\n"), messages.Code)
    assert "# mine\n" in code.source and "from photos_half import first\n" in code.source and "function=first" in code.source
    (code,) = only(client.send("apply_function", key="half", source="def other(image):\n    return image\n"), messages.Code)
    assert "# mine\n" in code.source and "from photos_half import other\n" in code.source and "function=other" in code.source
    assert not code.diagnostics and "import first" not in code.source


def reopened(path: Path) -> tuple[Client, Graph]:
    graph, view, _ = document.load(path, REGISTRY)
    return Client(graph, view=view, path=path), graph


def test_a_document_keeps_it_and_its_user_need_not_trust_it_again(client: Client, tmp_path: Path) -> None:
    client.send("apply_function", key="half", source=SOURCE)
    path = tmp_path / "kept.dali.json"
    client.send("save_document", path=str(path), what="document")
    again, _ = reopened(path)
    assert node_of(again.send("ready")).code == messages.NodeCode(source=SOURCE, module="kept_half", signature=signature(SOURCE))
    assert again.session.answers.output(PortRef(node="half")).samples[0].shape == (40, 60, 3)
    graph, view, _ = document.load(path, REGISTRY)
    assert again.session.kept.holds(graph, view)
    again.session.close()
    said: list[str] = []
    comm = SimpleNamespace(
        send=lambda content, **_: said.append(content["type"]), on_msg=said.count, on_close=said.count
    )
    data = {"revision": 0, "document": path.name, "page": "one", "file": path.name}
    attach(cast("Comm", comm), {"content": {"data": data}, "buffers": [zlib.compress(path.read_bytes())]})
    assert said == ["attached"]  # nothing is lost


def test_what_is_written_and_has_not_run_is_in_the_document_until_it_runs(client: Client, tmp_path: Path) -> None:
    client.send("apply_function", key="half", source=SOURCE)
    path, draft = tmp_path / "kept.dali.json", f"{SOURCE}# more"
    client.send("save_document", path=str(path), what="document")
    told = only(client.send("keep_draft", key="half", source=draft), messages.RevisionChanged)[-1]
    assert told.written == {"half": draft} and not told.saved and told.draft == ""
    client.send("save_document", path=str(path), what="document")
    again, _ = reopened(path)
    got = again.send("ready")
    assert only(got, messages.RevisionChanged)[-1].written == {"half": draft}
    code = node_of(got).code
    assert code is not None and code.source == SOURCE  # which runs
    told = only(again.send("apply_function", key="half", source=draft), messages.RevisionChanged)[-1]
    assert told.written == {}
    again.session.close()
    # nobody else's
    content = json.loads(path.read_text())
    content["view"]["written"]["half"]["source"] += "?"
    path.write_text(json.dumps(content))
    again, _ = reopened(path)
    assert only(again.send("ready"), messages.RevisionChanged)[-1].written == {}
    again.session.close()


def test_a_copy_in_another_document_has_its_code(client: Client) -> None:
    """Which runs where it is this user's, and is shown else."""
    for signed, trusted in ((signature(SOURCE), True), ("0" * 64, False), ("", False)):
        key = f"copy_{trusted}_{len(signed)}"
        added = {"type": "add_node", "key": key, "operator": "python_function", "code": SOURCE, "signature": signed}
        wire = {"type": "connect", "source": {"node": "small", "output": 0}, "target": key, "input": 0}
        code = node_of(client.edit(added, wire), key).code
        assert code is not None and (code.source, code.trusted, code.signature) == (SOURCE, trusted, signed)
        assert not any(one.node == key for one in client.session.current().validation.diagnostics) or not trusted


@pytest.mark.parametrize("signed", ["", "0" * 64, None, 7, signature("other")], ids=["empty", "zeros", "none", "number", "of other code"])
def test_a_strangers_code_is_shown_and_does_not_run(client: Client, tmp_path: Path, signed: Any) -> None:
    client.send("apply_function", key="half", source=SOURCE)
    path, mark = tmp_path / "theirs.dali.json", tmp_path / "ran"
    client.send("save_document", path=str(path), what="document")
    content = json.loads(path.read_text())
    hostile = HOSTILE.format(str(mark))
    content["view"]["functions"] = {"half": {"source": hostile, "signature": signed}, "small": {"source": hostile}, "gone": 3}
    path.write_text(json.dumps(content))
    theirs, _ = reopened(path)
    node = node_of(theirs.send("ready"))
    assert node.code is not None and (node.code.source, node.code.trusted) == (hostile, False)
    assert "half" not in theirs.session.current().computable
    for dialect in ("dali_studio", "nvidia.dali"):
        assert "import change" not in theirs.session.code(dialect).source
    theirs.send("save_document", path=str(tmp_path / "again.dali.json"), what="document")
    kept = json.loads((tmp_path / "again.dali.json").read_text())["view"]["functions"]["half"]
    assert kept == {"source": hostile, "signature": signed}
    assert not mark.exists()
    theirs.send("apply_function", key="half", source=hostile)  # what the button of the inspector says
    assert mark.exists() and "half" in theirs.session.current().computable
    theirs.session.close()


def names_at(client: Client, text: str) -> list[str]:
    """The names that may follow at the end of a text."""
    lines = text.split("\n")
    place = {"line": len(lines), "column": len(lines[-1])}
    (answer,) = only(client.send("request_names", source=text, **place), output_messages.Names)
    assert (answer.line, answer.column) == (place["line"], place["column"])
    return [one.name for one in answer.names]


def test_names_follow_from_the_text(client: Client) -> None:
    begin = "import numpy as np\nLIMIT = 3\n\ndef darker(image, mask=None):\n    "
    assert "image" in names_at(client, f"{begin}im")
    assert names_at(client, f"{begin}LIM") == ["LIMIT"]
    assert names_at(client, f"{begin}np.hyp") == ["hypot"]
    assert "reshape" in names_at(client, f"{begin}image.")  # an array
    assert names_at(client, f"{begin}nothing.") == names_at(client, "def (((\n\x00.a") == []


def test_a_text_is_read_and_not_run_for_its_names(client: Client, tmp_path: Path) -> None:
    names_at(client, HOSTILE.format(str(tmp_path / "ran")) + "Pa")
    assert not (tmp_path / "ran").exists()


def test_a_function_of_the_program_stays_in_it_once_it_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = f"""from dali_studio import fn, pipeline_def

def negate(image):
    # the other way round
    return 255 - image

@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=4)
def training():
    images = fn.decoders.image(fn.readers.file(file_root={str(samples.photos())!r}, name="reader")[0], name="decode")
    return fn.python_function(images, function=negate, output_layouts=["HWC"], name="negated")
"""
    client = Client(read(program, found=[]), view=in_view(program))
    node = node_of(client.send("ready"), "negated")
    assert node.code is not None and not node.code.trusted
    got = client.send("apply_function", key="negated", source=node.code.source)
    assert errors(got) == []
    assert client.session.code().source == program
    photo, negated = (client.session.answers.output(PortRef(node=key)).samples[0] for key in ("decode", "negated"))
    assert np.array_equal(negated, 255 - photo)
    client.session.close()


def test_what_a_pasted_document_has_of_functions_is_not_called_lost(client: Client, tmp_path: Path) -> None:
    client.send("save_document", path=str(tmp_path / "code.dali.json"))
    other = Client(Graph())
    got = other.send("paste_code", text=(tmp_path / "code.dali.json").read_text(), at={"x": 0.0, "y": 0.0})
    code = node_of(got).code
    assert code is not None and code.source == TEMPLATE and code.trusted and not only(got, messages.Refused)
    other.session.close()


@pytest.mark.parametrize("there", [False, True])
def test_a_document_that_is_pasted_into_the_code_pane_is_opened(client: Client, tmp_path: Path, there: bool) -> None:
    """In place of what is there, as one step."""
    client.send("save_document", path=str(tmp_path / "code.dali.json"))
    other = Client(photos().graph if there else Graph())
    before = other.session.graph
    got = other.send("apply_code", source=(tmp_path / "code.dali.json").read_text())
    assert not only(got, messages.Refused) and [*other.session.graph] == [*client.session.graph]
    code = node_of(got).code
    assert code is not None and code.source == TEMPLATE and code.trusted
    assert only(got, messages.RevisionChanged)[-1].draft == ""
    other.send("undo")
    assert other.session.graph == before
    (said,) = errors(other.send("apply_code", source='{"format": "other"}'))
    assert "format" in said and other.session.graph == before
    other.session.close()


#: Also where errors are caught.
ENDLESS = """import time


def wait(image):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            pass
"""


def test_a_function_that_does_not_end_is_stopped_or_replaced(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_nodes, "TRIAL", 0.2)
    worker = client.session.worker

    def computing() -> None:
        deadline = time.monotonic() + 30
        while worker.idle or worker.waits("preview"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert not worker.wait(0.3)

    def apply(source: str) -> None:
        client.session.receive({"type": "apply_function", "key": "half", "source": source})

    apply(ENDLESS)
    computing()
    code = node_of(client.received).code
    assert code is not None and code.source == ENDLESS
    previews = only(client.send("stop"), messages.Previews)[-1]
    (failed,) = (one for one in previews.failed if one.node == "half")
    assert re.search(r"the function was stopped( after \d+ s)? in line 7\.", failed.message)

    apply(ENDLESS.replace("0.01", "0.02"))
    computing()
    client.received.clear()
    got = client.send("apply_function", key="half", source=TEMPLATE)
    assert not [one for one in only(got, messages.Previews)[-1].failed if one.node == "half"]


def test_calls_end_where_they_are_and_no_others_do() -> None:
    calls, begun, ended = Calls(), threading.Event(), threading.Event()

    def loop() -> None:
        try:
            with calls.going():
                begun.set()
                while True:
                    time.sleep(0.01)
        except Ended:
            ended.set()

    thread = threading.Thread(target=loop)
    thread.start()
    begun.wait()
    calls.end()
    with calls.going():  # which began later
        thread.join(30)
        time.sleep(0.05)
    assert ended.is_set()
    calls.end(refuse=True)  # of what does not go on, nothing
    with calls.going():
        pass
    calls.unused = True
    with pytest.raises(Ended), calls.going():
        pass


def test_a_function_that_the_graph_has_no_more_is_not_called_until_it_is_back(client: Client) -> None:
    client.send("apply_function", key="half", source=TEMPLATE)
    former = cast("WrittenFunction", client.session.graph.node("half").objects["function"])
    assert former(np.zeros(1)).shape == (1,)
    client.send("apply_function", key="half", source=TEMPLATE.replace("return image", "return 2 * image"))
    with pytest.raises(StoppedError):  # images of the former text, which are on their way
        former(np.zeros(1))
    client.send("apply_function", key="half", source="def change(")  # is refused
    now = cast("WrittenFunction", client.session.graph.node("half").objects["function"])
    assert now(np.zeros(1)).shape == (1,)
    previews = only(client.send("undo"), messages.Previews)[-1]
    assert not [one for one in previews.failed if one.node == "half"]
    assert former(np.zeros(1)).shape == (1,)
