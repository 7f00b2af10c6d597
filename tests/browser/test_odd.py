"""What nobody is meant to do, and somebody does: cards out of the frame, narrow frames, odd names, lost wires."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes

pytestmark = pytest.mark.browser

HEAD = {"x": 70, "y": 12}
_KERNEL = "window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
_WIRES = "() => [...document.querySelectorAll('.react-flow__edge')].map(wire => wire.ariaLabel).sort()"


@pytest.fixture
def designer(page: Any, server: tuple[str, Path]) -> Any:
    lab.write_notebook(server[1] / "odd.ipynb", scenes.five() + scenes.SHOW)
    lab.open_notebook(page, server[0], "odd.ipynb")
    lab.by_id(page, "thumb-brightness_contrast").wait_for(timeout=90_000)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    lab.settle(page)
    return page


def test_all_wires_are_there_after_each_change_of_width(designer: Any) -> None:
    page = designer
    widget = page.locator(".jp-OutputArea .ds-widget").first
    widget.evaluate("element => { element.style.width = '1600px'; }")
    lab.settle(page)
    wires = page.evaluate(_WIRES)
    assert len(wires) == 7
    for width in (520, 800, 300, 1100, 520, 1600):
        widget.evaluate("(element, width) => { element.style.width = `${width}px`; }", width)
        lab.settle(page)
        if width > 560:
            assert page.evaluate(_WIRES) == wires, width
        else:  # a list, whose bar and tabs stay within the frame
            frame = lab.by_id(page, "designer").bounding_box()
            for part in (".ds-bar > *:visible", ".ds-tabs:visible"):
                for box in [one.bounding_box() for one in page.locator(part).all()]:
                    assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1, (width, part)


def test_a_selected_node_is_never_behind_the_inspector_that_floats(designer: Any) -> None:
    page = designer
    widget = page.locator(".jp-OutputArea .ds-widget").first
    lab.card(page, "rotate").click(position=HEAD)
    for width in (1100, 800, 640):
        widget.evaluate("(element, width) => { element.style.width = `${width}px`; }", width)
        # cards find their places a moment after the room has its size
        page.wait_for_function("""() => { const [card, panel] = ['node-rotate', 'inspector'].map(id =>
          document.querySelector(`[data-testid="${id}"]`).getBoundingClientRect()); return card.right < panel.left; }""")
        lab.settle(page)
        card, inspector = lab.by_id(page, "node-rotate").bounding_box(), lab.by_id(page, "inspector").bounding_box()
        assert card["x"] >= widget.bounding_box()["x"]
        assert card["x"] + card["width"] < inspector["x"], width
    lab.by_id(page, "tab-batch").click()
    for key in ("resize", "rotate"):
        lab.card(page, key).click(position={"x": 20, "y": 6})
        lab.settle(page)
        card, inspector = lab.by_id(page, f"node-{key}").bounding_box(), lab.by_id(page, "inspector").bounding_box()
        assert card["x"] + card["width"] < inspector["x"], key
    lab.by_id(page, "sheet-mode-sweep").click()  # whose cells need the room
    lab.by_id(page, "inspector").wait_for(state="detached")
    lab.by_id(page, "sheet-mode-samples").click()
    lab.by_id(page, "tab-batch").click()
    # nor is a box, which is wider than the card that was selected before it
    widget.evaluate("element => { element.style.width = '800px'; }")
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("0")
    lab.settle(page)
    lab.card(page, "resize").click(position={"x": 20, "y": 6})
    lab.settle(page)
    lab.card(page, "decode").click(position={"x": 100, "y": 6}, modifiers=["Control"])
    page.keyboard.press("g")
    box = page.locator(".ds-card-box")
    box.wait_for()
    lab.settle(page)
    card, inspector = box.bounding_box(), lab.by_id(page, "inspector").bounding_box()
    assert card["x"] + card["width"] < inspector["x"]
    page.keyboard.press("Control+z")
    box.wait_for(state="detached")
    lab.card(page, "rotate").click(position={"x": 20, "y": 6})
    lab.by_id(page, "tab-batch").click()
    widget.evaluate("element => { element.style.width = '520px'; }")
    lab.settle(page)
    row, sheet = lab.by_id(page, "outline-rotate").bounding_box(), lab.by_id(page, "sheet").bounding_box()
    assert row["y"] < sheet["y"]  # the list is there, too


def test_a_card_let_go_out_of_the_frame_moves_nothing_else_and_comes_back(designer: Any) -> None:
    page = designer
    card = lab.by_id(page, "node-rotate")
    before, view = card.bounding_box(), page.locator(".react-flow__viewport").first.get_attribute("style")
    canvas = lab.by_id(page, "canvas").bounding_box()
    page.mouse.move(before["x"] + 70, before["y"] + 12)
    page.mouse.down()
    page.mouse.move(canvas["x"] + 200, canvas["y"] + canvas["height"] + 120, steps=30)
    page.mouse.up()
    lab.settle(page)
    assert card.bounding_box()["y"] > canvas["y"] + canvas["height"]
    assert page.locator(".react-flow__viewport").first.get_attribute("style") == view
    page.keyboard.press("Control+z")
    lab.settle(page)
    after = card.bounding_box()
    assert abs(after["x"] - before["x"]) < 2 and abs(after["y"] - before["y"]) < 2


def test_the_frame_is_resized_fills_the_screen_and_leaves_the_wheel_to_the_page(designer: Any) -> None:
    page = designer
    frame = lab.by_id(page, "designer")
    height = frame.bounding_box()["height"]
    lab.by_id(page, "resize").press("ArrowDown")
    assert frame.bounding_box()["height"] == height + 20
    lab.by_id(page, "resize").scroll_into_view_if_needed()
    lab.settle(page)
    grip = lab.by_id(page, "resize").bounding_box()
    page.mouse.move(grip["x"] + 90, grip["y"] + 2)
    page.mouse.down()
    page.mouse.move(grip["x"] + 90, grip["y"] + 32, steps=3)
    page.mouse.up()
    assert frame.bounding_box()["height"] == height + 50
    lab.by_id(page, "expand").click()
    page.wait_for_function("() => document.fullscreenElement?.querySelector('[data-testid=canvas]')")
    page.evaluate("() => document.exitFullscreen()")
    page.wait_for_function("() => !document.fullscreenElement")
    # the wheel scrolls the page, unless the canvas has the keys, or Ctrl is held
    lab.settle(page)
    page.locator(".jp-Cell .cm-content").first.click()
    frame.scroll_into_view_if_needed()
    canvas, zoom = lab.by_id(page, "canvas").bounding_box(), page.locator(".ds-zoom-value").first
    page.mouse.move(canvas["x"] + 300, canvas["y"] + 30)
    seen = zoom.inner_text()
    page.mouse.wheel(0, 20)
    lab.settle(page)
    assert zoom.inner_text() == seen and frame.bounding_box()["y"] != canvas["y"]
    for key in ("Control", ""):
        if key:
            page.keyboard.down(key)
        else:
            lab.by_id(page, "canvas").focus()
        page.mouse.wheel(0, 120)
        page.wait_for_function("seen => document.querySelector('.ds-zoom-value').textContent !== seen", arg=seen)
        lab.settle(page)
        seen = zoom.inner_text()
        if key:
            page.keyboard.up(key)


def test_an_undo_in_the_middle_of_a_drag_leaves_a_value_that_can_be_undone(designer: Any) -> None:
    page = designer
    lab.card(page, "brightness_contrast").click(position=HEAD)
    field = lab.by_id(page, "number-contrast")
    lab.settle(page)  # the picture above it comes later, and moves it
    slider = lab.by_id(page, "slider-contrast").bounding_box()
    middle = slider["y"] + slider["height"] / 2
    page.mouse.move(slider["x"] + slider["width"] * 0.6, middle)
    page.mouse.down()
    page.mouse.move(slider["x"] + slider["width"] * 0.8, middle, steps=4)
    page.keyboard.press("Control+z")
    page.mouse.move(slider["x"] + slider["width"] * 0.9, middle, steps=4)
    page.mouse.up()
    lab.settle(page)
    assert float(field.input_value()) > 1.2
    lab.by_id(page, "canvas").focus()
    for _ in range(4):
        page.keyboard.press("Control+z")
    page.wait_for_function("() => document.querySelector('[data-testid=number-contrast]').value === '1.2'")


def test_the_name_of_the_outputs_card_is_refused(designer: Any) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("F2")
    for name in ("__outputs__", "\u0434\u043e\u043c", "\U0001f600", "\u0639\u0631\u0628\u064a"):
        lab.by_id(page, "rename").fill(name)
        page.keyboard.press("Enter")
        assert "starts with a letter" in lab.by_id(page, "rename-problem").inner_text()
    page.keyboard.press("Escape")
    lab.by_id(page, "node-rotate").wait_for()


def test_a_killed_kernel_gives_a_sweep_again(designer: Any) -> None:
    page = designer
    lab.card(page, "brightness_contrast").click(position=HEAD)
    lab.by_id(page, "tab-batch").click()
    lab.by_id(page, "sheet-mode-sweep").click()
    page.evaluate(f"() => {{ {_KERNEL}.requestExecute({{ code: 'import os; os._exit(1)', silent: true }}); }}")
    lab.by_id(page, "reconnect").wait_for(timeout=60_000)
    page.wait_for_function(f"() => ['idle', 'starting'].includes({_KERNEL}.status)", timeout=60_000)
    page.locator(".jp-Dialog button").first.click()  # the host's own word about it
    field = lab.by_id(page, "number-contrast")
    field.fill("0.5")
    field.press("Enter")
    assert "Your edit is kept" in lab.by_id(page, "strip").inner_text()
    lab.by_id(page, "reconnect").click()
    lab.by_id(page, "strip").wait_for(state="detached", timeout=60_000)
    page.wait_for_function(
        "() => Number(document.querySelector('[data-testid=sheet-5-0] canvas')?.dataset.drawn) > 0"
        " && !document.querySelector('.ds-sheet-old')",
        timeout=60_000,
    )
    assert field.input_value() == "0.5"


def test_a_graph_that_begins_again_after_an_undo_reads_from_left_to_right(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "begun_twice.ipynb", "from dali_studio import Designer\nDesigner()")
    lab.open_notebook(page, server[0], "begun_twice.ipynb")
    for name, key in (("resize", "resize"), ("readers.file", "reader")):
        lab.by_id(page, "add-operator").click(timeout=90_000)
        lab.by_id(page, "quick-search").fill(name)
        lab.by_id(page, "quick-search").press("Enter")
        lab.by_id(page, f"node-{key}").wait_for()
        lab.settle(page)
        cards = [lab.by_id(page, f"node-{one}").bounding_box() for one in (key, "outputs")]
        assert cards[1]["x"] > cards[0]["x"] + cards[0]["width"], name
        assert abs(cards[1]["y"] - cards[0]["y"]) < 4, name
        if key == "resize":
            page.keyboard.press("Control+z")
    # a wire let go over nothing is seen until it is told what it leads to
    port = lab.by_id(page, "port-out-reader-0").bounding_box()
    x, y = port["x"] + port["width"] / 2, port["y"] + port["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 200, steps=8)
    page.mouse.up()
    wire = page.locator(".ds-loose path").bounding_box()
    assert abs(wire["x"] - x) < 8 and abs(wire["x"] + wire["width"] - x - 60) < 8
    assert abs(wire["y"] - y) < 8 and abs(wire["y"] + wire["height"] - y - 200) < 8
    page.keyboard.press("Escape")
    page.locator(".ds-loose").wait_for(state="detached")


def test_operators_are_added_by_mouse_in_the_list_of_a_narrow_frame(designer: Any, artifacts: Path) -> None:
    page = designer
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("element => { element.style.width = '520px'; }")
    lab.settle(page)
    lab.by_id(page, "more").click()
    assert page.get_by_role("menuitem", name="Lay out").count() == 0  # there is no canvas
    page.get_by_role("menuitem", name="Gallery").click()
    lab.by_id(page, "palette-search").fill("zzqq")
    lab.by_id(page, "designer").get_by_role("button", name="Make a code node").wait_for()
    lab.by_id(page, "palette-search").fill("gaussian_blur")
    page.screenshot(path=artifacts / "operators_520.png")
    lab.by_id(page, "palette-gaussian_blur").click()
    lab.by_id(page, "palette-insert").click()
    lab.by_id(page, "designer").get_by_role("button", name="Close", exact=True).first.click()
    lab.by_id(page, "outline").get_by_text("gaussian_blur").first.wait_for()
    # below the list, too, behind what is selected
    lab.by_id(page, "outline").get_by_test_id("add-operator").click()
    lab.by_id(page, "quick-search").fill("flip")
    page.screenshot(path=artifacts / "quick_520.png")
    page.keyboard.press("Enter")
    lab.by_id(page, "outline-flip").wait_for()
    # rows have no places
    lab.by_id(page, "outline-flip").click(button="right")
    menu = lab.by_id(page, "menu")
    assert menu.get_by_role("menuitem", name="Duplicate").count() == 1
    assert menu.get_by_role("menuitem", name="its place").count() == 0
    page.keyboard.press("Escape")
    # all tabs are seen, and nothing is cut, in what a side panel leaves
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("element => { element.style.width = '150px'; }")
    page.wait_for_function("() => document.querySelector('.ds-bar').clientWidth < 150")
    lab.settle(page)
    page.screenshot(path=artifacts / "list_150.png")
    cut = "one => one.scrollWidth > one.clientWidth"
    for part in (".ds-bar", ".ds-tabs", ".ds-outline"):
        assert not page.locator(part).first.evaluate(cut), part
    lab.by_id(page, "outline").get_by_text("Returns flip, labels").wait_for()
    # a row opens in place, with its picture first, and in a column names are whole
    assert page.locator(".ds-outline .ds-inspector-head:visible").count() == 0
    lab.by_id(page, "outline").get_by_test_id("compare").wait_for()
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("element => { element.style.width = '190px'; }")
    lab.settle(page)
    names = page.locator(".ds-outline-words b").evaluate_all("all => all.map(one => one.scrollWidth <= one.clientWidth)")
    assert names[:2] == [True, True]
    page.screenshot(path=artifacts / "list_190.png")
    # a row is spoken by its name, not by what is in its picture
    assert lab.by_id(page, "outline").get_by_role("button", name=re.compile("^reader ")).count() == 1


def test_a_graph_is_as_large_as_before_its_frame_was_a_list(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "again.ipynb", scenes.six() + scenes.SHOW)
    lab.open_notebook(page, server[0], "again.ipynb")
    lab.by_id(page, "thumb-normalize").wait_for(timeout=90_000)
    widget, seen = page.locator(".jp-OutputArea .ds-widget").first, []
    for width in (1300, 500, 1300):
        widget.evaluate("(element, width) => { element.style.width = `${width}px`; }", width)
        lab.settle(page)
        page.wait_for_timeout(1500)  # the view rests once wires have found their ways
        seen.append(page.evaluate("() => document.querySelector('.react-flow__viewport')?.style.transform"))
    assert seen[0] == seen[2] != seen[1]
