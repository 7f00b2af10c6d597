"""What the label guard says of training programs as people write them: nothing of those that are right."""

from __future__ import annotations

import pytest

from dali_studio import read
from dali_studio.api.default import default_registry
from dali_studio.graph.apply import apply
from dali_studio.graph.labels.guard import CODE
from dali_studio.graph.labels.twins import twin_edits
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import infer, validate

REGISTRY = default_registry()
BOXES = "files, boxes, labels = fn.readers.coco(file_root='/x', annotations_file='/x/a.json', ltrb=True{})\n"
FRACTIONS, PIXELS = BOXES.format(", ratio=True"), BOXES.format("")
POINTS = "files, _, _, _, points = fn.readers.coco(file_root='/x', annotations_file='/x/a.json', polygon_masks=True)\n"
MASKS = """images, _ = fn.readers.file(file_root='/images', random_shuffle=True, seed=3, name='images')
masks, _ = fn.readers.file(file_root='/masks', random_shuffle=True, seed=3, name='masks')
images = fn.decoders.image(images)
masks = fn.decoders.image(masks, output_type=types.GRAY)
coin, x = fn.random.coin_flip(), fn.random.uniform()
"""
DECODE = "images = fn.decoders.image(files)\ncoin, x, y = fn.random.coin_flip(), fn.random.uniform(), fn.random.uniform()\n"
EXTENTS = "shape = fn.cast(fn.shapes(images), dtype=types.FLOAT)\nextents = fn.stack(shape[1], shape[0], shape[1], shape[0])\n"

