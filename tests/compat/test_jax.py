"""Iterators and functions for JAX against nvidia.dali's: the same arrays, lengths and ends of epochs."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

from dali_studio import DaliStudioError
from dali_studio.tensors import TensorListCPU

pytestmark = [
    pytest.mark.usefixtures("nvidia", "jax"),
    pytest.mark.filterwarnings("ignore:.*(size|reader_name|last_batch_policy)"),
]
COUNT, DEVICES = 11, 4
#: More batches than the epochs of these tests have.
MANY = 50


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("numbers")
    for number in range(COUNT):
        (folder / f"{number}.bin").write_bytes(bytes([number, 100 + number]))
    return folder


def plugin(prefix: str, name: str = "") -> Any:
    return importlib.import_module(f"{prefix}.plugin.jax{name}")


def policy(prefix: str, name: str) -> Any:
    return importlib.import_module(f"{prefix}.plugin.base_iterator").LastBatchPolicy[name]


def definition(prefix: str, root: Path, **reader: Any) -> Any:
    """A function of files and labels, which takes the arguments that a decorated one is given."""
    fn = importlib.import_module(f"{prefix}.fn")

    def files(shard_id: int = 0, num_shards: int = 1) -> Any:
        made = fn.readers.file(
            files=[str(root / f"{i}.bin") for i in range(COUNT)], labels=list(range(COUNT)), name="Reader",
            shard_id=shard_id, num_shards=num_shards, **reader,
        )  # fmt: skip
        return tuple(made)

    return files


def pipelines(prefix: str, root: Path, batch_size: int, shards: int = 1, **reader: Any) -> list[Any]:
    make = importlib.import_module(prefix).pipeline_def(definition(prefix, root, **reader))
    return [
        make(shard_id=i, num_shards=shards, batch_size=batch_size, num_threads=1, device_id=None, seed=5,
             enable_checkpointing=True)
        for i in range(shards)
    ]  # fmt: skip


def said(batch: dict[str, Any]) -> dict[str, Any]:
    return {name: (str(array.dtype), array.shape, np.asarray(array).tolist()) for name, array in batch.items()}


def trace(iterator: Any, epochs: int = 3) -> list[Any]:
    log: list[Any] = []
    for _ in range(epochs):
        log.append(len(iterator))
        log.extend(said(batch) for batch in itertools.islice(iterator, MANY))
        iterator.reset()
    return log


@pytest.mark.parametrize("name", ["FILL", "DROP"])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("shards", [1, 2])
@pytest.mark.parametrize("pmap", [None, True])
def test_epochs(root: Path, name: str, padded: bool, shards: int, pmap: bool | None) -> None:
    def of(prefix: str) -> list[Any]:
        pipes = pipelines(prefix, root, 3, shards, pad_last_batch=padded)
        return trace(plugin(prefix).DALIGenericIterator(
            pipes, ["data", "label"], reader_name="Reader", last_batch_policy=policy(prefix, name),
            pmap_compatible=pmap,
        ))  # fmt: skip

    assert of(OURS) == of(THEIRS)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float16", "float32", "float64"])
def test_types(dtype: str) -> None:
    values = (np.arange(12).reshape(4, 3) % 5).astype(dtype)

    def of(prefix: str) -> dict[str, Any]:
        fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
        pipe = dali.Pipeline(batch_size=4, num_threads=1, device_id=None)
        with pipe:
            pipe.set_outputs(fn.external_source(source=lambda: list(values)))
        return said(next(plugin(prefix).DALIGenericIterator(pipe, ["x"])))

    assert of(OURS) == of(THEIRS)


def counted() -> Any:
    """A pipeline that counts, with a constant beside."""
    from dali_studio import Pipeline, fn

    pipe = Pipeline(batch_size=32, num_threads=1, device_id=None)
    with pipe:
        numbers = fn.external_source(source=lambda info: np.full(64, info.iteration, np.int32), batch=False)
        pipe.set_outputs(numbers + 1, fn.constant(fdata=[1.0, 2.0]))
    return pipe


def test_arrays_stay_as_they_are() -> None:
    iterator = plugin(OURS).DALIGenericIterator(counted(), ["x", "c"])
    kept = [next(iterator) for _ in range(8)]
    memory = next(iterator)["x"].unsafe_buffer_pointer()
    assert memory % 64 == 0
    for number, batch in enumerate(kept):
        assert batch["x"].unsafe_buffer_pointer() != memory
        assert (np.asarray(batch["x"]) == number + 1).all()
        assert np.asarray(batch["c"]).tolist() == [[1.0, 2.0]] * 32


@pytest.mark.parametrize("uses_cuda", [True, False])
def test_results_on_a_gpu_are_copied_there_or_by_the_host(jax: Any, monkeypatch: pytest.MonkeyPatch, uses_cuda: bool) -> None:
    from dali_studio.plugin.jax import arrays

    class OnGpu(TensorListCPU):
        """A batch of the CPU in place of one on a GPU: DLPack hands both over."""

        def as_cpu(self) -> TensorListCPU:
            used.append("host")
            return self

        def as_tensor(self) -> Any:
            used.append("device")
            return super().as_tensor()

    used: list[str] = []
    monkeypatch.setattr(arrays, "_uses_cuda", lambda: uses_cuda)
    memory = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    made = arrays.from_gpu(OnGpu(memory))  # pyright: ignore[reportArgumentType]
    assert used == ["device" if uses_cuda else "host"]
    assert np.array_equal(np.asarray(made), memory)
    if uses_cuda:
        memory[:] = 0
        assert np.asarray(made).any(), "it is a copy"


def test_without_a_gpu_there_is_no_cuda(jax: Any) -> None:
    from dali_studio.plugin.jax import arrays

    assert arrays._uses_cuda() == any(device.platform == "gpu" for device in jax.devices())


def test_an_array_over_devices(root: Path, jax: Any) -> None:
    devices = jax.devices()
    assert len(devices) == DEVICES
    for order in (devices, devices[::-1]):
        mesh = jax.sharding.Mesh(np.array(order), ("batch",))
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
        make = plugin(OURS).data_iterator(
            definition(OURS, root), output_map=["data", "label"], reader_name="Reader", sharding=sharding
        )
        batch = next(make(batch_size=2 * DEVICES, num_threads=1))
        assert batch["label"].sharding == sharding and batch["data"].shape == (2 * DEVICES, 2)
        of_device = {part.device.id: np.asarray(part.data).ravel().tolist() for part in batch["label"].addressable_shards}
        starts = [number * COUNT // DEVICES for number in range(DEVICES)]
        assert of_device == {number: [start, start + 1] for number, start in enumerate(starts)}
        assert int(jax.jit(lambda x: x.sum())(batch["label"])) == sum(2 * start + 1 for start in starts)


def test_arrays_for_pmap(root: Path, jax: Any) -> None:
    make = plugin(OURS).data_iterator(
        definition(OURS, root), output_map=["data", "label"], reader_name="Reader", devices=jax.devices()[:2]
    )
    batch = next(make(batch_size=2 * DEVICES, num_threads=1))
    assert np.asarray(batch["label"]).tolist() == [[[0], [1]], [[5], [6]]]
    assert [part.device.id for part in batch["label"].addressable_shards] == [0, 1]


@pytest.mark.parametrize("peekable", [False, True])
@pytest.mark.parametrize("sharded", [False, True])
def test_checkpoints(root: Path, jax: Any, peekable: bool, sharded: bool) -> None:
    sharding = None
    if sharded:
        mesh = jax.sharding.Mesh(np.array(jax.devices()), ("batch",))
        sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    bridge = plugin(OURS, ".clu" if peekable else "")
    decorate = bridge.peekable_data_iterator if peekable else bridge.data_iterator
    make = decorate(
        definition(OURS, root, random_shuffle=True), output_map=["data", "label"], reader_name="Reader",
        sharding=sharding,
    )  # fmt: skip

    def made(**more: Any) -> Any:
        return make(batch_size=DEVICES, num_threads=1, seed=3, enable_checkpointing=True, **more)

    first = made()
    next(first)
    states = first.checkpoints()
    rest = [said(batch) for batch in first]
    assert rest and [said(batch) for batch in made(checkpoints=states)] == rest
    with pytest.raises(DaliStudioError, match=f"for {DEVICES if sharded else 1} pipelines"):
        made(checkpoints=[*states, states[0]])


def test_a_decorated_function_is_a_factory(root: Path) -> None:
    @plugin(OURS).data_iterator(output_map=["data", "label"], reader_name="Reader")
    def batches(first: int) -> Any:
        from dali_studio import fn

        data, labels = fn.readers.file(
            files=[str(root / f"{i}.bin") for i in range(first, COUNT)], labels=list(range(first, COUNT)), name="Reader"
        )
        return data, labels

    assert batches.__name__ == "batches"
    assert np.asarray(next(batches(4, batch_size=2))["label"]).tolist() == [[4], [5]]


def test_peeking(root: Path, jax: Any) -> None:
    iterator = plugin(OURS, ".clu").DALIGenericPeekableIterator(
        pipelines(OURS, root, 4), ["data", "label"], reader_name="Reader"
    )
    assert iterator.element_spec["data"] == jax.ShapeDtypeStruct((4, 2), np.uint8)
    looked = said(iterator.peek())
    with pytest.raises(DaliStudioError, match="between peek"):
        iterator.checkpoints()
    assert said(iterator.peek_async().result()) == looked == said(next(iter(iterator)))
    assert said(iterator.peek()) != looked
    assert [np.asarray(batch["label"]).ravel().tolist() for batch in iterator] == [[4, 5, 6, 7], [8, 9, 10, 0]]
    assert np.asarray(iterator.is_nonpadding).tolist() == [True, True, True, False]


def test_what_is_no_padding_over_devices(root: Path, jax: Any) -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("batch",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("batch"))
    make = plugin(OURS, ".clu").peekable_data_iterator(
        definition(OURS, root, pad_last_batch=True), output_map=["data", "label"], reader_name="Reader",
        sharding=sharding,
    )  # fmt: skip
    iterator = make(batch_size=2 * DEVICES, num_threads=1)
    last = list(iterator)[-1]
    assert iterator.is_nonpadding.sharding == sharding
    assert np.asarray(last["label"])[np.asarray(iterator.is_nonpadding)].ravel().tolist() == [4, 7, 10]


def test_a_batch_of_another_shape_than_the_first() -> None:
    from dali_studio import Pipeline, fn

    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(source=lambda info: np.zeros(1 + info.iteration), batch=False))
    iterator = plugin(OURS, ".clu").DALIGenericPeekableIterator(pipe, ["x"])
    next(iterator)
    with pytest.raises(DaliStudioError, match="in the first batch it was"):
        next(iterator)


def test_refusals(root: Path, jax: Any) -> None:
    bridge = plugin(OURS)
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])

    def made(**options: Any) -> Any:
        return bridge.DALIGenericIterator(
            pipelines(OURS, root, 3, 2), ["data", "label"], reader_name="Reader", **options
        )

    with pytest.raises(DaliStudioError, match="PARTIAL is not accepted for JAX"):
        made(last_batch_policy=bridge.LastBatchPolicy.PARTIAL)
    with pytest.raises(DaliStudioError, match="sharding is a str"):
        made(sharding="batch")
    with pytest.raises(DaliStudioError, match="1 devices of this process, for 2 pipelines"):
        next(made(sharding=one))
    with pytest.raises(DaliStudioError, match="both given"):
        bridge.data_iterator(definition(OURS, root), output_map=["x"], sharding=one, devices=jax.devices())
    make = bridge.data_iterator(definition(OURS, root), output_map=["data", "label"], devices=jax.devices())
    with pytest.raises(DaliStudioError, match="batch_size is not given"):
        make()
    with pytest.raises(DaliStudioError, match="batch_size is 3, for 4 devices"):
        make(batch_size=3)


# ---------------------------------------------------------------------------------------------------------- jax_function

IMAGES = [np.arange(24, dtype=np.uint8).reshape(2, 4, 3) + i for i in range(3)]


def ran(prefix: str, jax: Any, decorate: Any, function: Any, layout: str = "HWC") -> list[Any]:
    """Type, layout and values of what a pipeline gives that calls a function of the images' batch."""
    fn, dali = importlib.import_module(f"{prefix}.fn"), importlib.import_module(prefix)
    called = decorate(plugin(prefix).fn.jax_function)(function)
    pipe = dali.Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipe:
        made = called(fn.external_source(source=lambda: IMAGES, layout=layout))
        pipe.set_outputs(*(made if isinstance(made, list | tuple) else [made]))
    pipe.build()
    return [(str(one.dtype), one.layout(), np.asarray(one.as_array()).tolist()) for one in pipe.run()]


