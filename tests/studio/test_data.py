"""Data sets in the designer: opened by their path whatever they are, looked into, and replaced where they are missing."""

from __future__ import annotations

import io
import json
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from studio.clients import Client, only, set_argument

from dali_studio import Designer, fn, pipeline_def, samples
from dali_studio.api.default import default_registry
from dali_studio.api.engine import Engine
from dali_studio.cli import main
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.graph import document
from dali_studio.graph.model import Graph, Node
from dali_studio.graph.validate import validate
from dali_studio.schema.record_samples import example
from dali_studio.studio import gallery
from dali_studio.studio.data.sources import pointed_at
from dali_studio.studio.protocol import messages


def photos() -> list[Path]:
    return sorted(samples.photos().rglob("*.jpg"))[:5]


def folder(root: Path) -> Path:
    for number, photo in enumerate(photos()):
        (root / f"class{number % 2}").mkdir(parents=True, exist_ok=True)
        shutil.copy(photo, root / f"class{number % 2}" / photo.name)
    return root


def listed(root: Path) -> Path:
    folder(root)
    lines = [f"{path.relative_to(root)} {number}" for number, path in enumerate(sorted(root.rglob("*.jpg")))]
    (root / "list.txt").write_text("\n".join(lines))
    return root / "list.txt"


def annotated(root: Path) -> Path:
    (root / "pictures").mkdir(parents=True)
    for photo in photos():
        shutil.copy(photo, root / "pictures" / photo.name)
    content = {
        "images": [{"id": i, "file_name": p.name, "width": 9, "height": 9} for i, p in enumerate(photos())],
        "categories": [{"id": 1, "name": "thing"}],
        "annotations": [
            {"id": i, "image_id": i, "category_id": 1, "bbox": [1, 1, 5, 5], "area": 25, "iscrowd": 0} for i in range(5)
        ],
    }
    (root / "annotations.json").write_text(json.dumps(content))
    return root / "annotations.json"


