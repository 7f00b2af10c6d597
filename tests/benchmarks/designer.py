"""What a person waits for in the designer, in the real JupyterLab in headless Chromium, which draws without a GPU.

open     from running the cell of a designer that exists, to its cards, wires and pictures
pan      frames a second while a graph of 300 nodes is dragged, by how near it is
zoom     the same while the wheel turns
slider   from a step of a slider to the painted preview of the last node: the message to the kernel, all operators behind
         the slider, the pictures' encoding, the way back, decoding and painting; the picture's middle row tells, since
         to read all of it at each frame took more of the page's time than the designer did
search   from a key in the search of operators to the frame that shows what it finds (asked: 95 % within 50 ms)
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine import metadata

from dali_studio.core.optional import available

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from browser import lab, scenes  # noqa: E402 - it lies in the tests

_FRAME = "const frame = () => new Promise(resolve => requestAnimationFrame(resolve));"
_OPEN = f"""async cards => {{
  {_FRAME}
  const app = window.jupyterapp, panel = app.shell.currentWidget;
  panel.content.activeCellIndex = panel.content.widgets.length - 1;
  await new Promise(resolve => setTimeout(resolve, 500));
  const find = words => panel.content.activeCell.node.querySelector(words);
  const marks = {{}}, begin = performance.now();
  const mark = (name, done) => {{ if (!(name in marks) && done) marks[name] = performance.now() - begin; }};
  void app.commands.execute('notebook:run-cell');
  while (!('pictures' in marks) && performance.now() - begin < 60000) {{
    await frame();
    mark('cards', panel.content.activeCell.node.querySelectorAll('.react-flow__node').length >= cards);
    mark('wires', find('[data-testid="far-wires"] path'));
    const canvas = find('[data-testid="far-pictures"]');
    if (!canvas || !canvas.width) continue;
    const small = document.createElement('canvas'); small.width = 24; small.height = 16;
    const pen = small.getContext('2d'); pen.drawImage(canvas, 0, 0, 24, 16);
    const {{ data }} = pen.getImageData(0, 0, 24, 16);
    mark('pictures', data.some((v, i) => i % 4 === 0 && Math.abs(v - data[i + 2]) > 20));
  }}
  return marks;
}}"""
_PAN = f"""async count => {{
  {_FRAME}
  const all = [...document.querySelectorAll('.react-flow__pane')], pane = all.at(-1), box = pane.getBoundingClientRect();
  const at = {{ x: box.x + box.width / 2, y: box.y + box.height / 2 }};
  const send = (target, type, x, y) => target.dispatchEvent(new MouseEvent(type,
    {{ bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, button: 0, buttons: 1 }}));
  send(pane, 'mousedown', at.x, at.y);
  const times = [];
  for (let i = 0; i < count; i++) {{
    const turn = 2 * Math.PI * i / 60;
    send(window, 'mousemove', at.x + 150 * Math.sin(turn), at.y + 90 * (1 - Math.cos(turn)));
    times.push(await frame());
  }}
  send(window, 'mouseup', at.x, at.y);
  return times;
}}"""
_ZOOM = f"""async count => {{
  {_FRAME}
  const all = [...document.querySelectorAll('.react-flow__pane')], pane = all.at(-1), box = pane.getBoundingClientRect();
  const at = {{ clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }};
  const times = [];
  for (let i = 0; i < count; i++) {{
    pane.dispatchEvent(new WheelEvent('wheel', {{ bubbles: true, cancelable: true, view: window, deltaY: i % 40 < 20 ? -40 : 40, ...at }}));
    times.push(await frame());
  }}
  return times;
}}"""
_SLIDER = f"""async ([count, last]) => {{
  {_FRAME}
  const find = name => document.querySelector(`[data-testid="${{name}}"]`);
  const slider = find('slider-angle'), canvas = find(`thumb-${{last}}`);
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const look = () => canvas.getContext('2d').getImageData(0, canvas.height >> 1, canvas.width, 1).data.join();
  const found = [];
  for (let i = 0; i < count; i++) {{
    const before = look(), begin = performance.now();
    setter.call(slider, String((Number(slider.value) + 7) % Number(slider.max)));
    slider.dispatchEvent(new Event('input', {{ bubbles: true }}));
    while (look() === before && performance.now() - begin < 5000) await frame();
    found.push(performance.now() - begin);
    await new Promise(resolve => setTimeout(resolve, 120));
  }}
  return found;
}}"""
_SEARCH = f"""async words => {{
  {_FRAME}
  const field = document.querySelector('[data-testid="quick-search"]');
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const found = [];
  for (const word of words) for (let end = 1; end <= word.length; end++) {{
    const begin = performance.now();
    setter.call(field, word.slice(0, end));
    field.dispatchEvent(new Event('input', {{ bubbles: true }}));
    await frame();
    await new Promise(resolve => setTimeout(resolve));  // behind the frame's painting
    found.push(performance.now() - begin);
    await new Promise(resolve => setTimeout(resolve, 60));
  }}
  return found;
}}"""
#: What is typed: names of operators, and of torchvision.
_TYPED = ("rotate", "RandomResizedCrop", "ColorJitter", "mel filter bank", "brightness", "normalize")
#: The zoom of each distance: how much of the cards shows differs.
DISTANCES = {"all": 0.0, "names": 0.6, "near": 1.0}


@contextmanager
def _page(address: str, root: Path, program: str) -> Generator[Any]:
    """A notebook whose first cell makes a designer, and whose second would show it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=lab.chromium(), args=lab.BROWSER_FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        lab.write_notebook(root / "measured.ipynb", program, scenes.SHOW)
        lab.open_notebook(page, address, "measured.ipynb")
        page.locator(".react-flow__node").first.wait_for(timeout=90_000)
        page.wait_for_timeout(4000)
        yield page
        browser.close()


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def _frames(times: list[float]) -> dict[str, float]:
    lengths = [b - a for a, b in itertools.pairwise(times)][5:]
    return {"per_second": 1000 / statistics.mean(lengths), "p95_ms": _quantile(lengths, 0.95), "max_ms": max(lengths)}