def test_functions(jax: Any) -> None:
    def both(decorate: Any, function: Any) -> list[Any]:
        ours = ran(OURS, jax, decorate, function)
        assert ours == ran(THEIRS, jax, decorate, function)
        return ours

    flipped = both(lambda f: f, jax.jit(jax.vmap(lambda image: image[:, ::-1])))
    assert flipped[0][1] == "HWC" and flipped[0][2][0] == IMAGES[0][:, ::-1].tolist()
    both(lambda f: f, lambda images: images.mean(axis=3))
    both(lambda f: f(num_outputs=2, output_layouts=("HW", "HW")), lambda images: (images[..., 0], images[..., 1]))
    both(lambda f: f(num_outputs=2), lambda images: (images * 2, images.sum((1, 2, 3))))
    both(lambda f: f(num_outputs=2, output_layouts=("CHW", "HWC")), lambda i: (i.transpose(0, 3, 1, 2), i))


def test_what_follows_knows_the_layout(jax: Any) -> None:
    from dali_studio import Pipeline, fn

    pipe = Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipe:
        images = fn.external_source(source=lambda: IMAGES, layout="HWC")
        pipe.set_outputs(fn.crop(plugin(OURS).fn.jax_function(lambda batch: batch + 1)(images), crop=(1, 1)))
    assert pipe.run()[0].as_array().shape == (3, 1, 1, 3)