RIGHT = {
    "SSD": FRACTIONS + """anchor, shape, boxes, labels = fn.random_bbox_crop(boxes, labels, thresholds=[0, 0.3], scaling=[0.3, 1.0], bbox_layout="xyXY")
images = fn.resize(fn.decoders.image_slice(files, anchor, shape), size=(300, 300))
coin = fn.random.coin_flip()
images = fn.crop_mirror_normalize(images, mirror=coin, mean=[1.0, 2.0, 3.0])
boxes, labels = fn.box_encoder(fn.bb_flip(boxes, ltrb=True, horizontal=coin), labels, anchors=[0.0, 0.0, 1.0, 1.0])
return images, boxes, labels""",
    "SSD, zoomed out": FRACTIONS + DECODE + """ratio = fn.random.uniform(range=(1.0, 4.0))
images = fn.paste(images, ratio=ratio, paste_x=x, paste_y=y, fill_value=(124, 116, 104))
boxes = fn.bbox_paste(boxes, ratio=ratio, paste_x=x, paste_y=y, ltrb=True)
anchor, shape, boxes, labels = fn.random_bbox_crop(boxes, labels, bbox_layout="xyXY")
return fn.resize(fn.slice(images, anchor, shape), size=(300, 300)), boxes, labels""",
    "YOLO, letterbox, scaled by a sum": PIXELS + DECODE + """shape = fn.peek_image_shape(files)
scale = 640.0 / math.max(shape[0], shape[1])
images = fn.resize(images, size=640, mode="not_larger")
images = fn.crop(images, crop=(640, 640), crop_pos_x=0, crop_pos_y=0, out_of_bounds_policy="pad")
return images, boxes * scale, labels""",
    "YOLO, padded, scaled by a transform": PIXELS + DECODE + """scale = 640.0 / fn.reductions.max(fn.peek_image_shape(files, dtype=types.FLOAT))
images = fn.pad(fn.resize(images, size=640, mode="not_larger"), axis_names="HW", shape=[640, 640], fill_value=114)
return images, fn.coord_transform(boxes, M=scale), labels""",
    "RetinaNet, boxes in pixels of the resized picture": FRACTIONS + DECODE + """images = fn.resize(images, resize_shorter=800, max_size=1333)
""" + EXTENTS + "return images, boxes * extents, labels",
    "DETR, centres and sizes": FRACTIONS + DECODE + """images = fn.resize(fn.flip(images, horizontal=coin), size=(640, 640))
boxes = fn.coord_transform(fn.bb_flip(boxes, horizontal=coin, ltrb=True), M=[0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5, -1, 0, 1, 0, 0, -1, 0, 1])
return images, fn.pad(boxes, fill_value=-1), labels""",
    "a window by hand, and a flip": FRACTIONS + DECODE + EXTENTS + """size = types.Constant([300.0, 400.0, 300.0, 400.0])
images = fn.flip(fn.crop(images, crop=(400, 300), crop_pos_x=x, crop_pos_y=y), horizontal=coin)
boxes = math.clamp((boxes * extents - fn.stack(x, y, x, y) * (extents - size)) / size, 0.0, 1.0)
return images, fn.bb_flip(boxes, horizontal=coin, ltrb=True), labels""",
    "a flip by hand, column by column": FRACTIONS + DECODE + """left, top, right, bottom = (boxes[:, i : i + 1] for i in range(4))
other = 1 - coin
boxes = fn.cat(left * other + (1 - right) * coin, top, right * other + (1 - left) * coin, bottom, axis=1)
return fn.flip(images, horizontal=coin), boxes, labels""",
    "HRNet": POINTS + DECODE + """matrix = fn.transforms.rotation(angle=fn.random.uniform(range=(-30.0, 30.0)), center=(128.0, 96.0))
matrix = fn.transforms.scale(matrix, scale=(1.2, 1.2), center=(128.0, 96.0))
images = fn.warp_affine(images, matrix, size=(256, 192), inverse_map=False, fill_value=0)
return images, fn.coord_transform(points, MT=matrix)""",
    "landmarks in a window": POINTS + DECODE + """corner = fn.stack(x, y)
images = fn.slice(images, corner, types.Constant([64.0, 64.0]), normalized_anchor=False, normalized_shape=False)
return images, fn.coord_transform(points, T=-corner)""",
    "Mask R-CNN": FRACTIONS.replace("labels =", "labels, masks =").replace("ratio=True", "ratio=True, pixelwise_masks=True") + DECODE
    + """images, masks = fn.flip(images, horizontal=coin), fn.flip(masks, horizontal=coin)
images = fn.resize(images, size=(512, 512))
masks = fn.resize(fn.cast(masks, dtype=types.UINT8), size=(512, 512), interp_type=types.INTERP_NN)
return images, fn.bb_flip(boxes, horizontal=coin, ltrb=True), labels, masks""",
    "U-Net": MASKS + """images, masks = fn.flip(images, horizontal=coin), fn.flip(masks, horizontal=coin)
images = fn.rotate(images, angle=x, keep_size=True, fill_value=0)
masks = fn.rotate(masks, angle=x, keep_size=True, fill_value=255, interp_type=types.INTERP_NN)
return fn.crop_mirror_normalize(images, mean=[1.0, 2.0, 3.0]), fn.squeeze(fn.cast(masks, dtype=types.INT64), axes=[2])""",
    "U-Net, cropped and mirrored by one node, the mask by two": MASKS + """images = fn.resize(images, size=(300, 300))
masks = fn.resize(masks, size=(300, 300), interp_type=types.INTERP_NN)
images = fn.crop_mirror_normalize(images, crop=(256, 256), crop_pos_x=x, mirror=coin, mean=[1.0, 2.0, 3.0])
return images, fn.flip(fn.crop(masks, crop=(256, 256), crop_pos_x=x), horizontal=coin)""",
    "U-Net, resized, cropped and mirrored by one node": MASKS + """images = fn.resize_crop_mirror(images, resize_shorter=300, crop=(256, 256), crop_pos_x=x, mirror=coin)
masks = fn.crop(fn.resize(masks, resize_shorter=300, interp_type=types.INTERP_NN), crop=(256, 256), crop_pos_x=x)
return images, fn.flip(masks, horizontal=coin)""",
    "two views with boxes of their own": FRACTIONS + DECODE + """return fn.resize(images, size=(32, 32)), boxes, fn.flip(images), fn.bb_flip(boxes, ltrb=True)""",
    "colours alone": FRACTIONS + DECODE + "return fn.gaussian_blur(fn.hsv(images, hue=x), sigma=1.0), boxes, labels",
}  # fmt: skip

