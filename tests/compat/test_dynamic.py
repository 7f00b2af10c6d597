"""``experimental.dynamic``: the same lines under both import prefixes, and what is particular about this one."""

from __future__ import annotations

import importlib
import threading
import types as python
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS

import dali_studio.experimental.dynamic as ndd
from dali_studio import DaliStudioError
from dali_studio.schema.sample_folders import class_folders

GENERATOR = np.random.default_rng(5)
PICTURE = GENERATOR.integers(0, 255, (9, 7, 3), dtype=np.uint8)
PICTURES = [PICTURE, PICTURE[:5].copy(), PICTURE[2:, 1:].copy()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> str:
    root: Path = tmp_path_factory.mktemp("photos")
    for name, content in class_folders(3, 5).files().items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(content)
    return str(root)


def plain(value: Any) -> Any:
    """What two results are compared by."""
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    kind = type(value).__name__
    if kind == "Tensor":
        array = np.array(value)
        return (kind, str(value.dtype), value.layout, value.shape, array.tobytes())
    if kind == "Batch":
        return (kind, [plain(one) for one in value.tensors])
    return value if isinstance(value, int | float | str | bytes | None | tuple) else str(value)


def computed(prefix: str, lines: str, **names: Any) -> Any:
    """The value of the last line."""
    space = {"ndd": importlib.import_module(f"{prefix}.experimental.dynamic"), "np": np, "PICTURE": PICTURE, "PICTURES": PICTURES,
             "types": importlib.import_module(f"{prefix}.types"), **names}  # fmt: skip
    *before, last = lines.strip().split("\n")
    exec("\n".join(line.strip() for line in before), space)
    return plain(eval(last.strip(), space))


# ------------------------------------------------------------------------------------------------------------- names


def public(module: Any, prefix: str = "") -> Iterator[str]:
    """The names of a module of nvidia.dali and those of its modules, without what it imports."""
    package = "nvidia.dali.experimental.dynamic"
    for name, one in sorted(vars(module).items()):
        if name.startswith("_") or (isinstance(one, python.ModuleType) and not one.__name__.startswith(package)):
            continue
        if isinstance(one, python.ModuleType):
            yield from public(one, f"{prefix}{name}.")
        elif getattr(one, "__module__", package).startswith(("nvidia.dali", "<makefun")):
            yield prefix + name


def test_every_public_name_is_there_or_says_why_not(nvidia: Any) -> None:
    del nvidia
    names = list(public(importlib.import_module(f"{THEIRS}.experimental.dynamic")))
    assert len(names) > 200
    for path in names:
        found: Any = ndd
        for part in path.split("."):
            try:
                found = getattr(found, part)
            except AttributeError as error:
                found = str(error)
                break
        assert found is not None
        told = not isinstance(found, str) or any(words in found for words in ("has no operator", "does not have", "will not have", "not available"))
        assert told, f"{path}: {found}"


def test_methods_of_tensors_batches_readers_and_generators_are_there(nvidia: Any, folder: str) -> None:
    del nvidia
    theirs = importlib.import_module(f"{THEIRS}.experimental.dynamic")
    reader = {"file_root": folder}
    for here, there in (
        (ndd.Tensor, theirs.Tensor), (ndd.Batch, theirs.Batch), (ndd.random.RNG, theirs.random.RNG), (ndd.Device, theirs.Device),
        (ndd.EvalContext, theirs.EvalContext), (ndd.EvalMode, theirs.EvalMode), (ndd.DType, theirs.DType), (ndd.Stream, theirs.Stream),
        (ndd.checkpoint.Checkpoint, theirs.checkpoint.Checkpoint), (ndd.ExternalSource, theirs.ExternalSource),
        (ndd.readers.File(**reader), theirs.readers.File(**reader)),
    ):  # fmt: skip
        inner = {"cached_results", "cache_results"}  # reserved there
        missing = [name for name in dir(there) if not name.startswith("_") and not hasattr(here, name) and name not in inner]
        assert not missing, f"{here}: {missing}"


# -------------------------------------------------------------------------------------------------------------- values

LINES = {
    "tensors": "[ndd.tensor(PICTURE, layout='HWC'), ndd.as_tensor([[1, 2], [3, 4]]), ndd.tensor(2.5), ndd.tensor(True), ndd.tensor(2**31)]",
    "types of tensors": "[ndd.tensor([1.7, -2.5], dtype=ndd.int16), ndd.as_tensor(np.array([1.7, 2.5, -1.5]), dtype=ndd.int32), ndd.tensor(PICTURE, dtype='f32')]",
    "layouts": "[ndd.as_tensor(PICTURE, layout='HWC').layout, ndd.as_tensor(PICTURE).layout, ndd.as_tensor(ndd.tensor(PICTURE, layout='HWC'), layout='CHW').layout]",
    "sizes": "x = ndd.tensor(PICTURE)\n[x.ndim, x.shape, x.size, x.nbytes, x.itemsize, ndd.tensor(3).item(), str(x.device)]",
    "batches": "[ndd.as_batch(PICTURES, layout='HWC'), ndd.batch([1, 2, 3]), ndd.as_batch(np.arange(6).reshape(2, 3)), ndd.Batch.broadcast(PICTURE, 2)]",
    "types of batches": "[ndd.as_batch(PICTURES, dtype=ndd.float32), ndd.batch(ndd.as_batch([1, 2]), dtype=ndd.uint8), ndd.as_batch([[1.5], [2.5]])]",
    "facts of batches": "x = ndd.as_batch(PICTURES, layout='HWC')\n[x.batch_size, x.shape, x.ndim, x.layout, str(x.dtype), str(x.device), len(x.tensors), x.tensors[1], x.tensors[-1].shape]",
    "parts of batches": "x = ndd.as_batch(PICTURES)\n[x.select(1), x.tensors[1:].tolist(), x.tensors[[2, 0]].tolist(), list(x)]",
    "joined batches": "[ndd.as_tensor(ndd.as_batch([PICTURE, PICTURE], layout='HWC')), ndd.as_tensor(ndd.as_batch(PICTURES), pad=True), ndd.tensor(ndd.as_batch([1, 2]))]",
    "parts of tensors": "x = ndd.tensor(PICTURE, layout='HWC')\n[x[1], x[-1, 2], x[2:5, ::2], x[..., 0], x[::-1, 1], x[0, 6:1:-2], x[1:][2], x[:, ndd.tensor(3)], x[:], x[..., 1:2].layout]",
    "samplewise parts": "x = ndd.as_batch(PICTURES, layout='HWC')\n[x.slice[1:3], x.slice[..., 0], x.slice[ndd.as_batch([0, 1, 2])], x.slice[ndd.as_batch([0, 1, 2]):4, 1], x.slice[:, ::-2]]",
    "signs": "x = ndd.as_tensor(PICTURE)\n[x + 1, 1 - x, x * 2.5, x / 2, x // 7, x % 5, x & 15, x | 1, x ^ 3, x << 1, x >> 2, -x, ~x, +x, abs(x), x ** 2, 7.5 // x.cpu()]",
    "comparisons": "x = ndd.as_batch(PICTURES)\n[x > 100, x <= 7, x == 3, x != 3, 5 < x, x >= x]",
    "kinds of operands": "x = ndd.as_tensor(PICTURE)\n[x + np.uint8(200), x + np.ones((9, 7, 3)), x + [1, 2, 3], x + ndd.as_batch([PICTURE, PICTURE]), x + True, 1.5 + ndd.as_tensor([1.0])]",
    "math": "x = ndd.as_tensor([[0.25, 4.0]])\n[ndd.math.sqrt(x), ndd.math.pow(x, 3), ndd.math.min(x, 1), ndd.math.clamp(x, 0.5, 2), ndd.math.abs(ndd.tensor(-3)), ndd.math.sqrt(4), ndd.math.floor(x)]",
    "math by names": "x = ndd.as_tensor([[0.25, 4.0]])\n[ndd.math.sqrt(input=x), ndd.math.pow(exponent=3, base=x), ndd.math.clamp(x, 0.5, hi=2), ndd.math.atan2(y=2, x=x), str(ndd.DType.from_fw_type(numpy_type=np.int16))]",
    "functions": "x = ndd.as_tensor(PICTURE, layout='HWC')\n[ndd.flip(x, horizontal=1), ndd.crop(x, crop=(4, 5)), ndd.cast(x, dtype=ndd.float32), ndd.cat(x, x, axis=1), ndd.reductions.sum(x, axes=(0, 1)), ndd.full(3.5, shape=[2])]",
    "per-sample arguments": "x = ndd.as_batch(PICTURES, layout='HWC')\n[ndd.flip(x, horizontal=ndd.as_batch([1, 0, 1])), ndd.flip(PICTURE[None].repeat(1, 0)[0], horizontal=1), ndd.brightness(x, brightness=ndd.as_batch([0.5, 1, 2])), ndd.crop(x, crop=ndd.tensor([3.0, 4.0]))]",
    "broadcast inputs": "[ndd.flip(ndd.as_tensor(PICTURE, layout='HWC'), horizontal=ndd.as_batch([0, 1])), ndd.stack(ndd.as_batch([1, 2]), ndd.tensor(5)), ndd.zeros(shape=[2], batch_size=2)]",
    "constants": "x = ndd.as_tensor(PICTURE)\n[ndd.cast(x, dtype=bool), ndd.cast(x, dtype=types.INT16), ndd.reshape(x, shape=np.array([7, 27])), ndd.one_hot(ndd.tensor(2), num_classes=np.int64(4))]",
    "names of types": "[str(ndd.dtype('f32')), repr(ndd.float32), str(ndd.dtype(np.float16)), str(ndd.dtype(types.UINT8)), ndd.float32 == ndd.dtype('f32'), str(ndd.bfloat16), ndd.int16.bytes, str(ndd.type_id(ndd.bool)).split('.')[-1], repr(ndd.bool), str(ndd.InterpType)]",
    "members of enumerations": "n = ndd.as_batch([np.int32(0)] * 3)\nx = ndd.as_batch(PICTURES, layout='HWC')\nf = ndd.cast(n, dtype=ndd.InterpType)\n[ndd.resize(x, size=5, interp_type=f), ndd.resize(x, size=5, interp_type=n), ndd.resize(x, size=5, mag_filter=ndd.as_tensor(0), min_filter=n), ndd.cast(ndd.as_batch([types.INTERP_NN, types.INTERP_CUBIC]), dtype=types.INT32), str(ndd.as_batch([0, 2], dtype=ndd.InterpType).dtype), str(ndd.as_tensor(types.GRAY).dtype)]",
    "texts": "[repr(ndd.tensor(PICTURE[:2, :2].copy(), layout='HWC')), repr(ndd.as_batch([1, 2])), repr(ndd.as_batch(PICTURES)), str(ndd.Device('cpu')), repr(ndd.Device('cpu'))]",
    "generators": "r = ndd.random.RNG(seed=3)\nfirst = [r() for _ in range(6)]\nstate = str(r.state)\nc = r.clone()\nr.advance(5)\n[first, state, r(), c(), repr(r), repr(ndd.random.RNG(state=state)), str(ndd.random.RNG(seed=-1).state)]",
    "drawn": "ndd.random.set_seed(9)\n[ndd.random.uniform(range=(0, 1)), ndd.random.uniform(range=(0, 9), shape=[3], batch_size=2), ndd.random.coin_flip(batch_size=9), ndd.random.uniform(ndd.as_batch(PICTURES), range=(0, 1), dtype=types.INT16), ndd.random.get_default_rng()()]",
    "drawn by one generator": "r = ndd.random.RNG(seed=9)\n[ndd.random.uniform(range=(0, 1), rng=r), ndd.random.coin_flip(batch_size=5, rng=r, probability=0.3), ndd.batch_permutation(batch_size=7, rng=r), r()]",
    "sources": "s = ndd.ExternalSource([np.full(2, i) for i in range(2)], cycle='raise')\na = [s(), s(batch_size=2)]\nt = ndd.ExternalSource(lambda: (1, [2.0]), num_outputs=2, layout=[None, 'C'])\n[a, t(), t(batch_size=2)]",
    "threads": "ndd.set_num_threads(2)\nc = ndd.EvalContext(num_threads=1)\n[ndd.get_num_threads(), ndd.EvalContext.current().num_threads, c.num_threads, c.device_id, ndd.ThreadPool(3).num_threads, ndd.EvalMode.current().name]",
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("mode", ["eager", "deferred", "sync_cpu"])
def test_lines_give_what_nvidia_dali_gives(name: str, mode: str, nvidia: Any) -> None:
    del nvidia
    with importlib.import_module(f"{THEIRS}.experimental.dynamic").EvalMode[mode]:
        expected = computed(THEIRS, LINES[name])
    with ndd.EvalMode[mode]:
        assert computed(OURS, LINES[name]) == expected


READING = {
    "batches": ("[[plain(one) for one in reader.next_epoch(batch_size=4)] for _ in range(3)]", {}),
    "samples": ("[[plain(one) for one in reader.next_epoch()] for _ in range(2)]", {}),
    "of the reader's own size": ("[[plain(one) for one in reader.next_epoch()] for _ in range(2)]", {"max_batch_size": 6}),
    "sizes": ("[len(list(reader.next_epoch(batch_size=4))), reader.get_metadata()]", {}),
    "calls": ("[reader(batch_size=4), reader(batch_size=4)]", {"max_batch_size": 4}),
}
ORDERS = {
    "in order": {}, "shuffled": {"random_shuffle": True, "seed": 7}, "without a seed": {"random_shuffle": True, "initial_fill": 5},
    "shuffled after epochs": {"shuffle_after_epoch": True}, "one shard": {"num_shards": 4, "shard_id": 2, "random_shuffle": True, "seed": 1},
    "padded": {"num_shards": 4, "shard_id": 3, "pad_last_batch": True, "stick_to_shard": True},
}  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("way", READING)
def test_readers_give_what_nvidia_dalis_give(way: str, order: str, folder: str, nvidia: Any) -> None:
    del nvidia
    expression, options = READING[way]
    lines = f"reader = ndd.readers.File(file_root=folder, **options)\n{expression}"
    given = {"folder": folder, "options": {**options, **ORDERS[order]}, "plain": plain}
    assert computed(OURS, lines, **given) == computed(THEIRS, lines, **given)


def test_reading_goes_on_where_a_checkpoint_was_made(folder: str, tmp_path: Path, nvidia: Any) -> None:
    del nvidia
    lines = """
        reader = ndd.readers.File(file_root=folder, random_shuffle=True, seed=3)
        rng, made = ndd.random.RNG(seed=8), ndd.checkpoint.Checkpoint()
        names = [made.register(reader, "reader"), made.register(rng), made.register(rng)]
        epoch = reader.next_epoch(batch_size=4)
        before = [plain(next(epoch)), ndd.random.uniform(range=(0, 1), rng=rng)]
        made.collect()
        files = [made.save(path), made.save(path)]
        rest = [[plain(one) for one in epoch], ndd.random.uniform(range=(0, 1), rng=rng)]
        again, other, found = ndd.readers.File(file_root=folder, random_shuffle=True, seed=3), ndd.random.RNG(), ndd.checkpoint.Checkpoint()
        loaded = found.load(path)
        found.register(again, "reader")
        found.register(other)
        resumed = [[plain(one) for one in again.next_epoch(batch_size=4)], ndd.random.uniform(range=(0, 1), rng=other)]
        same = [rest[0] == resumed[0][:3], plain(rest[1]) == plain(resumed[1])]
        [names, before, [name[-8:] for name in (*files, loaded)], rest, resumed, same, made.is_complete, found.is_loaded, found.names]
    """
    results = [
        computed(prefix, lines, folder=folder, path=str(tmp_path / prefix / "run_{seq:03d}.json"), plain=plain) for prefix in (OURS, THEIRS)
    ]
    assert results[0] == results[1]
    assert results[0][5] == [True, True]


def test_pictures_are_read_from_files(folder: str, nvidia: Any) -> None:
    del nvidia
    files = sorted(Path(folder).rglob("*.jpg"))[:3]
    lines = "[ndd.imread(files[0]), ndd.imread(str(files[1]), output_type=types.GRAY), ndd.imread(files)]"
    assert computed(OURS, lines, files=files) == computed(THEIRS, lines, files=files)


# ---------------------------------------------------------------------------------------------------------- evaluation


def test_deferred_operators_are_computed_when_they_are_asked_for() -> None:
    image = ndd.tensor(PICTURE, layout="HWC")
    with ndd.EvalMode.deferred:
        wrong = ndd.crop(image, crop=(100, 100))
        facts = (str(wrong.dtype), wrong.ndim, wrong.layout)
        unused = ndd.crop(image, crop=(200, 100))
    assert facts == ("u8", 3, "HWC") and unused.ndim == 3
    with pytest.raises(DaliStudioError, match="crop") as caught:
        wrong.evaluate()
    line = str(caught.value.diagnostics[0].source)
    assert line.startswith("test_dynamic.py:")
    with pytest.raises(DaliStudioError) as at_once:
        ndd.crop(image, crop=(100, 100))
    assert int(str(at_once.value.diagnostics[0].source).split(":")[1]) > int(line.split(":")[1])


def test_deferred_operators_read_memory_of_the_program_at_once() -> None:
    """It may change before the results are asked for."""
    array = PICTURE.copy()
    with ndd.EvalMode.deferred:
        made = [ndd.flip(array, horizontal=0), ndd.as_tensor(array) + 1, ndd.as_batch([array]) + 1]
        array[...] = 0
    assert np.array_equal(made[0], PICTURE) and np.array_equal(made[1], PICTURE.astype(np.int32) + 1)
    assert np.array_equal(made[2].tensors[0], PICTURE.astype(np.int32) + 1)


def test_deferred_reads_keep_their_order(folder: str) -> None:
    reader = ndd.readers.File(file_root=folder)
    with ndd.EvalMode.deferred:
        labels = [reader()[1] for _ in range(7)]
    assert int(labels[6].item()) == 1
    assert [one.item() for one in labels] == [0, 0, 0, 0, 0, 1, 1]


def test_results_are_not_overwritten_by_later_calls() -> None:
    made = [ndd.brightness(PICTURE, brightness=1 + i / 100) for i in range(40)]
    kept = [np.array(one) for one in made]
    for i in range(40):
        ndd.brightness(PICTURE, brightness=2 + i / 100)
    assert all(np.array_equal(one, array) for one, array in zip(made, kept, strict=True))


def test_threads_have_contexts_of_their_own() -> None:
    context, seen = ndd.EvalContext(num_threads=1), list[Any]()

    def other() -> None:
        seen.append(ndd.EvalContext.current() is not ndd.EvalContext.default() or ndd.EvalMode.current().name)
        seen.append(np.array(ndd.flip(PICTURE, horizontal=1)))
        with pytest.raises(RuntimeError, match="two threads"), context:
            pass

    with context, ndd.EvalMode.deferred:
        assert ndd.EvalContext.current() is context
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen[0] == "eager" and np.array_equal(seen[1], PICTURE[:, ::-1])


def test_a_tensor_shares_memory_and_a_copy_does_not() -> None:
    array = np.zeros(3, np.float32)
    shared, copied, batch = ndd.as_tensor(array), ndd.tensor(array), ndd.batch(array[None])
    array += 1
    assert [np.array(one).tolist() for one in (shared, copied, batch.tensors[0])] == [[1] * 3, [0] * 3, [0] * 3]
    assert np.from_dlpack(shared).tolist() == [1] * 3
    frozen = array.copy()
    frozen.flags.writeable = False
    assert np.array_equal(ndd.as_tensor(frozen), array)


def test_a_plan_is_made_once_for_calls_that_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    from dali_studio.api.dynamic import invocation

    made = list[int]()
    real = invocation.StepPlan
    monkeypatch.setattr(invocation, "StepPlan", lambda *args, **words: made.append(1) or real(*args, **words))
    with ndd.EvalContext(num_threads=1):
        for height in range(3, 9):
            ndd.flip(PICTURE[:height], horizontal=1)
            ndd.as_tensor(PICTURE) + 1
        assert len(made) == 2
        ndd.as_tensor(PICTURE) + 1.0  # another constant, although 1 == 1.0
        ndd.flip(PICTURE.astype(np.float32), horizontal=1)
        assert len(made) == 4


# ------------------------------------------------------------------------------------------------------------ refusals

REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "unknown argument": (lambda: ndd.rotate(PICTURE, anglee=3), DaliStudioError, "DS102.*Did you mean 'angle'"),
    "wrong argument": (lambda: ndd.rotate(PICTURE, angle="a"), DaliStudioError, "DS104"),
    "missing input": (ndd.flip, DaliStudioError, "DS201"),
    "wrong input": (lambda: ndd.flip(ndd.tensor(3)), DaliStudioError, "DS203"),
    "GPU": (lambda: ndd.flip(PICTURE, device="gpu"), DaliStudioError, "DS206"),
    "moved to a GPU": (lambda: ndd.tensor(3).gpu(), DaliStudioError, "DS206"),
    "stream": (ndd.Stream, DaliStudioError, "DS206"),
    "sizes of batches": (lambda: ndd.as_batch([1, 2]) + ndd.as_batch([1, 2, 3]), ValueError, "2 and 3"),
    "large number": (lambda: ndd.tensor(3) + 2**40, OverflowError, "int32"),
    "larger number": (lambda: ndd.tensor(2**40), OverflowError, "uint32"),
    "text": (lambda: ndd.tensor("abc"), TypeError, "numbers"),
    "layout": (lambda: ndd.tensor(PICTURE, layout="HW"), ValueError, "2 axes"),
    "layout of a batch": (lambda: ndd.as_batch(PICTURES, layout="HW"), ValueError, "2 axes"),
    "ranks": (lambda: ndd.as_batch([PICTURE, PICTURE[0]]), ValueError, "sample 1"),
    "nothing": (lambda: ndd.as_batch([]), ValueError, "dtype"),
    "no sample": (lambda: ndd.as_batch([1, None]), TypeError, "Item 1"),
    "shapes": (lambda: ndd.as_tensor(ndd.as_batch(PICTURES)), ValueError, "pad=True"),
    "item": (lambda: ndd.tensor([1, 2]).item(), ValueError, "2 elements"),
    "index": (lambda: ndd.tensor(PICTURE)[9], IndexError, "out of bounds"),
    "parts of an index": (lambda: ndd.tensor(3)[0], ValueError, "0 axes"),
    "batch as an index": (lambda: ndd.tensor(PICTURE)[ndd.as_batch([1])], ValueError, "slice"),
    "seed": (lambda: ndd.random.uniform(seed=3), TypeError, "rng"),
    "generator": (lambda: ndd.random.uniform(rng=3), ValueError, "RNG"),
    "generator for nothing": (lambda: ndd.flip(PICTURE, rng=ndd.random.RNG()), TypeError, "no random"),
    "state": (lambda: ndd.random.RNG(state="x"), ValueError, "state"),
    "seed and state": (lambda: ndd.random.RNG(3, "x"), ValueError, "exclude"),
    "reading the seed": (lambda: ndd.random.RNG(3).seed, AttributeError, "state"),
    "threads": (lambda: ndd.set_num_threads(0), ValueError, "0 threads"),
    "kinds of threads": (lambda: ndd.set_num_threads("2"), TypeError, "whole number"),
    "two pools": (lambda: ndd.EvalContext(num_threads=1, thread_pool=ndd.ThreadPool(1)), ValueError, "exclude"),
    "device": (lambda: ndd.Device("tpu"), ValueError, "no device"),
    "Python's types": (lambda: ndd.cast(PICTURE, dtype=int), ValueError, "int32"),
    "type": (lambda: ndd.dtype("q7"), ValueError, "q7"),
    "brain floats": (lambda: ndd.tensor(3, dtype=ndd.bfloat16), TypeError, "bfloat16"),
    "arguments of a source": (lambda: ndd.ExternalSource(lambda i: i), ValueError, "parameters"),
    "size of a source": (lambda: ndd.ExternalSource(lambda: ndd.as_batch([1]))(batch_size=2), ValueError, "2 were"),
    "nodes of torchdata": (lambda: ndd.pytorch.nodes, AttributeError, "torchdata"),
    "pattern": (lambda: ndd.checkpoint.Checkpoint().load("a.json"), ValueError, "seq"),
    "empty checkpoint": (lambda: ndd.checkpoint.current().serialize(), RuntimeError, "collect"),
    "no checkpoint": (lambda: ndd.checkpoint.Checkpoint().deserialize("[]"), ValueError, "no checkpoint"),
    "name in a checkpoint": (lambda: ndd.checkpoint.Checkpoint().register(ndd.random.RNG(), "__op_3"), ValueError, "name"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_is_refused(what: str) -> None:
    action, error, text = REFUSED[what]
    with pytest.raises(error, match=text):
        action()


def test_readers_refuse_what_they_cannot_do(folder: str) -> None:
    reader = ndd.readers.File(file_root=folder)
    with pytest.raises(RuntimeError, match="enable_checkpointing"):
        reader.get_state()
    list(reader.next_epoch(batch_size=5))
    with pytest.raises(RuntimeError, match="batches"):
        reader()
    with pytest.raises(ValueError, match="batches of 5"):
        next(iter(reader.next_epoch(batch_size=3)))
    with pytest.raises(RuntimeError, match="begun"):
        reader.set_state("")
    with pytest.raises(ValueError, match="no state"):
        ndd.readers.File(file_root=folder).set_state("abc")
    with pytest.raises(TypeError, match="no state"):
        ndd.readers.File(file_root=folder).set_state(3)
    with pytest.raises(DaliStudioError, match="DS102"):
        next(iter(ndd.readers.File(file_rot=folder).next_epoch()))
    with pytest.raises(DaliStudioError, match="DS302"):
        next(iter(ndd.readers.File(file_root=f"{folder}/nothing").next_epoch()))
