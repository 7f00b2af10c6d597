"""Questions about outputs: sheets of variants, draws, pairs, pixels, arrays for the notebook, and pasted programs."""

from __future__ import annotations

import io
import operator
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from studio.clients import Client, only, rotating, set_argument

from dali_studio import Pipeline, fn, samples, types
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import document
from dali_studio.graph.edits import PortRef
from dali_studio.studio import gallery
from dali_studio.studio.nodes import Nodes
from dali_studio.studio.outputs.renderers import renderer_of
from dali_studio.studio.outputs.renderers.base import Shown
from dali_studio.studio.protocol import messages, output_messages
from dali_studio.studio.view import OUTPUTS

pytestmark = pytest.mark.usefixtures("ready")


def port(node: str, output: int = 0) -> dict[str, Any]:
    return {"node": node, "output": output}


def sheet(client: Client, node: str, variants: list[list[dict[str, Any]]], samples: list[int]) -> Any:
    return client.send(
        "request_sheet", name="batch", port=port(node), variants=variants, samples=samples, width=96, height=64
    )


def test_a_sheet_shows_every_variant_for_every_sample_and_changes_nothing(client: Client) -> None:
    graph = client.session.graph
    unplugged = {"type": "disconnect", "target": "rotate", "argument": "angle"}
    got = sheet(client, "rotate", [[], [unplugged, set_argument("rotate", "angle", 90.0)]], [0, 1, 2, 3, 4, 5])
    parts = only(got, output_messages.Sheet)
    assert [part.first for part in parts] == [True, False]
    assert [part.done for part in parts] == [False, True]
    cells = [cell for part in parts for cell in part.cells]
    assert {(cell.variant, cell.sample) for cell in cells} == {(v, k) for v in (0, 1) for k in range(6)}
    assert all(cell.width > 0 for cell in cells)
    sizes = {variant: {cell.text for cell in cells if cell.variant == variant} for variant in (0, 1)}
    assert sizes[0] != sizes[1] and all("×" in text for text in sizes[0] | sizes[1])  # told where it differs
    atlas = Image.open(io.BytesIO(next(b for m, b in got if isinstance(m, output_messages.Sheet))[0]))
    assert all(c.x + c.width <= atlas.width and c.y + c.height <= atlas.height for c in parts[0].cells)
    assert client.session.graph == graph


def test_rows_of_numbers_share_one_range() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        images = fn.decoders.image(fn.readers.file(file_root=str(samples.photos()))[0])
        pipe.set_outputs(fn.normalize(images, mean=0.0, stddev=1.0, name="numbers"), fn.brightness(images, name="bytes"))
    client = Client(pipe.graph)
    try:
        client.send("ready")
        got = sheet(client, "numbers", [[], [set_argument("numbers", "shift", 255.0)]], [0])
        (part,) = only(got, output_messages.Sheet)
        low, high = (float(word) for word in part.note.removeprefix("shown from ").split(",")[0].split(" to "))
        assert low < 10 and 450 < high <= 510
        atlas = np.asarray(Image.open(io.BytesIO(next(b for m, b in got if isinstance(m, output_messages.Sheet))[0])))
        dark, light = (atlas[c.y : c.y + c.height, c.x : c.x + c.width].mean() for c in part.cells)
        assert light - dark > 100  # over a range of its own each would be as bright
        (part,) = only(sheet(client, "bytes", [[], [set_argument("bytes", "brightness", 2.0)]], [0]), output_messages.Sheet)
        assert part.note == ""
    finally:
        client.session.close()


def test_a_cell_of_boxes_has_them_in_its_picture() -> None:
    graph, _ = gallery.open_recipe("ssd_training", default_registry(), str(samples.photos()))
    client = Client(graph)
    try:
        client.send("ready")
        seen: list[Any] = []
        # the boxes first: nothing else has asked for the picture behind them
        for node, output in (("flipped_boxes", 0), ("flipped", 0)):
            got = client.send(
                "request_sheet", name="batch", port=port(node, output), variants=[[]], samples=[2], width=96, height=64
            )
            ((_, buffers),) = [one for one in got if isinstance(one[0], output_messages.Sheet)]
            seen.append(np.asarray(Image.open(io.BytesIO(buffers[0]))).astype(int))
        assert (np.abs(seen[0] - seen[1]) > 60).any()
    finally:
        client.session.close()


