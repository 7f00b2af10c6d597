"""The CPU programs of nvidia.dali's "Getting Started", run after changing the import prefix alone."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared import declared
from images import dataset
from peers import OURS, THEIRS, assert_equal, collect

pytestmark = pytest.mark.usefixtures("nvidia")

HEAD = """
from nvidia.dali.pipeline import Pipeline
from nvidia.dali import pipeline_def
import nvidia.dali.fn as fn
import nvidia.dali.types as types

max_batch_size = 8
"""
SIMPLE = """
@pipeline_def
def made():
    jpegs, labels = fn.readers.file(file_root=image_dir)
    images = fn.decoders.image(jpegs, device="cpu")
    return images, labels

pipe = made(batch_size=max_batch_size, num_threads=1, device_id=DEVICE)
pipe.build()
"""
SHUFFLED = """
@pipeline_def
def made():
    jpegs, labels = fn.readers.file(file_root=image_dir, random_shuffle=True, initial_fill=21)
    images = fn.decoders.image(jpegs, device="cpu")
    return images, labels

pipe = made(batch_size=max_batch_size, num_threads=1, device_id=DEVICE, seed=1234)
pipe.build()
"""
ROTATED = SHUFFLED.replace("    return images", "    images = fn.rotate(images, angle=10.0, fill_value=0)\n    return images")
RANDOM_ROTATED = SHUFFLED.replace(
    "    return images",
    "    angle = fn.random.uniform(range=(-10.0, 10.0))\n    images = fn.rotate(images, angle=angle, fill_value=0)\n    return images",
)
PROGRAMS = {"simple": SIMPLE, "shuffled": SHUFFLED, "rotated": ROTATED, "random_rotated": RANDOM_ROTATED}

PRINTING = """
pipe_out = pipe.run()
print(pipe_out)
images, labels = pipe_out
print("Images is_dense_tensor: " + str(images.is_dense_tensor()))
print("Labels is_dense_tensor: " + str(labels.is_dense_tensor()))
print(labels)
print(images)
print(repr(images), repr(labels), repr(pipe_out))
print(labels.as_tensor(), repr(labels.as_tensor()))
print(np.array(labels.as_tensor()), labels.as_array(), labels.as_cpu())
print(images.at(0).shape, images[1].shape(), images.layout(), images.dtype, len(images), images.shape())
print(images[2], repr(images[2]), labels[0], repr(labels[3]))
for tensor in labels:
    print(np.array(tensor))
"""


def execute(prefix: str, program: str, image_dir: Path | str, device: int | None) -> tuple[dict[str, Any], str]:
    """Names and printed text of a program."""
    space: dict[str, Any] = {"image_dir": str(image_dir), "DEVICE": device, "np": np}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec((HEAD + program).replace(THEIRS, prefix), space)
    return space, printed.getvalue()


def folders(data_dir: Path, tmp_path: Path) -> list[Path]:
    """Real photos, and a few small pictures whose text is printed whole."""
    return [data_dir / "jpeg", dataset(tmp_path / "small", classes=2, images=2, size=(3, 4))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs(name: str, data_dir: Path) -> None:
    ours, _ = execute(OURS, PROGRAMS[name], data_dir / "jpeg", 0)
    theirs, _ = execute(THEIRS, PROGRAMS[name], data_dir / "jpeg", None)
    tolerance = declared("rotate" if "rotated" in name else "decoders.image")
    for _ in range(2):
        assert_equal(collect(ours["pipe"].run()), collect(theirs["pipe"].run()), tolerance)


@pytest.mark.parametrize("name", ["simple", "shuffled"])
def test_printed_text(name: str, data_dir: Path, tmp_path: Path) -> None:
    for folder in folders(data_dir, tmp_path):
        texts = [execute(prefix, PROGRAMS[name] + PRINTING, folder, device)[1] for prefix, device in ((OURS, 0), (THEIRS, None))]
        assert texts[0] == texts[1]


TEXTS = """
[np.zeros((), np.float32)] * 3
[np.float32(1.5)] * 20
[np.arange(3)] * 2
[np.arange(3)] * 7
[np.arange(2000)] * 7
[np.zeros((2, 3)), np.ones((1, 3))]
[np.zeros((300, 300, 3), np.uint8)] * 8
[np.zeros((30, 30), np.float16)] * 3
[np.zeros((i, 2), np.uint8) for i in range(1, 40)]
[np.zeros((1, 2, 3, 4, 5), np.int8)] * 3
[np.array([True, False])] * 2
[np.array([1e-9, 1e9, np.nan, np.inf])] * 2
[np.zeros((0, 3))] * 2
np.zeros((4, 1, 1, 1), np.int64)
np.zeros((17, 1), np.int32)
np.arange(12000).reshape(12, 10, 100)
""".strip().splitlines()


@pytest.mark.parametrize("data", TEXTS)
def test_text_of_batches_and_samples(data: str) -> None:
    program = f"""
pipe = Pipeline(batch_size=64, num_threads=1, device_id=None)
with pipe:
    pipe.set_outputs(fn.external_source(source=lambda: {data}))
pipe.build()
(out,) = pipe.run()
print(out, repr(out), str(out[0]), repr(out[0]), (out, out))
"""
    texts = [execute(prefix, program, "", None)[1] for prefix in (OURS, THEIRS)]
    assert texts[0] == texts[1]


GPU = {
    "copy": RANDOM_ROTATED.replace("fn.rotate(images", "fn.rotate(images.gpu()"),
    "mixed": SHUFFLED.replace('device="cpu"', 'device="mixed"'),
    "both": RANDOM_ROTATED.replace('device="cpu"', 'device="mixed"'),
    "operator": RANDOM_ROTATED.replace("fill_value=0", 'fill_value=0, device="gpu"').replace("fn.rotate(images", "fn.rotate(images.gpu()"),
}


@pytest.mark.parametrize("name", GPU)
def test_gpu_programs_give_one_clear_diagnostic(name: str, data_dir: Path) -> None:
    from dali_studio import DaliStudioError

    with pytest.raises(DaliStudioError) as caught:
        execute(OURS, GPU[name], data_dir / "jpeg", 0)
    (found,) = caught.value.diagnostics
    assert found.code == "DS206"
    assert "GPU" in found.message
    assert "CPU" in found.hint
    assert found.node
    assert found.source
