"""Iterators of NumPy arrays, and of samples that differ in shape, against nvidia.dali's for PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

from dali_studio import DaliStudioError

pytestmark = [pytest.mark.usefixtures("nvidia"), pytest.mark.filterwarnings("ignore:.*(size|reader_name|last_batch_policy)")]
COUNT = 7


def ragged(prefix: str, **options: Any) -> Any:
    """Samples 0 to 6, each as long as its number and one more, and as a square."""
    fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
    data = [np.arange(i + 1, dtype=np.float32) for i in range(COUNT)]
    pipe = dali.Pipeline(batch_size=3, num_threads=1, device_id=None, **options)

    def source(info: Any) -> Any:
        if info.idx_in_epoch >= COUNT:
            raise StopIteration
        return data[info.idx_in_epoch], np.full((2, 2), info.idx_in_epoch, np.int32), np.full((info.idx_in_epoch % 2 + 1, 2), 5, np.uint8)

    with pipe:
        pipe.set_outputs(*fn.external_source(source, num_outputs=3, batch=False))
    return pipe


def batches(prefix: str, types: list[str], **options: Any) -> list[Any]:
    module = importlib.import_module(f"{prefix}.plugin.pytorch")
    iterator = module.DALIRaggedIterator(ragged(prefix), ["long", "square", "other"], output_types=types, **options)
    return [batch for (batch,) in iterator]


@pytest.mark.usefixtures("torch")
def test_ragged_batches_are_those_of_nvidia_dali() -> None:
    module = importlib.import_module("dali_studio.plugin.pytorch").DALIRaggedIterator
    types = [module.SPARSE_COO_TAG, module.DENSE_TAG, module.SPARSE_LIST_TAG]
    ours, theirs = batches(OURS, types), batches(THEIRS, types)
    assert len(ours) == len(theirs) == 2
    for mine, other in zip(ours, theirs, strict=True):
        assert mine["long"].shape == other["long"].shape
        assert (mine["long"].to_dense() == other["long"].to_dense()).all()
        assert (mine["square"] == other["square"]).all()
        assert [(one == another).all() for one, another in zip(mine["other"], other["other"], strict=True)]
        assert [one.dtype for one in mine["other"]] == [one.dtype for one in other["other"]]


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize(("types", "says"), [(["dense"] * 3, "differ in shape"), (["sparse_list", "dense", "sparse_coo"], "have 2 axes")])
def test_what_does_not_fit_its_type_is_refused(types: list[str], says: str) -> None:
    with pytest.raises(DaliStudioError, match=says):
        batches(OURS, types)


@pytest.mark.usefixtures("torch")
def test_unknown_types_are_refused() -> None:
    for types in (["dense"], ["dense", "dense", "csr"]):
        with pytest.raises(DaliStudioError, match="output_types"):
            batches(OURS, types)


def test_numpy_batches() -> None:
    from dali_studio.plugin.numpy import DALIGenericIterator

    made = [batch for (batch,) in DALIGenericIterator(ragged(OURS), ["long", "square", "other"])]
    assert [batch["square"][:, 0, 0].tolist() for batch in made] == [[0, 1, 2], [3, 4, 5]]
    assert [[len(one) for one in batch["long"]] for batch in made] == [[1, 2, 3], [4, 5, 6]]
    assert isinstance(made[0]["square"], np.ndarray)
    assert isinstance(made[0]["long"], list)


def test_numpy_epochs_are_those_of_the_reader(tmp_path: Any) -> None:
    from dali_studio import Pipeline, fn
    from dali_studio.plugin.numpy import DALIClassificationIterator, LastBatchPolicy

    for number in range(COUNT):
        (tmp_path / f"{number}.bin").write_bytes(bytes([number]))
    pipe = Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipe:
        files, labels = fn.readers.file(file_root=str(tmp_path), files=[f"{i}.bin" for i in range(COUNT)], pad_last_batch=True, name="Reader")
        pipe.set_outputs(files, labels)
    iterator = DALIClassificationIterator(pipe, reader_name="Reader", last_batch_policy=LastBatchPolicy.PARTIAL, auto_reset=True)
    for _ in range(2):
        assert [batch["data"].ravel().tolist() for (batch,) in iterator] == [[0, 1, 2], [3, 4, 5], [6]]
    kept = next(iterator)[0]["data"]
    for _ in zip(range(3), iterator, strict=False):
        pass
    assert kept.ravel().tolist() == [0, 1, 2]  # nobody writes into what is held
