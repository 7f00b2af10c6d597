"""A node whose function is written in the inspector, in JupyterLab."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser import lab, training
from browser.test_subgraphs import HEAD, _open

from dali_studio import fn, pipeline_def, samples
from dali_studio.graph import document

pytestmark = pytest.mark.browser

CELL = """
from dali_studio import Designer

Designer("theirs.dali.json", height=760)
"""
THEIRS = """from pathlib import Path

Path("ran.txt").touch()


def change(image):
    return 255 - image
"""


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=4)
def train() -> Any:
    images = fn.decoders.image(fn.readers.file(file_root=str(samples.photos()), name="reader")[0], name="decode")
    return fn.python_function(images, function=str, output_layouts=["HWC"], name="negative")


def test_code_runs_once_its_user_trusts_it(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    folder = server[1]
    for left in ("ran.txt", "theirs_negative.py"):  # of an attempt before
        (folder / left).unlink(missing_ok=True)
    functions = {"negative": {"source": THEIRS, "signature": "0" * 64}}
    document.save(train().graph, {"functions": functions}, folder / "theirs.dali.json")
    _open(page, server, "code_node.ipynb", CELL, "thumb-decode")

    # a stranger's code is shown
    lab.card(page, "negative").click(position=HEAD)
    code, apply = lab.by_id(page, "function-code"), lab.by_id(page, "apply-function")
    code.wait_for()
    assert code.input_value() == THEIRS and apply.inner_text() == "Trust this code, and run it"
    assert lab.by_id(page, "thumb-negative").get_attribute("data-drawn") in (None, "0")
    training.await_code(page, "negative_function")
    assert not (folder / "ran.txt").exists()

    # trusted, it runs, and programs import it
    apply.click()
    training.drawn(page, "thumb-negative")
    training.await_code(page, "from theirs_negative import change")
    assert (folder / "ran.txt").exists() and (folder / "theirs_negative.py").read_text() == THEIRS
    page.screenshot(path=artifacts / "designer_code_node.png")

    # what is wrong is told, and the text stays; what is right is the next step
    code.fill("def change(image:\n")
    page.keyboard.press("Control+Enter")
    page.locator(".ds-reason", has_text="syntax error").wait_for()  # below the field, whose line is marked
    assert lab.by_id(page, "strip").count() == 0  # once
    assert page.locator(".ds-code-area > div").first.evaluate("e => Number.parseFloat(getComputedStyle(e).backgroundPositionY)") > 0
    assert code.input_value() == "def change(image:\n"
    code.fill("def darker(image):\n    return image // 2\n")
    page.keyboard.press("Control+Enter")
    training.await_code(page, "from theirs_negative import darker")
    assert "darker" in (folder / "theirs_negative.py").read_text()

    _write_large(page, folder / "theirs_negative.py")

    # names are completed: of the function, of arrays, of modules; by keys, and by the mouse
    code.fill("")
    page.keyboard.type("import numpy as np\ndef lighter(photo):\nreturn np.asarray(pho")
    page.keyboard.press("Tab")  # the first time, modules are read
    page.wait_for_function("() => document.querySelector('[data-testid=function-code]').value.endsWith('photo')")
    page.keyboard.type(".clip(0, np.uin")
    page.keyboard.press("Control+Space")
    names = lab.by_id(page, "names")
    names.get_by_role("option", name="uint16").wait_for()
    page.screenshot(path=artifacts / "designer_names.png")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.type("t8")
    names.wait_for(state="detached")  # it is whole
    page.keyboard.type(")) + photo.")
    names.get_by_role("option", name="shape property").click()
    page.keyboard.type(".")
    names.wait_for()
    page.keyboard.press("Escape")
    names.wait_for(state="detached")
    assert code.input_value().splitlines()[1:] == [
        "def lighter(photo):", "    return np.asarray(photo.clip(0, np.uint8)) + photo.shape."
    ]  # fmt: skip


def _write_large(page: Any, module: Path) -> None:
    """Write in the large editor, whose lines are tinted as those of the program; Escape leads back to the panel."""
    code, tinted = lab.by_id(page, "function-code"), page.locator(".ds-code-area > div").first
    small = code.bounding_box()["width"]
    lab.by_id(page, "enlarge-function").click()
    page.locator("dialog:modal").wait_for()
    assert code.bounding_box()["width"] > 2 * small
    # in the type of the code pane, with numbers of lines, beside which the text begins
    style = "(one, pseudo) => { const of = getComputedStyle(one, pseudo); return [of.fontSize, of.width, of.content]; }"
    assert code.evaluate(style)[0] == "13px"
    number = tinted.locator("div").first.evaluate(style, "::before")
    assert number[1] == code.evaluate("one => getComputedStyle(one).paddingLeft") == "48px" and "counter" in number[2]
    code.press("Control+End")
    page.keyboard.type("# half\n")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelector('[data-testid=apply-function]').textContent === 'Run this code'")
    assert "# half" in module.read_text()
    assert tinted.locator(".ds-t-comment").inner_text() == "# half"
    page.keyboard.press("Escape")
    page.locator("dialog:modal").wait_for(state="detached")
    assert code.is_visible() and code.bounding_box()["width"] == small


def _editor(page: Any, server: tuple[str, Path], name: str) -> Any:
    """The editor of a code node in a document of that name, which nobody has trusted yet."""
    functions = {"negative": {"source": "def darker(image):\n    return image\n", "signature": "0" * 64}}
    document.save(train().graph, {"functions": functions}, server[1] / f"{name}.dali.json")
    (server[1] / "theirs_negative.py").unlink(missing_ok=True)  # of another test
    _open(page, server, f"{name}_code.ipynb", CELL.replace("theirs", name), "thumb-decode")
    lab.card(page, "negative").click(position=HEAD)
    return lab.by_id(page, "function-code")


def test_what_fails_is_told_at_its_card_and_at_its_line(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    code = _editor(page, server, "failing")
    code.fill("def darker(image):\n    return imag // 2\n")
    page.keyboard.press("Control+Enter")
    error = lab.by_id(page, "error-card-negative")
    error.get_by_role("heading", name="NameError in line 2").wait_for()
    error.get_by_text("Name 'imag' is not defined.", exact=True).wait_for()
    page.screenshot(path=artifacts / "designer_failing_code.png")
    panel = lab.by_id(page, "inspector")
    panel.get_by_text("is not defined").wait_for()  # once
    tinted = page.locator(".ds-code-area > div").first
    assert tinted.evaluate("e => getComputedStyle(e).backgroundPositionY") == "21px"
    code.fill("def darker(image):\n    return image // 2\n")
    assert tinted.evaluate("e => getComputedStyle(e).backgroundPositionY") == "-24px"  # out of sight
    page.keyboard.press("Control+Enter")
    error.wait_for(state="detached")


def test_what_does_not_end_is_stopped_and_what_is_written_stays(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:  # fmt: skip
    code = _editor(page, server, "endless")
    code.fill("import time\ndef wait(image):\n    while True:\n        time.sleep(0.1)\n")
    page.keyboard.press("Control+Enter")
    lab.by_id(page, "apply-function").get_by_text("Running…").wait_for()
    lab.by_id(page, "stop-code").wait_for()  # as soon as it is said that images take long
    assert lab.card(page, "negative").locator(".ds-busy").count() == 1
    lab.by_id(page, "stop").click()  # which is the same
    error = lab.by_id(page, "error-card-negative")
    error.get_by_role("heading", name=re.compile("^The function was stopped after .* in line 4$")).wait_for()
    assert "of this batch fail" not in error.inner_text()
    lab.card(page, "negative").get_by_text("stopped", exact=True).wait_for()
    page.screenshot(path=artifacts / "designer_stopped_code.png")
    assert lab.by_id(page, "apply-function").is_enabled()  # to try it again

    code.fill("def darker(image):\n    return image // 2\n")
    page.screenshot(path=artifacts / "designer_written_code.png")
    lab.card(page, "decode").click(position=HEAD)
    lab.by_id(page, "tab-problems").click()
    unrun = lab.by_id(page, "problems").get_by_text("This code has not run")
    unrun.wait_for()
    page.screenshot(path=artifacts / "designer_unrun_code.png")
    lab.card(page, "negative").click(position=HEAD)
    unrun.wait_for(state="detached")  # the editor says it
    assert code.input_value() == "def darker(image):\n    return image // 2\n"
    lab.by_id(page, "apply-function").click()
    training.drawn(page, "thumb-negative")
    code.fill("def darker(image):\n    return image // 3\n")
    lab.card(page, "decode").click(position=HEAD)
    lab.card(page, "negative").get_by_text("not run", exact=True).wait_for()
    page.screenshot(path=artifacts / "designer_not_run.png")


def test_code_of_a_document_that_has_not_run_is_in_its_file(page: Any, server: tuple[str, Path]) -> None:
    file, written = server[1] / "unrun.dali.json", "def darker(image):\n    return image // 4\n"
    functions = {"negative": {"source": "def darker(image):\n    return image\n", "signature": "0" * 64}}
    document.save(train().graph, {"functions": functions}, file)

    def opened() -> Any:
        lab.open_lab(page, server[0])
        page.locator(f'.jp-DirListing-item[title*="{file.name}"]').dblclick()
        lab.part(page, "thumb-decode").wait_for(timeout=90_000)
        lab.settle(page)
        lab.part(page, "node-negative").click(position=HEAD)
        return lab.part(page, "function-code")

    opened().fill(written)
    lab.part(page, "node-decode").click(position=HEAD)
    page.keyboard.press("Control+s")
    for _ in range(100):
        if kept := lab.saved(file)["view"].get("written"):
            break
        page.wait_for_timeout(100)
    assert kept["negative"]["source"] == written
    page.evaluate("async () => { await window.jupyterapp.serviceManager.sessions.shutdownAll(); }")
    page.goto("about:blank")
    code = opened()  # in another kernel
    assert code.input_value() == written
    lab.part(page, "apply-function").click()
    lab.part(page, "apply-function").get_by_text("Run this code").wait_for()
    lab.part(page, "thumb-negative").wait_for()
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    view = lab.saved(file)["view"]
    assert "written" not in view and view["functions"]["negative"]["source"] == written
