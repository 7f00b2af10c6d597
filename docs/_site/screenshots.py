"""Pictures of today's product for README.md and the pages: ``python docs/_site/screenshots.py`` (ARGS: parts of names).

Drives JupyterLab in headless Chromium, as the browser tests do. The GIF is the first minute of a user: the gallery, a
slider, the designer, a run, the program.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from dali_studio import read, samples

REPOSITORY = Path(__file__).resolve().parents[2]
IMAGES = REPOSITORY / "docs" / "images"
sys.path.insert(0, str(REPOSITORY / "tests"))

from browser import lab  # noqa: E402 - it lies in the tests

_NAME = "pictures.ipynb"
_DESIGNER = """from dali_studio import Designer, fn, pipeline_def

@pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=9)
def training():
    files, labels = fn.readers.file(file_root="photos", random_shuffle=True, initial_fill=16, name="reader")
    decode = fn.decoders.image(files)
    resize = fn.resize(decode, resize_shorter=256)
    rotate = fn.rotate(resize, angle=fn.random.uniform(range=(-30.0, 30.0)), fill_value=0)
    bright = fn.brightness_contrast(rotate, contrast=1.2)
    return bright, labels

Designer(training())"""
_GALLERY = 'import dali_studio as ds\nds.Gallery("photos")'


class Shots:
    """A page with one notebook, and the pictures that are made of it."""

    def __init__(self, page: Any, address: str, root: Path) -> None:
        self.page, self.address, self.root = page, address, root
        self.frames: list[tuple[Image.Image, int]] = []

    def open(self, code: str, ready: str) -> None:
        """Run a notebook with one cell; wait until an element of the widget shows something."""
        lab.write_notebook(self.root / _NAME, code)
        lab.open_notebook(self.page, self.address, _NAME)
        self.page.locator(f'[data-testid="{ready}"]').first.wait_for(timeout=120_000)
        self.page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")

    def document(self, name: str) -> None:
        """Write the designer's pipeline as a document."""
        from dali_studio.graph import document  # noqa: PLC0415 - needed here alone

        document.save(read(_DESIGNER.replace("Designer(training())", "")), None, self.root / name)

    def by_id(self, name: str) -> Any:
        """The element of a test id."""
        return self.page.locator(f'[data-testid="{name}"]').first

    def drawn(self, condition: str) -> None:
        """Wait for a condition of the page, and until nothing moves any more."""
        self.page.wait_for_function(condition, timeout=120_000)
        self.page.wait_for_timeout(500)

    def widget(self, name: str) -> Image.Image:
        """The widget as it is."""
        return self.shown(self.by_id(name))

    def shown(self, element: Any) -> Image.Image:
        """An element as it is."""
        element.scroll_into_view_if_needed()
        return Image.open(io.BytesIO(element.screenshot())).convert("RGB")

    def keep(self, name: str, image: Image.Image) -> None:
        """Write a picture with the colours that it needs, and no more bytes."""
        # without k-means, the small hues of wires and ports go to the photos
        image.quantize(256, kmeans=3, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)

    def frame(self, image: Image.Image, milliseconds: int) -> None:
        """Add a frame to the GIF."""
        self.frames.append((image, milliseconds))


_TILES = """() => { const all = [...document.querySelectorAll('[data-testid^="tile-picture-"]')];
    return all.length > 20 && all.every(one => one.dataset.drawn === 'yes'); }"""
#: Of operators, those in sight are drawn.
_EFFECTS = "() => document.querySelectorAll('[data-testid^=effect-][data-drawn=yes]').length > 9"
_RUN = "() => /\\d.*\\/s/.test(document.querySelector('[data-testid=\"throughput\"]')?.textContent ?? '')"
_PANE = "() => Number(document.querySelector('[data-testid=\"pane-picture\"]')?.dataset.drawn) > 0"
_CARDS = """() => { const all = [...document.querySelectorAll('canvas[data-testid^="thumb-"]')];
    return all.length > 1 && all.every(one => Number(one.dataset.drawn) > 0); }"""


