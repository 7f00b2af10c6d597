"""What happens where the pointer is: searches, menus and ports, in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes

pytestmark = pytest.mark.browser

HEAD = {"x": 70, "y": 12}


@pytest.fixture
def designer(page: Any, server: tuple[str, Path]) -> Any:
    program = scenes.five().replace("Designer(made)", "Designer(made, height=820)")
    lab.write_notebook(server[1] / "pointer.ipynb", program + scenes.SHOW)
    lab.open_notebook(page, server[0], "pointer.ipynb")
    lab.by_id(page, "thumb-rotate").wait_for(timeout=90_000)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    lab.settle(page)
    return page


def _middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _await_code(page: Any, text: str) -> None:
    page.wait_for_function("text => document.querySelector('[data-testid=code]').textContent.includes(text)", arg=text)


def test_a_search_opens_where_a_wire_ends_or_a_double_click_is(designer: Any) -> None:
    page = designer
    lab.card(page, "resize").click(position=HEAD)
    canvas = lab.by_id(page, "canvas").bounding_box()
    # the latter place among cards, which it may cover
    for wire, left, top in ((True, 220, 350), (False, 220, 350), (False, canvas["width"] - 30, 150)):
        x, y = canvas["x"] + left, canvas["y"] + top
        if wire:
            page.mouse.move(*_middle(lab.by_id(page, "port-out-resize-0").bounding_box()))
            page.mouse.down()
            page.mouse.move(x, y, steps=8)
            page.mouse.up()
        else:
            page.mouse.dblclick(x, y)
        box = lab.by_id(page, "quick-add").bounding_box()
        assert box["x"] - 12 < x < box["x"] + box["width"] + 24, wire
        assert -12 < y - box["y"] < (24 if top > 300 else box["height"] + 12), wire
        page.keyboard.press("Escape")
        lab.by_id(page, "quick-add").wait_for(state="detached")


def test_a_double_click_puts_a_card_there_behind_what_was_selected(designer: Any, artifacts: Path) -> None:
    page = designer
    canvas = lab.by_id(page, "canvas").bounding_box()
    view = "() => document.querySelector('.react-flow__viewport').style.transform"
    seen = page.evaluate(view)
    for number, selected in (("", "decode"), ("_2", "")):
        if selected:
            lab.card(page, selected).click(position=HEAD)
        x, y = canvas["x"] + (canvas["width"] - 40 if selected else 260), canvas["y"] + canvas["height"] - 240
        page.mouse.dblclick(x, y)
        lab.by_id(page, "quick-search").fill("sphere")
        page.keyboard.press("Enter")
        lab.by_id(page, f"node-sphere{number}").wait_for()
        lab.settle(page)
        page.screenshot(path=artifacts / f"designer_pointed{number}.png")
        card = lab.by_id(page, f"node-sphere{number}").bounding_box()
        assert abs(card["y"] - y) < 12
        assert card["x"] <= x <= card["x"] + card["width"] + 24
        assert card["x"] + card["width"] < canvas["x"] + canvas["width"]
        assert page.evaluate(view) == seen
        fed = page.locator(f'[aria-label="wire from {selected} to sphere{number}"]').count()
        assert fed == (1 if selected else 0)
        if selected:
            page.keyboard.press("Escape")


def test_an_image_wire_over_a_card_offers_no_arguments_and_leaves_free_space_free(designer: Any) -> None:
    page = designer
    card = lab.by_id(page, "node-rotate").bounding_box()
    x, below = card["x"] + 70, card["y"] + card["height"]
    for port, rows in (("port-out-uniform-0", True), ("port-out-resize-0", False)):
        page.mouse.move(*_middle(lab.by_id(page, port).bounding_box()))
        page.mouse.down()
        page.mouse.move(x, card["y"] + 40, steps=8)
        lab.settle(page)
        assert (page.locator(".ds-droprows").count() > 0) is rows, port
        page.mouse.move(x, below + 60, steps=8)
        page.mouse.up()
        if not rows:
            lab.by_id(page, "quick-add").wait_for()
        else:
            page.keyboard.press("Control+z")
            lab.settle(page)


def test_the_menu_of_a_wire_is_that_of_its_button_too(designer: Any) -> None:
    page = designer
    # no wire lies over the letter of its port
    on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.ds-port') !== null"
    for port in ("port-out-uniform-0", "arg-port-rotate-angle"):
        assert page.evaluate(on_top, _middle(lab.by_id(page, port).bounding_box())), port
    wire = page.locator('[aria-label="wire from decode to resize"]')
    page.mouse.click(*_middle(wire.bounding_box()))
    button = page.locator(".ds-wire-cut")
    button.wait_for()
    button.click(button="right")
    page.get_by_role("menuitem", name="Cut this wire").click()
    wire.wait_for(state="detached")


def test_what_is_not_used_is_returned_by_a_click(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.flip(resize, horizontal=1)')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 380})
    page.keyboard.press("Control+v")
    lab.by_id(page, "unused-flip").click()
    _await_code(page, "return brightness_contrast, labels, flip")


def test_an_entered_subgraph_tells_of_itself(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "resize").click(position=HEAD)
    lab.card(page, "rotate").click(position=HEAD, modifiers=["Control"])
    lab.by_id(page, "several-collapse").click()  # what the inspector offers for several
    lab.by_id(page, "node-group:group1").wait_for()
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("Enter")
    lab.by_id(page, "crumbs").wait_for()
    assert lab.by_id(page, "box-title").input_value() == "subgraph"
    # what it is wired to is beside it, with the ports of these wires alone
    assert lab.by_id(page, "port-out-decode-0").is_visible()
    assert not lab.by_id(page, "port-in-decode-0").is_visible()
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_inside.png")
    page.get_by_role("button", name="Close", exact=True).first.click()
    lab.by_id(page, "node-group:group1").wait_for()


def test_a_new_pipeline_in_a_narrow_frame_shows_its_ways_to_begin_alone(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "narrow.ipynb", "from dali_studio import Designer\nDesigner()")
    lab.open_notebook(page, server[0], "narrow.ipynb")
    lab.by_id(page, "empty").wait_for(timeout=90_000)
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("element => { element.style.width = '500px'; }")
    lab.settle(page)
    assert page.locator('[data-testid="add-operator"]:visible').count() == 1


def test_the_search_finds_junctions_and_leads_the_nearest_wire_there(designer: Any) -> None:
    page = designer
    canvas = lab.by_id(page, "canvas").bounding_box()
    x, y = canvas["x"] + 220, canvas["y"] + 350
    page.mouse.dblclick(x, y)
    lab.by_id(page, "quick-search").fill("re")
    page.locator(".ds-quick-hit").nth(30).scroll_into_view_if_needed()  # those out of sight come when the typing pauses
    for word in ("junction", "reroute"):
        lab.by_id(page, "quick-search").fill(word)
        assert page.locator(".ds-quick-hit").last.get_attribute("data-testid") == "quick-junction"
    page.keyboard.press("Enter")
    point = page.locator(".ds-junction").first
    point.wait_for()
    assert abs(_middle(point.bounding_box())[0] - x) < 3
    assert abs(_middle(point.bounding_box())[1] - y) < 3


def test_outputs_say_why_they_stay(designer: Any) -> None:
    page = designer
    lab.card(page, "outputs").click(position=HEAD)
    page.keyboard.press("Delete")
    lab.by_id(page, "strip").get_by_text("Outputs stay").wait_for()
    assert page.locator('[data-testid="undo-notice"]').count() == 0


def test_a_card_that_is_dragged_into_a_cell_leaves_a_line_there(page: Any, server: tuple[str, Path]) -> None:
    code = scenes.five().replace("designer = Designer(made)", "mine = Designer(made, height=480)\nmine")
    lab.write_notebook(server[1] / "line.ipynb", code, "shape = 1\n")
    lab.open_notebook(page, server[0], "line.ipynb")
    lab.by_id(page, "thumb-rotate").wait_for(timeout=90_000)
    cell = page.locator(".jp-Cell").nth(1)
    cell.scroll_into_view_if_needed()
    lab.settle(page)
    card = page.locator('[data-testid="node-rotate"]')
    before = card.bounding_box()
    line = cell.locator(".cm-line").nth(1).bounding_box()
    page.mouse.move(before["x"] + 60, before["y"] + 60)
    page.mouse.down()
    page.mouse.move(before["x"] + 60, before["y"] + 120, steps=4)
    page.mouse.move(line["x"] + 100, line["y"] + 5, steps=6)
    page.mouse.up()
    assert cell.locator(".cm-content").inner_text() == 'shape = 1\nmine.node["rotate"].output()'
    assert card.bounding_box() == before
    assert page.locator('[data-testid="undo"]').is_disabled()


def test_what_a_scroll_brings_below_the_pointer_is_not_pointed_at(designer: Any) -> None:
    page = designer
    card = lab.card(page, "rotate").bounding_box()
    x, y = card["x"] + 70, card["y"] - 20
    page.mouse.move(x, y)
    page.evaluate("""() => { window.found = [];
      document.addEventListener('pointerover', e => window.found.push(e.target.closest('.react-flow__node')?.dataset.id)); }""")
    page.mouse.wheel(0, 60)
    page.wait_for_function("() => window.found.includes('rotate')")
    lab.settle(page)
    assert page.locator("[data-hovered], .ds-wire-own").count() == 0
    page.mouse.move(x + 1, y)
    page.locator('[data-hovered][data-testid="node-rotate"]').wait_for()
    assert page.locator(".ds-wire-own").count() > 1
    # and what it brings away from there is not pointed at any longer
    page.mouse.wheel(0, -60)
    page.locator("[data-hovered]").wait_for(state="detached")
