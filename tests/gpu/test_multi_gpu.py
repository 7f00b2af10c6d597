"""Pipelines on several GPUs of one machine, in one process."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from images import picture
from test_pipelines import photos

from dali_studio import Pipeline, fn
from dali_studio.kernels.cuda.device import missing
from dali_studio.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

COUNT = 22


@pytest.fixture(autouse=True)
def two_gpus(gpu_or_skip: None) -> None:
    absent = missing(1)
    if absent is not None:
        pytest.skip(f"needs two GPUs: {absent.reason}")


pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    return photos(tmp_path_factory.mktemp("photos"), COUNT)


def training(root: str, device_id: int, shard: int = 0, shards: int = 1, batch_size: int = 4) -> Pipeline:
    """Every kind of step: mixed, kernels with tables that stay, random numbers, uploads."""
    pipe = Pipeline(batch_size=batch_size, num_threads=3, device_id=device_id, seed=3)
    with pipe:
        files = [f"class/{number}.jpg" for number in range(COUNT)]
        data, labels = fn.readers.file(
            file_root=root, files=files, labels=list(range(COUNT)), name="Reader", shard_id=shard, num_shards=shards,
            stick_to_shard=True, pad_last_batch=True,
        )  # fmt: skip
        images = fn.resize(fn.decoders.image(data, device="mixed"), size=(40.0, 48.0))
        images = fn.rotate(fn.hsv(images, hue=30.0), angle=20.0, fill_value=0.0, keep_size=True)
        images = fn.crop_mirror_normalize(images, crop=(32.0, 40.0), mean=(120.0,), std=(60.0,))
        pipe.set_outputs(images, labels.gpu())
    return pipe


def by_label(batches: list[Any]) -> dict[int, bytes]:
    return {
        int(label): image.tobytes()
        for images, labels in batches
        for image, label in zip(images, labels.flatten(), strict=True)
    }


def host(outputs: Any) -> tuple[Any, ...]:
    return tuple(batch.as_cpu().as_array() for batch in outputs)


def test_shards_on_two_gpus_are_the_data_set_with_the_pixels_of_one(root: str) -> None:
    one = training(root, 0)
    reference = by_label([host(one.run()) for _ in range(6)])
    found: dict[int, bytes] = {}
    pipes = [training(root, shard, shard, 2) for shard in range(2)]
    for _ in range(3):
        for shard, pipe in enumerate(pipes):
            outputs = pipe.run()
            assert [batch.device_id() for batch in outputs] == [shard, shard]
            found.update(by_label([host(outputs)]))
    assert sorted(found) == list(range(COUNT))
    assert found == reference


def test_pipelines_on_two_gpus_run_at_the_same_time(root: str) -> None:
    reference = training(root, 0)
    wanted = [[array.tobytes() for array in host(reference.run())] for _ in range(20)]
    made: dict[int, list[list[bytes]]] = {}

    def work(device_id: int) -> None:
        pipe = training(root, device_id)
        made[device_id] = [[array.tobytes() for array in host(pipe.run())] for _ in range(20)]

    threads = [threading.Thread(target=work, args=(device_id,)) for device_id in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == {0: wanted, 1: wanted}


def test_results_can_be_used_while_another_gpu_is_current() -> None:
    cupy = pytest.importorskip("cupy")
    given = [picture(30, 40, seed=number) for number in range(3)]
    ragged = [picture(20 + number, 40, seed=number) for number in range(3)]
    pipe = Pipeline(batch_size=3, num_threads=2, device_id=1)
    with pipe:
        pipe.set_outputs(
            *[
                fn.flip(fn.external_source(source=source, layout="HWC").gpu(), horizontal=0)
                for source in (lambda: given, lambda: ragged)
            ]
        )
    with cupy.cuda.Device(0):
        dense, uneven = pipe.run()
        assert np.array_equal(dense.as_cpu().as_array(), np.stack(given))
        assert all(np.array_equal(uneven.as_cpu().at(i), ragged[i]) for i in range(3))
        apart = type(dense)([dense.at(2), dense.at(0)])  # not side by side: joined by a copy, on their own GPU
        assert apart.as_tensor().device_id() == 1
        assert np.array_equal(np.asarray(apart.as_tensor().as_cpu()), np.stack([given[2], given[0]]))
        array = cupy.from_dlpack(dense.as_tensor())
        assert array.device.id == 1
        with cupy.cuda.Device(1):
            target = cupy.zeros((3, 30, 40, 3), np.uint8)
        dense.copy_to_external(int(target.data.ptr))
        assert np.array_equal(cupy.asnumpy(target), np.stack(given))


@pytest.mark.parametrize("policy", LastBatchPolicy)
def test_iterators_with_a_pipeline_on_each_gpu(torch: ModuleType, root: str, policy: LastBatchPolicy) -> None:
    reference = by_label([host(training(root, 0, batch_size=COUNT).run())])
    pipes = [training(root, shard, shard, 2) for shard in range(2)]
    iterator = DALIGenericIterator(
        pipes, ["data", "label"], reader_name="Reader", auto_reset=True, last_batch_policy=policy
    )
    for _ in range(2):
        batches = list(iterator)
        assert all([part["data"].device.index for part in batch] == [0, 1] for batch in batches)
        counts = [[len(part["data"]) for part in batch] for batch in batches]
        assert counts == {"FILL": [[4, 4]] * 3, "DROP": [[4, 4]] * 2, "PARTIAL": [[4, 4], [4, 4], [3, 3]]}[policy.name]
        parts = [(part["data"].cpu().numpy(), part["label"].cpu().numpy()) for batch in batches for part in batch]
        found = by_label(parts)
        assert found.items() <= reference.items()
        assert len(found) == (16 if policy is LastBatchPolicy.DROP else COUNT)
