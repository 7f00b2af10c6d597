"""The gallery in JupyterLab's sidebar: names without a kernel, pictures with one, into canvases, cells and documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.lab import await_code, open_lab, part

pytestmark = pytest.mark.browser

#: The middle of a wire on the screen.
MIDDLE = "p => { const m = p.getScreenCTM(); const q = p.getPointAtLength(p.getTotalLength() / 2).matrixTransform(m); return [q.x, q.y]; }"


def test_tiles_go_from_the_sidebar_to_canvases_and_cells(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    address, root = server
    lab.write_turning(root / "tiles.dali.json")
    lab.write_notebook(root / "tiles.ipynb", "")
    open_lab(page, address)
    page.evaluate("() => window.jupyterapp.shell.activateById('dali-studio-tiles')")
    panel = page.locator('[data-testid="lab-tiles"]')
    tile = panel.locator('[data-testid="tile-flip"]')

    # names, until a kernel is there
    reason = panel.locator('[data-testid="gallery-reason"]')
    reason.wait_for()
    assert "Open a pipeline" in reason.inner_text()
    panel.locator('[data-testid="gallery-search"]').fill("flip")
    assert "Mirrors" in tile.inner_text() or "axis" in tile.inner_text()
    assert panel.locator("canvas").count() == 0
    tile.dblclick()
    assert "No designer is open" in panel.locator('[data-testid="gallery-refused"]').inner_text()
    page.screenshot(path=artifacts / "lab_gallery_names.png")

    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:open', {path: 'tiles.dali.json', factory: 'DALI designer'})")
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    panel.locator('[data-testid="tile-picture-flip"][data-drawn="yes"]').wait_for(timeout=60_000)
    reason.wait_for(state="detached")
    assert panel.locator('[data-testid="gallery-search"]').input_value() == "flip"
    page.screenshot(path=artifacts / "lab_gallery.png")
    tile.click()  # to look at it
    insert = panel.locator('[data-testid="pick"]')
    insert.wait_for()
    assert part(page, "node-flip").count() == 0
    page.screenshot(path=artifacts / "lab_gallery_chosen.png")
    insert.click()
    part(page, "node-flip").wait_for()
    tile.drag_to(part(page, "canvas"), target_position={"x": 300, "y": 400})
    part(page, "node-flip_2").wait_for()

    # onto a wire: between its ends
    box = part(page, "canvas").bounding_box()
    x, y = page.locator('[aria-label="wire from decode to rotate"] path').first.evaluate(MIDDLE)
    tile.drag_to(part(page, "canvas"), target_position={"x": x - box["x"], "y": y - box["y"]})
    part(page, "node-flip_3").wait_for()
    await_code(page, "fn.flip(decode")

    # into a cell, as a call
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:open', {path: 'tiles.ipynb'})")
    cell = page.locator(".jp-Notebook .jp-CodeCell .cm-content").first
    cell.wait_for(timeout=60_000)
    tile.drag_to(cell)
    page.wait_for_function("() => document.querySelector('.jp-Notebook .cm-content').textContent.includes('fn.flip(')")

    # an example is a document of its own
    panel.locator('[data-testid="gallery-search"]').fill("mixup")
    panel.locator('[data-testid="tile-gallery/mixup"]').press("Enter")
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.context?.path.endsWith('mixup.dali.json')", timeout=60_000)
    await_code(page, "fn.")
    assert (root / "mixup.dali.json").exists()
