"""Graphs as pictures and diagrams: files that the designer and the command line write, and that open again."""

from __future__ import annotations

import base64
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import few
from PIL import Image
from studio.clients import Client, only

from dali_studio import DaliStudioError, Designer, fn, pipeline_def, samples, types
from dali_studio.api.default import default_registry
from dali_studio.cli import main
from dali_studio.graph import document
from dali_studio.graph.model import Graph
from dali_studio.graph.png_text import text_in, with_text
from dali_studio.studio import gallery
from dali_studio.studio.drawing import exports, picture, raster, stills, words
from dali_studio.studio.drawing.raster import png
from dali_studio.studio.protocol import bodies, messages


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def turning():
    files, _ = fn.readers.file(file_root=str(samples.photos()), name="reader")
    return fn.rotate(fn.decoders.image(files), angle=fn.random.uniform(range=(-9.0, 9.0), name="angle"), name="turned")


GRAPH = turning().graph
VIEW = {"positions": {"reader": (20, 14), "turned": (500, 14)}, "marks": {}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exports")
    (path / "turning.dali.json").write_text(document.dumps(GRAPH, VIEW))
    for ending in exports.ENDINGS:
        assert main(["export", str(path / "turning.dali.json"), "-o", str(path / f"turning{ending}")]) == 0
    return path


def test_a_png_shows_photos_and_opens_again(folder: Path) -> None:
    data = (folder / "turning.png").read_bytes()
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), np.int32)
    assert min(pixels.shape[:2]) > 300
    assert np.any(np.ptp(pixels, axis=2) > 80), "the photos have colours"
    graph, view, found = document.load(folder / "turning.png", default_registry())
    assert graph == GRAPH and not found
    assert view["positions"] == {"reader": [20, 14], "turned": [500, 14]}


def test_a_picture_writes_numbers_as_the_designer_does() -> None:
    designer = Designer(turning())
    designer.profile(batches=4)
    svg = designer.freeze().svg
    designer.close()
    assert re.search(r"\d samples/s in the pipeline<", svg)
    # a file that is declared with another size would be scaled, and cards show parts of their neighbours
    wide, high, data = re.findall(r'<image [^>]*width="(\d+)" height="(\d+)" href="data:image/jpeg;base64,([^"]+)"', svg)[0]
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (int(wide), int(high))
    assert re.search(r">−?\d+(\.\d+)?°<", svg)  # the draw of a wired angle
    assert re.search(r"[> ](\d+ µs|\d+(\.\d+)? ms)<", svg)
    assert re.search(r'height="3" class="t\d" fill="#\w+"', svg) and re.search(r">\d results?<", svg)  # heat, and the outputs
    assert [words.time_of(value) for value in (0.05, 0.5, 20.0, 2000.0)] == ["50 µs", "0.50 ms", "20.0 ms", "2.00 s"]
    assert [words.value_of(value) for value in (True, False, -2.5)] == ["on", "off", "−2.5"]


def test_other_endings_are_a_drawing_and_diagrams(folder: Path) -> None:
    assert (folder / "turning.svg").read_text().startswith("<svg ")
    assert "Made with DALI Studio." in (folder / "turning.svg").read_text()
    assert (folder / "turning.mmd").read_text().startswith("flowchart LR")
    assert (folder / "turning.dot").read_text().startswith("digraph ")
    with pytest.raises(DaliStudioError, match="names no picture"):
        exports.write_alone(GRAPH, {}, default_registry(), folder / "turning.bmp")


def test_colours_of_nodes_are_in_pictures_and_diagrams(tmp_path: Path) -> None:
    key = next(iter(GRAPH))
    view = {"marks": {"tag1": {"type": "tag", "node": key, "hue": "olive"}}}
    for name in ("with.svg", "with.png", "with.mmd", "with.dot", "with.md"):
        exports.write_alone(GRAPH, view, default_registry(), tmp_path / name)
        exports.write_alone(GRAPH, {}, default_registry(), tmp_path / f"out{name}")
    assert (tmp_path / "with.svg").read_text().count('<path class="y olive"') == 1
    assert (tmp_path / "with.mmd").read_text().count("stroke:#7d7806") == 1
    assert "stroke:#7d7806" in (tmp_path / "with.md").read_text()
    assert (tmp_path / "with.dot").read_text().count('color="#7d7806"') == 1
    olive = [np.all(np.array(Image.open(tmp_path / name).convert("RGB")) == (0x7D, 0x78, 0x06), axis=2).sum()
             for name in ("with.png", "outwith.png")]  # fmt: skip
    assert olive[0] > olive[1] + 1000  # numbers have that colour, too
    assert all("7d7806" not in (tmp_path / f"outwith.{end}").read_text() for end in ("mmd", "dot"))


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def long_chain():
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    images = fn.decoders.image(files)
    for number in range(6):
        images = fn.rotate(images, angle=fn.random.uniform(range=(-9.0, 9.0)), name=f"turn_{number}")
    return images, labels


