"""Iterators for PyTorch on a GPU: the same numbers, no copies, and memory that nobody writes while PyTorch reads it."""

from __future__ import annotations

import gc
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from images import dataset
from peers import OURS
from training_loops import execute

from dali_studio import Pipeline, fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.plugin.pytorch import DALIGenericIterator, LastBatchPolicy, feed_ndarray

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("cuda_torch")]


@pytest.fixture(scope="session")
def cuda_torch(torch: ModuleType) -> ModuleType:
    if not torch.cuda.is_available():
        pytest.skip(f"torch {torch.__version__} cannot use a GPU")
    return torch


def planes(numbers: Any, **options: Any) -> Pipeline:
    """A pipeline whose samples are filled with a number each; a kernel writes them."""
    pipe = Pipeline(batch_size=4, num_threads=2, device_id=0, **options)
    with pipe:
        given = fn.external_source(source=lambda: next(numbers), layout="HWC")
        pipe.set_outputs(fn.flip(given.gpu()))
    return pipe


def filled(count: int, edge: int = 256) -> Any:
    return iter([[np.full((edge, edge, 3), number, np.uint8)] * 4 for number in range(count)])


def test_a_training_loop(cuda_torch: ModuleType, tmp_path: Path) -> None:
    found = execute(OURS, dataset(tmp_path, classes=4, images=5, size=(300, 340)), cpu=False)
    assert [tuple(images.shape) for images, _ in found] == [(16, 3, 224, 224)] * 2
    for images, labels in found:
        assert (images.device, images.dtype) == (cuda_torch.device("cuda", 0), cuda_torch.float32)
        assert (labels.device.type, labels.dtype, tuple(labels.shape)) == ("cpu", cuda_torch.int32, (16, 1))
        assert 0.2 < float(images.std()) < 3 and bool(cuda_torch.isfinite(images).all())


@pytest.mark.parametrize("policy", LastBatchPolicy)
def test_tensors_on_the_gpu_have_the_numbers_of_the_cpu(tmp_path: Path, policy: LastBatchPolicy) -> None:
    folder = dataset(tmp_path, classes=3, images=5)

    def batches(on_gpu: bool) -> list[Any]:
        pipe = Pipeline(batch_size=4, num_threads=2, device_id=0, seed=3)
        with pipe:
            files, labels = fn.readers.file(file_root=str(folder), name="Reader", random_shuffle=True)
            images = fn.decoders.image(files)
            images = fn.crop(images.gpu() if on_gpu else images, crop=(16.0, 16.0))
            pipe.set_outputs(fn.flip(images, horizontal=fn.random.coin_flip()), labels.gpu() if on_gpu else labels)
        iterator = DALIGenericIterator(
            pipe, ["data", "label"], reader_name="Reader", auto_reset=True, last_batch_policy=policy
        )
        return [
            {name: (tensor.is_cuda, tensor.cpu().tolist()) for name, tensor in batch[0].items()}
            for _ in range(3)
            for batch in iterator
        ]

    ours, reference = batches(True), batches(False)
    assert len(ours) == len(reference) > 8
    for mine, wanted in zip(ours, reference, strict=True):
        assert all(on_gpu for on_gpu, _ in mine.values())
        assert {name: values for name, (_, values) in mine.items()} == {
            name: values for name, (_, values) in wanted.items()
        }


def test_nothing_is_copied(cuda_torch: ModuleType) -> None:
    before = cuda_torch.cuda.memory_allocated()
    iterator = DALIGenericIterator(planes(filled(6)), ["x"])
    held = [batch[0]["x"] for batch in iterator]
    assert cuda_torch.cuda.memory_allocated() == before
    assert [sorted(set(tensor.unique().tolist())) for tensor in held] == [[number] for number in range(6)]


def test_memory_is_used_again_only_when_the_stream_is_past_it(cuda_torch: ModuleType) -> None:
    count = 24
    iterator = DALIGenericIterator(planes(filled(count)), ["x"])
    side = cuda_torch.cuda.Stream()
    sums: list[Any] = []
    with cuda_torch.cuda.stream(side):
        for batch in iterator:
            cuda_torch.cuda._sleep(20_000_000)  # the reading kernel starts long after the tensor is gone
            sums.append(batch[0]["x"].sum(dtype=cuda_torch.int64))
            del batch
    side.synchronize()
    assert [int(total) for total in sums] == [4 * 256 * 256 * 3 * number for number in range(count)]


