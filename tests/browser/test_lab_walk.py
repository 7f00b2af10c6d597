"""The way of a new user through JupyterLab, without a cell of code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.lab import await_code, open_lab, part

pytestmark = pytest.mark.browser

_FRONT = "window.jupyterapp.shell.currentWidget"


def _add(page: Any, words: str, key: str) -> None:
    page.keyboard.press("Space")
    part(page, "quick-search").wait_for()
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    part(page, f"node-{key}").wait_for()


def test_from_the_launcher_over_a_restart_to_a_run(page: Any, tmp_path: Path, artifacts: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    with lab.lab_server(root, tmp_path / "first") as address:
        open_lab(page, address)
        page.locator('.jp-LauncherCard[title="Design a new data pipeline"]:visible').click()
        part(page, "empty").wait_for(timeout=90_000)
        page.screenshot(path=artifacts / "walk_1_new.png")
        _add(page, "read files", "reader")
        part(page, "repair-finding").press("Enter")  # the sample photos
        page.wait_for_function("() => document.activeElement.closest('.dali-View .ds-canvas')")
        _add(page, "decode image", "decode")
        _add(page, "rotate", "rotate")
        part(page, "thumb-rotate").wait_for(timeout=60_000)
        await_code(page, "return rotate")
        page.screenshot(path=artifacts / "walk_2_three_nodes.png")
        page.keyboard.press("Control+s")
        page.wait_for_function(f"() => !{_FRONT}.context.model.dirty")
        assert part(page, "save-state").inner_text() == "Saved"
        name = page.evaluate(f"() => {_FRONT}.context.path")
        page.goto("about:blank")
    nodes = lab.saved(root / name)["pipeline"]["nodes"]
    assert [node["operator"] for node in nodes] == ["readers.file", "decoders.image", "rotate"]

    with lab.lab_server(root, tmp_path / "second") as address:
        open_lab(page, address)
        page.locator(f'.jp-DirListing-item[title*="{name}"]').dblclick()
        part(page, "thumb-rotate").wait_for(timeout=90_000)
        page.wait_for_function(
            "() => Number(document.querySelector('.dali-View [data-testid=\"thumb-rotate\"]')?.dataset.drawn) > 0", timeout=60_000
        )
        page.screenshot(path=artifacts / "walk_3_reopened.png")
        part(page, "run").click()
        page.wait_for_function(
            "() => /\\d.* samples/.test(document.querySelector('[data-testid=\"throughput\"]')?.textContent ?? '')", timeout=60_000
        )
        page.screenshot(path=artifacts / "walk_4_run.png")
        page.locator('.dali-Document [data-jp-item-name="export"]').click()
        field = part(page, "save-path")
        program = root / field.input_value()
        field.press("Enter")
        part(page, "saved").wait_for()
        page.screenshot(path=artifacts / "walk_5_exported.png")
        lab.set_theme(page, "JupyterLab Dark")
        page.screenshot(path=artifacts / "walk_6_dark.png")
    source = program.read_text().replace("nvidia.dali", "dali_studio")
    program.write_text(source)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
