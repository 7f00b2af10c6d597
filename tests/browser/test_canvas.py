"""Building on the canvas, in JupyterLab: clipboard, splicing, menu, search, colours, junctions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.training import HEAD

pytestmark = pytest.mark.browser

AXE = lab.REPOSITORY / "extension" / "node_modules" / "axe-core" / "axe.min.js"


def test_nodes_travel_as_nodes_and_as_a_program(designer: Any, artifacts: Path) -> None:
    page = designer
    before = training.nodes(page)
    lab.card(page, "rotate").click(position=HEAD)
    training.await_code(page, "fn.rotate(")
    page.keyboard.press("Control+c")
    text = page.evaluate("() => navigator.clipboard.readText()")
    assert text == "rotate = fn.rotate(resize, angle=uniform, fill_value=128)\n"
    page.keyboard.press("Control+v")
    lab.by_id(page, "node-rotate_2").wait_for()
    page.keyboard.press("Control+z")
    lab.by_id(page, "node-rotate_2").wait_for(state="detached")
    # a program from anywhere
    page.evaluate("() => navigator.clipboard.writeText('x = fn.flip(resize, horizontal=1)\\ny = fn.hsv(x, hue=40.0)\\n')")
    page.keyboard.press("Control+v")
    training.drawn(page, "thumb-hsv")
    assert training.nodes(page) == before | {"flip", "hsv"}
    assert "2 nodes" in lab.by_id(page, "inspector").inner_text()
    page.evaluate("() => navigator.clipboard.writeText('while True: fn.flip(resize)')")
    page.keyboard.press("Control+v")
    lab.by_id(page, "strip").wait_for()
    assert "Line 1: while True: is not read" in lab.by_id(page, "strip").inner_text()
    # what was wired and comes without is said first
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Control+c")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    lab.by_id(page, "node-rotate").wait_for(state="detached")
    page.keyboard.press("Control+v")
    lab.by_id(page, "strip").get_by_text("Pasted without the wire of rotate.angle").wait_for()
    page.screenshot(path=artifacts / "designer_pasted_without.png")


_MIDDLE = """target => { const path = [...document.querySelectorAll('.react-flow__edge')].find(e => e.dataset.id === target)
    .querySelector('.react-flow__edge-path'); const { x, y } = path.getPointAtLength(path.getTotalLength() / 2)
    .matrixTransform(path.getScreenCTM()); return [x, y]; }"""


def test_a_wired_card_dropped_on_another_wire_moves_there(designer: Any, artifacts: Path) -> None:
    page = designer

    def dragged(key: str, wire: str) -> None:
        card = lab.by_id(page, f"node-{key}").bounding_box()
        x, y = page.evaluate(_MIDDLE, wire)
        page.mouse.move(card["x"] + 70, card["y"] + 12)
        page.mouse.down()
        page.mouse.move(x + 30, y + 30, steps=4)
        page.mouse.move(x, y, steps=4)
        page.wait_for_timeout(150)

    dragged("rotate", "resize|in|0")
    page.locator(".ds-wire-target").first.wait_for(state="attached")  # a straight line has no height
    page.screenshot(path=artifacts / "designer_moved_into_a_wire.png")
    page.mouse.up()
    training.await_code(page, "fn.resize(rotate")
    training.await_code(page, "fn.rotate(decode")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_moved_step.png")
    page.keyboard.press("Control+z")
    training.await_code(page, "fn.rotate(resize")
    # what has no one thing to pass on says so, and stays where it was put
    before = lab.by_id(page, "node-uniform").bounding_box()
    dragged("uniform", "resize|in|0")
    page.mouse.up()
    page.wait_for_selector('[data-testid="strip"]:has-text("uniform does not pass one thing on")')
    assert lab.by_id(page, "node-uniform").bounding_box() != before
    page.keyboard.press("Control+z")
    lab.settle(page)
    assert lab.by_id(page, "node-uniform").bounding_box() == before
    # by keys
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Control+ArrowLeft")
    training.await_code(page, "fn.resize(rotate")
    page.keyboard.press("Control+ArrowRight")
    training.await_code(page, "fn.rotate(resize")


def _places(page: Any) -> dict[str, tuple[int, int]]:
    """Where the cards are, once they have come to rest."""
    lab.settle(page)
    found = page.locator(".react-flow__node").evaluate_all(
        "all => all.map(one => [one.dataset.id, ...one.style.transform.match(/-?[0-9.]+/g).map(Number)])"
    )
    return {key: (round(x), round(y)) for key, x, y in found}


def test_the_selected_cards_alone_are_laid_out(designer: Any) -> None:
    page = designer
    for key, by in (("rotate", 230), ("uniform", 60)):
        card = lab.card(page, key).bounding_box()
        page.mouse.move(card["x"] + 70, card["y"] + 12)
        page.mouse.down()
        page.mouse.move(card["x"] + 70, card["y"] + 12 + by, steps=6)
        page.mouse.up()
    lab.card(page, "resize").click(position=HEAD)
    lab.card(page, "rotate").click(position=HEAD, modifiers=["Control"])
    before = _places(page)
    page.keyboard.press("l")
    after = _places(page)
    assert after["rotate"][1] == after["resize"][1] != before["rotate"][1]
    assert {key: at for key, at in after.items() if key not in ("resize", "rotate")} == {
        key: at for key, at in before.items() if key not in ("resize", "rotate")
    }
    page.keyboard.press("Control+z")
    page.wait_for_function(
        "at => document.querySelector('[data-id=rotate]').style.transform.includes(`${at}px)`)", arg=before["rotate"][1]
    )


#: Whether the wire that is marked lies above the card that is dragged, which it would be hidden by.
_ABOVE = """() => { const level = name => +getComputedStyle(document.querySelector(name)).zIndex;
  return level('svg:has(> .react-flow__edge .ds-wire-target)') > level('.react-flow__node.dragging'); }"""


def test_a_card_dropped_on_a_wire_goes_into_it_and_a_cut_takes_wires_away(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.hsv(images, hue=90.0)')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    card = lab.by_id(page, "node-hsv")
    card.wait_for()
    lab.settle(page)
    start, a, b = (
        card.bounding_box(), lab.by_id(page, "node-decode").bounding_box(), lab.by_id(page, "node-resize").bounding_box(),
    )  # fmt: skip
    page.mouse.move(start["x"] + 70, start["y"] + 12)
    page.mouse.down()
    page.mouse.move((a["x"] + a["width"] + b["x"]) / 2, a["y"] + 14, steps=10)
    target = page.wait_for_selector(".ds-wire-target", state="attached")
    assert float(target.evaluate("path => parseFloat(getComputedStyle(path).strokeWidth)")) >= 5
    assert page.evaluate(_ABOVE)
    page.mouse.up()
    training.await_code(page, "fn.resize(hsv")
    training.await_code(page, "fn.hsv(decode")
    # wires are reached by the keyboard as well
    assert set(page.evaluate("() => [...document.querySelectorAll('.react-flow__edge')].map(e => e.tabIndex)")) == {0}
    # Alt and a drag across the wire behind it
    lab.cut(page, page.locator('[aria-label="wire from rotate to normalize"] path').first)
    page.locator('[aria-label="wire from rotate to normalize"]').wait_for(state="detached")


def test_cards_that_were_moved_make_room_for_one_that_is_dropped_on_a_wire(designer: Any, artifacts: Path) -> None:
    page = designer

    def drag(key: str, x: float, y: float) -> None:
        card = lab.by_id(page, f"node-{key}").bounding_box()
        page.mouse.move(card["x"] + 70, card["y"] + 12)
        page.mouse.down()
        page.mouse.move(x, y, steps=8)
        page.wait_for_timeout(100)
        page.mouse.up()
        lab.settle(page)

    def boxes() -> dict[str, tuple[float, ...]]:
        found = page.locator("[data-ds-node]").evaluate_all(
            "all => all.map(one => [one.dataset.dsNode, one.getBoundingClientRect()]).map(([key, r]) => [key, r.x, r.y, r.right, r.bottom])"
        )
        return {key: tuple(round(side) for side in sides) for key, *sides in found}

    rotate = lab.by_id(page, "node-rotate").bounding_box()
    drag("rotate", rotate["x"] + 78, rotate["y"] + 40)  # by hand, so that nothing is laid out
    page.evaluate("() => navigator.clipboard.writeText('x = fn.hsv(images, hue=90.0)')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    lab.by_id(page, "node-hsv").wait_for()
    lab.settle(page)
    before = boxes()
    drag("hsv", *page.evaluate(_MIDDLE, "resize|in|0"))
    training.await_code(page, "fn.resize(hsv")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_made_room.png")
    after = boxes()
    assert after["hsv"][1] == after["decode"][1]
    assert after["decode"][2] < after["hsv"][0] and after["hsv"][2] < after["resize"][0]
    assert after["rotate"][1] > after["resize"][1]  # where it was put
    frame = lab.by_id(page, "canvas").bounding_box()
    assert all(frame["x"] < box[0] and box[2] < frame["x"] + frame["width"] for box in after.values())
    for key, (left, top, right, bottom) in after.items():
        for other, (x, y, end, low) in after.items():
            assert key == other or end <= left or right <= x or low <= top or bottom <= y, (key, other)
    page.keyboard.press("Control+z")
    training.await_code(page, "fn.resize(decode")
    lab.settle(page)
    sizes = {key: (end - x) / (before[key][2] - before[key][0]) for key, (x, _, end, _) in boxes().items()}
    assert sizes.keys() == before.keys()
    origin = boxes()["reader"]
    for key, (x, y, _, _) in boxes().items():  # each where it was; the view may have grown
        assert abs((x - origin[0]) / sizes[key] - before[key][0] + before["reader"][0]) < 4
        assert abs((y - origin[1]) / sizes[key] - before[key][1] + before["reader"][1]) < 4


def test_menu_keys_bypass_and_find(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD, button="right")
    # what differs between them is said in their tooltips
    told = page.locator('[data-testid="menu"] button').evaluate_all("all => all.map(one => [one.innerText, one.title])")
    alike = {words for title, words in told if title.split()[0] in ("Bypass", "Mute", "Group", "Collapse")}
    assert "" not in alike and len(alike) == 4
    page.get_by_role("menuitem", name="Bypass").click()
    training.await_code(page, "# bypassed: rotate = fn.rotate(")
    page.screenshot(path=artifacts / "designer_bypassed_code.png")
    assert "ds-bypassed" in (lab.by_id(page, "node-rotate").get_attribute("class") or "")
    page.keyboard.press("b")
    training.await_code(page, "# bypassed", there=False)
    page.keyboard.press("?")
    keys = lab.by_id(page, "help").inner_text()
    assert "Bypass" in keys and "Ctrl+S" in keys
    page.keyboard.press("Escape")
    view = "() => document.querySelector('.react-flow__viewport').style.transform"
    seen = page.evaluate(view)
    page.keyboard.press("Control+f")
    lab.by_id(page, "find-field").fill("range=")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('[data-testid=inspector] b')?.textContent === 'uniform'")
    # what is in view is pointed out, and nothing moves
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.react-flow__node[data-id=uniform]')).outlineStyle === 'solid'"
    )
    lab.settle(page)
    assert page.evaluate(view) == seen
    page.keyboard.press("Escape")
    # operators are found by their names elsewhere, with a picture of what they do
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("Space")
    lab.by_id(page, "quick-search").fill("ColorJitter")
    lab.by_id(page, "quick-torchvision.ColorJitter").wait_for()
    # the box covers no card, that which the new one will hang on least of all
    page.wait_for_function("() => !document.querySelector('.ds-quick').getAnimations().length")
    quick, *cards = (lab.by_id(page, name).bounding_box() for name in ("quick-add", "node-resize", "node-decode", "node-rotate"))
    for card in cards:
        beside = quick["x"] >= card["x"] + card["width"] or quick["x"] + quick["width"] <= card["x"]
        assert beside or quick["y"] >= card["y"] + card["height"]
    training.drawn(page, "quick-trial")
    # and what they draw is drawn
    page.keyboard.press("Enter")
    lab.by_id(page, "node-color_twist").wait_for()
    assert lab.by_id(page, "node-brightness").count() == lab.by_id(page, "node-hue").count() == 1
    page.wait_for_function("() => document.querySelector('[data-testid=inspector] b')?.textContent === 'color_twist'")
    page.keyboard.press("Control+z")
    lab.by_id(page, "node-color_twist").wait_for(state="detached")


def test_the_search_puts_one_behind_the_other(designer: Any) -> None:
    page = designer
    # with Shift the box stays, and what is added next follows what came just now
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("Space")
    for name, made in (("ColorJitter", "color_twist"), ("RandomRotation", "rotate_2")):
        lab.by_id(page, "quick-search").fill(name)
        lab.by_id(page, f"quick-torchvision.{name}").wait_for()
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector(f'[data-testid="quick-add"] :text("takes images of {made}")')
    page.keyboard.press("Escape")
    assert page.locator('[aria-label="wire from color_twist to rotate_2"]').count() == 1
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    lab.by_id(page, "node-color_twist").wait_for(state="detached")
    # also where it is added before the kernel has answered
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("Space")
    lab.by_id(page, "quick-search").fill("ColorJitter")
    lab.by_id(page, "quick-torchvision.ColorJitter").wait_for()
    for _ in range(2):
        page.keyboard.press("Shift+Enter")
    lab.by_id(page, "quick-search").fill("blur")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Escape")
    for source, target in (("resize", "color_twist"), ("color_twist", "color_twist_2"), ("color_twist_2", "gaussian_blur")):
        page.locator(f'[aria-label="wire from {source} to {target}"]').wait_for(state="attached")
    for _ in range(3):
        page.keyboard.press("Control+z")
    lab.by_id(page, "node-color_twist").wait_for(state="detached")


def test_a_node_is_given_a_colour_from_its_menu(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Next colour").click()
    lab.by_id(page, "tag-rotate").wait_for()
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Next colour").click()
    page.wait_for_function("() => document.querySelector('[data-testid=tag-rotate]').style.cssText.includes('teal')")
    lab.card(page, "decode").click(position=HEAD)
    lab.settle(page)
    lab.card(page, "rotate").screenshot(path=artifacts / "designer_tag.png")
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="No colour").click()
    lab.by_id(page, "tag-rotate").wait_for(state="detached")
    page.keyboard.press("Control+z")
    lab.by_id(page, "tag-rotate").wait_for()
    # a copy has it, too
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Control+d")
    lab.by_id(page, "tag-rotate_2").wait_for()


def test_a_card_whose_place_is_pinned_stays_when_cards_are_laid_out(designer: Any, artifacts: Path) -> None:
    page = designer
    first = _places(page)
    box = lab.card(page, "rotate").bounding_box()
    page.mouse.move(box["x"] + 70, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 110, box["y"] + 60, steps=4)
    page.mouse.up()
    put = _places(page)
    assert put["rotate"] != first["rotate"]
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Pin its place").click()
    lab.by_id(page, "fixed-rotate").wait_for()
    lab.by_id(page, "designer").screenshot(path=artifacts / "designer_pinned_place.png")
    page.keyboard.press("Escape")
    lab.card(page, "decode").click(position=HEAD)
    page.keyboard.press("l")
    laid = _places(page)
    assert laid["rotate"] == put["rotate"]
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Unpin its place").click()
    lab.by_id(page, "fixed-rotate").wait_for(state="detached")
    page.keyboard.press("Control+z")
    lab.by_id(page, "fixed-rotate").wait_for()
    page.keyboard.press("Control+Shift+z")
    lab.by_id(page, "fixed-rotate").wait_for(state="detached")
    page.keyboard.press("Escape")
    lab.card(page, "decode").click(position=HEAD)
    page.keyboard.press("l")
    assert _places(page)["rotate"] != put["rotate"]


def test_the_view_that_nobody_chose_fits_its_room(designer: Any) -> None:
    page = designer
    zoom = page.locator(".ds-zoom-value").first
    first = zoom.inner_text()
    assert int(first.split()[0]) > 95
    widget = page.locator(".jp-OutputArea .ds-widget").first
    for width, expected in (("1000px", False), ("", True)):
        widget.evaluate("(one, width) => { one.style.width = width; }", width)
        page.wait_for_timeout(400)  # cards are laid out anew when the room has kept its size for a while
        lab.settle(page)
        assert (zoom.inner_text() == first) is expected
    # what comes and goes again at the end of the chain neither moves nor shrinks what is looked at
    view = "() => document.querySelector('.react-flow__viewport').style.transform"
    seen = page.evaluate(view)
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Space")
    lab.by_id(page, "quick-search").fill("hsv")
    page.keyboard.press("Enter")
    lab.by_id(page, "node-hsv").wait_for()
    lab.settle(page)
    assert page.evaluate(view) == seen
    page.keyboard.press("Delete")
    lab.by_id(page, "node-hsv").wait_for(state="detached")
    lab.settle(page)
    assert page.evaluate(view) == seen


def test_wires_are_led_through_junctions(designer: Any, artifacts: Path) -> None:
    page = designer
    wire = page.locator('[aria-label="wire from uniform to rotate"] path.react-flow__edge-path')
    x, y = wire.evaluate(
        "p => { const m = p.getScreenCTM(); const q = p.getPointAtLength(p.getTotalLength() / 2).matrixTransform(m); return [q.x, q.y]; }"
    )
    page.mouse.dblclick(x, y)
    junction = page.locator('[data-testid="junction-rotate|arg|angle-0"]')
    junction.wait_for()
    straight = wire.get_attribute("d")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 40, steps=4)
    page.mouse.up()
    page.wait_for_function("a => document.querySelector(a[0]).getAttribute('d') !== a[1]", arg=[
        '[aria-label="wire from uniform to rotate"] path.react-flow__edge-path', straight,
    ])  # fmt: skip
    page.screenshot(path=artifacts / "designer_junction.png")
    assert "1 junction" in (lab.by_id(page, "outline-rotate|arg|angle").text_content() or "")
    # by the keyboard: a second one into the focused wire, moved, taken away, and back
    page.locator('[aria-label="wire from uniform to rotate"]').focus()
    page.keyboard.press("j")
    second = page.locator('[data-testid="junction-rotate|arg|angle-1"]')
    second.wait_for()
    second.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    second.wait_for(state="detached")
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("Control+z")
    second.wait_for()


def test_nothing_serious_is_in_the_way_of_assistive_technologies(designer: Any) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm install in extension)")
    page = designer
    page.evaluate(AXE.read_text())

    def check(where: str) -> None:
        found = page.evaluate(
            """async () => (await axe.run(document.querySelector('.ds-widget'))).violations
            .filter(v => ['serious', 'critical'].includes(v.impact)).map(v => [v.id, v.nodes[0].html])"""
        )
        assert found == [], where

    for theme in ("JupyterLab Light", "JupyterLab Dark", "JupyterLab Dark High Contrast"):
        lab.set_theme(page, theme)
        lab.settle(page)
        check(theme)
        for key in ("uniform", "normalize", "rotate"):
            lab.card(page, key).click(position=HEAD)
            lab.settle(page)
            check(f"{theme}, {key}")
        for key in ("Space", "?", "Control+f"):
            page.keyboard.press(key)
            lab.settle(page)
            check(f"{theme}, {key}")
            page.keyboard.press("Escape")
        lab.by_id(page, "tab-batch").click()
        lab.by_id(page, "sheet-mode-sweep").click()
        lab.settle(page)
        check(f"{theme}, sweep")
        lab.by_id(page, "sheet-mode-samples").click()
        lab.by_id(page, "tab-batch").click()
        lab.card(page, "rotate").click(position=HEAD, button="right")
        check(f"{theme}, menu")
        page.get_by_role("menuitem", name="Compare with its input").click()
        lab.by_id(page, "pair-facts").wait_for()
        check(f"{theme}, comparison")
        lab.by_id(page, "pair-close").click()
    # in high contrast, what has a meaning is not pale: it has another mark
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("b")
    page.locator(".ds-bypassed").wait_for()
    pale = """() => [...document.querySelectorAll('.ds-canvas [class*=ds-]:not(:disabled)')].filter(one => {
        const { opacity, strokeOpacity } = getComputedStyle(one);
        return Number(opacity) * Number(strokeOpacity) < 1; }).map(one => one.outerHTML.slice(0, 200))"""
    assert page.evaluate(pale) == []
    lab.set_theme(page, "JupyterLab Light")  # the setting outlives the page


#: Which wires stand out, how thick the thinnest of them is, how thick the others are at most, and how opaque all at least.
_THICK = """() => { const all = [...document.querySelectorAll('.react-flow__edge-path.ds-wire')];
  const is = one => one.classList.contains('ds-wire-own'), thick = of => of.map(one => parseFloat(getComputedStyle(one).strokeWidth));
  return [all.filter(is).map(one => one.closest('.react-flow__edge').dataset.id).sort(), Math.min(...thick(all.filter(is)), 99),
    Math.max(...thick(all.filter(one => !is(one)))), Math.min(...all.map(one => +getComputedStyle(one).opacity))]; }"""


def test_what_is_looked_at_lets_its_wires_stand_out(designer: Any, artifacts: Path) -> None:
    page = designer

    def own() -> list[str]:
        found, strong, weak, opaque = page.evaluate(_THICK)
        assert strong > 1.4 * weak
        assert opaque == 1  # so few wires need not fade
        return found

    away = lab.by_id(page, "canvas").bounding_box()
    page.mouse.move(away["x"] + 12, away["y"] + away["height"] / 2)
    assert own() == []
    lab.card(page, "resize").hover(position=HEAD)
    assert own() == ["resize|in|0", "rotate|in|0"]
    page.screenshot(path=artifacts / "designer_wires_of_a_card.png")
    lab.by_id(page, "port-in-rotate-0").hover()
    assert own() == ["rotate|in|0"]
    page.mouse.move(*page.evaluate(_MIDDLE, "resize|in|0"))
    assert own() == ["resize|in|0"]
    page.mouse.move(away["x"] + 12, away["y"] + away["height"] / 2)
    assert own() == []
    # where all wires are a few paths, those of the card, and the wire at the pointer
    lab.by_id(page, "canvas").focus()
    for _ in range(20):
        if lab.by_id(page, "far-wires").count():
            break
        page.keyboard.press("-")
        lab.settle(page)
    lab.by_id(page, "node-resize").hover()
    page.wait_for_function("() => document.querySelectorAll('.ds-far-wire-own').length === 2")
    at = page.locator(".ds-far-wires path:not([d=''])").first.evaluate(
        """path => { const { x, y } = path.getPointAtLength(1 / path.getScreenCTM().a).matrixTransform(path.getScreenCTM());
        return [x + 3, y]; }"""
    )
    page.mouse.move(at[0] + 1, at[1])
    page.mouse.move(*at)
    page.wait_for_function("() => document.querySelectorAll('.ds-far-wire-own').length === 1")
    page.screenshot(path=artifacts / "designer_wire_far.png")
    # selected by keys
    page.mouse.move(away["x"] + 12, away["y"] + away["height"] / 2)
    lab.card(page, "rotate").click()
    page.mouse.move(away["x"] + 12, away["y"] + away["height"] / 2)
    page.wait_for_function("() => document.querySelectorAll('.ds-far-wire-own').length === 3")
