"""Who has the keys: the designer while it is used, the rest of the page after a click there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes, training
from browser.test_designer import _open

pytestmark = pytest.mark.browser

#: Places beside the designer, some of which take no focus of their own.
PLACES = (
    ".jp-Cell .cm-content", ".jp-Cell:has(.ds-root) .jp-OutputPrompt", "#jp-main-statusbar",
    ".lm-DockPanel-tabBar .lm-mod-current .lm-TabBar-tabLabel",
)  # fmt: skip
_STATE = """() => ({ nodes: document.querySelectorAll('[data-ds-node]').length,
  inside: !!document.activeElement?.closest('.ds-root'),
  undo: document.querySelector('[data-testid="undo"]').disabled })"""


@pytest.mark.parametrize("focused", ["node-rotate", "wire"])
def test_a_click_elsewhere_takes_the_keys_away(page: Any, server: tuple[str, Path], focused: str) -> None:
    lab.write_notebook(server[1] / "keys.ipynb", "pass", scenes.five() + "\ndesigner")
    _open(page, server, "keys.ipynb")
    lab.card(page, "rotate").click(position={"x": 60, "y": 10})
    page.keyboard.press("b")  # bypassed: there is something to undo
    page.locator('[data-testid="undo"]:enabled').wait_for(timeout=10_000)
    before = page.evaluate(_STATE)
    for place in PLACES:
        if focused == "wire":
            page.locator(".react-flow__edge").first.focus()
        else:
            lab.by_id(page, focused).click(position={"x": 60, "y": 10})
        assert page.evaluate(_STATE) == {**before, "inside": True}
        page.locator(place).first.click(force=True, timeout=10_000)
        for key in ("Delete", "Control+z"):
            page.keyboard.press(key)
        assert page.evaluate(_STATE) == {**before, "inside": False}  # edits are drawn at once


def test_a_slider_that_was_moved_gives_undo_to_the_graph(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "slid.ipynb", scenes.five() + "\ndesigner")
    _open(page, server, "slid.ipynb")
    lab.by_id(page, "settings").click()
    page.locator(".ds-name-field:focus").wait_for()  # it gets the keys a moment later
    before = lab.by_id(page, "number-num_threads").input_value()
    box = lab.by_id(page, "slider-num_threads").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    value = "value => (document.querySelector('[data-testid=\"number-num_threads\"]').value === value[0]) === value[1]"
    page.wait_for_function(value, arg=[before, False])
    page.keyboard.press("Control+z")
    page.wait_for_function(value, arg=[before, True])

    # a button of the bar that goes off leaves the keys to the canvas
    lab.card(page, "rotate").click(position={"x": 60, "y": 10})
    page.keyboard.press("Delete")
    rotate = lab.by_id(page, "node-rotate")
    rotate.wait_for(state="detached")
    for button, there in (("undo", True), ("redo", False)):
        lab.by_id(page, button).click()
        rotate.wait_for(state="attached" if there else "detached")
    page.locator('[data-testid="redo"]:disabled').wait_for()
    page.keyboard.press("Control+z")
    rotate.wait_for()


def test_keys_reach_the_graph_from_parts_beside_it(page: Any, server: tuple[str, Path]) -> None:
    """After a drag of a grip or a slider, which use arrows alone, letters and Space do what they do on the canvas."""
    lab.write_notebook(server[1] / "beside.ipynb", scenes.five() + "\ndesigner")
    _open(page, server, "beside.ipynb")
    search, palette = lab.by_id(page, "quick-search"), page.locator(".ds-palette")
    for place in ("grip-high", "slider-fill_value"):
        lab.card(page, "rotate").click(position={"x": 60, "y": 10})
        lab.by_id(page, place).click()
        page.keyboard.press("Space")
        search.wait_for()
        page.keyboard.press("Escape")
        search.wait_for(state="detached")
    lab.by_id(page, "slider-fill_value").click()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "slider-fill_value"
    page.keyboard.press("p")
    palette.wait_for()

    # both clicks of a double click reach a tile where the pane of what was clicked is about to stand
    tiles = palette.locator(".ds-effect")
    tiles.nth(5).wait_for()
    lab.settle(page)
    below = palette.locator(".ds-palette-list").bounding_box()
    edge = min(below["y"] + below["height"], page.viewport_size["height"] - 40)  # above the status bar
    boxes = [one.bounding_box() for one in tiles.all()[:12]]
    low = max((box for box in boxes if box["y"] + 8 < edge), key=lambda box: box["y"])
    nodes = page.locator(".react-flow__node")
    count = nodes.count()
    page.mouse.dblclick(low["x"] + 20, low["y"] + 4, delay=60)
    page.wait_for_function("count => document.querySelectorAll('.react-flow__node').length > count", arg=count)
    assert not page.locator(".ds-palette-chosen").count()


#: The card or wire that has the focus, and the cards that are selected.
_FOCUSED = """() => { const { dataset } = document.activeElement; return [
  document.activeElement.matches('.react-flow__edge') ? 'wire' : dataset.id ?? dataset.testid,
  [...document.querySelectorAll('.react-flow__node.selected')].map(one => one.dataset.id)]; }"""


def test_tab_goes_through_the_cards_before_the_wires(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    """The card that has the focus is selected: keys are for it."""
    lab.write_notebook(server[1] / "tabbed.ipynb", scenes.five() + "\ndesigner")
    _open(page, server, "tabbed.ipynb")
    lab.settle(page)
    wires = page.locator(".react-flow__edge").count()
    lab.by_id(page, "canvas").focus()

    def press(key: str) -> str:
        page.keyboard.press(key)
        lab.settle(page)
        focused, selected = page.evaluate(_FOCUSED)
        assert focused in ("wire", "canvas") or selected == [focused]
        return focused

    cards = ["reader", "decode", "resize", "uniform", "rotate", "brightness_contrast", "__outputs__"]
    assert [press("Tab") for _ in cards] == cards
    page.screenshot(path=artifacts / "tab_last_card.png")
    assert [press("Tab") for _ in range(wires)] == ["wire"] * wires
    page.screenshot(path=artifacts / "tab_wire.png")
    for _ in range(wires):
        press("Shift+Tab")
    assert [page.evaluate(_FOCUSED)[0], *(press("Shift+Tab") for _ in cards)] == [*reversed(cards), "canvas"]

    # keys are for the wire that has the focus, also where another one is selected
    first, last = page.locator(".react-flow__edge").first, page.locator(".react-flow__edge").last
    for wire in (first, last):
        wire.focus()
        page.keyboard.press("Enter")
        page.wait_for_function("wire => wire.classList.contains('selected')", arg=wire.element_handle())
    assert page.locator(".react-flow__edge.selected").count() == 1
    page.keyboard.press("Escape")

    # a wire may begin at each output of a node
    lab.card(page, "reader").click(position={"x": 60, "y": 10})
    page.keyboard.press("c")
    lab.by_id(page, "quick-search").fill("labels")
    found = page.locator(".ds-quick-hit > span").all_inner_texts()
    assert found and all(one.startswith("labels → ") for one in found)
    page.keyboard.press("Escape")
    lab.settle(page)  # the button that cuts it goes

    # beyond the last wire come the buttons, and what is beside the canvas
    last.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.matches('.ds-canvas button')")
    for _ in range(12):
        page.keyboard.press("Tab")
    assert not page.evaluate("() => document.activeElement.closest('.ds-canvas')")


def test_the_buttons_of_a_problem_are_reached_from_its_card(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "problem_keys.ipynb", "from dali_studio import Designer\nDesigner()")
    lab.open_notebook(page, server[0], "problem_keys.ipynb")
    lab.by_id(page, "empty").locator("h3").click()
    for words, key in (("file reader", "reader"), ("decode", "decode"), ("rotate", "rotate")):
        page.keyboard.press("Space")
        lab.by_id(page, "quick-search").wait_for()
        page.keyboard.type(words)
        page.keyboard.press("Enter")
        lab.by_id(page, f"node-{key}").wait_for()
        lab.settle(page)
    focused = "name => document.activeElement.dataset.testid === name"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    lab.by_id(page, "error-card-reader").wait_for()
    lab.settle(page)
    page.screenshot(path=artifacts / "problem_keys.png")

    def to_card() -> None:
        """At most through what the card of the node has itself."""
        for _ in range(4):
            page.keyboard.press("Tab")
            if page.evaluate(focused, "repair-reader"):
                return
        raise AssertionError(page.evaluate("() => document.activeElement.outerHTML"))

    to_card()
    page.keyboard.press("Escape")  # back to the card, which is selected as before
    page.wait_for_function("() => document.activeElement.dataset.id === 'reader'")
    assert lab.by_id(page, "error-card-reader").is_visible()
    page.locator(".ds-canvas").focus()
    to_card()
    page.keyboard.press("Enter")
    training.drawn(page, "thumb-rotate")
    page.wait_for_function("() => document.activeElement.closest('.ds-canvas')")


def test_escape_closes_settings_that_float(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "floating.ipynb", scenes.five() + "\ndesigner")
    _open(page, server, "floating.ipynb")
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '605px'; }")
    lab.settle(page)
    lab.by_id(page, "settings").click()
    page.locator(".ds-floating").wait_for()
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("Escape")
    page.locator(".ds-floating").wait_for(state="detached", timeout=10_000)