def test_views_keep_the_memory(cuda_torch: ModuleType) -> None:
    iterator = DALIGenericIterator(planes(filled(20)), ["x"])
    held: list[Any] = []
    for batch in iterator:
        held.append(batch[0]["x"][1:2, 7, :, 0].view(-1)[3:])
        del batch
        gc.collect()
    assert [sorted(set(view.tolist())) for view in held] == [[number] for number in range(20)]


def test_memory_does_not_grow() -> None:
    count, edge = 80, 512
    pipe = planes(filled(count, edge))
    used: list[int] = []
    for batch in DALIGenericIterator(pipe, ["x"]):
        assert int(batch[0]["x"].max()) >= 0
        assert pipe._engine is not None and pipe._engine.executor._gpu is not None
        used.append(pipe._engine.executor._gpu.memory()[1])  # of this pipeline: others may use the GPU, too
    # some more batches may be alive at a time, not all 60 of them
    assert max(used) - used[20] < 10 * 4 * edge * edge * 3


def test_feeding_a_tensor_on_the_gpu(cuda_torch: ModuleType) -> None:
    (batch,) = planes(filled(1)).run()
    side = cuda_torch.cuda.Stream()
    for stream in (None, side, side.cuda_stream):
        for device in ("cuda", "cpu"):
            target = cuda_torch.full((4, 256, 256, 3), 9, dtype=cuda_torch.uint8, device=device)
            cuda_torch.cuda.synchronize()
            assert feed_ndarray(batch, target, cuda_stream=stream) is target
            side.synchronize()
            assert int(target.max()) == 0
    with pytest.raises(DaliStudioError, match="DS203"):
        feed_ndarray(batch, cuda_torch.zeros(4, device="cuda"))


@pytest.mark.parametrize(
    "steps",
    [
        "T.Resize(40, device='gpu'), T.CenterCrop(32)",
        "T.RandomCrop(40, padding=4, device='gpu'), T.RandomHorizontalFlip(), T.GaussianBlur(3, 1.0)",
        "T.RandomResizedCrop(32, device='gpu'), T.RandomApply([T.RandomVerticalFlip(1.0)]), T.Normalize([9.0] * 3, [2.0] * 3)",
        "T.ColorJitter(0.4, 0.4, 0.4, 0.1, device='gpu'), T.RandomGrayscale(0.5)",
        "T.Grayscale(device='gpu'), T.Pad((3, 4), fill=7)",
    ],
)
def test_transforms_with_torchvisions_names_give_what_they_give_on_the_cpu(cuda_torch: ModuleType, steps: str) -> None:
    from dali_studio.experimental import torchvision

    tensors = cuda_torch.from_numpy(np.random.default_rng(3).integers(0, 256, (4, 3, 48, 56), np.uint8))
    on_gpu = eval(f"T.Compose([{steps}], seed=5, batch_size=4)", {"T": torchvision})
    on_cpu = eval(f"T.Compose([{steps.replace('gpu', 'cpu')}], seed=5, batch_size=4)", {"T": torchvision})
    for _ in range(3):
        made, expected = on_gpu(tensors.cuda()), on_cpu(tensors)
        assert made.is_cuda and (made.dtype, made.shape) == (expected.dtype, expected.shape)
        assert (made.cpu().double() - expected.double()).abs().max() <= 1.01


def test_results_behind_a_loader_lie_on_the_gpu_and_stay_as_they_are(cuda_torch: ModuleType) -> None:
    from dali_studio.plugin.pytorch.experimental.proxy import DALIServer, DataLoader

    class Numbers:
        def __init__(self, transform: Any) -> None:
            self.transform = transform

        def __len__(self) -> int:
            return 40

        def __getitem__(self, index: int) -> Any:
            return self.transform(np.full((64, 48, 3), index // 4, np.uint8)), index

    pipe = Pipeline(batch_size=4, num_threads=2, device_id=0)
    with pipe:
        pipe.set_outputs(fn.flip(fn.external_source(name="numbers", layout="HWC").gpu()))
    with DALIServer(pipe) as server:
        held = [images for images, _ in DataLoader(server, Numbers(server.proxy), batch_size=4)]
    for number, images in enumerate(held):
        assert images.is_cuda and images.shape == (4, 64, 48, 3)
        assert bool((images == number).all())
