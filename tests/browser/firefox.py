"""A page in the system's Firefox, by WebDriver BiDi, which it speaks itself: Playwright drives builds of its own only."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: WebDriver's names of keys.
KEYS = {"ArrowRight": "\ue014", "Escape": "\ue00c", "Enter": "\ue007"}
_SECONDS = 120.0


def firefox() -> str | None:
    """The system's Firefox."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Page:
    """What a test needs of a page."""

    def __init__(self, address: str) -> None:
        import websocket

        self._socket = websocket.create_connection(f"{address}/session", timeout=_SECONDS, suppress_origin=True)
        self._sent = 0
        #: What the page threw.
        self.thrown: list[str] = []
        self._send("session.new", capabilities={})
        self._send("session.subscribe", events=["log.entryAdded"])
        self._context = self._send("browsingContext.getTree")["contexts"][0]["context"]
        self._send("browsingContext.setViewport", context=self._context, viewport={"width": 1600, "height": 1000})

    def _send(self, method: str, **params: Any) -> dict[str, Any]:
        self._sent += 1
        self._socket.send(json.dumps({"id": self._sent, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("method") == "log.entryAdded" and message["params"]["type"] == "javascript":
                self.thrown.append(f"{message['params']['text']} {message['params'].get('stackTrace', '')}")
            if message.get("id") == self._sent:
                if message["type"] == "error":
                    raise RuntimeError(f"{method}: {message['message']}")
                return message["result"]

    def go(self, url: str) -> None:
        """Open an address."""
        self._send("browsingContext.navigate", context=self._context, url=url, wait="interactive")

    def evaluate(self, function: str, *given: Any) -> Any:
        """What a function of the page gives, as JSON."""
        call = f"Promise.resolve(({function})(...{json.dumps(given)})).then(found => JSON.stringify(found ?? null))"
        found = self._send("script.evaluate", expression=call, target={"context": self._context}, awaitPromise=True)
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def wait(self, function: str, *given: Any) -> Any:
        """Wait until a function gives something that holds."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            if found := self.evaluate(function, *given):
                return found
            time.sleep(0.1)
        raise TimeoutError(function)

    def _act(self, **source: Any) -> None:
        self._send("input.performActions", context=self._context, actions=[source])

    def click(self, name: str, x: int | None = None, y: int | None = None) -> None:
        """Click an element of a test id, in its middle or at a place in it, once it lies still."""
        find = """name => { const all = [...document.querySelectorAll(`[data-testid="${name}"]`)];
            const box = all.find(one => one.offsetParent)?.getBoundingClientRect();
            return box && box.width && [box.x, box.y, box.width, box.height]; }"""
        before, box = None, self.wait(find, name)
        while box != before:
            time.sleep(0.5)
            before, box = box, self.wait(find, name)
        left, top, width, height = box
        place = {"x": round(left + (width / 2 if x is None else x)), "y": round(top + (height / 2 if y is None else y))}
        down, up = ({"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp"))
        self._act(type="pointer", id="mouse", actions=[{"type": "pointerMove", **place}, down, up])

    def press(self, key: str) -> None:
        """Press a key."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        self._act(type="key", id="keys", actions=actions)

    def screenshot(self, path: Path) -> None:
        """Keep what is shown."""
        path.write_bytes(
            base64.b64decode(self._send("browsingContext.captureScreenshot", context=self._context)["data"])
        )


@contextmanager
def page(program: str, profile: Path) -> Generator[Page]:
    """A page in a fresh Firefox without a window."""
    command = [
        program,
        "--headless",
        "--no-remote",
        "--profile",
        str(profile),
        "--remote-debugging-port",
        "0",
        "about:blank",
    ]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        found = next((m for line in running.stderr if (m := re.search(r"BiDi listening on (ws://\S+)", line))), None)
        if found is None:
            raise RuntimeError("Firefox ended at its start")
        yield Page(found.group(1))
    finally:
        running.terminate()
        running.communicate(timeout=30)
