"""The program in the code pane is edited, in JupyterLab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab
from browser.test_subgraphs import HEAD, _nodes, _open

from dali_studio import samples

pytestmark = pytest.mark.browser

PROGRAM = f"""from dali_studio import fn, pipeline_def


@pipeline_def(batch_size=4, num_threads=2, device_id=None, seed=11)
def train():
    # a folder for each class
    files, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    images = fn.decoders.image(files)   # RGB
    images = fn.resize(images, resize_shorter=160)
    return images, labels
"""
CELL = """
from dali_studio import Designer

designer = Designer("train.py", height=760)
designer
"""


def _await_source(page: Any, source: str) -> None:
    """Wait until the pane shows the kernel's text, and it is this one."""
    page.wait_for_function(
        """source => { const pane = document.querySelector('[data-testid=code]');
        return pane.dataset.edited === 'false' && pane.getAttribute('aria-busy') === 'false'
            && pane.querySelector('textarea').value === source; }""",
        arg=source, timeout=30_000,
    )  # fmt: skip


def _await_nodes(page: Any, count: int) -> None:
    page.wait_for_function(
        "count => document.querySelectorAll('[data-ds-node]').length === count", arg=count, timeout=30_000
    )


def test_a_line_and_its_card_mark_each_other(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "lines.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)
    line = page.locator(".ds-line", has_text="fn.resize(")
    line.scroll_into_view_if_needed()
    at = line.bounding_box()
    page.mouse.move(at["x"] + 90, at["y"] + at["height"] / 2)
    page.locator('[data-ds-node="resize"][data-hovered]').wait_for()
    page.screenshot(path=artifacts / "designer_line.png")
    assert page.locator("[data-hovered]").count() == 1
    page.mouse.move(at["x"] + 90, at["y"] - at["height"] / 2)
    page.locator('[data-ds-node="decode"][data-hovered]').wait_for()
    lab.by_id(page, "node-resize").hover(position=HEAD)
    page.wait_for_function("() => document.querySelector('.ds-line-hover')?.textContent.includes('fn.resize(')")


def test_the_program_is_edited_in_its_pane(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "program.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)  # the file's, with its comments
    before = _nodes(page)
    text = lab.by_id(page, "code-input")

    # Ctrl+Enter makes the graph what the text says
    flipped = PROGRAM.replace("    return", "    images = fn.flip(images)  # mirrored\n    return")
    text.fill(flipped)
    lab.by_id(page, "apply-code").wait_for()
    assert _nodes(page) == before
    text.press("Control+Enter")
    _await_source(page, flipped)
    _await_nodes(page, len(before) + 1)
    page.screenshot(path=artifacts / "designer_code.png")

    # what cannot be read is said with its line; nothing is lost
    wrong = flipped.replace("fn.decoders.image(files)", "fn.decoders.image(files")
    text.fill(wrong)
    lab.card(page, "reader").click(position=HEAD)  # whoever leaves the text applies it
    page.wait_for_selector('[data-testid="code-notes"]:has-text("Line 8")', timeout=30_000)
    assert text.input_value() == wrong and len(_nodes(page)) == len(before) + 1
    page.screenshot(path=artifacts / "designer_code_error.png")
    lab.by_id(page, "discard-code").click()
    _await_source(page, flipped)

    # so is an operator that is like none
    text.fill(flipped.replace("fn.flip", "fn.flop"))
    text.press("Control+Enter")
    page.wait_for_selector('[data-testid="code-notes"]:has-text("Line 10: There is no operator called")', timeout=30_000)
    assert page.locator(".ds-line-error").inner_text().startswith("10")
    # and what cannot be computed, with its reason
    text.fill(flipped.replace("fn.flip(images)", "images @ 2"))
    text.press("Control+Enter")
    page.wait_for_selector('[data-testid="code-notes"]:has-text("Line 10: images @ 2 is not understood")', timeout=30_000)
    lab.by_id(page, "discard-code").click()
    _await_source(page, flipped)

    # undo takes the edited text back, and a change on the canvas goes into it
    text.press("Control+z")
    _await_source(page, PROGRAM)
    _await_nodes(page, len(before))
    lab.card(page, "resize").click(position=HEAD)
    lab.by_id(page, "number-resize_shorter").fill("120")
    page.keyboard.press("Enter")
    _await_source(page, PROGRAM.replace("resize_shorter=160", "resize_shorter=120"))

    # a variable that is renamed is a node that is renamed, and the other way round; comments stay
    photos = text.input_value().replace("images", "photos")
    text.fill(photos)
    text.press("Control+Enter")
    _await_source(page, photos)
    lab.card(page, "resize").click(position=HEAD)
    page.keyboard.press("F2")
    page.keyboard.press("Control+a")
    page.keyboard.type("small")
    page.keyboard.press("Enter")
    small = photos.replace("photos = fn.resize", "small = fn.resize").replace("return photos", "return small")
    _await_source(page, small)
    lab.by_id(page, "node-small").wait_for()


def test_a_word_that_nobody_knows_is_told_once_with_the_one_that_may_be_meant(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "words.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)
    text = lab.by_id(page, "code-input")
    text.fill(PROGRAM.replace("fn.resize", "fn.resise"))
    text.press("Control+Enter")
    lab.by_id(page, "write-word").wait_for()
    assert page.locator('[data-testid="strip"]').count() == 0
    page.screenshot(path=artifacts / "designer_code_word.png")
    # where the program is closed, the line above the canvas says so
    lab.by_id(page, "tab-code").click()
    lab.by_id(page, "show-code").click()
    lab.by_id(page, "write-word").click()
    _await_source(page, PROGRAM)


def test_the_line_that_is_written_is_seen(page: Any, server: tuple[str, Path]) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "written.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)
    text = lab.by_id(page, "code-input")

    def seen() -> None:
        """The caret's letter is within the pane, above its notes and beside the numbers of its lines."""
        page.wait_for_function("""() => { const text = document.querySelector('[data-testid=code-input]');
        const view = text.closest('.ds-code').getBoundingClientRect(); const rows = [...text.previousElementSibling.children];
        const before = text.value.slice(0, text.selectionEnd).split('\\n'); const line = before.length - 1;
        const at = (rows[line] ?? rows.at(-1)).getBoundingClientRect(); /* behind the last line there is no row */ const x = at.left + 47 + before[line].length * 6.9;
        return at.top > view.top - 4 && at.bottom < view.bottom + 4 && x > view.left && x < view.right + 20; }""")  # fmt: skip

    # the first letter brings the notes below, which take lines away
    text.click()
    page.keyboard.press("Control+Home")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.type("  # hello")
    seen()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    seen()
    # pasted, and longer than the pane is high and wide
    page.keyboard.press("Control+End")
    page.evaluate("text => navigator.clipboard.writeText(text)", "\n".join(f"# {n} {'x' * 250}" for n in range(60)))
    page.keyboard.press("Control+v")
    seen()
    page.keyboard.press("Control+z")
    seen()


def test_tab_indents_and_esc_leaves(page: Any, server: tuple[str, Path]) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "tabs.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)
    text = lab.by_id(page, "code-input")
    select = "(area, [from, to]) => { area.focus(); area.setSelectionRange(area.value.indexOf(from), area.value.indexOf(to)); }"
    # the selected lines, and back; the selection stays on them
    text.evaluate(select, ["images = fn.dec", "images = fn.res"])
    page.keyboard.press("Tab")
    deeper = PROGRAM.replace("    images =", "        images =")
    assert text.input_value() == deeper
    page.keyboard.press("Shift+Tab")
    assert text.input_value() == PROGRAM
    # at the caret up to the next column of four
    text.evaluate(select, [", labels = fn", ", labels = fn"])
    page.keyboard.press("Tab")
    assert "    files   , labels = fn" in text.input_value()
    page.keyboard.press("Shift+Tab")
    assert "\nfiles   , labels = fn" in text.input_value()
    # each of them is a step of its own, from what was typed before to what was typed behind
    text.evaluate("area => { area.focus(); area.setSelectionRange(area.value.length, area.value.length); }")
    begun = text.input_value()
    for key in ("x", "Enter", "y", "Tab", "z"):
        page.keyboard.press(key)
    seen = [text.input_value()]
    for _ in range(5):
        page.keyboard.press("Control+z")
        seen.append(text.input_value())
    assert seen[0].endswith("x\ny   z") and seen[-1] == begun and len(set(seen)) == 6
    for one in reversed(seen[:-1]):
        page.keyboard.press("Control+Shift+z")
        assert text.input_value() == one
    # comments, and back
    text.evaluate(select, ["images = fn.dec", "    return"])
    before = text.input_value()
    page.keyboard.press("Control+/")
    assert text.input_value() == before.replace("    images =", "    # images =")
    page.keyboard.press("Control+/")
    assert text.input_value() == before
    # nobody is held in it
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.dataset.testid") != "code-input"


def test_what_a_compose_does_otherwise_is_listed_and_a_second_one_changes_nothing(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "composed.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)
    text, strip = lab.by_id(page, "code-input"), lab.by_id(page, "strip")
    compose = "import torchvision.transforms as T\nT.Compose([T.CenterCrop(99), T.ColorJitter(0.4, 0.4), T.ToTensor()])\n"

    def paste(said: str) -> None:
        text.fill(compose)
        text.press("Control+Enter")
        page.wait_for_selector(f'[data-testid=strip]:has-text("{said}")', timeout=30_000)
        assert "2 differences from the library: see Problems." in strip.inner_text()

    paste("The Compose stands in place of resize.")
    made = text.input_value()
    page.screenshot(path=artifacts / "compose_pasted.png")
    paste("Nothing changed: the graph does as the Compose says.")
    page.wait_for_function("() => document.querySelector('[data-testid=code]').dataset.edited === 'false'")
    assert text.input_value() == made and made.count("torchvision's ColorJitter") == 1
    page.screenshot(path=artifacts / "compose_again.png")
    strip.get_by_label("Close this sentence").click()  # what stays is said without what was done
    lab.by_id(page, "show-problems").click()
    told = lab.by_id(page, "problems").inner_text()
    assert told.count("This differs from its library.") == 2
    assert "torchvision's ColorJitter" in told and "Show color_twist" in told
    page.screenshot(path=artifacts / "compose_problems.png")
    # settings alone are a change, and a reader that has other data is not replaced
    compose += "from torch.utils.data import DataLoader\nloader = DataLoader(data, batch_size=5, shuffle=True)\n"
    lab.by_id(page, "tab-code").click()
    text.fill(compose)
    text.press("Control+Enter")
    page.wait_for_selector('[data-testid=strip]:has-text("The Compose is in the graph. 3 differences")', timeout=30_000)


def test_a_moved_card_takes_its_line_and_its_comments_along(
    page: Any, server: tuple[str, Path], artifacts: Path
) -> None:
    end = "    # the lens of camera two\n    blur = fn.gaussian_blur(images, sigma=2.0)  # tuned\n"
    program = PROGRAM.replace("    images = fn.resize(images,", "    resize = fn.resize(images,").replace("    return images", "    return blur")
    program = program.replace("    return", f"{end.replace('images', 'resize')}    return")
    (server[1] / "train.py").write_text(program)
    _open(page, server, "moved_line.ipynb", CELL, "thumb-blur")
    _await_source(page, program)
    page.locator('[data-ds-node="blur"] .ds-card-head').click()
    page.keyboard.press("Control+ArrowLeft")
    moved = PROGRAM.replace("    images = fn.resize(images,", f"{end}    resize = fn.resize(blur,")
    _await_source(page, moved.replace("    return images", "    return resize"))
    page.screenshot(path=artifacts / "moved_line.png")
    # a Compose that is pasted on the canvas goes behind the card that is selected
    page.evaluate("text => navigator.clipboard.writeText(text)", "from torchvision import transforms as T\nT.Compose([T.CenterCrop(99)])")
    page.keyboard.press("Control+v")
    page.locator('[data-ds-node="crop"]').wait_for(timeout=30_000)
    text = lab.by_id(page, "code-input").input_value
    page.wait_for_function("() => document.querySelector('[data-testid=code-input]').value.includes('fn.crop(blur')")
    assert "# tuned" in text() and "fn.resize(crop, resize_shorter=160)" in text()
    page.screenshot(path=artifacts / "compose_on_canvas.png")
    # and what is no program is said to be none
    page.evaluate("text => navigator.clipboard.writeText(text)", "a recipe for soup")
    page.keyboard.press("Control+v")
    page.wait_for_selector('[data-testid=strip]:has-text("syntax error")', timeout=30_000)


def test_a_wire_that_is_cut_leaves_the_text_as_it_is(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    (server[1] / "train.py").write_text(PROGRAM)
    _open(page, server, "cut.ipynb", CELL, "thumb-resize")
    _await_source(page, PROGRAM)
    wire = page.locator('.react-flow__edge[aria-label="wire from decode to resize"]')
    wire.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Delete")
    _await_source(page, PROGRAM.replace("fn.resize(images,", "fn.resize(...,"))
    assert lab.by_id(page, "code-notes").count() == 0  # its card tells it
    page.screenshot(path=artifacts / "cut_wire_in_code.png")
    # a number that is written meanwhile leaves the card alone that nothing needs now
    lab.by_id(page, "code-input").fill(PROGRAM.replace("fn.resize(images,", "fn.resize(...,").replace("=160", "=120"))
    page.keyboard.press("Control+Enter")
    _await_source(page, PROGRAM.replace("fn.resize(images,", "fn.resize(...,").replace("=160", "=120"))
    assert {*_nodes(page)} == {"reader", "decode", "resize", "__outputs__"}
    lab.by_id(page, "canvas").focus()
    for text in (PROGRAM.replace("fn.resize(images,", "fn.resize(...,"), PROGRAM):
        page.keyboard.press("Control+z")
        _await_source(page, text)
