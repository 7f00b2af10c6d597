"""The pipeline that turns photos at random, from an empty canvas: by mouse alone, and by keyboard alone."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import lab

from dali_studio import samples

pytestmark = pytest.mark.browser

EMPTY = "from dali_studio import Designer\nDesigner()"


class Person:
    """Who uses what is on the screen, and counts what it takes."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.actions = 0

    def _middle(self, name: str) -> tuple[float, float]:
        place = lab.by_id(self.page, name)
        place.wait_for()
        lab.settle(self.page)
        box = place.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, name: str) -> None:
        """Click what has a name."""
        self.page.mouse.click(*self._middle(name))
        self.actions += 1

    def drag(self, name: str, right: float, down: float) -> None:
        """Drag it so far, in px."""
        x, y = self._middle(name)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + right, y + down, steps=8)
        self.page.mouse.up()
        self.actions += 1

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        self.actions += len(keys)

    def focused(self) -> str:
        """The name of what has the keyboard."""
        return self.page.evaluate("() => document.activeElement.dataset.testid ?? ''")


def _begin(page: Any, server: tuple[str, Path]) -> Person:
    lab.write_notebook(server[1] / "walk.ipynb", EMPTY)
    lab.open_notebook(page, server[0], "walk.ipynb")
    lab.by_id(page, "empty").wait_for(timeout=90_000)
    lab.settle(page)
    return Person(page)


def _end(page: Any, *, shown: bool = True) -> None:
    """A run has measured every node, all cards can be seen, and the program is what was meant.

    A `rotate` behind a picture has the values with which its picture was `shown`.
    """
    page.wait_for_function(
        "() => / (ms|µs|s)$/.test(document.querySelector('[data-testid=\"time-rotate\"]')?.textContent ?? '')",
        timeout=60_000,
    )
    lab.settle(page)
    assert lab.painted(page, "rotate") != lab.painted(page, "decode")
    canvas = lab.by_id(page, "canvas").bounding_box()
    strip = page.locator(".ds-strip-over")
    top = strip.bounding_box() if strip.count() else None
    highest = top["y"] + top["height"] if top else canvas["y"]
    for card in page.locator(".react-flow__node").all():
        box = card.bounding_box()
        assert box["y"] >= highest, card.get_attribute("data-id")
        assert box["x"] >= canvas["x"]
        assert box["x"] + box["width"] <= canvas["x"] + canvas["width"]
        assert box["y"] + box["height"] <= canvas["y"] + canvas["height"]
    lab.by_id(page, "copy-code").click()
    source = page.evaluate("() => navigator.clipboard.readText()")
    made = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    assert [ast.unparse(line) for line in made.body[1:]] == [
        "decode = fn.decoders.image(files)",
        f"angle = fn.random.uniform(range={[10, 30] if shown else [-10, 10]})",
        f"rotate = fn.rotate(decode, angle=angle{', keep_size=True, fill_value=0' if shown else ''})",
        "return (rotate, labels)",
    ]


