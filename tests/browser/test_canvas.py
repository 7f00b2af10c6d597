"""Building on the canvas and looking closer, in JupyterLab: clipboard, splicing, menu, sweep, comparison, randomness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab

pytestmark = pytest.mark.browser

CODE = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=11)
def train():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), resize_shorter=160.0)
    images = fn.rotate(images, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=128.0)
    return fn.crop_mirror_normalize(images, crop=(128, 128), mean=[120.0], std=[60.0]), labels

designer = Designer(train(), height=820)
designer
"""
AXE = lab.REPOSITORY / "extension" / "node_modules" / "axe-core" / "axe.min.js"
HEAD = {"x": 70, "y": 12}


def _by_id(page: Any, name: str) -> Any:
    return page.locator(f'[data-testid="{name}"]').first


@pytest.fixture
def designer(page: Any, server: tuple[str, Path]) -> Any:
    lab.write_notebook(server[1] / "canvas.ipynb", CODE)
    lab.open_notebook(page, server[0], "canvas.ipynb")
    _by_id(page, "designer").wait_for(timeout=90_000)
    _drawn(page, "thumb-normalize")
    _by_id(page, "designer").scroll_into_view_if_needed()
    lab.settle(page)  # the notebook scrolls once more, to its last cell
    return page


def _drawn(page: Any, test_id: str) -> None:
    page.wait_for_function(
        'id => Number(document.querySelector(`[data-testid="${id}"]`)?.dataset.drawn ?? 0) > 0', arg=test_id,
        timeout=60_000,
    )  # fmt: skip


def _nodes(page: Any) -> set[str]:
    found = page.evaluate("() => [...document.querySelectorAll('[data-ds-node]')].map(e => e.dataset.dsNode)")
    return set(found) - {"__outputs__"}


def _await_code(page: Any, text: str, *, there: bool = True) -> None:
    page.wait_for_function(
        "([text, there]) => document.querySelector('[data-testid=code]').textContent.includes(text) === there",
        arg=[text, there], timeout=30_000,
    )  # fmt: skip


def test_nodes_travel_as_nodes_and_as_a_program(designer: Any) -> None:
    page = designer
    before = _nodes(page)
    lab.card(page, "rotate").click(position=HEAD)
    _await_code(page, "fn.rotate(")
    page.keyboard.press("Control+c")
    text = page.evaluate("() => navigator.clipboard.readText()")
    assert text == "rotate = fn.rotate(resize, angle=uniform, fill_value=128)\n"
    page.keyboard.press("Control+v")
    _by_id(page, "node-rotate_2").wait_for()
    page.keyboard.press("Control+z")
    _by_id(page, "node-rotate_2").wait_for(state="detached")
    # a program from anywhere
    page.evaluate("() => navigator.clipboard.writeText('x = fn.flip(resize, horizontal=1)\\ny = fn.hsv(x, hue=40.0)\\n')")
    page.keyboard.press("Control+v")
    _drawn(page, "thumb-hsv")
    assert _nodes(page) == before | {"flip", "hsv"}
    assert "2 nodes" in _by_id(page, "inspector").inner_text()
    page.evaluate("() => navigator.clipboard.writeText('while True: fn.flip(resize)')")
    page.keyboard.press("Control+v")
    _by_id(page, "strip").wait_for()
    assert "Line 1: `while True:` is not read" in _by_id(page, "strip").inner_text()


_MIDDLE = """target => { const path = [...document.querySelectorAll('.react-flow__edge')].find(e => e.dataset.id === target)
    .querySelector('.react-flow__edge-path'); const { x, y } = path.getPointAtLength(path.getTotalLength() / 2)
    .matrixTransform(path.getScreenCTM()); return [x, y]; }"""


