"""Fixtures of the browser tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser import lab, training

from dali_studio.studio.autosave import FOLDER

#: No test runs beside the kernels of those before it.
_END_KERNELS = "async () => { await window.jupyterapp?.serviceManager.sessions.shutdownAll(); }"
_FAILED = pytest.StashKey[bool]()
#: Milliseconds that a test waits for anything, where it does not say: two of them share two processors.
_PATIENCE = 60_000


@dataclass
class Kept:
    """What tests hand on to the next one, since loading JupyterLab takes longer than most of them."""

    #: Where JupyterLab is, and the folder that it is over.
    address: str = ""
    root: Path | None = None
    #: A page with JupyterLab as it starts.
    page: Any = None


def absent(reason: str) -> None:
    """Skip, or fail where everything must be there (continuous integration)."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def ours(thrown: str) -> bool:
    """Whether the designer or the extension took part in what was thrown."""
    return "dali-studio" in thrown or "blob:" in thrown


def _of_notebook(thrown: str) -> bool:
    """Notebook 7 throws about settings while it starts, also without the extension."""
    return "/static/notebook/notebook_core" in thrown and not ours(thrown)


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Where screenshots are kept for a look."""
    folder = lab.REPOSITORY / "tests" / ".artifacts"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    path = lab.chromium()
    if path is None:
        absent("browser tests need Chromium, which is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=lab.BROWSER_FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def kept() -> Kept:
    """What tests hand on."""
    return Kept()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, kept: Kept) -> Iterator[tuple[str, Path]]:
    """JupyterLab over a copy of the notebooks."""
    if lab.chromium() is None:
        absent("browser tests need Chromium, which is not installed")
    root = tmp_path_factory.mktemp("lab")
    shutil.copytree(lab.REPOSITORY / "notebooks", root, dirs_exist_ok=True)
    with lab.lab_server(root, tmp_path_factory.mktemp("config")) as address:
        kept.address, kept.root = address, root
        yield address, root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test in the browser fails if it fails twice: three programs and a kernel share the processors of the machine.

    The last lines of the run say how many were repeated.
    """
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a page showed when its test failed is kept for a look."""
    report = yield
    page: Any = getattr(item, "funcargs", {}).get("page")
    if report.failed:
        item.stash[_FAILED] = True
    if report.when == "call" and report.failed and page is not None:
        folder = lab.REPOSITORY / "tests" / ".artifacts"
        folder.mkdir(exist_ok=True)
        with suppress(Exception):  # the page may be what is broken
            page.screenshot(path=folder / f"failed_{item.name}.png", timeout=5_000)
    return report


@pytest.fixture
def page(browser: Any, kept: Kept, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A page with nothing open; what the page throws fails the test, and what it asks of other machines."""
    if kept.root is not None:  # no test is offered the edits of another
        shutil.rmtree(kept.root / FOLDER, ignore_errors=True)
    opened, kept.page = kept.page, None
    if opened is None:
        context = browser.new_context(
            viewport={"width": 1800, "height": 1000}, permissions=["clipboard-read", "clipboard-write"]
        )
        context.set_default_timeout(_PATIENCE)
        opened = context.new_page()
    thrown: list[str] = []
    asked: list[str] = []
    listeners = {
        "pageerror": lambda error: thrown.append(f"{error.message}\n{error.stack}"),
        "request": lambda request: asked.append(str(request.url)),
    }
    for event, listener in listeners.items():
        opened.on(event, listener)
    yield opened
    passed, fit = len(thrown), False
    with suppress(Exception):  # the page may be what is broken
        fit = not request.node.stash.get(_FAILED, False) and lab.tidy(opened, kept.address) and len(thrown) == passed
        if not fit:
            lab.answered(opened, _END_KERNELS)
    for event, listener in listeners.items():
        opened.remove_listener(event, listener)
    if fit:
        kept.page = opened
    else:
        opened.context.close()
    assert not [url for url in asked if not url.startswith(("http://127.0.0.1:", "data:", "blob:"))]
    # some timers of JupyterLab's own do not expect that a notebook goes at once
    thrown[passed:] = filter(ours, thrown[passed:])
    odd = [text for text in thrown if "ResizeObserver" not in text and not _of_notebook(text)]
    assert not odd, "\n".join(odd)


@pytest.fixture
def designer(page: Any, server: tuple[str, Path]) -> Any:
    """A page with the designer of `training.CODE`."""
    lab.write_notebook(server[1] / "training.ipynb", training.CODE)
    lab.open_notebook(page, server[0], "training.ipynb")
    lab.by_id(page, "designer").wait_for(timeout=90_000)
    training.drawn(page, "thumb-normalize")
    lab.by_id(page, "designer").scroll_into_view_if_needed()
    lab.settle(page)  # the notebook scrolls once more, to its last cell
    return page
