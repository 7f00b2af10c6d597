"""Where JupyterLab shows pipelines: menus, the sidebars, notebooks, the settings of keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser import lab, scenes
from browser.lab import await_code, open_document, open_lab, part, write_turning

from dali_studio import samples

pytestmark = pytest.mark.browser

_APP = "window.jupyterapp"
_PROGRAM = f"""from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
def turned():
    files, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    return fn.rotate(fn.decoders.image(files), angle=10.0), labels
"""


def _panel(page: Any, name: str) -> Any:
    page.evaluate(f"name => {_APP}.shell.activateById(`dali-studio-${{name}}`)", name)
    panel = page.locator(f'[data-testid="lab-{name}"]')
    panel.wait_for()
    return panel


def test_a_program_becomes_a_document_and_a_document_a_program(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    address, root = server
    (root / "turned.py").write_text(_PROGRAM)
    for left in (*root.glob("turned*.dali.json"), *root.glob("turned?.py"), *root.glob("written.py")):  # by another try
        left.unlink()
    open_lab(page, address)
    entry = page.locator('.jp-DirListing-item[title*="turned.py"]')
    entry.click(button="right")
    page.locator('.lm-Menu-item[data-command="dali-studio:open-program"]').click()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    await_code(page, "angle=10")
    assert (root / "turned.dali.json").exists()
    page.locator('.jp-DirListing-item[title*="turned.dali.json"]').click(button="right")
    page.locator('.lm-Menu-item[data-command="dali-studio:export"]').click()
    field = part(page, "save-path")  # of the designer, which has the program already
    assert field.input_value() == "turned.py"
    field.fill("written.py")
    field.press("Enter")
    part(page, "saved").wait_for()
    shown = part(page, "code-input").input_value()
    assert (root / "written.py").read_text() == shown

    # of a file that is not open, a kernel writes it, which is said meanwhile
    page.evaluate(f"() => {_APP}.shell.currentWidget.close()")
    page.locator('.jp-DirListing-item[title*="turned.dali.json"]').click(button="right")
    page.locator('.lm-Menu-item[data-command="dali-studio:export"]').click()
    page.locator(".Toastify__toast", has_text="Writing the program of turned.dali.json").wait_for()
    page.screenshot(path=artifacts / "lab_writing.png")
    page.wait_for_function(f"() => {_APP}.shell.currentWidget?.context?.path === 'turned1.py'", timeout=60_000)
    assert (root / "turned1.py").read_text() == shown
    assert (root / "turned.py").read_text() == _PROGRAM


def test_a_cell_opens_in_the_designer_and_a_pipeline_goes_into_a_cell(page: Any, server: tuple[str, Path]) -> None:
    address, root = server
    lab.write_notebook(root / "cells.ipynb", "x = 1", _PROGRAM)
    open_lab(page, address)
    page.locator('.jp-DirListing-item[title*="cells.ipynb"]').dblclick()
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.nth(1).wait_for(timeout=60_000)
    button = page.locator('[data-jp-item-name="dali-studio-open"]:visible')
    cells.nth(0).locator(".cm-content").click()
    page.wait_for_function(f"() => !{_APP}.commands.isVisible('dali-studio:open-cell')")
    cells.nth(1).locator(".cm-content").click()
    button.click()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    await_code(page, "def turned(")
    page.evaluate(f"() => {{ {_APP}.commands.execute('dali-studio:insert'); }}")
    cells.nth(2).wait_for(timeout=60_000)
    assert "def turned(" in cells.nth(2).inner_text()


def test_the_sidebar_follows_documents_and_cells(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    open_document(page, server, "followed.dali.json")
    inspector, gallery = _panel(page, "inspector"), _panel(page, "gallery")
    part(page, "node-rotate").click(position={"x": 70, "y": 12})
    angle = inspector.locator('[data-testid="number-angle"]')
    angle.fill("33")
    angle.press("Enter")
    await_code(page, "angle=33")
    assert page.locator('.dali-View [data-testid="inspector"]').count() == 0  # it is in one place
    gallery.locator('[data-testid="palette-search"]').fill("flip")
    gallery.locator('[data-testid="palette-flip"]').press("Enter")
    part(page, "node-flip").wait_for()
    page.keyboard.press("Control+z")  # keys reach the graph from a sidebar, too
    part(page, "node-flip").wait_for(state="detached")
    page.keyboard.press("Control+Shift+z")
    part(page, "node-flip").wait_for()
    page.screenshot(path=artifacts / "lab_sidebar.png")
    page.evaluate(f"() => {_APP}.shell.activateById('table-of-contents')")
    page.locator(".jp-TableOfContents-content >> text=decode").first.click()
    inspector.locator("text=fn.decoders.image").first.wait_for()

    code = f"from dali_studio import Designer, read\ndesigner = Designer(read({_PROGRAM!r}))\ndesigner"
    lab.write_notebook(server[1] / "followed.ipynb", code)
    page.evaluate(f"() => {_APP}.commands.execute('docmanager:open', {{ path: 'followed.ipynb' }})")
    page.wait_for_selector(".jp-Notebook:visible")
    page.evaluate(lab.RUN_ALL)
    cell = page.locator(".jp-Notebook")
    cell.locator('[data-testid="thumb-rotate"]').wait_for(timeout=90_000)
    lab.settle(page)
    cell.locator('[data-testid="node-rotate"]').click(position={"x": 70, "y": 12})
    page.wait_for_function("() => document.querySelector('[data-testid=\"lab-inspector\"] [data-testid=\"number-angle\"]')?.value === '10'")
    angle.fill("21")
    angle.press("Enter")
    page.wait_for_function("() => document.querySelector('.jp-Notebook [data-testid=\"node-rotate\"]').textContent.includes('21')")
    # the tab in front is the one that is edited, though nobody has clicked into it
    page.evaluate(f"() => {_APP}.commands.execute('docmanager:open', {{ path: 'followed.dali.json' }})")
    inspector.locator("text=fn.decoders.image").first.wait_for()
    page.evaluate(f"() => {_APP}.commands.execute('docmanager:open', {{ path: 'followed.ipynb' }})")
    page.wait_for_function("() => document.querySelector('[data-testid=\"lab-inspector\"] [data-testid=\"number-angle\"]')?.value === '21'")
    lab.set_theme(page, "JupyterLab Dark")
    page.wait_for_selector('[data-testid="lab-inspector"] .ds-dark')
    page.screenshot(path=artifacts / "lab_sidebar_dark.png")
    lab.set_theme(page, "JupyterLab Light")

    # once nothing is left to follow
    page.evaluate(f"() => {{ for (const one of [...{_APP}.shell.widgets('main')]) one.dispose(); }}")
    inspector.get_by_text("Open a pipeline, or run a cell with a designer.").wait_for()


def test_menus_know_the_designer_and_its_keys_are_those_of_the_settings(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "keys.dali.json")
    page.evaluate(f"() => {_APP}.commands.execute('apputils:activate-command-palette')")
    page.locator(".lm-CommandPalette-input:visible").fill("Lay Out")
    page.locator('.lm-CommandPalette-item[data-command="dali-studio:layout"]').wait_for()
    page.keyboard.press("Escape")
    page.locator('.lm-MenuBar-item:has-text("File")').click()
    page.locator('.lm-Menu-item:has-text("New")').first.hover()
    page.locator('.lm-Menu-item[data-command="dali-studio:new"]').wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    status = page.locator(".jp-StatusBar-Widget:visible", has_text="Python 3")
    status.first.wait_for()
    settings = page.evaluate(f"async () => (await {_APP}.serviceManager.settings.fetch('@dali-studio/lab:documents')).schema")
    assert settings["properties"].keys() == {"dialect", "code", "wireDropped"}
    shortcut = {"command": "dali-studio:palette", "keys": ["Y"], "selector": ".dali-View .ds-stage :focus:not(:read-write)"}
    off = {"command": "dali-studio:palette", "keys": ["P"], "selector": shortcut["selector"], "disabled": True}
    plugin = "@jupyterlab/shortcuts-extension:shortcuts"
    page.evaluate(
        f"""([plugin, raw]) => {_APP}.serviceManager.settings.save(plugin, raw)""",
        [plugin, json.dumps({"shortcuts": [shortcut, off]})],
    )  # fmt: skip
    try:
        open_lab(page, server[0])
        page.locator('.jp-DirListing-item[title*="keys.dali.json"]').dblclick()
        part(page, "thumb-rotate").wait_for(timeout=90_000)
        page.wait_for_function(f"() => {_APP}.commands.keyBindings.some(b => b.command === 'dali-studio:palette' && b.keys[0] === 'Y')")
        lab.settle(page)
        part(page, "node-rotate").click(position={"x": 70, "y": 12})
        page.keyboard.press("y")
        part(page, "palette-search").wait_for()
        part(page, "node-rotate").click(position={"x": 70, "y": 12})
        page.keyboard.press("y")
        part(page, "palette-search").wait_for(state="hidden")
    finally:
        page.evaluate(f"plugin => {_APP}.serviceManager.settings.save(plugin, '{{}}')", plugin)


def test_save_as_goes_on_in_the_same_tab(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    """With its kernel, its undo steps and the chosen card, also over another document, and not where it cannot be saved."""
    write_turning(server[1] / "other.dali.json", 70.0)
    open_document(page, server, "original.dali.json")
    before = (server[1] / "original.dali.json").read_text()
    part(page, "node-rotate").click(position={"x": 70, "y": 12})
    field = part(page, "number-angle")
    field.fill("33")
    field.press("Enter")
    page.wait_for_function(f"() => {_APP}.shell.currentWidget.context.model.dirty")
    told = f"""() => {{ const {{ id, context }} = {_APP}.shell.currentWidget;
        return [id, context.sessionContext.session.id, context.sessionContext.session.kernel.id]; }}"""
    tab = page.evaluate(told)

    def save_as(name: str) -> None:
        page.evaluate(f"() => {{ {_APP}.commands.execute('docmanager:save-as'); }}")
        page.locator(".jp-Dialog input").first.fill(name)
        page.keyboard.press("Enter")

    def await_saved(path: str) -> None:
        page.wait_for_function(
            f"""path => [{_APP}.shell.currentWidget, {_APP}.shell.activeWidget].every(one => one?.context?.path === path
            && !one.context.model.dirty)""",
            arg=path,
        )
        assert page.evaluate(told) == tab

    save_as("copy")
    await_saved("copy.dali.json")
    assert not page.locator(".jp-Dialog").count()
    assert '"angle": 33.0' in (server[1] / "copy.dali.json").read_text()
    assert (server[1] / "original.dali.json").read_text() == before
    assert part(page, "number-angle").input_value() == "33"
    page.screenshot(path=artifacts / "saved_as.png")
    part(page, "undo").click()
    await_code(page, "angle=10")
    save_as("none/copy.dali.json")
    page.get_by_text("File Save Error").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => {_APP}.shell.currentWidget.context.path === 'copy.dali.json' && {_APP}.shell.currentWidget.context.model.dirty")
    save_as("other.dali.json")
    page.get_by_role("button", name="Overwrite").click()
    await_saved("other.dali.json")
    assert (server[1] / "other.dali.json").read_text() != before  # where its cards are
    assert '"angle": 10.0' in (server[1] / "other.dali.json").read_text()


def test_the_launcher_begins_with_a_folder_or_with_a_recipe(page: Any, server: tuple[str, Path]) -> None:
    address, root = server
    for photo in sorted(samples.photos().rglob("*.jpg"))[:2]:
        target = root / "mine" / photo.parent.name / photo.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(photo.read_bytes())
    open_lab(page, address)
    page.evaluate(f"() => {_APP}.commands.execute('launcher:create')")
    page.locator('.jp-LauncherCard[title="Design a data pipeline that reads a folder of yours"]:visible').click()
    part(page, "folders").wait_for(timeout=90_000)
    page.keyboard.press("Escape")  # wherever the keys are
    part(page, "folders").wait_for(state="detached")
    part(page, "browse-folders").click()
    part(page, "folders").get_by_role("button", name="mine", exact=True).click()
    page.wait_for_function("() => document.querySelector('[data-testid=\"choose-folder\"]').textContent === 'Open 2 images'")
    part(page, "choose-folder").click()
    await_code(page, "mine")
    part(page, "node-decode").wait_for()
    page.wait_for_function(f"() => {_APP}.shell.currentWidget.context?.path.startsWith('mine')")
    page.evaluate(f"() => {_APP}.commands.execute('launcher:create')")
    page.locator(".jp-LauncherCard:visible", has_text="Segmentation").click()
    page.wait_for_function(f"() => {_APP}.shell.currentWidget.context?.path.startsWith('segmentation')")
    page.locator('.dali-View:visible [data-testid="node-turned_mask"], .dali-View:visible [data-testid="node-classes"]').first.wait_for(timeout=90_000)


def test_the_settings_say_what_comes_where_a_wire_is_dropped(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    """At once, and in a cell."""
    lab.write_notebook(server[1] / "dropped.ipynb", scenes.five() + "\ndesigner")
    lab.open_notebook(page, server[0], "dropped.ipynb")
    lab.card(page, "rotate").wait_for(timeout=90_000)
    menu, search = page.locator('[data-testid="menu"]'), page.locator('[data-testid="quick-search"]')

    def choose(how: str) -> None:
        page.evaluate(f"() => {{ {_APP}.commands.execute('settingeditor:open', {{ query: 'DALI Studio' }}); }}")
        page.locator("select:visible", has=page.locator("option", has_text="nothing")).select_option(label=how)
        page.wait_for_function("how => document.body.dataset.wireDropped === how", arg=how)
        page.screenshot(path=artifacts / "lab_setting_wire.png")
        page.locator('.lm-TabBar-tab[title*="dropped.ipynb"]').first.click()

    def drop() -> None:
        lab.settle(page)
        port = page.locator('[data-testid="node-rotate"] [data-ds-source]').first.bounding_box()
        x, y = port["x"] + port["width"] / 2, port["y"] + port["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 60, y + 200, steps=8)
        page.mouse.up()
        lab.settle(page)

    try:
        drop()
        search.wait_for()
        page.keyboard.press("Escape")
        choose("nothing")
        drop()
        assert menu.count() == search.count() == 0
        choose("menu")
        drop()
        page.screenshot(path=artifacts / "lab_dropped_menu.png")
        assert search.count() == 0
        menu.locator("button", has_text="Find another one").click()
        search.wait_for()
        page.keyboard.press("Escape")
        drop()
        menu.locator("button", has_text="flip").first.click()
        lab.card(page, "flip").wait_for()
        page.locator('[aria-label="wire from rotate to flip"]').wait_for(state="attached")
    finally:
        raw = ["@dali-studio/lab:documents", "{}"]
        page.evaluate(f"([plugin, raw]) => {_APP}.serviceManager.settings.save(plugin, raw)", raw)
