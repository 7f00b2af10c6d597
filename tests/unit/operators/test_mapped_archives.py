"""Archives that are mapped into memory: what becomes of them when they change, and of outputs that lie in them."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.pipeline import Pipeline


def archive(path: Path, first: int) -> str:
    with tarfile.open(path, "w") as tar:
        for number in range(8):
            member = tarfile.TarInfo(f"s{number}.bin")
            member.size = 600
            tar.addfile(member, io.BytesIO(bytes([first + number] * 600)))
    return str(path)


def reading(*paths: str, **arguments: Any) -> Pipeline:
    pipeline = Pipeline(batch_size=2, num_threads=1, device_id=None, exec_async=False, exec_pipelined=False)
    with pipeline:
        pipeline.set_outputs(fn.readers.webdataset(paths=list(paths), ext="bin", **arguments))
    return pipeline


def values(pipeline: Pipeline) -> list[int]:
    (batch,) = pipeline.run()
    samples = [np.asarray(batch.at(i)) for i in range(len(batch))]
    assert all(sample.shape == (600,) and (sample == sample[0]).all() for sample in samples)
    return [int(sample[0]) for sample in samples]


@pytest.mark.parametrize("dont_use_mmap", [True, False])
def test_an_archive_that_is_replaced_is_read_anew(tmp_path: Path, dont_use_mmap: bool) -> None:
    pipeline = reading(archive(tmp_path / "a.tar", 0), dont_use_mmap=dont_use_mmap)
    assert values(pipeline) == [0, 1]
    archive(tmp_path / "b.tar", 50)
    (tmp_path / "b.tar").replace(tmp_path / "a.tar")
    assert values(pipeline) == [52, 53]


@pytest.mark.parametrize("dont_use_mmap", [True, False])
def test_an_archive_that_is_cut_off_is_an_error(tmp_path: Path, dont_use_mmap: bool) -> None:
    pipeline = reading(archive(tmp_path / "a.tar", 0), dont_use_mmap=dont_use_mmap)
    assert values(pipeline) == [0, 1]
    os.truncate(tmp_path / "a.tar", 512 * 3)
    with pytest.raises(DaliStudioError, match="ends before it"):
        pipeline.run()


def test_a_batch_of_several_archives(tmp_path: Path) -> None:
    pipeline = reading(*(archive(tmp_path / f"{first}.tar", first) for first in (0, 50)), random_shuffle=True)
    assert sorted(value for _ in range(8) for value in values(pipeline)) == [*range(8), *range(50, 58)]


def test_outputs_are_read_only_and_shared_as_copies(tmp_path: Path) -> None:
    batch: Any
    (batch,) = reading(archive(tmp_path / "a.tar", 0)).run()
    assert not batch.at(1).flags.writeable
    assert np.array_equal(np.from_dlpack(batch[1]), batch.at(1))
