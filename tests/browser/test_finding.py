"""Finding one's way on the canvas, in JupyterLab: which ports take a wire, the map of the canvas, filters of the search."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.training import HEAD

pytestmark = pytest.mark.browser


def _middle(page: Any, name: str) -> tuple[float, float]:
    box = lab.by_id(page, name).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _await_opacity(page: Any, name: str, condition: str) -> None:
    page.wait_for_function(
        f"name => {{ const shown = +getComputedStyle(document.querySelector(`[data-testid='${{name}}']`)).opacity; return {condition}; }}",
        arg=name,
    )


def test_ports_that_cannot_take_a_wire_fade_and_say_why(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.settle(page)
    program = lab.by_id(page, "code").inner_text()
    hint = page.locator(".ds-drag-hint")
    begin = _middle(page, "port-out-uniform-0")
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(begin[0] + 20, begin[1] + 60, steps=4)
    # numbers: pictures are taken by these, numbers by none of them but the pipeline's outputs
    for name in ("port-in-decode-0", "port-in-resize-0", "port-in-normalize-0", "port-out-rotate-0"):
        _await_opacity(page, name, "shown < 0.5")
    assert hint.count() == 0
    end = _middle(page, "port-in-normalize-0")
    page.mouse.move(*end, steps=8)
    hint.wait_for()
    assert hint.inner_text() == "normalize takes images here, and this wire carries numbers."
    page.screenshot(path=artifacts / "designer_misfit.png")
    page.mouse.up()
    # nothing was wired, and all ports look as before
    hint.wait_for(state="detached")
    _await_opacity(page, "port-in-normalize-0", "shown === 1")
    lab.settle(page)
    assert lab.by_id(page, "code").inner_text() == program
    # a picture: who takes it stays and grows
    begin = _middle(page, "port-out-rotate-0")
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(begin[0] + 20, begin[1] + 60, steps=4)
    _await_opacity(page, "port-in-normalize-0", "shown === 1")
    assert "ds-port-fits" in lab.by_id(page, "port-in-normalize-0").get_attribute("class")
    _await_opacity(page, "port-in-resize-0", "shown < 0.5")
    page.mouse.move(*_middle(page, "port-in-resize-0"), steps=8)
    hint.wait_for()
    assert hint.inner_text() == "resize already feeds rotate, and a pipeline has no loops."
    page.keyboard.press("Escape")
    page.mouse.up()


_PLACES = """() => { const frame = document.querySelector('[data-testid="canvas"]').getBoundingClientRect();
  return [...document.querySelectorAll('.react-flow__node')].map(n => [n.dataset.id, n.getBoundingClientRect()])
    .map(([key, c]) => [key, c.left >= frame.left && c.right <= frame.right && c.top >= frame.top && c.bottom <= frame.bottom]); }"""
_VIEW = "() => document.querySelector('.react-flow__viewport').style.transform"


def _toggle_map(page: Any) -> None:
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120}, button="right")
    page.get_by_role("menuitem", name="Map of the canvas").click()


def test_the_map_of_the_canvas_shows_all_and_leads_there(designer: Any, artifacts: Path) -> None:
    page = designer
    overview = page.locator(".react-flow__minimap")
    assert overview.count() == 0
    _toggle_map(page)
    drawn = overview.locator(".react-flow__minimap-node")
    drawn.nth(len(training.nodes(page))).wait_for(state="attached")  # and the outputs
    lab.settle(page)
    # so near that the reader is out of sight
    lab.card(page, "normalize").click(position=HEAD)
    for _ in range(5):
        page.keyboard.press("+")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_map.png")
    near = lab.by_id(page, "node-normalize").bounding_box()["width"]
    assert not dict(page.evaluate(_PLACES)).get("reader")

    # a click leads there: the reader is the leftmost
    boxes = sorted((one.bounding_box() for one in drawn.all()), key=lambda box: box["x"])
    page.mouse.click(boxes[0]["x"] + boxes[0]["width"] / 2, boxes[0]["y"] + boxes[0]["height"] / 2)
    page.wait_for_function(f"() => Object.fromEntries(({_PLACES})()).reader")
    lab.settle(page)
    before = lab.by_id(page, "node-reader").bounding_box()
    assert abs(before["width"] - near) < 0.01  # as large as it was
    # a drag moves on
    x, y = overview.bounding_box()["x"] + 75, overview.bounding_box()["y"] + 50
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y, steps=6)
    page.mouse.up()
    lab.settle(page)
    assert lab.by_id(page, "node-reader").bounding_box()["x"] < before["x"] - 100
    _toggle_map(page)
    overview.wait_for(state="detached")


def test_what_the_map_brought_into_view_stays_there(designer: Any) -> None:
    page = designer
    _toggle_map(page)
    overview = page.locator(".react-flow__minimap")
    overview.wait_for()
    lab.settle(page)
    box = overview.bounding_box()
    seen = page.evaluate(_VIEW)
    page.mouse.move(box["x"] + 75, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + 85, box["y"] + 40, steps=6)
    page.mouse.up()
    moved = page.evaluate(_VIEW)
    assert moved != seen
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Space")
    lab.by_id(page, "quick-search").fill("hsv")
    page.keyboard.press("Enter")
    lab.by_id(page, "node-hsv").wait_for()
    lab.settle(page)
    assert page.evaluate(_VIEW) == moved


def _found(page: Any, words: str) -> set[str]:
    """The nodes that Enter goes through."""
    field = lab.by_id(page, "find-field")
    field.fill(words)
    count = int(page.locator("[data-testid=find] [role=status]").inner_text().split()[0])
    found: set[str] = set()
    for _ in range(count):
        field.press("Enter")
        page.wait_for_function(
            "known => { const all = document.querySelectorAll('.react-flow__node.selected'); return all.length === 1 && !known.includes(all[0].dataset.id); }",
            arg=[*found],
        )
        found.add(page.locator(".react-flow__node.selected").get_attribute("data-id"))
    return found


def test_the_search_finds_what_is_slow_and_what_has_errors(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("Control+f")
    assert _found(page, "slow:") == _found(page, "error:") == set()  # nothing was measured, and nothing is wrong
    assert _found(page, "device:cpu") == training.nodes(page)
    lab.by_id(page, "run").click()
    page.wait_for_function("() => / % of the work/.test(document.querySelector('[data-testid=time-rotate]')?.title)")
    titles = page.locator("[data-testid^=time-]").evaluate_all("all => all.map(one => [one.dataset.testid.slice(5), one.title])")
    shares = {key: float(re.search(r"([\d.]+)\s*% of the work", title)[1]) for key, title in titles}
    slow = _found(page, "slow:")
    page.screenshot(path=artifacts / "designer_find_slow.png")
    assert slow and {key for key, share in shares.items() if share >= 16} <= slow
    assert slow <= {key for key, share in shares.items() if share >= 14}
    assert _found(page, "slow: zebra") == set()
    page.keyboard.press("Escape")
    lab.card(page, "reader").click(position=HEAD)
    field = lab.by_id(page, "text-file_root")
    field.fill("/no/such/folder")
    field.press("Enter")
    lab.by_id(page, "error-card-reader").wait_for()
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("Control+f")
    assert _found(page, "error:") == _found(page, "error:folder") == _found(page, "error: reader") == {"reader"}
    assert _found(page, "error:zebra") == _found(page, "error: rotate") == set()
    # on the map they have a colour of their own
    for _ in range(2):
        page.keyboard.press("Escape")
    _toggle_map(page)
    page.wait_for_function(
        "() => [...document.querySelectorAll('.react-flow__minimap-node')].filter(one => one.style.fill.includes('--ds-err')).length === 1"
    )
    page.screenshot(path=artifacts / "designer_map_error.png")
