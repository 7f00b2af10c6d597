"""The gallery's session: what it sends, on sample photos and on one's own, and what it puts into designers."""

from __future__ import annotations

import importlib.util
import io
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from dali_studio import Graph, Pipeline, samples
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph.edits import PortRef
from dali_studio.studio import insertion
from dali_studio.studio.protocol import gallery_messages as messages
from dali_studio.studio.protocol.requests import Undo
from dali_studio.studio.session import Session
from dali_studio.studio.tile_gallery import tiles
from dali_studio.studio.tile_gallery.pictures import Pictures
from dali_studio.studio.tile_gallery.session import GallerySession


class Browser:
    """The other end of a gallery."""

    def __init__(self) -> None:
        self.got: list[tuple[Any, Sequence[bytes]]] = []
        self.opened: list[Graph] = []
        self.session = GallerySession(
            default_registry(), lambda message, buffers: self.got.append((message, buffers)),
            lambda: Pictures.of(samples.photos(), "sample photos"), samples.photos, self._open,
        )  # fmt: skip
        self.ask(type="browse")

    def _open(self, graph: Graph) -> str:
        self.opened.append(graph)
        return "model"

    def ask(self, buffers: Sequence[bytes] = (), **request: Any) -> None:
        self.session.receive(request, buffers)
        assert self.session.wait()

    def last(self, kind: type[Any]) -> Any:
        return self.all(kind)[-1]

    def all(self, kind: type[Any]) -> list[Any]:
        return [message for message, _ in self.got if isinstance(message, kind)]

    @property
    def names(self) -> list[str]:
        return [tile.name for tile in self.last(messages.GalleryOpened).tiles]


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    monkeypatch.chdir(tmp_path)
    made = Browser()
    yield made
    made.session.close()


def picture(size: tuple[int, int] = (90, 60), kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (200, 30, 90)).save(file, kind)
    return file.getvalue()


def test_each_tile_has_a_picture(browser: Browser) -> None:
    assert len(browser.names) >= 70 and len(set(browser.names)) == len(browser.names)
    browser.ask(type="show_tiles", names=browser.names)
    parts = browser.all(messages.TilePictures)
    assert [item.name for part in parts for item in part.items] == browser.names
    assert [(item.name, item.note) for part in parts for item in part.items if not item.width] == []
    assert len(parts) > 5 and [part.done for part in parts] == [False] * (len(parts) - 1) + [True]


def test_sixty_tiles_take_little_and_hold_nobody_up(browser: Browser) -> None:
    names = browser.names[:60]
    browser.ask(type="show_tiles", names=names)  # what is kept of operators and examples
    browser.ask(type="choose_picture", number=1)
    browser.got.clear()
    begin, worked = time.perf_counter(), time.process_time()
    browser.session.receive({"type": "show_tiles", "names": names})
    assert time.perf_counter() - begin < 0.5  # the kernel goes on at once
    assert browser.session.wait()
    assert time.process_time() - worked < 2.0  # 0.3 s on two cores
    parts = browser.all(messages.TilePictures)
    assert sum(len(part.items) for part in parts) == 60
    assert len(parts[0].items) < 10  # the first are seen before the others are made


def test_what_is_wanted_no_more_is_not_computed(browser: Browser) -> None:
    """From nothing, as when a gallery opens and its user goes on to the next picture at once."""
    names = browser.names
    browser.session.receive({"type": "show_tiles", "names": names})
    browser.session.receive({"type": "choose_picture", "number": 1})
    browser.ask(type="show_tiles", names=["hsv"])
    parts = browser.all(messages.TilePictures)
    old, new = ([item.name for part in parts if part.turn == turn for item in part.items] for turn in (1, 2))
    assert new == ["hsv"] and len(old) < len(names) / 2