def gallery(shots: Shots) -> None:
    """The gallery, and one of its tiles."""
    shots.open(_GALLERY, "gallery")
    shots.drawn(_TILES)
    shots.keep("gallery_light.png", shots.widget("gallery"))
    shots.frame(shots.widget("gallery"), 1800)
    shots.by_id("gallery-search").fill("turn")
    shots.drawn(_TILES.replace("> 20", "> 2"))
    shots.frame(shots.widget("gallery"), 1100)
    shots.by_id("tile-rotate").click()
    shots.drawn(_PANE)
    shots.frame(shots.widget("gallery"), 1100)
    for angle in ("35", "50", "-20"):
        shots.by_id("number-angle").fill(angle)
        shots.by_id("number-angle").press("Enter")
        code = "document.querySelector('[data-testid=\"gallery-code\"]').textContent"
        shots.drawn(f"() => {code}.includes('angle={angle}')")
        shots.frame(shots.widget("gallery"), 650)
    shots.by_id("sweep-angle").click()
    shots.by_id("swept").locator("button").first.wait_for()
    shots.drawn("() => / for this picture/.test(document.querySelector('[data-testid=\"gallery-facts\"]').textContent)")
    shots.keep("gallery_pane.png", shots.widget("gallery"))
    shots.frame(shots.widget("gallery"), 1700)
    shots.by_id("gallery-designer").click()
    shots.by_id("node-rotate").wait_for(timeout=60_000)
    shots.drawn(_CARDS)
    shots.frame(shots.widget("gallery"), 2200)


def designer(shots: Shots) -> None:
    """The designer, after a run, in light and dark."""
    shots.open(_DESIGNER, "designer")
    shots.drawn(_CARDS)
    shots.frame(shots.widget("designer"), 1600)
    shots.by_id("node-rotate").click(position={"x": 70, "y": 12})
    shots.drawn(_CARDS)
    shots.frame(shots.widget("designer"), 1400)
    shots.by_id("run").click()
    shots.drawn("() => / (ms|µs|s)$/.test(document.querySelector('[data-testid=\"time-rotate\"]')?.textContent ?? '')")
    shots.drawn(_RUN)
    shots.keep("designer_light.png", shots.widget("designer"))
    shots.frame(shots.widget("designer"), 2600)
    lab.set_theme(shots.page, "JupyterLab Dark")
    shots.drawn("() => document.querySelector('[data-testid=\"designer\"]').dataset.dsTheme === 'dark'")
    shots.keep("designer_dark.png", shots.widget("designer"))
    lab.set_theme(shots.page, "JupyterLab Light")


def panels(shots: Shots) -> None:
    """The tabs below the canvas, and a node beside its input."""
    shots.open(_DESIGNER, "designer")
    shots.drawn(_CARDS)
    shots.by_id("run").click()
    shots.drawn(_RUN)
    shots.by_id("node-rotate").click(position={"x": 70, "y": 12})
    for tab, ready in (("batch", "sheet"), ("data", "data-set"), ("timeline", "lanes")):
        shots.by_id(f"tab-{tab}").click()
        shots.by_id(ready).wait_for()
        shots.page.wait_for_timeout(1500)
        shots.keep(f"panel_{tab}.png", shots.shown(shots.page.locator(".ds-drawer").first))
    shots.by_id("node-rotate").click(position={"x": 70, "y": 12}, button="right")
    shots.page.get_by_role("menuitem", name="Compare with its input").click()
    shots.by_id("pair-facts").wait_for()
    shots.page.wait_for_timeout(1500)
    shots.keep("panel_compare.png", shots.shown(shots.by_id("comparison")))


