"""What cards show at each zoom is within them, in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes

pytestmark = pytest.mark.browser

_PROGRAM = """
from dali_studio import Designer, fn, pipeline_def, samples, types
@pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=1, enable_conditionals=True)
def made():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.resize(fn.decoders.image(files), resize_shorter=256)
    if fn.random.coin_flip(probability=0.9, dtype=types.BOOL):
        images = fn.brightness_contrast(images, contrast=1.3, name="contrast")
    if fn.random.coin_flip(probability=0.5, dtype=types.BOOL):
        images = fn.rotate(images, angle=10.0, fill_value=0, name="turn")
    shape = fn.shapes(images, name="shape_of_the_photo")
    mean = fn.reductions.mean(images, axes=(0, 1), name="mean")
    return images, labels, shape, mean
designer = Designer(made())
"""
_ZOOM = """async zoom => {
  const pane = document.querySelector('.react-flow__pane'), box = pane.getBoundingClientRect();
  const now = () => new DOMMatrix(getComputedStyle(pane.querySelector('.react-flow__viewport')).transform).a;
  for (let i = 0; i < 500 && Math.abs(now() - zoom) > 0.004; i++) {
    const deltaY = Math.max(-60, Math.min(60, Math.log2(now() / zoom) / 0.002));
    pane.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, view: window, deltaY,
      clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }));
    await new Promise(resolve => requestAnimationFrame(resolve));
  }
}"""
#: Words that run out of their cards, and rows of which some pixels are seen.
_OUTSIDE = """() => [...document.querySelectorAll('.react-flow__node .ds-card')].flatMap(card => {
  const frame = card.getBoundingClientRect(), words = document.createTreeWalker(card, NodeFilter.SHOW_TEXT), found = [];
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest('.ds-hex, .ds-port') || !parent.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange(); range.selectNodeContents(node);
    let { left, right, top, bottom } = range.getBoundingClientRect();
    for (let one = parent; one !== card; one = one.parentElement) {
      const style = getComputedStyle(one), box = one.getBoundingClientRect();
      if (style.overflowX !== 'visible') { left = Math.max(left, box.left); right = Math.min(right, box.right); }
      if (style.overflowY !== 'visible') {
        if (top < box.bottom && bottom > box.bottom + 3) found.push(`${card.dataset.testid}: ${node.data} is cut`);
        bottom = Math.min(bottom, box.bottom); } }
    if (right > left && bottom > top && (left < frame.left - 0.5 || right > frame.right + 0.5 || bottom > frame.bottom + 1))
      found.push(`${card.dataset.testid}: ${node.data}`); }
  return found; })"""
_HEADS = """() => ['contrast', 'turn'].map(key => {
  const card = document.querySelector(`[data-testid="node-${key}"]`), box = name => card.querySelector(name).getBoundingClientRect();
  return { name: card.querySelector('b').textContent, tile: box('.ds-tile').width,
    pill: box('.ds-pill').top > box('.ds-picture').top ? 'picture' : 'header' }; })"""

_WITHOUT_TILE = """() => [...document.querySelectorAll('.ds-card-operator > .ds-card-head')].filter(head =>
  head.querySelector('.ds-tile').getBoundingClientRect().bottom > head.getBoundingClientRect().bottom).map(head => head.textContent)"""


def test_words_stay_in_their_cards_at_every_zoom(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "levels.ipynb", _PROGRAM + scenes.SHOW)
    lab.open_notebook(page, server[0], "levels.ipynb")
    page.locator('[data-testid="node-mean"]').wait_for(timeout=90_000)
    page.locator(".jp-OutputArea .ds-widget").first.evaluate("e => { e.style.width = '1100px'; }")
    lab.settle(page)
    page.locator('[data-testid="canvas"]').focus()
    seen = {}
    for zoom in (0.44, 0.55, 0.66, 0.83, 0.9, 1.0):
        page.evaluate(_ZOOM, zoom)
        lab.settle(page)
        assert page.evaluate(_OUTSIDE) == [], zoom
        seen[zoom] = page.evaluate(_HEADS)
        assert all(one["tile"] > 13 for one in seen[zoom]), zoom
        assert page.evaluate(_WITHOUT_TILE) == [], zoom
    # a name is cut only where it has no room beside the icon
    assert [[one["name"] for one in heads] for zoom, heads in seen.items() if zoom > 0.5] == [["contrast", "turn"]] * 5
    assert "…" in seen[0.44][0]["name"] and seen[0.44][1]["name"] == "turn"
    # a pill stands on the picture where the name needs the header, and only there
    assert [one["pill"] for one in seen[0.83]] == ["picture", "header"]
    assert [one["pill"] for one in seen[1.0]] == ["header", "header"]


#: Of the cards in view, their arguments with values: the least size of their type on the screen, the words that are covered,
#: and the ports of arguments at which no wire ends.
_NEAR = """() => { const canvas = document.querySelector('[data-testid="canvas"]').getBoundingClientRect(), rows = {}, covered = [], loose = [];
  const inside = b => b.left > canvas.left && b.right < canvas.right && b.top > canvas.top + 40 && b.bottom < canvas.bottom - 50;
  const lines = [...document.querySelectorAll('.react-flow__edge-path')].flatMap(path =>
    [...path.getAttribute('d').matchAll(/M(-?[\\d.]+) (-?[\\d.]+)/g)].map(([, x, y]) => new DOMPoint(x, y).matrixTransform(path.getScreenCTM())));
  let least = 99;
  for (const card of document.querySelectorAll('.ds-card-operator')) {
    const zoom = card.getBoundingClientRect().width / card.offsetWidth;
    for (const words of card.querySelectorAll('.ds-row-name, .ds-row-value, .ds-facts-text, .ds-device')) {
      const box = words.getBoundingClientRect();
      if (!box.width || !words.textContent || !inside(box)) continue;
      if (words.classList.contains('ds-row-name')) rows[`${card.dataset.dsNode} ${words.textContent}`] = words.nextElementSibling.textContent;
      least = Math.min(least, parseFloat(getComputedStyle(words).fontSize) * zoom);
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      if (!card.contains(top) || !top.contains(words) && !words.contains(top)) covered.push(words.textContent); }
    for (const port of card.querySelectorAll('[data-ds-slot^="arg:"]')) {
      const box = port.getBoundingClientRect(), [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (inside(box) && !lines.some(line => Math.abs(line.x - x) < 2 * zoom && Math.abs(line.y - y) < 1.5)) loose.push(port.title); } }
  return { rows, covered, loose, least }; }"""


#: Cards whose rows lie over their picture, or reach out of them.
_ROWS = """() => [...document.querySelectorAll('.ds-card-operator:has(.ds-picture)')].filter(card => {
  const picture = card.querySelector('.ds-picture').getBoundingClientRect(), frame = card.getBoundingClientRect();
  return [...card.querySelectorAll('.ds-row, .ds-facts')].map(one => one.getBoundingClientRect()).some(({ top, bottom }) =>
    top < picture.bottom - 1 || bottom > frame.bottom + 1); }).map(card => card.dataset.testid)"""


def test_cards_of_a_large_graph_are_whole_when_near(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    lab.write_notebook(server[1] / "near.ipynb", scenes.branches(3, 13) + scenes.SHOW)
    lab.open_notebook(page, server[0], "near.ipynb")
    page.locator('[data-testid="node-hsv"]').wait_for(timeout=90_000)
    page.locator('[data-testid="canvas"]').focus()
    for zoom in (0.7, 0.83, 1.0, 1.5):
        page.evaluate(_ZOOM, zoom)
        lab.settle(page)
        seen = page.evaluate(_NEAR)
        assert page.evaluate(_OUTSIDE) == [], zoom
        if zoom == 0.7:
            assert seen["rows"] == {}
            continue
        assert len(seen["rows"]) > 3 and all(seen["rows"].values()), zoom
        assert seen["covered"] == [] and seen["loose"] == [], zoom
        assert seen["least"] > 9.4, zoom
        assert page.evaluate(_ROWS) == [], zoom
        page.screenshot(path=artifacts / f"near_{zoom}.png")