def test_two_threads_that_read_a_picture_get_the_same_whole_one(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.png").write_bytes(picture((400 + number, 300)))
    pictures = Pictures.of(tmp_path)
    starts = threading.Barrier(4)

    def read(_: int) -> list[bytes]:
        starts.wait()
        return [pictures.picture().tobytes(), *(Path(name).read_bytes() for name in pictures.copies())]

    with ThreadPoolExecutor(4) as threads:
        for number in range(len(pictures.paths)):
            pictures.number = number
            one, *others = threads.map(read, range(4))
            assert all(other == one for other in others)
            assert len(set(one)) == len(one)


def test_tiles_say_what_they_are(browser: Browser) -> None:
    known = {tile.name: tile for tile in browser.last(messages.GalleryOpened).tiles}
    assert known["rotate"].geometric and known["sphere"].geometric and not known["hsv"].geometric
    devices = {name: default_registry().schema(name).devices for name in known if name in default_registry()}
    assert {name: known[name].gpu for name in devices} == {name: "gpu" in some for name, some in devices.items()}
    assert known["gallery/resnet50"].example and known["gallery/resnet50"].geometric
    assert next(control.argument.name for control in known["rotate"].controls) == "angle"
    assert "self-supervised" in known["gallery/contrastive_pairs"].tags
    for tile in known.values():
        assert tile.summary and tile.title and len(tile.controls) <= 8


def test_a_newer_request_takes_the_place_of_an_older_one(browser: Browser) -> None:
    browser.session.receive({"type": "show_tiles", "names": browser.names * 2})
    browser.ask(type="show_tiles", names=["hsv"])
    assert browser.last(messages.TilePictures).items[-1].name == "hsv"
    assert sum(part.done for part in browser.all(messages.TilePictures)) >= 1


def test_a_tile_in_full_with_other_values(browser: Browser) -> None:
    setting = {"node": "rotate", "argument": "angle", "value": 90.0}
    browser.ask(type="try_tile", name="rotate", settings=[setting], dialect="nvidia.dali")
    detail = browser.last(messages.TileDetail)
    assert detail.has_result and detail.failed == () and len(detail.histogram) == 3 == len(detail.before)
    assert "angle=90" in detail.source and "file_root=" in detail.source
    assert ["fn.rotate" in detail.source.splitlines()[line - 1] for line in detail.lines] == [True]
    assert browser.last(messages.TileTime).milliseconds > 0
    browser.ask(type="sweep_tile", name="rotate", settings=[setting], node="rotate", argument="angle", values=[0, 45, 90])
    swept = browser.last(messages.TileSweep)
    assert swept.values == (0, 45, 90) and all(item.width for item in swept.items)


def test_a_value_that_is_refused_is_told_at_the_tile(browser: Browser) -> None:
    setting = {"node": "clahe", "argument": "tiles_x", "value": 0}
    browser.ask(type="try_tile", name="clahe", settings=[setting], dialect="nvidia.dali")
    detail = browser.last(messages.TileDetail)
    assert not detail.has_result and [one.argument for one in detail.failed] == ["tiles_x"]


def test_ones_own_picture_and_folder(browser: Browser, tmp_path: Path) -> None:
    browser.ask([picture()], type="upload_picture", name="../my photo.png")
    chosen = browser.last(messages.PicturesChosen)
    assert chosen.names == ("my_photo.png",) and (tmp_path / ".dali_studio" / "pictures" / "my_photo.png").is_file()
    browser.ask(type="try_tile", name="hsv", settings=[], dialect="dali_studio")
    assert "my_photo.png" in browser.last(messages.TileDetail).source
    (tmp_path / "photos").mkdir()
    for name in "ab":
        (tmp_path / "photos" / f"{name}.jpg").write_bytes(picture((50, 80), "JPEG"))
    browser.ask(type="open_pictures", path=str(tmp_path / "photos"))
    browser.ask(type="choose_picture", number=1)
    chosen = browser.last(messages.PicturesChosen)
    assert chosen.names == ("a.jpg", "b.jpg") and chosen.number == 1
    browser.ask(type="show_tiles", names=["flip", "gallery/mixup"])
    assert all(item.width for item in browser.last(messages.TilePictures).items)
    browser.ask(type="open_pictures", path="")
    assert browser.last(messages.PicturesChosen).place == "sample photos"


@pytest.mark.parametrize("content", [b"", b"no picture", picture()[:60]])
def test_what_is_no_picture_is_refused_and_changes_nothing(browser: Browser, tmp_path: Path, content: bytes) -> None:
    before = browser.last(messages.PicturesChosen)
    browser.ask([content], type="upload_picture", name="x.png")
    browser.ask(type="open_pictures", path=str(tmp_path / "nowhere"))
    refused = browser.all(messages.NotDone)
    assert [one.diagnostics[0].code for one in refused] == ["DS302", "DS302"]
    assert browser.last(messages.PicturesChosen) is before and not list(tmp_path.glob(".dali_studio/pictures/*"))


def test_messages_that_make_no_sense_are_refused(browser: Browser) -> None:
    for request in ({"type": "nothing"}, {"type": "try_tile", "name": 3}, {"type": "try_tile", "name": "x", "settings": [], "dialect": ""}):
        browser.ask(**request)
    assert [one.diagnostics[0].code for one in browser.all(messages.NotDone)] == ["DS401", "DS401", "DS209"]


def test_a_tile_opens_in_a_designer_and_runs(browser: Browser) -> None:
    browser.ask(type="take_tile", name="gallery/mixup", settings=[])
    browser.ask(type="take_tile", name="rotate", settings=[{"node": "rotate", "argument": "angle", "value": 5.0}])
    assert [message.model for message in browser.all(messages.Taken)] == ["model", "model"]
    assert browser.opened[1].node("rotate").arguments["angle"] == 5.0
    for graph in browser.opened:
        assert len(Pipeline.from_graph(graph).run()[0]) == 8


def test_an_operator_goes_behind_the_last_picture_that_it_takes(browser: Browser) -> None:
    registry = default_registry()
    tile = next(tile for tile in tiles.tiles(registry) if tile.name == "gallery/resnet50")
    graph = tiles.graph_of(tile, (), {"file_root": str(samples.photos())}, registry)
    session = Session(graph, registry, lambda message, buffers: None, images=samples.photos)
    try:
        insertion.used(session)
        browser.ask(type="take_tile", name="jpeg_compression_distortion", settings=[], into_graph=True)
        put = session.graph.inputs("jpeg_distortion")[0]
        assert put is not None and put.node == "resize"  # behind it the numbers are normalised
        assert session.graph.inputs("normalize")[0] == PortRef(node="jpeg_distortion")
        assert Pipeline.from_graph(session.graph).run()[0].as_array().shape[1] == 3
        session.handle(Undo())
        assert "jpeg_distortion" not in session.graph
    finally:
        insertion.closed(session)
        session.close()


def test_without_a_designer_it_says_so(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insertion, "_used", [])
    browser.ask(type="take_tile", name="hsv", settings=[], into_graph=True)
    assert "No designer is open" in browser.last(messages.NotDone).diagnostics[0].message


def test_no_tile_is_unknown_to_its_graph() -> None:
    registry, wrong = default_registry(), messages.Setting(node="nobody", argument="x", value=1)
    tile = tiles.tiles(registry)[0]
    with pytest.raises(DaliStudioError):
        tiles.graph_of(tile, [wrong], {"files": ("a.jpg",)}, registry)


@pytest.mark.parametrize("installed", [True, False])
def test_programs_are_at_first_for_what_is_installed(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    def find(name: str) -> object:
        if name == "nvidia.dali" and not installed:
            raise ModuleNotFoundError(name="nvidia")
        return name

    monkeypatch.setattr(importlib.util, "find_spec", find)
    browser.ask(type="browse")
    names = [one.name for one in browser.last(messages.GalleryOpened).dialects]
    assert names == (["nvidia.dali", "dali_studio"] if installed else ["dali_studio", "nvidia.dali"])
    designer = Session(Graph(), default_registry(), lambda message, buffers: None, images=samples.photos)
    assert designer.dialect == names[0]
    designer.close()
