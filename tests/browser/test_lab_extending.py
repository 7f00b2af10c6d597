"""What users and other extensions may change: the toolbar of documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser.lab import open_document, open_lab

pytestmark = pytest.mark.browser

_SAVE = "([plugin, raw]) => window.jupyterapp.serviceManager.settings.save(plugin, raw)"
_ITEMS = """() => [...document.querySelectorAll('.dali-Document .jp-Toolbar > [data-jp-item-name]')]
.map(item => item.dataset.jpItemName).filter(name => name !== 'toolbar-popup-opener')"""


def test_the_toolbar_has_the_kernel_and_what_the_settings_add(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    open_document(page, server, "toolbar.dali.json")
    toolbar = page.locator(".dali-Document .jp-Toolbar:visible")
    toolbar.locator('[data-jp-item-name="kernelStatus"] [data-icon="ui-components:circle-empty"]').wait_for()
    toolbar.locator(".jp-Toolbar-kernelName", has_text="Python 3").wait_for()
    assert page.evaluate(_ITEMS) == ["save", "export", "insert", "spacer", "restart", "kernelName", "kernelStatus"]
    page.screenshot(path=artifacts / "lab_toolbar.png")
    plugin = "@dali-studio/lab:toolbar"
    changed = [{"name": "insert", "disabled": True}, {"name": "export", "rank": 200}, {"name": "fit", "command": "dali-studio:fit", "rank": 0}]
    page.evaluate(_SAVE, [plugin, json.dumps({"toolbar": changed})])
    try:
        open_lab(page, server[0])
        page.locator('.jp-DirListing-item[title*="toolbar.dali.json"]').dblclick()
        toolbar.locator('[data-jp-item-name="fit"] jp-button[aria-disabled="false"]').click()
        assert page.evaluate(_ITEMS) == ["fit", "save", "spacer", "export", "restart", "kernelName", "kernelStatus"]
        toolbar.locator('[data-jp-item-name="export"]').click()
        field = page.locator('.dali-Document [data-testid="save-path"]:visible')  # of the designer, which has the program
        page.wait_for_function(  # the pipeline's name
            """() => [...document.querySelectorAll('.dali-Document [data-testid="save-path"]')].some(f => f.value === 'turning.py')"""
        )
        field.press("Enter")
        page.locator('.dali-Document [data-testid="saved"]:visible').wait_for()
        assert (server[1] / "turning.py").exists()
    finally:
        page.evaluate(_SAVE, [plugin, "{}"])
