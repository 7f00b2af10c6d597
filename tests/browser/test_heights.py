"""Frames of several widths and heights with the drawer open: the graph above it stays whole and can be read."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes
from chosen import few

from dali_studio import samples

pytestmark = pytest.mark.browser

_LOOK = """() => {
  const root = [...document.querySelectorAll('[data-testid="designer"]')].find(one => one.offsetParent);
  const rect = one => { const { x, y, right, bottom, width, height } = one.getBoundingClientRect(); return { x, y, right, bottom, width, height }; };
  const cards = [...root.querySelectorAll('.react-flow__node')].map(one => ({
    ...rect(one), key: one.dataset.id.replaceAll('_', ''), name: one.querySelector('.ds-card-head b')?.textContent ?? '' }));
  const cells = [...root.querySelectorAll('.ds-sheet-button')].map(rect);
  return { cards, cells, root: rect(root), canvas: rect(root.querySelector('.ds-stage')), drawer: rect(root.querySelector('.ds-drawer')),
    column: rect(root.querySelector('.ds-column')) };
}"""


def _size(page: Any, width: int, height: int) -> None:
    page.locator(".jp-OutputArea .ds-widget").first.evaluate(
        "(one, [width, height]) => { one.style.width = `${width}px`; one.style.height = `${height}px`; }", [width, height]
    )
    lab.settle(page)


def _whole(look: dict[str, Any], case: object, *, names: bool = True) -> None:
    """All cards are in sight, with their names."""
    canvas = look["canvas"]
    for card in look["cards"]:
        assert canvas["x"] <= card["x"] and card["right"] <= canvas["right"], (case, card)
        assert canvas["y"] <= card["y"] and card["bottom"] <= canvas["bottom"], (case, card)
        assert not names or card["name"] == card["key"], (case, card)


def _whole_soon(page: Any, case: object) -> dict[str, Any]:
    """What is to be seen once all cards are in sight: the graph finds its place a moment after the drawer has its height."""
    for _ in range(40):
        with suppress(AssertionError):
            _whole(page.evaluate(_LOOK), case)
            break
        page.wait_for_timeout(250)
    look = page.evaluate(_LOOK)
    _whole(look, case)
    return look


@pytest.fixture
def designer(page: Any, server: tuple[str, Path]) -> Any:
    lab.write_notebook(server[1] / "heights.ipynb", scenes.six() + scenes.SHOW)
    lab.open_notebook(page, server[0], "heights.ipynb")
    lab.by_id(page, "thumb-normalize").wait_for(timeout=90_000)
    lab.settle(page)
    return page


def test_a_sweep_leaves_the_graph_above_it_whole_and_readable(designer: Any) -> None:
    page = designer
    for width, height in few(((800, 600), (1600, 640), (1600, 900), (800, 900), (1100, 600)), 3):
        _size(page, width, height)
        _whole_soon(page, (width, height))
        lab.card(page, "normalize").click(position={"x": 30, "y": 6})
        lab.by_id(page, "tab-batch").click()
        lab.by_id(page, "sheet-mode-sweep").click()
        page.wait_for_function("() => document.querySelector('[data-testid=sheet-5-0] canvas')?.dataset.drawn > 0")
        lab.settle(page)
        look = _whole_soon(page, (width, height))
        column = look["column"]["height"]
        assert look["drawer"]["height"] <= max(0.56 * column, min(column - 239, 615)), (width, height)
        assert (width, height) != (1600, 900) or look["drawer"]["height"] > 600  # nearly all of its rows
        assert all(1.4 < cell["width"] / cell["height"] < 2.3 for cell in look["cells"])  # wider, where they fill the row
        assert look["cells"][0]["width"] >= (120 if width > 1100 else 88), (width, height)
        values = [lab.by_id(page, f"sheet-{value}-0").bounding_box() for value in range(6)]
        assert max(one["y"] + one["height"] for one in values) <= look["drawer"]["bottom"], (width, height)
        lab.by_id(page, "sheet-mode-samples").click()
        lab.settle(page)
        sheet = page.evaluate(_LOOK)
        assert {round(cell["width"] / cell["height"], 1) for cell in sheet["cells"]} == {1.5}
        assert sheet["drawer"]["bottom"] - max(cell["bottom"] for cell in sheet["cells"]) < 30, (width, height)
        lab.by_id(page, "tab-batch").click()
        lab.by_id(page, "canvas").focus()
        page.keyboard.press("Escape")
        lab.settle(page)
        _whole_soon(page, (width, height, "closed"))


def test_a_narrow_frame_shows_cards_as_large_as_it_allows(designer: Any) -> None:
    page = designer
    _size(page, 800, 900)
    cards = page.evaluate(_LOOK)["cards"]
    assert max(card["width"] for card in cards) > 140
    # all of them are beside the inspector, with their names, and come back when that is closed
    lab.card(page, "rotate").click(position={"x": 30, "y": 6})
    lab.settle(page)
    look = page.evaluate(_LOOK)
    _whole(look, "beside", names=False)
    edge = page.locator(".ds-floating").bounding_box()["x"]
    assert max(card["right"] for card in look["cards"]) < edge - 8
    assert min(card["width"] for card in look["cards"]) > 91
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("Escape")
    lab.settle(page)
    again = page.evaluate(_LOOK)
    _whole(again, "closed")
    assert [round(card["width"]) for card in again["cards"]] == [round(card["width"]) for card in cards]


def test_the_gallery_lies_over_the_canvas_of_a_narrow_frame(designer: Any) -> None:
    page = designer
    _size(page, 700, 640)
    before = lab.by_id(page, "node-decode").bounding_box()["width"]
    lab.by_id(page, "canvas").focus()
    page.keyboard.press("p")
    page.locator(".ds-palette").wait_for()
    lab.settle(page)
    assert lab.by_id(page, "node-decode").bounding_box()["width"] > before - 1
    tab, frame = lab.by_id(page, "tab-problems").bounding_box(), page.locator(".ds-column").bounding_box()
    assert tab["x"] + tab["width"] < frame["x"] + frame["width"]
    assert tab["width"] > 50
    page.keyboard.press("p")


def test_a_sweep_in_little_room_has_one_line_of_controls_and_shows_rows(designer: Any) -> None:
    page = designer
    _size(page, 800, 640)
    lab.card(page, "rotate").click(position={"x": 30, "y": 6})
    lab.by_id(page, "tab-batch").click()
    lab.by_id(page, "sheet-mode-sweep").click()
    for width in (800, 640, 520, 800):
        _size(page, width, 640)
        page.wait_for_function("() => document.querySelector('[data-testid=sheet-5-0] canvas')?.dataset.drawn > 0")
        bar = page.locator(".ds-sheet-bar").bounding_box()
        assert bar["height"] <= 37, width
        assert page.locator(".ds-sheet-bar").evaluate("one => one.scrollWidth - one.clientWidth") <= 0, width
        look = page.evaluate(_LOOK)
        values = [lab.by_id(page, f"sheet-{value}-0").bounding_box() for value in range(6)]
        assert max(one["y"] + one["height"] for one in values) <= look["drawer"]["bottom"], width
        folded = page.locator('[data-testid="sweep-range"]')
        assert folded.count() == (width < 720), width
    _size(page, 520, 640)
    row = page.locator('[data-testid="outline-rotate"]:visible').bounding_box()
    assert row["y"] + row["height"] <= page.evaluate(_LOOK)["drawer"]["y"]
    assert lab.by_id(page, "sheet").locator(".ds-sheet-under").first.inner_text().startswith("as ")
    folded.locator("summary").click()
    lab.by_id(page, "sweep-from").fill("-20")
    lab.by_id(page, "sweep-from").press("Enter")
    page.locator(".ds-sheet-under", has_text="−20").wait_for()
    lab.by_id(page, "sheet-1-0").focus()
    assert not folded.evaluate("one => one.open")
    assert folded.inner_text().strip().startswith("−20° to ")


def test_rows_of_a_sweep_share_a_range_and_say_how_many_numbers_one_replaces(designer: Any) -> None:
    page = designer
    lab.card(page, "normalize").click(position={"x": 30, "y": 6})
    lab.by_id(page, "tab-batch").click()
    lab.by_id(page, "sheet-mode-sweep").click()
    lab.by_id(page, "sweep-argument").select_option("mean")
    page.locator(".ds-sheet p", has_text="ll pictures are shown from").wait_for()
    keep = lab.by_id(page, "sheet-3-0")
    assert keep.get_attribute("aria-label").startswith("Keep 123.7 for all 3")
    bright = """row => { const canvas = document.querySelector(`[data-testid="sheet-${row}-0"] canvas`);
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((sum, one, i) => i % 4 < 3 ? sum + one : sum, 0); }"""
    page.wait_for_function(f"() => ({bright})(1) > 1.2 * ({bright})(3) && ({bright})(3) > 1.2 * ({bright})(5)")
    keep.click()
    page.wait_for_function("() => document.querySelector('[data-testid=strip]')?.textContent.includes('123.7 for all 3')")
    lab.by_id(page, "undo-notice").click()


def test_a_clip_is_played_in_the_row_that_is_open(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "clip.ipynb", scenes.clip() + scenes.SHOW)
    lab.open_notebook(page, server[0], "clip.ipynb")
    lab.by_id(page, "node-clip").wait_for(timeout=90_000)
    # a card wider than what is left beside the inspector keeps its name in sight
    _size(page, 600, 640)
    lab.card(page, "clip").click(position={"x": 70, "y": 12})
    lab.settle(page)
    assert lab.by_id(page, "node-clip").bounding_box()["x"] > lab.by_id(page, "designer").bounding_box()["x"]
    page.keyboard.press("Escape")
    _size(page, 520, 640)
    lab.by_id(page, "outline-clip").click()
    # once, with one slider
    assert page.locator('[data-testid="frames-clip"]:visible').count() == 0
    play = page.locator('[data-testid="play"]:visible')
    play.click()
    page.locator(".ds-plane", has_text="frame 4 of 8").wait_for()
    assert play.get_attribute("aria-pressed") == "true"
    play.click()
    at = page.locator('[data-testid="plane"]:visible')
    at.fill("5")
    page.locator(".ds-plane", has_text="frame 6 of 8").wait_for()


def test_cards_that_gave_way_to_a_finding_come_back_into_sight_with_the_drawer(page: Any, server: tuple[str, Path]) -> None:
    folder = server[1] / "cut_short" / "a"
    folder.mkdir(parents=True, exist_ok=True)
    photo = next(iter(sorted(samples.photos().rglob("*.jpg"))))
    (folder / "1.jpg").write_bytes(photo.read_bytes()[:9000])
    lab.write_notebook(server[1] / "cut_short.ipynb", scenes.damaged(str(folder.parent)) + scenes.SHOW)
    lab.open_notebook(page, server[0], "cut_short.ipynb")
    lab.by_id(page, "node-decode").wait_for(timeout=90_000)
    _size(page, 1100, 520)
    lab.by_id(page, "error-card-decode").wait_for()
    lab.settle(page)
    lab.by_id(page, "tab-batch").click()
    lab.settle(page)
    _whole(page.evaluate(_LOOK), "drawer", names=False)
    # the view moves no farther than cards stay whole
    for width, height in ((520, 640), (800, 640), (1100, 640)):
        _size(page, width, height)
        lab.settle(page)
    lab.by_id(page, "error-card-decode").wait_for()
    lab.settle(page)
    frame = page.locator(".ds-canvas").first.bounding_box()
    cards = [card.bounding_box() for card in page.locator(".react-flow__node").all()]
    assert min(card["x"] for card in cards) >= frame["x"]
    assert max(card["x"] + card["width"] for card in cards) <= frame["x"] + frame["width"]


def test_a_pin_and_the_time_have_room_on_small_cards(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "pinned.ipynb", scenes.five() + scenes.SHOW)
    lab.open_notebook(page, server[0], "pinned.ipynb")
    lab.by_id(page, "node-decode").wait_for(timeout=90_000)
    _size(page, 800, 560)
    lab.by_id(page, "run").click()
    page.wait_for_function("() => document.querySelector('[data-testid=\"node-decode\"] .ds-time')?.textContent.includes('s')")
    lab.card(page, "decode").click(position={"x": 70, "y": 12})
    page.keyboard.press("k")
    lab.by_id(page, "unpin-decode").wait_for()
    page.keyboard.press("Escape")
    lab.settle(page)
    while lab.by_id(page, "node-decode").bounding_box()["width"] > 100:
        page.keyboard.press("-")
        lab.settle(page)
    pin, time = lab.by_id(page, "unpin-decode").bounding_box(), page.locator('[data-testid="node-decode"] .ds-time').bounding_box()
    assert pin["width"] < 24 and pin["y"] + pin["height"] <= time["y"]


def test_yes_and_no_are_squares_in_the_list_too(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "six.ipynb", scenes.six() + scenes.SHOW)
    lab.open_notebook(page, server[0], "six.ipynb")
    lab.by_id(page, "designer").wait_for(timeout=90_000)
    _size(page, 500, 640)
    squares = page.locator('[data-testid="outline-mirror"]:visible .ds-dots i')
    squares.first.wait_for()
    sides = [(one["width"], one["height"]) for one in (square.bounding_box() for square in squares.all())]
    assert len(sides) == 8
    assert all(6 < width == pytest.approx(height, abs=0.5) for width, height in sides), sides
    # the dot of a changed argument stands beside the bar of the selected row
    lab.by_id(page, "outline-rotate").locator("visible=true").click()
    page.locator(".ds-outline .ds-changed").first.wait_for()
    left = """() => {
      const name = document.querySelector(".ds-outline .ds-changed > .ds-field-name");
      const at = name.getBoundingClientRect().x + parseFloat(getComputedStyle(name, "::before").left);
      return at - name.closest("li").getBoundingClientRect().x;
    }"""
    assert page.evaluate(left) >= 4
