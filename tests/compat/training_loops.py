"""The program of nvidia.dali's README, as a text that runs under both import prefixes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peers import THEIRS

#: Reads ``images_dir`` and gives ``train_data``, and in ``seen`` what each step got.
README = """
from nvidia.dali.pipeline import pipeline_def
import nvidia.dali.types as types
import nvidia.dali.fn as fn
from nvidia.dali.plugin.pytorch import DALIGenericIterator

seen = []

def loss_func(pred, y):
    seen.append((pred, y))

def model(x):
    return x

def backward(loss, model):
    pass

@pipeline_def(num_threads=4, device_id=0)
def get_dali_pipeline():
    images, labels = fn.readers.file(
        file_root=images_dir, random_shuffle=True, name="Reader")
    images = fn.decoders.image_random_crop(
        images, device="mixed", output_type=types.RGB)
    images = fn.resize(images, resize_x=256, resize_y=256)
    images = fn.crop_mirror_normalize(
        images,
        crop_h=224,
        crop_w=224,
        mean=[0.485 * 255, 0.456 * 255, 0.406 * 255],
        std=[0.229 * 255, 0.224 * 255, 0.225 * 255],
        mirror=fn.random.coin_flip())
    return images, labels

train_data = DALIGenericIterator(
    [get_dali_pipeline(batch_size=16)],
    ['data', 'label'],
    reader_name='Reader'
)

for i, data in enumerate(train_data):
    x, y = data[0]['data'], data[0]['label']
    pred = model(x)
    loss = loss_func(pred, y)
    backward(loss, model)
"""

#: What makes it a program for the CPU, whose numbers can be compared.
ON_THE_CPU = {
    'device="mixed"': 'device="cpu"',
    "device_id=0": "device_id=None",
    "batch_size=16": "batch_size=6, seed=11",
}


def execute(prefix: str, images_dir: Path, *, cpu: bool) -> dict[str, Any]:
    """The names that the program leaves behind; on the CPU it runs for two epochs."""
    program = README.replace(THEIRS, prefix)
    if cpu:
        for old, new in ON_THE_CPU.items():
            assert old in program
            program = program.replace(old, new)
        loop = program[program.index("for i, data") :]
        program += loop
    space: dict[str, Any] = {"images_dir": str(images_dir)}
    exec(compile(program, "README", "exec"), space)
    return space
