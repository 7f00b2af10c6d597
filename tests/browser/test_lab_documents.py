"""Documents in JupyterLab: from the launcher to a saved file, and back."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from browser import lab

from dali_studio import fn, pipeline_def, samples
from dali_studio.graph import document

pytestmark = pytest.mark.browser

_CURRENT = "window.jupyterapp.shell.currentWidget"


def _by_id(page: Any, name: str) -> Any:
    """A part of the designer that is seen."""
    return page.locator(f'.dali-View [data-testid="{name}"]:visible').first


def _open_lab(page: Any, address: str, path: str = "") -> None:
    page.goto(f"{address}/lab/workspaces/doc-{time.monotonic_ns()}{path}?reset")
    page.wait_for_function("() => window.jupyterapp")
    page.evaluate("() => window.jupyterapp.restored.then(() => true)")


def _write(path: Path, angle: float = 10.0) -> None:
    @pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
    def turning() -> Any:
        files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
        return fn.rotate(fn.decoders.image(files), angle=angle, fill_value=0.0), labels

    document.save(turning().graph, None, path)


def _open(page: Any, server: tuple[str, Path], name: str, angle: float = 10.0) -> None:
    """Make a document under a name of its own, and open it by a double click."""
    _write(server[1] / name, angle)
    _open_lab(page, server[0])
    page.locator(f'.jp-DirListing-item[title*="{name}"]').dblclick()
    _by_id(page, "node-rotate").wait_for(timeout=90_000)


def _await_dirty(page: Any, dirty: bool) -> None:
    page.wait_for_function(f"dirty => {_CURRENT}.context.model.dirty === dirty", arg=dirty)


def _await_code(page: Any, words: str) -> None:
    page.wait_for_function(
        """words => { const code = document.querySelector('.dali-View [data-testid="code"]');
        return code?.getAttribute('aria-busy') === 'false' && code.textContent.includes(words); }""",
        arg=words, timeout=60_000,
    )  # fmt: skip


def _set(page: Any, argument: str, value: str) -> None:
    _by_id(page, "node-rotate").click(position={"x": 70, "y": 12})
    field = _by_id(page, f"number-{argument}")
    field.fill(value)
    field.press("Enter")


def test_from_the_launcher_to_a_file_and_back(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    address, root = server
    _open_lab(page, address)
    page.evaluate("() => window.jupyterapp.commands.execute('launcher:create')")
    card = page.locator('.jp-LauncherCard[title="Design a new data pipeline"]')
    card.wait_for()
    page.screenshot(path=artifacts / "lab_launcher.png")
    card.click()
    _by_id(page, "empty").wait_for(timeout=90_000)
    path = page.evaluate(f"() => {_CURRENT}.context.path")
    assert path.endswith(".dali.json")
    assert _by_id(page, "save-state").inner_text() == "Saved"
    _by_id(page, "recipe-getting_started").click()
    _by_id(page, "thumb-rotate").wait_for(timeout=60_000)
    _await_dirty(page, True)
    assert _by_id(page, "save-state").inner_text() == "Not saved"
    _set(page, "fill_value", "33")
    _await_code(page, "fill_value=33.0")
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    kept = json.loads((root / path).read_text())
    assert {node["key"]: node for node in kept["pipeline"]["nodes"]}["rotate"]["arguments"]["fill_value"] == 33.0
    page.screenshot(path=artifacts / "lab_document.png")

    _open_lab(page, address)
    page.locator(f'.jp-DirListing-item[title*="{path}"]').dblclick()
    _by_id(page, "thumb-rotate").wait_for(timeout=60_000)
    _await_code(page, "fill_value=33.0")
    _await_dirty(page, False)
    lab.set_theme(page, "JupyterLab Dark")
    page.wait_for_selector('.dali-View [data-ds-theme="dark"]')
    page.screenshot(path=artifacts / "lab_document_dark.png")
    lab.set_theme(page, "JupyterLab Light")
