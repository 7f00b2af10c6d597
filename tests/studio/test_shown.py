"""Outputs of every kind in a session: on cards, in the strip and in the inspector, and over which pictures."""

from __future__ import annotations

import io
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from studio.clients import Client, only

from dali_studio import Pipeline, fn, pipeline_def, samples, types
from dali_studio.api.default import default_registry
from dali_studio.graph.edits import PortRef
from dali_studio.runtime.workers import WorkerPool
from dali_studio.schema.sample_videos import encoded_video
from dali_studio.studio.outputs.around import shown_of
from dali_studio.studio.outputs.previews import PreviewEngine
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.still import still
from dali_studio.studio.protocol import bodies, messages, output_messages
from dali_studio.studio.revision import Revision

GRID = np.arange(40 * 60 * 3, dtype=np.uint8).reshape(40, 60, 3)


def pipeline() -> Pipeline:
    """One source of every kind; the boxes belong to the photo that comes with them."""
    noise = np.random.default_rng(3)
    photo = noise.integers(0, 255, (60, 80, 3), np.uint8)
    data: dict[str, tuple[str, NDArray[Any]]] = {
        "video": ("FHWC", noise.integers(0, 255, (6, 30, 40, 3), np.uint8)),
        "volume": ("DHWC", noise.random((12, 30, 40, 1), np.float32)),
        "sound": ("", np.sin(np.arange(4000, dtype=np.float32) / 30)),
        "matrix": ("", np.eye(3, dtype=np.float32)),
        "vector": ("", noise.integers(0, 9, 500)),
    }  # fmt: skip
    made = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=1)
    with made:
        nodes = [
            fn.external_source(source=partial(list, [array, array]), layout=layout or None, name=name)
            for name, (layout, array) in data.items()
        ]
        boxes = np.array([[0.1, 0.1, 0.6, 0.9], [0.5, 0.2, 0.9, 0.5]], np.float32)
        nodes += fn.external_source(
            source=lambda: ([photo, photo], [boxes, boxes]), num_outputs=2, layout=["HWC"]
        )
        files, _ = fn.readers.file(file_root=str(samples.photos()), name="reader")
        made.set_outputs(*nodes, files)
    return made


def test_previews_of_every_kind_arrive_with_their_pictures() -> None:
    client = Client(pipeline().graph)
    got = client.send("ready")
    ((previews, buffers),) = [(m, b) for m, b in got if isinstance(m, messages.Previews)]
    assert not previews.failed
    items = {(item.key, item.output): item for item in previews.items}
    assert {key: type(item.body).__struct_config__.tag for key, item in items.items()} == {
        ("video", 0): "planes", ("volume", 0): "volume", ("sound", 0): "wave", ("matrix", 0): "table",
        ("vector", 0): "statistics", ("source", 0): "image", ("source", 1): "boxes", ("reader", 0): "text",
        ("reader", 1): "table",
    }  # fmt: skip
    boxed = items["source", 1].body
    assert isinstance(boxed, bodies.BoxesBody) and boxed.over == "source" and items["source", 1].atlas_width > 0
    atlas = Image.open(io.BytesIO(buffers[0]))
    for item in previews.items:
        assert item.atlas_x + item.atlas_width <= atlas.width and item.atlas_y + item.atlas_height <= atlas.height
    client.session.close()


@pytest.mark.parametrize("noisy", [False, True])
def test_a_thumbnail_takes_64_kb_at_most_on_the_finest_screen(noisy: bool) -> None:
    noise = np.random.default_rng(3).integers(0, 255, (700, 900, 3), np.uint8)
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None, seed=1)
    with pipe:
        files, _ = fn.readers.file(file_root=str(samples.photos()))
        given = fn.external_source(source=partial(list, [noise]), layout="HWC") if noisy else fn.decoders.image(files)
        pipe.set_outputs(given, fn.rotate(given, angle=20.0))
    client = Client(pipe.graph)
    got = client.send("ready", preview_width=3 * 148)  # as mount.tsx asks for it
    ((previews, (sheet,)),) = [(m, b) for m, b in got if isinstance(m, messages.Previews)]
    drawn = [item for item in previews.items if item.atlas_width]
    assert len(drawn) >= 2 and all(item.atlas_width > 300 for item in drawn)
    assert len(sheet) <= 64_000 * len(drawn)
    client.session.close()


