"""Timings in the designer: both speeds, the target, the timeline, advice that is tried, and the runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.test_designer import _await_picture, _open

from dali_studio import samples

pytestmark = pytest.mark.browser

PIPELINE = """
from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=16, num_threads=2, device_id=None, seed=3, prefetch_queue_depth=1)
def train_pipe():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.decoders.image(files, name="decode")
    small = fn.resize(images, size=(224, 224), name="resize")
    angle = fn.random.uniform(range=(-30.0, 30.0), name="angle")
    turned = fn.rotate(small, angle=angle, keep_size=True, fill_value=0, name="rotate")
    return fn.flip(turned, name="flip"), labels

designer = Designer(train_pipe())
designer
"""


@pytest.fixture
def opened(page: Any, server: tuple[str, Path]) -> Callable[[], Any]:
    lab.write_notebook(server[1] / "times.ipynb", PIPELINE)

    def open_it() -> Any:
        _open(page, server, "times.ipynb")
        lab.by_id(page, "designer").scroll_into_view_if_needed()
        _await_picture(page, "flip")
        return page

    return open_it


def _await_text(page: Any, name: str, text: str) -> None:
    page.wait_for_function(
        '([name, text]) => document.querySelector(`[data-testid="${name}"]`)?.textContent.includes(text)',
        arg=[name, text],
        timeout=60_000,
    )


def test_a_run_is_drawn_compared_with_the_target_and_saved_as_a_trace(
    opened: Callable[[], Any], server: tuple[str, Path], artifacts: Path
) -> None:
    page = opened()
    lab.by_id(page, "tab-timeline").click()
    _await_text(page, "timeline", "Press Run")
    lab.by_id(page, "run").click()
    lab.by_id(page, "lanes").wait_for(timeout=60_000)
    assert lab.by_id(page, "speed-pipeline").inner_text() != "–"
    assert lab.by_id(page, "speed-alone").inner_text() != "–"
    assert lab.by_id(page, "speed-read").inner_text().endswith("B/s read")
    told = lab.by_id(page, "time-rotate").get_attribute("title")
    assert " ms a sample)" in told and " after 1 to warm up at " in told and "Most for one sample: 151 kB, sample " in told
    page.screenshot(path=artifacts / "times_light.png")
    lab.by_id(page, "target").fill("1 ms")  # 16 samples in a millisecond: nothing here is so fast
    lab.by_id(page, "target").press("Enter")
    _await_text(page, "headroom", "under 16")
    _await_text(page, "throughput-second", "under 16")
    page.locator('.ds-work[data-key="decode"]:has(text)').first.click()
    page.wait_for_selector(".ds-work-now")
    assert lab.by_id(page, "device-cpu").count()  # the inspector shows the node
    lab.by_id(page, "save-trace").click()
    lab.by_id(page, "trace-saved").wait_for()
    trace = lab.saved(server[1] / "train_pipe.trace.json")
    assert {"decode", "resize", "rotate"} <= {event["name"] for event in trace["traceEvents"]}
    lab.set_theme(page, "JupyterLab Dark")
    page.screenshot(path=artifacts / "times_dark.png")


_ANSWERED = """async () => { const { session } = window.jupyterapp.shell.currentWidget.context.sessionContext;
  const reply = await session.kernel.requestExecute({ code: '1 + 1' }).done; return reply.content.status; }"""


_DONE = "() => Number(document.querySelector('[data-testid=reached-flip]').style.getPropertyValue('--ds-share'))"


def test_a_long_run_leaves_the_kernel_free_and_stops_where_it_is(opened: Callable[[], Any], artifacts: Path) -> None:
    page = opened()
    lab.by_id(page, "run-choice").select_option("128")
    _await_text(page, "throughput-second", " s left")
    assert page.evaluate(_ANSWERED) == "ok"
    lab.by_id(page, "reached-rotate").wait_for()  # each card says how far it is
    assert lab.by_id(page, "time-rotate").inner_text() == "…"
    page.screenshot(path=artifacts / "times_running.png")
    # and so does a box: as far as the least advanced of its nodes
    lab.by_id(page, "node-rotate").click(position=training.HEAD)  # at once: nothing is at rest before the run ends
    page.keyboard.press("g")
    lab.by_id(page, "reached-group:group1").wait_for()
    lab.by_id(page, "node-group:group1").screenshot(path=artifacts / "times_running_box.png")
    assert lab.by_id(page, "stop").is_enabled()  # it goes on meanwhile
    done = page.evaluate(_DONE)
    assert 0 < done < 1
    lab.by_id(page, "stop").click()
    page.wait_for_function("() => document.querySelector('[data-testid=stop]').disabled")
    _await_text(page, "throughput-second", "stopped")
    # it was not gone on with to its end, and nothing of it goes on
    assert page.evaluate(_ANSWERED) == "ok"
    assert page.locator("[data-testid=reached-rotate]").count() == 0
    lab.by_id(page, "tab-runs").click()
    page.get_by_text("Press Run: each run is kept here").wait_for()
    # only as far as what is selected
    lab.card(page, "decode").click(position=training.HEAD)
    lab.by_id(page, "run-choice").select_option("until")
    _await_text(page, "throughput-second", "only up to decode")
    assert lab.by_id(page, "time-decode").inner_text().endswith("s")
    assert page.locator("[data-testid=time-flip]").count() == 0


def test_the_data_that_a_reader_reads_are_looked_into_and_replaced(
    opened: Callable[[], Any], server: tuple[str, Path], artifacts: Path
) -> None:
    page = opened()
    lab.by_id(page, "tab-data").click()
    lab.by_id(page, "data-set").wait_for(timeout=30_000)
    page.wait_for_function(
        """() => { const canvas = document.querySelector('.ds-data-cells canvas');
        return canvas.getContext('2d').getImageData(0, 0, 96, 96).data.some(v => v > 0 && v < 255); }"""
    )
    assert page.locator(".ds-data-cells li").count() == int(lab.by_id(page, "data-set").locator("b").first.inner_text().split()[0])
    page.screenshot(path=artifacts / "data.png")
    lab.by_id(page, "data-path").fill("/no/such/folder")
    lab.by_id(page, "data-open").click()
    _await_text(page, "strip", "/no/such/folder")
    assert "no such folder" not in lab.by_id(page, "data-set").inner_text()
    # what is given in its place is read
    folder = server[1] / "two photos" / "class"
    folder.mkdir(parents=True, exist_ok=True)
    for photo in sorted(samples.photos().rglob("*.jpg"))[:2]:
        shutil.copy(photo, folder)
    lab.by_id(page, "data-path").fill(str(folder.parent))
    lab.by_id(page, "data-open").click()
    lab.by_id(page, "error-card-reader").wait_for(state="detached")
    page.wait_for_function("() => document.querySelectorAll('.ds-data-cells li').length === 2")
    _await_picture(page, "flip")


def test_advice_is_tried_and_kept_and_the_runs_say_what_was_changed(opened: Callable[[], Any], artifacts: Path) -> None:
    page = opened()
    lab.by_id(page, "tab-timeline").click()
    lab.by_id(page, "run").click()
    lab.by_id(page, "lanes").wait_for(timeout=60_000)
    for _ in range(4):  # rules that speak of this machine's cores may stand before it
        if lab.by_id(page, "try").count() and "made one at a time" in page.locator(".ds-advice").inner_text():
            break
        page.locator('.ds-advice-turn [aria-label="The next one"]').click()
    lab.by_id(page, "try").click()
    lab.by_id(page, "trial").wait_for(timeout=60_000)
    lab.by_id(page, "trial-after").wait_for()
    page.screenshot(path=artifacts / "times_trial.png")
    lab.by_id(page, "keep-trial").click()
    _await_text(page, "trial", "Kept: ")  # which stays told until the next run
    page.wait_for_function("() => !document.querySelector('[data-testid=\"undo\"]').disabled")
    lab.by_id(page, "run-choice").select_option("1")
    lab.by_id(page, "tab-runs").click()
    _await_text(page, "run-3", "prefetch_queue_depth 1 → 2")
    assert "tried" in lab.by_id(page, "run-2").inner_text() and "tried" in lab.by_id(page, "run-3").inner_text()
    page.locator('[aria-label="Compare run 1"]').check()
    page.locator('[aria-label="Compare run 3"]').check()
    _await_text(page, "compare-runs", "prefetch_queue_depth")
    page.screenshot(path=artifacts / "times_runs.png")
    lab.by_id(page, "open-run-1").click()
    _await_text(page, "run-3", "Go back to it")
    assert "shown" in lab.by_id(page, "run-2").inner_text()  # the newest of this graph, at another revision
    assert "same graph" in lab.by_id(page, "run-1").inner_text()
    lab.by_id(page, "run-choice").select_option("1")
    _await_text(page, "run-5", "prefetch_queue_depth 2 → 1")