def test_what_several_arguments_draw_is_answered_each(client: Client) -> None:
    """An inspector asks for all random arguments of a node at once."""
    client.edit({"type": "add_node", "key": "coin", "operator": "random.coin_flip"})
    begun, go_on = threading.Event(), threading.Event()
    client.session.worker.submit("output", lambda: (begun.set(), go_on.wait(60)))
    assert begun.wait(60)
    begin = len(client.received)
    for argument in ("angle", "fill_value", "angle"):
        client.session.receive(
            {"type": "request_sheet", "name": f"ends {argument}", "port": port("rotate"), "variants": [[]], "samples": [0],
             "width": 96, "height": 64}
        )  # fmt: skip
    for node in ("uniform", "coin"):
        client.session.receive({"type": "request_draws", "port": port(node)})
    go_on.set()
    assert client.session.worker.wait(60)
    got = client.received[begin:]
    assert sorted(part.name for part in only(got, output_messages.Sheet)) == ["ends angle", "ends fill_value"]
    assert {draws.port.node for draws in only(got, output_messages.Draws)} == {"uniform", "coin"}
    assert only(client.send("request_sheet", name="other"), messages.Refused)


def test_what_cannot_be_shown_says_why_in_its_cell(client: Client) -> None:
    (part,) = only(sheet(client, "rotate", [[set_argument("rotate", "angl", 1.0)]], [0]), output_messages.Sheet)
    assert part.cells[0].width == 0
    assert "angl" in part.cells[0].text and part.cells[0].failed
    (part,) = only(sheet(client, "uniform", [[]], [2]), output_messages.Sheet)
    values = np.array([float(v) for v in client.session.answers.output(PortRef(node="uniform"), [2]).samples])
    assert float(part.cells[0].text) == pytest.approx(values[0], rel=1e-3) and not part.cells[0].failed


def test_a_variant_draws_the_numbers_of_the_graph_as_it_is(client: Client) -> None:
    """Another random node in front of the first one would shift the seeds of all that follow."""
    added = {"type": "add_node", "key": "noise", "operator": "noise.gaussian", "arguments": {"stddev": 0.0}}
    wired = {"type": "connect", "source": port("decode"), "target": "noise", "input": 0}
    moved = {"type": "connect", "source": port("noise"), "target": "resize", "input": 0}
    (part,) = only(sheet(client, "uniform", [[], [added, wired, moved]], [1]), output_messages.Sheet)
    assert part.cells[0].text == part.cells[1].text


def test_a_node_that_is_given_the_seed_it_draws_by_draws_the_same(client: Client) -> None:
    """Others then take the seeds before theirs, unless they have their own, too."""

    def drawn() -> list[float]:
        return [float(v) for v in client.session.answers.output(PortRef(node="uniform"), range(6)).samples]

    before = drawn()
    added = client.edit({"type": "add_node", "key": "coin", "operator": "random.coin_flip"})
    (revision,) = only(added, messages.RevisionChanged)
    seeds = {node.key: node.seed for node in revision.graph.nodes if node.seed is not None}
    assert set(seeds) == {"reader", "uniform", "coin"} and len(set(seeds.values())) == 3
    got = client.edit(*(set_argument(key, "seed", seed) for key, seed in seeds.items()))
    assert drawn() == before
    assert [node.seed for node in only(got, messages.RevisionChanged)[-1].graph.nodes] == [None] * 7
    assert f"seed={seeds['uniform']}" in client.session.code().source


def test_a_thousand_draws_of_a_node_that_needs_no_data(client: Client) -> None:
    (draws,) = only(client.send("request_draws", port=port("uniform")), output_messages.Draws)
    assert draws.count == sum(draws.histogram) == 1000
    assert -40 <= draws.minimum < -39 < 39 < draws.maximum < 40
    assert only(client.send("request_draws", port=port("rotate")), output_messages.Draws) == []
    client.edit({"type": "add_node", "key": "coin", "operator": "random.coin_flip"})
    (draws,) = only(client.send("request_draws", port=port("coin")), output_messages.Draws)
    assert [value for value, _ in draws.levels] == [0.0, 1.0]
    assert sum(count for _, count in draws.levels) == 1000


