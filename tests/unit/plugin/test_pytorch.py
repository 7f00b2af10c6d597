"""What iterators for PyTorch promise of memory, failures and missing packages."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from images import dataset

from dali_studio import DaliStudioError, Pipeline, fn
from dali_studio.plugin.pytorch import DALIClassificationIterator, DALIGenericIterator, LastBatchPolicy, feed_ndarray
from dali_studio.tensors import TensorCPU, TensorListCPU

pytestmark = pytest.mark.usefixtures("torch")


def training(folder: Path, **arguments: Any) -> Pipeline:
    pipe = Pipeline(batch_size=4, num_threads=2, device_id=None, seed=7)
    with pipe:
        files, labels = fn.readers.file(file_root=str(folder), name="Reader", **arguments)
        images = fn.resize(fn.decoders.image(files), size=(16.0, 16.0))
        pipe.set_outputs(fn.crop_mirror_normalize(images, crop=(8.0, 8.0)), labels)
    return pipe


def counting(source: Any, batch_size: int = 4, settings: Mapping[str, Any] | None = None, **arguments: Any) -> Pipeline:
    pipe = Pipeline(batch_size=batch_size, num_threads=1, device_id=None, **(settings or {}))
    with pipe:
        pipe.set_outputs(fn.external_source(source=source, **arguments))
    return pipe


def test_tensors_keep_their_values_while_they_are_held(tmp_path: Path) -> None:
    iterator = DALIClassificationIterator(training(dataset(tmp_path)), reader_name="Reader", auto_reset=True)
    held = [batch for _ in range(20) for batch in iterator]
    reference = training(tmp_path)
    for (batch,) in held:
        images, labels = reference.run()
        assert np.array_equal(batch["data"].numpy(), images.as_array())
        assert np.array_equal(batch["label"].numpy(), labels.as_array())
    assert len({batch["data"].data_ptr() for (batch,) in held}) == len(held)


@pytest.mark.slow
def test_tensors_share_the_memory_of_results_which_is_used_again(tmp_path: Path) -> None:
    iterator = DALIGenericIterator(
        training(dataset(tmp_path)), ["data", "label"], reader_name="Reader", auto_reset=True
    )
    addresses: list[int] = []
    for _ in range(200):
        addresses += [batch["data"].data_ptr() for (batch,) in iterator]
        gc.collect(1)  # of what is new: there are many old objects in a run of all tests
    assert len(set(addresses)) < len(addresses) / 4


@pytest.mark.parametrize("options", [{}, {"no_copy": True}])
def test_changing_a_tensor_changes_neither_the_users_arrays_nor_later_batches(options: dict[str, Any]) -> None:
    given = np.arange(8, dtype=np.float32).reshape(4, 2)
    wanted = given.copy()
    assert_unchanged(DALIGenericIterator(counting(lambda: given, **options), ["x"]), wanted)
    assert np.array_equal(given, wanted)


def test_changing_a_tensor_does_not_change_a_constant_or_a_repeated_batch() -> None:
    pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(np.array([1.0, 2.0], np.float32))
    assert_unchanged(DALIGenericIterator(pipe, ["x"]), np.array([[1.0, 2.0]], np.float32))
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(name="x", repeat_last=True))
    pipe.build()
    pipe.feed_input("x", np.ones((2, 3)))
    assert_unchanged(DALIGenericIterator(pipe, ["x"]), np.ones((2, 3)))


def assert_unchanged(iterator: DALIGenericIterator, wanted: Any) -> None:
    for _ in range(5):
        tensor = next(iterator)[0]["x"]
        assert np.array_equal(tensor.numpy(), wanted)
        tensor.zero_()


def test_a_failed_batch_is_reported_and_the_next_one_follows(tmp_path: Path) -> None:
    folder = dataset(tmp_path)
    (folder / "class_1" / "0.jpg").write_bytes(b"not a photo")  # sample 4 of 12
    pipes = [training(folder, num_shards=1), training(folder, num_shards=1)]
    iterator = DALIGenericIterator(pipes, ["data", "label"], reader_name="Reader", prepare_first_batch=False)
    labels: list[Any] = []
    failures: list[DaliStudioError] = []
    for _ in range(len(iterator)):
        try:
            labels.append([part["label"].flatten().tolist() for part in next(iterator)])
        except DaliStudioError as error:
            failures.append(error)
    assert labels == [[[0, 0, 0, 0]] * 2, [[2, 2, 2, 2]] * 2]
    assert [error.diagnostics[0].code for error in failures] == ["DS301"]
    assert "class_1/0.jpg" in str(failures[0])
    with pytest.raises(StopIteration):
        next(iterator)


@pytest.mark.parametrize("depth", [1, 3])
def test_the_end_of_data_may_come_from_iter_setup(depth: int) -> None:
    class Fed(Pipeline):
        given = 0

        def define_graph(self) -> Any:
            return fn.external_source(name="x")

        def iter_setup(self) -> None:
            if self.given == 3:
                self.given = 0
                raise StopIteration
            self.given += 1
            self.feed_input("x", np.full((2, 1), self.given))

    iterator = DALIGenericIterator(
        Fed(batch_size=2, num_threads=1, device_id=None, prefetch_queue_depth=depth), ["x"], auto_reset=True
    )
    for _ in range(3):
        assert [batch[0]["x"].flatten().tolist() for batch in iterator] == [[1, 1], [2, 2], [3, 3]]


def test_iterators_without_background_threads() -> None:
    pipe = counting(
        iter([np.full((4, 1), i) for i in range(5)]), settings={"exec_async": False, "exec_pipelined": False}
    )
    assert [batch[0]["x"][0].item() for batch in DALIGenericIterator(pipe, ["x"])] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: DALIGenericIterator(counting([[np.zeros(2), np.zeros(3)]] * 9, 2), ["x"]), "DS304"),
        (lambda: DALIGenericIterator(counting(lambda: np.zeros((4, 1))), ["x", "y"]), "DS105"),
        (lambda: DALIGenericIterator([], ["x"]), "DS105"),
        (lambda: DALIGenericIterator("pipeline", ["x"]), "DS105"),  # pyright: ignore[reportArgumentType]
        (lambda: DALIGenericIterator(counting(lambda: np.zeros((4, 1))), ["x"], reader_name="Reader"), "DS209"),
        (lambda: DALIGenericIterator(counting(lambda: np.zeros((2, 1))), ["x"], size=8), "DS304"),
        (
            lambda: DALIGenericIterator(
                counting(lambda: np.zeros((4, 1))), ["x"], size=2, last_batch_policy=LastBatchPolicy.DROP
            ),
            "DS304",
        ),
        (lambda: DALIGenericIterator(counting(lambda: np.zeros((4, 1))), ["x"]).checkpoints(), "DS304"),
        (lambda: feed_ndarray(TensorListCPU([np.zeros(2), np.zeros(3)]), None), "DS304"),
    ],
)
@pytest.mark.filterwarnings("ignore:size")
def test_refusals_say_what_to_do(build: Any, code: str) -> None:
    with pytest.raises(DaliStudioError) as caught:
        build()
    found = caught.value.diagnostics[0]
    assert found.code == code and found.message.endswith(".") and found.hint.endswith(".")


def test_what_is_deprecated_warns_at_the_callers_line() -> None:
    for options in ({"size": 8}, {"fill_last_batch": False, "size": 8}):
        with pytest.warns(UserWarning, match=" give ") as caught:
            DALIGenericIterator(counting(lambda: np.zeros((4, 1))), ["x"], **options)
        assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.filterwarnings("ignore:size")
def test_fill_last_batch_is_a_policy() -> None:
    for fill, last in ((True, 4), (False, 2)):
        with pytest.warns(UserWarning, match="deprecated"):
            iterator = DALIGenericIterator(counting(lambda: np.zeros((4, 1))), ["x"], size=6, fill_last_batch=fill)
        assert [len(batch[0]["x"]) for batch in iterator] == [4, last]


def test_feeding_a_view_and_a_batch(torch: ModuleType) -> None:
    target = torch.zeros(3, 2, dtype=torch.uint8)
    feed_ndarray(TensorCPU(np.arange(6, dtype=np.uint8).reshape(2, 3)), target.T)
    assert target.tolist() == [[0, 3], [1, 4], [2, 5]]
    feed_ndarray(TensorListCPU(np.arange(6, dtype=np.uint8).reshape(3, 2)), target)
    assert target.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_without_pytorch_the_module_loads_and_says_what_is_missing() -> None:
    program = """
import sys
sys.modules["torch"] = None
import numpy
from dali_studio import DaliStudioError, Pipeline, fn
from dali_studio.plugin import pytorch
pipe = Pipeline(batch_size=1, num_threads=1, device_id=None)
with pipe:
    pipe.set_outputs(fn.random.uniform())
for use in (lambda: pytorch.DALIGenericIterator(pipe, ["x"]), lambda: pytorch.to_torch_type, lambda: pytorch.feed_ndarray(None, None)):
    try:
        use()
    except DaliStudioError as error:
        print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(said) == 3 and all("DS601" in line and "pip install torch" in line for line in said)
