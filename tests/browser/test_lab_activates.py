"""The extension in JupyterLab as it is installed; `make test-floors` runs this with the lowest version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browser import lab

pytestmark = pytest.mark.browser

_PLUGINS = ("documents", "toolbar", "programs", "sidebar", "contents", "graph")


def test_jupyterlab_lists_the_extension_as_ok(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    extensions = tmp_path / "labextensions" / "@dali-studio"
    extensions.mkdir(parents=True)
    (extensions / "lab").symlink_to(lab.LABEXTENSION)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    command = [sys.executable, "-m", "jupyter", "labextension", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if "@dali-studio/lab" in line]
    assert "enabled" in line
    assert "OK" in line


def test_every_plugin_is_activated(page: Any, server: tuple[str, Path]) -> None:
    lab.open_lab(page, server[0])
    found = page.evaluate("() => [...window.jupyterapp.listPlugins()].filter(id => window.jupyterapp.isPluginActivated(id))")
    assert {f"@dali-studio/lab:{name}" for name in _PLUGINS} <= {*found}
