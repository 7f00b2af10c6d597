"""The designer, the gallery and runs ask nothing of the network; the browser's half is held to it by each of its tests."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from dali_studio import cli, samples
from dali_studio.api.default import default_registry
from dali_studio.studio.gallery import open_recipe
from dali_studio.studio.protocol import gallery_messages
from dali_studio.studio.protocol.messages import Previews
from dali_studio.studio.session import Session
from dali_studio.studio.tile_gallery.pictures import Pictures
from dali_studio.studio.tile_gallery.session import GallerySession


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was asked for, by whom ever; all of it is refused."""
    found: list[Any] = []

    def refuse(*arguments: Any, **_: Any) -> Any:
        found.append(arguments)
        raise OSError("there is no network here")

    for owner, name in ((socket.socket, "connect"), (socket.socket, "connect_ex"), (socket.socket, "sendto"),
                        (socket, "getaddrinfo"), (socket, "create_connection")):  # fmt: skip
        monkeypatch.setattr(owner, name, refuse)
    return found


def test_a_designer_needs_none(asked: list[Any]) -> None:
    sent: list[Any] = []
    graph, view = open_recipe("getting_started", default_registry(), str(samples.photos()))
    session = Session(graph, default_registry(), lambda message, _: sent.append(message), view=view, images=samples.photos)
    for message in ({"type": "ready"}, {"type": "run", "batches": 1}):
        session.receive(message)
        assert session.worker.wait(60)
    session.close()
    assert any(isinstance(message, Previews) for message in sent)
    assert asked == []


def test_a_gallery_needs_none(asked: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sent: list[Any] = []
    session = GallerySession(
        default_registry(), lambda message, _: sent.append(message),
        lambda: Pictures.of(samples.photos(), "sample photos"), samples.photos, lambda _: "",
    )  # fmt: skip
    session.receive({"type": "browse"})
    session.receive({"type": "show_tiles", "names": ["rotate", "hsv", "gallery/mixup"]})
    assert session.wait()
    session.close()
    assert any(isinstance(message, gallery_messages.TilePictures) and message.done for message in sent)
    assert asked == []


def test_a_run_and_an_export_need_none(asked: list[Any], tmp_path: Path) -> None:
    assert cli.main(["run", "getting_started", "--batches", "1", "--out", str(tmp_path)]) == 0
    assert cli.main(["export", "getting_started", "-o", str(tmp_path / "program.py")]) == 0
    assert asked == []
