"""Documents in JupyterLab: from the launcher to a saved file and back, and what happens to a file in between."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.lab import await_code, await_layout, open_document, open_lab, part

from dali_studio import Designer, __version__, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.graph import document

pytestmark = pytest.mark.browser

_CURRENT = "window.jupyterapp.shell.currentWidget"
_SESSION = f"{_CURRENT}.context.sessionContext"


def _await_dirty(page: Any, dirty: bool) -> None:
    page.wait_for_function(f"dirty => {_CURRENT}.context.model.dirty === dirty", arg=dirty)


def _await_angle(file: Path, angle: str) -> None:
    for _ in range(100):
        if re.search(rf'"angle": ?{angle}\b', file.read_text()):
            return
        time.sleep(0.1)
    raise AssertionError(f"{angle} is not in the file after 10 s:\n{file.read_text()}")


def _set(page: Any, argument: str, value: str) -> None:
    lab.settle(page)
    part(page, "node-rotate").click(position={"x": 70, "y": 12})
    field = part(page, f"number-{argument}")
    field.fill(value)
    field.press("Enter")


def _accept(dialog: Any) -> None:
    dialog.accept()


def test_from_the_launcher_to_a_file_and_back(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    address, root = server
    open_lab(page, address)
    page.evaluate("() => window.jupyterapp.commands.execute('launcher:create')")
    card = page.locator('.jp-LauncherCard[title="Design a new data pipeline"]:visible').first
    card.wait_for()
    page.screenshot(path=artifacts / "lab_launcher.png")
    card.click()
    part(page, "empty").wait_for(timeout=90_000)
    path = page.evaluate(f"() => {_CURRENT}.context.path")
    assert path.endswith(".dali.json")
    assert part(page, "save-state").inner_text() == "Saved"
    page.keyboard.press("Space")  # without a click before
    part(page, "quick-search").fill("read files")
    page.wait_for_function(
        """() => document.querySelector('.dali-View [data-testid="quick-add"] [aria-selected="true"]')?.dataset.testid
        === 'quick-readers.file'"""
    )
    page.keyboard.press("Escape")
    part(page, "quick-search").wait_for(state="detached")
    part(page, "recipe-getting_started").click()
    part(page, "thumb-rotate").wait_for(timeout=60_000)
    page.wait_for_function(f"path => {_CURRENT}.context.path !== path", arg=path)  # the file is called as the recipe
    assert not (root / path).exists()
    path = page.evaluate(f"() => {_CURRENT}.context.path")
    assert "untitled" not in path
    assert part(page, "save-state").inner_text() == "Not saved"
    _set(page, "fill_value", "33")
    await_code(page, "fill_value=33")
    _await_dirty(page, True)
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    assert part(page, "save-state").inner_text() == "Saved"
    kept = lab.saved(root / path)
    assert {node["key"]: node for node in kept["pipeline"]["nodes"]}["rotate"]["arguments"]["fill_value"] == 33.0
    page.screenshot(path=artifacts / "lab_document.png")

    open_lab(page, address)
    page.locator(f'.jp-DirListing-item[title*="{path}"]').dblclick()
    part(page, "thumb-rotate").wait_for(timeout=60_000)
    await_code(page, "fill_value=33")
    _await_dirty(page, False)
    lab.set_theme(page, "JupyterLab Dark")
    page.wait_for_selector('.dali-View [data-ds-theme="dark"]')
    page.screenshot(path=artifacts / "lab_document_dark.png")
    lab.set_theme(page, "JupyterLab Light")


def test_a_new_document_goes_with_its_tab_if_nothing_was_saved(page: Any, server: tuple[str, Path]) -> None:
    address, root = server
    open_lab(page, address)
    before = sorted(path.name for path in root.glob("*.dali.json"))
    for recipe, edited in ((False, False), (True, False), (True, True)):
        page.evaluate("() => { window.jupyterapp.commands.execute('dali-studio:new'); }")
        part(page, "empty").wait_for(timeout=90_000)
        if recipe:
            part(page, "recipe-getting_started").click()
            page.wait_for_function(f"() => !{_CURRENT}.context.path.includes('untitled')")
            part(page, "thumb-rotate").wait_for()
            lab.settle(page)
            _await_dirty(page, False)  # a recipe that was only looked at is no loss
        if edited:
            _set(page, "fill_value", "33")
            _await_dirty(page, True)
            for _ in range(2):  # back to the recipe, and to the empty file
                page.evaluate("() => window.jupyterapp.commands.execute('dali-studio:undo')")
                _await_dirty(page, False)
            page.evaluate("() => window.jupyterapp.commands.execute('dali-studio:redo')")
            _set(page, "fill_value", "34")
            _await_dirty(page, True)
        path = root / page.evaluate(f"() => {_CURRENT}.context.path")
        assert path.exists()
        page.evaluate(f"() => {{ {_CURRENT}.close(); }}")
        if edited:
            page.locator(".jp-Dialog button", has_text="Discard").click()
        for _ in range(100):
            if not path.exists():
                break
            page.wait_for_timeout(100)
        assert sorted(path.name for path in root.glob("*.dali.json")) == before


def test_a_recipe_that_nobody_edits_is_saved_as_it_is_shown(page: Any, server: tuple[str, Path]) -> None:
    workspace = open_lab(page, server[0])
    page.evaluate("() => { window.jupyterapp.commands.execute('dali-studio:new-resnet50'); }")
    part(page, "thumb-normalize").wait_for(timeout=90_000)
    lab.settle(page)
    path = server[1] / page.evaluate(f"() => {_CURRENT}.context.path")
    page.keyboard.press("Control+s")
    page.wait_for_function("() => document.querySelector('.dali-View [data-testid=\"save-state\"]').textContent === 'Saved'")
    assert [node["key"] for node in lab.saved(path)["pipeline"]["nodes"]] == ["reader", "decode", "resize", "mirror", "normalize"]
    page.evaluate(f"() => {_CURRENT}.context.save()")  # the same once more
    await_layout(page, workspace, path.name)
    open_lab(page, server[0], workspace)
    part(page, "thumb-normalize").wait_for(timeout=90_000)  # without a question
    _await_dirty(page, False)


def test_readers_without_data_are_told_of_once_and_read_samples(page: Any, server: tuple[str, Path]) -> None:
    example = lab.REPOSITORY / "gallery" / "medical_volumes" / "pipeline.dali.json"
    (server[1] / "idle.dali.json").write_bytes(example.read_bytes())
    open_lab(page, server[0])
    page.locator('.jp-DirListing-item[title*="idle.dali.json"]').dblclick()
    strip = part(page, "strip")
    strip.wait_for(timeout=90_000)
    assert strip.locator("button").first.inner_text() == "Read the sample volumes"
    lab.settle(page)
    part(page, "node-image").click(position={"x": 30, "y": 8})
    card = part(page, "error-card-image")
    card.wait_for()
    lab.settle(page)
    assert not strip.is_visible() and card.inner_text().count("othing to read") == 1
    told = card.bounding_box()
    for one in page.locator('.dali-View [data-testid^="node-"]').all():
        box = one.bounding_box()
        beside = box["x"] + box["width"] <= told["x"] or told["x"] + told["width"] <= box["x"]
        assert beside or box["y"] + box["height"] <= told["y"] or told["y"] + told["height"] <= box["y"]
    card.locator("button").first.click()
    card.wait_for(state="detached")
    part(page, "thumb-target").wait_for()


def test_a_document_of_a_saved_output_asks_for_its_folder_elsewhere(page: Any, server: tuple[str, Path], tmp_path: Path) -> None:
    for folder in (tmp_path / "holiday_photos", server[1] / "photos_of_a_colleague"):
        (folder / "cats").mkdir(parents=True, exist_ok=True)
        shutil.copy(next(samples.photos().rglob("*.jpg")), folder / "cats" / "one.jpg")

    @pipeline_def(batch_size=1, num_threads=1, device_id=None, seed=3)
    def shown() -> Any:
        files, labels = fn.readers.file(file_root=str(tmp_path / "holiday_photos"), name="reader")
        return fn.decoders.image(files, name="decode"), labels

    designer = Designer(shown())
    text = designer.freeze().document
    designer.close()
    (root,) = re.findall(r"\$\{(holiday_photos\w*)\}", text)
    assert str(tmp_path) not in text
    # another machine knows no root of this name
    (server[1] / "taken.dali.json").write_text(text.replace(root, tmp_path.name))
    open_lab(page, server[0])
    page.locator('.jp-DirListing-item[title*="taken.dali.json"]').dblclick()
    told = page.get_by_text(f"This machine does not know {tmp_path.name}").first  # by the card, or above all
    told.wait_for(timeout=90_000)
    part(page, "choose-data").click()
    part(page, "folders").get_by_role("button", name="photos_of_a_colleague").click()
    page.get_by_role("button", name="Open 1 image").click()
    part(page, "thumb-decode").wait_for()
    told.wait_for(state="detached")


def test_a_document_of_another_engine_says_so_and_keeps_its_record_until_it_is_changed(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    file = server[1] / "older.dali.json"
    lab.write_turning(file)
    raw = lab.saved(file)
    raw["written_by"] = {"dali_studio": "0.0.9", "operators": {"rotate": "1-00000000"}}
    document.save(*document.loads(json.dumps(raw))[:2], file, default_registry())
    assert '"dali_studio": "0.0.9"' in file.read_text()
    open_lab(page, server[0])
    page.locator('.jp-DirListing-item[title*="older.dali.json"]').dblclick()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    said = "dali_studio 0.0.9 wrote the document, with other inputs, arguments or defaults of rotate"
    part(page, "strip").get_by_text(said).wait_for()
    part(page, "tab-problems").click()
    part(page, "problems").get_by_text(said).wait_for()
    page.screenshot(path=artifacts / "lab_older.png")
    assert page.evaluate(f"() => {_CURRENT}.context.model.dirty") is False
    before = file.read_bytes()
    page.evaluate(f"async () => {{ await {_CURRENT}.context.save(); }}")
    assert file.read_bytes() == before
    # what is taken back is no change, and a change is recorded as one of now
    part(page, "tab-code").click()
    _set(page, "angle", "44")
    await_code(page, "angle=44")
    _await_dirty(page, True)
    page.keyboard.press("Control+z")
    _await_dirty(page, False)
    _set(page, "angle", "45")
    await_code(page, "angle=45")
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    assert lab.saved(file)["written_by"]["dali_studio"] == __version__


def test_undo_back_to_the_file_is_no_edit(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "undone.dali.json")
    before = (server[1] / "undone.dali.json").read_text()
    _set(page, "angle", "33")
    _await_dirty(page, True)
    page.evaluate("() => window.jupyterapp.commands.execute('dali-studio:undo')")
    await_code(page, "angle=10")
    _await_dirty(page, False)
    page.evaluate("() => window.jupyterapp.commands.execute('dali-studio:redo')")
    await_code(page, "angle=33")
    _await_dirty(page, True)
    # the file as it was: JupyterLab asks, since edits are lost
    page.evaluate("() => { window.jupyterapp.commands.execute('docmanager:reload'); }")
    page.locator(".jp-Dialog button.jp-mod-accept, .jp-Dialog button.jp-mod-warn").first.click()
    await_code(page, "angle=10")
    _await_dirty(page, False)
    assert (server[1] / "undone.dali.json").read_text() == before
    # a comment, too, is an edit, though no node has it
    text = part(page, "code-input")
    text.fill(text.input_value() + "# that is all\n")
    text.press("Control+Enter")
    _await_dirty(page, True)
    page.evaluate("() => window.jupyterapp.commands.execute('dali-studio:undo')")
    _await_dirty(page, False)
    # and so is another place of a card
    head = part(page, "node-reader").bounding_box()
    page.mouse.move(head["x"] + 70, head["y"] + 12)
    page.mouse.down()
    page.mouse.move(head["x"] + 90, head["y"] + 80, steps=4)
    page.mouse.up()
    _await_dirty(page, True)
    page.evaluate("() => window.jupyterapp.commands.execute('dali-studio:undo')")
    _await_dirty(page, False)


def test_a_checkpoint_takes_the_place_of_what_was_saved_since(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "checked.dali.json")
    for angle in ("21", "22"):
        _set(page, "angle", angle)
        await_code(page, f"angle={angle}")
        page.keyboard.press("Control+s")
        _await_dirty(page, False)
        if angle == "21":  # later ones would take its place
            page.evaluate(f"() => {{ {_CURRENT}.context.createCheckpoint = async () => {_CURRENT}.context.listCheckpoints(); }}")
    page.evaluate("() => { window.jupyterapp.commands.execute('docmanager:restore-checkpoint'); }")
    page.locator(".jp-Dialog button.jp-mod-warn, .jp-Dialog button.jp-mod-accept").last.click()
    await_code(page, "angle=21")
    _await_dirty(page, False)
    page.wait_for_function("() => [...document.querySelectorAll('.dali-View [data-testid=\"node-rotate\"]')].some(c => c.textContent.includes('21'))")
    assert '"angle": 21.0' in (server[1] / "checked.dali.json").read_text()


def test_a_restarted_kernel_gets_the_document_back(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "restarted.dali.json")
    _set(page, "angle", "33")
    await_code(page, "angle=33")
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    page.evaluate(f"async () => {{ await {_SESSION}.session.kernel.restart(); }}")
    part(page, "reconnect").wait_for(timeout=60_000)
    _set(page, "angle", "77")
    assert "Your edit is kept" in part(page, "strip").inner_text()
    part(page, "reconnect").click()
    await_code(page, "angle=77")
    _await_dirty(page, True)
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    assert '"angle": 77.0' in (server[1] / "restarted.dali.json").read_text()


def test_undo_and_the_chosen_sample_outlive_a_restart(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    open_document(page, server, "steps.dali.json")
    _set(page, "angle", "33")
    await_code(page, "angle=33")
    part(page, "batch-next").click()
    part(page, "sample-1").click()
    page.wait_for_function("() => document.querySelector('.dali-View [data-testid=\"sample-count\"]').textContent[0] === '2'")
    page.wait_for_function("() => document.querySelector('.dali-View [data-testid=\"batch\"]').textContent === 'Batch 2'")
    lab.settle(page)
    page.evaluate(f"async () => {{ await {_SESSION}.session.kernel.restart(); }}")
    part(page, "reconnect").wait_for(timeout=60_000)
    # nothing was edited without a kernel
    assert page.locator('.dali-View .ds-stale-chip:text("batch 2")').count() > 1
    assert page.locator('.dali-View .ds-stale-chip:text("before the edit")').count() == 0
    page.screenshot(path=artifacts / "lab_restarted.png")
    part(page, "reconnect").click()
    part(page, "reconnect").wait_for(state="detached", timeout=60_000)
    for step, angle in (("undo", 10), ("redo", 33)):
        part(page, step).click()
        await_code(page, f"angle={angle}")
        _await_dirty(page, step == "redo")  # the steps lead back to the file
    assert part(page, "batch").inner_text() == "Batch 2"
    assert part(page, "sample-count").inner_text().startswith("2 of")
    assert page.locator('.dali-View [data-testid="number-angle"]').is_visible()  # the node is still chosen
    page.screenshot(path=artifacts / "lab_reconnected.png")


def test_a_text_that_is_written_is_saved_and_measured_or_kept(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    workspace = open_document(page, server, "written.dali.json")
    file = server[1] / "written.dali.json"
    page.on("dialog", _accept)
    await_code(page, "angle=10")
    part(page, "node-rotate").click(position={"x": 70, "y": 12})
    field = part(page, "number-angle")
    field.fill("22")  # and no Enter
    field.press("Control+s")
    _await_angle(file, "22")
    page.wait_for_selector('.dali-View [data-testid="save-state"]:text-is("Saved")')
    page.wait_for_timeout(1000)  # JupyterLab leaves out a save while another one is on its way
    text = part(page, "code-input")
    program = text.input_value()
    text.fill(program.replace("angle=22", "angle=33"))
    assert part(page, "save-state").inner_text() == "Not applied"
    text.press("Control+s")
    _await_angle(file, "33")
    page.wait_for_selector('.dali-View [data-testid="save-state"]:text-is("Saved")')

    wrong = text.input_value().replace("angle=33", "angle=(44")
    text.fill(wrong)
    text.press("Control+s")
    page.wait_for_selector('.dali-View [data-testid="code-notes"]:has-text("Line ")')
    assert part(page, "save-state").inner_text() == "Not applied"
    part(page, "run").click(force=True)  # it says so
    page.wait_for_timeout(500)
    assert part(page, "stop").is_disabled() and part(page, "throughput").count() == 0
    page.screenshot(path=artifacts / "lab_code_refused.png")

    await_layout(page, workspace, "written.dali.json")
    page.reload()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    page.evaluate(f"async () => await {_SESSION}.restartKernel()")
    part(page, "reconnect").click()
    part(page, "reconnect").wait_for(state="detached")
    assert text.input_value() == wrong
    text.fill(wrong.replace("(44", "45"))
    assert "has a syntax error" not in part(page, "code").inner_text()
    part(page, "run").click()
    await_code(page, "angle=45")
    part(page, "throughput").wait_for()


def test_a_reloaded_page_finds_the_edits_and_asks_if_the_file_was_changed(page: Any, server: tuple[str, Path]) -> None:
    workspace = open_document(page, server, "reloaded.dali.json")
    _set(page, "angle", "44")
    await_code(page, "angle=44")
    await_layout(page, workspace, "reloaded.dali.json")
    page.on("dialog", _accept)  # that edits were not saved
    open_lab(page, server[0], workspace)
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    await_code(page, "angle=44")
    _await_dirty(page, True)
    part(page, "undo").click()
    await_code(page, "angle=10")

    for angle, answer, found in ((20.0, "reject", 10), (30.0, "accept", 30)):
        lab.write_turning(server[1] / "reloaded.dali.json", angle)
        open_lab(page, server[0], workspace)
        page.locator(f".jp-Dialog button.jp-mod-{answer}").click()
        await_code(page, f"angle={found}")
        _await_dirty(page, answer == "reject")


def test_a_file_that_was_changed_on_disk_is_loaded_after_asking(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "outside.dali.json")
    known = page.evaluate(f"() => {_CURRENT}.context.contentsModel.last_modified")
    lab.write_turning(server[1] / "outside.dali.json", 20.0)
    assert page.evaluate(
        f"""async () => (await window.jupyterapp.serviceManager.contents.get({_CURRENT}.context.path, {{content: false}}))
        .last_modified""",
    ) > known  # fmt: skip
    page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    await_code(page, "angle=20")
    _await_dirty(page, False)


def test_who_saves_over_a_newer_file_may_load_that_instead(page: Any, server: tuple[str, Path]) -> None:
    workspace = open_document(page, server, "overtaken.dali.json")
    _set(page, "angle", "33")
    await_code(page, "angle=33")
    lab.write_turning(server[1] / "overtaken.dali.json", 20.0)
    page.keyboard.press("Control+s")
    page.locator(".jp-Dialog button.jp-mod-accept").first.click()  # Revert
    await_code(page, "angle=20")
    lab.settle(page)
    _await_dirty(page, False)
    assert part(page, "save-state").inner_text() == "Saved"
    # nor does a page that is loaded anew find edits
    await_layout(page, workspace, "overtaken.dali.json")
    open_lab(page, server[0], workspace)
    await_code(page, "angle=20")
    _await_dirty(page, False)


def test_a_document_that_is_closed_and_opened_again_gets_a_kernel_of_its_own(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "again.dali.json")
    lab.write_turning(server[1] / "again.dali.json", 20.0)
    # the kernel of the tab still runs for a moment, and JupyterLab would take it for the file's
    before = page.evaluate(
        f"""() => {{
        const front = {_CURRENT}; const {{ id }} = front.context.sessionContext.session.kernel;
        front.close();
        window.jupyterapp.commands.execute('docmanager:open', {{ path: 'again.dali.json' }});
        return id; }}"""
    )
    await_code(page, "angle=20")
    _await_dirty(page, False)
    part(page, "thumb-rotate").wait_for()
    assert page.evaluate(f"() => {_SESSION}.session.kernel.id") != before
    _set(page, "angle", "30")
    await_code(page, "angle=30")


def test_two_views_of_a_file_that_is_renamed(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "first.dali.json")
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:clone', {options: {mode: 'split-right'}})")
    page.wait_for_function("() => document.querySelectorAll('.dali-View [data-testid=\"thumb-rotate\"]').length === 2")
    page.evaluate(f"() => {_CURRENT}.context.rename('second.dali.json')")
    page.wait_for_function(f"() => {_CURRENT}.context.path === 'second.dali.json'")
    _set(page, "angle", "55")
    page.wait_for_function(
        """() => [...document.querySelectorAll('.dali-View [data-testid="node-rotate"]')]
        .filter(card => card.textContent.includes('55')).length === 2"""
    )
    _await_dirty(page, True)
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    assert '"angle": 55.0' in (server[1] / "second.dali.json").read_text()
    assert not (server[1] / "first.dali.json").exists()


def test_a_kernel_of_another_version_is_not_written_to(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    workspace = open_document(page, server, "versions.dali.json")
    page.evaluate(f"async () => {{ await {_SESSION}.changeKernel({{ name: 'another-version' }}); }}")
    part(page, "reconnect").click()
    page.wait_for_function(
        "() => document.querySelector('.dali-View [data-testid=\"strip\"]')?.textContent.includes('9.9.9')", timeout=60_000
    )
    assert f"pip install dali-studio=={__version__}" in part(page, "strip").inner_text()
    assert part(page, "thumb-rotate").is_visible()  # what was seen is still there

    await_layout(page, workspace, "versions.dali.json")
    open_lab(page, server[0], workspace)
    said = part(page, "obstruction")
    said.wait_for(timeout=90_000)
    page.screenshot(path=artifacts / "lab_other_version.png")
    text = said.inner_text()
    assert "Read-only." in text
    assert f"DALI Studio {__version__}, this kernel has 9.9.9" in text
    assert said.locator("code").inner_text() == f"pip install dali-studio=={__version__}"
    assert said.locator("svg rect:not(.dali-Drawing-matte)").count() == 3


def test_a_kernel_without_the_package_says_what_to_install(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    workspace = open_document(page, server, "bare.dali.json")
    page.evaluate(f"async () => {{ await {_SESSION}.changeKernel({{ name: 'bare' }}); }}")
    await_layout(page, workspace, "bare.dali.json")
    open_lab(page, server[0], workspace)
    said = part(page, "obstruction")
    said.wait_for(timeout=90_000)
    assert "not installed where this kernel runs" in said.inner_text()
    assert said.locator("code").inner_text() == f"pip install dali-studio=={__version__}"
    assert said.locator("svg rect:not(.dali-Drawing-matte)").count() == 3  # the graph, read-only
    page.screenshot(path=artifacts / "lab_bare_kernel.png")
    # another kernel helps
    page.evaluate(f"async () => {{ await {_SESSION}.changeKernel({{ name: 'python3' }}); }}")
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    await_code(page, "angle=10")


def test_a_file_that_is_no_document_is_shown_and_opens_as_text(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    path = server[1] / "foreign.dali.json"
    path.write_text('{\n  "name": "settings",\n  "pipeline": {"nodes": []}\n}\n')  # which is no empty pipeline
    open_lab(page, server[0])
    page.locator('.jp-DirListing-item[title*="foreign.dali.json"]').dblclick()
    said = part(page, "obstruction")
    said.wait_for(timeout=90_000)
    assert said.locator("pre").text_content() == path.read_text()
    export = page.locator('.dali-Document [data-command="dali-studio:export"]')
    page.wait_for_function("one => one.getAttribute('aria-disabled') === 'true' || one.disabled", arg=export.element_handle())
    assert said.locator("b").inner_text() == "Not opened."
    assert said.locator(".jp-mod-accept").all_inner_texts() == ["Open as text"]
    page.screenshot(path=artifacts / "lab_foreign.png")
    said.get_by_role("button", name="New pipeline").click()
    page.locator(".dali-Document:not(.lm-mod-hidden)").get_by_test_id("empty").wait_for(timeout=90_000)
    page.locator(".lm-TabBar-tab", has_text="foreign.dali.json").first.click()
    said.get_by_role("button", name="Open as text").click()
    page.locator(".jp-FileEditor", has_text='"settings"').wait_for()
    lab.write_turning(path)
    page.locator(".jp-mod-current.lm-TabBar-tab, .lm-TabBar-tab", has_text="foreign.dali.json").first.click()
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    await_code(page, "angle=10")


def test_other_json_files_are_opened_as_pipelines_when_asked(page: Any, server: tuple[str, Path]) -> None:
    path = server[1] / "turning.json"
    lab.write_turning(path)
    open_lab(page, server[0])
    factories = "() => window.jupyterapp.docRegistry.{}('turning.json')"
    offered = page.evaluate(factories.format("preferredWidgetFactories") + ".map(one => one.name)")
    assert offered[0] != "DALI designer" and "DALI designer" in offered, offered
    page.evaluate("path => window.jupyterapp.commands.execute('docmanager:open', { path, factory: 'DALI designer' })", "turning.json")
    part(page, "thumb-rotate").wait_for(timeout=90_000)


def test_a_text_that_cannot_be_read_is_in_the_file_and_comes_back(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    open_document(page, server, "draft.dali.json")
    await_code(page, "angle=10")
    text = part(page, "code-input")
    program = text.input_value()
    wrong = program.replace("angle=10", "angel=10").replace("@pipeline_def", "# mine\n@pipeline_def")
    text.click()
    text.fill(wrong)
    _await_dirty(page, True)  # at once: who closes the tab is asked
    text.press("Control+z")
    text.fill(program)
    _await_dirty(page, False)
    text.fill(wrong)
    text.press("Control+s")
    _await_dirty(page, False)
    assert part(page, "save-state").inner_text() == "Not applied"
    assert "angel=10" in lab.saved(server[1] / "draft.dali.json")["view"]["draft"]

    for ended in (False, True):  # in a kernel of its own, also where the other was ended before
        if ended:
            page.evaluate(f"async () => await {_SESSION}.shutdown()")
        page.evaluate(f"() => {_CURRENT}.close()")
        page.wait_for_selector(".dali-View", state="detached")
        assert page.locator(".jp-Dialog").count() == 0  # nothing is lost
        page.evaluate("() => void window.jupyterapp.commands.execute('docmanager:open', {path: 'draft.dali.json'})")
        part(page, "thumb-rotate").wait_for(timeout=90_000)
        await_code(page, "angel=10")
        assert text.input_value() == wrong and part(page, "save-state").inner_text() == "Not applied"
        _await_dirty(page, False)
    page.screenshot(path=artifacts / "lab_draft.png")

    text.press("Control+Enter")  # it is read again, and says what is wrong
    page.wait_for_selector('.dali-View [data-testid="code-notes"]:has-text("angel")')
    part(page, "discard-code").click()
    _await_dirty(page, True)
    page.keyboard.press("Control+s")
    _await_dirty(page, False)
    assert "draft" not in lab.saved(server[1] / "draft.dali.json")["view"]

    # what is written without a kernel, and saved while the tab closes, waits for who opens the file next
    page.evaluate(f"async () => await {_SESSION}.shutdown()")
    text.fill(wrong)
    _await_dirty(page, True)
    page.evaluate(f"() => {_CURRENT}.close()")
    page.locator(".jp-Dialog .jp-mod-accept", has_text="Save").click()
    page.wait_for_selector(".dali-View", state="detached")
    page.evaluate("() => void window.jupyterapp.commands.execute('docmanager:open', {path: 'draft.dali.json'})")
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    page.wait_for_function("wrong => [...document.querySelectorAll('[data-testid=\"code-input\"]')].some(one => one.value === wrong)", arg=wrong)
    assert "angel=10" not in (server[1] / "draft.dali.json").read_text()
    assert not [key for key in page.evaluate("() => Object.keys(localStorage)") if key.startswith("dali-studio:saved")]
