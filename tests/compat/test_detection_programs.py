"""Programs of detection and segmentation against nvidia.dali: SSD's training input, and a picture with its mask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared import declared
from peers import check

from dali_studio.schema.samples import picture
from dali_studio.schema.tolerance import Tolerance

pytestmark = pytest.mark.usefixtures("nvidia")

Array = np.ndarray[Any, Any]
#: Pictures are resized, whose ties are rounded to even there in some places; labels and boxes must be equal.
RESIZED = Tolerance(
    1, 0.05, relative=2e-7, reason="ties of resizing, and logarithms that may be the nearest float's neighbour"
)


def default_boxes() -> list[float]:
    """Anchors of SSD on grids of 8, 4 and 2 cells: left, top, right, bottom."""
    made: list[Array] = []
    for cells, sizes in ((8, (0.1, 0.2)), (4, (0.3, 0.5)), (2, (0.6, 0.9))):
        centres = (np.stack(np.meshgrid(np.arange(cells), np.arange(cells)), axis=-1).reshape(-1, 2) + 0.5) / cells
        for size in sizes:
            for ratio in (1.0, 2.0, 0.5):
                half = np.array([size * ratio**0.5, size / ratio**0.5]) / 2
                made.append(np.concatenate([centres - half, centres + half], axis=1))
    return np.clip(np.concatenate(made), 0, 1).astype(np.float32).ravel().tolist()


@pytest.fixture(name="coco")
def coco_names(data_dir: Path) -> dict[str, Any]:
    root = data_dir / "coco"
    return {"root": str(root / "images"), "file": str(root / "instances.json"), "anchors": default_boxes()}


SSD = """
    jpegs, boxes, labels = fn.readers.coco(
        file_root=root, annotations_file=file, ratio=True, ltrb=True, skip_empty=True, random_shuffle=True,
        initial_fill=8, name="reader",
    )
    start, extent, boxes, labels = fn.random_bbox_crop(
        boxes, labels, aspect_ratio=[0.5, 2.0], thresholds=[0, 0.1, 0.3, 0.5, 0.7, 0.9], scaling=[0.3, 1.0],
        bbox_layout="xyXY", allow_no_crop=True, num_attempts=50,
    )
