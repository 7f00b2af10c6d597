"""A ``Compose`` of torchvision or albumentations in the code pane: its steps take the place of the program's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from studio.clients import Client, only
from studio.texts import TEXT, code

from dali_studio import Pipeline, read, samples
from dali_studio.graph import document
from dali_studio.studio.protocol import messages


@pytest.fixture
def client() -> Iterator[Client]:
    made = Client(read(TEXT))
    yield made
    made.session.close()


def test_a_compose_becomes_the_graph_in_one_step(client: Client) -> None:
    before = client.session.graph
    root = before.node("reader").arguments["file_root"]
    client.send("move_nodes", positions={"reader": {"x": 400.0, "y": 300.0}})
    text = "import torchvision.transforms as T\ntf = T.Compose([T.Resize(64), T.RandomHorizontalFlip(), {}T.ToTensor()])\n"
    got = client.send("apply_code", source=text.format("T.ColorJitter(0.2, 0.2), "))
    assert not only(got, messages.Refused)
    graph = client.session.graph
    assert {"reader", "resize", "flip", "color_twist"} < set(graph)
    assert graph.node("reader").arguments["file_root"] == root
    # what differs is said in its program
    (code,) = only(got, messages.Code)
    assert "# torchvision's ColorJitter: contrast is about the middle grey" in code.source and "T.Compose" not in code.source
    assert all(len(line) < 100 for line in code.source.splitlines() if "#" not in line and "photos" not in line)
    client.send("undo")
    assert client.session.graph == before
    # nothing changes where none of it could be done
    (refused,) = only(client.send("apply_code", source="import albumentations as A\nt = A.Compose([\n    A.MotionBlur()])\n"), messages.Refused)
    (found,) = refused.diagnostics
    assert (found.message, found.source) == ("albumentations's MotionBlur has no operator here.", "program:3")
    assert found.hint == "The nearest is filter." and client.session.graph == before


def test_what_has_no_operator_is_left_out_of_a_compose_with_a_word(client: Client) -> None:
    """At the node before it, in the program, and behind a card that it is pasted at."""
    text = "import albumentations as A\nt = A.Compose([{}A.CenterCrop(50, 50), {}A.HorizontalFlip(p=0.5)])\n"
    lost = "MotionBlur was left out: albumentations's MotionBlur has no operator here. The nearest is filter."
    for given, at in (("", "A.MotionBlur(), "), "crop"), (("A.MotionBlur(), ", ""), "decode"):
        got = client.send("apply_code", source=text.format(*given))
        assert not only(got, messages.Refused)
        told = [one for one in only(got, messages.RevisionChanged)[-1].diagnostics if one.code == "DS503"]
        # the first of all, as nothing of that step is done
        assert [(one.node, one.message) for one in told if one.severity == "warning"] == [(at, lost)] == [(told[0].node, told[0].message)]
        assert len(told) > 1 and f"# {lost}" in code(got).source
        assert {"crop", "flip"} < set(client.session.graph)
        client.send("undo")
    source = {"node": "decode", "output": 0}
    got = client.send("paste_code", text=text.format("A.MotionBlur(), ", ""), at={"x": 0.0, "y": 0.0}, source=source)
    told = [(one.node, one.message) for one in only(got, messages.RevisionChanged)[-1].diagnostics if one.code == "DS503"]
    assert ("decode", lost) in told and {"crop", "flip"} < set(client.session.graph)


def test_a_compose_with_chances_is_written_with_if_and_says_once_what_differs(client: Client) -> None:
    client.send("apply_code", source=TEXT)
    text = "import torchvision.transforms as T\ntf = T.Compose([T.RandomApply([T.ColorJitter(0.4, 0.4)], p=0.8), T.ToTensor()])\n"
    for _ in range(2):
        got = client.send("apply_code", source=text)
        assert not only(got, messages.Refused)
        source = client.session.code().source
        assert "enable_conditionals=True" in source and "seed=3" in source and "fn._conditional" not in source
        assert source.count("# torchvision's ColorJitter") == 1 and source.count("\n    if ") == 1


def differing(client: Client) -> list[tuple[str, str]]:
    """What nodes do otherwise than their Compose, as it is told."""
    told = [message for message, _ in client.received if isinstance(message, messages.RevisionChanged)][-1].diagnostics
    return [(one.node, one.message.partition(":")[0]) for one in told if one.code == "DS503" and one.severity == "info"]


def test_what_a_compose_does_otherwise_is_told_at_its_node_and_lasts(client: Client, tmp_path: Path) -> None:
    client.send("apply_code", source=TEXT)
    text = "import torchvision.transforms as T\ntf = T.Compose([T.CenterCrop(50), T.RandomApply([T.ColorJitter(0.4, 0.4)], p=0.8), T.ToTensor()])\n"
    client.send("apply_code", source=text)
    told = [("crop", "torchvision's CenterCrop"), ("color_twist", "torchvision's ColorJitter")]
    assert differing(client) == told
    path = tmp_path / "mine.dali.json"
    client.send("save_document", path=str(path), what="document")
    graph, view, _ = document.load(path)
    again = Client(graph, view=view, path=path)
    again.send("ready")
    assert differing(again) == told
    again.edit({"type": "rename", "key": "crop", "new_key": "middle"}, {"type": "remove_node", "key": "color_twist"})
    assert differing(again) == [("middle", "torchvision's CenterCrop")]
    again.send("undo")
    assert differing(again) == told
    again.session.close()
    # another Compose says its own
    client.send("apply_code", source="import torchvision.transforms as T\ntf = T.Compose([T.RandomHorizontalFlip(), T.ToTensor()])\n")
    assert not differing(client)


def test_a_compose_over_an_if_changes_nothing_when_it_is_pasted_again(client: Client) -> None:
    steps = """    if fn.random.coin_flip(probability=0.5, dtype=types.BOOL):
        images = fn.rotate(images, angle=20.0, fill_value=0)
        images = fn.gaussian_blur(images, sigma=3.0)
    else:
        images = fn.hsv(images, saturation=0.2)
