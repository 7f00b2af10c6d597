"""The gallery in JupyterLab's sidebar: a click looks, and tiles go to canvases, onto wires and into cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.lab import await_code, open_document, part

pytestmark = pytest.mark.browser

#: The middle of a wire on the screen.
MIDDLE = "p => { const m = p.getScreenCTM(); const q = p.getPointAtLength(p.getTotalLength() / 2).matrixTransform(m); return [q.x, q.y]; }"


def test_tiles_go_from_the_sidebar_to_canvases_and_cells(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _, root = server
    lab.write_notebook(root / "tiles.ipynb", "")
    open_document(page, server, "tiles.dali.json")
    page.evaluate("() => window.jupyterapp.shell.activateById('dali-studio-gallery')")
    panel = page.locator('[data-testid="lab-gallery"]')
    tile = panel.locator('[data-testid="palette-flip"]')
    panel.locator('[data-testid="effect-flip"][data-drawn="yes"]').wait_for(timeout=60_000)

    # two tiles side by side, each with its time, and nothing to scroll sideways
    left, right = (panel.locator(".ds-effect").nth(place).bounding_box() for place in (0, 1))
    assert left["y"] == right["y"] and left["width"] >= 128
    assert panel.locator(".ds-palette-list").evaluate("list => list.scrollWidth <= list.clientWidth")
    page.wait_for_function(
        "() => /\\d (ms|µs)$/.test(document.querySelector('[data-testid=\"palette-flip\"] .ds-tile-facts').textContent)"
    )

    panel.locator('[data-testid="palette-search"]').fill("turn")
    assert panel.locator(".ds-effect").first.get_attribute("data-testid") == "palette-rotate"
    panel.locator('[data-testid="palette-search"]').fill("flip")
    tile.click()  # to look at it
    insert = panel.locator('[data-testid="palette-insert"]')
    insert.wait_for()
    assert part(page, "node-flip").count() == 0
    page.screenshot(path=artifacts / "lab_gallery_chosen.png")
    insert.click()
    part(page, "node-flip").wait_for()
    tile.drag_to(part(page, "canvas"), target_position={"x": 300, "y": 400})
    part(page, "node-flip_2").wait_for()

    # onto a wire, which is marked at once: between its ends
    x, y = page.locator('[aria-label="wire from decode to rotate"] path').first.evaluate(MIDDLE)
    tile.hover()
    page.mouse.down()
    page.mouse.move(x + 2, y + 60, steps=4)
    assert page.locator(".ds-wire-target").count() == 0
    page.mouse.move(x, y)
    page.locator('[aria-label="wire from decode to rotate"] .ds-wire-target').wait_for(state="attached", timeout=5_000)
    page.mouse.up()
    part(page, "node-flip_3").wait_for()
    await_code(page, "fn.flip(decode")

    # into a cell, as a call with the values of the tile
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:open', {path: 'tiles.ipynb'})")
    cell = page.locator(".jp-Notebook .jp-CodeCell .cm-content").first
    cell.wait_for(timeout=60_000)
    panel.locator('[data-testid="palette-search"]').fill("hue")
    panel.locator('[data-testid="palette-hue"]').drag_to(cell)
    page.wait_for_function("() => document.querySelector('.jp-Notebook .cm-content').textContent.includes('fn.hue(hue=')")