def test_a_pair_says_how_far_two_outputs_are_apart(client: Client) -> None:
    side = {"port": port("resize"), "steps": 0}
    got = client.send("request_pair", a=side, b=side)
    (pair,) = only(got, output_messages.Pair)
    assert (pair.same, pair.largest) == (True, 0.0)
    one, other = next(b for m, b in got if isinstance(m, output_messages.Pair))
    assert one == other
    assert Image.open(io.BytesIO(one)).format == "PNG"
    client.edit(set_argument("resize", "resize_shorter", 60.0))
    (pair,) = only(client.send("request_pair", a={"port": port("resize"), "steps": 1}, b=side), output_messages.Pair)
    assert not pair.same
    assert pair.facts_a != pair.facts_b
    assert "scaled" in pair.note
    assert pair.past == ("resize.resize_shorter 120 px → 60 px",)
    (pair,) = only(client.send("request_pair", a=side, b={"port": port("uniform"), "steps": 0}), output_messages.Pair)
    assert pair.note == "B (uniform) gives no picture of this sample."
    # the other one is seen also where it fails
    assert only(client.edit(set_argument("normalize", "crop", [9000, 9000])), messages.Previews)[-1].failed
    got = client.send("request_pair", a=side, b={"port": port("normalize"), "steps": 0})
    ((pair, buffers),) = [(m, b) for m, b in got if isinstance(m, output_messages.Pair)]
    assert (pair.note, len(buffers)) == ("B (normalize) gives no picture of this sample.", 1)


def test_one_output_alone_has_its_pixels(client: Client) -> None:
    alone = "request_pair"
    got = client.send(alone, a={"port": port("resize"), "steps": 0})
    ((pair, (picture,)),) = [(m, b) for m, b in got if isinstance(m, output_messages.Pair)]
    made = client.session.renderer.engine.compute(client.session.current(), 0, [0]).outputs[PortRef(node="resize")]
    assert (pair.b, pair.note, only(got, output_messages.PairBatch)) == (None, "", [])
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(picture))), made.samples[0])
    (pair,) = only(client.send(alone, a={"port": port("uniform"), "steps": 0}), output_messages.Pair)
    assert pair.note == "uniform gives no picture of this sample."


def test_a_failure_names_the_size_below_zero_that_makes_it(client: Client) -> None:
    def failure(*edits: dict[str, Any]) -> Diagnostic:
        failed = only(client.edit(*edits), messages.Previews)[-1].failed
        return next(one for one in failed if one.node == "normalize")

    assert "resize makes the picture that small: resize_shorter is −5." in failure(set_argument("resize", "resize_shorter", -5.0)).hint
    drawn = {"type": "add_node", "key": "draw", "operator": "random.uniform", "arguments": {"range": (-9.0, -8.0)}}
    wire = {"type": "connect", "source": port("draw")}
    told = failure(drawn, {**wire, "target": "resize", "argument": "resize_shorter"}).hint
    assert "resize_shorter is −8." in told and ", from draw." in told
    whole = [{"type": "set_argument", "key": "normalize", "argument": "crop", "unset": True}, set_argument("normalize", "crop_h", 4.0)]
    found = failure({**wire, "target": "normalize", "argument": "crop_w"}, *whole)
    assert found.argument == "crop_w" and "is below 0" in found.message and found.hint.startswith("crop_w comes from draw.")


def sides(*names: str) -> list[dict[str, Any]]:
    return [{"port": port(name)} for name in names]


def test_a_pixel_has_the_numbers_themselves(client: Client) -> None:
    (pixel,) = only(client.send("request_pixel", sides=sides("resize", "normalize", "uniform"), x=0.5, y=0.25),
                    output_messages.Pixel)  # fmt: skip
    first, second = pixel.items
    resized = Nodes(client.session)["resize"].output()
    assert first.values == tuple(resized[first.row, first.column].tolist())
    assert first.row == int(0.25 * resized.shape[0])
    assert second.dtype == "f32"
    client.edit(set_argument("resize", "resize_shorter", 60.0))
    asked = [{"port": port("resize"), "steps": steps} for steps in (0, 1)]
    (pixel,) = only(client.send("request_pixel", sides=asked, x=0.5, y=0.25), output_messages.Pixel)
    assert [(item.side.steps, item.row) for item in pixel.items] == [(0, 15), (1, first.row)]
    assert pixel.items[1].values == first.values != pixel.items[0].values


