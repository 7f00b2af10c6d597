"""Nodes go from one notebook to another, as nodes and as Python, in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.test_lasting import _asked
from browser.training import HEAD

pytestmark = pytest.mark.browser

_OTHER = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
def other():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.decoders.image(files, name="decode")
    resize = fn.resize(images, size=(90, 120), name="resize")
    return fn.flip(resize, name="flip"), labels

designer = Designer(other())
designer
"""
_FRONT = ".jp-NotebookPanel:not(.lm-mod-hidden)"


def _wires(page: Any) -> set[str]:
    found = page.locator(f"{_FRONT} .react-flow__edge").evaluate_all("all => all.map(one => one.ariaLabel)")
    return {words.removeprefix("wire ") for words in found}


def test_nodes_are_copied_in_one_notebook_and_pasted_in_another(designer: Any, server: tuple[str, Path], artifacts: Path) -> None:
    page = designer

    def front(name: str) -> Any:
        return page.locator(f'{_FRONT} [data-testid="{name}"]').first

    lab.card(page, "uniform").click(position=HEAD)
    lab.card(page, "rotate").click(position=HEAD, modifiers=["Control"])
    page.keyboard.press("Control+c")
    lab.write_notebook(server[1] / "other.ipynb", _OTHER, "")
    page.evaluate("() => { window.jupyterapp.commands.execute('docmanager:open', { path: 'other.ipynb', factory: 'Notebook' }); }")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget?.context?.path === 'other.ipynb'")
    page.evaluate(lab.RUN_ALL)
    front("thumb-flip").wait_for()
    lab.settle(page)
    before = _wires(page)
    # as nodes, with the wire between them, their arguments, and an input from what has the name of the first one's source
    front("canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    front("node-rotate").wait_for()
    wires = before | {"from uniform to rotate", "from resize to rotate"}
    assert _wires(page) == wires
    page.locator(f"{_FRONT} [data-testid=thumb-rotate]:not([data-drawn='0'])").wait_for()
    assert _asked(page, "designer.graph.node('rotate').arguments['fill_value']") == "128.0"
    assert _asked(page, "[*designer.graph.node('uniform').arguments['range']]") == "[-30.0, 30.0]"
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_pasted_in_another.png")
    # as Python, in a cell
    page.keyboard.press("Control+z")
    front("node-rotate").wait_for(state="detached")
    cell = page.locator(f"{_FRONT} .jp-CodeCell .cm-content").last
    cell.click()
    page.keyboard.press("Control+v")
    lines = ["uniform = fn.random.uniform(range=[-30, 30])", "rotate = fn.rotate(resize, angle=uniform, fill_value=128)"]
    assert [line for line in cell.inner_text().splitlines() if line] == lines
    # and from the cell to nodes again
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    front("canvas").click(position={"x": 4, "y": 120})
    page.wait_for_function("() => document.activeElement.closest('.ds-canvas')")
    page.keyboard.press("Control+v")
    front("node-rotate").wait_for()
    assert _wires(page) == wires
    assert training.nodes(page) >= {"normalize"}  # the first notebook is as it was
