"""What the kernel's side of a comm can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Comm(Protocol):
    """The part of a comm that is used."""

    def send(self, data: Any, metadata: None = None, buffers: list[bytes] | None = None) -> None:
        """Send a message to the browser."""
        ...

    def on_msg(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Call `callback` with each message of the browser."""
        ...

    def on_close(self, callback: Callable[[dict[str, Any]], None]) -> None:
        """Call `callback` when the browser closes the comm."""
        ...
