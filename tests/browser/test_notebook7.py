"""Notebook 7: designers in cells, documents, and a test of each group of what the designer does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.lab import await_code, part

# Collected here once more, these find the server below: Notebook in place of JupyterLab.
from browser.test_canvas import test_menu_keys_bypass_and_find  # noqa: F401
from browser.test_code import test_the_program_is_edited_in_its_pane  # noqa: F401
from browser.test_designer import test_add_wire_undo_and_delete  # noqa: F401
from browser.test_lasting import test_a_kernel_that_is_killed_in_mid_run_keeps_the_edits  # noqa: F401
from browser.test_looking import test_a_picture_is_looked_at_large_sample_by_sample  # noqa: F401
from browser.test_previews import test_every_kind_of_data_is_shown  # noqa: F401
from browser.test_problems import test_a_box_says_which_of_its_nodes_failed  # noqa: F401
from browser.test_times import (  # noqa: F401
    opened,
    test_a_run_is_drawn_compared_with_the_target_and_saved_as_a_trace,
    test_the_data_that_a_reader_reads_are_looked_into_and_replaced,
)

pytestmark = pytest.mark.browser

_DESIGNER = """from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
def turning():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.rotate(fn.decoders.image(files), angle=10.0), labels

designer = Designer(turning())
designer"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Notebook over a folder with the first notebook."""
    pytest.importorskip("notebook.app", reason="this test needs Notebook 7 (the extra test)")
    root = tmp_path_factory.mktemp("notebook")
    shutil.copy(lab.REPOSITORY / "notebooks" / "01_designer.ipynb", root)
    with lab.lab_server(root, tmp_path_factory.mktemp("config"), "notebook") as address:
        yield address, root


def test_a_designer_in_a_cell_is_edited(page: Any, server: tuple[str, Path]) -> None:
    address, root = server
    lab.write_notebook(root / "cell.ipynb", _DESIGNER)
    lab.open_notebook(page, address, "cell.ipynb")
    cell = page.locator(".jp-Notebook")
    cell.locator('[data-testid="thumb-rotate"]').wait_for(timeout=90_000)
    lab.settle(page)
    cell.locator('[data-testid="node-rotate"]').click(position={"x": 70, "y": 12})
    angle = cell.locator('[data-testid="number-angle"]')
    angle.fill("33")
    angle.press("Enter")
    code = "words => document.querySelector('[data-testid=\"code\"]').textContent.includes(words)"
    page.wait_for_function(code, arg="angle=33")
    # a wire is taken off, by a key and by a cut across it, and comes back
    wire = cell.locator('[aria-label$=" to rotate"]')
    wire.focus()
    page.keyboard.press("Delete")
    wire.wait_for(state="detached")
    page.wait_for_function(code, arg="fn.rotate(...")
    page.keyboard.press("Control+z")
    wire.wait_for(state="attached")
    lab.settle(page)
    lab.cut(page, wire.locator("path").first)
    wire.wait_for(state="detached")
    cell.locator('[data-testid="undo"]').click()
    wire.wait_for(state="attached")
    page.wait_for_function(code, arg="angle=33")
    lab.settle(page)
    cell.locator('[data-testid="node-rotate"]').click(position={"x": 70, "y": 12})
    # one that was reconnected is saved and comes back
    panel = "window.jupyterapp.shell.currentWidget"
    page.evaluate(f"() => {panel}.context.sessionContext.session.kernel.restart()")
    cell.locator('[data-testid="reconnect"]').click(timeout=60_000)
    page.wait_for_function("() => !document.querySelector('[data-testid=\"reconnect\"]')", timeout=60_000)
    angle.fill("34")
    angle.press("Enter")
    page.wait_for_function(code, arg="angle=34")
    page.wait_for_function(
        f"() => JSON.stringify({panel}.content.model.sharedModel.toJSON()).includes('>34°<')", polling=250
    )
    page.evaluate(f"async () => {{ await {panel}.context.save(); }}")
    outputs = lab.saved(root / "cell.ipynb")["cells"][0]["outputs"]
    assert ">34°<" in "".join(outputs[-1]["data"]["image/svg+xml"])
    page.reload()
    cell.locator('[data-testid="thumb-rotate"]').wait_for(timeout=90_000)
    page.wait_for_function(code, arg="angle=34")


def test_a_document_opens_from_the_list_of_files(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    address, root = server
    lab.write_turning(root / "turned.dali.json")
    page.goto(f"{address}/tree")
    entry = page.locator('.jp-DirListing-item[title*="turned.dali.json"]')
    with page.context.expect_page(timeout=90_000) as opening:
        entry.dblclick(timeout=90_000)
    document = opening.value
    part(document, "thumb-rotate").wait_for(timeout=90_000)
    lab.settle(document)
    part(document, "node-rotate").click(position={"x": 70, "y": 12})
    angle = part(document, "number-angle")
    angle.fill("44")
    angle.press("Enter")
    await_code(document, "angle=44")
    document.screenshot(path=artifacts / "notebook7.png")
    document.keyboard.press("Control+s")
    document.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert '"angle": 44.0' in (root / "turned.dali.json").read_text()