"""


@pytest.mark.parametrize("window", ["decoders.image_slice(jpegs, start, extent)", "slice(fn.decoders.image(jpegs), start, extent)"])
def test_the_training_input_of_ssd(coco: dict[str, Any], window: str) -> None:
    """Reader, window around boxes, decoding of the window, resizing, mirroring, normalising, and matching with anchors."""
    program = f"""{SSD}
    images = fn.{window}
    images = fn.resize(images, resize_x=64, resize_y=64, min_filter=types.INTERP_TRIANGULAR)
    mirror = fn.random.coin_flip(probability=0.5)
    boxes = fn.bb_flip(boxes, ltrb=True, horizontal=mirror)
    images = fn.crop_mirror_normalize(images, mirror=mirror, dtype=types.UINT8, output_layout="CHW")
    targets, classes = fn.box_encoder(
        boxes, labels, criteria=0.5, anchors=anchors, offset=True, stds=[0.1, 0.1, 0.2, 0.2], scale=64,
    )
    return images, targets, classes
    """
    check(program, tolerance=RESIZED, names=coco, iterations=4, batch_size=6)


def test_the_window_is_that_of_the_boxes(coco: dict[str, Any]) -> None:
    """What is drawn, and which boxes are left, bit by bit."""
    check(f"{SSD}    return start, extent, boxes, labels", names=coco, iterations=8, batch_size=7)


@pytest.mark.parametrize(
    "settings", ["thresholds=[0.5], allow_no_crop=False", "thresholds=[0.2, 0.7], all_boxes_above_threshold=False, num_attempts=2"]
)
def test_a_picture_without_boxes_is_cropped(settings: str) -> None:
    """The first window: there is no box that it cuts, whatever the threshold is."""
    program = f"""
    boxes = fn.external_source(source=lambda: given, ndim=2)
    return fn.random_bbox_crop(boxes, scaling=[0.3, 1.0], aspect_ratio=[0.5, 2.0], bbox_layout="xyXY", seed=3, {settings})
    """
    given = [np.zeros((0, 4), np.float32), np.array([[0.2, 0.2, 0.8, 0.9]], np.float32), np.zeros((0, 4), np.float32)]
    check(program, names={"given": given}, iterations=4, batch_size=3)


def test_boxes_follow_a_rotation_and_a_paste(coco: dict[str, Any]) -> None:
    program = """
    jpegs, boxes, labels = fn.readers.coco(file_root=root, annotations_file=file, ratio=True, ltrb=True, skip_empty=True)
    shapes = fn.peek_image_shape(jpegs)
    angle = fn.random.uniform(range=[-30.0, 30.0])
    boxes, labels = fn.bbox_rotate(boxes, labels, angle=angle, input_shape=shapes, shape_layout="HWC", keep_size=True)
    ratio, x, y = fn.random.uniform(range=[1.0, 3.0]), fn.random.uniform(range=[0.0, 1.0]), fn.random.uniform(range=[0.0, 1.0])
    return fn.bbox_paste(boxes, ratio=ratio, paste_x=x, paste_y=y, ltrb=True), labels
    """
    check(program, tolerance=declared("bbox_rotate"), names=coco, iterations=2, batch_size=6)


@pytest.mark.parametrize(
    "call", [
        "bb_flip(boxes)", "bbox_paste(boxes, ratio=2.0)", "bbox_rotate(boxes, labels, angle=10.0, input_shape=[40, 50])",
        "random_bbox_crop(boxes, labels, bbox_layout='xyXY')", "ssd_random_crop(image, boxes, labels)",
    ],
)  # fmt: skip
def test_boxes_and_their_labels_have_no_layout(call: str) -> None:
    program = f"""
    # nvidia.dali fails where it knows the layout before it runs
    boxes, labels = (fn.reductions.min(fn.stack(one, one, axis_name="N"), axes=0) for one in
                     (fn.reshape(corners, layout="BC"), fn.reshape(numbers, layout="B")))
    return fn.{call}
    """
    corners = [np.array([[0.2, 0.2, 0.8, 0.9], [0.1, 0.0, 0.4, 0.5]], np.float32)]
    check(program, {"corners": corners, "numbers": [np.array([3, 4], np.int32)], "image": [picture(40, 50)]}, declared("bbox_rotate"))


@pytest.fixture(name="pair")
def picture_and_mask() -> dict[str, Any]:
    """Pictures with masks of some blocks."""
    sizes = ((48, 60), (64, 40), (55, 55))
    masks: list[Array] = []
    for number, (height, width) in enumerate(sizes):
        generator = np.random.default_rng(number)
        mask = np.zeros((height, width, 1), np.uint8)
        for label in (1, 2, 3):
            y, x = generator.integers(0, height - 12), generator.integers(0, width - 12)
            mask[y : y + 12, x : x + 9 + label] = label
        masks.append(mask)
    return {"image": [picture(*size) for size in sizes], "mask": (masks, "HWC")}


def test_a_picture_and_its_mask_are_warped_alike(pair: dict[str, Any]) -> None:
    """One transform of drawn parts moves both, and points; the mask keeps its labels."""
    program = """
    turn = fn.transforms.rotation(angle=fn.random.uniform(range=[-40.0, 40.0]), center=[24.0, 24.0])
    scale = fn.random.uniform(range=[0.8, 1.25], shape=2)
    moved = fn.transforms.scale(turn, scale=scale, center=[24.0, 24.0])
    both = fn.transforms.combine(moved, fn.transforms.translation(offset=fn.random.uniform(range=[-6.0, 6.0], shape=2)))
    options = dict(size=(48, 48), fill_value=0, inverse_map=False)
    corners = fn.coord_transform(types.Constant(np.array([[0, 0], [24, 24], [48, 48]], np.float32)), MT=both)
    return (
        fn.warp_affine(image, both, **options),
        fn.warp_affine(mask, both, interp_type=types.INTERP_NN, **options), both, corners,
    )
    """
    tolerance = Tolerance(255, 0.02, relative=1e-6, reason="sines may be neighbours, and a place on a border another pixel")
    check(program, pair, tolerance, iterations=3)


def test_a_window_around_an_object_of_the_mask(pair: dict[str, Any]) -> None:
    """An object is drawn, a window that holds it, and picture and mask are cut alike."""
    program = """
    anchor, shape, kind = fn.segmentation.random_object_bbox(
        mask, classes=[1, 2, 3], class_weights=[1.0, 1.0, 2.0], foreground_prob=0.8, output_class=True,
    )
    start = fn.roi_random_crop(mask, roi_start=anchor, roi_shape=shape, crop_shape=[30, 32, 1])
    pixel = fn.segmentation.random_mask_pixel(mask, foreground=1)
    start = fn.cast(start[0:2], dtype=types.INT32)
    cut = [fn.slice(one, start, types.Constant(np.array([30, 32], np.int32)), axes=(0, 1)) for one in (image, mask)]
    return (*cut, kind, pixel, anchor, shape)
    """
    check(program, pair, iterations=4)


def test_random_windows_of_a_decoder_and_its_generator(data_dir: Path) -> None:
    """The generator's window, cut by the decoder, is that of the decoder which draws for itself."""
    program = """
    jpegs, _ = fn.readers.file(file_root=root)
    whole = fn.decoders.image_random_crop(jpegs, seed=5)
    anchor, shape = fn.random_crop_generator(fn.peek_image_shape(jpegs), seed=5)
    return whole, fn.decoders.image_slice(jpegs, anchor, shape, axis_names="HW"), anchor, shape
    """
    check(program, tolerance=declared("decoders.image_random_crop"), names={"root": str(data_dir / "jpeg")}, batch_size=8)


