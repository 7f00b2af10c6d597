"""From a slider to the painted preview: how long a user waits, in the real JupyterLab in headless Chromium.

A step of the slider is made inside the page, and the page looks at every animation frame whether the picture of the
last node has changed. So the figure holds the message to the kernel, the computation of everything downstream, the
pictures' encoding, the way back, decoding and painting.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from machine import metadata

from dali_studio.core.optional import available

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
STEPS = 60
_MEASURE = """async count => {
  const find = name => document.querySelector(`[data-testid="${name}"]`);
  const slider = find('slider-angle'), canvas = find('thumb-brightness_contrast');
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const look = () => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.reduce((a, b, i) => (a * 31 + b * (i % 7 + 1)) | 0, 7);
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
  const found = [];
  for (let i = 0; i < count; i++) {
    const before = look(), begin = performance.now();
    setter.call(slider, String((Number(slider.value) + 7) % 90));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    while (look() === before && performance.now() - begin < 5000) await frame();
    found.push(performance.now() - begin);
    await pause(120);
  }
  return found;
}"""


def measure() -> list[float]:
    """Milliseconds of every step."""
    from browser import lab
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        root, config = Path(folder, "root"), Path(folder, "config")
        shutil.copytree(lab.REPOSITORY / "notebooks", root)
        with lab.lab_server(root, config) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=lab.chromium(), args=lab.BROWSER_FLAGS)
            page = browser.new_page(viewport={"width": 1500, "height": 1000})
            lab.open_notebook(page, address, "01_designer.ipynb")
            page.locator('[data-testid="thumb-brightness_contrast"]').wait_for(timeout=90_000)
            page.wait_for_timeout(3000)
            page.locator('[data-testid="designer"]').scroll_into_view_if_needed()
            page.locator('[data-testid="node-rotate"]').click(position={"x": 70, "y": 12})
            page.locator('[data-testid="slider-angle"]').wait_for()
            found: list[float] = page.evaluate(_MEASURE, STEPS)
            browser.close()
    return found


def main() -> int:
    """Measure, write the JSON and say the figures."""
    from browser import lab

    if lab.chromium() is None or not available("playwright"):
        sys.stderr.write("slider to preview: not measured, since Chromium or playwright is not installed\n")
        return 0
    found = measure()[5:]  # the first steps fill caches
    ranked = sorted(found)
    summary = {
        "median": statistics.median(found),
        "p95": ranked[int(len(ranked) * 0.95)],
        "max": ranked[-1],
        "steps": len(found),
    }
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    written = {"machine": metadata(), "milliseconds": summary, "all": found}
    (results / "latency.json").write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(
        f"slider to painted preview: median {summary['median']:.0f} ms, p95 {summary['p95']:.0f} ms, max {summary['max']:.0f} ms "
        f"({summary['steps']} steps)\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
