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
