"""A real JupyterLab in a real browser, for tests and screenshots."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent.parent
#: As behind a hub: an address of its own, with a character that URLs write otherwise.
BASE = "/user/some%20one"
#: The prebuilt extension of this tree, whatever is installed.
LABEXTENSION = REPOSITORY / "dali_studio" / "labextension"
BROWSER_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
# A run that is sent while the kernel still connects is lost, so everything is awaited first.
RUN_ALL = """async () => {
  const app = window.jupyterapp; await app.restored;
  const panel = app.shell.currentWidget; const context = panel.context.sessionContext;
  await context.ready;
  const kernel = context.session.kernel;
  for (let i = 0; i < 300 && kernel.connectionStatus !== 'connected'; i++) await new Promise(r => setTimeout(r, 100));
  await kernel.requestKernelInfo();
  await app.commands.execute('notebook:run-all-cells');
}"""


#: Until nothing on the page has changed for a quarter of a second and nothing is animated that ends: the empty text, or
#: what still changes after 20 s.
_SETTLED = """() => new Promise(resolve => {
  const begin = performance.now(); let last = begin, changes = '';
  const watch = new MutationObserver(([{ type, target }]) => {
    last = performance.now(); changes = `${type} of ${target.outerHTML ?? target.parentElement?.outerHTML}`.slice(0, 400); });
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  const look = () => {
    const now = performance.now();
    const moving = document.getAnimations().find(one => one.playState === 'running'
      && Number.isFinite(one.effect?.getComputedTiming().endTime));
    const rests = now - last >= 250 && !moving;
    if (!rests && now - begin < 20000) return setTimeout(look, 50);
    watch.disconnect(); resolve(rests ? '' : moving ? moving.effect.target.outerHTML.slice(0, 400) : changes); };
  look();
})"""


def answered(page: Any, script: str, argument: Any = None) -> Any:
    """What an asynchronous function gives in the page; fails where it gives nothing, as after a connection that was cut."""
    late = "new Promise((_, refuse) => setTimeout(() => refuse(new Error('no answer within 90 s')), 90000))"
    return page.evaluate(f"argument => Promise.race([({script})(argument), {late}])", argument)


def by_id(page: Any, name: str) -> Any:
    """What has this `data-testid`: the first on the page."""
    return page.locator(f'[data-testid="{name}"]').first


def chromium() -> str | None:
    """The system's Chromium."""
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


