"""A document in two browsers, with jupyter-collaboration and without: they share its kernel, and no edit is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.conftest import absent
from browser.lab import await_code, open_document, open_lab, part

pytestmark = pytest.mark.browser

#: Where `collaboration.txt` says that it is to be installed.
_PACKAGES = lab.REPOSITORY / "build" / "collaboration"
_FRONT = "window.jupyterapp.shell.currentWidget"


@pytest.fixture(scope="module", params=["alone", "jupyter-collaboration"])
def server(
    request: pytest.FixtureRequest, server: tuple[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path, bool]]:
    """JupyterLab, and whether jupyter-collaboration is installed in it."""
    if request.param == "alone":
        yield *server, False
        return
    if not (_PACKAGES / "jupyter_server_ydoc").is_dir():
        absent("needs jupyter-collaboration: python -m pip install --no-deps --target build/collaboration -r tests/browser/collaboration.txt")
    root = tmp_path_factory.mktemp("lab")
    with lab.lab_server(root, tmp_path_factory.mktemp("config"), added=_PACKAGES) as address:
        yield address, root, True


@pytest.fixture
def other(browser: Any, page: Any) -> Iterator[Any]:
    """The page of somebody else."""
    context = browser.new_context(viewport={"width": 1800, "height": 1000})
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def _set(page: Any, argument: str, value: str) -> None:
    lab.settle(page)
    part(page, "node-rotate").click(position={"x": 70, "y": 12})
    field = part(page, f"number-{argument}")
    field.fill(value)
    field.press("Enter")


def _await_dirty(page: Any, dirty: bool) -> None:
    page.wait_for_function(f"dirty => {_FRONT}.context.model.dirty === dirty", arg=dirty)


def _values(path: Path) -> dict[str, Any]:
    nodes = lab.saved(path)["pipeline"]["nodes"]
    return next(node["arguments"] for node in nodes if node["key"] == "rotate")


def test_two_browsers_edit_a_document_and_lose_nothing(
    page: Any, other: Any, server: tuple[str, Path, bool], artifacts: Path
) -> None:
    address, root, together = server
    file = root / "shared.dali.json"
    open_document(page, (address, root), file.name)
    plugins = page.evaluate("() => [...window.jupyterapp.listPlugins()].filter(id => window.jupyterapp.isPluginActivated(id))")
    assert ("@jupyter/docprovider-extension:content-provider" in plugins) is together
    assert page.evaluate(f"() => {_FRONT}.context.model.collaborative") is False
    _set(page, "angle", "33")
    await_code(page, "angle=33")

    # the other one finds the edit that nobody has saved, and edits as well
    open_lab(other, address)
    other.locator(f'.jp-DirListing-item[title*="{file.name}"]').dblclick()
    part(other, "thumb-rotate").wait_for(timeout=90_000)
    await_code(other, "angle=33")
    _set(other, "fill_value", "7")
    await_code(page, "fill_value=7")
    page.screenshot(path=artifacts / f"lab_two_{'with' if together else 'without'}_collaboration.png")

    # one saves, which is news to the other, who goes on and saves without being asked
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    _await_dirty(other, False)
    assert _values(file) == {"angle": 33.0, "fill_value": 7.0}
    _set(other, "angle", "44")
    await_code(page, "angle=44")
    other.keyboard.press("Control+s")
    _await_dirty(other, False)
    _await_dirty(page, False)
    assert _values(file) == {"angle": 44.0, "fill_value": 7.0}
    for one in (page, other):  # else the designer would ask
        one.wait_for_function(
            f"""async () => (await window.jupyterapp.serviceManager.contents.get({_FRONT}.context.path, {{ content: false }}))
            .last_modified === {_FRONT}.context.contentsModel.last_modified"""
        )

    # a program writes the file: who loads it does so for both
    lab.write_turning(file, 20.0)
    page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    for one in (page, other):
        await_code(one, "angle=20")
        _await_dirty(one, False)
    assert other.locator(".jp-Dialog").count() == 0

    # one leaves, the other keeps what both did
    _set(page, "angle", "55")
    await_code(other, "angle=55")
    page.evaluate("() => { window.onbeforeunload = null; }")
    page.goto("about:blank")
    _set(other, "fill_value", "9")
    await_code(other, "fill_value=9")
    other.keyboard.press("Control+s")
    _await_dirty(other, False)
    assert _values(file) == {"angle": 55.0, "fill_value": 9.0}


def test_a_text_editor_that_is_shared_writes_what_the_designer_asks_about(page: Any, server: tuple[str, Path, bool]) -> None:
    address, root, together = server
    if not together:
        pytest.skip("that editor is jupyter-collaboration's")
    name = "beside.dali.json"
    open_document(page, (address, root), name)
    page.evaluate("name => { window.jupyterapp.commands.execute('docmanager:open', { path: name, factory: 'Editor' }); }", name)
    page.locator(".jp-FileEditor .cm-content").wait_for(timeout=60_000)
    page.wait_for_function(f"() => {_FRONT}.context.model.sharedModel?.getSource().includes('\"angle\": 10.0')")
    page.evaluate(
        f"""() => {{ const shared = {_FRONT}.context.model.sharedModel;
        shared.setSource(shared.getSource().replace('"angle": 10.0', '"angle": 65.0')); }}"""
    )
    for _ in range(300):  # the server writes it by itself
        if _values(root / name)["angle"] == 65.0:
            break
        page.wait_for_timeout(100)
    assert _values(root / name)["angle"] == 65.0
    page.evaluate("name => { window.jupyterapp.commands.execute('docmanager:open', { path: name, factory: 'DALI designer' }); }", name)
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    await_code(page, "angle=65")