@pytest.mark.parametrize(("count", "wide"), [(6, True), (7, False)])
def test_volumes_take_two_columns_where_few_of_them_are_in_a_graph(count: int, wide: bool) -> None:
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        volume = fn.external_source(source=partial(list, [np.zeros((5, 30, 40, 1), np.uint8)]), layout="DHWC", name="given")
        for _ in range(count - 1):
            volume = fn.cast(volume, dtype=types.UINT8)
        pipe.set_outputs(volume)
    client = Client(pipe.graph)
    (revision,) = only(client.send("ready"), messages.RevisionChanged)
    assert {node.wide for node in revision.graph.nodes} == {wide}
    client.session.close()


@pytest.mark.parametrize(("shape", "kind"), [((12, 30, 40), "volume"), ((30, 40, 3), "statistics"), ((3, 30, 40), "statistics")])
def test_an_array_of_a_reader_that_has_no_layout_is_a_volume_by_its_shape(tmp_path: Path, shape: tuple[int, ...], kind: str) -> None:
    np.save(tmp_path / "one.npy", np.random.default_rng(1).random(shape, np.float32))
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.readers.numpy(file_root=str(tmp_path), name="reader"))
    client = Client(pipe.graph)
    (previews,) = only(client.send("ready"), messages.Previews)
    assert [type(item.body).__struct_config__.tag for item in previews.items] == [kind]
    client.session.close()


def test_the_strip_shows_middle_slices_of_volumes() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        volume = np.zeros((5, 30, 40, 1), np.uint8)
        volume[2, :, :20] = 255
        given = fn.external_source(source=partial(list, [volume, volume]), layout="DHWC")
        pipe.set_outputs(fn.resize(given, size=(5, 30, 40), interp_type=types.INTERP_NN))
    client = Client(pipe.graph)
    ((_, (picture,)),) = [one for one in client.send("ready") if isinstance(one[0], messages.SampleStrip)]
    cells = np.asarray(Image.open(io.BytesIO(picture)).convert("L"))
    for cell in (cells[:, :56], cells[:, 56:]):
        assert cell[28, 10] > 240 and cell[28, 46] < 15
    client.session.close()


def test_the_inspector_asks_for_a_slice() -> None:
    client = Client(pipeline().graph)
    client.send("ready")
    for asked, plane in ((-1, 0), (2, 2), (99, 5)):
        (detail,) = only(client.send("request_detail", key="video", output=0, plane=asked), output_messages.ImageDetail)
        assert (detail.planes, detail.plane, detail.has_output) == (6, plane, True)
    (detail,) = only(client.send("request_detail", key="volume", output=0), output_messages.ImageDetail)
    assert (detail.extents, detail.depth, detail.has_output) == ((12, 30, 40), 13, True)
    (detail,) = only(client.send("request_detail", key="sound", output=0), output_messages.ImageDetail)
    assert detail.has_output and detail.histogram and detail.extents == ()
    client.session.close()


def test_boxes_stand_over_the_image_that_was_moved_as_they_were() -> None:
    @pipeline_def(batch_size=2, num_threads=1, device_id=None, seed=1)
    def program() -> Any:
        files, boxes, _ = fn.readers.coco(file_root=str(samples.photos()), annotations_file=str(samples.coco()), ratio=True, ltrb=True)
        image, coin = fn.resize(fn.decoders.image(files), size=[60, 90]), fn.random.coin_flip()
        return fn.flip(image, horizontal=coin, name="turned"), fn.bb_flip(boxes, ltrb=True, horizontal=coin, name="boxes")

    revision = Revision(program().graph, default_registry(), 0, 1)
    with closing(WorkerPool(1)) as workers, closing(PreviewEngine(default_registry(), workers)) as engine:
        made = engine.compute(revision, 0, [0]).outputs
    port = next(port for port in made if port.node == "boxes")
    shown = shown_of(revision, port, made)
    backdrop = shown.backdrop()
    assert backdrop is not None and backdrop.node == "turned"
    drawn = still(shown)
    assert drawn is not None and drawn.shape == (60, 90, 3) and (drawn != backdrop.image).any()


