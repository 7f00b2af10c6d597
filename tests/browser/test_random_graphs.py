"""Graphs that a person builds from an empty canvas have nvidia.dali's pixels at every node, and show them on its card."""

from __future__ import annotations

import ast
import base64
import io
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import lab
from chosen import Grid
from declared import declared
from numpy.typing import NDArray
from PIL import Image

pytestmark = pytest.mark.browser

#: One result of all samples of a batch.
Samples = list[NDArray[Any]]

GRAPHS = 5 if Grid.whole else 3
OPERATORS = (
    "rotate",
    "flip",
    "hsv",
    "brightness_contrast",
    "gaussian_blur",
    "sphere",
    "water",
    "color_twist",
)
GRID = (12, 8)
#: Levels that means of a twelfth by an eighth of a picture may be apart: cards show JPEG files of reduced pictures. To
#: reduce a photo with black corners and save it makes 7 levels at their edges by itself, where all pixels are equal.
FAR = 12.0
#: The arrays that the kernel makes pictures of, all samples of the batch, and the operators and arguments of their nodes.
_KEEP = """
import json, numpy
numpy.savez({path!r}, **{{f"{{name}}/{{i}}": array for name in {names!r}
    for i, array in enumerate(designer.node[name].outputs())}})
print(json.dumps({{name: [designer.node[name].node.operator, {{key: getattr(value, "name", value)
    for key, value in designer.node[name].node.arguments.items()}}] for name in {names!r}}}, default=str))
"""
_EXECUTE = """async code => {
  const { kernel } = window.jupyterapp.shell.currentWidget.context.sessionContext.session;
  const asked = kernel.requestExecute({ code }); const said = [];
  asked.onIOPub = ({ content }) => said.push(content.text ?? content.traceback?.join('\\n') ?? '');
  await asked.done;
  return said.join('');
}"""
_PICTURES = """() => Object.fromEntries([...document.querySelectorAll('canvas[data-testid^="thumb-"]')]
  .map(one => [one.dataset.testid.slice(6), one.toDataURL()]))"""
_QUIET = """() => !document.querySelector('.ds-busy, .ds-stale, .ds-stale-chip, .ds-failed')
  && [...document.querySelectorAll('canvas[data-testid^="thumb-"]')].every(one => one.dataset.drawn > 0)"""


def _build(page: Any, draw: random.Random) -> None:
    """By keys alone, behind the sample photos: operators, values of their first argument, some drawn for each sample."""
    lab.by_id(page, "open-samples").click(timeout=90_000)
    lab.by_id(page, "thumb-decode").wait_for()
    lab.settle(page)
    for name in draw.sample(OPERATORS, 4):
        page.keyboard.press("Space")
        lab.by_id(page, "quick-search").fill(name)
        page.keyboard.press("Enter")
        card = page.locator(f'.react-flow__node[data-id^="{name}"], .ds-selected').last
        card.wait_for()
        lab.settle(page)
        page.keyboard.press("Enter")  # to the first argument
        for _ in range(draw.randrange(1, 9)):
            page.keyboard.press(draw.choice(["ArrowRight", "ArrowRight", "ArrowLeft"]))
        if draw.random() < 0.4:
            dice = page.locator('[data-testid="inspector"] [data-testid^="random-"]')
            if dice.count():
                dice.first.click()
        lab.settle(page)
        page.keyboard.press("Escape")
        lab.by_id(page, "canvas").focus()


def _of_kernel(page: Any, names: set[str], path: Path) -> tuple[dict[str, Samples], dict[str, tuple[str, dict[str, Any]]]]:
    """What the designer's kernel makes pictures of at nodes, and their operators and arguments."""
    said = page.evaluate(_EXECUTE, _KEEP.format(path=str(path), names=sorted(names)))
    assert path.exists(), said
    with np.load(path) as kept:
        count = len(kept.files) // len(names)
        return {name: [kept[f"{name}/{i}"] for i in range(count)] for name in names}, json.loads(said)


def _of_nvidia(source: str, names: set[str]) -> dict[str, Samples]:
    """What nvidia.dali gives at the nodes of a program."""
    tree = ast.parse(source)
    made = next(part for part in tree.body if isinstance(part, ast.FunctionDef))
    assigned = [part.targets[0] for part in made.body if isinstance(part, ast.Assign)]
    wanted = [target.id for target in assigned if isinstance(target, ast.Name) and target.id in names]
    assert {*wanted} == names
    made.body[-1] = ast.Return(ast.Tuple([ast.Name(name, ast.Load()) for name in wanted], ast.Load()))
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(ast.fix_missing_locations(tree), "<program>", "exec"), space)
    assert space["fn"].__name__.startswith("nvidia.dali"), source
    pipe = space[made.name]()
    pipe.build()
    outputs = zip(wanted, pipe.run(), strict=True)
    return {name: [np.asarray(output.at(i)) for i in range(len(output))] for name, output in outputs}


def _means(image: Image.Image, box: tuple[float, float, float, float]) -> NDArray[np.float64]:
    return np.asarray(image.convert("RGB").resize(GRID, Image.Resampling.BOX, box), np.float64)


def _apart(picture: str, image: NDArray[np.uint8]) -> float:
    """How far the picture of a card, in whose middle the image stands, is from it, but for the outermost pixels."""
    canvas, (height, width, _) = Image.open(io.BytesIO(base64.b64decode(picture.split(",")[1]))), image.shape
    scale = min(canvas.width / width, canvas.height / height)
    x, y = (canvas.width - width * scale) / 2, (canvas.height - height * scale) / 2
    edge = 2 / scale
    shown = _means(canvas, (x + 2, y + 2, canvas.width - x - 2, canvas.height - y - 2))
    meant = _means(Image.fromarray(image), (edge, edge, width - edge, height - edge))
    return float(np.abs(shown - meant).max())


@pytest.mark.usefixtures("nvidia")
def test_random_graphs_show_the_pixels_of_nvidia_dali(page: Any, server: tuple[str, Path], tmp_path: Path) -> None:
    draw = random.Random(2015)
    operators: set[str] = set()
    drawn = 0
    for number in range(GRAPHS):
        lab.write_notebook(server[1] / f"random_{number}.ipynb", "from dali_studio import Designer\ndesigner = Designer()\ndesigner")
        lab.open_notebook(page, server[0], f"random_{number}.ipynb")
        _build(page, draw)
        page.wait_for_function(_QUIET, timeout=60_000)
        lab.settle(page)
        lab.by_id(page, "copy-code").click()
        source = page.evaluate("() => navigator.clipboard.readText()")
        pictures = page.evaluate(_PICTURES)
        assert len(pictures) == 5, source
        kernels, nodes = _of_kernel(page, {*pictures}, tmp_path / f"{number}.npz")
        meant = _of_nvidia(source, {*pictures})
        for key, images in kernels.items():
            operator, arguments = nodes[key]
            for i, (image, reference) in enumerate(zip(images, meant[key], strict=True)):
                declared(operator, **arguments).check(image, reference, (key, i, source))
            apart = _apart(pictures[key], images[0])
            assert apart < FAR, (key, apart, source)
        drawn += source.count("fn.random.")
        operators |= {operator for operator, _ in nodes.values()}
    assert len(operators) > 6
    assert drawn > 0
