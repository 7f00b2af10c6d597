"""Looking closer, in JupyterLab: sweep, comparison, large pictures, randomness, handles, pinned data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.training import HEAD

pytestmark = pytest.mark.browser


def test_a_sweep_keeps_a_value_and_gives_it_back(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    lab.by_id(page, "tab-batch").click()
    page.wait_for_function("() => document.querySelectorAll('[data-testid^=sheet-0-] canvas').length === 8")
    assert page.locator(".ds-sheet-under").first.get_attribute("title").startswith("angle: ")
    lab.by_id(page, "sheet-0-2").click()  # its ring is that of the shown sample under the pointer, too
    ring = "() => { const cell = document.querySelector('.ds-sheet-button.ds-sample-now'); return getComputedStyle(cell).boxShadow; }"
    page.locator("[data-testid=sheet-0-2].ds-sample-now").wait_for()
    pointed = page.evaluate(ring)
    name = lab.by_id(page, "sheet-0-2").get_attribute("title")
    lab.by_id(page, "sheet-mode-sweep").click()
    assert page.evaluate(ring) == pointed
    assert lab.by_id(page, "sheet-0-2").get_attribute("title") == name
    cell = lab.by_id(page, "sheet-4-1")
    page.wait_for_function("() => document.querySelector('[data-testid=sheet-5-0] canvas')?.dataset.drawn > 0")
    assert cell.get_attribute("aria-label").startswith("Keep 15°")
    frame, last = lab.by_id(page, "designer").bounding_box(), lab.by_id(page, "sheet-5-7").bounding_box()
    assert last["x"] + last["width"] < frame["x"] + frame["width"]  # all samples
    page.screenshot(path=artifacts / "designer_sweep.png")
    lab.by_id(page, "sweep-from").fill("abc")
    assert lab.by_id(page, "sweep-reason").inner_text() == "A number is needed here."
    lab.by_id(page, "sweep-from").fill("-30")
    lab.by_id(page, "sweep-reason").wait_for(state="detached")
    cell.focus()
    page.keyboard.press("ArrowUp")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "sheet-3-1"
    cell.click()
    page.locator('[aria-label="wire from uniform to rotate"]').wait_for(state="detached")
    lab.by_id(page, "undo-notice").click()
    page.locator('[aria-label="wire from uniform to rotate"]').wait_for(state="attached")


def _compare_with_before(page: Any) -> None:
    """A node as it is, and as it was a step ago."""
    lab.card(page, "rotate").click(position=HEAD)
    lab.by_id(page, "number-fill_value").fill("9")
    training.await_code(page, "fill_value=9)")
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Compare with its input").click()
    lab.by_id(page, "pair-node-A").select_option("rotate")
    lab.by_id(page, "pair-version-A").select_option(label="1 step ago, before rotate.fill_value 128 → 9")
    page.wait_for_function("() => document.querySelector('.ds-pair-stage .ds-compare-label').textContent === 'A rotate, 1 step ago'")
    page.wait_for_function("() => !document.querySelector('[data-testid=pair-facts]')?.textContent.includes('Equal')")
    page.keyboard.press("Escape")
    lab.by_id(page, "comparison").wait_for(state="detached")


def test_two_outputs_are_compared_to_the_pixel(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Compare with its input").click()
    lab.by_id(page, "pair-facts").wait_for()
    box = lab.by_id(page, "pair-a").bounding_box()
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
    # side by side, and the second one in place of the first, by turns
    lab.by_id(page, "pair-mode-side by side").click()
    assert lab.by_id(page, "pair-difference").count() == 0
    one, other = (lab.by_id(page, f"pair-{name}").bounding_box() for name in ("a", "b"))
    assert other["x"] >= one["x"] + one["width"]
    lab.by_id(page, "pair-mode-blink").click()
    for name in ("b", "a"):
        lab.by_id(page, f"pair-{name}").wait_for()
        assert page.locator(".ds-pair-stage canvas").count() == 1
    lab.by_id(page, "pair-mode-slider and difference").click()
    lab.by_id(page, "pair-difference").wait_for()
    # a node beside itself: nothing differs
    lab.by_id(page, "pair-node-A").select_option("rotate")
    page.wait_for_function("() => document.querySelector('[data-testid=pair-facts]')?.textContent.includes('Equal')")
    page.locator(".ds-pair-stage").get_by_text("No difference", exact=True).wait_for()
    page.wait_for_function(
        """() => { const c = document.querySelector('[data-testid=pair-difference]');
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return d.length > 4 && d.every((v, i) => v === (i % 4 === 3 ? 255 : 0)); }"""
    )
    page.keyboard.press("Escape")
    lab.by_id(page, "comparison").wait_for(state="detached")
    _compare_with_before(page)
    # from wherever the keys went before: the second card gets them
    lab.card(page, "rotate").click(position=HEAD)
    lab.by_id(page, "code-input").click()
    lab.card(page, "normalize").click(position=HEAD, modifiers=["Shift"])
    page.keyboard.press("c")
    lab.by_id(page, "pair-facts").wait_for()
    page.keyboard.press("Escape")
    lab.by_id(page, "comparison").wait_for(state="detached")


def test_a_picture_is_looked_at_large_sample_by_sample(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    for press in (lab.by_id(page, "compare").dblclick, lab.by_id(page, "enlarge").click):
        press()
        lab.by_id(page, "pair-a").wait_for()
        page.keyboard.press("Escape")
        lab.by_id(page, "comparison").wait_for(state="detached")
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
    lab.by_id(page, "comparison").wait_for(state="detached")
    page.keyboard.press("[")


def test_a_pixel_is_told_on_all_cards_and_numbers_of_the_whole_batch(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "rotate").click(position=HEAD)
    picture = lab.by_id(page, "compare")
    picture.wait_for()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    told = page.locator('.ds-canvas [data-testid^="pixel-"]')
    page.wait_for_function("() => document.querySelectorAll('.ds-canvas [data-testid^=pixel-]').length === 4")
    assert lab.by_id(page, "pixel").inner_text().endswith(lab.by_id(page, "pixel-rotate").inner_text())
    box, read = lab.by_id(page, "compare").bounding_box(), lab.by_id(page, "pixel").bounding_box()
    assert read["y"] > box["y"] + box["height"]  # it hides nothing of the picture
    page.screenshot(path=artifacts / "designer_pixel.png")
    page.mouse.move(box["x"] - 300, box["y"] + 400)
    told.first.wait_for(state="detached")
    drawn = "() => document.querySelector('.ds-stats .ds-histogram path').getAttribute('d')"
    before = page.evaluate(drawn)
    lab.by_id(page, "whole").click()
    page.wait_for_function(f"before => ({drawn})() !== before", arg=before)
    assert lab.by_id(page, "whole").inner_text() == "whole batch"
    facts = page.locator(".ds-stats dl")
    facts.get_by_text("8 samples").wait_for()
    before = page.evaluate(drawn)
    lab.by_id(page, "log").click()
    page.wait_for_function(f"before => ({drawn})() !== before", arg=before)
    assert lab.by_id(page, "log").inner_text() == "log scale"
    lab.card(page, "decode").click(position=HEAD)
    facts.get_by_text("…", exact=False).first.wait_for()  # photos of several sizes
    page.screenshot(path=artifacts / "designer_facts.png")


def test_a_distribution_is_chosen_and_its_ends_are_typed(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "uniform").click(position=HEAD)
    page.wait_for_function("() => document.querySelectorAll('[data-testid=density] rect').length === 40")
    lab.by_id(page, "ends").wait_for()
    lab.by_id(page, "grip-high").focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    training.await_code(page, "range=[-30, 30]", there=False)
    lab.by_id(page, "distribution-normal").click()
    training.await_code(page, "fn.random.normal(")
    page.screenshot(path=artifacts / "designer_random.png")
    lab.card(page, "rotate").click(position=HEAD)
    # below the argument that it feeds, its numbers can be typed
    lab.by_id(page, "draw-deviation").fill("4")
    page.keyboard.press("Enter")
    training.await_code(page, "stddev=4)")
    assert lab.by_id(page, "distribution-clamped").count() == lab.by_id(page, "ends").count() == 0
    facts = page.locator('[data-testid="inspector"] .ds-stats').bounding_box()
    widget = lab.by_id(page, "designer").bounding_box()
    assert facts["y"] + 40 < widget["y"] + widget["height"]  # what comes out is in sight
    # held between limits, where draws gather: at the generator, which the argument leads to
    page.locator(".ds-wired-name").click()
    lab.by_id(page, "distribution-clamped").click()
    training.await_code(page, "math.clamp(normal, -10.5, 5.5)")
    page.wait_for_function("() => document.querySelector('[data-testid=density] path').getAttribute('d').split('M').length === 4")
    lab.by_id(page, "draw-from").fill("-3")
    page.keyboard.press("Enter")
    training.await_code(page, "math.clamp(normal, -3, 5.5)")
    lab.by_id(page, "ends").get_by_text("−3").wait_for()
    page.screenshot(path=artifacts / "designer_clamped.png")
    lab.by_id(page, "distribution-normal").click()
    training.await_code(page, "math.clamp", there=False)
    # some values, of which one is drawn, and a coin
    lab.by_id(page, "distribution-choice").click()
    training.await_code(page, "fn.random.uniform(values=[")
    page.wait_for_function("() => document.querySelectorAll('[data-testid=density] rect').length === 3")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_choice.png")
    lab.by_id(page, "distribution-coin").click()
    training.await_code(page, "coin = coin_flip * ")
    page.wait_for_function("() => document.querySelectorAll('[data-testid=density] rect').length === 2")
    lab.by_id(page, "distribution-uniform").click()
    training.await_code(page, "coin_flip", there=False)


def test_a_step_is_applied_with_a_probability(designer: Any) -> None:
    page = designer
    before = training.nodes(page)
    lab.card(page, "rotate").click(position=HEAD)
    lab.by_id(page, "probability").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    training.await_code(page, "probability=0.9")
    # one card still, whose wires are those of its coin, splits and merge
    lab.by_id(page, "node-rotate").get_by_text("p 0.9").wait_for()
    assert training.nodes(page) == before
    page.locator('[aria-label="wire from resize to rotate"]').wait_for()
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Control+c")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "coin = fn.random.coin_flip(probability=0.9" in copied and "\nif coin:\n    rotate = fn.rotate(" in copied
    page.keyboard.press("Delete")
    training.await_code(page, "coin_flip", there=False)
    page.keyboard.press("Control+z")
    training.await_code(page, "probability=0.9")
    lab.by_id(page, "node-rotate").wait_for()
    assert training.nodes(page) == before
    lab.card(page, "rotate").click(position=HEAD)
    lab.by_id(page, "probability").focus()
    page.keyboard.press("End")
    training.await_code(page, "coin_flip", there=False)
    assert training.nodes(page) == before


def test_seeds_are_shared_and_locked(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.random.uniform(range=(0.0, 1.0))')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    lab.by_id(page, "node-uniform_2").wait_for()
    page.keyboard.press("Escape")
    card = lab.by_id(page, "node-rotate")
    before = card.inner_text()  # with the angle that is drawn
    lab.by_id(page, "lock-seeds").click()
    page.wait_for_function("() => document.querySelector('[data-testid=lock-seeds]').textContent === 'Free all'")
    own = lab.by_id(page, "seed-uniform").locator("option:checked").inner_text().removeprefix("its own: ")
    training.await_code(page, f"seed={own}")
    assert card.inner_text() == before
    # the dice gives that node another one, and with it other numbers
    page.get_by_role("button", name="Another seed for uniform alone").click()
    training.await_code(page, f"seed={own}", there=False)
    other = lab.by_id(page, "seed-uniform").locator("option:checked").inner_text().removeprefix("its own: ")
    assert other != own
    training.await_code(page, f"seed={other}")
    page.wait_for_function("text => document.querySelector('[data-testid=node-rotate]').innerText !== text", arg=before)
    page.keyboard.press("Control+z")
    training.await_code(page, f"seed={own}")
    lab.by_id(page, "seed-uniform_2").select_option(label="as uniform")
    page.wait_for_function("() => !document.querySelector('[data-testid=seed-uniform_2]').value.includes('_2')")
    assert lab.by_id(page, "seed-uniform").locator("option:checked").inner_text() == f"its own: {own}"
    lab.by_id(page, "lock-seeds").click()
    training.await_code(page, f"seed={own}", there=False)


def test_a_generator_without_a_density_shows_its_draws(designer: Any) -> None:
    page = designer
    page.evaluate("() => navigator.clipboard.writeText('x = fn.random.beta(alpha=2.0, beta=5.0)')")
    lab.by_id(page, "canvas").click(position={"x": 4, "y": 120})
    page.keyboard.press("Control+v")
    lab.by_id(page, "drawn").locator("rect").nth(39).wait_for(state="attached")
    assert "1000 draws from 0.0" in lab.by_id(page, "inspector").inner_text()


def _drag(page: Any, handle: str, dx: float, dy: float) -> None:
    """In two parts, between which the hand rests for longer than keys that are one step may lie apart."""
    lab.by_id(page, handle).scroll_into_view_if_needed()
    box = lab.by_id(page, handle).bounding_box()
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
    window = lab.by_id(page, "window")
    window.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    training.await_code(page, "crop_pos_x=")
    # beyond the edges, which it reaches: the size stays where it was given
    _drag(page, "window-corner", 300, 300)
    training.await_code(page, "crop_pos_y=1")
    training.await_code(page, "crop_h=", there=False)
    lab.by_id(page, "undo").click()

    def await_field(name: str, value: str, *, there: bool = True) -> None:
        page.wait_for_function(
            """([name, value, there]) => ([...document.querySelectorAll(`[data-testid^="number-${name}"]`)]
            .map(field => field.value).join() === value) === there""",
            arg=[name, value, there],
        )  # fmt: skip

    program = "x = fn.warp_affine(resize, matrix=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0])\ny = fn.rotate(x, angle=10.0)"
    page.evaluate("text => navigator.clipboard.writeText(text)", program)
    page.keyboard.press("Control+v")
    training.drawn(page, "thumb-rotate_2")
    lab.card(page, "warp_affine").click(position=HEAD)
    for handle, move in (("size", (-40, -20)), ("shear", (30, 0)), ("turn", (40, 0)), ("move", (9, 9))):
        _drag(page, f"placed-{handle}", *move)
        await_field("matrix", "1,0,0,0,1,0", there=False)
        lab.by_id(page, "undo").click()
        await_field("matrix", "1,0,0,0,1,0")
    lab.card(page, "rotate_2").click(position=HEAD)
    lab.by_id(page, "placed-turn").press("ArrowRight")
    await_field("angle", "11")


def _await_drawn_again(page: Any, key: str, before: int) -> None:
    page.wait_for_function(
        'a => Number(document.querySelector(`[data-testid="thumb-${a[0]}"]`).dataset.drawn) > a[1]', arg=[key, before]
    )


def _drawings(page: Any, key: str) -> int:
    return int(lab.by_id(page, f"thumb-{key}").get_attribute("data-drawn") or 0)


def _apart(one: list[int], other: list[int]) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


def test_pinned_data_is_used_from_there_on(designer: Any, artifacts: Path) -> None:
    page = designer
    lab.card(page, "resize").click(position=HEAD, button="right")
    page.get_by_role("menuitem", name="Pin its data").click()
    lab.by_id(page, "unpin-resize").get_by_text("pinned, batch 1").wait_for()
    lab.by_id(page, "inspector").get_by_text("previews go on from its data of batch 1").wait_for()
    page.locator('[data-testid="node-decode"] .ds-stale-chip').get_by_text("not computed").wait_for()
    kept, turned = lab.painted(page, "resize"), _drawings(page, "rotate")
    page.screenshot(path=artifacts / "designer_pinned.png")
    # an edit does not show: the card says so
    lab.card(page, "resize").click(position=HEAD)
    lab.by_id(page, "number-resize_shorter").fill("60")
    lab.by_id(page, "number-resize_shorter").press("Enter")
    lab.by_id(page, "pin-again-resize").wait_for()
    page.locator('[data-testid="node-resize"]').get_by_text("pinned before the edit").wait_for()
    assert page.locator('[data-testid="node-resize"].ds-stale, .ds-stale [data-testid="node-resize"]').count()
    lab.by_id(page, "hold").click()
    lab.by_id(page, "node-resize").get_by_text("60×90×3 u8").wait_for()
    lab.by_id(page, "unpin-resize").get_by_text("pinned, batch 1").wait_for()
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
    lab.by_id(page, "batch-next").click()
    _await_drawn_again(page, "rotate", turned)
    assert _apart(lab.painted(page, "resize"), other) < 5  # pictures share a JPEG file with others
    before = _drawings(page, "resize")
    lab.by_id(page, "unpin-resize").click()
    _await_drawn_again(page, "resize", before)
    assert _apart(lab.painted(page, "resize"), other) > 15
    lab.by_id(page, "unpin-resize").wait_for(state="detached")
    before = _drawings(page, "resize")
    page.keyboard.press("Control+z")
    lab.by_id(page, "unpin-resize").wait_for()
    _await_drawn_again(page, "resize", before)
    assert _apart(lab.painted(page, "resize"), other) < 5
    for _ in range(2):
        page.keyboard.press("Control+z")
        lab.by_id(page, "unpin-resize").wait_for(state="detached")
        page.keyboard.press("Control+Shift+z")
        lab.by_id(page, "unpin-resize").wait_for()
