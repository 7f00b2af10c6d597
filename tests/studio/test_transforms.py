"""Random transforms of other packages, put behind a picture as the search does."""

from __future__ import annotations

from studio.clients import Client, only, rotating

from dali_studio import samples
from dali_studio.api.default import default_registry
from dali_studio.graph.edits import PortRef
from dali_studio.studio import gallery
from dali_studio.studio.protocol import messages


def test_transforms_put_their_draws_behind_a_picture() -> None:
    client = Client(rotating().graph)
    (opened,) = only(client.send("ready"), messages.Opened)
    offered = {one.name: one for one in opened.catalog.operators if one.written_by}
    assert {"torchvision.ColorJitter", "albumentations.Rotate", "recipe.rotate + random angle"} <= set(offered)
    assert "from −30 to 30" in offered["torchvision.RandomRotation"].summary
    before = len(client.session.graph)
    for name in offered:
        if name.startswith("torchaudio"):
            continue
        got = client.send("add_transform", name=name, source={"node": "resize"}, at={"x": 0, "y": 0})
        (revision,) = only(got, messages.RevisionChanged)
        assert not only(got, messages.Refused), name
        assert not [one for one in revision.diagnostics if one.severity == "error"], name
        graph = client.session.graph
        assert len(graph) > before
        (wire,) = [one for one in graph.wires("rotate") if one.input == 0]
        assert wire.source.node != "resize", name
        client.send("undo")
    names = {o.name: o.keywords for o in opened.catalog.operators}
    assert "randomrotation" not in [word.lower() for word in names["rotate"]]  # which would turn all samples alike


def test_a_transform_keeps_its_draws_names_and_its_probability() -> None:
    client = Client(rotating().graph)
    place = {"at": {"x": 0, "y": 0}, "source": {"node": "resize"}}
    (revision,) = only(client.send("add_transform", name="albumentations.Rotate", **place), messages.RevisionChanged)
    card = next(one for one in revision.graph.nodes if one.key == "rotate_2")
    assert (card.chance, card.argument_inputs["angle"].node) == (0.5, "angle")
    (revision,) = only(client.send("add_transform", name="nothing.Here", **place), messages.RevisionChanged)
    assert len(revision.graph.nodes) == 8
    (revision,) = only(
        client.send("add_transform", name="torchvision.RandomCrop", branch=True, **place), messages.RevisionChanged
    )
    assert {"crop", "positions"} <= {one.key for one in revision.graph.nodes}
    assert not [one for one in client.session.graph.wires() if one.source.node == "crop"]


def test_what_a_transform_does_otherwise_is_told_at_its_node() -> None:
    client = Client(rotating().graph)
    place = {"at": {"x": 0, "y": 0}, "source": {"node": "resize"}}
    (revision,) = only(client.send("add_transform", name="torchvision.ColorJitter", **place), messages.RevisionChanged)
    (told,) = [one for one in revision.diagnostics if one.code == "DS503"]
    assert told.node == "color_twist" and told.severity == "info" and "hue turns in YIQ" in told.message
    (revision,) = only(client.send("add_transform", name="albumentations.CLAHE", **place), messages.RevisionChanged)
    assert {one.node for one in revision.diagnostics if one.code == "DS503"} == {"color_twist", "clahe"}
    client.send("undo")
    (revision,) = only(client.send("undo"), messages.RevisionChanged)
    assert not [one for one in revision.diagnostics if one.code == "DS503"]


def test_mel_filters_of_a_bare_sound_are_told() -> None:
    client = Client(gallery.folder_graph(str(samples.sounds()), default_registry()))
    (sound,) = [node.key for node in client.session.graph.nodes() if node.operator == "decoders.audio"]
    got = client.edit({"type": "add_node", "key": "mel", "operator": "mel_filter_bank"},
                      {"type": "connect", "source": {"node": sound}, "target": "mel", "input": 0})  # fmt: skip
    (found,) = [one for one in only(got, messages.RevisionChanged)[-1].diagnostics if one.node == "mel"]
    assert (found.code, found.severity, found.argument) == ("DS203", "warning", "spectrogram")
    assert found.message == f"{sound} gives a sound; mel takes what spectrogram makes of one."


def test_a_mel_spectrogram_of_a_sound_is_one_of_its_spectrogram_at_its_rate() -> None:
    client = Client(gallery.folder_graph(str(samples.sounds()), default_registry()))
    (opened,) = only(client.send("ready"), messages.Opened)
    inputs = {one.name: one.inputs[0].kind for one in opened.catalog.operators if one.name.startswith("torchaudio.")}
    assert set(inputs.values()) == {"audio"}
    (sound,) = [node.key for node in client.session.graph.nodes() if node.operator == "decoders.audio"]
    rate = float(client.session.answers.output(PortRef(node=sound, output=1)).samples[0])
    for name, steps in (("MelSpectrogram", 2), ("MFCC", 4)):
        got = client.send("add_transform", name=f"torchaudio.{name}", source={"node": sound}, at={"x": 0, "y": 0})
        (revision,) = only(got, messages.RevisionChanged)
        assert not [one for one in revision.diagnostics if one.severity == "error"]
        graph = client.session.graph
        made = [node for node in graph.nodes() if "spectrogram" in node.operator or "mel" in node.operator]
        assert [node.operator for node in made] == ["spectrogram", "mel_filter_bank"]
        assert made[1].arguments["sample_rate"] == rate
        assert sum(sound in graph.reachable([PortRef(node=key)]) for key in graph) == 2 + steps - 1
        client.send("undo")
