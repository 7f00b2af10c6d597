"""What is lost on the way: the tab in mid-run, the connection, the kernel in mid-save, a restart from another window."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import lab
from browser.conftest import ours
from browser.lab import await_code, open_document, part
from browser.line import line_to
from browser.test_lasting import _KERNEL, _STATE, _THROUGHPUT, _asked, _await_code, _open, _reconnect, _set_angle

pytestmark = pytest.mark.browser

_CURRENT = "window.jupyterapp.shell.currentWidget"
_ELSEWHERE = """async ([id, expression]) => {
  const kernel = window.jupyterapp.serviceManager.kernels.connectTo({ model: { id, name: 'python3' } });
  const { content } = await kernel.requestExecute({ code: '', silent: true, user_expressions: { it: expression } }).done;
  kernel.dispose();
  return content.user_expressions.it.data['text/plain']; }"""


def test_a_run_goes_on_while_its_tab_is_closed(page: Any, server: tuple[str, Path]) -> None:
    _open(page, server, "closed.ipynb")
    lab.answered(page, _STATE)
    lab.by_id(page, "run-choice").select_option("128")
    page.wait_for_function(f"() => / left/.test({_THROUGHPUT})")
    kernel = page.evaluate(f"() => {_KERNEL}.id")
    page.evaluate(f"() => {{ {_CURRENT}.close(); }}")
    page.wait_for_function("() => !document.querySelector('.jp-NotebookPanel') || document.querySelector('.jp-Dialog')")
    if page.locator(".jp-Dialog").count():
        page.locator(".jp-Dialog").get_by_role("button", name="Save", exact=True).click()
    page.locator(".jp-NotebookPanel").wait_for(state="detached")
    runs = "[run.batches for run in designer.session.profiler.runs.runs]"
    assert page.evaluate(_ELSEWHERE, [kernel, runs]) == "[]"  # it goes on
    page.evaluate("() => { window.jupyterapp.commands.execute('docmanager:open', { path: 'closed.ipynb' }); }")
    lab.by_id(page, "thumb-rotate").wait_for(timeout=90_000)
    page.wait_for_function(f"() => / samples\\/s/.test({_THROUGHPUT})")
    assert _asked(page, runs) == "[128]"
    title = lab.by_id(page, "throughput").get_attribute("title")
    assert title.startswith("Measured over 128 whole batches: ")
    lab.by_id(page, "tab-runs").click()
    lab.by_id(page, "run-1").wait_for()


def test_edits_outlive_a_connection_that_was_cut(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    (server[1] / "cut.ipynb").write_bytes((server[1] / "01_designer.ipynb").read_bytes())
    other = page.context.new_page()  # JupyterLab's own requests fail while the line is cut, and throw
    thrown: list[str] = []
    other.on("pageerror", lambda error: thrown.append(f"{error.message}\n{error.stack}"))
    word = other.locator(".jp-Dialog button").first  # the host's own word about it, which comes at any time
    other.add_locator_handler(word, lambda: word.click())
    address = urlsplit(server[0])
    with line_to(address.port) as line:
        other.goto(f"http://127.0.0.1:{line.port}{address.path}/lab/workspaces/cut/tree/cut.ipynb?reset")
        other.wait_for_selector(".jp-Notebook", timeout=90_000)
        lab.answered(other, lab.RUN_ALL)
        lab.by_id(other, "thumb-rotate").wait_for(timeout=90_000)
        _set_angle(other, "33")
        _await_code(other, "angle=33")
        other.wait_for_timeout(1000)  # what is typed sooner is one undo step with what was typed before
        line.cut()
        other.wait_for_function(f"() => {_KERNEL}.connectionStatus !== 'connected'")
        _set_angle(other, "44")
        lab.by_id(other, "node-rotate").get_by_text("44°").wait_for()  # shown at once
        other.wait_for_function(
            "() => document.querySelector('[data-testid=strip]')?.textContent.includes('The kernel does not answer.')"
        )
        other.screenshot(path=artifacts / "designer_cut.png")
        line.mend()
        lab.by_id(other, "reconnect").click()  # JupyterLab alone would wait for up to a minute
        _await_code(other, "angle=44")
        assert _asked(other, "designer.graph.node('rotate').arguments['angle']") == "44.0"
        other.wait_for_function(
            "() => !document.querySelector('[data-testid=strip]')?.textContent.includes('does not answer')"
        )
        lab.by_id(other, "undo").click()
        _await_code(other, "angle=33")
        lab.answered(other, "async () => { await window.jupyterapp.serviceManager.sessions.shutdownAll(); }")
        other.close()
    assert not [text for text in thrown if ours(text)]


_DIES = """import os, pathlib, signal
def _die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def _replace_and_die(self, target, replace=pathlib.Path.replace):
    replace(self, target)
    if str(target).endswith("halfway.dali.json"):
        _die()
