"""What the kernel's side of a comm can do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from IPython.core.getipython import get_ipython


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


def prepare(comm: Any) -> None:
    """Let the kernel take what the browser sends to a new comm, and not look busy for it."""
    _keep_reachable(comm)
    _look_idle(comm)


def _keep_reachable(comm: Any) -> None:
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


#: Ids of the comms for whose messages the kernel does not look busy.
_quiet = set[str]()


def _look_idle(comm: Any) -> None:
    """Let the kernel not say that it is busy for what the browser sends.

    ipykernel says "busy" before each message and "idle" after it, and JupyterLab draws the kernel's mark, the toolbar
    and the icon of the browser's tab anew for both: more work than a step of a slider, and all of it blinks. "idle" is
    said as before, since JupyterLab waits for it.
    """
    kernel: Any = getattr(get_ipython(), "kernel", None)
    if not all(hasattr(kernel, name) for name in ("_publish_status", "get_parent")):
        return
    _quiet.add(comm.comm_id)
    if "_publish_status" not in vars(kernel):
        kernel._publish_status = partial(_publish, kernel, kernel._publish_status)  # noqa: SLF001 - as above


def _publish(
    kernel: Any, publish: Callable[..., None], status: str, channel: str, parent: dict[str, Any] | None = None
) -> None:
    message = parent or kernel.get_parent(channel) or {}
    asked = message.get("header", {}).get("msg_type"), message.get("content", {}).get("comm_id")
    if status != "busy" or asked[0] != "comm_msg" or asked[1] not in _quiet:
        publish(status, channel, parent)