def test_a_pixel_of_a_slice_has_its_number() -> None:
    pipe = Pipeline(1, 1, None)
    with pipe:
        volume = fn.constant(idata=list(range(6 * 7 * 8)), shape=[6, 7, 8], layout="DHW", name="volume")
        pipe.set_outputs(fn.reshape(volume[:, 3], layout="DW", name="slice"))
    client = Client(pipe.graph)
    (pixel,) = only(client.send("request_pixel", sides=sides("slice"), x=0.5, y=0.5), output_messages.Pixel)
    (item,) = pixel.items
    assert (item.row, item.column, item.values) == (3, 4, (3 * 56 + 3 * 8 + 4.0,))
    client.session.close()


def test_outputs_for_the_notebook_are_those_of_the_run(client: Client) -> None:
    nodes = Nodes(client.session)
    assert list(nodes) == list(client.session.graph)
    expected, _ = rotating().run()
    assert np.array_equal(nodes["normalize"].output(sample=2), np.asarray(expected[2]))
    whole = nodes["normalize"].outputs()
    assert all(np.array_equal(np.asarray(whole[k]), np.asarray(expected[k])) for k in range(6))
    with pytest.raises(KeyError, match="no node called 'x'"):
        nodes["x"]
    with pytest.raises(DaliStudioError):
        nodes["resize"].output(3)


def test_a_pasted_program_is_one_step(client: Client) -> None:
    before = client.session.graph
    got = client.send("paste_code", text="x = fn.flip(resize)\ny = fn.rotate(x, angle=5)", at={"x": 0.0, "y": 0.0})
    (revision,) = only(got, messages.RevisionChanged)
    assert {"flip", "rotate_2"} <= {n.key for n in revision.graph.nodes}
    assert revision.positions["rotate_2"].x > revision.positions["flip"].x
    client.send("undo")
    assert client.session.graph == before
    (refused,) = only(client.send("paste_code", text="import os", at={"x": 0.0, "y": 0.0}), messages.Refused)
    assert refused.diagnostics[0].code == "DS401"
    assert client.session.graph == before


def test_notes_and_groups_are_steps_and_stay_in_the_document(client: Client, tmp_path: Path) -> None:
    note = {"type": "note", "x": 1.0, "y": 2.0, "width": 180.0, "height": 90.0, "text": "why", "hue": "olive"}
    group = {"type": "group", "keys": ["resize", "rotate"], "title": "Geometry", "hue": "teal"}
    source, points = {"node": "decode", "output": 0}, [{"x": 3.0, "y": 4.0}]
    route = {"type": "route", "source": source, "wire": "resize|in|0", "points": points}

    def marks(got: Any) -> dict[str, Any]:
        return only(got, messages.RevisionChanged)[-1].marks

    def mark(**named: Any) -> dict[str, Any]:
        return marks(
            client.send("apply_edits", base_revision=client.session.revision, edits=[], marks=named)
        )

    assert mark(note1=note, group1=group) == {
        "note1": messages.Note(x=1.0, y=2.0, width=180.0, height=90.0, text="why"),
        "group1": messages.Group(keys=("resize", "rotate"), title="Geometry", hue="teal"),
    }
    assert set(mark(note1=None)) == {"group1"}
    assert set(marks(client.send("undo"))) == {"note1", "group1"}
    # junctions go with the cards of their wire, and come back with them
    assert mark(wire1=route)["wire1"].points == (messages.Position(x=3.0, y=4.0),)
    assert "wire1" not in marks(client.edit({"type": "remove_node", "key": "resize"}))
    assert set(marks(client.send("undo"))) == {"note1", "group1", "wire1"}
    # a colour goes with its node, whatever that is called
    assert mark(tag1={"type": "tag", "node": "rotate", "hue": "teal"})["tag1"].node == "rotate"
    renamed = marks(client.edit({"type": "rename", "key": "rotate", "new_key": "turned"}))
    assert renamed["tag1"] == messages.Tag(node="turned", hue="teal")
    assert "tag1" not in marks(client.edit({"type": "remove_node", "key": "turned"}))
    assert "tag1" in marks(client.send("undo"))
    # so does that its card stays where it is; that of the outputs can, too
    fixed = {key: {"type": "fixed", "node": node} for key, node in (("fixed1", "turned"), ("fixed2", OUTPUTS))}
    assert mark(**fixed)["fixed2"] == messages.Fixed(node=OUTPUTS)
    assert marks(client.edit({"type": "rename", "key": "turned", "new_key": "spun"}))["fixed1"].node == "spun"
    assert "fixed1" in marks(client.send("undo"))
    client.session.save(tmp_path / "x.dali.json")
    graph, view, _ = document.load(tmp_path / "x.dali.json", client.session.registry)
    again = Client(graph, view={**view, "marks": {**view["marks"], "bad": {"type": "note"}}})
    assert set(marks(again.send("ready"))) == {"note1", "group1", "wire1", "tag1", "fixed1", "fixed2"}
    again.session.close()