def places(shots: Shots) -> None:
    """A document in JupyterLab, with the sidebars."""
    shots.document("training.dali.json")
    shots.page.set_viewport_size({"width": 1720, "height": 980})
    lab.open_lab(shots.page, shots.address)
    shots.page.locator('.jp-DirListing-item[title*="training.dali.json"]').dblclick()
    lab.part(shots.page, "thumb-rotate").wait_for(timeout=120_000)
    shots.drawn(_CARDS)
    shots.page.evaluate("() => window.jupyterapp.shell.activateById('dali-studio-gallery')")
    shots.drawn(_EFFECTS)
    shots.page.evaluate("() => window.jupyterapp.shell.activateById('dali-studio-inspector')")
    lab.part(shots.page, "node-rotate").click(position={"x": 70, "y": 12})
    shots.page.locator('[data-testid="lab-inspector"] [data-testid="number-fill_value"]').wait_for()
    shots.page.wait_for_timeout(1500)
    shots.keep("lab_document.png", Image.open(io.BytesIO(shots.page.screenshot())).convert("RGB"))


#: Crops of one photo, each through other steps; with `times` readers, as many such sets.
_VIEWS = """from dali_studio import Designer, fn, pipeline_def

@pipeline_def(batch_size=8, num_threads=2, device_id=None, seed=9)
def views():
    ends = []
    for part in range({times}):
        files, labels = fn.readers.file(file_root="photos", shard_id=part, num_shards=14)
        photo = fn.resize(fn.decoders.image(files), resize_x=360, resize_y=240)
        for view in range({views}):
            image = fn.crop(photo, crop=(160, 240), crop_pos_x=view / {views}, crop_pos_y=1 - view / {views})
            for step in range({steps}):
                which = (5 * step + view + part) % 6
                if which == 0:
                    image = fn.flip(image)
                elif which == 1:
                    image = fn.rotate(image, angle=12.0 - 4 * view, keep_size=True, fill_value=0)
                elif which == 2:
                    image = fn.hsv(image, hue=5.0 * view - 6, saturation=1.05)
                elif which == 3:
                    image = fn.gaussian_blur(image, sigma=1.2)
                elif which == 4:
                    image = fn.brightness_contrast(image, contrast=1.1)
                else:
                    image = fn.noise.gaussian(image, stddev=9.0)
            ends.append(image)
    return *ends, labels

designer = Designer(views(), height={height})"""
#: Of recipes, those in sight are drawn.
_RECIPES = "() => document.querySelectorAll('.ds-recipe canvas[data-drawn]:not([data-drawn=\"0\"])').length > 6"


def large(shots: Shots) -> None:
    """Sixty and three hundred nodes."""
    shots.page.set_viewport_size({"width": 1720, "height": 980})
    for name, sizes in (("sixty", (1, 7, 7)), ("threehundred", (5, 3, 18))):
        times, views, steps = sizes
        shots.open(_VIEWS.format(times=times, views=views, steps=steps, height=720) + "\ndesigner", "designer")
        shots.drawn("() => document.querySelectorAll('[data-testid^=\"node-\"]').length > 20")
        shots.page.wait_for_timeout(15_000)
        shots.keep(f"designer_{name}.png", shots.widget("designer"))