def test_wires_keep_away_from_the_frame_and_words_are_the_operators() -> None:
    client = Client(long_chain().graph)
    svg = client.session.answers.picture(60.0).svg
    client.session.close()
    width = float(re.findall(r'width="([\d.]+)"', svg)[0])
    shift = re.findall(r'class="v" fill="#f6f7f8"/><g transform="translate\(([-\d.]+) [-\d.]+\)">', svg)[0]
    paths = re.findall(r'class="w \w+" stroke="#\w+" d="([^"]+)"', svg)
    assert len(paths) == 15
    across = [x for path in paths for (x, _), _ in raster._steps(path)]
    assert min(across) + float(shift) > 10 and max(across) + float(shift) < width - 10
    assert width <= 5 * 184 + 100
    assert svg.count(">labels<") == 2  # at the reader and at the outputs
    assert ">wired<" not in svg  # but what was drawn
    assert len(re.findall('<use href="#ds-label"', svg)) == 2 and ">L</text>" in svg
    assert any("q9 0 9 9" in path for path in paths)  # with round corners
    tiles = re.findall(r'<g id="(\w+)" class="[\w-]+"><rect class="y', svg)
    assert len(tiles) == 4 and sum(svg.count(f'<use href="#{tile}"/>') for tile in tiles) == 14  # an icon on each card
    assert svg.count('class="i ') == 4 + 1  # and on the outputs
    assert svg.count('class="y magenta"') == 1 + 6 * 2  # a tile, and the batch's numbers as bars


def test_the_wire_of_a_label_runs_below_all_cards() -> None:
    @pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
    def five():
        files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
        small = fn.resize(fn.decoders.image(files), resize_shorter=96)
        turned = fn.rotate(small, angle=fn.random.uniform(range=(-9.0, 9.0), name="angle"), name="turned")
        return fn.brightness_contrast(turned, contrast=1.2), labels

    client = Client(five().graph)
    svg = client.session.answers.picture(60.0).svg
    client.session.close()
    (path,) = re.findall(r'class="w label" stroke="#\w+" d="([^"]+)"', svg)
    lowest = max(y for (_, y), _ in raster._steps(path))
    assert lowest > max(card.y + card.height for card in cards_in(svg))


def cards_in(svg: str) -> list[stills.Box]:
    """The boxes of a picture's cards, that of the outputs last."""
    corner, size = r'<g transform="translate\(([-\d.]+) ([-\d.]+)\)">', r'<rect class="k" width="(\d+)" height="([\d.]+)"'
    return [stills.Box(*map(float, one)) for one in re.findall(corner + size, svg)]


@pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=3)
def detection():
    files, boxes, labels = fn.readers.coco(
        file_root=str(samples.photos()), annotations_file=str(samples.coco()), ratio=True, ltrb=True, name="reader"
    )
    anchor, shape, boxes, labels = fn.random_bbox_crop(boxes, labels, ltrb=True, name="random_bbox_crop")
    window = fn.decoders.image_slice(files, anchor, shape, name="window")
    names = ("brightness", "hue", "saturation")
    drawn = {name: fn.random.uniform(range=(0.5, 1.5), name=name) for name in names}
    colored = fn.color_twist(fn.resize(window, size=(96, 96), name="small"), **drawn, name="colored")
    coin = fn.random.coin_flip(name="coin")
    boxes = fn.bb_flip(boxes, horizontal=coin, ltrb=True, name="flipped_boxes")
    images = fn.crop_mirror_normalize(fn.flip(colored, horizontal=coin), mean=[123.675, 116.28, 103.53], name="images")
    return images, boxes, labels


