"""Damaged files in the designer: the picture and name at the node, ways out, the smallest program, the list of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes, training
from browser.test_designer import _open
from browser.test_times import _await_text

from dali_studio import samples

pytestmark = pytest.mark.browser

PIPELINE = """
from dali_studio import Designer, fn, pipeline_def

@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=3)
def damaged():
    files, labels = fn.readers.file(file_root={root!r}, name="reader")
    images = fn.decoders.image(files, name="decode")
    return fn.resize(images, size=(120, 160), name="resize"), labels

designer = Designer(damaged())
designer
"""


_COVERED = """() => { const card = document.querySelector('.ds-error-card').getBoundingClientRect();
const meets = box => box.left < card.right && box.right > card.left && box.top < card.bottom && box.bottom > card.top;
return [...document.querySelectorAll('.react-flow__node, .ds-zoom')].filter(one => meets(one.getBoundingClientRect()))
  .map(one => one.dataset.id ?? one.className); }"""


def _covered(page: Any) -> list[str]:
    """What the card of an error lies on."""
    lab.settle(page)
    return page.evaluate(_COVERED)


def _to_width(page: Any, width: str) -> None:
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("(e, width) => { e.style.width = width; }", width)


def _damaged(folder: Path) -> Path:
    """Three photos, one that ends early, and one that is none; gives the folder of the class."""
    folder.mkdir(parents=True, exist_ok=True)
    photos = sorted(samples.photos().rglob("*.jpg"))
    for number, photo in enumerate(photos[:3]):
        shutil.copy(photo, folder / f"{number}.jpg")
    content = photos[3].read_bytes()
    (folder / "cut.jpg").write_bytes(content[: len(content) * 2 // 3])
    (folder / "none.jpg").write_bytes(b"no picture at all")
    return folder


def test_a_damaged_file_is_shown_left_out_and_listed(  # noqa: PLR0915 - one walk, from the file to the list
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    folder = _damaged(server[1] / "damaged" / "class")
    lab.write_notebook(server[1] / "problems.ipynb", PIPELINE.format(root=str(folder.parent)))
    _open(page, server, "problems.ipynb")
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    _await_text(page, "tab-problems", "1")  # before its sample is shown, and before a run
    lab.by_id(page, "run").click()
    card = lab.by_id(page, "error-card-decode")
    picture = card.locator(".ds-file-picture")
    page.wait_for_function("() => Number(document.querySelector('.ds-error-card .ds-file-picture')?.dataset.part) > 0")
    assert 0 < float(picture.get_attribute("data-part")) < 1
    assert "class/cut.jpg" in card.inner_text()
    # the card has the file that fails, and no other photo
    lab.by_id(page, "sample-3").click()
    own = lab.by_id(page, "node-decode").locator(".ds-file-picture")
    assert own.get_attribute("data-testid") == picture.get_attribute("data-testid")
    lab.by_id(page, "node-outputs").locator(".ds-row-value", has_text="–").first.wait_for()  # not another sample's shape
    assert _covered(page) == []
    # its technical words have room among the problems, where nothing covers a card
    card.get_by_role("button", name="Technical words").click()
    assert "ArgumentError" in lab.by_id(page, "problems").locator(".ds-detail").first.inner_text()
    card.wait_for(state="detached")
    lab.by_id(page, "tab-code").click()
    card.wait_for()
    # it is said once: beside the node while that is in sight, else in the strip; aloud all the same
    assert page.locator('[data-testid="strip"]').count() == 0
    assert "Stopped at decode" in (lab.by_id(page, "live").text_content() or "")
    pane = page.locator(".ds-canvas").first.bounding_box()
    for up in (-1, 1):
        x, y = pane["x"] + 20, pane["y"] + 0.75 * pane["height"]  # below the cards
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y + up * 600, steps=4)
        page.mouse.up()
        lab.by_id(page, "strip").wait_for(state="attached" if up < 0 else "detached")
    page.screenshot(path=artifacts / "problems_card.png")
    _to_width(page, "520px")  # the list has the card's picture and buttons, and the drawer
    row = page.locator('li:has([data-testid="outline-decode"])')
    row.locator('[data-testid^="file-"]').first.wait_for()
    row.locator('[data-testid="remedy-decode"]', has_text="placeholder").wait_for()
    # no other sample's shape, and of which sample a picture is that is not of the shown one
    words = '[data-testid="outline-{}"] .ds-outline-words small'
    assert page.locator(words.format("decode")).inner_text() == "– u8"
    assert page.locator(words.format("resize")).inner_text() == "120×160×3 u8, sample 1"
    lab.by_id(page, "tab-batch").click()
    lab.by_id(page, "sheet-0-0").wait_for()
    page.screenshot(path=artifacts / "problems_520.png")
    lab.by_id(page, "tab-batch").click()
    _to_width(page, "")
    card.wait_for()
    lab.by_id(page, "repro-decode").click()
    _await_text(page, "repro-decode", "Copied")
    program = page.evaluate("() => navigator.clipboard.readText()")
    assert "cut.jpg" in program and "fn.resize" not in program and "batch_size=1" in program
    card.get_by_text("nvidia.dali stops at such files").wait_for()
    # the list has all words of all files, and so the canvas has none
    lab.by_id(page, "tab-problems").click()
    card.wait_for(state="detached")
    told = page.locator('[data-testid="problems"]').inner_text().lower()
    assert all(word in told for word in ("class/cut.jpg", "ends after", "leave such files out"))
    assert page.locator('[data-testid="strip"]').count() == 0
    lab.by_id(page, "tab-code").click()
    card.wait_for()
    # a sample that does not fail is as good as before the run that has stopped, and one that does has its own file
    lab.by_id(page, "sample-0").click()
    page.locator('[data-testid="node-decode"]:not(:has(.ds-file-picture))').wait_for()
    page.wait_for_function("() => !document.querySelector('.ds-card.ds-stale')")
    lab.by_id(page, "sample-3").click()
    own.wait_for()
    assert "class/cut.jpg" in card.inner_text()
    assert "sample 1" in lab.by_id(page, "node-resize").inner_text()
    card.locator('[data-testid="remedy-decode"]', has_text="Leave").click()
    # the next sample, of which something is left, and a sentence with a way back
    _await_text(page, "strip", "Decode leaves out files")
    lab.by_id(page, "undo-notice").wait_for()
    page.locator('[data-testid="sample-0"][aria-selected="true"]').wait_for()
    lab.by_id(page, "sample-3").click()
    for key in ("decode", "resize"):  # and no black pictures
        lab.by_id(page, f"node-{key}").get_by_text("left out").wait_for(timeout=30_000)
    own.wait_for()
    assert lab.by_id(page, "node-resize").locator("canvas").count() == 0
    lab.card(page, "resize").click(position={"x": 70, "y": 12})
    page.locator(".ds-compare.ds-hatched").wait_for()
    lab.by_id(page, "tab-batch").click()
    page.locator('[data-testid="sheet-0-3"]:has-text("left out")').wait_for()
    lab.by_id(page, "tab-code").click()
    lab.by_id(page, "sample-0").click()
    lab.card(page, "resize").click(button="right", position={"x": 70, "y": 12})
    page.get_by_role("menuitem", name="Compare with its input").click()
    painted = """there => { const one = document.querySelector('[data-testid="pair-a"]');
    return one.width > 0 && there === one.getContext('2d').getImageData(one.width >> 1, one.height >> 1, 1, 1).data[3] > 0; }"""
    page.wait_for_function(painted, arg=True)
    lab.by_id(page, "sample-3").click()
    page.get_by_text("A (decode) and B (resize) give no picture of this sample").wait_for()
    page.wait_for_function(painted, arg=False)
    page.keyboard.press("Escape")
    lab.by_id(page, "undo").click()
    card.locator('[data-testid="remedy-decode"]', has_text="placeholder").click()
    lab.by_id(page, "error-card-decode").wait_for(state="detached", timeout=30_000)
    lab.by_id(page, "run").click()
    page.wait_for_selector(".ds-tab-count", timeout=60_000)
    lab.by_id(page, "tab-problems").click()
    lab.by_id(page, "node-decode").get_by_text("placeholder", exact=True).first.wait_for()
    _await_text(page, "missed-class/cut.jpg", "a placeholder")
    _await_text(page, "missed-class/none.jpg", "begins with")
    page.screenshot(path=artifacts / "problems_list.png")


def test_a_damaged_file_is_shown_where_it_lies(page: Any, server: tuple[str, Path], tmp_path: Path) -> None:
    for folder in (server[1] / "among_files" / "class", tmp_path / "elsewhere" / "class"):
        _damaged(folder)
        lab.write_notebook(server[1] / "shown.ipynb", PIPELINE.format(root=str(folder.parent)))
        _open(page, server, "shown.ipynb")
        lab.by_id(page, "run").click()
        show = lab.by_id(page, "error-card-decode").locator('[data-testid="show-file"]')
        show.click()
        if folder.is_relative_to(server[1]):
            page.locator('.jp-DirListing-item.jp-mod-selected[title*="cut.jpg"]').wait_for()
            page.evaluate("() => window.jupyterapp.commands.execute('filebrowser:go-to-path', { path: '/' })")
        else:
            _await_text(page, "show-file", "Path copied")
            assert page.evaluate("() => navigator.clipboard.readText()") == str(folder / "cut.jpg")


def test_a_box_says_which_of_its_nodes_failed(page: Any, server: tuple[str, Path], tmp_path: Path, artifacts: Path) -> None:
    _damaged(tmp_path / "shots" / "cut")
    for name in ("none.jpg", "0.jpg", "1.jpg", "2.jpg"):
        (tmp_path / "shots" / "cut" / name).unlink()
    lab.write_notebook(server[1] / "failing_box.ipynb", scenes.damaged(str(tmp_path / "shots")), scenes.SHOW)
    _open(page, server, "failing_box.ipynb")
    lab.settle(page)
    for key in ("decode", "resize"):
        lab.card(page, key).click(position={"x": 60, "y": 10}, modifiers=["Control"] if key == "resize" else [])
    page.keyboard.press("g")
    box = page.locator('[data-testid="node-group:group1"]')
    box.wait_for()
    page.keyboard.press("Escape")
    lab.by_id(page, "run").click()
    box.get_by_text("decode failed").wait_for()
    card = lab.by_id(page, "error-card-decode")
    card.wait_for()
    assert _covered(page) == []
    page.screenshot(path=artifacts / "failing_box.png")
    assert card.locator("h4").inner_text().startswith("decode: ")
    card.locator('[data-testid="show-inside"]').click()
    page.locator('[data-testid="crumbs"]').wait_for()
    page.locator('.react-flow__node.selected[data-id="decode"]').wait_for()


def test_the_program_goes_to_a_cell_below_the_designer(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "cells.ipynb", PIPELINE.format(root=str(samples.photos())))
    _open(page, server, "cells.ipynb")
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    _await_text(page, "code", "fn.resize")
    _to_width(page, "800px")  # cards that nobody has placed are not made small: they get other places
    page.wait_for_function(
        """() => { const frame = document.querySelector('[data-testid="canvas"]').getBoundingClientRect();
        const cards = [...document.querySelectorAll('.react-flow__node')].map(n => n.getBoundingClientRect());
        return frame.width < 800 && cards.length === 4 && cards.every(c => c.width >= 120 && c.right <= frame.right && c.bottom <= frame.bottom); }"""
    )
    _to_width(page, "")
    cells = "() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells.map(cell => cell.getSource())"
    before = page.evaluate(cells)
    lab.by_id(page, "insert-cell").click()
    _await_text(page, "insert-cell", "Inserted")
    after = page.evaluate(cells)
    assert len(after) == len(before) + 1
    at = next(place for place, cell in enumerate(before) if "Designer(" in cell)
    assert after[: at + 1] == before[: at + 1] and after[at + 2 :] == before[at + 1 :]
    assert "fn.resize(" in after[at + 1] and "@pipeline_def" in after[at + 1]


def _unfit(path: Path) -> None:
    """A document with values and an input that are missing or not accepted, and wires that do not fit."""

    def node(key: str, operator: str, *inputs: str | None, **more: Any) -> dict[str, Any]:
        return {"key": key, "operator": operator, "inputs": [one and [one, 0] for one in inputs], **more}

    nodes = [
        node("reader", "readers.file", arguments={"file_root": str(samples.photos())}),
        node("decode", "decoders.image", "reader"),
        node("numbers", "random.uniform", arguments={"range": [-30.0, 30.0], "shape": [3]}),
        node("small", "resize", "decode", arguments={"size": [120.0, 160.0], "interp_type": "INTERP_NONE"}),
        node("turned", "rotate", "decode", argument_inputs={"angle": ["numbers", 0]}),
        node("joined", "cat", "decode", None, "decode"),
        node("typed", "cast", "decode"),
        node("points", "coord_flip", "decode", arguments={"flip_x": 1}),
    ]
    outputs = [[key, 0] for key in ("small", "turned", "joined", "typed", "points")]
    pipeline = {"batch_size": 4, "seed": 1, "nodes": nodes, "outputs": outputs}
    path.write_text(json.dumps({"format": "dali-studio", "version": 1, "pipeline": pipeline}))


#: What is marked on the cards: a port's label, or the words of an argument with their title.
_MARKED = """() => [...document.querySelectorAll('.ds-canvas .ds-wrong')].map(one => {
  const [words] = one.children, { outlineStyle, textDecorationStyle } = getComputedStyle(words);
  const sign = getComputedStyle(one, '::after').content;
  return [one.ariaLabel ?? words.title, one.ariaLabel ? outlineStyle : textDecorationStyle, sign]; }).sort()"""


def test_what_does_not_fit_is_marked_at_its_port_and_its_argument(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    _unfit(server[1] / "unfit.dali.json")
    lab.write_notebook(server[1] / "unfit.ipynb", "from dali_studio import Designer\nDesigner('unfit.dali.json', height=900)")
    _open(page, server, "unfit.ipynb")
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelectorAll('.ds-canvas .ds-wrong').length > 5")
    marked = page.evaluate(_MARKED)
    page.screenshot(path=artifacts / "problems_marked.png")
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()
    lab.settle(page)
    page.screenshot(path=artifacts / "problems_marked_near.png")
    assert page.evaluate(_MARKED) == marked
    for theme in ("JupyterLab Dark", "JupyterLab Dark High Contrast"):
        lab.set_theme(page, theme)
        lab.settle(page)
        page.screenshot(path=artifacts / f"problems_marked_{theme[11:].replace(' ', '_')}.png")
    page.emulate_media(forced_colors="active")
    page.screenshot(path=artifacts / "problems_marked_forced.png")
    assert page.evaluate(_MARKED) == marked
    page.emulate_media(forced_colors="none")
    turned = "The wired value has shape (3,); angle takes one number per sample."
    assert marked == [
        ["'INTERP_NONE' (str) is not accepted; interp_type takes a types.DALIInterpType.", "wavy", '"!"'],
        [turned, "wavy", "none"],
        ["Typed needs dtype.", "wavy", '"!"'],
        [f"argument angle: {turned}", "solid", '"!"'],
        ["input input 2: Joined needs input 2.", "solid", '"!"'],
        ["input points: Decode gives image data; points takes points data.", "solid", '"!"'],
    ]
    # what is wired is filled, what is not is hollow
    fills = [
        lab.by_id(page, f"port-in-joined-{n}").locator("g").evaluate("g => [g.getAttribute('fill'), g.getAttribute('stroke')]")
        for n in (0, 1)
    ]
    assert fills[0][1] == fills[1][0] == "var(--ds-raise)" not in (fills[0][0], fills[1][1])
    # without the wire the argument has no port, and needs a value
    page.get_by_role("button", name="Show everything").click()
    lab.card(page, "numbers").click(position={"x": 70, "y": 12})
    page.keyboard.press("Delete")
    page.wait_for_function("() => !document.querySelector('[data-ds-node=turned] .ds-port.ds-wrong')")
    row = page.locator('[data-ds-node="turned"] .ds-row.ds-wrong')
    row.wait_for()
    assert row.inner_text().split() == ["angle", "–"]


_FOLDED = """
from dali_studio import Designer, Pipeline, fn, samples
made = Pipeline(batch_size=8, num_threads=2, device_id=None, seed=1)
with made:
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    image = fn.resize(fn.decoders.image(files), resize_shorter=256)
    image = fn.rotate(image, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=0)
    image = fn.crop(fn.brightness_contrast(image, contrast=1.1, name="light"), crop=(900.0, 900.0), name="window")
    image = fn.flip(fn.gaussian_blur(image, sigma=1.0), horizontal=fn.random.coin_flip())
    for step in range(4):
        image = fn.rotate(image, angle=fn.random.uniform(range=(0.0, 9.0)), name=f"turned_{step}")
    made.set_outputs(image, labels)
