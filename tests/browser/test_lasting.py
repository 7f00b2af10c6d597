"""Nothing is lost: restarts, reloads, and notebooks that are looked at without a kernel, in JupyterLab."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.test_designer import _await_other_picture

pytestmark = pytest.mark.browser

NOTEBOOK = "01_designer.ipynb"
_KERNEL = "window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
_STATE = """() => { const state = window.jupyterapp.shell.currentWidget.context; return state.save(); }"""


def _by_id(page: Any, name: str) -> Any:
    return page.locator(f'[data-testid="{name}"]').first


def _open(page: Any, server: tuple[str, Path], name: str) -> None:
    """A copy of the first notebook under a name of its own, run."""
    (server[1] / name).write_bytes((server[1] / NOTEBOOK).read_bytes())
    lab.open_notebook(page, server[0], name)
    _by_id(page, "thumb-rotate").wait_for(timeout=90_000)


def _set_angle(page: Any, angle: str) -> None:
    _by_id(page, "node-rotate").click(position={"x": 70, "y": 12})
    field = _by_id(page, "number-angle")
    field.fill(angle)
    field.press("Enter")


def _await_code(page: Any, words: str) -> None:
    page.wait_for_function(
        """words => { const code = document.querySelector('[data-testid="code"]');
        return code?.getAttribute('aria-busy') === 'false' && code.textContent.includes(words); }""",
        arg=words, timeout=60_000,
    )  # fmt: skip


def _reconnect(page: Any) -> None:
    _by_id(page, "reconnect").click()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"reconnect\"]')", timeout=60_000)
    page.wait_for_function("() => !document.querySelector('[data-testid=\"run\"]').disabled", timeout=60_000)


def _restart(page: Any) -> None:
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    _by_id(page, "reconnect").wait_for(timeout=60_000)


def test_edits_outlive_a_restart_and_go_on(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "restart.ipynb")
    _set_angle(page, "33")
    _await_code(page, "angle=33")
    _restart(page)
    _set_angle(page, "77")
    assert "1 edit" in _by_id(page, "save-state").inner_text()
    assert "Your edit is kept" in _by_id(page, "strip").inner_text()
    assert page.locator(".ds-running, .ds-busy").count() == 0
    assert "before the edit" in _by_id(page, "node-rotate").inner_text()
    page.screenshot(path=artifacts / "designer_restarted.png")
    before = lab.painted(page, "rotate")
    _reconnect(page)
    _await_code(page, "angle=77")
    _await_other_picture(page, "rotate", before)
    _by_id(page, "undo").click()
    _await_code(page, "angle=33")
    # what was edited before the restart can be taken back, too
    _by_id(page, "undo").click()
    page.wait_for_function("() => document.querySelector('[data-testid=\"undo\"]').disabled")
    _by_id(page, "redo").click()
    _await_code(page, "angle=33")
    # and it is lost again, and found again
    _restart(page)
    _reconnect(page)
    _set_angle(page, "12")
    _await_code(page, "angle=12")


def test_a_killed_kernel_keeps_the_edits(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "killed.ipynb")
    _set_angle(page, "21")
    _await_code(page, "angle=21")
    _by_id(page, "run").click()
    page.evaluate(f"() => {{ {_KERNEL}.requestExecute({{ code: 'import os; os._exit(1)', silent: true }}); }}")
    _by_id(page, "reconnect").wait_for(timeout=60_000)
    assert _by_id(page, "run").is_disabled()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=\"strip\"]').textContent.includes('The kernel ended.')"
    )
    page.wait_for_function(f"() => ['idle', 'starting'].includes({_KERNEL}.status)", timeout=60_000)
    page.locator(".jp-Dialog button").first.click()  # the host's own word about it
    _reconnect(page)
    _set_angle(page, "22")
    _await_code(page, "angle=22")


def test_a_reloaded_page_finds_the_edits_and_the_run(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "reload.ipynb")
    _set_angle(page, "44")
    _await_code(page, "angle=44")
    page.evaluate(f"async () => {{ await ({_STATE})(); }}")
    _by_id(page, "run").click()
    page.reload()
    _by_id(page, "thumb-rotate").wait_for(timeout=90_000)
    _await_code(page, "angle=44")
    page.wait_for_function(
        "() => / samples/.test(document.querySelector('[data-testid=\"throughput\"]')?.textContent ?? '')", timeout=60_000
    )
    assert _by_id(page, "undo").is_enabled()


def test_the_saved_notebook_shows_the_graph_without_a_kernel(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "saved.ipynb")
    _set_angle(page, "55")
    _await_code(page, "angle=55")
    picture = page.locator(".jp-OutputArea-child .dali-Graph img")
    assert not picture.is_visible()
    page.wait_for_function(  # the picture follows a moment later
        """() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.widgets
        .map(cell => cell.outputArea?.model.toJSON())).includes('>55°<')""", polling=250,
    )  # fmt: skip
    page.evaluate(f"async () => {{ await ({_STATE})(); }}")
    text = (server[1] / "saved.ipynb").read_text()
    notebook = json.loads(text)
    bundles = [output["data"] for cell in notebook["cells"] for output in cell.get("outputs", []) if "data" in output]
    (svg,) = ["".join(bundle["image/svg+xml"]) for bundle in bundles if "image/svg+xml" in bundle]
    assert "data:image/jpeg;base64," in svg
    assert ">55°<" in svg
    assert len(svg) < 150_000
    assert all("text/plain" in bundle for bundle in bundles)
    assert len(json.dumps(notebook["metadata"])) < 50_000
    from dali_studio import samples

    assert str(samples.photos().parent) not in svg + json.dumps(notebook["metadata"])  # no folder of this machine

    # where the kernel is gone, the picture is what there is
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    page.evaluate(f"async () => {{ await ({_STATE})(); }}")
    workspace = lab.workspace_of(page)
    lab.await_layout(page, workspace, "saved.ipynb")
    lab.open_lab(page, server[0], workspace)  # unlike a reload it brings the notebook to the front before all is there
    picture.wait_for(timeout=90_000)
    lab.settle(page)
    assert picture.bounding_box()["width"] > 400
    assert page.locator("text=model not found").filter(visible=True).count() == 0
    page.screenshot(path=artifacts / "designer_frozen.png")
    page.locator('.dali-Graph >> text="Open in designer"').click()
    lab.part(page, "thumb-rotate").wait_for(timeout=90_000)
    lab.await_code(page, "angle=55")


def test_a_saved_state_is_gone_back_to_and_left_again(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "states.ipynb")
    _set_angle(page, "43")
    _await_code(page, "angle=43")
    _by_id(page, "save-document").click()
    page.wait_for_function("() => document.activeElement?.dataset.testid === 'save-path'")  # Enter saves
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('[data-testid=\"save-state\"]').textContent.includes('Saved')")
    _set_angle(page, "45")
    _await_code(page, "angle=45")
    _by_id(page, "tab-runs").click()
    page.get_by_role("button", name="Changes since").first.click()
    _by_id(page, "saved-states").locator("text=rotate.angle: 43.0 -> 45.0").wait_for()
    page.locator('[data-testid^="open-saved-"]').first.click()
    angle = "value => document.querySelector('[data-testid=\"number-angle\"]').value === value"
    page.wait_for_function(angle, arg="43")
    _by_id(page, "undo").click()
    page.wait_for_function(angle, arg="45")


def test_edits_are_offered_when_the_cell_is_run_again(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "again.ipynb")
    _set_angle(page, "66")
    _await_code(page, "angle=66")
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    page.evaluate(lab.RUN_ALL)
    page.wait_for_selector('[data-testid="restore"]', timeout=90_000)
    assert "operators in again.ipynb" in _by_id(page, "strip").inner_text()
    _by_id(page, "restore").click()
    _await_code(page, "angle=66")


def test_edits_after_a_reconnect_outlive_a_reload_of_the_page(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "unsaved.ipynb")
    _set_angle(page, "71")
    _await_code(page, "angle=71")
    page.evaluate(f"async () => {{ await ({_STATE})(); }}")
    _restart(page)
    _reconnect(page)
    _set_angle(page, "72")
    _await_code(page, "angle=72")
    kept = server[1] / ".dali_studio"
    for _ in range(100):  # it is written a moment later
        if any(re.search(r"angle\W+72", file.read_text()) for file in kept.glob("*.dali.json")):
            break
        page.wait_for_timeout(100)
    page.goto("about:blank")
    lab.open_notebook(page, server[0], "unsaved.ipynb")  # loads the page anew, and runs the cells
    page.wait_for_selector('[data-testid="restore"]', timeout=90_000)
    _by_id(page, "restore").click()
    _await_code(page, "angle=72")


def test_another_notebook_with_the_same_program_is_offered_nothing(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "one.ipynb")
    _set_angle(page, "67")
    _await_code(page, "angle=67")
    _open(page, server, "two.ipynb")
    _set_angle(page, "68")
    _await_code(page, "angle=68")
    assert page.locator('[data-testid="restore"]').count() == 0
    files = list((server[1] / ".dali_studio").glob("*.dali.json"))
    assert sum(re.search(r"angle\W+67", file.read_text()) is not None for file in files) == 1