def states(shots: Shots) -> None:
    """The empty page, quick add, sweep, heat, a run, high contrast."""
    shots.open("from dali_studio import Designer\nDesigner()", "empty")
    shots.drawn(_RECIPES)
    shots.keep("designer_empty.png", shots.widget("designer"))
    shots.open(_DESIGNER, "designer")
    shots.drawn(_CARDS)
    shots.by_id("node-rotate").click(position={"x": 70, "y": 12})
    shots.page.keyboard.press("Space")
    shots.by_id("quick-search").fill("crop")
    shots.by_id("quick-trial").wait_for()
    shots.page.wait_for_timeout(1500)
    shots.keep("designer_add.png", shots.widget("designer"))
    shots.page.keyboard.press("Escape")
    shots.by_id("tab-batch").click()
    shots.by_id("sheet-mode-sweep").click()
    shots.page.wait_for_timeout(3000)
    shots.by_id("sheet-1-1").hover()
    shots.page.wait_for_timeout(500)
    shots.keep("panel_sweep.png", shots.shown(shots.page.locator(".ds-drawer").first))
    shots.by_id("tab-code").click()
    counts = shots.by_id("run-choice").locator("option").evaluate_all("all => all.map(one => one.value).filter(Number)")
    shots.by_id("run-choice").select_option(max(counts, key=int))
    shots.drawn("() => /measured/.test(document.querySelector('[data-testid=\"designer\"]').textContent)")
    shots.keep("designer_running.png", shots.widget("designer"))
    shots.drawn(_RUN)
    shots.by_id("heat").click()
    shots.page.wait_for_timeout(800)
    shots.keep("designer_heat.png", shots.widget("designer"))
    lab.set_theme(shots.page, "JupyterLab Dark High Contrast")
    shots.drawn("() => document.querySelector('[data-testid=\"designer\"]').dataset.dsTheme === 'hc'")
    shots.keep("designer_contrast.png", shots.widget("designer"))
    lab.set_theme(shots.page, "JupyterLab Light")


def saved(shots: Shots) -> None:
    """A file that ends early, and what a saved notebook keeps."""
    folder = shots.root / "damaged" / "class"
    folder.mkdir(parents=True)
    first, *others = sorted(samples.photos().rglob("*.jpg"))[:4]
    (folder / "a_ends_early.jpg").write_bytes(first.read_bytes()[:20_000])
    for photo in others:
        shutil.copy(photo, folder)
    damaged = _DESIGNER.replace('"photos", random_shuffle=True, initial_fill=16', '"damaged"')
    shots.open(damaged, "designer")
    shots.by_id("error-card-decode").wait_for()
    shots.page.wait_for_timeout(1500)
    shots.keep("designer_error.png", shots.widget("designer"))
    frozen = _DESIGNER.replace("Designer(training())", "Designer(training()).freeze()")
    lab.write_notebook(shots.root / _NAME, frozen)
    lab.open_notebook(shots.page, shots.address, _NAME)
    picture = shots.page.locator(".jp-OutputArea-output img").first
    picture.wait_for(timeout=120_000)
    shots.page.wait_for_timeout(1500)
    shots.keep("designer_saved.png", shots.shown(picture))


def gif(frames: list[tuple[Image.Image, int]], path: Path, width: int = 860) -> None:
    """Frames of one size, with one palette, each only where it differs from the one before."""
    height = max(round(image.height * width / image.width) for image, _ in frames)
    made: list[Image.Image] = []
    for image, _ in frames:
        small = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
        canvas = Image.new("RGB", (width, height), "white")
        canvas.paste(small)
        made.append(canvas)
    sheet = Image.new("RGB", (width, height * len(made)))
    for place, image in enumerate(made):
        sheet.paste(image, (0, place * height))
    palette = sheet.quantize(256)
    first, *rest = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in made]
    first.save(path, save_all=True, append_images=rest, duration=[time for _, time in frames], loop=0, optimize=True)


def main(names: list[str]) -> None:
    """Make the pictures."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - needed here alone

    steps: list[Callable[[Shots], None]] = [gallery, designer, panels, places, states, saved, large]
    temporary = tempfile.TemporaryDirectory
    with temporary() as root, temporary() as config, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=lab.chromium(), args=lab.BROWSER_FLAGS)
        with lab.lab_server(Path(root), Path(config)) as address:
            # a path that says nothing of this machine
            shutil.copytree(samples.photos(), Path(root) / "photos", ignore=shutil.ignore_patterns(".*"))
            frames: list[tuple[Image.Image, int]] = []
            for step in steps:
                if names and step.__name__ not in names:
                    continue
                page = browser.new_context(viewport={"width": 1320, "height": 980}).new_page()
                shots = Shots(page, address, Path(root))
                step(shots)
                frames += shots.frames
                page.close()
            if not names:
                gif(frames, IMAGES / "studio.gif")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