def test_a_wired_card_dropped_on_another_wire_moves_there(designer: Any, artifacts: Path) -> None:
    page = designer

    def dragged(key: str, wire: str) -> None:
        card = _by_id(page, f"node-{key}").bounding_box()
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
    _await_code(page, "fn.resize(rotate")
    _await_code(page, "fn.rotate(decode")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_moved_step.png")
    page.keyboard.press("Control+z")
    _await_code(page, "fn.rotate(resize")
    # what has no one thing to pass on says so, and goes back
    before = _by_id(page, "node-uniform").bounding_box()
    dragged("uniform", "resize|in|0")
    page.mouse.up()
    page.wait_for_selector('[data-testid="strip"]:has-text("uniform does not pass one thing on")')
    assert _by_id(page, "node-uniform").bounding_box() == before
    # by keys
    _by_id(page, "node-rotate").click(position=HEAD)
    page.keyboard.press("Control+ArrowLeft")
    _await_code(page, "fn.resize(rotate")
    page.keyboard.press("Control+ArrowRight")
    _await_code(page, "fn.rotate(resize")


def test_the_selected_cards_alone_are_laid_out(designer: Any) -> None:
    page = designer

    def places() -> dict[str, tuple[int, int]]:
        found = page.locator(".react-flow__node").evaluate_all(
            "all => all.map(one => [one.dataset.id, ...one.style.transform.match(/-?[0-9.]+/g).map(Number)])"
        )
        return {key: (round(x), round(y)) for key, x, y in found}

    for key, by in (("rotate", 230), ("uniform", 60)):
        card = lab.card(page, key).bounding_box()
        page.mouse.move(card["x"] + 70, card["y"] + 12)
        page.mouse.down()
        page.mouse.move(card["x"] + 70, card["y"] + 12 + by, steps=6)
        page.mouse.up()
    lab.card(page, "resize").click(position=HEAD)
    lab.card(page, "rotate").click(position=HEAD, modifiers=["Control"])
    lab.settle(page)
    before = places()
    page.keyboard.press("l")
    lab.settle(page)
    after = places()
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
    _by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    card = _by_id(page, "node-hsv")
    card.wait_for()
    lab.settle(page)
    start, a, b = (
        card.bounding_box(), _by_id(page, "node-decode").bounding_box(), _by_id(page, "node-resize").bounding_box(),
    )  # fmt: skip
    page.mouse.move(start["x"] + 70, start["y"] + 12)
    page.mouse.down()
    page.mouse.move((a["x"] + a["width"] + b["x"]) / 2, a["y"] + 14, steps=10)
    target = page.wait_for_selector(".ds-wire-target", state="attached")
    assert float(target.evaluate("path => parseFloat(getComputedStyle(path).strokeWidth)")) >= 5
    assert page.evaluate(_ABOVE)
    page.mouse.up()
    _await_code(page, "fn.resize(hsv")
    _await_code(page, "fn.hsv(decode")
    # wires are reached by the keyboard as well
    assert set(page.evaluate("() => [...document.querySelectorAll('.react-flow__edge')].map(e => e.tabIndex)")) == {0}
    # Alt and a drag across the wire behind it
    wire = page.locator('[aria-label="wire from rotate to normalize"] path').first
    x, y = wire.evaluate(
        "p => { const m = p.getScreenCTM(); const q = p.getPointAtLength(p.getTotalLength() / 2).matrixTransform(m); return [q.x, q.y]; }"
    )
    page.keyboard.down("Alt")
    page.mouse.move(x, y - 11)
    page.mouse.down()
    page.mouse.move(x + 2, y + 40, steps=6)
    page.mouse.up()
    page.keyboard.up("Alt")
    page.locator('[aria-label="wire from rotate to normalize"]').wait_for(state="detached")


