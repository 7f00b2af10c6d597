"""What JupyterLab's commands ask a kernel: documents of programs, programs of documents."""

from __future__ import annotations

import json
from typing import Any

from IPython.core.formatters import JSONFormatter

from dali_studio import samples
from dali_studio.codegen.dialects import installed_first
from dali_studio.studio.gallery import FILE, folder
from dali_studio.studio.programs.translate import to_document, to_program
from dali_studio.studio.programs.trust import signature

_TWO = """
from nvidia.dali import fn, pipeline_def

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def first():
    return fn.random.coin_flip()

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def second():
    return fn.random.uniform()
"""

_FIRST = """@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def first():
    # heads or tails
    coin = fn.random.coin_flip()
    return coin
"""


def test_a_document_becomes_a_program_and_a_document_again() -> None:
    text = (folder() / "resnet50" / FILE).read_text()
    program = to_program(text, "")
    assert program.name == "resnet50"
    assert not program.problems
    assert program.text.startswith(f"from {next(iter(installed_first()))} import")
    assert str(samples.photos()) in program.text  # the document names no folder
    assert to_program(text, "dali_studio").text.startswith("from dali_studio import")
    assert "--bench" in program.text  # it goes into a file
    back = to_document(program.text, "")
    keys = [{node["key"] for node in json.loads(one)["pipeline"]["nodes"]} for one in (text, back.text)]
    assert len(keys[0]) == len(keys[1])
    assert "normalize" in keys[0]
    answer: Any = JSONFormatter()(back)  # as a kernel answers
    assert json.loads(json.dumps(answer))["name"] == "resnet50"


def test_a_program_is_the_one_of_the_code_pane() -> None:
    source = _TWO.partition("@pipeline_def")[0] + _FIRST
    document = to_document(source, "").text
    assert to_program(document, "").text == source
    raw = json.loads((folder() / "noise" / FILE).read_text())
    raw["pipeline"]["nodes"][1]["arguments"] = {"on_error": "skip"}
    answer = to_program(json.dumps(raw), "nvidia.dali")
    assert "file_root=" in answer.text and "reader_file_root" not in answer.text
    assert answer.problems and "on_error" in answer.problems[0]  # said, and not refused


def test_functions_of_a_document_are_in_modules_called_as_its_file() -> None:
    source = "def change(image):\n    return image\n"
    node = {"key": "own", "operator": "python_function", "objects": ["function"]}
    raw = json.loads(to_document(_TWO).text)
    raw["pipeline"]["nodes"] = [node]
    raw["pipeline"]["outputs"] = [["own", 0]]
    raw["view"] = {"functions": {"own": {"source": source, "signature": signature(source)}}}
    assert "from train_own import change\n" in to_program(json.dumps(raw), "", "folder/train.dali.json").text


def test_one_of_several_pipelines_is_chosen_by_its_name() -> None:
    assert [to_document(_TWO, name).name for name in ("", "first", "second")] == ["first", "first", "second"]


def test_what_cannot_be_translated_is_said_in_words() -> None:
    for answer in (to_document("x = 1", ""), to_document("def (", ""), to_program("{", ""), to_program("{}", "none")):
        assert not answer.text
        assert answer.problems
        assert all(answer.problems)
