"""What the kernel's side of a comm can do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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


def keep_reachable(comm: Any) -> None:
    """Let what the browser sends arrive in the subshell that it names, or else in the main shell.

    ipykernel (7.4) takes it to the subshell for which the comm has sent last. What a thread sends counts as sent for
    whatever the kernel was asked last, often in a subshell that JupyterLab has ended since; then nothing arrives any
    more. JupyterLab, for its part, goes on naming a subshell of before where another window has restarted the kernel.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = partial(_subshell, comm)  # noqa: SLF001 - there is no other way


def _subshell(comm: Any, _: object, named: str | None) -> str | None:
    """Where a message goes that names a subshell."""
    if comm.kernel is None:  # nothing was sent yet, so nothing was misled
        return named
    return named if named in comm.kernel.shell_channel_thread.manager.list_subshell() else None