@contextmanager
def lab_server(root: Path, config: Path, program: str = "jupyterlab", added: Path | None = None) -> Iterator[str]:
    """JupyterLab, or Notebook, over the folder `root`, with packages that were installed into the folder `added`; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(config), "JUPYTERLAB_SETTINGS_DIR": str(config / "settings"),
                   "JUPYTERLAB_WORKSPACES_DIR": str(config / "workspaces"), "JUPYTER_RUNTIME_DIR": str(config / "runtime"),
                   "IPYTHONDIR": str(config / "ipython")}  # fmt: skip
    command = [sys.executable, "-m", program, "--allow-root", "--no-browser", f"--port={port}", "--ServerApp.port_retries=0", "--expose-app-in-browser",
               f"--ServerApp.base_url={BASE}/", "--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={root}", "--LabApp.news_url=None"]  # fmt: skip
    extensions = config / "data" / "labextensions" / "@dali-studio"
    extensions.mkdir(parents=True, exist_ok=True)
    (extensions / "lab").symlink_to(LABEXTENSION)
    paths = {"JUPYTER_PATH": [str(config / "data")]}
    if added is not None:
        paths["JUPYTER_PATH"].append(str(added / "share" / "jupyter"))
        paths |= {"JUPYTER_CONFIG_PATH": [str(added / "etc" / "jupyter")], "PYTHONPATH": [str(added)]}
    for name, folders in paths.items():
        environment[name] = os.pathsep.join(filter(None, (*folders, os.environ.get(name))))
    _write_kernel(config / "data", "Another version", "__version__ = '9.9.9'")
    _write_kernel(config / "data", "Bare", "raise ModuleNotFoundError(\"No module named 'dali_studio'\")")
    quiet = config / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True, exist_ok=True)
    quiet.write_text('{"fetchNews": "false"}')  # a pop-up would ask, over the designer
    with (config / "lab.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}{BASE}"
            _await(f"{address}/api", server)
            if program == "notebook":
                _ADDRESSES_OF_NOTEBOOK.add(address)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(90 if added is None else 5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
                if added is None:  # jupyter-collaboration's rooms may never close
                    raise


def _write_kernel(data: Path, name: str, package: str) -> None:
    """A kernel with other text in place of the package."""
    key = name.lower().replace(" ", "-")
    studio = data / key / "dali_studio" / "studio"
    studio.mkdir(parents=True, exist_ok=True)
    (studio.parent / "__init__.py").write_text(package)
    (studio / "__init__.py").write_text("")
    (studio / "attach.py").write_text("def listen():\n    pass\n")
    spec = data / "kernels" / key / "kernel.json"
    spec.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    environment = {"PYTHONPATH": str(data / key)}
    spec.write_text(json.dumps({"argv": command, "display_name": name, "language": "python", "env": environment}))


def _await(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        if server.poll() is not None:
            raise RuntimeError("JupyterLab ended at its start; see lab.log")
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError("JupyterLab did not answer within a minute")


def saved(path: Path) -> Any:
    """A file of JSON that Jupyter may be writing now: it empties files before it writes."""
    for _ in range(50):
        with suppress(ValueError):
            return json.loads(path.read_text())
        time.sleep(0.1)
    return json.loads(path.read_text())


def write_notebook(path: Path, *codes: str) -> None:
    """A notebook with a cell for each code."""
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


#: JupyterLab as it starts: no kernel, no document, nothing kept by the page, the light theme; a launcher comes by itself.
#: Gives whether the sidebars are as at the start, which no test need put back.
_TIDY = """async () => {
  const app = window.jupyterapp; const { shell } = app;
  await app.serviceManager.sessions.shutdownAll();
  for (const widget of [...shell.widgets('main')]) widget.dispose();
  if (document.body.dataset.jpThemeLight !== 'true')
    await app.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' });
  localStorage.clear(); sessionStorage.clear();
  await app.commands.execute('filebrowser:go-to-path', { path: '/' });
  window.tidy = !document.querySelector('.jp-Dialog, .lm-Menu') && shell.rightCollapsed
    && [...shell.widgets('left')].every(one => one.isVisible === (one.id === 'filebrowser'));
  return window.tidy;
}"""
#: Once after each time that JupyterLab was tidied up: whoever opens it twice means to load it anew.
_TAKE = """async address => {
  if (!window.tidy || !location.href.startsWith(address + '/lab')) return false;
  window.tidy = false;
  await window.jupyterapp.commands.execute('filebrowser:refresh');
  return true;
}"""
# What came by itself while nothing was open, a launcher, goes.
_OPEN = """async name => {
  const { commands, shell } = window.jupyterapp;
  const others = [...shell.widgets('main')];
  const opened = await commands.execute('docmanager:open', { path: name, factory: 'Notebook' });
  others.forEach(one => one.dispose());
  while (shell.currentWidget !== opened) await new Promise(resolve => setTimeout(resolve, 20));
}"""


#: Where Notebook is, which has one document a page, and its page for the next one.
_ADDRESSES_OF_NOTEBOOK: set[str] = set()
_TIDY_NOTEBOOK = """async () => {
  const { commands, serviceManager, shell } = window.jupyterapp;
  await serviceManager.sessions.shutdownAll();
  for (const widget of [...shell.widgets('main')]) widget.dispose();
  if (document.body.dataset.jpThemeLight !== 'true')
    await commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' });
  localStorage.clear(); sessionStorage.clear();
  return !document.querySelector('.jp-Dialog, .lm-Menu');
}"""


def tidy(page: Any, address: str) -> bool:
    """Make JupyterLab at an address as it starts, or Notebook, for the next test; gives whether it could be done."""
    if page.url.startswith(tuple(f"{one}/notebooks/" for one in _ADDRESSES_OF_NOTEBOOK)):
        return answered(page, _TIDY_NOTEBOOK)
    return page.url.startswith(f"{address}/lab") and answered(page, _TIDY)


def open_notebook(page: Any, address: str, name: str) -> None:
    """Open a notebook in JupyterLab as it starts, or in Notebook, and run all its cells."""
    if address in _ADDRESSES_OF_NOTEBOOK:
        page.goto(f"{address}/notebooks/{name}")
    elif answered(page, _TAKE, address):
        answered(page, _OPEN, name)
    else:
        page.goto(f"{address}/lab/workspaces/test-{time.monotonic_ns()}/tree/{name}?reset")
    page.wait_for_selector(".jp-Notebook", timeout=90_000)
    answered(page, RUN_ALL)


def settle(page: Any) -> None:
    """Wait until the page has come to rest; what never does is at fault, as what asks the kernel again for each answer."""
    changes = page.evaluate(_SETTLED)
    assert not changes, f"does not come to rest: {changes}"


def cut(page: Any, path: Any) -> None:
    """Take a wire off by a drag with Alt across its middle."""
    x, y = path.evaluate(
        "p => { const m = p.getScreenCTM(); const q = p.getPointAtLength(p.getTotalLength() / 2).matrixTransform(m); return [q.x, q.y]; }"
    )
    page.keyboard.down("Alt")
    page.mouse.move(x, y - 11)
    page.mouse.down()
    page.mouse.move(x + 2, y + 40, steps=6)
    page.mouse.up()
    page.keyboard.up("Alt")


def card(page: Any, key: str) -> Any:
    """The card of a node, to be clicked once all have come to rest: on the way another one is below the pointer."""
    settle(page)
    return page.locator(f'[data-testid="node-{key}"]').first


def painted(page: Any, key: str) -> list[int]:
    """A 12 x 8 grid of colours of the picture that a node's card shows."""
    return page.evaluate(
        """key => { const canvas = document.querySelector(`[data-testid="thumb-${key}"]`);
        if (!canvas || !canvas.width) return [];
        const small = document.createElement('canvas'); small.width = 12; small.height = 8;
        const pen = small.getContext('2d'); pen.drawImage(canvas, 0, 0, 12, 8);
        return Array.from(pen.getImageData(0, 0, 12, 8).data); }""",
        key,
    )


