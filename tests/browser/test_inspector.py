"""Fields of the inspector, in JupyterLab: what is applied while it is typed, steps, resets, several nodes at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.training import HEAD

pytestmark = pytest.mark.browser


def _await_value(page: Any, name: str, value: str) -> None:
    page.wait_for_function(
        "([name, value]) => document.querySelector(`[data-testid='${name}']`)?.value === value", arg=[name, value]
    )


def _undo_a_number(page: Any) -> None:
    """A number that was entered is undone from its field."""
    lab.by_id(page, "number-fill_value").fill("77")
    page.keyboard.press("Enter")
    training.await_code(page, "fill_value=77")
    page.keyboard.press("Control+z")
    training.await_code(page, "fill_value=77", there=False)
    _await_value(page, "number-fill_value", "120")


def _drag_a_number(page: Any) -> None:
    """4 px for each step, as one step to undo; a click puts the caret into it."""
    box = lab.by_id(page, "number-fill_value").bounding_box()
    page.keyboard.press("Escape")
    lab.by_id(page, "canvas").focus()
    page.mouse.move(box["x"] + 10, box["y"] + 8)
    page.mouse.down()
    for by in range(1, 11):
        page.mouse.move(box["x"] + 10 + 4 * by, box["y"] + 8)
    page.mouse.up()
    _await_value(page, "number-fill_value", "130")
    training.await_code(page, "fill_value=130")
    page.keyboard.press("Control+z")
    _await_value(page, "number-fill_value", "120")
    lab.by_id(page, "number-fill_value").click()
    assert page.evaluate("() => document.activeElement.dataset.testid") == "number-fill_value"
    _undo_a_number(page)


def _values_of_the_batch(page: Any, artifacts: Path) -> None:
    """Beside an argument that is drawn, as on its generator's card; that of the shown sample is told apart."""
    lab.card(page, "rotate").click(position=HEAD)
    bars = "selector => [...document.querySelectorAll(`${selector} .ds-values i`)].map(one => [one.title, one.className])"
    here = page.evaluate(bars, '[data-testid="field-angle"]')
    assert len(here) == 8 and here == page.evaluate(bars, '[data-testid="node-uniform"]')
    lab.by_id(page, "sample-2").click()
    page.wait_for_function("() => document.querySelector('[data-testid=field-angle] .ds-value-now')?.title.startsWith('sample 3:')")
    page.screenshot(path=artifacts / "inspector_drawn.png")


def test_values_are_applied_stepped_and_reset(designer: Any, artifacts: Path) -> None:
    page = designer
    # applied while it is typed, with a comma as well; what cannot be applied stays, with the reason, and nothing runs by it
    lab.card(page, "resize").click(position=HEAD)
    field, reason = lab.by_id(page, "number-resize_shorter"), lab.by_id(page, "reason-resize_shorter")
    field.fill("150,5")
    training.await_code(page, "resize_shorter=150.5")
    field.fill("15o")
    reason.wait_for()
    page.keyboard.press("Enter")
    assert reason.inner_text() == "A number is needed here."
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("15o", "true")
    training.drawn(page, "thumb-resize")
    training.await_code(page, "resize_shorter=150.5")
    page.keyboard.press("Escape")
    reason.wait_for(state="detached")
    assert field.input_value() == "150.5"

    _values_of_the_batch(page, artifacts)

    # steps of a field and of a slider: Shift is fine, Ctrl is coarse
    lab.by_id(page, "number-fill_value").fill("100")
    _await_value(page, "slider-fill_value", "100")
    for part, key, values in (
        ("number-fill_value", "ArrowUp", ("101", "101.1", "110")), ("slider-fill_value", "ArrowRight", ("111", "111.1", "120")),
    ):  # fmt: skip
        lab.by_id(page, part).focus()
        for modifier, value in zip(("", "Shift+", "Control+"), values, strict=True):
            page.keyboard.press(modifier + key)
            _await_value(page, "number-fill_value", value)

    _drag_a_number(page)  # and one that was entered is undone

    # more arguments on request; one is reset, then all, each as one step
    field = lab.by_id(page, "field-fill_value")
    assert "ds-changed" in field.get_attribute("class")
    fields = page.locator('[data-testid="inspector"] [data-testid^="field-"]')
    few = fields.count()
    lab.by_id(page, "show-more").click()
    assert fields.count() > few
    lab.by_id(page, "field-keep_size").get_by_role("switch").click()
    training.await_code(page, "keep_size=True")
    lab.by_id(page, "reset-fill_value").click()
    training.await_code(page, "fill_value", there=False)
    assert "ds-changed" not in field.get_attribute("class")
    page.keyboard.press("Control+z")
    training.await_code(page, "fill_value=120")
    lab.by_id(page, "reset-all").click()
    training.await_code(page, "rotate = fn.rotate(resize, angle=uniform)\n")
    assert lab.by_id(page, "reset-all").count() == 0
    page.keyboard.press("Control+z")
    training.await_code(page, "keep_size=True")
    # a double click on a slider resets as well
    lab.by_id(page, "slider-fill_value").dblclick()
    training.await_code(page, "fill_value", there=False)
    page.keyboard.press("Control+z")

    # about the operator: how it is called, the line of this node, its page, its place in the gallery
    page.locator(".ds-about summary").click()
    about = lab.by_id(page, "about-code").inner_text()
    assert about.startswith("fn.rotate(image, angle, ") and "\n\nrotate = fn.rotate(resize, angle=uniform" in about
    assert page.locator(".ds-about a").get_attribute("href").endswith("nvidia.dali.fn.rotate.html")
    lab.by_id(page, "find-in-gallery").click()
    _await_value(page, "palette-search", "rotate")
    lab.by_id(page, "palette-toggle").click()


