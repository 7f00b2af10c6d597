"""Diagrams in words."""

from __future__ import annotations

from pathlib import Path

from dali_studio.api.default import default_registry
from dali_studio.api.reading.fragment import read_fragment
from dali_studio.cli.verbs import main
from dali_studio.codegen.diagrams import dot, mermaid
from dali_studio.graph.apply import apply
from dali_studio.graph.model import Graph

REGISTRY = default_registry()
TEXT = """
files, labels = fn.readers.file(file_root="/photos", name="reader")
images = fn.decoders.image(files, device="mixed")
images = fn.rotate(images, angle=fn.random.uniform())
return images, labels
"""


def graph() -> Graph:
    program = "def f():\n" + "".join(f"    {line}\n" for line in TEXT.strip().split("\n"))
    return apply(Graph(), read_fragment(program, Graph(), REGISTRY), REGISTRY)[0]


def test_mermaid_has_every_node_and_wire() -> None:
    assert mermaid(graph()) == (
        "flowchart LR\n"
        '  n0["reader<br>fn.readers.file"]\n'
        '  n1(["decode<br>fn.decoders.image (mixed)"])\n'
        '  n2["uniform<br>fn.random.uniform"]\n'
        '  n3(["rotate<br>fn.rotate (gpu)"])\n'
        '  outputs[/"outputs"/]\n'
        "  n0 --> n1\n"
        "  n1 --> n3\n"
        "  n2 -->|angle| n3\n"
        "  n3 --> outputs\n"
        "  n0 -->|1| outputs\n"
    )


def test_dot_quotes_names_and_dashes_arguments() -> None:
    made = graph()
    text = dot(made)
    assert '"uniform" -> "rotate" [label="angle", style=dashed];' in text
    assert '"reader" -> "outputs of the pipeline" [label="[1]"];' in text
    assert text.startswith('digraph "pipeline" {') and text.endswith("}\n")


def test_the_command_line_writes_diagrams_by_the_name_of_the_file(tmp_path: Path) -> None:
    assert main(["export", "getting_started", "-o", str(tmp_path / "g.mmd")]) == 0
    assert (tmp_path / "g.mmd").read_text().startswith("flowchart LR\n")
    assert main(["export", "getting_started", "-o", str(tmp_path / "g.dot")]) == 0
    assert (tmp_path / "g.dot").read_text().startswith("digraph ")
    assert main(["export", "getting_started", "-o", str(tmp_path / "g.md")]) == 0
    assert (tmp_path / "g.md").read_text().startswith("```mermaid\nflowchart LR\n")
    assert main(["export", "getting_started", "-o", str(tmp_path / "g.pdf")]) == 1
    assert not (tmp_path / "g.pdf").exists()
