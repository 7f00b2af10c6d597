"""Subgraphs, pictures that open again, solo, and labels that stay behind, in JupyterLab."""

from __future__ import annotations

import json
import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from PIL import Image

from dali_studio import samples

pytestmark = pytest.mark.browser

CODE = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=11)
def train():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), resize_shorter=160)
    images = fn.rotate(images, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=128)
    return fn.crop_mirror_normalize(images, crop=(128, 128), mean=[120.0], std=[60.0]), labels

designer = Designer(train(), height=760)
designer
"""
BOXES = """
from dali_studio import Designer, fn, pipeline_def

@pipeline_def(batch_size=2, num_threads=2, device_id=None, seed=3)
def detect():
    files, boxes, labels = fn.readers.coco(file_root="coco", annotations_file="coco/boxes.json", ratio=True, ltrb=True)
    images = fn.flip(fn.decoders.image(files), horizontal=fn.random.coin_flip())
    return images, boxes

designer = Designer(detect(), height=640)
designer
"""
HEAD = {"x": 60, "y": 10}


def _open(page: Any, server: tuple[str, Path], name: str, code: str, drawn: str) -> Any:
    lab.write_notebook(server[1] / name, code)
    lab.open_notebook(page, server[0], name)
    training.drawn(page, drawn)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    return page


def _nodes(page: Any) -> list[str]:
    return page.evaluate("() => [...document.querySelectorAll('[data-ds-node]')].map(e => e.dataset.dsNode).sort()")


def _select(page: Any, *keys: str) -> None:
    for number, key in enumerate(keys):
        lab.card(page, key).click(position=HEAD, modifiers=["Control"] if number else [])
    page.wait_for_function(
        "n => document.querySelectorAll('.react-flow__node.selected').length === n", arg=len(keys), timeout=10_000
    )


def test_a_box_is_duplicated_as_a_box_and_a_probability_with_its_card(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "duplicate.ipynb", CODE, "thumb-normalize")
    _select(page, "rotate")
    lab.by_id(page, "probability").fill("0.4")
    training.await_code(page, "probability=0.4")
    page.locator('[data-testid="node-rotate"] .ds-card-head .ds-pill').wait_for()
    _select(page, "resize", "rotate")
    page.keyboard.press("g")
    first = lab.by_id(page, "node-group:group1")
    first.wait_for()
    training.await_code(page, "def subgraph(decode):")
    training.await_code(page, "    if coin:")
    training.await_code(page, "rotate = subgraph(decode)")
    before = _nodes(page)
    page.keyboard.press("Control+d")
    second = lab.by_id(page, "node-group:group2")
    second.wait_for()
    training.drawn(page, "thumb-group:group2")
    assert _nodes(page) == sorted([*before, "group:group2"])
    assert "subgraph 2" in second.inner_text() and "rotate_2" in second.inner_text()
    one, two = first.bounding_box(), second.bounding_box()
    assert one is not None and two is not None and abs(one["x"] - two["x"]) < 2 and two["y"] > one["y"] + one["height"]
    second.click(position=HEAD)
    page.keyboard.press("g")
    page.locator('[data-testid="node-rotate_2"] .ds-card-head .ds-pill', has_text="p 0.4").wait_for()


def test_a_box_is_applied_with_a_probability(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "box_chance.ipynb", CODE, "thumb-normalize")
    before = _nodes(page)
    _select(page, "resize", "uniform", "rotate")
    page.keyboard.press("g")
    box = lab.by_id(page, "node-group:group1")
    box.wait_for()
    rows = box.locator(".ds-box-list li").all_inner_texts()
    box.click(position=HEAD)
    lab.by_id(page, "probability").fill("0.5")
    training.await_code(page, "    if coin:")
    box.locator(".ds-pill", has_text="p 0.5").wait_for(timeout=15_000)
    lab.by_id(page, "chance-note").get_by_text("of the samples").wait_for(timeout=15_000)
    lab.by_id(page, "probability").fill("0.4")
    training.await_code(page, "coin_flip(probability=0.4")
    assert {*before, "group:group1"} - {"resize", "uniform", "rotate"} == {*_nodes(page)}  # it is one card as before
    assert len(box.locator(".ds-box-list li").all_inner_texts()) == len(rows) + 1  # and the coin
    training.drawn(page, "thumb-group:group1")
    for wire in ("decode to", "merge to normalize"):  # which end at other ports now
        page.locator(f'[aria-label^="wire from {wire}"]').first.wait_for(timeout=15_000)
    page.screenshot(path=artifacts / "designer_box_chance.png")
    page.get_by_test_id("canvas").focus()
    page.keyboard.press("Enter")
    lab.by_id(page, "node-rotate").wait_for()
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_box_chance_open.png")
    lab.by_id(page, "probability").fill("1")
    training.await_code(page, "if coin:", there=False)
    lab.by_id(page, "node-coin").wait_for(state="detached")


def test_a_box_is_one_row_in_the_list_of_narrow_frames(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "box_row.ipynb", CODE, "thumb-normalize")
    _select(page, "resize", "rotate")
    page.keyboard.press("g")
    lab.by_id(page, "node-group:group1").wait_for()
    lab.by_id(page, "designer").evaluate("one => Object.assign(one.parentElement.style, { width: '520px', height: '760px' })")
    rows = page.locator('.ds-outline [data-testid^="outline-"]')
    page.locator(".ds-outline").wait_for()

    def listed() -> list[str]:
        return rows.evaluate_all("all => all.map(one => one.dataset.testid.slice(8))")

    outer = ["reader", "decode", "uniform", "group:group1", "normalize"]
    assert listed() == outer
    box = page.locator('.ds-outline [data-testid="outline-group:group1"]')
    assert "subgraph" in box.inner_text() and box.get_attribute("aria-expanded") == "true"
    lab.by_id(page, "probability").fill("0.5")
    lab.by_id(page, "chance-note").get_by_text("of the samples").wait_for(timeout=15_000)
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_box_row.png")
    box.click()
    lab.by_id(page, "expand-box").wait_for(state="detached")
    box.click()
    lab.by_id(page, "enter-box").click()
    lab.by_id(page, "outline-rotate").wait_for()
    assert {"resize", "rotate"} < {*listed()} and "decode" not in listed()
    lab.by_id(page, "outline-rotate").click()
    lab.by_id(page, "outline").evaluate("one => { one.scrollTop = one.scrollHeight; }")
    lab.by_id(page, "crumbs").get_by_role("button").first.click()  # which stays in sight
    lab.by_id(page, "expand-box").wait_for()
    assert listed() == outer
    lab.by_id(page, "expand-box").click()
    lab.by_id(page, "outline-rotate").wait_for()


def test_a_group_is_a_frame_that_moves_and_collapses(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "group.ipynb", CODE, "thumb-normalize")
    before = _nodes(page)
    _select(page, "resize", "rotate")
    page.keyboard.press("Control+g")
    frame = lab.by_id(page, "mark-group1")
    frame.wait_for()
    title = frame.get_by_label("Title of the group")
    page.wait_for_function("title => document.activeElement === title", arg=title.element_handle())
    page.keyboard.type("map k")  # at once; these keys would do something to the nodes
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Group map k").wait_for()
    assert _nodes(page) == before
    page.keyboard.press("Escape")
    title.fill("turn")
    title.press("Enter")
    page.get_by_role("region", name="Group turn").wait_for()
    frame.locator("header").hover()
    hue = frame.get_attribute("style")
    frame.get_by_label("Next colour of the group").click()
    page.wait_for_function("style => document.querySelector('[data-testid=mark-group1]').getAttribute('style') !== style", arg=hue)

    # by its head, with the cards within
    lab.settle(page)
    keys = ("resize", "rotate", "decode")
    at = [lab.by_id(page, f"node-{key}").bounding_box() for key in keys]
    head = frame.locator("header").bounding_box()
    x, y = head["x"] + head["width"] / 2, head["y"] + 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 60, steps=4)
    page.mouse.up()
    lab.settle(page)
    moved = [lab.by_id(page, f"node-{key}").bounding_box() for key in keys]
    by = [(round(b["x"] - a["x"]), round(b["y"] - a["y"])) for a, b in zip(at, moved, strict=True)]
    assert by[0] == by[1] and by[0][1] > 40 and by[2] == (0, 0)
    page.screenshot(path=artifacts / "designer_group.png")

    frame.locator("header").hover()
    frame.get_by_label("Collapse turn into one box").click()
    lab.by_id(page, "node-group:group1").wait_for()
    assert _nodes(page) == sorted({*before, "group:group1"} - {"resize", "rotate"})
    training.await_code(page, "turn(decode")


def test_a_subgraph_is_a_box_and_a_function(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "subgraph.ipynb", CODE, "thumb-normalize")
    before = _nodes(page)
    _select(page, "resize", "rotate", "uniform")
    page.keyboard.press("g")
    box = lab.by_id(page, "node-group:group1")
    box.wait_for()
    assert _nodes(page) == sorted({*before, "group:group1"} - {"resize", "rotate", "uniform"})
    training.await_code(page, "def subgraph(decode):")
    training.await_code(page, "rotate = subgraph(decode)")
    training.drawn(page, "thumb-group:group1")  # the picture of what it gives
    assert page.locator('[aria-label="wire from decode to resize"]').count() == 1

    # its name, and an argument of an inner node on the box
    lab.by_id(page, "box-title").fill("augment")
    page.keyboard.press("Enter")
    training.await_code(page, "def augment(decode):")
    page.locator('[data-testid="inner-rotate"] summary').click()
    lab.by_id(page, "expose-rotate-fill_value").check()
    training.await_code(page, "rotate = augment(decode, fill_value=128)")
    lab.by_id(page, "number-fill_value").fill("7")
    training.await_code(page, "rotate = augment(decode, fill_value=7)")
    assert "7" in box.inner_text()
    # its time is readable on any picture
    lab.by_id(page, "run").click()
    time = box.locator(".ds-time:not(.ds-time-old)")
    time.wait_for(timeout=60_000)
    assert time.evaluate("e => getComputedStyle(e).backgroundColor") != "rgba(0, 0, 0, 0)"
    page.screenshot(path=artifacts / "designer_subgraph.png")
    off, on = ("on-box-fill_value", "augment(decode)"), ("expose-rotate-fill_value", "augment(decode, fill_value=7)")
    for test_id, program in (off, on):
        lab.by_id(page, test_id).click()
        training.await_code(page, f"rotate = {program}")

    # G expands it; undo takes everything back
    box.click(position=HEAD)
    page.keyboard.press("g")
    lab.by_id(page, "node-rotate").wait_for()
    assert _nodes(page) == before
    training.await_code(page, "def augment(decode, fill_value):")  # expanded, it is a function still
    page.keyboard.press("Control+z")
    box.wait_for()
    for _ in range(7):
        page.keyboard.press("Control+z")
    lab.by_id(page, "node-rotate").wait_for()
    training.await_code(page, "augment(", there=False)
    assert _nodes(page) == before


def test_a_subgraph_in_a_subgraph_is_entered(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "nested.ipynb", CODE, "thumb-normalize")
    before = _nodes(page)
    _select(page, "rotate", "uniform")
    page.keyboard.press("g")
    inner = lab.by_id(page, "node-group:group1")
    inner.wait_for()
    training.await_code(page, "rotate = subgraph(resize)")
    _select(page, "resize", "group:group1")
    page.keyboard.press("g")
    outer = lab.by_id(page, "node-group:group2")
    outer.wait_for()
    training.await_code(page, "rotate = subgraph_2(decode)")
    assert "group:group1" not in _nodes(page)

    # into both, with what they are wired to beside them
    outer.click(position=HEAD)
    page.keyboard.press("Enter")
    inner.wait_for()
    lab.by_id(page, "node-normalize").wait_for()
    assert _nodes(page) == ["decode", "group:group1", "normalize", "resize"]
    page.screenshot(path=artifacts / "designer_entered.png")
    inner.click(position=HEAD)
    page.keyboard.press("Enter")
    lab.by_id(page, "node-rotate").wait_for()
    lab.by_id(page, "node-decode").wait_for(state="detached")
    crumbs = page.locator('[data-testid="crumbs"] button')
    assert crumbs.all_inner_texts() == ["train", "subgraph 2", "subgraph"]

    # a new node is in both
    _select(page, "rotate")
    page.keyboard.press("Control+d")
    lab.by_id(page, "node-rotate_2").wait_for()
    page.keyboard.press("Control+z")
    lab.by_id(page, "node-rotate_2").wait_for(state="detached")

    # back by Esc and by the breadcrumbs
    lab.card(page, "rotate").click(position=HEAD)
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    inner.wait_for()
    crumbs.first.click()
    outer.wait_for()
    page.locator('[data-testid="crumbs"]').wait_for(state="detached")
    assert _nodes(page) == sorted({*before, "group:group2"} - {"resize", "rotate", "uniform"})


def test_a_picture_opens_again_and_solo_returns_one_node(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "picture.ipynb", CODE, "thumb-normalize")
    canvas = lab.by_id(page, "canvas")
    canvas.click(position={"x": 500, "y": 420})
    _select(page, "rotate")
    page.keyboard.press("s")
    training.await_code(page, "return rotate")
    assert "nothing else is returned" in lab.by_id(page, "strip").inner_text()
    lab.by_id(page, "unsolo-rotate").click()
    lab.by_id(page, "unsolo-rotate").wait_for(state="detached")
    training.await_code(page, "return normalize, labels")
    page.keyboard.press("m")
    training.await_code(page, "return labels")
    page.keyboard.press("m")
    training.await_code(page, "return normalize, labels")

    canvas.click(position={"x": 500, "y": 420}, button="right")
    page.get_by_role("menuitem", name="Save a PNG that opens again").click()
    page.wait_for_function("() => document.querySelector('[data-testid=strip]')?.textContent.includes('train.png')")
    picture = server[1] / "train.png"
    with Image.open(picture) as image:
        assert image.width > 600
    _select(page, "rotate")
    page.keyboard.press("Delete")
    lab.by_id(page, "node-rotate").wait_for(state="detached")
    drop = """([bytes, target]) => { const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'train.png', { type: 'image/png' }));
        document.querySelector(`[data-testid=${target}]`).dispatchEvent(
          new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); }"""
    page.evaluate(drop, [list(picture.read_bytes()), "canvas"])
    lab.by_id(page, "node-rotate").wait_for()
    training.await_code(page, "fn.rotate(")
    lab.by_id(page, "undo").click()  # what was there before is not lost
    lab.by_id(page, "node-rotate").wait_for(state="detached")

    lab.write_notebook(server[1] / "dropped.ipynb", "from dali_studio import Designer; Designer()")
    lab.open_notebook(page, server[0], "dropped.ipynb")
    lab.by_id(page, "empty").wait_for()
    page.evaluate(drop, [list(picture.read_bytes()), "empty"])
    lab.by_id(page, "thumb-rotate").wait_for()


def _places(page: Any) -> list[str]:
    return page.locator(".react-flow__node").evaluate_all("all => all.map(one => one.dataset.id + one.style.transform).sort()")


def _boxed_photos(folder: Path) -> Path:
    """Two photos with a box each, as COCO has them."""
    folder.mkdir(exist_ok=True)
    images, annotations = [], []
    for number, path in enumerate(sorted(samples.photos().rglob("*.jpg"))[:2]):
        (folder / path.name).write_bytes(path.read_bytes())
        images.append({"id": number, "file_name": path.name, "width": 100, "height": 100})
        annotations.append({"id": number, "image_id": number, "category_id": 1, "bbox": [10, 10, 30, 40], "iscrowd": 0})
    content = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "thing"}]}
    (folder / "boxes.json").write_text(json.dumps(content))
    return folder


def _guard_in_a_narrow_frame(page: Any, pill: Any, card: Any, ghost: Any) -> None:
    """Where the inspector floats, it comes once the card is closed: both would cover the step that they tell of."""
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '800px'; }")
    lab.settle(page)
    pill.click()
    card.wait_for()
    ghost.wait_for()
    lab.settle(page)
    assert page.locator(".ds-inspector").count() == 0
    for one in ('[data-testid="node-flip"]', "[data-testid^=ghost-]", ".ds-guard-pill"):
        assert page.evaluate(training.APART, [".ds-error-card", one]), one
    card.get_by_label("Close").click()
    page.locator(".ds-inspector.ds-floating").wait_for()


def _has_one_probability(page: Any, artifacts: Path) -> None:
    """That of the image is that of its boxes, and both stay one card each."""
    cards = page.locator(".react-flow__node").count()
    lab.by_id(page, "probability").focus()
    page.keyboard.press("ArrowLeft")
    for key, other in (("flip", "flipped_boxes"), ("flipped_boxes", "flip")):
        told = f'[title="Applied to 95 % of the samples, the same as {other}"]'
        lab.by_id(page, f"node-{key}").locator(told, has_text="p 0.95").wait_for()
    assert page.locator(".react-flow__node").count() == cards
    page.screenshot(path=artifacts / "designer_guard_probability.png")
    training.await_code(page, "if coin")
    page.wait_for_timeout(2_000)  # keys on one slider in quick succession are one step
    page.keyboard.press("End")
    training.await_code(page, "if coin", there=False)
    lab.by_id(page, "undo").click()
    training.await_code(page, "if coin")
    lab.by_id(page, "undo").click()
    training.await_code(page, "if coin", there=False)


def test_boxes_that_stay_behind_are_told_on_their_wire(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _boxed_photos(server[1] / "coco")
    _open(page, server, "boxes.ipynb", BOXES, "thumb-flip")
    pill = page.locator(".ds-guard-pill")
    pill.wait_for()
    assert pill.inner_text() == "boxes not flipped"
    pill.click()
    card = page.locator('[data-testid^="error-card-"]')
    card.wait_for()
    assert "The boxes are not flipped" in card.inner_text()
    assert page.locator(".react-flow__node.selected").get_attribute("data-id") == "flip"
    before = _places(page)
    # the inspector of the step says it, too
    assert lab.by_id(page, "moves-boxes").inner_text().split("\n")[-1] == "not flipped"
    assert "none here" in lab.by_id(page, "moves-mask").inner_text()
    # what the repair would add: pictures with their boxes, a card and a line of the program
    ghost = page.locator('[data-testid^="ghost-"]')
    ghost.wait_for()
    assert ghost.locator(".ds-tile").count() == ghost.count()
    # from the boxes, and to where they went: that of the coin would cross others
    assert page.locator(".ds-loose path").evaluate_all("all => all.map(p => p.getAttribute('d')).join('').match(/M/g).length") == 2
    page.wait_for_function("() => [...document.querySelectorAll('.ds-error-card canvas')].filter(one => Number(one.dataset.drawn)).length === 2")
    reader = f'[data-testid="node-{(card.get_attribute("data-testid") or "").removeprefix("error-card-")}"]'
    for one in ("[data-testid^=ghost-]", ".ds-guard-pill", reader):
        assert page.evaluate(training.APART, [".ds-error-card", one]), one  # what it tells of is to be seen
    assert page.evaluate(training.APART, [".ds-guard-pill", reader])
    now, then = card.locator(".ds-overlay i").evaluate_all("all => all.map(one => parseFloat(one.style.left))")
    assert then > now
    assert "fn.bb_flip(" in page.locator(".ds-line-new").first.inner_text()
    lab.by_id(page, "code-input").focus()  # whoever writes there writes the program as it is
    page.locator(".ds-line-new").first.wait_for(state="detached")
    lab.by_id(page, "canvas").focus()
    # it can be left as it is, which is a step that can be undone
    lab.by_id(page, "leave-label").click()
    pill.wait_for(state="detached")
    ghost.wait_for(state="detached")
    lab.by_id(page, "undo").click()
    pill.click()
    ghost.wait_for()
    assert card.locator('[data-testid^="repair-"]').inner_text() == "Flip the boxes too"
    page.screenshot(path=artifacts / "designer_guard.png")
    assert page.locator('.ds-inspector button[data-testid^="moves-"]').count() == 0  # its card has that button
    card.locator('[data-testid^="repair-"]').click()
    pill.wait_for(state="detached")
    lab.by_id(page, "moves-boxes").get_by_text("flipped", exact=True).wait_for()
    ghost.wait_for(state="detached")
    training.await_code(page, "fn.bb_flip(")
    # the new card stands behind what feeds it, and all cards in the direction of flow
    made, coin = (page.locator(f'[data-testid="node-{key}"]').bounding_box() for key in ("flipped_boxes", "coin_flip"))
    assert made["x"] > coin["x"] + coin["width"]
    assert page.locator('[data-testid="node-outputs"]').bounding_box()["x"] > made["x"] + made["width"]
    _has_one_probability(page, artifacts)
    lab.by_id(page, "undo").click()  # cards go back to their places with it
    page.locator('[data-testid="node-flipped_boxes"]').wait_for(state="detached")
    lab.settle(page)
    assert _places(page) == before
    _guard_in_a_narrow_frame(page, pill, card, ghost)


def test_cards_of_a_repair_stand_in_order(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _boxed_photos(server[1] / "coco")
    flip = "fn.flip(fn.decoders.image(files), horizontal=fn.random.coin_flip())"
    crop = BOXES.replace(flip, "fn.random_resized_crop(fn.decoders.image(files), size=(128, 128))")
    _open(page, server, "window.ipynb", crop, "thumb-random_resized_crop")
    page.locator(".ds-guard-pill").click()
    ghosts = page.locator('[data-testid^="ghost-"]')
    ghosts.nth(1).wait_for()
    lab.settle(page)
    boxes = [ghost.bounding_box() for ghost in ghosts.all()]
    assert ghosts.first.get_attribute("data-testid") == "ghost-window"
    for one, other in pairwise(boxes):
        right = other["x"] >= one["x"] + one["width"] + 10 and abs(other["y"] - one["y"]) < 2
        assert right or other["y"] >= one["y"] + one["height"] + 10
    page.screenshot(path=artifacts / "designer_guard_window.png")


CONDITION = """
from dali_studio import Designer, fn, pipeline_def, samples, types

