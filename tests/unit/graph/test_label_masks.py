"""Pictures that are masks of others are known, and moved as these are, without anything between classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from unit.graph.labelled import REGISTRY, errors, findings, graph_of, pair, repaired

from dali_studio import fn, pipeline_def, samples, types
from dali_studio.api.pipeline import Pipeline
from dali_studio.graph.apply import apply
from dali_studio.graph.edits import Connect, PortRef, SetOutputs
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate


def kinds(graph: Graph) -> list[str]:
    metas = validate(graph, REGISTRY).metas
    return [metas[port].kind for port in graph.outputs]


def test_gray_pictures_beside_others_are_masks_on_their_whole_way() -> None:
    graph = graph_of(pair)
    masks = {port.node for port, meta in validate(graph, REGISTRY).metas.items() if meta.kind == "mask"}
    assert masks == {key for key in graph if graph.node(key).arguments.keys() & {"output_type", "interp_type"}}
    assert kinds(graph) == ["image", "mask"]


def test_gray_pictures_alone_or_of_the_same_file_are_none() -> None:
    def digits() -> tuple[Any, ...]:
        files, labels = fn.readers.file(file_root="/digits")
        small = fn.resize(fn.decoders.image(files, output_type=types.GRAY), size=(28, 28), interp_type=types.INTERP_NN)
        return small, fn.decoders.image(files), labels

    assert kinds(graph_of(digits)) == ["image", "image", "label"]
    assert kinds(graph_of(lambda: pair(random_shuffle=True))) == ["image", "image"]  # in another order


def test_masks_without_their_axis_of_channels_are_still_masks() -> None:
    def outputs() -> tuple[Any, ...]:
        files, _, _, masks = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", pixelwise_masks=True)
        plain = fn.squeeze(masks, axes=[2])
        again = fn.expand_dims(plain, axes=[2], new_axis_names="C")
        return fn.flip(fn.decoders.image(files)), plain, masks[:, :, 0], again, masks[0], fn.squeeze(masks, axes=[2])[0, 0]

    graph = graph_of(outputs)
    assert kinds(graph) == ["image", "mask", "mask", "mask", "any", "scalar"]
    assert len(findings(graph)) == 3


def coco_masks() -> tuple[Any, Any]:
    files, _, _, masks = fn.readers.coco(file_root="/x", annotations_file="/x/a.json", pixelwise_masks=True)
    return fn.decoders.image(files), masks


def test_masks_of_a_type_that_resize_does_not_take_are_cast() -> None:
    def outputs() -> tuple[Any, ...]:
        image, masks = coco_masks()
        image = fn.rotate(fn.resize(image, size=(50, 60), min_filter=types.INTERP_TRIANGULAR), angle=fn.random.uniform(), fill_value=114)
        return fn.crop(image, crop=(20, 20), crop_pos_x=fn.random.uniform()), masks

    made = repaired(graph_of(outputs))
    assert findings(made) == [] and errors(made) == []
    way = [made.outputs[1].node]
    while before := made.predecessors(way[-1])[:1]:
        way += before
    assert [made.node(key).operator for key in way[::-1]] == ["readers.coco", "cast", "resize", "rotate", "crop"]
    # no class is interpolated, and the background fills
    assert dict(made.node(way[2]).arguments) == {"size": (50.0, 60.0), "interp_type": "INTERP_NN"}
    assert dict(made.node(way[1]).arguments) == {"interp_type": "INTERP_NN", "fill_value": 0.0}


def test_masks_without_channels_are_moved_before_they_lose_them() -> None:
    def outputs() -> tuple[Any, ...]:
        image, masks = coco_masks()
        normal = fn.crop_mirror_normalize(image, mirror=fn.random.coin_flip(), mean=[1.0, 2.0, 3.0], std=[4.0, 5.0, 6.0], output_layout="HWC")
        return normal, fn.squeeze(masks, axes=[2])

    graph = graph_of(outputs)
    made = repaired(graph)
    assert findings(made) == [] and errors(made) == []
    assert made.outputs == graph.outputs
    (new,) = [node for node in made.nodes() if node.key not in graph]
    assert made.inputs(graph.outputs[1].node) == (PortRef(node=new.key),)
    assert dict(new.arguments) == {"output_layout": "HWC"}  # nothing is subtracted from classes


@pytest.mark.parametrize("otherwise", [False, True])
def test_what_is_done_in_a_branch_is_done_in_it_to_the_mask(otherwise: bool) -> None:
    @pipeline_def(batch_size=8, num_threads=1, device_id=None, seed=1, enable_conditionals=True)
    def program() -> Any:
        files, _, _, masks = fn.readers.coco(file_root=str(samples.photos()), annotations_file=str(samples.coco()), pixelwise_masks=True)
        image, coin = fn.decoders.image(files), fn.random.coin_flip(dtype=types.BOOL)
        if coin:
            image = image if otherwise else fn.flip(image)
        else:
            image = fn.flip(image) if otherwise else fn.brightness(image, brightness=1.5)
        return image, masks, coin

    pipe = program()
    (found,) = findings(pipe.graph)
    assert "branch" in found.hint
    made = repaired(pipe.graph)
    assert findings(made) == [] and errors(made) == []
    _, before, _ = pipe.run()
    _, after, coins = Pipeline.from_graph(made).run()
    for i in range(8):
        flipped = bool(coins.at(i)) is not otherwise
        np.testing.assert_array_equal(after.at(i), before.at(i)[:, ::-1] if flipped else before.at(i))
    # done to all samples it would be wrong
    reader = before_all(made)
    assert findings(reader)


def before_all(graph: Graph) -> Graph:
    """The mask's twin for all samples, in place of those of its branch."""
    twin = next(node.key for node in graph.nodes() if node.key.startswith("flipped"))
    source = graph.inputs(graph.predecessors(twin)[0])[0]
    assert source is not None
    outputs = (graph.outputs[0], PortRef(node=twin), graph.outputs[2])
    made, _ = apply(graph, (Connect(source=source, target=twin, input=0), SetOutputs(outputs=outputs)), REGISTRY)
    return made


def test_masks_get_no_window_of_their_own() -> None:
    def outputs() -> tuple[Any, ...]:
        image, masks = coco_masks()
        return fn.random_resized_crop(image, size=(20, 20)), masks

    graph = graph_of(outputs)
    assert len(findings(graph)) == 1 and repaired(graph) == graph