"""
    source = TEXT.replace("    images = fn.resize(images, size=[60, 80])\n", steps)
    source = source.replace("@pipeline_def(", "@pipeline_def(enable_conditionals=True, ")
    assert not only(client.send("apply_code", source=source), messages.Refused)
    text = """train = transforms.Compose([
    transforms.RandomApply([transforms.ColorJitter(0.8, 0.8, 0.8, 0.2)], p=0.8),
    transforms.RandomGrayscale(p=0.2),
    transforms.GaussianBlur(kernel_size=23),
    transforms.ToTensor(),
])
"""
    (before,) = only(client.send("apply_code", source=text), messages.RevisionChanged)
    (now,) = only(client.send("apply_code", source=text), messages.RevisionChanged)
    assert now.graph == before.graph and any(node.operator == "color_twist" for node in now.graph.nodes)


def test_a_compose_that_is_pasted_again_changes_nothing(client: Client, tmp_path: Path) -> None:
    client.send("apply_code", source=TEXT)
    text = "import torchvision.transforms as T\ntf = T.Compose([T.RandomApply([T.ColorJitter(0.4, 0.4)], p=0.8), T.Pad(3), T.ToTensor()])\n"
    client.send("apply_code", source=text)
    client.send("save_document", path=str(tmp_path / "mine.dali.json"), what="document")
    (before,) = only(client.send("apply_edits", base_revision=client.session.revision, edits=[]), messages.RevisionChanged)
    source = client.session.code().source
    got = client.send("apply_code", source=text)
    (now,) = only(got, messages.RevisionChanged)
    assert now.revision > before.revision and now.saved and now.graph == before.graph and now.diagnostics == before.diagnostics
    assert client.session.code().source == source
    client.send("undo")
    assert "T.RandomApply" not in client.session.code().source and "resize" in client.session.graph


def test_a_compose_takes_the_place_of_the_steps_alone(client: Client) -> None:
    mine = TEXT.replace("    return images, labels", "    shapes = fn.shapes(images)  # as they came\n    return labels, images, shapes")
    client.send("apply_code", source=mine)
    before = client.session.graph
    text = "import torchvision.transforms as T\ntf = T.Compose([T.RandomHorizontalFlip(), T.Resize(64), T.ToTensor()])\n"
    for _ in range(2):
        got = client.send("apply_code", source=text)
        assert not only(got, messages.Refused)
        graph = client.session.graph
        assert graph.options == before.options and graph.node("reader") == before.node("reader")
        assert [port.node for port in graph.outputs][::2] == ["reader", "shapes"]
        assert graph.node("resize").arguments == before.node("resize").arguments  # another output needs it
        assert graph.node(graph.outputs[1].node).operator == "crop_mirror_normalize"
        source = code(got).source
        assert "def training():" in source and "seed=3" in source and "    # what is read" in source and "# as they came" in source
    client.send("undo")
    assert client.session.graph == before


BRANCHED = """    if fn.random.coin_flip(dtype=types.BOOL):
        images = fn.decoders.image(files)
    else:
        images = fn.decoders.image_random_crop(files)
