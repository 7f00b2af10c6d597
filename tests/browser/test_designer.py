"""The designer as a user meets it: in JupyterLab, in a browser."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from browser import lab

from dali_studio.codegen.dialects import installed_first

pytestmark = pytest.mark.browser

NOTEBOOK = "01_designer.ipynb"


def _open(page: Any, server: tuple[str, Path], name: str = NOTEBOOK) -> None:
    lab.open_notebook(page, server[0], name)
    lab.by_id(page, "designer").wait_for(timeout=90_000)
    page.wait_for_function("() => document.querySelector('[data-testid^=\"node-\"]')", timeout=60_000)


def _await_picture(page: Any, key: str) -> list[int]:
    page.wait_for_function(
        """key => { const canvas = document.querySelector(`[data-testid="thumb-${key}"]`);
        return canvas && canvas.width > 1 && canvas.getContext('2d').getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data[3] > 0; }""",
        arg=key, timeout=60_000,
    )  # fmt: skip
    return lab.painted(page, key)


def _await_code(page: Any, words: str) -> None:
    page.wait_for_function("words => document.querySelector('[data-testid=\"code\"]')?.textContent.includes(words)", arg=words)


def _await_other_picture(page: Any, key: str, before: list[int]) -> list[int]:
    for _ in range(100):
        now = lab.painted(page, key)
        if now and now != before:
            return now
        page.wait_for_timeout(100)
    raise AssertionError(f"the picture of {key} did not change")


def test_the_whole_main_job(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    before = _await_picture(page, "rotate")
    downstream = lab.painted(page, "brightness_contrast")
    upstream = lab.painted(page, "resize")

    # a slider turns the photos at this node and behind it, not before it
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    field = lab.by_id(page, "number-angle")
    field.wait_for()
    lab.by_id(page, "slider-angle").focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    _await_other_picture(page, "rotate", before)
    _await_other_picture(page, "brightness_contrast", downstream)
    assert lab.painted(page, "resize") == upstream

    # a number typed into the field has the same effect
    before = lab.painted(page, "rotate")
    field.fill("-75")
    field.press("Enter")
    _await_other_picture(page, "rotate", before)
    page.screenshot(path=artifacts / "designer_light.png")

    # every node tells its time after a run
    lab.by_id(page, "run").click()
    chip = lab.by_id(page, "time-rotate")
    page.wait_for_function(
        "() => / (ms|µs|s)$/.test(document.querySelector('[data-testid=\"time-rotate\"]')?.textContent ?? '')", timeout=60_000
    )
    assert re.search(r"\d", chip.inner_text())
    assert re.search(r"\d.*/s", lab.by_id(page, "throughput").inner_text())

    # the code can be taken away and is a program
    lab.by_id(page, "copy-code").click()
    source = page.evaluate("() => navigator.clipboard.readText()")
    assert f"from {next(iter(installed_first()))} import" in source
    assert "angle=-75" in source
    ast.parse(source)
    lab.set_theme(page, "JupyterLab Dark")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_dark.png")


def test_add_wire_undo_and_delete(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server)
    _await_picture(page, "brightness_contrast")
    # a new operator is wired behind the selected one
    lab.card(page, "brightness_contrast").click(position={"x": 70, "y": 12})
    page.keyboard.press("Space")
    search = lab.by_id(page, "quick-search")
    search.wait_for()
    search.fill("hsv")
    search.press("Enter")
    lab.by_id(page, "node-hsv").wait_for()
    before = _await_picture(page, "hsv")
    page.screenshot(path=artifacts / "designer_added.png")
    code = lab.by_id(page, "code").inner_text()
    assert "fn.hsv(" in code

    # wiring by hand: drag from resize's output to hsv's input
    lab.settle(page)
    source = page.locator('[data-testid="port-out-resize-0"]').bounding_box()
    target = page.locator('[data-testid="port-in-hsv-0"]').bounding_box()
    page.mouse.move(source["x"] + source["width"] / 2, source["y"] + source["height"] / 2)
    page.mouse.down()
    page.mouse.move(target["x"] - 40, target["y"] + 20, steps=8)
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=8)
    page.mouse.up()
    _await_other_picture(page, "hsv", before)

    # undo takes the wire back, delete the node away, undo brings it again
    wired = lab.painted(page, "hsv")
    lab.by_id(page, "undo").click()
    _await_other_picture(page, "hsv", wired)
    lab.card(page, "hsv").click(position={"x": 70, "y": 12})
    page.keyboard.press("Delete")
    lab.by_id(page, "node-hsv").wait_for(state="detached")
    lab.by_id(page, "undo").click()
    lab.by_id(page, "node-hsv").wait_for()


def test_taking_a_node_out_leaves_a_chain_and_undo_puts_it_back(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    _await_picture(page, "rotate")
    lab.settle(page)
    place = lab.by_id(page, "node-rotate").bounding_box()
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    page.keyboard.press("Delete")
    lab.by_id(page, "node-rotate").wait_for(state="detached")
    page.wait_for_function(
        "() => document.querySelector('[data-testid=\"code\"]').textContent.includes('brightness_contrast(resize')"
    )
    for _ in range(4):  # more often than there are steps
        page.keyboard.press("Control+z")
    lab.by_id(page, "node-rotate").wait_for()
    lab.settle(page)
    again = lab.by_id(page, "node-rotate").bounding_box()
    assert abs(again["x"] - place["x"]) < 2
    assert page.locator('[data-testid="strip"]').count() == 0
    # where no step takes its place, the others stay where they are
    places = """() => Object.fromEntries([...document.querySelectorAll('.react-flow__node')]
        .filter(card => card.dataset.id !== 'decode').map(card => [card.dataset.id, card.style.transform]))"""
    before = page.evaluate(places)
    assert len(before) >= 4
    lab.card(page, "decode").click(position={"x": 70, "y": 12})
    page.keyboard.press("Delete")
    lab.by_id(page, "node-decode").wait_for(state="detached")
    lab.settle(page)
    assert page.evaluate(places) == before
    page.keyboard.press("Control+z")
    lab.by_id(page, "node-decode").wait_for()
    lab.settle(page)


def test_an_error_of_a_run_goes_when_its_cause_does(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    _await_picture(page, "resize")
    lab.card(page, "reader").click(position={"x": 70, "y": 12})
    field = lab.by_id(page, "text-file_root")
    field.fill("/no/such/folder")
    field.press("Enter")
    lab.by_id(page, "error-card-reader").wait_for(timeout=30_000)
    lab.by_id(page, "run").click()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"run\"]').disabled", timeout=30_000)
    # said whole beside the node alone, with the ways out, and in one sentence in the inspector
    card = lab.by_id(page, "error-card-reader").inner_text()
    assert "/no/such/folder" in card
    assert "There is no such folder" in card and "samples" not in card
    assert page.locator(".ds-sample-bad").count() == 0  # it is of no sample
    assert page.locator('[data-testid="strip"]').count() == 0
    assert lab.by_id(page, "inspector").get_by_text("There is no such folder", exact=True).count() == 1
    assert lab.by_id(page, "repair-reader").inner_text() == "Read the sample photos"
    lab.by_id(page, "choose-data").click()
    folders, frame = (lab.by_id(page, name).bounding_box() for name in ("folders", "designer"))
    assert frame["y"] < folders["y"] and folders["y"] + folders["height"] < frame["y"] + frame["height"]
    page.keyboard.press("Escape")
    lab.by_id(page, "folders").wait_for(state="detached")
    lab.by_id(page, "go-back").click()
    lab.by_id(page, "error-card-reader").wait_for(state="detached", timeout=30_000)
    assert page.locator(".ds-failed").count() == 0


def test_a_new_node_is_in_sight_and_needs_no_value_to_begin(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    _await_picture(page, "brightness_contrast")
    lab.card(page, "brightness_contrast").click(position={"x": 70, "y": 12})
    page.keyboard.press("Space")
    lab.by_id(page, "quick-search").fill("rotate")
    lab.by_id(page, "quick-search").press("Enter")
    _await_picture(page, "rotate_2")
    assert page.locator('[data-testid="strip"]').count() == 0
    cards = {name: lab.by_id(page, f"node-{name}").bounding_box() for name in ("rotate_2", "outputs")}
    new, outputs = cards["rotate_2"], cards["outputs"]
    assert abs(new["x"] - outputs["x"]) >= new["width"] or abs(new["y"] - outputs["y"]) >= outputs["height"]
    # the drawer's edge is dragged to see more code
    before = lab.by_id(page, "code").bounding_box()["height"]
    lab.by_id(page, "drawer-edge").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.wait_for_function("h => document.querySelector('[data-testid=\"code\"]').clientHeight > h + 20", arg=before)


def test_keys_do_not_reach_the_notebook(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    for key in ("b", "a", "d", "d", "Escape"):
        page.keyboard.press(key)
    lab.settle(page)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells


def test_a_broken_file_is_told_on_its_node(
    page: Any, server: tuple[str, Path], artifacts: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from dali_studio import samples

    folder = tmp_path_factory.mktemp("broken")
    (folder / "a").mkdir()
    photo = sorted(samples.photos().rglob("*.jpg"))[0].read_bytes()
    (folder / "a" / "1.jpg").write_bytes(photo[: len(photo) // 3])
    (folder / "a" / "2.jpg").write_bytes(photo)
    lab.write_notebook(
        server[1] / "broken.ipynb",
        "from dali_studio import Designer, fn, pipeline_def\n"
        "@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=1)\n"
        "def broken():\n"
        f"    files, labels = fn.readers.file(file_root={str(folder)!r}, name='reader')\n"
        "    return fn.resize(fn.decoders.image(files), resize_x=64, resize_y=64), labels\n"
        "Designer(broken())",
    )
    _open(page, server, "broken.ipynb")
    card = lab.by_id(page, "error-card-decode")
    card.wait_for(timeout=30_000)
    assert "1.jpg" in card.inner_text()
    page.screenshot(path=artifacts / "designer_error.png")
    # the other sample is fine, and the kernel lives
    lab.by_id(page, "sample-1").click()
    _await_picture(page, "resize")


def test_an_empty_designer_offers_a_start(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "empty.ipynb", "from dali_studio import Designer\nDesigner()")
    lab.open_notebook(page, server[0], "empty.ipynb")
    lab.by_id(page, "empty").wait_for(timeout=60_000)
    page.screenshot(path=artifacts / "designer_empty.png")
    # a wrong path is told below its field, and is no problem of a pipeline that does not exist
    lab.by_id(page, "folder-path").fill("/nowhere")
    button, card = (lab.by_id(page, "open-folder").bounding_box(), page.locator(".ds-offer-first").bounding_box())
    assert button["x"] + button["width"] < card["x"] + card["width"]
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-testid="folder-reason"]:has-text("/nowhere cannot be read")')
    assert lab.by_id(page, "folder-path").get_attribute("aria-invalid") == "true"
    assert lab.by_id(page, "tab-problems").inner_text() == "Problems"
    lab.by_id(page, "recipe-getting_started").click()
    page.wait_for_function("() => document.querySelectorAll('[data-testid^=\"node-\"]').length >= 4", timeout=30_000)


def test_a_pipeline_grows_from_an_empty_designer_by_the_keyboard(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "from_nothing.ipynb", "from dali_studio import Designer\nDesigner()")
    lab.open_notebook(page, server[0], "from_nothing.ipynb")
    # a click on words gives the designer the keys, too: the notebook would cut its cell by "x"
    lab.by_id(page, "empty").locator("h3").click(timeout=60_000)
    page.keyboard.press("x")
    page.keyboard.press("Escape")

    def add(words: str) -> None:
        page.keyboard.press("Space")
        lab.by_id(page, "quick-search").wait_for()
        page.keyboard.type(words)
        page.keyboard.press("Enter")
        lab.by_id(page, "quick-add").wait_for(state="detached")

    add("file raeder")
    lab.by_id(page, "node-reader").wait_for()
    lab.by_id(page, "repair-finding").press("Enter")  # it goes away, and the keys stay here
    page.wait_for_function("() => document.activeElement.closest('.ds-canvas')")
    add("random crop")
    add("rotate")
    add("crop mirror")
    # what was added last is what the pipeline returns
    _await_picture(page, "normalize")
    assert page.locator('[data-testid="strip"]').count() == 0
    _await_code(page, "return normalize")
    # a card whose row gets a port without growing has its wire; a switch is drawn by a coin
    lab.by_id(page, "random-mirror").click()
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    lab.settle(page)  # the picture above the argument comes a little later
    lab.by_id(page, "random-angle").click()
    for key, target in (("angle", "rotate"), ("mirror", "normalize")):
        page.locator(f'[aria-label="wire from {key} to {target}"]').wait_for()
    _await_code(page, "mirror = fn.random.coin_flip(")
    page.screenshot(path=artifacts / "designer_from_nothing.png")


def test_a_name_that_is_refused_says_why_and_leaves_the_keys_here(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    for name, why in (("two words", "letters, digits and _"), ("resize", "Another node")):
        page.keyboard.press("F2")  # reaches the designer after Esc as well
        lab.by_id(page, "rename").fill(name)
        page.keyboard.press("Enter")
        assert why in lab.by_id(page, "rename-problem").inner_text()
        page.keyboard.press("Escape")
        lab.by_id(page, "rename").wait_for(state="detached")
    page.keyboard.press("F2")
    lab.by_id(page, "rename").fill("turned")
    page.keyboard.press("Enter")
    lab.by_id(page, "node-turned").wait_for()


def test_several_cards_are_selected_by_a_box_and_by_clicks(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    lab.card(page, "resize").click(position={"x": 70, "y": 12}, modifiers=["Control"])
    page.wait_for_function("() => document.querySelectorAll('.ds-selected').length === 2")
    page.keyboard.press("Escape")
    cards = [lab.by_id(page, f"node-{key}").bounding_box() for key in ("reader", "resize")]
    pane = page.locator(".react-flow__pane").first.bounding_box()
    page.keyboard.down("Shift")
    lab.settle(page)  # the canvas knows a moment later that a drag selects
    page.mouse.move(cards[0]["x"] - 8, pane["y"] + pane["height"] - 100)
    page.mouse.down()
    page.mouse.move(cards[1]["x"] + 20, pane["y"] + 4, steps=8)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.wait_for_function("() => document.querySelectorAll('.ds-selected').length === 3")
    page.keyboard.press("Escape")  # the keys are the designer's, not those of the notebook's cell
    page.wait_for_function("() => document.querySelectorAll('.ds-selected').length === 0")


def test_tabs_of_the_drawer_leave_the_view(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server)
    _await_picture(page, "rotate")
    lab.settle(page)
    viewport = page.locator(".react-flow__viewport").first
    seen = viewport.get_attribute("style")
    for tab in ("timeline", "batch", "data", "problems", "code"):
        lab.by_id(page, f"tab-{tab}").click()
        lab.settle(page)
        canvas = lab.by_id(page, "canvas").bounding_box()
        for card in [one.bounding_box() for one in page.locator(".react-flow__node").all()]:
            assert card["y"] > canvas["y"] and card["y"] + card["height"] < canvas["y"] + canvas["height"], tab
    page.wait_for_function("seen => document.querySelector('.react-flow__viewport').getAttribute('style') === seen", arg=seen)