def set_theme(page: Any, name: str) -> None:
    """Choose JupyterLab's theme."""
    page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })", name)
    page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg="false" if "Dark" in name else "true")
    page.wait_for_selector("#jupyterlab-splash", state="detached")


def workspace_of(page: Any) -> str:
    """The name of the workspace that JupyterLab has open."""
    return page.url.split("/workspaces/")[1].split("/")[0]


def open_lab(page: Any, address: str, workspace: str = "") -> str:
    """Open JupyterLab in a workspace, by default as it starts; gives the workspace's name."""
    if not workspace and page.evaluate(_TAKE, address):
        return workspace_of(page)
    name = workspace or f"test-{time.monotonic_ns()}"
    page.goto(f"{address}/lab/workspaces/{name}{'' if workspace else '?reset'}")
    page.wait_for_function("() => window.jupyterapp")
    page.evaluate("() => window.jupyterapp.restored.then(() => true)")
    return name


def await_layout(page: Any, workspace: str, words: str) -> None:
    """Wait until JupyterLab has kept a layout with `words` in it, which it does a moment after a change."""
    page.wait_for_function(
        """async ([name, words]) =>
        JSON.stringify(await window.jupyterapp.serviceManager.workspaces.fetch(name)).includes(words)""",
        arg=[workspace, words],
    )


def part(page: Any, name: str) -> Any:
    """A part of the designer of the document in front."""
    return page.locator(f'.dali-View [data-testid="{name}"]:visible').first


def await_code(page: Any, words: str) -> None:
    """Wait until the code pane of a document shows `words`."""
    page.wait_for_function(
        """words => [...document.querySelectorAll('.dali-View [data-testid="code"]')].some(code =>
        code.offsetParent && code.getAttribute('aria-busy') === 'false' && code.textContent.includes(words))""",
        arg=words, timeout=60_000,
    )  # fmt: skip


def write_turning(path: Path, angle: float = 10.0) -> None:
    """A document that turns the sample photos."""
    from dali_studio import fn, pipeline_def, samples
    from dali_studio.graph import document

    @pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
    def turning() -> Any:
        files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
        return fn.rotate(fn.decoders.image(files), angle=angle, fill_value=0.0), labels

    document.save(turning().graph, None, path)


def open_document(page: Any, server: tuple[str, Path], name: str) -> str:
    """Make a document under a name of its own, and open it by a double click; gives the name of the workspace."""
    write_turning(server[1] / name)
    workspace = open_lab(page, server[0])
    page.locator(f'.jp-DirListing-item[title*="{name}"]').dblclick()
    part(page, "thumb-rotate").wait_for(timeout=90_000)
    settle(page)
    return workspace
