"""A whole program that comes to an empty designer: pasted on its page, and into the pane of code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import lab, training

from dali_studio import samples

pytestmark = pytest.mark.browser

PROGRAM = f"""from nvidia.dali import fn, pipeline_def


@pipeline_def(batch_size=5, num_threads=4, device_id=None, seed=7)
def train_pipe():
    jpegs, labels = fn.readers.file(file_root={str(samples.photos())!r}, name="reader")
    images = fn.decoders.image(jpegs)
    images = fn.resize(images, size=[90, 120])
    images = my_helper(images)
    images = fn.flip(images, horizontal=1)
    return images, labels
"""
#: The left edges of cards, in the order of the names.
_LEFT = "names => names.map(name => document.querySelector(`[data-id=${name}]`).getBoundingClientRect().x)"


def _opened(page: Any, server: tuple[str, Path]) -> None:
    lab.write_notebook(server[1] / "pasted.ipynb", "from dali_studio import Designer\nDesigner()")
    lab.open_notebook(page, server[0], "pasted.ipynb")
    lab.by_id(page, "empty").locator("h3").click()


def _paste(page: Any, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+v")


def test_a_program_pasted_on_the_empty_page_is_opened_as_it_is(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _opened(page, server)
    _paste(page, PROGRAM.replace("    images = my_helper(images)\n", ""))
    training.drawn(page, "thumb-flip")
    training.await_code(page, "batch_size=5, num_threads=4, device_id=None, seed=7")
    lab.settle(page)
    left = page.evaluate(_LEFT, ["reader", "decode", "resize", "flip", "__outputs__"])
    assert left == sorted(left)
    assert "train_pipe" in lab.by_id(page, "inspector").inner_text() + page.locator(".ds-bar").inner_text()
    page.screenshot(path=artifacts / "pasted_program.png")
    # into what is there, its steps come alone, and what it has otherwise is said
    page.locator(".ds-canvas").focus()
    _paste(page, PROGRAM.replace("    images = my_helper(images)\n", "").replace("seed=7", "seed=9"))
    page.wait_for_selector('[data-testid=strip]:has-text("seed is 7 (the text has 9)")')
    page.screenshot(path=artifacts / "pasted_again.png")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    lab.by_id(page, "empty").wait_for()


def test_the_empty_page_takes_code(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _opened(page, server)
    lab.by_id(page, "paste-code").click()
    page.wait_for_function("() => document.activeElement.dataset.testid === 'code-input'")
    lab.settle(page)
    page.screenshot(path=artifacts / "paste_code.png")
    _paste(page, PROGRAM)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-testid=code-notes]:has-text(\"Line 9: 'my_helper' is not known here. Give its def\")")
    page.screenshot(path=artifacts / "paste_code_refused.png")
    page.keyboard.press("Control+a")
    _paste(page, PROGRAM.replace("my_helper(images)", "images"))
    lab.by_id(page, "apply-code").click()
    training.drawn(page, "thumb-flip")
    training.await_code(page, "def train_pipe")


def test_a_function_that_nobody_knows_stands_for_itself(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _opened(page, server)
    _paste(page, PROGRAM)
    training.drawn(page, "thumb-resize")
    lab.card(page, "my_helper").click(position=training.HEAD)
    lab.settle(page)
    page.screenshot(path=artifacts / "pasted_helper.png")
    assert lab.by_id(page, "tab-problems").inner_text() != "Problems"


COMPOSE = f"""import torchvision.transforms as T
data = ImageFolder({str(samples.photos())!r}, T.Compose([
    T.Resize(96), T.RandomPerspective(0.5, p=1.0), T.RandomChoice([T.RandomAffine(9), T.RandomErasing(p=1.0)]), T.ToTensor()]))
"""


def test_a_long_transform_of_a_pasted_compose_is_one_card(page: Any, server: tuple[str, Path], artifacts: Path) -> None:
    _opened(page, server)
    _paste(page, COMPOSE)
    cards = page.locator(".react-flow__node")
    for title in ("random_perspective", "random_choice"):
        page.locator("[data-testid^='node-group:']", has_text=title).wait_for()
    training.await_code(page, "images = random_perspective(images)")
    lab.settle(page)
    assert cards.count() == 7
    page.wait_for_function("() => document.querySelectorAll('[data-testid^=\"thumb-group:\"][data-drawn]').length === 2")
    page.screenshot(path=artifacts / "pasted_compose.png")
    page.locator("[data-testid^='node-group:']", has_text="random_perspective").click(position=training.HEAD)
    # what can be set from outside comes first, and numbers on the way are counted
    inner = page.locator("[data-testid^='inner-']:visible")
    inner.first.wait_for()
    assert [one.get_attribute("data-testid") for one in inner.all()] == ["inner-distortion", "inner-warp_perspective"]
    page.get_by_text("other operators").click()
    page.locator("[data-testid='inner-constant']").wait_for()
    page.locator("[data-testid^='node-group:']", has_text="random_perspective").click(position=training.HEAD)
    page.keyboard.press("Enter")
    lab.card(page, "warp_perspective").wait_for()
    page.screenshot(path=artifacts / "pasted_compose_entered.png")
