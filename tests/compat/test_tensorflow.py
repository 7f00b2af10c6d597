"""Data sets of TensorFlow: batches, shapes and ends as nvidia.dali's; its plugin is compared where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
if "paddle" in sys.modules:
    pytest.skip("PaddlePaddle is loaded, which ends a process that loads TensorFlow", allow_module_level=True)
tf: Any = pytest.importorskip("tensorflow", reason="data sets for TensorFlow need tensorflow, which is not installed")
COUNT = 7

prefixes = pytest.mark.parametrize(
    "prefix",
    [OURS, pytest.param(THEIRS, marks=pytest.mark.skipif(
        importlib.util.find_spec("nvidia") is None or importlib.util.find_spec("nvidia.dali_tf_plugin") is None,
        reason="nvidia.dali's plugin for TensorFlow is compiled where it is installed, which takes minutes"))],
)  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    for number in range(COUNT):
        (folder / f"{number}.bin").write_bytes(bytes([number, 100 + number]))
    return folder


def module(prefix: str, name: str = "") -> Any:
    return importlib.import_module(f"{prefix}{name}")


def shuffled(prefix: str, root: Path, **options: Any) -> Any:
    """Files in random order with their labels, and a random number for each."""
    fn = module(prefix, ".fn")

    def define() -> Any:
        files, labels = fn.readers.file(
            files=[str(root / f"{i}.bin") for i in range(COUNT)], labels=list(range(COUNT)), random_shuffle=True, seed=3
        )
        return files, labels, fn.random.uniform(range=(0.0, 1.0), shape=(3,), seed=4)

    return module(prefix).pipeline_def(define)(**{"batch_size": 4, "num_threads": 1, "device_id": None, "seed": 5, **options})


def fed(prefix: str, **source: Any) -> Any:
    """Twice what a source gives."""
    fn = module(prefix, ".fn")

    @module(prefix).pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=1)
    def define() -> Any:
        return fn.external_source(name="numbers", **source) * 2

    return define()


def of_shape(prefix: str, *shape: int) -> Any:
    fn = module(prefix, ".fn")

    @module(prefix).pipeline_def(batch_size=4, num_threads=1, device_id=None)
    def define() -> Any:
        return fn.constant(fdata=[float(i) for i in range(int(np.prod(shape)))], shape=shape)

    return define()


def with_inputs(prefix: str, pipe: Any, inputs: Any, **options: Any) -> list[Any]:
    """What the data set gives, as lists; at most five batches."""
    options = {"output_dtypes": tf.int64, "batch_size": 3, "device_id": None, **options}
    made = module(prefix, ".plugin.tf").experimental.DALIDatasetWithInputs(pipe, input_datasets=inputs, **options)
    return [batch.tolist() for (batch,) in made.take(5).as_numpy_iterator()]


# ------------------------------------------------------------------------------------------------------------ batches


@prefixes
def test_batches_are_those_of_the_pipeline_and_go_on_over_epochs(nvidia: Any, root: Path, prefix: str) -> None:
    types = (tf.uint8, tf.int32, tf.float32)
    made = module(prefix, ".plugin.tf").DALIDataset(
        pipeline=shuffled(prefix, root), output_dtypes=types, batch_size=3, num_threads=2, device_id=None,
        prefetch_queue_depth=1,
    )  # fmt: skip
    assert isinstance(made, tf.data.Dataset)
    assert made.cardinality() == tf.data.INFINITE_CARDINALITY
    theirs = shuffled(THEIRS, root, batch_size=3)
    for _ in range(2):  # each iterator begins anew
        theirs = shuffled(THEIRS, root, batch_size=3)
        for batch in made.take(8):
            for tensor, wanted in zip(batch, theirs.run(), strict=True):
                assert np.array_equal(tensor.numpy(), np.stack([np.asarray(one) for one in wanted]))


@prefixes
@pytest.mark.parametrize(
    ("of", "wanted", "batch_size", "given"),
    [
        ((1, 3), (2, 3), 2, (2, 3)),
        ((1, 3), (None, None), 2, (2, 3)),
        ((1, 3), None, 2, (2, 1, 3)),
        ((3,), (3,), 1, (3,)),
        ((1, 3), (3,), 1, (3,)),
        ((1, 1), (), 1, ()),
        ((3,), (2, 4), 2, None),
        ((3,), (2, 3, 1), 2, None),
        ((1, 3), (3, 3), 2, None),
        ((1, 3, 1), (None, None, None), 2, None),  # in two ways
    ],
)
def test_axes_of_one_element_may_be_left_out(prefix: str, of: Any, wanted: Any, batch_size: int, given: Any) -> None:
    made = module(prefix, ".plugin.tf").DALIDataset(
        pipeline=of_shape(prefix, *of), output_dtypes=tf.float32, output_shapes=wanted, batch_size=batch_size, device_id=None
    )
    if given is None:
        with pytest.raises(tf.errors.OpError, match="shape"):
            next(iter(made))
        return
    (batch,) = next(iter(made))
    assert tuple(batch.shape) == given
    assert made.element_spec[0].shape.is_compatible_with(given)


@prefixes
def test_another_type_is_refused(prefix: str) -> None:
    made = module(prefix, ".plugin.tf").DALIDataset(
        pipeline=of_shape(prefix, 3), output_dtypes=(tf.int32,), batch_size=2, device_id=None
    )
    with pytest.raises(tf.errors.OpError, match="int32"):
        next(iter(made))


@prefixes
def test_samples_that_differ_in_shape_are_refused(prefix: str) -> None:
    with pytest.raises(tf.errors.OpError, match="shape"):
        with_inputs(prefix, fed(prefix, batch=False), {"numbers": tf.data.Dataset.range(9).map(lambda n: tf.range(n))})


# ------------------------------------------------------------------------------------------------------------- inputs


def raised_at_two(info: Any) -> Any:
    if info.iteration == 2:
        raise StopIteration
    return np.int64([info.iteration * 3 + info.idx_in_batch])


INPUTS: list[tuple[str, Callable[[Any], Any], dict[str, Any], list[Any]]] = [
    ("samples", lambda experimental: tf.data.Dataset.range(COUNT), {}, [[0, 2, 4], [6, 8, 10]]),
    ("batches", lambda e: e.Input(tf.data.Dataset.range(COUNT).batch(3), batch=True), {}, [[0, 2, 4], [6, 8, 10], [12]]),
    ("as the node", lambda e: e.Input(tf.data.Dataset.range(COUNT).batch(3), batch=None), {}, [[0, 2, 4], [6, 8, 10], [12]]),
    ("as the node: samples", lambda e: e.Input(tf.data.Dataset.range(COUNT), batch=None), {"batch": False}, [[0, 2, 4], [6, 8, 10]]),
]


@prefixes
@pytest.mark.parametrize(("make", "source", "wanted"), [case[1:] for case in INPUTS], ids=[case[0] for case in INPUTS])
def test_data_sets_feed_external_sources(prefix: str, make: Any, source: Any, wanted: Any) -> None:
    inputs = {"numbers": make(module(prefix, ".plugin.tf").experimental)}
    assert with_inputs(prefix, fed(prefix, **source), inputs) == wanted


@prefixes
def test_the_first_data_set_that_ends_is_the_end(prefix: str) -> None:
    fn = module(prefix, ".fn")

    @module(prefix).pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def both() -> Any:
        return fn.external_source(name="a") + fn.external_source(name="b")

    inputs = {"a": tf.data.Dataset.range(100).repeat(), "b": tf.data.Dataset.range(5)}
    assert with_inputs(prefix, both(), inputs, batch_size=2) == [[0, 2], [4, 6]]


@prefixes
@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ({"source": raised_at_two, "batch": False}, [[[0], [2], [4]], [[6], [8], [10]]]),
        ({"source": [np.int64([1, 2, 3]), np.int64([4, 5, 6])]}, [[2, 4, 6], [8, 10, 12]]),
        ({"source": [np.int64([1, 2, 3]), np.int64([4, 5, 6])], "cycle": "quiet"}, [[2, 4, 6], [8, 10, 12]] * 2 + [[2, 4, 6]]),
    ],
)
def test_sources_of_the_program_run(prefix: str, source: Any, wanted: Any) -> None:
    assert with_inputs(prefix, fed(prefix, **source), None) == wanted


@prefixes
def test_each_iterator_begins_with_the_data_sets_anew(prefix: str) -> None:
    made = module(prefix, ".plugin.tf").experimental.DALIDatasetWithInputs(
        fed(prefix), input_datasets={"numbers": tf.data.Dataset.range(4)}, output_dtypes=tf.int64, batch_size=2, device_id=None
    )
    for _ in range(2):
        assert [batch.tolist() for (batch,) in made.as_numpy_iterator()] == [[0, 2], [4, 6]]
    iterator = iter(made)
    next(iterator), next(iterator)
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()


@prefixes
def test_layouts_are_the_inputs_or_the_nodes(prefix: str) -> None:
    fn = module(prefix, ".fn")
    tf_plugin = module(prefix, ".plugin.tf")

    @module(prefix).pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def flipped(layout: str | None) -> Any:
        return fn.flip(fn.external_source(name="images", layout=layout), horizontal=1)

    images = tf.data.Dataset.from_tensors(np.arange(6, dtype=np.uint8).reshape(1, 6, 1)).repeat(2)
    for node, given in (("HWC", None), (None, "HWC")):
        made = tf_plugin.experimental.DALIDatasetWithInputs(
            flipped(node), input_datasets={"images": tf_plugin.experimental.Input(images, layout=given)},
            output_dtypes=tf.uint8, batch_size=2, device_id=None,
        )  # fmt: skip
        (batch,) = next(iter(made))
        assert batch.numpy()[0].flatten().tolist() == [5, 4, 3, 2, 1, 0]


@prefixes
@pytest.mark.parametrize(
    ("source", "inputs", "message"),
    [
        ({}, {"others": tf.data.Dataset.range(3)}, "others"),
        ({}, {}, "numbers"),
        ({}, None, "numbers"),
        ({}, [tf.data.Dataset.range(3)], "dictionary"),
        ({}, {"numbers": tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(3)))}, r"2 (parts|elements)"),
        ({"source": [np.int64([1])]}, {"numbers": tf.data.Dataset.range(3)}, "numbers"),
        ({"num_outputs": 2}, {"numbers": tf.data.Dataset.range(3)}, "num_outputs"),
    ],
)
def test_inputs_that_fit_no_source_are_refused(prefix: str, source: Any, inputs: Any, message: str) -> None:
    fn = module(prefix, ".fn")

    @module(prefix).pipeline_def(batch_size=4, num_threads=1, device_id=None, seed=1)
    def define() -> Any:
        made = fn.external_source(name="numbers", **source)
        return made[0] if "num_outputs" in source else made

    with pytest.raises(Exception, match=message):
        with_inputs(prefix, define(), inputs)


@prefixes
def test_sources_are_for_the_data_set_with_inputs(prefix: str) -> None:
    for source in ({}, {"source": [np.int64([1])]}):
        with pytest.raises((ValueError, RuntimeError), match="DALIDatasetWithInputs"):
            module(prefix, ".plugin.tf").DALIDataset(pipeline=fed(prefix, **source), output_dtypes=tf.int64)


# --------------------------------------------------------------------------------------------- arguments and programs


@prefixes
def test_former_names_of_arguments_warn(prefix: str) -> None:
    make = module(prefix, ".plugin.tf").DALIDataset
    with pytest.warns(Warning, match="deprecated"):
        made = make(pipeline=of_shape(prefix, 3), dtypes=[tf.float32], shapes=[(2, 3)], batch_size=2, device_id=None)
    assert made.element_spec == (tf.TensorSpec((2, 3), tf.float32),)
    with pytest.raises((ValueError, RuntimeError), match="output_dtypes"):
        make(pipeline=of_shape(prefix, 3), dtypes=tf.float32, output_dtypes=tf.float32)


@prefixes
def test_a_model_is_fitted(prefix: str, root: Path) -> None:
    fn = module(prefix, ".fn")

    @module(prefix).pipeline_def(batch_size=8, num_threads=1, device_id=None, seed=2)
    def numbers() -> Any:
        x = fn.random.uniform(range=(-1.0, 1.0), shape=(4,))
        return x, fn.reductions.sum(x)

    made = module(prefix, ".plugin.tf").DALIDataset(
        pipeline=numbers(), output_dtypes=(tf.float32, tf.float32), output_shapes=((8, 4), (8,)), batch_size=8, device_id=None
    )
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile(optimizer=tf.keras.optimizers.SGD(0.5), loss="mse")
    losses = model.fit(made, epochs=3, steps_per_epoch=20, verbose=0).history["loss"]
    assert losses[-1] < 1e-3 < losses[0]


def test_the_program_of_the_page() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "tensorflow.md"
    training, _ = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(training, "docs/tensorflow.md", "exec"), {})


def test_it_works_under_other_data_sets() -> None:
    made = module(OURS, ".plugin.tf").experimental.DALIDatasetWithInputs(
        fed(OURS), input_datasets={"numbers": tf.data.Dataset.range(8)}, output_dtypes=tf.int64, output_shapes=(None,),
        batch_size=2, device_id=None,
    )  # fmt: skip
    chained = made.map(lambda batch: batch + 1).unbatch().filter(lambda one: one > 2).repeat(2).prefetch(2)
    assert [int(one) for one in chained] == [3, 5, 7, 9, 11, 13, 15] * 2

    @tf.function
    def total() -> Any:
        found = tf.constant(0, tf.int64)
        for (batch,) in made:
            found += tf.reduce_sum(batch)
        return found

    assert total() == 56


def test_errors_of_the_pipeline_say_what_they_say_elsewhere() -> None:
    made = module(OURS, ".plugin.tf").experimental.DALIDatasetWithInputs(
        fed(OURS), output_dtypes=tf.int64, batch_size=2, device_id=None,
        input_datasets={"numbers": module(OURS, ".plugin.tf").experimental.Input(tf.data.Dataset.range(8).batch(4), batch=True)},
    )  # fmt: skip
    with pytest.raises(tf.errors.UnknownError, match="DS304 numbers: The batch has 4 samples; 2 at most are accepted"):
        next(iter(made))


def test_outputs_on_another_device_are_refused_or_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of the CPU in place of one on a GPU."""
    from dali_studio.plugin.tf import dataset
    from dali_studio.tensors import TensorListCPU

    monkeypatch.setattr(dataset, "TensorListGPU", TensorListCPU)
    make = module(OURS, ".plugin.tf").DALIDataset
    options: Any = {"pipeline": of_shape(OURS, 2), "output_dtypes": tf.float32, "batch_size": 2, "device_id": None}
    with pytest.raises(tf.errors.UnknownError, match="Output 0 lies on the GPU; the data set was made for the CPU"):
        next(iter(make(**options)))
    (batch,) = next(iter(make(**options, fail_on_device_mismatch=False)))
    assert batch.numpy().tolist() == [[0, 1]] * 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pipeline": 1}, "int is no pipeline"),
        ({"output_dtypes": "float"}, "output_dtypes is 'float'"),
        ({"output_dtypes": (tf.float32, tf.float32)}, "has 2 types; the pipeline has 1 outputs"),
        ({"output_dtypes": (tf.float32,), "output_shapes": ((2,), (2,))}, "has 2 shapes, output_dtypes 1 types"),
    ],
)
def test_arguments_that_do_not_fit(arguments: dict[str, Any], message: str) -> None:
    options = {"pipeline": of_shape(OURS, 2), "output_dtypes": tf.float32, **arguments}
    with pytest.raises(RuntimeError, match=message):
        module(OURS, ".plugin.tf").DALIDataset(**options)


