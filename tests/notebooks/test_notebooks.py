"""The notebooks run from top to bottom, and what is kept of their outputs is small and of no machine."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from refresh import REPOSITORY, WITHOUT_OUTPUTS, kept_with_outputs

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
PLAIN = [path for path in NOTEBOOKS if path.name.startswith(WITHOUT_OUTPUTS)]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    notebook = nbformat.read(path, as_version=4)
    if "import torch" in str(notebook.cells):
        request.getfixturevalue("torch")  # skips, with the reason, where it is not installed
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    if path in PLAIN:
        assert "application/vnd.jupyter.widget-view+json" in kinds
        assert "from nvidia.dali import" in "".join(output.get("text", "") for output in outputs)
    else:
        assert "image/png" in kinds


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_is_kept_without_outputs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert [cell.source for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.parametrize("path", kept_with_outputs(), ids=lambda path: path.stem)
def test_is_kept_with_small_outputs_of_no_machine(path: Path) -> None:
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert any("image/jpeg" in output.get("data", {}) for output in outputs), "make notebooks"
    assert [output for output in outputs if output.output_type == "error"] == []
    assert path.stat().st_size < 600_000
    text = json.dumps([{**output, "data": {**output.get("data", {}), "image/jpeg": ""}} for output in outputs])
    assert str(REPOSITORY) not in text and str(Path.home()) not in text
