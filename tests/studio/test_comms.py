"""What the kernel's side of a comm does for the browser's messages."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from dali_studio.studio.protocol.comms import prepare


def test_what_the_browser_sends_arrives_though_the_subshell_that_was_answered_last_has_ended() -> None:
    pytest.importorskip("ipykernel.subshell_manager", reason="this ipykernel has no subshells")
    base = pytest.importorskip("ipykernel.comm.comm").BaseComm
    if not hasattr(base, "_reply_subshell_for"):
        pytest.skip("this ipykernel takes messages where they say")
    comm = base.__new__(base)
    comm.kernel = SimpleNamespace(shell_channel_thread=SimpleNamespace(manager=SimpleNamespace(list_subshell=lambda: ["mine"])))
    comm._reply_subshell_lock, comm._reply_subshell_ids, comm._reply_subshell_id = threading.Lock(), {}, "ended"
    assert comm._reply_subshell_for({}, "mine") == "ended"  # what is mended
    prepare(comm)
    assert comm._reply_subshell_for({}, "mine") == "mine"
    assert comm._reply_subshell_for({}, "of a kernel before") is None


def test_the_kernel_does_not_look_busy_for_what_a_designer_is_asked(tmp_path: Path) -> None:
    """JupyterLab would draw its toolbar and the icon of the tab twice for each step of a slider."""
    start = pytest.importorskip("jupyter_client.manager", reason="jupyter_client is not installed").start_new_kernel
    manager, client = start(kernel_name="python3", cwd=str(tmp_path))

    def said(request: str) -> list[str]:
        """What the kernel says of itself for a message, up to the end of it."""
        found = list[str]()
        while not found or found[-1] != "idle":
            message = client.get_iopub_msg(timeout=60)
            if message["msg_type"] == "status" and message["parent_header"].get("msg_id") == request:
                found.append(message["content"]["execution_state"])
        return found

    try:
        ask = "from dali_studio import Designer\nmade = Designer()"
        reply = client.execute(ask, user_expressions={"name": "made.model_id"}, reply=True, timeout=60)["content"]
        model = reply["user_expressions"]["name"]["data"]["text/plain"].strip("'")
        data = {"method": "custom", "content": {"type": "undo"}}
        for comm, states in ((model, ["idle"]), ("another", ["busy", "idle"])):
            message = client.session.msg("comm_msg", {"comm_id": comm, "data": data})
            client.shell_channel.send(message)
            assert said(message["header"]["msg_id"]) == states
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