def test_a_dial_is_turned_by_dragging(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.hsv(images, hue=10.0)')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    lab.card(page, "hsv").click(position=HEAD)
    box = lab.by_id(page, "field-hue").locator(".ds-dial").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x + 14, y)
    page.mouse.down()
    for dx, dy in ((10, -10), (0, -14)):  # a quarter to the left
        page.mouse.move(x + dx, y + dy, steps=3)
    _await_value(page, "number-hue", "100")
    page.mouse.move(x + 14, y, steps=3)
    page.mouse.move(x, y - 14, steps=3)
    page.mouse.up()
    page.mouse.move(x - 14, y)  # it was let go
    lab.settle(page)
    _await_value(page, "number-hue", "100")
    lab.by_id(page, "undo").click()  # one step
    _await_value(page, "number-hue", "10")


def test_a_removed_node_is_undone_with_its_values_and_shown(designer: Any) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    lab.by_id(page, "number-fill_value").fill("77")
    training.await_code(page, "fill_value=77")
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Delete")
    lab.by_id(page, "node-rotate").wait_for(state="detached")
    lab.card(page, "decode").click(position=HEAD)
    page.keyboard.press("Control+z")
    _await_value(page, "number-fill_value", "77")
    assert page.locator(".react-flow__node.selected").evaluate_all("all => all.map(one => one.dataset.id)") == ["rotate"]
    # cut and pasted, with its wires
    page.keyboard.press("Control+x")
    lab.by_id(page, "node-rotate").wait_for(state="detached")
    page.keyboard.press("Control+v")
    page.locator('[aria-label="wire from resize to rotate"]').wait_for(state="attached")
    page.locator('[aria-label="wire from uniform to rotate"]').wait_for(state="attached")
    assert "77" in lab.by_id(page, "node-rotate").inner_text()


def test_arguments_of_several_nodes_are_set_together_and_cards_brought_in_line(designer: Any) -> None:
    page = designer
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("Control+d")
    lab.by_id(page, "node-resize_2").wait_for()
    lab.card(page, "resize").click(position=HEAD)
    lab.by_id(page, "number-resize_shorter").fill("140")
    training.await_code(page, "resize_shorter=140")
    lab.card(page, "resize").click(position=HEAD)
    lab.card(page, "resize_2").click(position=HEAD, modifiers=["Control"])
    differs = lab.by_id(page, "differs-resize_shorter")
    assert "resize: 140" in differs.inner_text() and "resize_2: 160" in differs.inner_text()
    lab.by_id(page, "number-resize_shorter").fill("150")
    differs.wait_for(state="detached")
    for key in ("resize", "resize_2"):
        lab.by_id(page, f"node-{key}").get_by_text("150 px").wait_for()
    lab.by_id(page, "align-left").click()
    lab.settle(page)
    left = [lab.by_id(page, f"node-{key}").bounding_box()["x"] for key in ("resize", "resize_2")]
    assert abs(left[0] - left[1]) < 1
    assert not lab.by_id(page, "align-across").is_enabled()  # two have one gap


def test_a_wire_is_drawn_by_keys_or_dropped_anywhere_on_a_card(designer: Any) -> None:
    page = designer
    assert page.locator('.react-flow__node[data-id="rotate"]').get_attribute("aria-label") == "rotate, rotate, cpu, 2 inputs connected, no error"
    lab.card(page, "decode").click(position=HEAD)
    page.keyboard.press("c")
    lab.by_id(page, "quick-search").fill("rotate.image")
    page.get_by_role("option", name="rotate.image now from resize").wait_for()
    page.keyboard.press("Enter")
    training.await_code(page, "fn.rotate(decode")
    page.keyboard.press("Control+z")
    training.await_code(page, "fn.rotate(resize")
    lab.settle(page)

    def drag(port: str, end: tuple[float, float]) -> None:
        box = lab.by_id(page, port).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(end[0] - 30, end[1] + 20, steps=6)
        page.mouse.move(*end, steps=4)

    card = lab.by_id(page, "node-rotate").bounding_box()
    drag("port-out-decode-0", (card["x"] + card["width"] / 2, card["y"] + card["height"] / 2))
    page.mouse.up()
    training.await_code(page, "fn.rotate(decode")
    page.keyboard.press("Control+z")
    training.await_code(page, "fn.rotate(resize")

    # data on a GPU is refused by a node on the CPU, with the way out, whatever else is wrong
    page.evaluate("() => navigator.clipboard.writeText('g = fn.hsv(resize.gpu(), hue=30.0, device=\"gpu\")')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    lab.by_id(page, "node-hsv").wait_for()
    lab.settle(page)
    port = lab.by_id(page, "port-in-rotate-0").bounding_box()
    drag("port-out-hsv-0", (port["x"] + port["width"] / 2, port["y"] + port["height"] / 2))
    hint = page.locator(".ds-drag-hint")
    hint.wait_for()
    said = "rotate runs on the CPU, and hsv gives data on the GPU."
    assert hint.inner_text().startswith(said)
    page.mouse.up()
    strip = lab.by_id(page, "strip")
    strip.get_by_text(said).wait_for()
    strip.get_by_role("button", name="Set rotate to gpu").click()
    page.locator('[aria-label="wire from hsv to rotate"]').wait_for(state="attached")
    page.locator('[data-testid="node-rotate"].ds-card-gpu').wait_for()
