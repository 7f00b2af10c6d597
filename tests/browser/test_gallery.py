"""The gallery as a user meets it: in JupyterLab, in a browser."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes
from PIL import Image

pytestmark = pytest.mark.browser

NOTEBOOK = "gallery.ipynb"
AXE = lab.REPOSITORY / "extension" / "node_modules" / "axe-core" / "axe.min.js"
CODE = "import dali_studio as ds\ngallery = ds.Gallery()\ngallery"
#: The picture of a canvas, as few numbers.
PAINTED = """id => { const canvas = document.querySelector(`[data-testid="${id}"]`);
    if (!canvas || !canvas.width) return '';
    const small = document.createElement('canvas'); small.width = 12; small.height = 8;
    const pen = small.getContext('2d'); pen.drawImage(canvas, 0, 0, 12, 8);
    return Array.from(pen.getImageData(0, 0, 12, 8).data).join(); }"""
OTHER = f"([id, before]) => {{ const now = ({PAINTED})(id); return now !== '' && now !== before && now.replace(/[0,]/g, '') !== ''; }}"


def _painted(page: Any, name: str) -> str:
    return page.evaluate(PAINTED, name)


def _await_other(page: Any, name: str, before: str = "") -> str:
    page.wait_for_function(OTHER, arg=[name, before], timeout=60_000)
    return _painted(page, name)


def _await_tiles(page: Any) -> None:
    page.wait_for_function(
        """() => { const all = [...document.querySelectorAll('[data-testid^="tile-picture-"]')];
        return all.length > 0 && all.every(one => one.dataset.drawn === 'yes'); }""",
        timeout=60_000,
    )


@pytest.fixture
def opened(page: Any, server: tuple[str, Path]) -> Any:
    lab.write_notebook(server[1] / NOTEBOOK, CODE)
    lab.open_notebook(page, server[0], NOTEBOOK)
    lab.by_id(page, "gallery").wait_for(timeout=90_000)
    _await_tiles(page)
    return page


def test_from_search_to_code(opened: Any, tmp_path: Path, artifacts: Path) -> None:
    page = opened
    assert page.locator('[data-testid^="tile-picture-"]').count() >= 60
    page.screenshot(path=artifacts / "gallery_light.png")

    # search, and what keeps boxes
    lab.by_id(page, "gallery-search").fill("turn")
    page.wait_for_function("() => document.querySelectorAll('[data-testid^=\"tile-picture-\"]').length < 20")
    assert lab.by_id(page, "tile-rotate").is_visible()
    assert page.locator('[data-testid^="tile-picture-"]').first.get_attribute("data-testid") == "tile-picture-rotate"
    lab.by_id(page, "filter-Boxes ok").click()
    lab.by_id(page, "tile-rotate").wait_for(state="detached")
    lab.by_id(page, "filter-All").click()
    lab.by_id(page, "tile-rotate").wait_for()
    _await_tiles(page)

    # a picture of one's own
    before = _painted(page, "tile-picture-rotate")
    Image.new("RGB", (300, 200), (200, 30, 90)).save(tmp_path / "mine.png")
    lab.by_id(page, "picture-file").set_input_files(tmp_path / "mine.png")
    page.wait_for_function("() => document.querySelector('[data-testid=\"picture-name\"]').textContent === 'mine.png'")
    _await_other(page, "tile-picture-rotate", before)

    # what is no picture is refused, and the old one stays
    (tmp_path / "words.png").write_text("no picture")
    lab.by_id(page, "picture-file").set_input_files(tmp_path / "words.png")
    lab.by_id(page, "gallery-refused").wait_for()
    assert lab.by_id(page, "picture-name").inner_text() == "mine.png"

    # a slider, a row of values
    lab.by_id(page, "tile-rotate").click()
    pane = _await_other(page, "pane-picture")
    field = lab.by_id(page, "number-angle")
    field.fill("75")
    field.press("Enter")
    pane = _await_other(page, "pane-picture", pane)
    page.wait_for_function("() => document.querySelector('[data-testid=\"gallery-code\"]').textContent.includes('angle=75')")
    lab.by_id(page, "sweep-angle").click()
    lab.by_id(page, "swept").locator("button").nth(4).click()
    _await_other(page, "pane-picture", pane)
    page.wait_for_function("() => /angle=105/.test(document.querySelector('[data-testid=\"gallery-code\"]').textContent)")
    page.wait_for_function("() => / (ms|µs|s) for this picture/.test(document.querySelector('[data-testid=\"gallery-facts\"]').textContent)")
    page.screenshot(path=artifacts / "gallery_pane_light.png")

    # nothing that a screen reader or the keyboard would miss
    if AXE.exists():
        page.evaluate(AXE.read_text() + "; 0")
        found = page.evaluate(
            """async () => (await axe.run(document.querySelector('[data-testid="gallery"]'))).violations
            .filter(v => ['serious', 'critical'].includes(v.impact)).map(v => [v.id, v.nodes[0].html])"""
        )
        assert found == []

    # the code, copied and as the next cell
    lab.by_id(page, "gallery-copy").click()
    source = page.evaluate("() => navigator.clipboard.readText()")
    ast.parse(source)
    assert "angle=105" in source and "mine.png" in source
    lab.by_id(page, "gallery-cell").click()
    page.wait_for_function("() => window.jupyterapp.shell.currentWidget.content.widgets.length === 2")
    cells = page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells.map(c => c.source)")
    assert cells[1] == source.rstrip("\n") or cells[1] == source
    lab.set_theme(page, "JupyterLab Dark")
    page.wait_for_function("() => document.querySelector('[data-testid=\"gallery\"]').dataset.dsTheme === 'dark'")
    page.screenshot(path=artifacts / "gallery_pane_dark.png")


def test_a_tile_in_full(opened: Any) -> None:
    """Before and after, sliders, and how the values are spread."""
    page = opened
    lab.by_id(page, "tile-rotate").click()
    pane = _await_other(page, "pane-picture")
    page.get_by_label("Where before ends and after begins").fill("10")
    pane = _await_other(page, "pane-picture", pane)
    curves = page.locator('[data-testid="gallery-pane"] .ds-histogram path')
    curves.first.wait_for(state="attached")
    assert curves.count() == 6  # three channels, before and after
    drawn = curves.first.get_attribute("d")
    slider = lab.by_id(page, "slider-angle")
    before = float(slider.input_value())
    for _ in range(10):
        slider.press("ArrowRight")
    assert float(slider.input_value()) > before
    _await_other(page, "pane-picture", pane)
    page.wait_for_function(
        "before => document.querySelector('[data-testid=\"gallery-pane\"] .ds-histogram path').getAttribute('d') !== before", arg=drawn
    )


def test_into_a_designer_of_its_own(opened: Any, artifacts: Path) -> None:
    page = opened
    lab.by_id(page, "tile-rotate").click()
    _await_other(page, "pane-picture")
    lab.by_id(page, "gallery-designer").click()
    lab.by_id(page, "node-rotate").wait_for(timeout=60_000)
    page.wait_for_function("() => Number(document.querySelector('[data-testid=\"thumb-rotate\"]')?.dataset.drawn) > 0", timeout=60_000)
    inner, outer = (lab.by_id(page, name).bounding_box() for name in ("designer", "gallery"))
    assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]  # its lower edge is to be seen
    page.screenshot(path=artifacts / "gallery_designer.png")
    lab.by_id(page, "gallery-back").click()
    lab.by_id(page, "gallery-designer").wait_for()
    assert lab.by_id(page, "gallery-insert").count() == 0  # no designer is on the page


def test_into_the_graph_of_a_designer(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / NOTEBOOK, CODE, scenes.five() + scenes.SHOW)
    lab.open_notebook(page, server[0], NOTEBOOK)
    lab.by_id(page, "node-decode").wait_for(timeout=90_000)
    lab.by_id(page, "tile-hsv").click()
    lab.by_id(page, "gallery-insert").click()
    lab.by_id(page, "gallery-taken").wait_for()
    lab.by_id(page, "node-hsv").wait_for()
    assert re.search(r"hsv is in .*behind brightness_contrast", lab.by_id(page, "gallery-taken").inner_text())