designer = Designer(made)
designer
"""


def test_what_is_told_covers_neither_its_node_nor_what_feeds_that(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    lab.write_notebook(server[1] / "folded.ipynb", _FOLDED)
    lab.open_notebook(page, server[0], "folded.ipynb")
    lab.by_id(page, "designer").wait_for(timeout=90_000)
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '800px'; }")
    page.locator('[data-testid="node-window"].ds-failed').wait_for(timeout=60_000)
    before = lab.card(page, "window").bounding_box()
    lab.card(page, "window").click(position={"x": 20, "y": 5}, button="right")
    page.locator(".ds-error-card").wait_for()
    lab.settle(page)
    assert lab.by_id(page, "node-window").bounding_box() == before  # nothing moves under a menu
    page.keyboard.press("Escape")
    page.locator(".ds-menu").wait_for(state="detached")
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_failed_800.png")
    told = page.locator(".ds-error-card").bounding_box()
    for key in ("window", "light"):  # there is no room that no card has
        card = lab.by_id(page, f"node-{key}").bounding_box()
        apart = (
            told["x"] + told["width"] <= card["x"] or card["x"] + card["width"] <= told["x"],
            told["y"] + told["height"] <= card["y"] or card["y"] + card["height"] <= told["y"],
        )
        assert any(apart), key


#: What reaches out of the canvas.
_CUT = """parts => { const frame = document.querySelector('[data-testid="canvas"]').getBoundingClientRect();
    return [...document.querySelectorAll(parts)].filter(one => { const at = one.getBoundingClientRect();
        return at.left < frame.left || at.right > frame.right || at.top < frame.top || at.bottom > frame.bottom;
    }).map(one => one.dataset.id ?? one.className); }"""


def test_what_tells_of_boxes_that_stay_behind_covers_no_card_in_any_frame(page: Any, server: tuple[str, Path]) -> None:
    shutil.copy(lab.REPOSITORY / "gallery" / "ssd_training" / "pipeline.dali.json", server[1] / "ssd.dali.json")
    lab.write_notebook(server[1] / "ssd.ipynb", "from dali_studio import Designer; Designer('ssd.dali.json', height=780)")
    lab.open_notebook(page, server[0], "ssd.ipynb")
    page.get_by_text("Read the sample").first.click()
    training.drawn(page, "thumb-small")
    card = page.locator(".ds-error-card")
    for after, added, widths in (("small", "rotate", (900, 600, 1500)), ("rotate", "flip", (1500,))):
        lab.card(page, after).click(position=training.HEAD)
        page.keyboard.press("Space")
        page.keyboard.type(f"fn.{added}")
        lab.by_id(page, f"quick-{added}").wait_for()
        page.keyboard.press("Enter")
        card.locator("canvas").nth(1).wait_for()
        for width in widths:
            page.locator(".jp-OutputArea .ds-widget").first.evaluate("(e, width) => { e.style.width = `${width}px`; }", width)
            page.wait_for_timeout(800)  # the view moves when the frame rests
            lab.settle(page)
            others = [*(f'[data-id="{key}"]' for key in [*training.nodes(page), "__outputs__"]), ".ds-guard-pill", "[data-testid^=ghost-]"]
            assert [one for one in others if not page.evaluate(training.APART, [".ds-error-card", one])] == [], (added, width)
            assert page.evaluate(_CUT, ".react-flow__node, .ds-guard-pill, .ds-error-card, .ds-twin") == [], (added, width)
            assert page.locator(".ds-guard-pill").count() == 1, (added, width)
        card.locator('[data-testid^="repair-"]').click()
        card.wait_for(state="detached")
