"""Devices, memory and heat in the designer, on a machine that may have no GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.test_designer import _await_other_picture, _await_picture, _open

pytestmark = pytest.mark.browser

PIPELINE = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=6, num_threads=2, device_id=0, seed=3)
def placed():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.decoders.image(files, name="decode")
    small = fn.resize(images, size=(120, 160), name="resize")
    turned = fn.rotate(small, angle=fn.random.uniform(range=(-30.0, 30.0), name="angle"), fill_value=0, name="rotate")
    return fn.flip(turned, name="flip"), labels

designer = Designer(placed())
designer
"""


@pytest.fixture
def opened(page: Any, server: tuple[str, Path]) -> Callable[[], Any]:
    lab.write_notebook(server[1] / "devices.ipynb", PIPELINE)

    def open_it() -> Any:
        _open(page, server, "devices.ipynb")
        lab.by_id(page, "designer").scroll_into_view_if_needed()
        _await_picture(page, "flip")
        return page

    return open_it


def _choose(page: Any, key: str) -> None:
    lab.card(page, key).click(position={"x": 70, "y": 12})


def _await_code(page: Any, text: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('[data-testid=\"code\"]').textContent.includes(text)", arg=text, timeout=30_000
    )


def test_a_node_moves_to_the_gpu_and_one_press_each_repairs_what_follows(
    opened: Callable[[], Any], artifacts: Path
) -> None:
    page = opened()
    _choose(page, "resize")
    lab.by_id(page, "device-gpu").click()
    button = lab.by_id(page, "repair-resize")
    button.wait_for(timeout=30_000)
    assert button.inner_text() == "Copy decode to the GPU"
    assert lab.by_id(page, "repair-finding").count() == 0  # it is offered beside the node
    page.screenshot(path=artifacts / "devices_finding.png")
    button.click()
    lab.by_id(page, "node-to_gpu").wait_for(timeout=30_000)
    lab.by_id(page, "wire-legend").wait_for()
    strip = lab.by_id(page, "repair")  # the sentence offers the next one
    strip.wait_for(timeout=30_000)
    assert strip.inner_text() == "Place rotate, flip on the GPU"
    strip.click()
    lab.by_id(page, "repair").wait_for(state="detached", timeout=30_000)
    assert page.locator(".ds-failed").count() == 0
    _await_code(page, ".gpu()")
    _choose(page, "flip")
    assert lab.by_id(page, "device-gpu").get_attribute("aria-checked") == "true"
    page.screenshot(path=artifacts / "devices_repaired.png")
    # the CPU is dashed, the GPU is not, and the way up is neither, whatever the colours are
    look = """selector => { const { strokeDasharray, borderTopStyle } = getComputedStyle(document.querySelector(selector));
      return selector.includes('wire') ? strokeDasharray : borderTopStyle; }"""
    dashes = {
        name: page.evaluate(look, f'[aria-label="wire from {name}"] .ds-wire')
        for name in ("reader to decode", "decode to to_gpu", "to_gpu to resize", "resize to rotate")
    }
    assert list(dashes.values()) == ["5px, 4px", "12px, 3px, 2px, 3px", "none", "none"]
    frames = [page.evaluate(look, f'[data-testid="node-{key}"] > .ds-frame') for key in ("decode", "resize")]
    assert frames == ["dashed", "solid"]
    # each press was one step
    for _ in range(3):
        lab.by_id(page, "undo").click()
    lab.by_id(page, "node-to_gpu").wait_for(state="detached", timeout=30_000)
    page.wait_for_function("() => document.querySelector('[data-testid=\"undo\"]').disabled", timeout=30_000)
    assert lab.by_id(page, "device-cpu").get_attribute("aria-checked") == "true"


def test_the_table_lists_what_is_there(opened: Callable[[], Any]) -> None:
    page = opened()
    lab.by_id(page, "run").click()
    lab.by_id(page, "row-resize").wait_for(timeout=60_000)
    lab.card(page, "resize").click(position={"x": 60, "y": 10})
    page.keyboard.press("Delete")
    lab.by_id(page, "settings").click()
    lab.by_id(page, "time-table").wait_for()
    assert page.locator('[data-testid="row-resize"]').count() == 0
    assert page.locator('[data-testid="row-decode"]').count() == 1