def test_a_node_that_is_left_out_passes_its_input_on_and_comes_back(client: Client) -> None:
    turned = Nodes(client.session)["normalize"].output()
    (revision,) = only(client.edit({"type": "set_bypass", "key": "rotate", "bypassed": True}), messages.RevisionChanged)
    states = {n.key: (n.bypassed, n.in_run) for n in revision.graph.nodes}
    assert states["rotate"] == (True, False)
    assert states["normalize"] == (False, True)
    assert "# bypassed: rotate = fn.rotate(" in client.session.code().source
    assert not np.array_equal(Nodes(client.session)["normalize"].output(), turned)
    (refused,) = only(client.edit({"type": "set_bypass", "key": "decode", "bypassed": True}), messages.Refused)
    assert "decode makes image data of encoded data" in refused.diagnostics[0].message
    client.send("undo")
    assert np.array_equal(Nodes(client.session)["normalize"].output(), turned)


def test_a_generator_that_is_left_out_leaves_arguments_their_own_values(client: Client) -> None:
    client.edit({"type": "disconnect", "target": "rotate", "argument": "angle"}, set_argument("rotate", "angle", 30.0))
    fixed = Nodes(client.session)["rotate"].output()
    client.edit({"type": "connect", "source": port("uniform"), "target": "rotate", "argument": "angle"})
    client.edit({"type": "set_bypass", "key": "uniform", "bypassed": True})
    assert np.array_equal(Nodes(client.session)["rotate"].output(), fixed)


def test_a_pair_of_sequences_is_that_of_a_frame() -> None:
    """The second one has frame 3 of the first in place of all others; of volumes it is a slice."""
    frames = np.random.default_rng(1).integers(0, 200, (5, 20, 30, 3), np.uint8)
    made = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with made:
        one = fn.external_source(source=lambda: [frames], layout="FHWC", name="one")
        volume = fn.external_source(source=lambda: [frames], layout="DHWC", name="volume")
        still = fn.sequence_rearrange(one, new_order=[3, 3, 3], name="still")
        made.set_outputs(one, still, volume)
    client = Client(made.graph)
    client.send("ready")
    a, b = ({"port": port(name), "steps": 0} for name in ("one", "still"))
    for plane in (3, 0, 2, 99):
        (pair,) = only(client.send("request_pair", a=a, b=b, plane=plane), output_messages.Pair)
        expected = np.abs(frames[min(plane, 4)].astype(int) - frames[3])
        assert (pair.planes, pair.same, pair.largest) == (5, not expected.any(), expected.max())
        assert pair.mean == pytest.approx(expected.mean())
        ((alone, (picture,)),) = [(m, b) for m, b in client.send("request_pair", a=a, plane=plane) if isinstance(m, output_messages.Pair)]
        assert alone.planes == 5 and np.array_equal(np.asarray(Image.open(io.BytesIO(picture))), frames[min(plane, 4)])
    (pixel,) = only(client.send("request_pixel", sides=sides("one", "volume", "still"), x=0.5, y=0.5, plane=2), output_messages.Pixel)
    assert [item.values for item in pixel.items] == [tuple(frames[k, 10, 15].tolist()) for k in (2, 2, 3)]
    client.session.close()