@pipeline_def(batch_size=64, num_threads=2, device_id=None, seed=11, enable_conditionals=True)
def train():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files, name="decode"), resize_shorter=120, name="small")
    grey = fn.color_space_conversion(images, image_type=types.RGB, output_type=types.GRAY, name="grey")
    toss = fn.random.coin_flip(probability=0.8, dtype=types.BOOL, name="toss")
    if toss:
        images, grey = fn.rotate(images, angle=30, name="one"), fn.rotate(grey, angle=30, name="two")
    else:
        images, grey = fn.flip(images, name="three"), fn.flip(grey, name="four")
    return images, grey, toss
"""


def test_a_condition_is_one_card_that_counts_its_samples(
    page: Any, server: tuple[str, Path], tmp_path: Path
) -> None:  # fmt: skip
    program = tmp_path / "condition.py"
    program.write_text(CONDITION)
    tossed = [bool(one) for one in runpy.run_path(str(program))["train"]().run()[2].as_array().reshape(-1)]
    yes = sum(tossed)
    _open(page, server, "condition.ipynb", f"{CONDITION}\nDesigner(train(), height=760)", "thumb-one")
    (card,) = [key for key in _nodes(page) if key.startswith("split")]
    node = lab.by_id(page, f"node-{card}")
    node.get_by_text(f"{yes} of 64").first.wait_for()
    no = f"{64 - yes} of 64"
    # how many samples go which way is said once; each port says what it carries
    node.locator(".ds-card-head").click()
    page.keyboard.press("z")
    lab.settle(page)
    assert node.locator(".ds-figures").inner_text().split() == ["true", "small", str(yes), "of", "64"]
    rows = [" ".join(row.split()[:-1]) for row in node.locator(".ds-row-out").all_inner_texts()]  # without the port's sign
    assert rows == [f"false small {no}", "true grey", "false grey"]
    for wire in ("small to", "grey to"):
        page.locator(f'[aria-label="wire from {wire} {card}"]').wait_for()
    assert node.locator(".ds-facts-text").inner_text() == str(tossed[0]).lower()
    other = tossed.index(not tossed[0])
    page.get_by_test_id("canvas").focus()
    for _ in range(other):
        page.keyboard.press("]")
    page.wait_for_function(
        "([id, text]) => document.querySelector(`[data-testid='node-${id}'] .ds-facts-text`)?.textContent === text",
        arg=[card, str(tossed[other]).lower()], timeout=30_000,
    )  # fmt: skip
