"""JupyterLab as a site sets it up: with a content security policy, and in another language."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.lab import await_code, open_lab, part

pytestmark = pytest.mark.browser

#: The least that JupyterLab itself starts with: it compiles the schemas of settings, which takes `unsafe-eval`.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_WATCH = """window.refused = [];
document.addEventListener('securitypolicyviolation', event => window.refused.push(`${event.effectiveDirective} ${event.blockedURI}`));"""
#: A language that JupyterLab has no pack of.
_LOCALE = "eo"


def _said(text: str) -> str:
    """What the pack makes of a text."""
    return f"«{text}»"


def _write_pack(site: Path) -> None:
    """A language pack in which each text of the catalog's template is marked, as its tools make one."""
    from babel.messages import mofile, pofile

    template = site / "dali_studio.pot"
    node = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if node is None or not (lab.REPOSITORY / "extension" / "node_modules").is_dir():
        pytest.skip("the catalog needs Node and its packages (make frontend)")
    subprocess.run([node, str(lab.REPOSITORY / "extension" / "catalog.mjs"), str(template)], check=True)
    with template.open("rb") as file:
        catalog = pofile.read_po(file, locale=_LOCALE)
    texts: dict[str, Any] = {"": {"domain": "dali_studio", "language": _LOCALE, "plural_forms": catalog.plural_forms}}
    for message in catalog:
        if message.id:
            message.string = _said(str(message.id))
            texts["\4".join(filter(None, (message.context, str(message.id))))] = [message.string]
    package = site / f"jupyterlab_language_pack_{_LOCALE}"
    words = package / "locale" / _LOCALE / "LC_MESSAGES"
    words.mkdir(parents=True)
    (package / "__init__.py").touch()
    (words / "dali_studio.json").write_text(json.dumps(texts))
    with (words / "dali_studio.mo").open("wb") as file:
        mofile.write_mo(file, catalog)
    about = site / f"{package.name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package.name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[jupyterlab.languagepack]\n{_LOCALE} = {package.name}\n")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """JupyterLab with the policy and the language."""
    root, config, site = (tmp_path_factory.mktemp(name) for name in ("lab", "config", "site"))
    _write_pack(site)
    headers = {"Content-Security-Policy": _POLICY}
    settings = {"ServerApp": {"tornado_settings": {"headers": headers}}}
    (config / "jupyter_server_config.json").write_text(json.dumps(settings))
    language = config / "settings" / "@jupyterlab" / "translation-extension" / "plugin.jupyterlab-settings"
    language.parent.mkdir(parents=True)
    language.write_text(json.dumps({"locale": _LOCALE}))
    lab.write_turning(root / "site.dali.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH")))))
        with lab.lab_server(root, config) as address:
            yield address, root


def test_a_policy_asks_no_more_and_a_language_pack_translates(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    page.add_init_script(_WATCH)
    assert page.request.get(f"{server[0]}/lab").headers["content-security-policy"] == _POLICY
    open_lab(page, server[0])
    file = page.locator('.jp-DirListing-item[title*="site.dali.json"]')
    file.wait_for()
    refused = {*page.evaluate("() => window.refused")}
    page.locator(f'.jp-LauncherCard[title="{_said("Design a new data pipeline")}"]:visible').wait_for()
    file.dblclick()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    await_code(page, "angle=10")
    page.locator(".dali-Document .jp-Toolbar:visible", has_text=_said("Export to Python")).wait_for()
    page.evaluate("() => window.jupyterapp.shell.activateById('dali-studio-gallery')")
    page.locator('[data-testid="effect-flip"][data-drawn="yes"]').wait_for(timeout=60_000)
    assert any(lab.painted(page, "rotate"))

    page.evaluate("() => window.jupyterapp.commands.execute('apputils:activate-command-palette')")
    page.locator(".lm-CommandPalette-input:visible").fill("lay out")
    found = page.locator('.lm-CommandPalette-item[data-command="dali-studio:layout"]')
    found.wait_for()
    assert _said("Lay Out") in found.inner_text()
    page.screenshot(path=artifacts / "lab_site.png")
    schema = page.evaluate(
        "async () => (await window.jupyterapp.serviceManager.settings.fetch('@dali-studio/lab:documents')).schema"
    )
    assert schema["title"] == _said("DALI Studio")
    assert schema["properties"]["dialect"]["title"] == _said("Language of the code")
    assert {*page.evaluate("() => window.refused")} <= refused  # by JupyterLab itself, if by anyone