def test_a_run_fills_the_table_and_the_heat_is_time_or_memory(opened: Callable[[], Any], artifacts: Path) -> None:
    page = opened()
    lab.by_id(page, "run").click()
    table = lab.by_id(page, "time-table")
    table.wait_for(timeout=60_000)
    # results that leave the task take their memory, those that pass do not exist at once; both are told
    assert lab.by_id(page, "memory-resize").inner_text() == "(346 kB)"
    assert "never all at once" in page.locator('tr:has([data-testid="row-resize"])').get_attribute("title")
    assert lab.by_id(page, "memory-angle").inner_text() == "24 B"
    steps = """() => Object.fromEntries(['decode', 'angle'].map(key => { const chip = document.querySelector(
      `[data-testid="time-${key}"]`); return [key, [...chip.classList].find(name => name.startsWith('ds-heat-'))]; }))"""
    assert page.evaluate(steps) == {"decode": "ds-heat-1", "angle": "ds-heat-1"}
    page.locator("label", has_text="Heat").click()
    warm = page.evaluate(steps)  # what takes most of the time has another colour, what takes none has not
    assert warm["decode"] in ("ds-heat-4", "ds-heat-5") and warm["angle"] == "ds-heat-1"
    shades = [
        lab.by_id(page, f"time-{key}").evaluate("chip => getComputedStyle(chip).backgroundColor") for key in ("decode", "angle")
    ]
    assert shades[0] != shades[1]
    chip = lab.by_id(page, "time-resize")
    assert chip.inner_text().endswith("s")
    page.screenshot(path=artifacts / "devices_time_light.png")
    lab.by_id(page, "measure-memory").click()
    page.wait_for_function("() => document.querySelector('[data-testid=\"time-resize\"]').textContent === '346 kB'")
    assert page.locator(".ds-copy-pill").all_inner_texts().count("346 kB")  # on the wire that leaves resize
    page.screenshot(path=artifacts / "devices_memory_light.png")
    # the time that was measured stands beside the device it was measured on, and none beside the other
    _choose(page, "resize")
    assert lab.by_id(page, "device-cpu").inner_text().split("\n")[1].endswith("s")
    lab.set_theme(page, "JupyterLab Dark")
    lab.settle(page)
    page.screenshot(path=artifacts / "devices_memory_dark.png")


def test_memory_is_freed_on_request(opened: Callable[[], Any], artifacts: Path) -> None:
    page = opened()
    page.keyboard.press("Escape")
    button = lab.by_id(page, "free-memory")
    button.wait_for()
    button.click()
    freed = lab.by_id(page, "freed")
    freed.wait_for(timeout=30_000)
    assert freed.inner_text().split(" on the host")[0].endswith(("kB", "MB"))
    page.screenshot(path=artifacts / "devices_freed.png")
    # pictures are made anew where they are needed
    _choose(page, "flip")
    before = lab.painted(page, "flip")
    _choose(page, "rotate")
    lab.by_id(page, "slider-fill_value").focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    _await_other_picture(page, "flip", before)


def test_a_moved_card_goes_back_on_undo_and_times_stay_fresh(opened: Callable[[], Any]) -> None:
    page = opened()
    lab.by_id(page, "run").click()
    lab.by_id(page, "time-table").wait_for(timeout=60_000)
    card = lab.by_id(page, "node-angle")
    start = card.bounding_box()
    page.mouse.move(start["x"] + 60, start["y"] + 12)
    page.mouse.down()
    page.mouse.move(start["x"] + 90, start["y"] + 60, steps=6)
    page.mouse.move(start["x"] + 160, start["y"] + 92, steps=6)
    page.mouse.up()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"undo\"]').disabled", timeout=30_000)
    assert card.bounding_box()["x"] > start["x"] + 50
    assert page.locator(".ds-time-old").count() == 0
    lab.by_id(page, "undo").click()
    for _ in range(50):
        if abs(card.bounding_box()["x"] - start["x"]) < 2:
            break
        page.wait_for_timeout(100)
    assert abs(card.bounding_box()["x"] - start["x"]) < 2
    assert abs(card.bounding_box()["y"] - start["y"]) < 2