def test_cards_that_were_moved_make_room_for_one_that_is_dropped_on_a_wire(designer: Any, artifacts: Path) -> None:
    page = designer

    def drag(key: str, x: float, y: float) -> None:
        card = _by_id(page, f"node-{key}").bounding_box()
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

    rotate = _by_id(page, "node-rotate").bounding_box()
    drag("rotate", rotate["x"] + 78, rotate["y"] + 40)  # by hand, so that nothing is laid out
    page.evaluate("() => navigator.clipboard.writeText('x = fn.hsv(images, hue=90.0)')")
    _by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    _by_id(page, "node-hsv").wait_for()
    lab.settle(page)
    before = boxes()
    drag("hsv", *page.evaluate(_MIDDLE, "resize|in|0"))
    _await_code(page, "fn.resize(hsv")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_made_room.png")
    after = boxes()
    assert after["hsv"][1] == after["decode"][1]
    assert after["decode"][2] < after["hsv"][0] and after["hsv"][2] < after["resize"][0]
    assert after["rotate"][1] > after["resize"][1]  # where it was put
    frame = _by_id(page, "canvas").bounding_box()
    assert all(frame["x"] < box[0] and box[2] < frame["x"] + frame["width"] for box in after.values())
    for key, (left, top, right, bottom) in after.items():
        for other, (x, y, end, low) in after.items():
            assert key == other or end <= left or right <= x or low <= top or bottom <= y, (key, other)
    page.keyboard.press("Control+z")
    _await_code(page, "fn.resize(decode")
    lab.settle(page)
    sizes = {key: (end - x) / (before[key][2] - before[key][0]) for key, (x, _, end, _) in boxes().items()}
    assert sizes.keys() == before.keys()
    origin = boxes()["reader"]
    for key, (x, y, _, _) in boxes().items():  # each where it was; the view may have grown
        assert abs((x - origin[0]) / sizes[key] - before[key][0] + before["reader"][0]) < 4
        assert abs((y - origin[1]) / sizes[key] - before[key][1] + before["reader"][1]) < 4


def test_menu_keys_bypass_and_find(designer: Any) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD, button="right")
    # what differs between them is said in their tooltips
    told = page.locator('[data-testid="menu"] button').evaluate_all("all => all.map(one => [one.innerText, one.title])")
    alike = {words for title, words in told if title.split()[0] in ("Bypass", "Mute", "Group", "Collapse")}
    assert "" not in alike and len(alike) == 4
    page.get_by_role("menuitem", name="Bypass").click()
    _await_code(page, "fn.rotate(", there=False)
    assert "ds-bypassed" in (_by_id(page, "node-rotate").get_attribute("class") or "")
    page.keyboard.press("b")
    _await_code(page, "fn.rotate(")
    page.keyboard.press("?")
    assert "Bypass" in _by_id(page, "help").inner_text()
    page.keyboard.press("Escape")
    view = "() => document.querySelector('.react-flow__viewport').style.transform"
    seen = page.evaluate(view)
    page.keyboard.press("Control+f")
    _by_id(page, "find-field").fill("range=")
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
    _by_id(page, "quick-search").fill("ColorJitter")
    _by_id(page, "quick-torchvision.ColorJitter").wait_for()
    # the box covers no card, that which the new one will hang on least of all
    page.wait_for_function("() => !document.querySelector('.ds-quick').getAnimations().length")
    quick, *cards = (_by_id(page, name).bounding_box() for name in ("quick-add", "node-resize", "node-decode", "node-rotate"))
    for card in cards:
        beside = quick["x"] >= card["x"] + card["width"] or quick["x"] + quick["width"] <= card["x"]
        assert beside or quick["y"] >= card["y"] + card["height"]
    _drawn(page, "quick-trial")
    # and what they draw is drawn
    page.keyboard.press("Enter")
    _by_id(page, "node-color_twist").wait_for()
    assert _by_id(page, "node-brightness").count() == _by_id(page, "node-hue").count() == 1
    page.wait_for_function("() => document.querySelector('[data-testid=inspector] b')?.textContent === 'color_twist'")
    page.keyboard.press("Control+z")
    _by_id(page, "node-color_twist").wait_for(state="detached")