"""


@pytest.mark.parametrize(
    ("decoding", "operators"),
    [
        ("    images = fn.decoders.image_random_crop(files, random_area=[0.2, 1.0])\n", ["decoders.image"]),
        (BRANCHED, ["decoders.image", "decoders.image_random_crop"]),
        ("    images = fn.decoders.image(files)\n" + BRANCHED.replace("fn.decoders.image(files)", "fn.flip(images)").replace(
            "fn.decoders.image_random_crop(files)", "fn.rotate(images, angle=10, keep_size=True)"), ["decoders.image"]),
    ],
    ids=["random window", "decoded in branches", "steps in branches"],
)  # fmt: skip
def test_a_compose_stands_behind_what_decodes(decoding: str, operators: list[str], client: Client) -> None:
    mine = TEXT.replace("    images = fn.decoders.image(files)   # RGB\n", decoding).replace("seed=3", "seed=3, enable_conditionals=True")
    client.send("apply_code", source=mine)
    text = "import torchvision.transforms as T\ntf = T.Compose([T.RandomApply([T.ColorJitter(0.4, 0.4)], p=0.8), T.CenterCrop(50), T.ToTensor()])\n"
    got = client.send("apply_code", source=text)
    assert not only(got, messages.Refused)
    assert not [one for one in only(got, messages.RevisionChanged)[-1].diagnostics if one.severity == "error"]
    graph = client.session.graph
    assert sorted(node.operator for node in graph.nodes() if node.operator.startswith("decoders")) == operators
    assert graph.node("reader").arguments["file_root"] == str(samples.photos()) and "resize" not in graph
    Pipeline.from_graph(graph).run()


def test_a_compose_has_no_place_behind_other_steps_of_a_branch(client: Client) -> None:
    branched = BRANCHED.replace("image(files)", "image(files)\n        images = fn.flip(images)", 1)
    mine = TEXT.replace("    images = fn.decoders.image(files)   # RGB\n", branched).replace("seed=3", "seed=3, enable_conditionals=True")
    client.send("apply_code", source=mine)
    before = client.session.graph
    got = client.send("apply_code", source="import torchvision.transforms as T\ntf = T.Compose([T.CenterCrop(50)])\n")
    (refused,) = only(got, messages.Refused)
    assert "decodes in a branch that has other steps" in refused.diagnostics[0].message and client.session.graph == before


@pytest.mark.parametrize("device", ["cpu", "mixed"])
def test_an_automatic_augmentation_stays_a_line_of_the_program(client: Client, device: str) -> None:
    source = TEXT.replace("image(files", f'image(files, device="{device}"')
    client.send("apply_code", source=source.replace("device_id=None", "device_id=0"))
    text = "import torchvision.transforms as T\ntf = T.Compose([T.CenterCrop(50), T.RandAugment(), T.ToTensor()])\n"
    got = client.send("apply_code", source=text)
    assert not only(got, messages.Refused)
    (revision,) = only(got, messages.RevisionChanged)
    assert not [one for one in revision.diagnostics if one.severity == "error"]
    assert "images = rand_augment.rand_augment(images, n=2, m=9" in client.session.code().source
    graph = client.session.graph
    (box,) = [mark for mark in revision.marks.values() if isinstance(mark, messages.Group)]
    assert (box.title, box.collapsed) == ("rand_augment", True) and 300 < len(box.keys) == len(graph) - len({"reader", "images", "crop", "normalize"})
    client.send("undo")
    # so it is where it is pasted behind a card
    got = client.send("paste_code", text=text, at={"x": 0.0, "y": 0.0}, source={"node": "decode", "output": 0})
    (revision,) = only(got, messages.RevisionChanged)
    assert not [one for one in revision.diagnostics if one.severity == "error"]
    (box,) = [mark for mark in revision.marks.values() if isinstance(mark, messages.Group)]
    assert set(box.keys) < set(client.session.graph) and len(box.keys) > 300