def test_arrays_for_arguments_that_take_tensors() -> None:
    anchors, shapes = "np.array([[0, 0], [10, 5]])", "np.array([[20, 20], [30, 30]])"
    pasted = f"fn.multi_paste(x, in_ids=np.array([0, 1]), in_anchors={anchors}, shapes={shapes}, output_size=(90, 120))"
    check(pasted, {"x": ([picture(80, 100), picture(60, 70)], "HWC")}, names={"np": np})


@pytest.mark.parametrize("layout", ["HWC", ""])
def test_crops_for_ssd_keep_the_layout(layout: str) -> None:
    boxes = [np.array([[0.1, 0.1, 0.6, 0.7], [0.3, 0.2, 0.9, 0.5]], np.float32)] * 2
    data = {"x": ([picture(40, 50, 3)] * 2, layout), "boxes": boxes, "labels": [np.array([3, 4], np.int32)] * 2}
    check("return tuple(fn.ssd_random_crop(x, boxes, labels, num_attempts=3, seed=3))", data, declared("ssd_random_crop"))


def test_windows_larger_than_the_image() -> None:
    """EfficientDet's: the image lies anywhere in a window that is larger, so that anchors are below 0."""
    size = [np.array(one, np.int32) for one in ([115, 52], [272, 57], [40, 300], [96, 128], [30, 128], [200, 300])]
    boxes = [np.array([[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.9]], np.float32)] * len(size)
    program = """fn.random_bbox_crop(boxes, crop_shape=fn.constant(idata=[96, 128]), input_shape=size, bbox_layout="xyXY",
                                     allow_no_crop=False, num_attempts=3)"""
    check(program, {"boxes": boxes, "size": size}, declared("random_bbox_crop"), iterations=5)
