"""The wheel: built without a system Node, installed in an empty environment, used there."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import lab

from dali_studio import __version__
from dali_studio.kernels import build

REPOSITORY = Path(__file__).resolve().parents[2]
#: What pip says on a machine that reaches no registry.
NO_NETWORK = re.compile("Failed to establish a new connection|Temporary failure in name resolution|Network is unreachable")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("CI"), reason="builds and installs for minutes: make test-wheel"),
]


def pip(python: Path | str, *arguments: str, **environment: str) -> None:
    command = [str(python), "-m", "pip", *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode and NO_NETWORK.search(done.stdout + done.stderr):
        pytest.skip("pip reaches no registry: no network")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made of the sources alone, with all that builds it from PyPI."""
    folder = tmp_path_factory.mktemp("wheel")
    built = shutil.ignore_patterns(".*", "node_modules", "static", "labextension", "__pycache__", "dist", "build")
    shutil.copytree(REPOSITORY, folder / "source", ignore=built)
    shutil.copy(REPOSITORY / "extension" / ".npmrc", folder / "source" / "extension")
    # Kernels that the checkout has compiled are compiled no more, which would take minutes, but for one source.
    objects = build.CACHE / build.native_target().name
    if objects.is_dir():
        place = folder / "source" / objects.relative_to(REPOSITORY)
        shutil.copytree(objects, place, ignore=shutil.ignore_patterns("lib", f"{build.LEVEL.stem}.*"))
    tools = folder / "tools"
    tools.mkdir()
    for name in ("sh", "env"):  # what npm's scripts start; no node, no npm, no compiler
        (tools / name).symlink_to(shutil.which(name) or name)
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(folder), str(folder / "source"), PATH=str(tools))
    return next(folder.glob("dali_studio-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel and its dependencies, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    pip(programs / "python", "install", "--quiet", str(wheel))
    return programs


def environment(programs: Path, tmp_path: Path) -> dict[str, str]:
    """Without the developer's programs (Node among them), and with folders of its own."""
    kept = {name: value for name, value in os.environ.items() if name in ("LANG", "SYSTEMROOT")}
    return {
        **kept,
        "PATH": str(programs),
        "HOME": str(tmp_path),
        "JUPYTER_RUNTIME_DIR": str(tmp_path),
        "PYTHONNOUSERSITE": "1",
    }


def test_the_wheel_carries_what_was_built(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        bundle = archive.read("dali_studio/studio/static/widget.js")
    for name in ("studio/static/widget.css", "studio/static/gallery.js", "studio/static/gallery.css", "studio/static/loader.js", "py.typed", "fn/readers.pyi",
                 "starter/notebooks/01_designer.ipynb", "starter/notebooks/02_designer_tour.ipynb",
                 "studio/gallery/resnet50/pipeline.dali.json", "studio/gallery/resnet50/README.md"):  # fmt: skip
        assert f"dali_studio/{name}" in names
    assert 100_000 < len(bundle) < 500_000  # what a notebook waits for
    place = f"dali_studio-{__version__}.data/data/share/jupyter/labextensions/@dali-studio/lab"
    about = json.loads(zipfile.ZipFile(wheel).read(f"{place}/package.json"))
    assert {f"{place}/{about['jupyterlab']['_build']['load']}", f"{place}/install.json"} < names
    assert about["version"] == __version__
    assert not [name for name in names if name.startswith("dali_studio/labextension")]
    target = build.native_target()
    assert wheel.stem.endswith(f"-py3-none-{target.tag}")
    libraries = {Path(name).name for name in names if "/kernels/cpu/lib/" in name}
    levels = ["level", *(level for level, _ in target.levels)]
    assert libraries == {f"kernels-{target.name}-{level}{target.suffix}" for level in levels}
    assert "dali_studio/kernels/include/numbers.hpp" in names  # compiled for GPUs where it runs
    assert any(name.startswith("dali_studio/photos/") and name.endswith(".jpg") for name in names)
    stray = [name for name in names if name.endswith((".cpp", ".o", ".pdb", ".lib", ".stamp"))]
    assert not stray + [name for name in names if name.endswith(".hpp") and "/kernels/include/" not in name]
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "extension/")) or "node_modules" in name]


def test_commands_work_in_an_empty_environment(installed: Path, tmp_path: Path) -> None:
    def run(*arguments: str, program: str = "dali-studio") -> str:
        done = subprocess.run(
            [str(installed / program), *arguments], env=environment(installed, tmp_path), cwd=tmp_path,
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout + (done.stderr if program == "jupyter" else "")

    assert run("--version").strip() == f"dali-studio {__version__}"
    assert "crop_mirror_normalize" in run("catalog")
    assert "NOTEBOOK_DIR" in run("lab", "--help")
    report = run("doctor")
    assert "built" in report
    assert "installed" in next(line for line in report.splitlines() if line.startswith("jupyterlab extension"))
    listed = run("labextension", "list", program="jupyter")
    extension = next(line for line in listed.splitlines() if "@dali-studio/lab" in line)
    assert "enabled" in extension
    assert "OK" in extension
    program = "import importlib.resources as r; print(r.files('dali_studio') / 'studio' / 'gallery' / 'getting_started' / 'pipeline.dali.json')"
    python = subprocess.run(
        [str(installed / "python"), "-c", program],
        env=environment(installed, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "samples/s" in run("run", python.stdout.strip(), "--batches", "1", "--out", str(tmp_path / "out"))
    assert (tmp_path / "out" / "contact_sheet.png").exists()


@pytest.fixture
def server(installed: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a running `dali-studio lab`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--no-browser", "--ip=127.0.0.1", f"--port={port}", "--IdentityProvider.token=", "--expose-app-in-browser"]
    process = subprocess.Popen(
        [str(installed / "dali-studio"), "lab", *options], env=environment(installed, tmp_path), cwd=tmp_path,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def fetch(address: str, seconds: float = 300) -> bytes:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def test_lab_serves_the_first_notebook(server: str) -> None:
    page = fetch(f"{server}/lab")
    assert b"jupyter-config-data" in page
    entry = re.search(rb'"load": "([^"]*)",[^}]*"name": "@dali-studio/lab"', page)
    assert entry is not None, page
    assert b"_JUPYTERLAB" in fetch(f"{server}/lab/extensions/@dali-studio/lab/{entry[1].decode()}")
    notebook = json.loads(fetch(f"{server}/api/contents/01_designer.ipynb"))
    assert any("Designer(" in "".join(cell["source"]) for cell in notebook["content"]["cells"])
    assert {entry["name"] for entry in json.loads(fetch(f"{server}/api/contents/gallery"))["content"]} >= {
        "getting_started",
        "resnet50",
    }


def test_the_card_of_the_launcher_opens_a_document(server: str) -> None:
    chromium = lab.chromium()
    if chromium is None:
        pytest.skip("browser tests need Chromium, which is not installed")
    sync_api = pytest.importorskip("playwright.sync_api", reason="browser tests need playwright")
    fetch(f"{server}/api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=lab.BROWSER_FLAGS)
        page = browser.new_page(viewport={"width": 1800, "height": 1000})
        lab.open_lab(page, server)
        page.locator('.jp-LauncherCard[title="Design a new data pipeline"]:visible').click()
        lab.part(page, "recipe-getting_started").click(timeout=90_000)
        lab.part(page, "thumb-rotate").wait_for(timeout=90_000)
        assert lab.part(page, "save-state").inner_text() == "Not saved"
        browser.close()