def test_large_pictures_have_every_pixel() -> None:
    volume = np.zeros((3, 40, 1700), np.float32)
    volume[1], volume[2] = 0.5, 3.0
    made = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with made:
        one = fn.external_source(source=lambda: [volume], layout="DHW", name="volume")
        other = fn.external_source(source=lambda: [volume[..., :900].copy()], layout="DHW", name="part")
        made.set_outputs(one, other)
    client = Client(made.graph)
    client.send("ready")
    a, b = ({"port": port(name), "steps": 0} for name in ("volume", "part"))
    # slices are mapped to the screen alike
    for plane, level in enumerate((0, 43, 255)):
        received = client.send("request_pair", a=a, plane=plane)
        (picture,) = next(buffers for m, buffers in received if isinstance(m, output_messages.Pair))
        drawn = np.asarray(Image.open(io.BytesIO(picture)))
        assert drawn.shape == (40, 1700, 3) and (drawn == level).all()
    (pair,) = only(client.send("request_pair", a=a, b=b, plane=1), output_messages.Pair)
    assert pair.note == (
        "B is scaled to A: 40×900 to 40×1700. The figures are of the pictures as they are shown, 0 to 255, and not of the values."
    )
    # a sheet has one of them in each cell
    asked = {"name": "batch", "port": port("volume"), "samples": [0], "variants": [[]], "width": 120, "height": 80}
    ((cell,),) = [one.cells for one in only(client.send("request_sheet", **asked), output_messages.Sheet)]
    assert (cell.width, cell.height) == (67, 80)
    client.session.close()

    classes = np.zeros((900, 1700), np.uint8)
    classes[:, 800:900], classes[300, 1650] = 1, 2
    shown = Shown(classes, "HW", "mask", full=True)
    large = renderer_of(shown).large(shown, -1)
    assert large is not None and large.image.shape == (900, 1700, 3)
    assert np.array_equal(large.image.any(axis=2), classes > 0)


def test_effects_are_shown_with_telling_values_beside_the_picture_itself(client: Client) -> None:
    graph = client.session.graph
    names = ["crop", "rotate", "readers.file", "no_such_operator"]
    got = client.send("request_effects", port=port("decode"), operators=names, width=120, height=80)
    (made,) = only(got, output_messages.Effects)
    itself, crop, rotate, reader, unknown = made.items
    assert [one.operator for one in made.items] == ["", *names]
    assert crop.width and crop.whole
    assert (rotate.width, rotate.height, rotate.whole) == (itself.width, itself.height, False)
    assert not reader.width and not unknown.width
    atlas = np.asarray(Image.open(io.BytesIO(next(b for m, b in got if isinstance(m, output_messages.Effects))[0])), np.int16)
    before, after = (atlas[one.y : one.y + one.height, one.x : one.x + one.width] for one in (itself, rotate))
    assert np.abs(before - after).mean() > 10
    assert client.session.graph == graph
    (made,) = only(client.send("request_effects", port=port("uniform"), operators=["crop"], width=9, height=9), output_messages.Effects)
    assert not any(one.width for one in made.items)


def test_recipes_have_pictures(client: Client) -> None:
    got = client.send("request_recipes", width=60, height=40)
    parts = only(got, output_messages.RecipePictures)
    pictures = {item.name: item for part in parts for item in part.items}
    assert pictures["resnet50"].width and pictures["medical_volumes"].width
    assert len(pictures) == len(list(gallery.folder().glob("*/pipeline.dali.json")))


