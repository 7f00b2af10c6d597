"""The programs that are measured. Each is written once and runs under both import prefixes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

#: nvidia.dali's own first example, and what `benchmark` changes in it.
BATCH_SIZE, THREADS = 64, 2
_MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
_STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]


def _training(fn: Any, types: Any, folder: str, *, layout: str = "CHW", hsv: bool = False, mirror: bool = True) -> Any:
    files, labels = fn.readers.file(file_root=folder, random_shuffle=True, name="reader")
    images = fn.decoders.image_random_crop(files, output_type=types.RGB)
    images = fn.resize(images, resize_x=256, resize_y=256)
    if hsv:
        images = fn.hsv(images, hue=fn.random.uniform(range=(-30.0, 30.0)), saturation=1.2)
    flips = {"mirror": fn.random.coin_flip()} if mirror else {}
    images = fn.crop_mirror_normalize(
        images, crop_h=224, crop_w=224, mean=_MEAN, std=_STD, output_layout=layout, dtype=types.FLOAT, **flips
    )
    return images, labels


def _decode(fn: Any, types: Any, folder: str) -> Any:
    files, labels = fn.readers.file(file_root=folder, name="reader")
    return fn.decoders.image(files, output_type=types.RGB), labels


#: Name to definition; the order is that of the table.
PROGRAMS: dict[str, Callable[[Any, Any, str], Any]] = {
    "readme": _training,
    "readme, HWC output": lambda fn, types, folder: _training(fn, types, folder, layout="HWC"),
    "readme, hsv added": lambda fn, types, folder: _training(fn, types, folder, hsv=True),
    "readme, no mirror": lambda fn, types, folder: _training(fn, types, folder, mirror=False),
    "decode alone": _decode,
}


def make(prefix: str, program: str, folder: str) -> Any:
    """A built pipeline of `program` under ``dali_studio`` or ``nvidia.dali``."""
    pipeline_def = importlib.import_module(f"{prefix}.pipeline" if prefix == "dali_studio" else prefix).pipeline_def
    fn, types = importlib.import_module(f"{prefix}.fn"), importlib.import_module(f"{prefix}.types")
    pipe = pipeline_def(batch_size=BATCH_SIZE, num_threads=THREADS, device_id=None, seed=17)(PROGRAMS[program])(
        fn, types, folder
    )
    pipe.build()
    return pipe
