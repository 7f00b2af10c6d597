"""Nothing is lost: restarts, reloads, and notebooks that are looked at without a kernel, in JupyterLab."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.test_designer import _await_other_picture

from dali_studio.graph.document import MIME

pytestmark = pytest.mark.browser

NOTEBOOK = "01_designer.ipynb"
_KERNEL = "window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel"
_THROUGHPUT = """(document.querySelector('[data-testid="throughput"]')?.textContent ?? '')"""
_STATE = """() => { const state = window.jupyterapp.shell.currentWidget.context; return state.save(); }"""


def _open(page: Any, server: tuple[str, Path], name: str) -> None:
    """A copy of the first notebook under a name of its own, run."""
    (server[1] / name).write_bytes((server[1] / NOTEBOOK).read_bytes())
    lab.open_notebook(page, server[0], name)
    lab.by_id(page, "thumb-rotate").wait_for(timeout=90_000)


def _set_angle(page: Any, angle: str) -> None:
    lab.card(page, "rotate").click(position={"x": 70, "y": 12})
    field = lab.by_id(page, "number-angle")
    field.fill(angle)
    field.press("Enter")


def _await_code(page: Any, words: str) -> None:
    page.wait_for_function(
        """words => { const code = document.querySelector('[data-testid="code"]');
        return code?.getAttribute('aria-busy') === 'false' && code.textContent.includes(words); }""",
        arg=words, timeout=60_000,
    )  # fmt: skip


def _reconnect(page: Any) -> None:
    lab.by_id(page, "reconnect").click()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"reconnect\"]')", timeout=60_000)
    page.wait_for_function("() => !document.querySelector('[data-testid=\"run\"]').disabled", timeout=60_000)


def _restart(page: Any) -> None:
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    lab.by_id(page, "reconnect").wait_for(timeout=60_000)


def test_edits_outlive_a_restart_and_go_on(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _open(page, server, "restart.ipynb")
    _set_angle(page, "33")
    _await_code(page, "angle=33")
    lab.by_id(page, "run").click()
    page.wait_for_function(f"() => / samples\\/s/.test({_THROUGHPUT})")
    _restart(page)
    # nothing tells of the time of before as that of now
    assert re.fullmatch(r"–\s+samples/s\s+last run [0-9.,\s]+", lab.by_id(page, "throughput").inner_text())
    assert lab.by_id(page, "device-cpu").inner_text().split() == ["cpu", "–"]
    _set_angle(page, "77")
    assert "1 edit" in lab.by_id(page, "save-state").inner_text()
    assert "Your edit is kept" in lab.by_id(page, "strip").inner_text()
    assert page.locator(".ds-running, .ds-busy").count() == 0
    assert "before the edit" in lab.by_id(page, "node-rotate").inner_text()
    code = lab.by_id(page, "code")
    code.get_by_text("The program with your edits").wait_for()
    assert "angle=77" in code.inner_text()
    page.screenshot(path=artifacts / "designer_restarted.png")
    # nor in the list; what was not looked at before has its card's picture in the inspector
    widget = page.locator(".jp-OutputArea .ds-widget").first
    widget.evaluate("one => { one.style.width = '520px'; }")
    page.locator('[data-testid="outline-rotate"]:visible .ds-stale').wait_for()
    assert page.locator(".ds-outline .ds-time").count() == 0
    page.locator('[data-testid="outline-decode"]:visible').click()
    page.get_by_text("Out, last run").wait_for()
    page.screenshot(path=artifacts / "designer_restarted_list.png")
    page.locator('[data-testid="outline-resize"]:visible').click()
    lab.by_id(page, "detail-in").wait_for()  # and that of its input
    training.drawn(page, "detail-in")
    training.drawn(page, "detail-out")
    page.screenshot(path=artifacts / "designer_restarted_inspector.png")
    widget.evaluate("one => { one.style.width = ''; }")
    before = lab.painted(page, "rotate")
    _reconnect(page)
    _await_code(page, "angle=77")
    _await_other_picture(page, "rotate", before)
    lab.by_id(page, "undo").click()
    _await_code(page, "angle=33")
    # what was edited before the restart can be taken back, too
    lab.by_id(page, "undo").click()
    page.wait_for_function("() => document.querySelector('[data-testid=\"undo\"]').disabled")
    lab.by_id(page, "redo").click()
    _await_code(page, "angle=33")
    # and it is lost again, and found again
    _restart(page)
    _reconnect(page)
    _set_angle(page, "12")
    _await_code(page, "angle=12")
    # the run of two kernels before is listed
    lab.by_id(page, "tab-runs").click()
    lab.by_id(page, "run-1").wait_for()


def test_a_kernel_that_is_shut_down_is_told_of_and_another_one_goes_on(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "shut.ipynb")
    # by the list of running sessions, which says nothing to those that use it
    page.evaluate("async () => { await window.jupyterapp.serviceManager.sessions.shutdownAll(); }")
    lab.by_id(page, "reconnect").wait_for(timeout=60_000)
    assert "The kernel ended." in lab.by_id(page, "strip").inner_text()
    _set_angle(page, "77")
    lab.by_id(page, "reconnect").click()
    page.wait_for_function(
        """() => document.querySelector('[data-testid="strip"]')?.textContent.includes('No kernel runs: start one')"""
    )
    page.evaluate("async () => { await window.jupyterapp.shell.currentWidget.context.sessionContext.startKernel(); }")
    _reconnect(page)
    _await_code(page, "angle=77")
    _restart(page)  # the other one is watched, too
    assert "The kernel restarted." in lab.by_id(page, "strip").inner_text()


def test_a_notebook_that_is_saved_right_after_an_edit_has_it(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "hurried.ipynb")
    for angle in ("41", "42"):
        _set_angle(page, angle)
        page.keyboard.press("Control+s")  # in a field of the designer
        for _ in range(100):
            saved = lab.saved(server[1] / "hurried.ipynb")
            kept = json.dumps([out.get("data", {}).get(MIME) for cell in saved["cells"] for out in cell.get("outputs", ())])
            if f'"angle": {angle}' in kept:
                break
            page.wait_for_timeout(200)
        assert f'"angle": {angle}' in kept
        page.wait_for_timeout(1000)  # JupyterLab leaves out a save while another one is on its way
    lab.by_id(page, "number-angle").fill("43")  # not even applied
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    _await_code(page, "angle=43")


def test_a_kernel_that_is_killed_in_mid_run_keeps_the_edits(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "killed.ipynb")
    _set_angle(page, "21")
    _await_code(page, "angle=21")
    lab.by_id(page, "run-choice").select_option("128")
    page.wait_for_function(f"() => / left/.test({_THROUGHPUT})")
    os.kill(int(_asked(page, "__import__('os').getpid()")), signal.SIGKILL)
    lab.by_id(page, "reconnect").wait_for(timeout=60_000)
    assert lab.by_id(page, "run").is_disabled()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=\"strip\"]').textContent.includes('The kernel ended.')"
    )
    page.wait_for_function(f"() => ['idle', 'starting'].includes({_KERNEL}.status)", timeout=60_000)
    page.locator(".jp-Dialog button").first.click()  # the host's own word about it
    _reconnect(page)
    _await_code(page, "angle=21")
    _set_angle(page, "22")
    _await_code(page, "angle=22")


def test_a_reloaded_page_finds_the_edits_and_the_run(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "reload.ipynb")
    _set_angle(page, "44")
    _await_code(page, "angle=44")
    lab.answered(page, _STATE)
    lab.by_id(page, "run").click()
    page.reload()
    lab.by_id(page, "thumb-rotate").wait_for(timeout=90_000)
    _await_code(page, "angle=44")
    page.wait_for_function(
        f"() => / samples\\/s/.test({_THROUGHPUT})", timeout=60_000
    )
    assert lab.by_id(page, "undo").is_enabled()


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
    lab.answered(page, _STATE)
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
    lab.answered(page, _STATE)
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
    for left in server[1].glob("*.dali.json"):  # of another test: Save would ask before it writes over it
        left.unlink()
    _open(page, server, "states.ipynb")
    _set_angle(page, "43")
    _await_code(page, "angle=43")
    lab.by_id(page, "save-document").click()
    page.wait_for_function("() => document.activeElement?.dataset.testid === 'save-path'")  # Enter saves
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('[data-testid=\"save-state\"]').textContent.includes('Saved')")
    _set_angle(page, "45")
    _await_code(page, "angle=45")
    lab.by_id(page, "tab-runs").click()
    page.get_by_role("button", name="Changes since").first.click()
    lab.by_id(page, "saved-states").locator("text=rotate.angle: 43° → 45°").wait_for()
    page.locator('[data-testid^="open-saved-"]').first.click()
    angle = "value => document.querySelector('[data-testid=\"number-angle\"]').value === value"
    page.wait_for_function(angle, arg="43")
    lab.by_id(page, "undo").click()
    page.wait_for_function(angle, arg="45")


def test_edits_are_offered_when_the_cell_is_run_again(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "again.ipynb")
    _set_angle(page, "66")
    _await_code(page, "angle=66")
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    lab.answered(page, lab.RUN_ALL)
    page.wait_for_selector('[data-testid="restore"]', timeout=90_000)
    assert "operators in again.ipynb" in lab.by_id(page, "strip").inner_text()
    lab.by_id(page, "restore").click()
    _await_code(page, "angle=66")


def test_edits_after_a_reconnect_outlive_a_reload_of_the_page(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "unsaved.ipynb")
    _set_angle(page, "71")
    _await_code(page, "angle=71")
    lab.answered(page, _STATE)
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
    lab.by_id(page, "restore").click()
    _await_code(page, "angle=72")


def test_edits_without_a_kernel_outlive_a_reload_of_the_page(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "unsent.ipynb")
    _set_angle(page, "81")
    _await_code(page, "angle=81")
    _restart(page)
    _set_angle(page, "82")
    assert lab.by_id(page, "save-document").is_disabled()  # nobody would write
    page.goto("about:blank")
    lab.open_notebook(page, server[0], "unsent.ipynb")
    page.wait_for_selector('[data-testid="restore"]', timeout=90_000)
    assert "; 1 edit made without a kernel" in lab.by_id(page, "strip").inner_text()
    lab.by_id(page, "restore").click()
    _await_code(page, "angle=82")
    lab.by_id(page, "undo").click()
    _await_code(page, "angle=81")


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


_TWO = """from dali_studio import Designer, fn, pipeline_def, samples

@pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
def turning():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.rotate(fn.decoders.image(files), angle=10.0, fill_value=0.0), labels

first = Designer(turning(), height=500)
first"""


def _svgs(path: Path) -> list[str]:
    """The pictures of a saved notebook."""
    cells = lab.saved(path)["cells"]
    bundles = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return ["".join(bundle["image/svg+xml"]) for bundle in bundles if "image/svg+xml" in bundle]


def _await_saved(page: Any, path: Path, *angles: str) -> None:
    """Save until the notebook's pictures, which follow a moment later, show the angles of its designers."""
    for _ in range(120):
        lab.answered(page, _STATE)
        svgs = _svgs(path)
        if len(svgs) == len(angles) and all(f">{angle}°<" in svg for angle, svg in zip(angles, svgs, strict=True)):
            break
        page.wait_for_timeout(250)
    else:
        raise AssertionError(f"the pictures do not show {angles}")
    assert max(map(len, svgs)) < 150_000
    state = lab.saved(path)["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    assert sum(model["model_name"] == "AnyModel" for model in state.values()) == len(angles)
    assert len(json.dumps(state)) < 50_000


def _in_cell(page: Any, name: str, at: int) -> Any:
    """A part of the designer of one of the first cells, which JupyterLab makes when they come into view."""
    cell = f'.jp-CodeCell[data-windowed-list-index="{at}"]'
    page.wait_for_function(
        """cell => { const found = document.querySelector(cell); found?.scrollIntoView({ block: 'start' });
        return found?.querySelector('[data-testid="thumb-rotate"]'); }""",
        arg=cell, polling=500, timeout=90_000,
    )  # fmt: skip
    return page.locator(f'{cell} [data-testid="{name}"]')


def _turn(page: Any, at: int, angle: str) -> None:
    _in_cell(page, "node-rotate", at).click(position={"x": 70, "y": 12})
    field = _in_cell(page, "number-angle", at)
    field.fill(angle)
    field.press("Enter")


@pytest.fixture
def saved_state(page: Any, server: tuple[str, Path]) -> Iterator[None]:
    """Notebooks are saved with the state of their widgets, a setting of ipywidgets that is off."""
    toggle = "() => window.jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')"
    lab.open_lab(page, server[0])
    page.evaluate(toggle)
    yield
    page.evaluate(toggle)


@pytest.mark.usefixtures("saved_state")
def test_designers_that_were_reconnected_are_saved_and_come_back(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    second = _TWO.replace("first", "second").replace("height=500", "height=520")
    file = server[1] / "two.ipynb"
    lab.write_notebook(file, _TWO, second, "print(first.graph.node('rotate').arguments['angle'], Designer)")
    lab.open_notebook(page, server[0], "two.ipynb")
    for turn, angles in enumerate((("31", "32"), ("41", "42"))):  # the second time, what is lost came by Reconnect
        for at in (0, 1):
            _in_cell(page, "thumb-rotate", at).wait_for()
        page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
        _in_cell(page, "reconnect", 1).wait_for()
        _in_cell(page, "reconnect", 0).click()  # brings back all
        for at in (0, 1):
            _in_cell(page, "reconnect", at).wait_for(state="detached")
        for at, angle in enumerate(angles):
            _turn(page, at, angle)
        _await_saved(page, file, *angles)
        assert _asked(page, "(first.graph.node('rotate').arguments['angle'], second._height)") == f"({angles[0]}.0, 520)"
        page.screenshot(path=artifacts / f"designers_reconnected_{turn}.png")
        workspace = lab.workspace_of(page)
        lab.await_layout(page, workspace, "two.ipynb")
        lab.open_lab(page, server[0], workspace)
        for at, angle in enumerate(angles):
            assert angle in _in_cell(page, "node-rotate", at).inner_text()
        assert page.locator(".jp-OutputArea-child .dali-Graph img").filter(visible=True).count() == 0
        # the page that came back keeps the picture, too
        _turn(page, 1, "75")
        _await_saved(page, file, angles[0], "75")
        page.screenshot(path=artifacts / f"designers_reloaded_{turn}.png")


def _asked(page: Any, expression: str) -> str:
    """What an expression is in the notebook's kernel."""
    return lab.answered(
        page,
        f"""async expression => {{ const {{ content }} = await {_KERNEL}.requestExecute(
        {{ code: '', silent: true, user_expressions: {{ it: expression }} }}).done;
        const {{ it }} = content.user_expressions;
        return it.data?.['text/plain'] ?? it.evalue; }}""",
        expression,
    )


def test_a_second_window_leaves_the_first_as_it_is(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "windows.ipynb")
    _set_angle(page, "24")
    _await_code(page, "angle=24")
    lab.answered(page, _STATE)
    other = page.context.new_page()
    other.goto(f"{server[0]}/lab/workspaces/other/tree/windows.ipynb?reset")
    lab.by_id(other, "thumb-rotate").wait_for(timeout=90_000)
    _set_angle(other, "25")
    _await_code(page, "angle=25")
    _set_angle(page, "26")
    _await_code(other, "angle=26")
    # both know at once that one has restarted the kernel, and go on with the same document
    _restart(page)
    lab.by_id(other, "reconnect").wait_for()
    assert "The kernel restarted." in lab.by_id(other, "strip").inner_text()
    _set_angle(page, "27")
    lab.settle(page)
    _reconnect(page)
    _await_code(page, "angle=27")
    _reconnect(other)
    _await_code(other, "angle=27")
    _set_angle(other, "28")  # which the new kernel hears, in whatever subshell it was asked last
    _await_code(page, "angle=28")
    other.close()
