"""Pictures of the designer in every state, theme and width, to be looked at: ``python tests/browser/looks.py FOLDER``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser import lab, scenes

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark", "contrast": "JupyterLab Dark High Contrast"}
WIDTHS = (520, 800, 1100, 1600)
_HEAD = {"x": 70, "y": 12}


def _quick_add(page: Any) -> None:
    lab.by_id(page, "node-rotate").click(position=_HEAD)
    page.keyboard.press("Space")
    lab.by_id(page, "quick-search").fill("crop")


def _operators(page: Any) -> None:
    lab.by_id(page, "palette-toggle").click()


def _batch(mode: str) -> Callable[[Any], None]:
    def act(page: Any) -> None:
        lab.by_id(page, "node-rotate").click(position=_HEAD)
        lab.by_id(page, "tab-batch").click()
        lab.by_id(page, f"sheet-mode-{mode}").click()

    return act


def _compare(page: Any) -> None:
    lab.by_id(page, "node-rotate").click(position=_HEAD, button="right")
    page.get_by_role("menuitem", name="Compare with its input").click()
    lab.by_id(page, "pair-facts").wait_for()


def _run(page: Any) -> None:
    lab.by_id(page, "run").click()
    page.wait_for_function("() => !document.querySelector('[data-testid=\"run\"]').disabled")


def _heat(page: Any) -> None:
    _run(page)
    lab.by_id(page, "heat").click()


def _running(page: Any) -> None:
    counts = lab.by_id(page, "run-choice").locator("option").evaluate_all("all => all.map(one => one.value).filter(Number)")
    lab.by_id(page, "run-choice").select_option(max(counts, key=int))


def _nothing(_: Any) -> None:
    pass


def _damaged(root: Path) -> str:
    from dali_studio import samples

    folder = root / "damaged" / "a"
    folder.mkdir(parents=True)
    first, second = sorted(samples.photos().rglob("*.jpg"))[:2]
    (folder / "1.jpg").write_bytes(first.read_bytes()[:9000])
    (folder / "2.jpg").write_bytes(second.read_bytes())
    return scenes.damaged(str(folder.parent))


#: What is opened, and what is done then.
STATES: dict[str, tuple[Callable[[Path], str], Callable[[Any], None]]] = {
    "five": (lambda _: scenes.five(), _run),
    "sixty": (lambda _: scenes.branches(7, 7), _nothing),
    "threehundred": (lambda _: scenes.branches(14, 21), _nothing),
    "error": (_damaged, _nothing),
    "empty": (lambda _: "from dali_studio import Designer\ndesigner = Designer()", _nothing),
    "add": (lambda _: scenes.five(), _quick_add),
    "operators": (lambda _: scenes.five(), _operators),
    "sweep": (lambda _: scenes.five(), _batch("sweep")),
    "sheet": (lambda _: scenes.five(), _batch("samples")),
    "compare": (lambda _: scenes.five(), _compare),
    "heat": (lambda _: scenes.five(), _heat),
    "running": (lambda _: scenes.branches(3, 4, 64), _running),
    "frozen": (lambda _: scenes.five() + "designer = designer.freeze()", _nothing),
    "odd": (lambda _: scenes.odd(), _run),
}


def take(page: Any, address: str, root: Path, state: str, folder: Path, themes: list[str], widths: list[int]) -> None:
    """All pictures of a state."""
    program, act = STATES[state]
    lab.write_notebook(root / f"{state}.ipynb", f"{program(root)}\n{scenes.SHOW}")
    lab.open_notebook(page, address, f"{state}.ipynb")
    shown = page.locator(
        ".jp-OutputArea-output img, .jp-OutputArea-output svg" if state == "frozen" else ".jp-OutputArea .ds-widget"
    ).first
    shown.wait_for(timeout=120_000)
    page.wait_for_timeout(3000)
    act(page)
    page.wait_for_timeout(1500)
    for theme in themes:
        lab.set_theme(page, THEMES[theme])
        for width in widths:
            # a picture is never larger than it is
            side = "maxWidth" if state == "frozen" else "width"
            shown.evaluate("(element, [side, width]) => { element.style[side] = `${width}px`; }", [side, width])
            page.wait_for_timeout(1000)
            shown.screenshot(path=folder / f"{state}_{theme}_{width}.png")
    page.evaluate("async () => { await window.jupyterapp.serviceManager.sessions.shutdownAll(); }")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--states", nargs="+", choices=STATES, default=list(STATES))
    parser.add_argument("--themes", nargs="+", choices=THEMES, default=list(THEMES))
    parser.add_argument("--widths", nargs="+", type=int, default=list(WIDTHS))
    options = parser.parse_args()
    from playwright.sync_api import Error, sync_playwright

    options.folder.mkdir(parents=True, exist_ok=True)
    temporary = tempfile.TemporaryDirectory
    with temporary() as root, temporary() as config, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=lab.chromium(), args=lab.BROWSER_FLAGS)
        with lab.lab_server(Path(root), Path(config)) as address:
            for state in options.states:
                page = browser.new_page(viewport={"width": 2100, "height": 1000})
                try:
                    take(page, address, Path(root), state, options.folder, options.themes, options.widths)
                except Error as error:  # the other states are to be seen all the same
                    sys.stderr.write(f"{state}: {error}\n")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