def test_the_search_puts_one_behind_the_other(designer: Any) -> None:
    page = designer
    # with Shift the box stays, and what is added next follows what came just now
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("Space")
    for name, made in (("ColorJitter", "color_twist"), ("RandomRotation", "rotate_2")):
        _by_id(page, "quick-search").fill(name)
        _by_id(page, f"quick-torchvision.{name}").wait_for()
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector(f'[data-testid="quick-add"] :text("takes images of {made}")')
    page.keyboard.press("Escape")
    assert page.locator('[aria-label="wire from color_twist to rotate_2"]').count() == 1
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    _by_id(page, "node-color_twist").wait_for(state="detached")
    # also where it is added before the kernel has answered
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("Space")
    _by_id(page, "quick-search").fill("ColorJitter")
    _by_id(page, "quick-torchvision.ColorJitter").wait_for()
    for _ in range(2):
        page.keyboard.press("Shift+Enter")
    _by_id(page, "quick-search").fill("blur")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Escape")
    for source, target in (("resize", "color_twist"), ("color_twist", "color_twist_2"), ("color_twist_2", "gaussian_blur")):
        page.locator(f'[aria-label="wire from {source} to {target}"]').wait_for(state="attached")
    for _ in range(3):
        page.keyboard.press("Control+z")
    _by_id(page, "node-color_twist").wait_for(state="detached")


