"""Random transforms of other packages, put behind a picture as the search does."""

from __future__ import annotations

from studio.clients import Client, only, rotating

from dali_studio.studio import messages


def test_transforms_put_their_draws_behind_a_picture() -> None:
    client = Client(rotating().graph)
    (opened,) = only(client.send("ready"), messages.Opened)
    offered = {one.name: one for one in opened.catalog.operators if one.written_by}
    assert {"torchvision.ColorJitter", "albumentations.Rotate", "recipe.rotate + random angle"} <= set(offered)
    assert "from −30 to 30" in offered["torchvision.RandomRotation"].summary
    before = len(client.session.graph)
    for name in offered:
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
