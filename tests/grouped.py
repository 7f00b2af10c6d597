"""Pipelines over a folder of files whose iterations may be computed together, and what is seen of these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from images import encoded, picture

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.pipeline import Pipeline

#: Iterations: more than a group of the largest kind has, and several epochs.
RUNS = 40
_FILES = 11


def folder_of_files(root: Path) -> str:
    """JPEG files of different sizes, below `root`."""
    folder = root / "class"
    folder.mkdir()
    for number in range(_FILES):
        array = picture(60 + 3 * number, 80 - 2 * number, seed=number)
        (folder / f"{number:02}.jpg").write_bytes(encoded(array, quality=90, subsampling=number % 3).tobytes())
    return str(root)


def damage(root: str) -> None:
    """Cut the end off 07.jpg."""
    bad = Path(root) / "class" / "07.jpg"
    bad.write_bytes(bad.read_bytes()[:100])


def pipeline_over(root: str, program: Callable[[Any], Any], size: int, **options: Any) -> Pipeline:
    """A pipeline of what a program makes of the files; options are the reader's and the pipeline's."""
    reader = {key: options.pop(key) for key in ("pad_last_batch", "num_shards", "shuffle_after_epoch") if key in options}
    pipeline = Pipeline(batch_size=size, num_threads=3, seed=5, **options)
    with pipeline:
        shuffled = {} if "shuffle_after_epoch" in reader else {"random_shuffle": True}
        files, labels = fn.readers.file(file_root=root, initial_fill=6, name="reader", **shuffled, **reader)
        made = program(files)
        on_gpu = [labels.gpu()] if options.get("device_id") is not None else []
        pipeline.set_outputs(*(made if isinstance(made, tuple) else (made,)), labels, *on_gpu)
    pipeline.build()
    return pipeline


def seen(outputs: tuple[Any, ...]) -> list[Any]:
    """All that can be seen of an iteration."""
    samples = [output[k] for output in outputs for k in range(len(output))]
    on_cpu = [np.asarray(sample.as_cpu() if hasattr(sample, "as_cpu") else sample) for sample in samples]
    return [(one.tobytes(), one.shape, sample.source_info()) for one, sample in zip(on_cpu, samples, strict=True)]


def told(pipeline: Pipeline) -> list[Any]:
    """What is seen of `RUNS` iterations, and of those that fail what is said."""
    found: list[Any] = []
    for _ in range(RUNS):
        try:
            found.append(seen(pipeline.run()))
        except DaliStudioError as error:
            found.append([(one.code, one.node, one.sample, one.message, one.source) for one in error.diagnostics])
    return found