@pytest.mark.parametrize("placed", [False, True])
def test_each_wire_ends_at_a_port_of_its_own_and_runs_through_no_card(placed: bool) -> None:
    graph = detection().graph
    places = {key: (20.0 + 300 * (i % 4), 14.0 + 330 * (i // 4)) for i, key in enumerate(graph)}
    client = Client(graph, view={"positions": {**places, "__outputs__": (1220, 14)}} if placed else {})
    svg = client.session.answers.picture(60.0).svg
    client.session.close()
    cards = cards_in(svg)
    assert len(cards) == 12 + 1
    paths = re.findall(r'class="w \w+" stroke="#\w+" d="([^"]+)"', svg)
    ends = [list(raster._steps(path))[-1][0] for path in paths]
    assert len(set(ends)) == len(ends) == 18
    for path in paths:
        points = [point for point, _ in raster._steps(path)]
        for (ax, ay), (bx, by) in pairwise(points):
            line = stills.Box(min(ax, bx), min(ay, by), max(abs(bx - ax), 0.1), max(abs(by - ay), 0.1))
            inner = [stills.Box(c.x + 2, c.y + 2, c.width - 4, c.height - 4) for c in cards]
            assert not any(line.meets(card) for card in inner), path
    assert ">anchor<" in svg and svg.count(">shape<") == 2
    assert ">123.675, …<" in svg  # whole numbers, clear of the name
    assert len(re.findall('height="12" rx="3"', svg)) == 4  # zeros and ones are squares


def test_names_and_values_of_a_row_have_room() -> None:
    for name in ("mean", "random_bbox_crop", "wwwwwwwwwwww", "interpolation_of_masks"):
        shown = words.fitted(name, 100, 12, bold=True)
        assert words.width_of(shown, 12, bold=True) <= 100 and shown[:3] == name[:3]
    assert words.cut("123.675, 116.28, 103.53", 16) == "123.675, …"
    assert words.cut("123.675, 116.28, 103.53", 18) == "123.675, 116.28, …"
    assert words.cut("brightness_contrast_12", 12) == "brightn…t_12"


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=3)
def branched(branches: int, steps: int):
    files, labels = fn.readers.file(file_root=str(samples.photos()), name="reader")
    ends = [fn.decoders.image(files)] * branches
    factor = fn.random.uniform(range=(0.9, 1.1))
    for step in range(steps):
        ends = [
            fn.brightness_contrast(one, brightness=factor, contrast=factor) if step % 2 else fn.hsv(one, saturation=factor)
            for one in ends
        ]
    return *ends, labels


def test_outputs_of_many_branches_stand_on_their_lines() -> None:
    client = Client(branched(5, 3).graph)
    svg = client.session.answers.picture(60.0).svg
    client.session.close()
    ends = re.findall(r'<use href="#ds-image" x="([\d.]+)" y="([\d.]+)"/>', svg)
    last = sorted({float(x) for x, _ in ends})[-2:]  # of the last operators, and of the outputs
    begin, end = ([float(y) for x, y in ends if float(x) == at] for at in last)
    assert begin[1:] == end[1:] and len(set(end)) == 5
    assert svg.count(">outputs<") == 1 and svg.count(">labels<") == 2


@pytest.mark.parametrize(("branches", "steps"), [(3, 18), (4, 21), (8, 18), (14, 14), (14, 21)])
def test_a_picture_of_a_large_graph_is_small_too(branches: int, steps: int) -> None:
    client = Client(branched(branches, steps).graph)
    svg = client.session.answers.picture(60.0).svg
    client.session.close()
    assert len(svg) <= 150_000
    photos = re.findall(r'viewBox="\d+ \d+ (\d+) \d+"><use', svg)
    assert len(photos) == branches * steps + 1  # one on each card of an image, in which something can be seen
    assert min(map(int, photos)) >= 16


def as_kept(graph: Graph, columns: int, pitch: int) -> dict[str, tuple[int, int]]:
    """Places in so many columns, the outputs right of all: large graphs have small cards, which stand closer."""
    places = {key: (20 + 184 * (i % columns), 14 + pitch * (i // columns)) for i, key in enumerate(graph)}
    return {**places, "__outputs__": (20 + 184 * columns, -26)}


@pytest.mark.parametrize("name", ["", *few((one.name for one in gallery.recipes(default_registry())), 15)])
def test_no_card_covers_another_one_wherever_they_were_placed(name: str) -> None:
    graph = branched(5, 11).graph
    assert len(graph) == 58
    if name:
        graph, _ = gallery.open_recipe(name, default_registry(), str(samples.photos()))
    draws = np.random.default_rng(len(graph))
    grids = [as_kept(graph, 4, 83), as_kept(graph, 11, 150)]
    anywhere = {key: tuple(draws.integers(0, 500, 2).tolist()) for key in grids[0]}
    for places in ({}, *grids, anywhere):
        client = Client(graph.copy(), view={"positions": places})
        cards = cards_in(client.session.answers.picture(0.0).svg)
        client.session.close()
        assert len(cards) > 2
        assert not any(one.meets(other) for one, other in combinations(cards, 2)), places
        if not name and places in grids:  # what was on one line is on one still
            lines, now = ([y for _, y in places.values()][:58], [card.y for card in cards][:58])
            assert len(set(zip(lines, now, strict=True))) == len(set(lines)) == len(set(now))


def test_cards_with_room_stay_where_they_were_placed() -> None:
    graph = turning().graph
    places = {key: (20 + 184 * i, 14 + 260 * i) for i, key in enumerate(graph)}
    client = Client(graph, view={"positions": {**places, "__outputs__": (900, 14)}})
    cards = cards_in(client.session.answers.picture(0.0).svg)
    client.session.close()
    assert [(card.x, card.y) for card in cards] == [*places.values(), (900, 14)]


@pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=4)
def kinds():
    files, boxes, _, _, corners = fn.readers.coco(
        file_root=str(samples.photos()), annotations_file=str(samples.coco()), ratio=True, ltrb=True,
        polygon_masks=True, name="reader",
    )  # fmt: skip
    video = fn.readers.video(file_root=str(samples.videos()), sequence_length=12, step=24, name="video")[0]
    sound = fn.decoders.audio(fn.readers.file(file_root=str(samples.sounds()))[0], dtype=types.FLOAT)[0]
    moved = fn.bb_flip(boxes, ltrb=True, horizontal=1, name="moved")
    points = fn.coord_flip(corners, flip_x=1, name="points")
    return fn.flip(fn.decoders.image(files), horizontal=1), moved, points, video, sound


def test_a_picture_shows_other_data_than_images_as_the_cards_do() -> None:
    client = Client(kinds().graph)
    shown = client.session.renderer.stills(client.session.shown.request())
    svg = client.session.answers.picture(60.0).svg
    client.session.close()
    boxes, points = shown["moved"].body, shown["points"].body
    assert isinstance(boxes, bodies.BoxesBody) and isinstance(points, bodies.PointsBody)
    assert svg.count('<text class="n"') == sum(right - left > 0.12 for left, _, right, _ in boxes.boxes) > 0
    dots = "".join(re.findall(r'<path d="(M[^"]*)" fill="none" stroke="#fff" stroke-width="4"', svg))
    assert dots.count("h.1") == len(points.points) > 0
    assert ">frame 1<" in svg and ">of 12<" in svg
    assert len(re.findall('<rect class="k" width="332"', svg)) == 1  # the sequence takes two columns
    assert re.search(r'<path class="y teal" d="M0 [\d.]+L', svg)  # the wave
    assert len(svg) < 150_000
    ET.fromstring(svg)
    cards = cards_in(svg)
    assert len(cards) == 8 + 1
    assert not any(one.meets(other) for one, other in combinations(cards, 2))


def test_no_time_stands_on_the_name_of_a_box() -> None:
    """Names stay within their picture, and a time that would cover one is left out."""
    body = bodies.BoxesBody(over="decode", count=1, boxes=((0.5, 0.8, 0.9, 1.0),), labels=("flower",))
    still = stills.Still(body, np.zeros((98, 148, 3), np.uint8), "1×4 f32")
    ((name, box),) = stills.labels(still, stills.ROOM)
    assert name == "flower" and box.y + box.height <= 98 and box.x + box.width <= 148
    node = messages.NodeView(key="moved", operator="bb_flip", device="cpu", arguments={}, inputs=(), argument_inputs={},
                             output_kinds=("boxes",), facts=())  # fmt: skip
    for shown, times in ((still, 0), (stills.Still(bodies.ImageBody(), still.picture, ""), 1)):
        card = picture._Card(node, {"moved": shown}, (), None, rows=2, wide=False)
        assert card.draw((1.5, 0.2)).count(">1.50 ms<") == times
    numbers = bodies.StatisticsBody(minimum=-0.076, maximum=1.05, mean=0.3, deviation=0.2, histogram=(4, 1, 2))
    # numbers of axes and histograms are below
    for body, picture_of in ((bodies.ImageBody(axes=True), still.picture), (numbers, None)):
        card = picture._Card(node, {"moved": stills.Still(body, picture_of, "")}, (), None, rows=2, wide=False)
        chip = re.search(r'y="(\d+)"[^>]*>1.50 ms<', card.draw((1.5, 0.2)))
        assert chip and int(chip[1]) < 28 + 16


def test_text_in_pictures() -> None:
    plain = io.BytesIO()
    Image.new("RGB", (3, 2)).save(plain, "png")
    made = with_text(plain.getvalue(), "Größe ✓")
    assert text_in(made) == "Größe ✓"
    Image.open(io.BytesIO(made)).verify()
    assert text_in(plain.getvalue()) is None and text_in(b"{}") is None and text_in(made[:40]) is None


def test_drawing_follows_the_svg() -> None:
    """A red square at its place, and a line of two px through the middle."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><g transform="translate(10 5)">'
        '<rect width="10" height="10" fill="#f00"/></g><path class="w" stroke="#00f" d="M24 10H40"/></svg>'
    )
    pixels = np.asarray(Image.open(io.BytesIO(png(svg))).convert("RGB"))
    assert pixels.shape == (40, 80, 3)
    assert tuple(pixels[20, 30]) == (255, 0, 0) and tuple(pixels[20, 14]) == (255, 255, 255)
    assert tuple(pixels[20, 60]) == (0, 0, 255) and tuple(pixels[8, 60]) == (255, 255, 255)


def test_the_designer_saves_pictures_and_opens_documents_that_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    client = Client(GRAPH.copy())
    try:
        client.send("ready")
        (saved,) = only(client.send("save_document", path="graph.png", what="picture"), messages.Saved)
        assert saved.what == "picture"
        text = text_in((tmp_path / "graph.png").read_bytes())
        assert text is not None
        assert only(client.send("save_document", path="graph.png", what="picture"), messages.Saved)  # its own
        (tmp_path / "graph.mmd").write_text("of somebody else")
        (refused,) = only(client.send("save_document", path="graph.mmd", what="picture"), messages.Refused)
        assert "is there already; nothing was written" in refused.diagnostics[0].message
        assert (tmp_path / "graph.mmd").read_text() == "of somebody else"
        assert only(client.send("save_document", path="graph.mmd", what="picture"), messages.Saved)  # asked for again
        client.edit({"type": "remove_node", "key": "angle"})
        (opened, *_) = only(client.send("open_text", text=text), messages.RevisionChanged)
        assert {node.key for node in opened.graph.nodes} == set(GRAPH)
        (before, *_) = only(client.send("undo"), messages.RevisionChanged)
        assert {node.key for node in before.graph.nodes} == set(GRAPH) - {"angle"}
        (again, *_) = only(client.send("redo"), messages.RevisionChanged)
        assert again.graph == opened.graph and again.positions == opened.positions
    finally:
        client.session.close()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"file_root": "{here}/photos"}, {"file_root": "photos"}),
        ({"file_root": "{here}"}, {"file_root": "."}),
        ({"file_root": "data/photos"}, {"file_root": "data/photos"}),
        ({"file_root": "{away}/photos", "shuffle_after_epoch": True}, {"shuffle_after_epoch": True}),
        ({"files": ("{here}/a.jpg", "b.jpg"), "labels": (1, 2)}, {"files": ("a.jpg", "b.jpg"), "labels": (1, 2)}),
        ({"files": ("{away}/a.jpg", "b.jpg"), "labels": (1, 2)}, {}),
    ],
)
def test_outputs_of_cells_name_no_folder_of_this_machine(
    given: dict[str, Any], kept: dict[str, Any], known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder elsewhere is a root, or left out where none can be remembered."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DALI_STUDIO_CONFIG", str(tmp_path / ("settings" if known else "file")))
    places = {"here": str(tmp_path), "away": str(tmp_path.parent / "elsewhere")}

    def placed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(placed(one) for one in value)
        return value.format(**places) if isinstance(value, str) else value

    graph = GRAPH.copy()
    graph.replace_node(replace(graph.node("reader"), arguments={name: placed(value) for name, value in given.items()}))
    client = Client(graph)
    try:
        bundle = client.session.answers.picture(0.0).bundle()
    finally:
        client.session.close()
    text = json.dumps(bundle[document.MIME])
    assert str(tmp_path.parent) not in text
    found, _, _ = document.loads(text, default_registry())
    away = known and "{away}" in repr(given)
    assert away == ("${elsewhere}/" in text)
    assert found.node("reader").arguments == ({name: placed(value) for name, value in given.items()} if away else kept)
    assert {**graph.node("reader").arguments} == {name: placed(value) for name, value in given.items()}