def test_a_function_without_outputs() -> None:
    from dali_studio import Pipeline, fn

    seen: list[Any] = []

    def note(batch: Any) -> None:
        seen.append(batch.shape)

    pipe = Pipeline(batch_size=3, num_threads=1, device_id=None)
    with pipe:
        images = fn.external_source(source=lambda: IMAGES, layout="HWC")
        plugin(OURS).fn.jax_function(num_outputs=0)(note)(images)
        pipe.set_outputs(images)
    pipe.run()
    assert seen[0] == (3, 2, 4, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"device": "gpu"}, "no 'gpu' backend"),
        ({"sharding": "batch"}, "sharding is a str"),
        ({"num_outputs": 2, "output_layouts": ["HWC"]}, "1 layouts are given for 2 outputs"),
    ],
)
def test_refusals_of_functions(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DaliStudioError, match=message):
        plugin(OURS).fn.jax_function(**arguments)


def test_a_sharding_of_a_process_with_several_devices(jax: Any) -> None:
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    with pytest.raises(DaliStudioError, match="a process of 4 devices"):
        plugin(OURS).fn.jax_function(sharding=one)


def test_samples_that_differ_in_shape() -> None:
    from dali_studio import Pipeline, fn

    def ragged() -> Any:
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            data = fn.external_source(source=lambda: [np.zeros(1), np.zeros(2)])
            pipe.set_outputs(plugin(OURS).fn.jax_function(lambda x: x)(data))
        return pipe

    with pytest.raises(DaliStudioError, match="differ in shape"):
        ragged().run()
    pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(fn.external_source(source=lambda: [np.zeros(1), np.zeros(2)]))
    with pytest.raises(DaliStudioError, match="JAX takes a batch as one tensor"):
        plugin(OURS).DALIGenericIterator(pipe, ["x"])