def archived(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    with tarfile.open(root / "shard.tar", "w") as archive:
        for number, photo in enumerate(photos()):
            for name, content in ((f"{number}.jpg", photo.read_bytes()), (f"{number}.cls", str(number).encode())):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return root / "shard.tar"


def recorded(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    path = root / "shard.tfrecord"
    with path.open("wb") as file:
        for number, photo in enumerate(photos()):
            features = {"image/class/label": [number], "image/encoded": [photo.read_bytes()], "text": [b"words"]}
            message = example(features, packed=True)
            file.write(len(message).to_bytes(8, "little") + bytes(4) + message + bytes(4))
    assert main(["tfrecord2idx", str(path), str(path.with_suffix(".idx"))]) == 0
    return path


KINDS: list[tuple[Callable[[Path], Path], str, int]] = [
    (folder, "readers.file", 2), (listed, "readers.file", 2), (annotated, "readers.coco", 3),
    (archived, "readers.webdataset", 2), (recorded, "readers.tfrecord", 2),
]  # fmt: skip


@pytest.mark.parametrize(("make", "operator", "outputs"), KINDS, ids=lambda v: getattr(v, "__name__", ""))
def test_a_data_set_is_opened_by_its_path_and_looked_into(
    make: Callable[[Path], Path], operator: str, outputs: int, tmp_path: Path
) -> None:
    client = Client(Graph())
    got = client.send("open_folder", path=str(make(tmp_path / "data")))
    assert not only(got, messages.Refused)
    (previews,) = only(got, messages.Previews)
    graph = client.session.graph
    reader = next(node for node in graph.nodes() if node.operator == operator)
    assert len(graph.outputs) == outputs and not previews.failed
    sent = client.send("request_data", key=reader.key)
    ((found, buffers),) = [(m, b) for m, b in sent if isinstance(m, messages.DataSet)]
    assert (found.key, found.total, len(found.samples)) == (reader.key, 5, 5)
    assert sorted(s.size for s in found.samples) == sorted(p.stat().st_size for p in photos())
    atlas = Image.open(io.BytesIO(buffers[0]))
    for sample in found.samples:
        assert "×" in sample.facts and sample.x + sample.cell_width <= atlas.width and sample.y + sample.cell_height <= atlas.height
    assert [(one.name, one.unit, sum(one.counts)) for one in found.spreads] == [
        ("width", "px", 5), ("height", "px", 5), ("file", "B", 5)
    ]  # fmt: skip
    assert all(one.minimum <= one.median <= one.maximum for one in found.spreads)
    names = {label for sample in found.samples for label in sample.labels}
    assert names >= ({"thing"} if operator == "readers.coco" else {"1"})
    client.session.close()


def test_annotations_are_read_as_operators_of_boxes_take_them(tmp_path: Path) -> None:
    client = Client(Graph())
    path = annotated(tmp_path / "data")
    client.send("open_folder", path=str(path))
    (reader,) = [node for node in client.session.graph.nodes() if node.operator == "readers.coco"]
    assert (reader.arguments["ratio"], reader.arguments["ltrb"]) == (True, True)
    client.edit(set_argument(reader.key, "ratio", False))
    edits = pointed_at(client.session.graph, client.session.registry, reader.key, path)
    assert "ratio" not in {getattr(edit, "argument", "") for edit in edits}  # as somebody has chosen
    client.session.close()


@pytest.mark.parametrize(("operators", "name"), [
    (("readers.file", "decoders.audio"), "a.wav"), (("readers.file", "decoders.image"), "a.jpg"),
    (("readers.file",), "a.jpg"), (("readers.numpy",), "a.npy"),
])  # fmt: skip
def test_of_a_folder_of_several_kinds_a_reader_takes_those_that_it_feeds(
    operators: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    shutil.copy(photos()[0], tmp_path / "a.jpg")
    shutil.copy(next(samples.sounds().rglob("*.wav")), tmp_path / "a.wav")
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    client = Client(Graph())
    keys = ("reader", "decode")[: len(operators)]
    client.edit(*({"type": "add_node", "key": key, "operator": one} for key, one in zip(keys, operators, strict=True)))
    if operators[1:]:
        client.edit({"type": "connect", "source": {"node": "reader"}, "target": "decode", "input": 0})
    client.send("point_reader", key="reader", path=str(tmp_path))
    assert client.session.graph.node("reader").arguments == {"files": (str(tmp_path / name),)}
    client.session.close()


@pytest.mark.parametrize(
    ("place", "operators", "kind"),
    [
        (samples.sounds, ["readers.file", "decoders.audio"], "audio"),
        (samples.videos, ["experimental.readers.video"], "video"),
        (samples.volumes, ["readers.numpy", "reshape"], "any"),
    ],
    ids=["sounds", "videos", "volumes"],
)
def test_folders_of_other_kinds_are_opened(place: Callable[[], Path], operators: list[str], kind: str) -> None:
    client = Client(Graph())
    got = client.send("open_folder", path=str(place()))
    assert not only(got, messages.Refused)
    (previews,) = only(got, messages.Previews)
    graph = client.session.graph
    assert [node.operator for node in graph.nodes()] == operators and not previews.failed
    assert client.session.current().validation.metas[graph.outputs[0]].kind == kind
    (found,) = only(client.send("request_folder", path=str(place())), messages.FolderFound)
    assert found.count > 0 and found.kind == {"audio": "sound", "video": "video", "any": "array"}[kind]
    client.session.close()


def test_a_reader_that_has_nothing_to_read_says_so() -> None:
    graph, _, _ = document.load(gallery.folder() / "image_and_mask" / gallery.FILE, default_registry())
    client = Client(graph)
    client.send("ready")
    (refused,) = only(client.send("request_data", key="reader"), messages.Refused)
    assert [one.message for one in refused.diagnostics] == ["nothing to read: file_root, files and file_list are not set."]
    client.session.close()


def test_a_new_reader_says_what_is_missing_and_how_to_give_it() -> None:
    graph = Graph()
    graph.add_node(Node(key="faces", operator="readers.coco"))
    (found,) = (one for one in validate(graph, default_registry()).diagnostics if one.node == "faces")
    assert found.message == "nothing to read: file_root is not set."
    assert found.hint == "Give file_root, such as file_root='/data/photos'."


def test_sounds_are_looked_into() -> None:
    client = Client(Graph())
    client.send("open_folder", path=str(samples.sounds()))
    ((found, buffers),) = [(m, b) for m, b in client.send("request_data", key="reader") if isinstance(m, messages.DataSet)]
    assert [(one.name, one.unit) for one in found.spreads] == [("length", "ms"), ("rate", "Hz"), ("file", "B")]
    assert all(re.fullmatch(r"[\d.]+ s at 16000 Hz", one.facts) for one in found.samples)
    assert np.ptp(np.asarray(Image.open(io.BytesIO(buffers[0])))) > 100  # waves are drawn
    client.session.close()


@pytest.mark.parametrize(
    ("place", "extents", "facts"),
    [(samples.videos, ["frames", "width", "height", "sample"], r"8×192×256×3 uint8"),
     (samples.volumes, ["depth", "width", "height", "sample"], r"48×96×80 \w+")],
    ids=["videos", "volumes"],
)  # fmt: skip
def test_frames_and_arrays_are_looked_into(place: Callable[[], Path], extents: list[str], facts: str) -> None:
    client = Client(Graph())
    client.send("open_folder", path=str(place()))
    ((found, buffers),) = [(m, b) for m, b in client.send("request_data", key="reader") if isinstance(m, messages.DataSet)]
    assert [one.name for one in found.spreads] == extents
    assert len(found.samples) == min(found.total, 32) > 1
    assert all(re.fullmatch(facts, one.facts) and one.size > 10_000 for one in found.samples)
    assert np.ptp(np.asarray(Image.open(io.BytesIO(buffers[0])))) > 100
    client.session.close()


def test_arrays_without_a_plane_are_told_of_in_words(tmp_path: Path) -> None:
    for number, sample in enumerate((np.zeros(5), np.zeros((0, 4, 4)), np.array([[1.0, np.nan]]))):
        np.save(tmp_path / f"{number}.npy", sample)
    client = Client(Graph())
    client.send("open_folder", path=str(tmp_path))
    (found,) = only(client.send("request_data", key="reader"), messages.DataSet)
    assert {s.facts for s in found.samples} == {"5 float64", "0×4×4 float64", "1×2 float64"}
    client.session.close()


def test_records_without_an_index_say_how_to_make_it(tmp_path: Path) -> None:
    path = recorded(tmp_path / "data")
    path.with_suffix(".idx").unlink()
    client = Client(Graph())
    (refused,) = only(client.send("open_folder", path=str(path)), messages.Refused)
    assert "dali-studio tfrecord2idx" in refused.diagnostics[0].message
    client.session.close()


def test_a_list_names_files_of_a_folder_beside_it(tmp_path: Path) -> None:
    folder(tmp_path / "pictures")
    lines = [f"{path.relative_to(tmp_path / 'pictures')} 3" for path in sorted((tmp_path / "pictures").rglob("*.jpg"))]
    (tmp_path / "list.txt").write_text("\n".join(lines))
    client = Client(Graph())
    (previews,) = only(client.send("open_folder", path=str(tmp_path / "list.txt")), messages.Previews)
    assert not previews.failed
    client.session.close()


def test_without_a_path_the_sample_photos_are_opened() -> None:
    client = Client(Graph())
    assert not only(client.send("open_folder", path=""), messages.Refused)
    (reader,) = [node for node in client.session.graph.nodes() if node.operator == "readers.file"]
    assert reader.arguments["file_root"] == str(samples.photos())
    assert len(client.session.graph.outputs) == 2
    client.session.close()


def test_a_reader_whose_folder_is_missing_is_given_another_one(tmp_path: Path) -> None:
    client = Client(Graph())
    client.send("open_folder", path=str(folder(tmp_path / "old")))
    key = next(node.key for node in client.session.graph.nodes() if node.operator == "readers.file")
    shutil.move(tmp_path / "old", tmp_path / "new")
    (refused,) = only(client.send("request_data", key=key), messages.Refused)
    assert "old" in refused.diagnostics[0].message
    client.send("point_reader", key=key, path=str(tmp_path / "new"))
    assert client.session.graph.node(key).arguments == {"file_root": str(tmp_path / "new")}
    assert only(client.send("request_data", key=key), messages.DataSet)
    client.send("undo")
    assert client.session.graph.node(key).arguments["file_root"] == str(tmp_path / "old")
    for other in ("decode", "nothing"):
        (refused,) = only(client.send("request_data", key=other), messages.Refused)
        assert refused.diagnostics[0].code == "DS209"
    flat = tmp_path / "flat"
    flat.mkdir()
    shutil.copy(photos()[0], flat)
    client.send("point_reader", key=key, path=str(flat))
    assert set(client.session.graph.node(key).arguments) == {"files"}
    client.session.close()


def test_photos_side_by_side_are_read_as_one_class_of_the_folder_above(tmp_path: Path) -> None:
    flat = tmp_path / "my [best] photos"
    flat.mkdir()
    for number in range(12):
        shutil.copy(photos()[0], flat / f"{number}.jpg")
    client = Client(Graph())
    client.send("open_folder", path=str(folder(tmp_path / "old")))
    key = next(node.key for node in client.session.graph.nodes() if node.operator == "readers.file")
    client.send("apply_edits", base_revision=client.session.current().number,
                edits=[{"type": "set_argument", "key": key, "argument": "file_root", "value": str(flat)}])  # fmt: skip
    (refused,) = only(client.send("request_data", key=key), messages.Refused)
    assert "the 12 files directly in it have no class" in refused.diagnostics[0].message
    client.send("point_reader", key=key, path=str(flat))
    told = client.session.graph.node(key).arguments
    assert told == {"file_root": str(tmp_path), "dir_filters": ("my [[]best] photos",)}
    (found,) = only(client.send("request_data", key=key), messages.DataSet)
    assert found.total == 12
    # another folder, and one that lies beside a link that leads nowhere
    client.send("point_reader", key=key, path=str(tmp_path / "old"))
    assert client.session.graph.node(key).arguments == {"file_root": str(tmp_path / "old")}
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    client.send("point_reader", key=key, path=str(flat))
    assert set(client.session.graph.node(key).arguments) == {"files"}
    client.session.close()


def test_a_root_that_nobody_knows_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DALI_STUDIO_CONFIG", str(tmp_path / "settings"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    @pipeline_def(batch_size=2, num_threads=2, device_id=None, seed=1)
    def two() -> Any:
        first, _ = fn.readers.file(file_root="${shop}/train", name="first")
        second, _ = fn.readers.file(file_root="${shop}/test", name="second")
        return fn.decoders.image(first), fn.decoders.image(second)

    client = Client(two().graph)
    failed = [one for got in only(client.send("ready"), messages.Previews) for one in got.failed]
    assert {(one.code, one.node) for one in failed} == {("DS302", "first"), ("DS302", "second")}
    here = folder(tmp_path / "data" / "train").parent
    folder(here / "test")
    client.send("point_reader", key="first", path=str(here / "train"))
    roots = {node.key: node.arguments.get("file_root") for node in client.session.graph.nodes()}
    assert (roots["first"], roots["second"]) == (str(here / "train"), str(here / "test"))
    client.send("save_document", path=str(tmp_path / "two.dali.json"), what="document")
    text = (tmp_path / "two.dali.json").read_text()
    assert "${shop}/train" in text and "${shop}/test" in text and str(tmp_path) not in text
    assert document.load(tmp_path / "two.dali.json")[0] == client.session.graph
    client.session.close()


def test_what_is_no_data_set_is_refused_with_what_is_accepted(tmp_path: Path) -> None:
    client = Client(Graph())
    (tmp_path / "a.csv").write_text("1,2")
    (tmp_path / "b.json").write_text('{"images": []}')
    (tmp_path / "c.tar").write_bytes(b"no archive")
    with tarfile.open(tmp_path / "d.tar", "w") as archive:
        archive.add(tmp_path / "a.csv", "a.csv")
    for name in ("a.csv", "b.json", "c.tar", "d.tar"):
        (refused,) = only(client.send("open_folder", path=str(tmp_path / name)), messages.Refused)
        (found,) = refused.diagnostics
        assert found.code == "DS302" and name in found.message and "WebDataset (.tar)" in (found.hint or "")
    client.send("open_folder", path=str(folder(tmp_path / "data")))
    key = next(node.key for node in client.session.graph.nodes() if node.operator == "readers.file")
    (refused,) = only(client.send("point_reader", key=key, path=str(archived(tmp_path / "e"))), messages.Refused)
    assert "is read by fn.readers.webdataset" in refused.diagnostics[0].message
    client.session.close()


@pytest.mark.parametrize("name", ["jpeg", "cmyk", "grey", "alpha", "colours", "webp", "tiff", "pixel"])
def test_a_designer_opens_a_folder_with_any_picture(tmp_path: Path, name: str) -> None:
    folder = tmp_path / f"my photos of 写真, {name}"
    folder.mkdir()
    image = Image.new("RGB", (1, 1) if name == "pixel" else (40, 30), (200, 80, 20))
    modes = {"cmyk": "CMYK", "grey": "L", "alpha": "RGBA", "colours": "P"}
    endings = {"alpha": "png", "colours": "png", "webp": "webp", "tiff": "tiff"}
    file = folder / f"Größe 1.{endings.get(name, 'jpg')}"
    image.convert(modes.get(name, "RGB")).save(file)
    for path in (str(folder), file):
        designer = Designer(path)
        assert designer.node["decode"].output().shape == (image.height, image.width, 3)
        designer.close()


def test_a_designer_says_what_a_folder_lacks(tmp_path: Path) -> None:
    with pytest.raises(DaliStudioError, match=r"holds no images, sounds, videos or arrays, nor do its sub-folders: it is empty"):
        Designer(tmp_path)
    (tmp_path / "words.txt").write_text("no picture")
    with pytest.raises(DaliStudioError, match=r"holds no images, sounds, videos or arrays, nor do its sub-folders: 1 other file"):
        Designer(str(tmp_path))


@pytest.mark.parametrize("count", [3, 12])
@pytest.mark.parametrize("ending", ["", "_mask"])
def test_images_with_masks_beside_them_are_read_in_step(tmp_path: Path, client: Client, count: int, ending: str) -> None:
    for name, suffix in (("images", ".jpg"), ("masks", f"{ending}.png")):
        (tmp_path / name).mkdir()
        for number in range(count):
            picture = np.full((12, 16, 3) if name == "images" else (12, 16), number, np.uint8)
            Image.fromarray(picture).save(tmp_path / name / f"{number:02}{suffix}")
    (found,) = only(client.send("request_folder", path=str(tmp_path)), messages.FolderFound)
    assert (found.count, found.kind, found.masked) == (count, "image", True)
    client.send("open_folder", path=str(tmp_path))
    graph = client.session.graph
    assert [port.node for port in graph.outputs] == ["decode", "mask"]
    engine = Engine(graph, default_registry(), background=False)
    engine.schedule()
    images, masks = ([round(float(np.asarray(one.as_cpu()[i]).mean())) for i in range(len(one))] for one in engine.result())
    engine.close()
    assert images == masks == list(range(min(count, 8)))
    # what moves the image moves the mask, or its guard speaks
    assert client.session.current().validation.metas[graph.outputs[1]].kind == "mask"
    client.edit({"type": "add_node", "key": "flip", "operator": "flip", "device": "cpu", "arguments": {}},
                {"type": "connect", "source": {"node": "decode", "output": 0}, "target": "flip", "input": 0},
                {"type": "set_outputs", "outputs": [{"node": "flip", "output": 0}, {"node": "mask", "output": 0}]})  # fmt: skip
    found = client.session.current().validation.diagnostics
    moved = any(wire.source.node == "mask" for wire in client.session.graph.wires())
    assert moved or "DS210" in {one.code for one in found}


@pytest.mark.parametrize(("names", "suffix"), [(("cats", "dogs"), ".png"), (("images", "masks"), ".jpg"), (("a", "masks", "more"), ".png")])
def test_folders_of_classes_are_no_masks(tmp_path: Path, client: Client, names: tuple[str, ...], suffix: str) -> None:
    for name in names:
        (tmp_path / name).mkdir()
        Image.fromarray(np.zeros((12, 16, 3), np.uint8)).save(tmp_path / name / f"0{suffix}")
    client.send("open_folder", path=str(tmp_path))
    assert "mask" not in client.session.graph