def test_boxes_and_points_stand_over_the_picture_after_what_moves_both_and_boxes_tell_their_classes() -> None:
    @pipeline_def(batch_size=1, num_threads=1, device_id=None, seed=1)
    def program() -> Any:
        files, boxes, labels, _, corners = fn.readers.coco(
            file_root=str(samples.photos()), annotations_file=str(samples.coco()), ratio=True, ltrb=True, polygon_masks=True, name="reader"
        )
        turned = fn.flip(fn.decoders.image(files, name="decode"), vertical=1, horizontal=0, name="turned")
        moved = fn.bb_flip(boxes, ltrb=True, vertical=1, horizontal=0, name="moved")
        points = fn.coord_flip(corners, flip_x=0, flip_y=1, name="points")
        given = fn.external_source(source=lambda: GRID, batch=False, layout="HWC", name="given")
        places = fn.external_source(source=lambda: np.array([[0.25, 0.5]], np.float32), batch=False, name="places")
        return fn.resize(turned, size=[60, 90]), moved, points, labels, fn.flip(given, name="mirrored"), fn.coord_flip(places, name="there")

    revision = Revision(program().graph, default_registry(), 0, 1)
    with closing(WorkerPool(1)) as workers, closing(PreviewEngine(default_registry(), workers)) as engine:
        made = engine.compute(revision, 0, [0]).outputs
    over = {("reader", 1): "decode", ("moved", 0): "turned", ("reader", 4): "decode", ("points", 0): "turned", ("there", 0): "mirrored"}
    for (node, output), image in over.items():
        shown = shown_of(revision, PortRef(node=node, output=output), made)
        assert renderer_of(shown).card(shown, 100, 100).note.split(";")[0] == f"over {image}", node
        if shown.kind == "boxes":
            assert [one.name for one in shown.classes()] == ["cat"]


def test_masks_of_files_of_their_own_stand_over_their_photos(tmp_path: Path) -> None:
    for name, folder in (("photo.png", "images"), ("classes.png", "masks")):
        (tmp_path / folder / "all").mkdir(parents=True)
        Image.fromarray(GRID if folder == "images" else GRID[..., 0] // 128 * 255).save(tmp_path / folder / "all" / name)

    @pipeline_def(batch_size=1, num_threads=1, device_id=None, seed=1)
    def program() -> Any:
        photo = fn.decoders.image(fn.readers.file(file_root=str(tmp_path / "images"))[0], name="photo")
        classes = fn.decoders.image(fn.readers.file(file_root=str(tmp_path / "masks"))[0], output_type=types.GRAY, name="classes")
        angle = fn.random.uniform(range=(-20.0, 20.0))
        turned = fn.rotate(photo, angle=angle, fill_value=0, name="turned")
        marked = fn.rotate(classes, angle=angle, fill_value=0, interp_type=types.INTERP_NN, name="marked")
        light = fn.brightness_contrast(fn.resize(turned, size=(32, 32), name="small"), brightness=1.5)
        return light, fn.cast(fn.resize(marked, size=(32, 32), interp_type=types.INTERP_NN, name="small_mask"), dtype=types.FLOAT, name="given")

    revision = Revision(program().graph, default_registry(), 0, 1)
    with closing(WorkerPool(1)) as workers, closing(PreviewEngine(default_registry(), workers)) as engine:
        made = engine.compute(revision, 0, [0]).outputs
    over = {"classes": "photo", "marked": "turned", "small_mask": "small", "given": "small"}
    for name, image in over.items():
        shown = shown_of(revision, PortRef(node=name), made)
        assert shown.kind == "mask"
        assert renderer_of(shown).card(shown, 100, 100).note == f"over {image}"


def test_times_of_a_video_go_with_its_frames_while_each_is_changed_alone(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="needs PyAV")
    path = tmp_path / "clip.webm"
    path.write_bytes(encoded_video("vp9", 20, (64, 48)))
    with Pipeline(batch_size=1, num_threads=1, device_id=None) as made:
        read: dict[str, Any] = {"filenames": [str(path)]}
        video = fn.experimental.readers.video(**read, sequence_length=6, stride=3, name="video")
        padded = fn.experimental.readers.video(**read, sequence_length=30, pad_mode="constant", name="padded")
        small = fn.flip(fn.resize(video, size=[24, 32]), name="small")
        made.set_outputs(small, fn.sequence_rearrange(video, new_order=[5, 4, 3, 2, 1, 0], name="back"), padded)
    client = Client(made.graph)
    (previews,) = only(client.send("ready"), messages.Previews)
    shown: dict[str, Any] = {item.key: item.body for item in previews.items}
    times = {key: shown[key].times for key in ("video", "small", "back", "padded")}
    assert times["video"] == times["small"] == pytest.approx((0.0, 0.12, 0.24, 0.36, 0.48, 0.6))
    assert times["back"] == times["padded"] == ()  # in another order, and with filled frames
    client.session.close()