"""


@pytest.mark.parametrize(("code", "found"), [("os.fsync = _die", "43"), ("pathlib.Path.replace = _replace_and_die", "47")])
def test_a_kernel_that_is_killed_while_it_saves_leaves_a_whole_file(
    page: Any, server: tuple[str, Path], code: str, found: str
) -> None:
    file = server[1] / "halfway.dali.json"
    for left in server[1].glob("*.dali.json"):  # of another test: Save would ask before it writes over it
        left.unlink()

    def angle() -> float:
        return {node["key"]: node for node in lab.saved(file)["pipeline"]["nodes"]}["rotate"]["arguments"]["angle"]

    def save() -> None:
        lab.by_id(page, "save-document").click()
        page.wait_for_function("() => document.activeElement?.dataset.testid === 'save-path'")
        lab.by_id(page, "save-path").fill(file.name)
        page.keyboard.press("Enter")

    _open(page, server, "halfway.ipynb")
    _set_angle(page, "43")
    _await_code(page, "angle=43")
    save()
    page.wait_for_function("() => document.querySelector('[data-testid=save-state]').textContent === 'Saved'")
    assert angle() == 43.0
    _set_angle(page, "47")
    _await_code(page, "angle=47")
    page.evaluate(f"code => {_KERNEL}.requestExecute({{ code }}).done.then(() => true)", _DIES + code)
    save()
    lab.by_id(page, "reconnect").wait_for()
    assert angle() == float(found)
    page.wait_for_function(f"() => ['idle', 'starting'].includes({_KERNEL}.status)")
    page.locator(".jp-Dialog button").first.click()  # the host's own word about it
    _reconnect(page)
    _await_code(page, "angle=47")
    _set_angle(page, "48")
    _await_code(page, "angle=48")
    save()
    page.wait_for_function("() => document.querySelector('[data-testid=save-state]').textContent === 'Saved'")
    assert angle() == 48.0
    assert not list(server[1].glob(".halfway.dali.json.*"))  # nothing is left of what was half written


def test_both_windows_of_a_document_notice_that_its_kernel_was_restarted(page: Any, server: tuple[str, Path]) -> None:
    open_document(page, server, "both.dali.json")
    other = page.context.new_page()
    lab.open_lab(other, server[0])
    other.locator('.jp-DirListing-item[title*="both.dali.json"]').dblclick()
    part(other, "thumb-rotate").wait_for(timeout=90_000)
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    for one in (page, other):
        part(one, "reconnect").click()
        part(one, "reconnect").wait_for(state="detached")
    for one, seen, angle in ((page, other, "25"), (other, page, "26")):
        lab.settle(one)
        part(one, "node-rotate").click(position={"x": 70, "y": 12})
        part(one, "number-angle").fill(angle)
        part(one, "number-angle").press("Enter")
        await_code(seen, f"angle={angle}")
    other.close()


def test_edits_without_a_kernel_are_asked_about_and_offered_when_the_file_is_opened(
    page: Any, server: tuple[str, Path]
) -> None:
    name = "without.dali.json"
    open_document(page, server, name)
    part(page, "node-rotate").click(position={"x": 70, "y": 12})
    page.evaluate(f"async () => {{ await {_KERNEL}.restart(); }}")
    part(page, "reconnect").wait_for()
    part(page, "number-angle").fill("21")
    part(page, "number-angle").press("Enter")
    page.wait_for_function(f"() => {_CURRENT}.context.model.dirty")
    page.keyboard.press("Control+s")
    page.locator(".Toastify__toast", has_text="was saved without your last edits").wait_for()
    page.wait_for_function(f"() => {_CURRENT}.context.model.dirty")
    assert '"angle": 21' not in (server[1] / name).read_text()
    page.wait_for_timeout(1000)  # JupyterLab leaves out a save while another one is on its way
    page.evaluate(f"() => {{ {_CURRENT}.close(); }}")
    page.locator(".jp-Dialog").get_by_role("button", name="Save", exact=True).click()
    page.locator(".dali-View").wait_for(state="detached")
    page.locator(f'.jp-DirListing-item[title*="{name}"]').dblclick()
    part(page, "restore").click()
    await_code(page, "angle=21")