# ---------------------------------------------------------------------------------------------- graphs of TensorFlow 1


def runs(prefix: str, root: Path) -> Iterator[Any]:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        batch = module(prefix, ".plugin.tf").DALIIterator()(
            pipeline=shuffled(prefix, root), shapes=[(3, 2), (3, 1), (3, 3)], dtypes=[tf.uint8, tf.int32, tf.float32],
            device_id=-1, num_threads=1,
        )  # fmt: skip
        assert [tuple(tensor.shape) for tensor in batch] == [(3, 2), (3, 1), (3, 3)]
        for _ in range(6):
            yield session.run(batch)


def test_a_session_gives_the_next_batch_with_each_run(nvidia: Any, root: Path) -> None:
    theirs = shuffled(THEIRS, root, batch_size=3)
    for batch in runs(OURS, root):
        for array, wanted in zip(batch, theirs.run(), strict=True):
            assert np.array_equal(array, np.stack([np.asarray(one) for one in wanted]))


def test_calls_give_the_next_batch(root: Path) -> None:
    pipe = shuffled(OURS, root)
    wanted = shuffled(OURS, root, batch_size=2)
    for _ in range(3):
        labels = module(OURS, ".plugin.tf").DALIIteratorWrapper(
            pipe, shapes=[None] * 3, dtypes=[tf.uint8, tf.int32, tf.float32], batch_size=2
        )[1]
        assert np.array_equal(labels.numpy(), wanted.run()[1].as_array())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sparse": [True]}, "sparse is not supported"),
        ({"serialized_pipeline": b"x"}, "serialized_pipeline is not supported"),
        ({"shapes": []}, "Give a shape and a type"),
        ({"threads": 3}, "no option 'threads'"),
    ],
)
def test_what_the_iterator_refuses(arguments: dict[str, Any], message: str) -> None:
    options = {"pipeline": of_shape(OURS, 2), "shapes": [(2, 2)], "dtypes": [tf.float32], **arguments}
    with pytest.raises(RuntimeError, match=message):
        module(OURS, ".plugin.tf").DALIIterator()(**options)