#: Programs that are wrong, and the node that is to be found.
WRONG = {
    "boxes of another draw": (FRACTIONS + DECODE + "return fn.flip(images, horizontal=coin, name='step'), fn.bb_flip(boxes, horizontal=fn.random.coin_flip())", "step"),
    "a letterbox of fractions": (FRACTIONS + DECODE + "return fn.crop(fn.resize(images, size=640, mode='not_larger'), crop=(640, 640), out_of_bounds_policy='pad', name='step'), boxes", "step"),
    "pixels of a resized picture": (PIXELS + DECODE + "return fn.resize(images, size=(300, 300), name='step'), boxes", "step"),
    "centres and sizes, not flipped": (FRACTIONS + DECODE + "return fn.flip(images, horizontal=coin, name='step'), fn.coord_transform(boxes, M=[0.5, 0, 0.5, 0, 0, 0.5, 0, 0.5, -1, 0, 1, 0, 0, -1, 0, 1])", "step"),
    "centres and sizes by columns, not flipped": (FRACTIONS + DECODE + "first, last = boxes[:, 0:2], boxes[:, 2:4]\nreturn fn.flip(images, horizontal=coin, name='step'), fn.cat((first + last) / 2, last - first, axis=1)", "step"),
    "pixels by the extents, not cropped": (FRACTIONS + DECODE + "images = fn.crop(images, crop=(256, 256), name='step')\n" + EXTENTS + "return images, boxes * extents", "step"),
    "pixels by the extents, not flipped": (FRACTIONS + DECODE + "images = fn.flip(images, horizontal=coin, name='step')\n" + EXTENTS + "return images, boxes * extents", "step"),
    "a matrix the wrong way round": (POINTS + DECODE + "matrix = fn.transforms.rotation(angle=x)\nreturn fn.warp_affine(images, matrix=matrix, name='step'), fn.coord_transform(points, MT=matrix)", "step"),
    "a mask that is never resampled": (MASKS + "return fn.flip(images, horizontal=coin, name='step'), masks", "step"),
    "a mask of another window": (MASKS + "images = fn.crop_mirror_normalize(images, crop=(256, 256), mirror=coin, name='step')\nreturn images, fn.flip(fn.crop(masks, crop=(256, 256), crop_pos_x=x), horizontal=coin)", "step"),
    "one of two views": (FRACTIONS + DECODE + "return fn.flip(images, name='step'), fn.rotate(images, angle=x), boxes", "step"),
}  # fmt: skip


def graph_of(lines: str) -> Graph:
    body = lines.replace("\n", "\n    ")
    return read(f"""from nvidia.dali import fn, math, pipeline_def, types
@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def p():
    {body}
""")


def findings(graph: Graph) -> list[str]:
    return [found.message for found in validate(graph, REGISTRY).diagnostics if found.code == CODE]


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_of_what_is_right(name: str) -> None:
    graph = graph_of(RIGHT[name])
    assert not [one.message for one in validate(graph, REGISTRY).diagnostics if one.severity == "error"]
    assert findings(graph) == []


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name: str) -> None:
    lines, step = WRONG[name]
    (message,) = findings(graph_of(lines))
    assert step in message


def test_of_a_wired_matrix_that_maps_backward_the_words_say_what_to_do() -> None:
    lines = "matrix = fn.transforms.rotation(angle=x)\nreturn fn.warp_affine(images, matrix=matrix, name='step'), points"
    graph = graph_of(POINTS + DECODE + lines)
    (found,) = [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE]
    assert twin_edits(graph, REGISTRY, infer(graph, REGISTRY, set(graph)), found) is None
    assert "no operator inverts a wired one" in found.hint and "coord_transform" in found.hint


@pytest.mark.parametrize("name", [name for name in WRONG if name.startswith(("centres", "pixels by"))])
def test_labels_are_moved_before_they_are_written_otherwise(name: str) -> None:
    graph = graph_of(WRONG[name][0])
    (found,) = [one for one in validate(graph, REGISTRY).diagnostics if one.code == CODE]
    moved = twin_edits(graph, REGISTRY, infer(graph, REGISTRY, set(graph)), found)
    assert moved is not None
    made, _ = apply(graph, moved.edits, REGISTRY)
    assert findings(made) == []
    (twin,) = [node.key for node in made.nodes() if node.key not in graph and node.operator.startswith("bb")]
    boxes = made.inputs(twin)[0]
    assert boxes is not None and made.node(boxes.node).operator == "readers.coco"
    assert [target for target, _, _ in made.consumers(boxes)] == [twin]  # nothing else is made of the boxes as they were
