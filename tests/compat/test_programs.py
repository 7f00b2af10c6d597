"""Whole programs against nvidia.dali: readers, decoders, argument inputs, several readers and outputs."""

from __future__ import annotations

from pathlib import Path

import pytest
from declared import PROGRAM
from peers import check

pytestmark = pytest.mark.usefixtures("nvidia")

PROGRAMS = {
    "training": """
        jpegs, labels = fn.readers.file(file_root=root, random_shuffle=True, initial_fill=8, name="Reader")
        images = fn.decoders.image_random_crop(jpegs)
        images = fn.resize(images, resize_x=64, resize_y=64)
        images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, output_layout="CHW", crop=(56, 56),
            mean=[0.485 * 255, 0.456 * 255, 0.406 * 255], std=[0.229 * 255, 0.224 * 255, 0.225 * 255],
            mirror=fn.random.coin_flip(probability=0.5))
        return images, labels
    """,
    "validation": """
        jpegs, labels = fn.readers.file(file_root=root, pad_last_batch=True, num_shards=2, shard_id=1, stick_to_shard=True)
        images = fn.resize(fn.decoders.image(jpegs), resize_shorter=80)
        return fn.crop_mirror_normalize(images, crop=(64, 64), mean=[128.0], std=[64.0]), labels
    """,
    "colours": """
        jpegs, labels = fn.readers.file(file_root=root)
        images = fn.resize(fn.decoders.image(jpegs), size=[60, 90])
        changed = fn.brightness_contrast(images, brightness=fn.random.uniform(range=[0.5, 1.5]), contrast=fn.random.uniform(range=[0.5, 1.5]))
        changed = fn.hsv(changed, hue=fn.random.uniform(range=[-30, 30]), saturation=fn.random.uniform(range=[0.5, 1.5]))
        return images, changed, labels
    """,
    "crops": """
        jpegs, labels = fn.readers.file(file_root=root)
        images = fn.decoders.image(jpegs)
        x, y = fn.random.uniform(range=(0, 1)), fn.random.uniform(range=(0, 1))
        a = fn.crop(images, crop=(50, 60), crop_pos_x=x, crop_pos_y=y)
        b = fn.crop(images, crop=(51, 61), crop_pos_x=x, crop_pos_y=y, rounding="truncate")
        return fn.flip(a, horizontal=fn.random.coin_flip()), b, fn.cast(a, dtype=types.FLOAT), x, y
    """,
    "a window after a pointwise chain": """
        jpegs, labels = fn.readers.file(file_root=root)
        images = fn.hsv(fn.decoders.image(jpegs), saturation=0.5)
        images = fn.brightness_contrast(images, brightness=1.2)
        return fn.crop(images, crop=(33, 35), crop_pos_x=0.3)
    """,
    "two readers": """
        a, la = fn.readers.file(file_root=root, random_shuffle=True)
        b, lb = fn.readers.file(file_root=root, random_shuffle=True, seed=3)
        return fn.resize(fn.decoders.image(b), size=40), la, lb, fn.resize(fn.decoders.image(a, output_type=types.GRAY), size=40)
    """,
    "one image used three times": """
        jpegs, labels = fn.readers.file(file_root=root)
        images = fn.resize(fn.decoders.image(jpegs), resize_longer=70)
        return fn.rotate(images, angle=30, fill_value=0), fn.flip(images), images
    """,
    "planar": """
        jpegs, labels = fn.readers.file(file_root=root)
        images = fn.crop_mirror_normalize(fn.decoders.image(jpegs), dtype=types.UINT8, crop=(90, 100))
        return fn.resize(images, size=(40, 50)), fn.crop(images, crop=(7, 9)), fn.flip(images, vertical=1)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, data_dir: Path) -> None:
    import textwrap

    check(textwrap.dedent(PROGRAMS[name]).strip(), None, PROGRAM, iterations=3, names={"root": str(data_dir / "jpeg")}, batch_size=5)