def test_a_folder_is_looked_into(client: Client, tmp_path: Path) -> None:
    for name in ("cats/1.jpg", "cats/2.PNG", "dogs/notes.txt", ".hidden/3.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (found,) = only(client.send("request_folder", path=str(tmp_path)), messages.FolderFound)
    assert (found.path, found.folders, found.count) == (str(tmp_path), ("cats", "dogs"), 2)
    (found,) = only(client.send("request_folder", path=str(tmp_path), name="cats"), messages.FolderFound)
    assert (found.folders, found.count) == ((), 2)
    (found,) = only(client.send("request_folder", path=found.path, name=".."), messages.FolderFound)
    assert found.path == str(tmp_path)
    (found,) = only(client.send("request_folder", path=str(tmp_path / "gone")), messages.FolderFound)
    assert found.note == "It cannot be read: No such file or directory."


def test_of_arguments_that_exclude_each_other_the_older_one_can_be_taken_away(client: Client) -> None:
    client.edit(set_argument("resize", "resize_shorter", 60.0))
    got = client.edit(set_argument("resize", "resize_x", 70.0))
    (changed,) = only(got, messages.RevisionChanged)
    (repair,) = (one for one in changed.repairs if one.code == "DS103")
    assert (repair.node, repair.title) == ("resize", "Remove resize_shorter")
    client.send("apply_repair", code=repair.code, node=repair.node, argument=repair.argument)
    assert dict(client.session.graph.node("resize").arguments)["resize_x"] == 70.0
    assert "resize_shorter" not in client.session.graph.node("resize").arguments


@pytest.mark.parametrize("title", ["Pad outside", "Resize before"])
def test_a_window_that_leaves_some_pictures_is_repaired_in_one_step(client: Client, title: str) -> None:
    failing = only(client.edit(set_argument("normalize", "crop", (300, 90))), messages.Previews)[-1].failed
    (found,) = (one for one in failing if one.node == "normalize")
    assert (found.code, found.argument) == ("DS105", "crop")
    revision = only(client.received, messages.RevisionChanged)[-1]
    offered = {one.title: one for one in revision.repairs if (one.code, one.node, one.argument) == ("DS105", "normalize", "crop")}
    assert list(offered) == ["Pad outside", "Resize before"]
    wanted = {"code": "DS105", "node": "normalize", "argument": "crop", "title": title}
    got = client.send("apply_repair", **wanted)
    assert not only(got, messages.Previews)[-1].failed
    made = client.session.renderer.engine.compute(client.session.current(), 0, range(6)).outputs[PortRef(node="normalize")]
    assert {sample.shape[-2:] for sample in made.samples} == {(300, 90)}
    client.send("undo")
    assert client.session.graph.node("normalize").arguments["crop"] == (300, 90)


def test_operators_are_put_behind_pictures_of_any_size_with_values_that_fit() -> None:
    """As the search inserts them: with the values that they are shown with."""
    registry = default_registry()
    sizes = ((40, 30), (151, 121), (8, 200))
    photos = [np.full((*size, 3), 90, np.uint8) for size in sizes]
    shown = [one for one in registry.shown() if one.shown is not None and one.inputs and one.inputs[0].kind == "image"]
    failed: list[str] = []
    for schema in shown:
        if sum(not one.optional for one in schema.inputs) > 1 or schema.name == "debayer":  # which takes one channel
            continue
        pipe = Pipeline(batch_size=3, num_threads=1, device_id=None)
        with pipe:
            function = operator.attrgetter(schema.name)(fn)
            source = fn.external_source(source=lambda: photos, layout="HWC")
            values = {name: getattr(types, str(one), one) for name, one in (schema.shown or {}).items()}
            pipe.set_outputs(function(source, **values))
        try:
            pipe.run()
        except DaliStudioError as problem:
            failed.append(f"{schema.name}: {problem}")
    assert len(shown) > 20 and not failed


def test_a_size_below_zero_is_said_where_it_is_given(client: Client) -> None:
    got = client.edit(set_argument("resize", "resize_shorter", -5.0))
    (told,) = (one for one in only(got, messages.RevisionChanged)[-1].diagnostics if one.node == "resize")
    assert (told.severity, told.argument) == ("info", "resize_shorter") and "mirrors" in told.message


def test_a_pasted_compose_goes_behind_the_selected_card(client: Client) -> None:
    before = client.session.graph
    text = "import torchvision.transforms as T\nT.Compose([T.CenterCrop(99), T.ColorJitter(0.4)])\n"
    at, source = {"x": 0.0, "y": 0.0}, {"node": "decode", "output": 0}
    (revision,) = only(client.send("paste_code", text=text, at=at, source=source), messages.RevisionChanged)
    graph = client.session.graph
    assert graph.inputs("crop") == (PortRef(node="decode"),) and graph.inputs("color_twist") == (PortRef(node="crop"),)
    assert graph.inputs("resize") == (PortRef(node="color_twist"),) and graph.outputs == before.outputs
    assert any(isinstance(mark, messages.Differs) for mark in revision.marks.values())
    client.send("undo")
    assert client.session.graph == before
    client.send("paste_code", text=text, at=at)  # at the end, where no card is selected
    graph = client.session.graph
    assert graph.inputs("crop") == before.outputs[:1] and graph.outputs == (PortRef(node="color_twist"), *before.outputs[1:])
    # what a second one does otherwise stands beside that of the first
    (revision,) = only(client.send("paste_code", text=text, at=at), messages.RevisionChanged)
    told = [one.node for one in revision.diagnostics if one.code == "DS503"]
    assert told == ["crop", "crop_2"]
    unknown = "import albumentations as A\nA.Compose([A.NoSuchTransform()])\n"
    (refused,) = only(client.send("paste_code", text=unknown, at=at), messages.Refused)
    assert "NoSuchTransform" in refused.diagnostics[0].message