def measure_large(address: str, root: Path, frames: int, rounds: int) -> dict[str, Any]:
    """Opening, panning and zooming a graph of 300 nodes."""
    found: dict[str, Any] = {"open": []}
    with _page(address, root, scenes.branches(14, 21)) as page:
        for _ in range(rounds):
            found["open"].append(page.evaluate(_OPEN, 300))
            page.wait_for_timeout(1500)
        designer = page.locator('[data-testid="designer"]').last
        designer.scroll_into_view_if_needed()
        found["cards"] = page.locator(".react-flow").last.locator(".react-flow__node").count()
        designer.locator('[data-testid="canvas"]').focus()
        for name, zoom in DISTANCES.items():
            page.keyboard.press("0")
            page.wait_for_timeout(800)
            if zoom:
                _zoom_to(page, zoom)
            for gesture, script in (("pan", _PAN), ("zoom", _ZOOM)):
                found[f"{gesture} {name}"] = _frames(page.evaluate(script, frames))
                page.wait_for_timeout(800)
    return found


def _zoom_to(page: Any, zoom: float) -> None:
    """Turn the wheel until a zoom is reached."""
    page.evaluate(
        """async zoom => { const pane = [...document.querySelectorAll('.react-flow__pane')].at(-1), box = pane.getBoundingClientRect();
        const now = () => new DOMMatrix(getComputedStyle(pane.querySelector('.react-flow__viewport')).transform).a;
        for (let i = 0; i < 400 && now() < zoom; i++) {
          pane.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, view: window, deltaY: -40,
            clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }));
          await new Promise(resolve => requestAnimationFrame(resolve));
        } }""",
        zoom,
    )
    page.wait_for_timeout(1500)


def measure_slider(address: str, root: Path, steps: int) -> list[float]:
    """Milliseconds of every step of a slider that six of eight pictures depend on."""
    with _page(address, root, scenes.chain()) as page:
        page.locator('[data-testid="thumb-crop"]').first.wait_for(timeout=90_000)
        page.locator('[data-testid="designer"]').first.scroll_into_view_if_needed()
        page.locator('[data-testid="node-rotate"]').first.click(position={"x": 70, "y": 12})
        page.locator('[data-testid="slider-angle"]').first.wait_for()
        return page.evaluate(_SLIDER, [steps + 5, "crop"])[5:]  # the first steps fill caches


def measure_search(address: str, root: Path) -> list[float]:
    """Milliseconds of every key in the search of operators."""
    with _page(address, root, scenes.chain()) as page:
        page.locator('[data-testid="designer"]').first.scroll_into_view_if_needed()
        page.locator('[data-testid="canvas"]').first.focus()
        page.keyboard.press("Space")
        page.locator('[data-testid="quick-search"]').wait_for()
        return page.evaluate(_SEARCH, [_TYPED[0], *_TYPED])[len(_TYPED[0]) :]  # the first word fills caches


def main(words: list[str] | None = None) -> int:
    """Measure, write the JSON and say the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("large", "slider", "search"), default="", help="measure only this")
    parser.add_argument("--frames", type=int, default=180, help="frames of a gesture (default 180)")
    parser.add_argument("--rounds", type=int, default=5, help="how often the large graph is opened (default 5)")
    parser.add_argument("--steps", type=int, default=60, help="steps of the slider (default 60)")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "designer.json")
    options = parser.parse_args(words)
    if lab.chromium() is None or not available("playwright"):
        sys.stderr.write("the designer is not measured, since Chromium or playwright is not installed\n")
        return 0
    written: dict[str, Any] = {"machine": metadata()}
    temporary = tempfile.TemporaryDirectory
    with temporary() as root, temporary() as config, lab.lab_server(Path(root), Path(config)) as address:
        if options.only in ("", "large"):
            written["large"] = measure_large(address, Path(root), options.frames, options.rounds)
            _say_large(written["large"])
        if options.only in ("", "slider"):
            found = measure_slider(address, Path(root), options.steps)
            written["slider"] = _told("slider to painted preview", found)
        if options.only in ("", "search"):
            written["search"] = _told("key in the search to what it finds", measure_search(address, Path(root)))
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    return 0


def _told(name: str, found: list[float]) -> dict[str, Any]:
    made = {"median": statistics.median(found), "p95": _quantile(found, 0.95), "all": found}
    sys.stdout.write(
        f"{name}: median {made['median']:.0f} ms, p95 {made['p95']:.0f} ms, max {max(found):.0f} ms "
        f"({len(found)} steps)\n"
    )
    return made


def _say_large(found: dict[str, Any]) -> None:
    sys.stdout.write(f"{found['cards']} cards\n")
    for name in ("cards", "wires", "pictures"):
        times = [one.get(name, float("nan")) for one in found["open"]]
        sys.stdout.write(f"open, {name}: median {statistics.median(times):.0f} ms, max {max(times):.0f} ms\n")
    for name, one in found.items():
        if isinstance(one, dict):
            sys.stdout.write(
                f"{name:12} {one['per_second']:5.1f} frames/s, 95 % within {one['p95_ms']:.0f} ms, "
                f"longest {one['max_ms']:.0f} ms\n"
            )


if __name__ == "__main__":
    sys.exit(main())
