"""Large graphs fill the frame and can be read, in JupyterLab."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes

pytestmark = pytest.mark.browser

_EXTENT = """() => {
  const frame = document.querySelector('[data-testid="canvas"]').getBoundingClientRect();
  const cards = [...document.querySelectorAll('.react-flow__node')].map(n => n.getBoundingClientRect());
  return { cards: cards.length, width: (Math.max(...cards.map(c => c.right)) - Math.min(...cards.map(c => c.left))) / frame.width,
    height: (Math.max(...cards.map(c => c.bottom)) - Math.min(...cards.map(c => c.top))) / frame.height,
    outside: cards.filter(c => c.left < frame.left || c.right > frame.right || c.top < frame.top || c.bottom > frame.bottom).length,
    card: cards[1].width };
}"""

_PAINTED = """() => {
  const canvas = document.querySelector('[data-testid="far-pictures"]');
  if (!canvas || !canvas.width) return false;
  const small = document.createElement('canvas'); small.width = 24; small.height = 16;
  const pen = small.getContext('2d'); pen.drawImage(canvas, 0, 0, 24, 16);
  const { data } = pen.getImageData(0, 0, 24, 16);
  return data.some((v, i) => i % 4 === 0 && Math.abs(v - data[i + 2]) > 20);
}"""

#: The cards behind which a wire runs.
_BEHIND = """() => { const found = new Set();
  const cards = [...document.querySelectorAll('.react-flow__node')].map(n => [n.dataset.id, n.firstElementChild.getBoundingClientRect()]);
  for (const path of document.querySelectorAll('.ds-far-wires path, .react-flow__edge-path')) {
    const at = path.getScreenCTM(), length = path.getTotalLength();
    for (let l = 0; l < length; l += 4 / at.a) {
      const { x, y } = path.getPointAtLength(l).matrixTransform(at);
      for (const [id, c] of cards) if (x > c.left + 4 && x < c.right - 4 && y > c.top + 3 && y < c.bottom - 3) found.add(id); } }
  return [...found]; }"""


def _open(page: Any, server: tuple[str, Path], name: str, branches: int, steps: int) -> dict[str, float]:
    lab.write_notebook(server[1] / name, scenes.branches(branches, steps) + scenes.SHOW)
    lab.open_notebook(page, server[0], name)
    page.wait_for_function("() => document.querySelectorAll('.react-flow__node').length > 10", timeout=90_000)
    lab.settle(page)
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    return page.evaluate(_EXTENT)


def test_three_hundred_nodes_fill_the_frame(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    seen = _open(page, server, "large.ipynb", branches=14, steps=21)
    assert seen["cards"] > 300
    assert seen["outside"] == 0
    # the rest is kept for a sentence, the names of stages, and the controls in the corner
    assert max(seen["width"], seen["height"]) > 0.78
    assert min(seen["width"], seen["height"]) > 0.6
    assert lab.by_id(page, "far-wires").locator("path").count() > 0
    assert page.locator(".ds-far-wire-argument").count() == 0  # only the selected card's
    # numbers show their values and where they go on; results have numbers that do not touch
    assert len(page.evaluate("() => document.querySelector('.ds-far-wires').innerHTML.match(/\\dh/g)")) == 4
    assert page.locator(".ds-far-card .ds-values").count() == 4
    names = page.locator(".ds-far-out > span").evaluate_all(
        "all => all.map(one => [one.textContent, one.getBoundingClientRect().y])"
    )
    assert [name for name, _ in names] == [str(i) for i in range(1, 16)]
    assert min(below - above for (_, above), (_, below) in pairwise(names)) > 11
    # all pictures are on one canvas: with one for each card, a browser moves hundreds of layers
    page.wait_for_function(_PAINTED, timeout=60_000)
    assert page.locator(".react-flow canvas").count() == 1
    page.screenshot(path=artifacts / "designer_300.png")

    # Z goes to the selected card, which then has its name and its ports, 0 to all of them
    lab.card(page, "hsv_5").click()
    page.keyboard.press("z")
    lab.by_id(page, "port-in-hsv_5-0").wait_for()
    frame, card = lab.by_id(page, "canvas").bounding_box(), lab.by_id(page, "node-hsv_5").bounding_box()
    assert frame["x"] < card["x"] and card["x"] + card["width"] < frame["x"] + frame["width"]
    assert card["width"] > 130
    # only the cards around what is in view are on the page, and they share a canvas as well
    page.wait_for_function("() => { const n = document.querySelectorAll('.react-flow__node').length; return n > 4 && n < 200; }")
    assert page.locator(".react-flow canvas").count() == 1
    lab.settle(page)
    page.screenshot(path=artifacts / "designer_300_near.png")
    page.keyboard.press("0")
    page.wait_for_function("() => document.querySelectorAll('.ds-far-card').length > 300")
    page.locator(".ds-far-wire-argument").first.wait_for(state="attached")

    # the search stays free of an inspector that lies over the canvas
    page.keyboard.press("Control+f")
    page.keyboard.type("hsv_5")
    page.keyboard.press("Enter")
    lab.by_id(page, "inspector").wait_for()
    lab.settle(page)
    found, over = lab.by_id(page, "find").bounding_box(), lab.by_id(page, "inspector").bounding_box()
    assert found["x"] + found["width"] <= over["x"]
    page.screenshot(path=artifacts / "designer_300_found.png")
    # at 100 % cards have whole ports, with letters
    page.keyboard.press("Escape")
    page.keyboard.press("z")
    page.wait_for_function("() => document.querySelector('.ds-zoom-value').textContent === '100 %'")
    assert page.locator(".ds-at-near .ds-port-mark").first.bounding_box()["width"] == 16
    assert page.locator(".ds-at-near .ds-port-letter").first.is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    page.wait_for_function("() => document.querySelectorAll('.ds-far-card').length > 300")

    # where cards are narrower, their numbers alone, which lie within the card; heads of columns have room for what they say
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '800px'; }")
    lab.settle(page)
    wide = page.evaluate("""() => [...document.querySelectorAll('.ds-stage-band, .ds-far-out > span')].filter(one => {
      const room = (one.classList.contains('ds-stage-band') ? one : one.closest('.ds-card')).getBoundingClientRect();
      return [...one.children, one].some(part => { const at = part.getBoundingClientRect();
        return at.right > room.right + 1 && at.y < room.bottom - 3; }); }).map(one => one.textContent)""")
    assert wide == []


@pytest.mark.parametrize(("branches", "steps"), [pytest.param(7, 8, marks=pytest.mark.grid), (14, 21)])
def test_many_nodes_stay_where_one_is_chosen(page: Any, server: tuple[str, Path], branches: int, steps: int) -> None:
    _open(page, server, f"chosen_{branches}.ipynb", branches=branches, steps=steps)
    widget = page.locator(".jp-OutputArea .ds-widget").first
    widget.evaluate("e => { e.style.width = '1600px'; e.style.height = '960px'; }")
    lab.settle(page)
    before = lab.card(page, "hsv_5").bounding_box()
    lab.card(page, "hsv_5").click()
    lab.by_id(page, "inspector").wait_for()
    lab.settle(page)
    assert lab.card(page, "hsv_5").bounding_box() == pytest.approx(before, abs=1)
    # but one below the inspector comes out from under it
    page.keyboard.press("Escape")
    lab.settle(page)
    page.locator("[data-id=__outputs__]").click()
    page.wait_for_function("""() => { const [panel, last] = ['[data-testid=inspector]', '[data-id=__outputs__]'].map(one =>
      document.querySelector(one)?.getBoundingClientRect()); return panel && last.right < panel.x; }""")
    # near, a number still comes to it from where its source is, out of sight, and to no other card
    page.keyboard.press("Escape")
    lab.card(page, "hsv_9").click()
    page.keyboard.press("z")
    lab.settle(page)
    wires = page.locator('[aria-label^="wire from uniform"]').evaluate_all("all => all.map(one => one.ariaLabel)")
    assert any(wire.endswith(" to hsv_9") for wire in wires) and len(wires) < 100


def test_sixty_nodes_can_be_read(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    seen = _open(page, server, "sixty.ipynb", branches=7, steps=7)
    assert seen["outside"] == 0
    assert seen["card"] >= 60  # beside room for the wires around
    name = page.evaluate(
        """() => { const b = document.querySelector('[data-testid="node-hsv"] b'), r = document.createRange();
        r.selectNodeContents(b); const zoom = b.getBoundingClientRect().height / b.offsetHeight;
        return parseFloat(getComputedStyle(b).fontSize) * zoom; }"""
    )
    assert name >= 10.5
    page.screenshot(path=artifacts / "designer_60.png")

    # those of a card that is chosen stand out by their width: the others can still be followed
    lab.card(page, "hsv_5").click()
    own, others = page.evaluate("""() => [true, false].map(own => [...document.querySelectorAll('.react-flow__edge-path.ds-wire')]
      .filter(one => one.classList.contains('ds-wire-own') === own).map(getComputedStyle)
      .map(style => [parseFloat(style.strokeWidth), +style.opacity]))""")
    assert len(own) > 0 and len(others) > 40
    assert min(opaque for _, opaque in others) > 0.6
    assert min(width for width, _ in own) > 1.4 * max(width for width, _ in others)
    # the inspector lies over no card where there is room at the left
    lab.settle(page)
    edge = lab.by_id(page, "inspector").bounding_box()["x"]
    ends = page.locator(".react-flow__node").evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    assert max(ends) < edge
    page.keyboard.press("Escape")

    # in a frame of another shape the cards, which nobody has moved, get other places; names, if any, are never smaller
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '800px'; }")
    fills = """() => { const frame = document.querySelector('[data-testid="canvas"]').getBoundingClientRect();
        const cards = [...document.querySelectorAll('.react-flow__node')].map(n => n.getBoundingClientRect());
        const b = document.querySelector('[data-testid="node-hsv"] b');
        const size = b && parseFloat(getComputedStyle(b).fontSize) * b.getBoundingClientRect().height / b.offsetHeight;
        return frame.width < 810 && (!b || size >= 8.9) && cards.every(c => c.left >= frame.left && c.right <= frame.right && c.bottom <= frame.bottom)
          && Math.max(...cards.map(c => c.right)) - Math.min(...cards.map(c => c.left)) > 0.9 * frame.width; }"""
    page.wait_for_function(fills)
    lab.settle(page)
    assert page.evaluate(fills)
    page.screenshot(path=artifacts / "designer_60_800.png")
    lab.card(page, "hsv_5").click()
    lab.settle(page)
    assert page.evaluate(_BEHIND) == []


def test_a_click_on_a_stub_leads_to_its_number(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "stubs.ipynb", branches=3, steps=4)
    # small cards have none at the many ports that a number feeds
    title = page.locator(".react-flow__edge:has(title) .react-flow__edge-path").first
    title.wait_for(state="attached")
    assert title.get_attribute("d").count("M") == 1
    lab.card(page, "hsv").click()
    page.keyboard.press("z")
    page.wait_for_function(
        "() => document.querySelector('.react-flow__edge:has(title) .react-flow__edge-path')?.getAttribute('d').split('M').length === 3"
    )
    lab.settle(page)
    # the far side of the ring at the stub's end, on the screen: the rest is near the card's port
    end = page.wait_for_function(
        """() => { const title = document.querySelector('.react-flow__edge title'); if (!title) return null;
        const wire = title.parentElement.querySelector('.react-flow__edge-path');
        const { x, y } = wire.getPointAtLength(wire.getTotalLength() / 2 + 18).matrixTransform(wire.getScreenCTM());
        return { x, y, words: title.textContent }; }"""
    ).json_value()
    source, _, rest = end["words"].partition(" → ")
    assert rest.endswith(": a click shows it")
    page.mouse.click(end["x"], end["y"])
    page.locator(f'.react-flow__node.selected[data-id="{source}"]').wait_for()
    # what leads away from it is drawn whole
    page.wait_for_function(
        "name => [...document.querySelectorAll('.react-flow__edge title')].every(t => !t.textContent.startsWith(`${name} → `))",
        arg=source,
    )


_AUGMENT = """
from dali_studio import Designer
Designer({path!r}, height=820)
"""
#: Names below cards: how many cards have one, the smallest type on the screen, and the names that are over another card.
_NAMES = """() => { const names = [...document.querySelectorAll('.ds-far-name b')];
  const zoom = names[0].getBoundingClientRect().height / names[0].offsetHeight;
  const cards = [...document.querySelectorAll('.ds-far-card')].map(card => card.getBoundingClientRect());
  return [names.length, zoom * Math.min(...names.map(name => parseFloat(getComputedStyle(name).fontSize))),
    names.filter(name => { const at = name.getBoundingClientRect(), line = at.top + 8;
      return cards.some(c => c.left < at.left + 9 && at.left + 9 < c.right && c.top < line && line < c.bottom); })
      .map(name => name.textContent)]; }"""


def test_cards_without_heads_have_names_below_them(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    path = lab.REPOSITORY / "gallery" / "auto_augment" / "pipeline.dali.json"
    lab.write_notebook(server[1] / "augment.ipynb", _AUGMENT.format(path=str(path)))
    lab.open_notebook(page, server[0], "augment.ipynb")
    lab.by_id(page, "designer").wait_for(timeout=90_000)
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '900px'; }")
    page.locator(".ds-far-name").first.wait_for()
    lab.settle(page)
    count, size, over = page.evaluate(_NAMES)
    assert count > 50
    assert size > 8.7
    assert over == []
    page.screenshot(path=artifacts / "designer_augment_900.png")