def test_a_sweep_keeps_a_value_and_gives_it_back(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    _by_id(page, "tab-batch").click()
    page.wait_for_function("() => document.querySelectorAll('[data-testid^=sheet-0-] canvas').length === 8")
    assert page.locator(".ds-sheet-under").first.get_attribute("title").startswith("angle: ")
    _by_id(page, "sheet-0-2").click()  # its ring is that of the shown sample under the pointer, too
    ring = "() => { const cell = document.querySelector('.ds-sheet-button.ds-sample-now'); return getComputedStyle(cell).boxShadow; }"
    page.locator("[data-testid=sheet-0-2].ds-sample-now").wait_for()
    pointed = page.evaluate(ring)
    name = _by_id(page, "sheet-0-2").get_attribute("title")
    _by_id(page, "sheet-mode-sweep").click()
    assert page.evaluate(ring) == pointed
    assert _by_id(page, "sheet-0-2").get_attribute("title") == name
    cell = _by_id(page, "sheet-4-1")
    page.wait_for_function("() => document.querySelector('[data-testid=sheet-5-0] canvas')?.dataset.drawn > 0")
    assert cell.get_attribute("aria-label").startswith("Keep 15°")
    frame, last = _by_id(page, "designer").bounding_box(), _by_id(page, "sheet-5-7").bounding_box()
    assert last["x"] + last["width"] < frame["x"] + frame["width"]  # all samples
    page.screenshot(path=artifacts / "designer_sweep.png")
    _by_id(page, "sweep-from").fill("abc")
    assert _by_id(page, "sweep-reason").inner_text() == "A number is needed here."
    _by_id(page, "sweep-from").fill("-30")
    _by_id(page, "sweep-reason").wait_for(state="detached")
    cell.focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "sheet-3-1"
    cell.click()
    page.locator('[aria-label="wire from uniform to rotate"]').wait_for(state="detached")
    _by_id(page, "undo-notice").click()
    page.locator('[aria-label="wire from uniform to rotate"]').wait_for(state="attached")


def test_two_outputs_are_compared_to_the_pixel(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Compare with its input").click()
    _by_id(page, "pair-facts").wait_for()
    box = _by_id(page, "pair-a").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("() => document.querySelectorAll('[data-testid=pixel-table] tbody tr').length === 3")
    # the wheel enlarges all pictures about the same pixel, dragging moves them, 0 shows all
    shown = "name => document.querySelector(`[data-testid=pair-${name}]`).getBoundingClientRect().toJSON()"
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(6):
        page.mouse.wheel(0, -100)
    near = {name: page.evaluate(shown, name) for name in ("a", "b", "difference")}
    assert 3.7 < near["a"]["width"] / box["width"] < 3.9 and near["a"] == near["b"]
    assert abs(near["a"]["x"] + near["a"]["width"] / 2 - at[0]) < 2 and near["difference"]["width"] == near["a"]["width"]
    page.mouse.move(at[0] + 60, at[1])
    page.mouse.down()
    page.mouse.move(at[0] + 90, at[1] - 20, steps=3)
    page.mouse.up()
    moved = page.evaluate(shown, "difference")
    assert (round(moved["x"] - near["difference"]["x"]), round(moved["y"] - near["difference"]["y"])) == (30, -20)
    page.screenshot(path=artifacts / "designer_compare_near.png")
    page.keyboard.press("0")
    page.wait_for_function(f"wide => Math.abs(({shown})('a').width - wide) < 1", arg=box["width"])
    page.screenshot(path=artifacts / "designer_compare.png")
    # a node beside itself: nothing differs
    _by_id(page, "pair-node-A").select_option("rotate")
    page.wait_for_function("() => document.querySelector('[data-testid=pair-facts]')?.textContent.includes('Equal')")
    page.wait_for_function(
        """() => { const c = document.querySelector('[data-testid=pair-difference]');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return d.length > 4 && d.every((v, i) => v === (i % 4 === 3 ? 255 : 0)); }"""
    )
    page.keyboard.press("Escape")
    _by_id(page, "comparison").wait_for(state="detached")
    # from wherever the keys went before: the second card gets them
    lab.card(page, "rotate").click(position=HEAD)
    _by_id(page, "code-input").click()
    lab.card(page, "normalize").click(position=HEAD, modifiers=["Shift"])
    page.keyboard.press("c")
    _by_id(page, "pair-facts").wait_for()
    page.keyboard.press("Escape")
    _by_id(page, "comparison").wait_for(state="detached")


def test_a_picture_is_looked_at_large_sample_by_sample(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    for press in (_by_id(page, "compare").dblclick, _by_id(page, "enlarge").click):
        press()
        _by_id(page, "pair-a").wait_for()
        page.keyboard.press("Escape")
        _by_id(page, "comparison").wait_for(state="detached")
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Enlarge its picture").click()
    extents = "() => { const { width, height } = document.querySelector('[data-testid=pair-a]'); return `${height}×${width}×3 u8`; }"
    said = page.locator(".ds-pair-stage .ds-compare-label")
    page.wait_for_function(f"() => document.querySelector('.ds-pair-stage .ds-compare-label').textContent === 'rotate ' + ({extents})()")
    first = said.inner_text()
    # arrow keys go through the samples, with Shift they move the pixel, whose numbers are told
    page.keyboard.press("ArrowRight")
    page.wait_for_function("first => document.querySelector('.ds-pair-stage .ds-compare-label').textContent !== first", arg=first)
    place = page.locator('[data-testid="pixel-table"] thead th').first
    place.get_by_text("x ").wait_for()
    before = place.inner_text()
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_function("before => document.querySelector('[data-testid=pixel-table] th').textContent !== before", arg=before)
    assert page.locator('[data-testid="pixel-table"] tbody tr').count() == 3
    assert page.locator(".ds-pair-grid").count() == 0
    for _ in range(14):
        page.keyboard.press("+")
    page.locator(".ds-pair-grid").wait_for()
    page.screenshot(path=artifacts / "designer_large.png")
    page.keyboard.press("Escape")
    _by_id(page, "comparison").wait_for(state="detached")
    page.keyboard.press("[")


def test_a_pixel_is_told_on_all_cards_and_numbers_of_the_whole_batch(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    picture = _by_id(page, "compare")
    picture.wait_for()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    told = page.locator('.ds-canvas [data-testid^="pixel-"]')
    page.wait_for_function("() => document.querySelectorAll('.ds-canvas [data-testid^=pixel-]').length === 4")
    assert _by_id(page, "pixel").inner_text().endswith(_by_id(page, "pixel-rotate").inner_text())
    box, read = _by_id(page, "compare").bounding_box(), _by_id(page, "pixel").bounding_box()
    assert read["y"] > box["y"] + box["height"]  # it hides nothing of the picture
    page.screenshot(path=artifacts / "designer_pixel.png")
    page.mouse.move(box["x"] - 300, box["y"] + 400)
    told.first.wait_for(state="detached")
    drawn = "() => document.querySelector('.ds-stats .ds-histogram path').getAttribute('d')"
    before = page.evaluate(drawn)
    _by_id(page, "whole").click()
    page.wait_for_function(f"before => ({drawn})() !== before", arg=before)
    assert _by_id(page, "whole").inner_text() == "of the whole batch"


def test_a_distribution_is_chosen_and_its_ends_are_typed(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "uniform").click(position=HEAD)
    page.wait_for_function("() => document.querySelectorAll('[data-testid=density] rect').length === 40")
    _by_id(page, "ends").wait_for()
    _by_id(page, "grip-high").focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    _await_code(page, "range=[-30, 30]", there=False)
    _by_id(page, "distribution-normal").click()
    _await_code(page, "fn.random.normal(")
    page.screenshot(path=artifacts / "designer_random.png")
    lab.card(page, "rotate").click(position=HEAD)
    # below the argument that it feeds, its numbers can be typed
    _by_id(page, "draw-deviation").fill("4")
    page.keyboard.press("Enter")
    _await_code(page, "stddev=4)")
    assert _by_id(page, "distribution-clamped").count() == _by_id(page, "ends").count() == 0
    facts = page.locator('[data-testid="inspector"] .ds-stats').bounding_box()
    widget = _by_id(page, "designer").bounding_box()
    assert facts["y"] + 40 < widget["y"] + widget["height"]  # what comes out is in sight
    # held between limits, where draws gather: at the generator, which the argument leads to
    page.locator(".ds-wired-name").click()
    _by_id(page, "distribution-clamped").click()
    _await_code(page, "math.clamp(normal, -10.5, 5.5)")
    page.wait_for_function("() => document.querySelector('[data-testid=density] path').getAttribute('d').split('M').length === 4")
    _by_id(page, "draw-from").fill("-3")
    page.keyboard.press("Enter")
    _await_code(page, "math.clamp(normal, -3, 5.5)")
    _by_id(page, "ends").get_by_text("−3").wait_for()
    page.screenshot(path=artifacts / "designer_clamped.png")
    _by_id(page, "distribution-normal").click()
    _await_code(page, "math.clamp", there=False)
    # some values, of which one is drawn, and a coin
    _by_id(page, "distribution-choice").click()
    _await_code(page, "fn.random.uniform(values=[")
    page.wait_for_function("() => document.querySelectorAll('[data-testid=density] rect').length === 3")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_choice.png")
    _by_id(page, "distribution-coin").click()
    _await_code(page, "fn.random.coin_flip(dtype=types.FLOAT")
    page.wait_for_function("() => document.querySelectorAll('[data-testid=density] rect').length === 2")
    _by_id(page, "distribution-uniform").click()
    _await_code(page, "coin_flip", there=False)


def test_a_node_is_given_a_colour_from_its_menu(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Next colour").click()
    _by_id(page, "tag-rotate").wait_for()
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Next colour").click()
    page.wait_for_function("() => document.querySelector('[data-testid=tag-rotate]').style.cssText.includes('teal')")
    lab.card(page, "decode").click(position=HEAD)
    lab.settle(page)
    lab.card(page, "rotate").screenshot(path=artifacts / "designer_tag.png")
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="No colour").click()
    _by_id(page, "tag-rotate").wait_for(state="detached")
    page.keyboard.press("Control+z")
    _by_id(page, "tag-rotate").wait_for()


def test_a_step_is_applied_with_a_probability(designer: Any) -> None:
    page = designer
    before = _nodes(page)
    lab.card(page, "rotate").click(position=HEAD)
    _by_id(page, "probability").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    _await_code(page, "probability=0.9")
    # one card still, whose wires are those of its coin, splits and merge
    _by_id(page, "node-rotate").get_by_text("p 0.9").wait_for()
    assert _nodes(page) == before
    page.locator('[aria-label="wire from resize to rotate"]').wait_for()
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Control+c")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "coin = fn.random.coin_flip(probability=0.9" in copied and "\nif coin:\n    resize = fn.rotate(" in copied
    page.keyboard.press("Delete")
    _await_code(page, "coin_flip", there=False)
    page.keyboard.press("Control+z")
    _await_code(page, "probability=0.9")
    _by_id(page, "node-rotate").wait_for()
    assert _nodes(page) == before
    lab.card(page, "rotate").click(position=HEAD)
    _by_id(page, "probability").focus()
    page.keyboard.press("End")
    _await_code(page, "coin_flip", there=False)
    assert _nodes(page) == before


def test_seeds_are_shared_and_locked(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.random.uniform(range=(0.0, 1.0))')")
    _by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    _by_id(page, "node-uniform_2").wait_for()
    page.keyboard.press("Escape")
    card = _by_id(page, "node-rotate")
    before = card.inner_text()  # with the angle that is drawn
    _by_id(page, "lock-seeds").click()
    page.wait_for_function("() => document.querySelector('[data-testid=lock-seeds]').textContent === 'Free all'")
    own = _by_id(page, "seed-uniform").locator("option:checked").inner_text().removeprefix("its own: ")
    _await_code(page, f"seed={own}")
    assert card.inner_text() == before
    _by_id(page, "seed-uniform_2").select_option(label="as uniform")
    page.wait_for_function("() => !document.querySelector('[data-testid=seed-uniform_2]').value.includes('_2')")
    assert _by_id(page, "seed-uniform").locator("option:checked").inner_text() == f"its own: {own}"
    _by_id(page, "lock-seeds").click()
    _await_code(page, f"seed={own}", there=False)


def test_a_generator_without_a_density_shows_its_draws(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.random.beta(alpha=2.0, beta=5.0)')")
    _by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    _by_id(page, "drawn").locator("rect").nth(39).wait_for(state="attached")
    assert "1000 draws from 0.0" in _by_id(page, "inspector").inner_text()


def _drag(page: Any, handle: str, dx: float, dy: float) -> None:
    """In two parts, between which the hand rests for longer than keys that are one step may lie apart."""
    _by_id(page, handle).scroll_into_view_if_needed()
    box = _by_id(page, handle).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2, steps=3)
    page.wait_for_timeout(950)
    page.mouse.move(x + dx, y + dy, steps=3)
    page.mouse.up()


def test_handles_on_a_picture_set_arguments(designer: Any) -> None:
    page = designer
    lab.card(page, "normalize").click(position=HEAD)
    window = _by_id(page, "window")
    window.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    _await_code(page, "crop_pos_x=")

    def await_field(name: str, value: str, *, there: bool = True) -> None:
        page.wait_for_function(
            """([name, value, there]) => ([...document.querySelectorAll(`[data-testid^="number-${name}"]`)]
            .map(field => field.value).join() === value) === there""",
            arg=[name, value, there],
        )  # fmt: skip

    program = "x = fn.warp_affine(resize, matrix=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0])\ny = fn.rotate(x, angle=10.0)"
    page.evaluate("text => navigator.clipboard.writeText(text)", program)
    page.keyboard.press("Control+v")
    _drawn(page, "thumb-rotate_2")
    lab.card(page, "warp_affine").click(position=HEAD)
    for handle, move in (("size", (-40, -20)), ("shear", (30, 0)), ("turn", (40, 0)), ("move", (9, 9))):
        _drag(page, f"placed-{handle}", *move)
        await_field("matrix", "1,0,0,0,1,0", there=False)
        _by_id(page, "undo").click()
        await_field("matrix", "1,0,0,0,1,0")
    lab.card(page, "rotate_2").click(position=HEAD)
    _by_id(page, "placed-turn").press("ArrowRight")
    await_field("angle", "11")


def _await_drawn_again(page: Any, key: str, before: int) -> None:
    page.wait_for_function(
        'a => Number(document.querySelector(`[data-testid="thumb-${a[0]}"]`).dataset.drawn) > a[1]', arg=[key, before]
    )


def _drawings(page: Any, key: str) -> int:
    return int(_by_id(page, f"thumb-{key}").get_attribute("data-drawn") or 0)


def _apart(one: list[int], other: list[int]) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


def test_pinned_data_is_used_from_there_on(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "resize").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Pin its data").click()
    _by_id(page, "unpin-resize").get_by_text("pinned, batch 1").wait_for()
    _by_id(page, "inspector").get_by_text("previews go on from its data of batch 1").wait_for()
    page.locator('[data-testid="node-decode"] .ds-stale-chip').get_by_text("not computed").wait_for()
    kept, turned = lab.painted(page, "resize"), _drawings(page, "rotate")
    page.screenshot(path=artifacts / "designer_pinned.png")
    # an edit does not show: the card says so
    lab.card(page, "resize").click(position=HEAD)
    _by_id(page, "number-resize_shorter").fill("60")
    _by_id(page, "number-resize_shorter").press("Enter")
    _by_id(page, "pin-again-resize").wait_for()
    page.locator('[data-testid="node-resize"]').get_by_text("pinned before the edit").wait_for()
    assert page.locator('[data-testid="node-resize"].ds-stale, .ds-stale [data-testid="node-resize"]').count()
    _by_id(page, "hold").click()
    _by_id(page, "node-resize").get_by_text("60×90×3 u8").wait_for()
    _by_id(page, "unpin-resize").get_by_text("pinned, batch 1").wait_for()
    for _ in range(2):
        page.keyboard.press("Control+z")
    _await_drawn_again(page, "rotate", turned)
    turned = _drawings(page, "rotate")
    # the other samples of the batch are kept as well, and other batches show them again
    page.keyboard.press("]")
    _await_drawn_again(page, "rotate", turned)
    other = lab.painted(page, "resize")
    assert _apart(other, kept) > 15
    turned = _drawings(page, "rotate")
    _by_id(page, "batch-next").click()
    _await_drawn_again(page, "rotate", turned)
    assert _apart(lab.painted(page, "resize"), other) < 5  # pictures share a JPEG file with others
    before = _drawings(page, "resize")
    _by_id(page, "unpin-resize").click()
    _await_drawn_again(page, "resize", before)
    assert _apart(lab.painted(page, "resize"), other) > 15
    _by_id(page, "unpin-resize").wait_for(state="detached")
    before = _drawings(page, "resize")
    page.keyboard.press("Control+z")
    _by_id(page, "unpin-resize").wait_for()
    _await_drawn_again(page, "resize", before)
    assert _apart(lab.painted(page, "resize"), other) < 5
    for _ in range(2):
        page.keyboard.press("Control+z")
        _by_id(page, "unpin-resize").wait_for(state="detached")
        page.keyboard.press("Control+Shift+z")
        _by_id(page, "unpin-resize").wait_for()


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
    _by_id(page, "quick-search").fill("hsv")
    page.keyboard.press("Enter")
    _by_id(page, "node-hsv").wait_for()
    lab.settle(page)
    assert page.evaluate(view) == seen
    page.keyboard.press("Delete")
    _by_id(page, "node-hsv").wait_for(state="detached")
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
    assert "1 junction" in (_by_id(page, "outline-rotate|arg|angle").text_content() or "")
    # by the keyboard: a second one into the focused wire, moved, taken away, and back
    page.locator('[aria-label="wire from uniform to rotate"]').focus()
    page.keyboard.press("j")
    second = page.locator('[data-testid="junction-rotate|arg|angle-1"]')
    second.wait_for()
    second.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    second.wait_for(state="detached")
    _by_id(page, "canvas").focus()
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
        _by_id(page, "tab-batch").click()
        _by_id(page, "sheet-mode-sweep").click()
        lab.settle(page)
        check(f"{theme}, sweep")
        _by_id(page, "sheet-mode-samples").click()
        _by_id(page, "tab-batch").click()
        lab.card(page, "rotate").click(position=HEAD, button="right")
        check(f"{theme}, menu")
        page.get_by_role("menuitem", name="Compare with its input").click()
        _by_id(page, "pair-facts").wait_for()
        check(f"{theme}, comparison")
        _by_id(page, "pair-close").click()
    # in high contrast, what has a meaning is not pale: it has another mark
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("b")
    page.locator(".ds-bypassed").wait_for()
    pale = """() => [...document.querySelectorAll('.ds-canvas [class*=ds-]:not(:disabled)')].filter(one => {
        const { opacity, strokeOpacity } = getComputedStyle(one);
        return Number(opacity) * Number(strokeOpacity) < 1; }).map(one => one.outerHTML.slice(0, 200))"""
    assert page.evaluate(pale) == []
    lab.set_theme(page, "JupyterLab Light")  # the setting outlives the page