def test_photos_turn_at_random_by_the_mouse_alone(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    person = _begin(page, server)
    person.click("open-samples")
    person.drag("port-out-decode-0", 20, 200)
    person.click("quick-rotate")
    person.click("random-angle")
    lab.by_id(page, "node-angle").wait_for()
    person.click("run")
    _end(page)
    assert person.actions == 5
    page.screenshot(path=artifacts / "walk_mouse.png")


def test_an_operator_that_was_put_anywhere_goes_onto_a_wire_by_the_mouse(page: Any, server: tuple[str, Path]) -> None:
    person = _begin(page, server)
    person.click("open-samples")
    lab.by_id(page, "node-decode").wait_for()
    lab.settle(page)
    canvas = lab.by_id(page, "canvas").bounding_box()
    page.mouse.dblclick(canvas["x"] + 300, canvas["y"] + 300)
    person.click("quick-rotate")
    page.keyboard.press("Escape")  # while it is selected, the inspector says that it has no input yet
    lab.by_id(page, "strip").wait_for()
    lab.settle(page)
    # the cards that were there are still in sight, with their ports
    card, wire = lab.by_id(page, "node-rotate").bounding_box(), lab.by_id(page, "port-out-decode-0").bounding_box()
    strip = lab.by_id(page, "strip").bounding_box()
    assert wire["y"] >= strip["y"] + strip["height"]
    page.mouse.move(card["x"] + 75, card["y"] + 14)
    page.mouse.down()
    page.mouse.move(wire["x"] + 30, wire["y"] + 22, steps=10)
    page.mouse.up()
    person.click("random-angle")
    lab.by_id(page, "node-angle").wait_for()
    person.click("run")
    _end(page, shown=False)


def test_photos_turn_at_random_by_the_keyboard_alone(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    person = _begin(page, server)
    while person.focused() != "open-samples":  # from the notebook's cell on
        person.press("Tab")
        assert person.actions < 10
    person.press("Enter")
    lab.by_id(page, "node-decode").wait_for()
    lab.settle(page)
    person.press("r", "o", "t")
    lab.settle(page)
    person.press("Enter")
    lab.by_id(page, "node-rotate").wait_for()
    lab.settle(page)
    person.press("Enter")
    page.wait_for_function("() => document.activeElement.dataset.testid === 'slider-angle'")
    person.press("Tab", "Tab")
    assert person.focused() == "random-angle"
    person.press("Enter")
    lab.by_id(page, "node-angle").wait_for()
    page.wait_for_function("() => document.activeElement.closest('.ds-canvas')")  # the button is gone
    person.press("Control+Enter")
    _end(page)
    assert person.actions <= 17
    page.screenshot(path=artifacts / "walk_keyboard.png")


def test_a_folder_is_chosen_by_the_keyboard_alone(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    photos = server[1] / "a folder"
    photos.mkdir(exist_ok=True)
    for photo in sorted(samples.photos().rglob("*.jpg"))[:2]:
        shutil.copy(photo, photos)
    words = "words => document.activeElement.textContent.includes(words)"
    person = _begin(page, server)
    while person.focused() != "browse-folders":  # from the notebook's cell on
        person.press("Tab")
        assert person.actions < 10
    person.press("Enter")
    page.wait_for_function(words, arg="one folder up")
    person.press("Escape")
    page.wait_for_function(words, arg="Choose folder")
    person.press("Enter")
    page.wait_for_function(words, arg="one folder up")
    while not page.evaluate(words, "a folder"):
        person.press("ArrowDown")
        assert person.actions < 20
    page.screenshot(path=artifacts / "walk_folders.png")
    person.press("Enter")
    lab.by_id(page, "choose-folder").get_by_text("Open 2 images").wait_for()
    page.wait_for_function(words, arg="one folder up")
    person.press("ArrowUp", "ArrowUp")  # round its end: what cancels is the last
    assert person.focused() == "choose-folder"
    person.press("Enter")
    lab.by_id(page, "node-decode").wait_for()
    page.wait_for_function("() => document.activeElement.closest('.ds-canvas')")


def test_what_is_added_while_the_search_stays_open_makes_a_chain(page: Any, server: tuple[str, Path]) -> None:
    person = _begin(page, server)
    person.click("open-samples")
    lab.by_id(page, "node-decode").wait_for()
    lab.settle(page)
    person.press("Space")
    for name in ("rotate", "flip"):
        lab.by_id(page, "quick-search").fill(name)
        person.press("Shift+Enter")
        lab.by_id(page, f"node-{name}").wait_for()
    lab.by_id(page, "quick-search").fill("uniform")  # fits no wire, and is found all the same
    person.press("Enter")
    lab.by_id(page, "node-uniform").wait_for()
    page.wait_for_function("() => document.querySelector('[data-testid=code]').textContent.includes('fn.flip(rotate')")
    assert "return flip, labels" in lab.by_id(page, "code").inner_text()


def test_an_operator_of_the_palette_goes_on_with_the_chain(page: Any, server: tuple[str, Path]) -> None:
    person = _begin(page, server)
    person.click("open-samples")
    lab.by_id(page, "node-decode").wait_for()
    person.click("palette-toggle")
    drawn = '[data-testid="effect-{}"][data-drawn="yes"]'
    for name in ("rotate", "crop"):
        page.locator(drawn.format(name)).wait_for()
    assert "decode" in (lab.by_id(page, "palette-picture").get_attribute("title") or "")
    # a long name loses its middle
    assert lab.by_id(page, "palette-random_resized_crop").locator("b").inner_text().endswith("crop")
    person.click("palette-only-Colour")
    page.locator(drawn.format("hsv")).wait_for()
    assert page.locator('[data-testid="palette-rotate"]').count() == 0
    person.click("palette-only-All")
    page.locator(".ds-palette").get_by_role("button", name="rotate").first.click()  # looks
    assert lab.by_id(page, "node-rotate").count() == 0
    person.click("palette-insert")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=code]').textContent.includes('return rotate, labels')"
    )
    lab.settle(page)
    canvas, outputs = lab.by_id(page, "canvas").bounding_box(), lab.by_id(page, "node-outputs").bounding_box()
    assert outputs["x"] + outputs["width"] <= canvas["x"] + canvas["width"]
