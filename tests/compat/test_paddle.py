"""Iterators for PaddlePaddle: batches and epochs are those of nvidia.dali's iterators for PyTorch."""

from __future__ import annotations

import gc
import importlib
import itertools
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

from dali_studio import DaliStudioError, Pipeline, fn, samples
from dali_studio.plugin import paddle as plugin
from dali_studio.tensors import TensorListCPU

if "tensorflow" in sys.modules:
    pytest.skip("TensorFlow is loaded, which ends a process that loads PaddlePaddle", allow_module_level=True)
paddle: Any = pytest.importorskip("paddle", reason="iterators for PaddlePaddle need paddlepaddle, which is not installed")
COUNT = 11


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    for number in range(COUNT):
        (folder / f"{number}.bin").write_bytes(bytes([number, 100 + number]))
    return folder


def pipelines(prefix: str, root: Path, shards: int, **reader: Any) -> list[Any]:
    functions = importlib.import_module(f"{prefix}.fn")

    @importlib.import_module(prefix).pipeline_def(batch_size=3, num_threads=1, device_id=None, seed=5)
    def files(shard: int) -> Any:
        made = functions.readers.file(
            files=[str(root / f"{i}.bin") for i in range(COUNT)], labels=list(range(COUNT)), name="Reader",
            shard_id=shard, num_shards=shards, random_shuffle=True, **reader,
        )  # fmt: skip
        return tuple(made)

    return [files(shard) for shard in range(shards)]


def trace(iterator: Any) -> list[Any]:
    log: list[Any] = []
    for _ in range(3):
        log.extend(
            [{name: tensor.numpy().tolist() for name, tensor in part.items()} for part in parts]
            for parts in itertools.islice(iterator, 50)
        )
        log.append(len(iterator))
        iterator.reset()
    return log


@pytest.mark.parametrize("policy", ["FILL", "DROP", "PARTIAL"])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("shards", [1, 2])
def test_epochs(nvidia: Any, torch: Any, root: Path, policy: str, padded: bool, shards: int) -> None:
    theirs = importlib.import_module("nvidia.dali.plugin.pytorch")
    made = plugin.DALIClassificationIterator(
        pipelines(OURS, root, shards, pad_last_batch=padded), reader_name="Reader",
        last_batch_policy=plugin.LastBatchPolicy[policy],
    )  # fmt: skip
    wanted = theirs.DALIClassificationIterator(
        pipelines(THEIRS, root, shards, pad_last_batch=padded), reader_name="Reader",
        last_batch_policy=theirs.LastBatchPolicy[policy],
    )  # fmt: skip
    assert trace(made) == trace(wanted)


def of(values: np.ndarray[Any, Any]) -> Pipeline:
    pipe = Pipeline(batch_size=len(values), num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.copy(fn.external_source(source=lambda: list(values))))
    return pipe


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64"])
def test_types(dtype: str) -> None:
    values = (np.arange(12).reshape(4, 3) % 5).astype(dtype)
    (batch,) = next(plugin.DALIGenericIterator(of(values), ["x"]))
    assert isinstance(batch["x"], paddle.Tensor)
    assert str(batch["x"].dtype).split(".")[-1] == dtype
    assert np.array_equal(batch["x"].numpy(), values)


def test_a_type_that_it_lacks_is_refused() -> None:
    with pytest.raises(DaliStudioError, match="'x' is u16, which PaddlePaddle does not have"):
        plugin.DALIGenericIterator(of(np.zeros((2, 3), np.uint16)), ["x"])


def test_tensors_keep_their_memory_and_constants_are_copied() -> None:
    pipe = Pipeline(batch_size=32, num_threads=1, device_id=None)
    with pipe:
        numbers = fn.external_source(source=lambda info: np.full(64, info.iteration, np.int32), batch=False)
        pipe.set_outputs(numbers + 1, fn.constant(fdata=[1.0, 2.0]))
    iterator = plugin.DALIGenericIterator(pipe, [("x", 0), "c"])
    kept = [next(iterator)[0] for _ in range(8)]
    kept[0]["c"].fill_(7.0)
    gc.collect()
    for number, batch in enumerate(kept):
        assert (batch["x"].numpy() == number + 1).all()
    assert next(iterator)[0]["c"].numpy().tolist() == [[1.0, 2.0]] * 32


def test_results_on_a_gpu_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of the CPU in place of one on a GPU: DLPack hands both over."""
    waited: list[bool] = []

    class Tensor:
        def __init__(self, array: Any) -> None:
            self._array = array

        def __dlpack__(self, stream: Any = None) -> Any:
            return self._array.__dlpack__()

    class OnGpu(TensorListCPU):
        def as_tensor(self) -> Any:
            return Tensor(self.as_array())

    monkeypatch.setattr(plugin, "TensorListGPU", OnGpu)
    monkeypatch.setattr(paddle.device, "synchronize", lambda: waited.append(True))
    batch = OnGpu(np.arange(6, dtype=np.float32).reshape(2, 3))
    made = plugin._tensor("x", batch, shared=False)
    assert made.numpy().tolist() == [[0, 1, 2], [3, 4, 5]] and waited == [True]
    assert made.data_ptr() != batch.data_ptr()


def test_samples_that_differ_and_levels_are_refused() -> None:
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(source=lambda: [np.zeros(2), np.zeros(3)]))
    with pytest.raises(DaliStudioError, match="PaddlePaddle takes a batch as one tensor"):
        plugin.DALIGenericIterator(pipe, ["x"])
    with pytest.raises(DaliStudioError, match="The LoD level 1 of 'x' is not supported"):
        plugin.DALIGenericIterator(pipe, [("x", 1)])


def test_the_program_of_the_page(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "tensorflow.md"
    program = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    exec(compile(program, "docs/tensorflow.md", "exec"), {"samples": samples, "training": lambda _: pipelines(OURS, root, 1)[0]})
    assert capsys.readouterr().out.splitlines()[-1].startswith("paddle.Size([1, 2]) [")


def test_a_tensor_is_fed() -> None:
    batch = of(np.arange(12, dtype=np.float32).reshape(4, 3)).run()[0]
    target = paddle.zeros([4, 3], dtype="float32")
    assert plugin.feed_ndarray(batch, target.data_ptr()) == target.data_ptr()
    assert np.array_equal(target.numpy(), batch.as_array())
