"""The picture of a saved notebook where no kernel runs: as exporters, GitHub and nbviewer show it, an image of its own."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import nbformat
import numpy as np
import pytest
from nbconvert import HTMLExporter
from numpy.typing import NDArray
from PIL import Image

from dali_studio import Designer, fn, pipeline_def, samples
from dali_studio.studio.drawing.picture import Picture
from dali_studio.studio.drawing.picture_wires import SCOPE

pytestmark = pytest.mark.browser

_CODE = "for k in [1.5]:  # some code\n    print('a', k)"


@pytest.fixture(scope="module")
def picture() -> Iterator[Picture]:
    """Photos, numbers of a batch, boxes with the colours of their classes, and bytes."""

    @pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
    def shown() -> Any:
        files, boxes, labels = fn.readers.coco(
            file_root=str(samples.photos()), annotations_file=str(samples.coco()), ratio=True, ltrb=True, name="reader"
        )
        images = fn.decoders.image(files, name="decode")
        return fn.rotate(images, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=0, name="turned"), boxes, labels

    designer = Designer(shown())
    yield designer.freeze()
    designer.close()


@pytest.fixture
def pixels(browser: Any, artifacts: Path) -> Iterator[Callable[[str, str, str], NDArray[np.int16]]]:
    """What a page shows of its first picture, by the page's text, the picture's selector, and the scheme of colours."""
    opened: list[Any] = []

    def of(html: str, selector: str, scheme: str) -> NDArray[np.int16]:
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1200, "height": 900})
        opened.append(page)
        page.route("**/*", lambda route: route.abort())  # nothing is asked for
        page.set_content(html, wait_until="domcontentloaded")
        shown = page.locator(selector).first
        shown.evaluate("one => one.decode?.()")
        taken = shown.screenshot(path=artifacts / f"frozen_{selector[:3]}_{scheme}.png")
        return np.asarray(Image.open(io.BytesIO(taken)).convert("RGB"), np.int16)

    yield of
    for page in opened:
        page.close()


def _notebook(picture: Picture) -> Any:
    output = nbformat.v4.new_output("display_data", data=picture.bundle())
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_CODE, outputs=[output])])


def _pages(picture: Picture) -> dict[str, str]:
    address = base64.b64encode(picture.svg.encode()).decode()
    made = {"an image": f'<body style="margin:8px"><img src="data:image/svg+xml;base64,{address}">'}
    for template in ("basic", "classic", "lab"):  # of nbviewer, of notebooks before 7, of JupyterLab
        html, _ = HTMLExporter(template_name=template, sanitize_html=True).from_notebook_node(_notebook(picture))
        assert "<svg xmlns" not in html
        made[template] = html
    return made


def test_nothing_is_in_it_that_images_may_not_have(picture: Picture) -> None:
    root = ET.fromstring(picture.svg)
    names = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert names <= {"svg", "style", "g", "defs", "use", "rect", "path", "circle", "text", "tspan", "image", "polygon"}
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            if name.rpartition("}")[2] == "href":
                assert re.match(r"#[\w-]+$|data:image/(jpeg|png);base64,", value)
    assert not re.search(r"url\(|@import|@font-face|<!|<\?", picture.svg)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_drawn_alike_in_the_page_and_as_an_image(
    picture: Picture, pixels: Callable[[str, str, str], NDArray[np.int16]], scheme: str
) -> None:
    inline = pixels(f'<body style="margin:8px">{picture.svg}', "svg", scheme)
    assert (inline[3, inline.shape[1] // 2].mean() > 200) == (scheme == "light")
    alone = pixels(f'<body style="margin:8px">{picture.svg.replace(f".{SCOPE} ", "")}', "svg", scheme)
    assert np.array_equal(alone, inline)  # that its rules are for itself alone takes nothing away
    # each card has more than one colour where its picture is
    moved = r'<g transform="translate\(([-\d.]+) ([-\d.]+)\)">'
    (left, top), *_ = re.findall(r'class="v"[^>]*/>' + moved, picture.svg)
    cards = re.findall(moved + '<rect class="k"', picture.svg)
    assert len(cards) == 4 + 1
    for x, y in cards:
        across, down = int(float(x) + float(left)), int(float(y) + float(top))
        card = inline[down + 30 : down + 56, across + 4 : across + 144]
        assert card.std() > 3
    for name, html in _pages(picture).items():
        shown = pixels(html, 'img[src^="data:image/svg"]', scheme)
        if shown.shape == inline.shape:
            assert (np.abs(shown - inline).max(axis=2) <= 24).mean() > 0.995, name
        else:  # the page gives it less room
            small = Image.fromarray(inline.astype(np.uint8)).resize(shown.shape[1::-1], Image.Resampling.LANCZOS)
            assert np.abs(shown - np.asarray(small, np.int16)).mean() < 6, name


def test_it_leaves_the_code_and_the_pictures_of_a_page_as_they_are(picture: Picture, browser: Any) -> None:
    html, _ = HTMLExporter(template_name="classic").from_notebook_node(_notebook(picture))
    other = '<svg id="other"><text class="b" y="20">x</text><path class="w k" d="M0 0h9v9z"/></svg>'
    looks = """() => [...document.querySelectorAll('.highlight span, #other *')].map(one => {
      const { font, fill, stroke } = getComputedStyle(one); return [font, fill, stroke]; })"""
    page = browser.new_page()
    page.route("**/*", lambda route: route.abort())
    found = []
    for inserted in ("", picture.svg):
        page.set_content(html.replace("</body>", f"{other}{inserted}</body>"), wait_until="domcontentloaded")
        found.append(page.evaluate(looks))
    page.close()
    assert len(found[0]) > 10 and found[0] == found[1]
