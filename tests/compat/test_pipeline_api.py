"""The ways to define and run pipelines against nvidia.dali: one script, written for both, and what it logs."""

from __future__ import annotations

import importlib
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from images import dataset
from peers import OURS, THEIRS

pytestmark = pytest.mark.usefixtures("nvidia")


def logged(prefix: str, script: str, root: Path) -> list[Any]:
    """What a script says with ``log(...)``: tensors as arrays."""
    entries: list[Any] = []

    def plain(item: Any) -> Any:
        if isinstance(item, tuple | list):
            return [plain(part) for part in item]
        if type(item).__name__ == "TensorListCPU":
            return ["batch", str(item.dtype), item.layout(), [np.array(item.at(i)).tolist() for i in range(len(item))]]
        if type(item).__name__ == "TensorCPU":
            return ["tensor", str(item.dtype), item.layout(), np.array(item).tolist()]
        if isinstance(item, np.ndarray):
            return item.tolist()
        return str(item) if type(item).__module__.startswith(prefix) else item

    space: dict[str, Any] = {
        "dali": importlib.import_module(prefix), "fn": importlib.import_module(f"{prefix}.fn"), "ops": importlib.import_module(f"{prefix}.ops"),
        "types": importlib.import_module(f"{prefix}.types"), "np": np, "root": str(root), "log": lambda *items: entries.append(plain(list(items))),
    }  # fmt: skip
    space.update(Pipeline=space["dali"].Pipeline, pipeline_def=space["dali"].pipeline_def)
    exec(textwrap.dedent(script), space)
    return entries


SCRIPTS = {
    "decorator without brackets": """
        @pipeline_def
        def made(low, high=5.0):
            return fn.random.uniform(range=(low, high))
        pipe = made(1.0, batch_size=3, num_threads=1, device_id=None, seed=4)
        pipe.build()
        log(pipe.run(), pipe.run(), pipe.max_batch_size, pipe.num_threads, pipe.seed, pipe.device_id)
    """,
    "decorator with options that a call overrides": """
        @pipeline_def(batch_size=2, num_threads=3, device_id=None, seed=11)
        def made():
            return fn.random.uniform(), fn.random.coin_flip()
        for pipe in (made(), made(batch_size=4), made(seed=12, num_threads=1)):
            pipe.build()
            log(pipe.run(), pipe.max_batch_size, pipe.num_threads, pipe.seed, pipe.num_outputs)
    """,
    "docstring and name stay": """
        @pipeline_def
        def made():
            "What it makes."
        log(made.__name__, made.__doc__)
    """,
    "with and set_outputs": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=5)
        with pipe:
            log(Pipeline.current() is pipe)
            a = fn.random.uniform()
            b = fn.cast(a, dtype=types.FLOAT64)
            pipe.set_outputs(b, a)
        log(Pipeline.current() is None)
        pipe.build()
        log(pipe.run())
    """,
    "positional options": """
        pipe = Pipeline(2, 1, None, 7)
        with pipe:
            pipe.set_outputs(fn.random.uniform())
        log(pipe.run(), pipe.seed, pipe.max_batch_size)
    """,
    "nested definitions": """
        outer, inner = (Pipeline(batch_size=size, num_threads=1, device_id=None, seed=1) for size in (2, 3))
        with outer:
            a = fn.random.uniform()
            with inner:
                log(Pipeline.current() is inner)
                inner.set_outputs(fn.random.uniform())
            log(Pipeline.current() is outer)
            outer.set_outputs(a)
        log(outer.run(), inner.run())
    """,
    "subclass with define_graph": """
        class Mine(Pipeline):
            def __init__(self, batch_size, low):
                super().__init__(batch_size, num_threads=1, device_id=None, seed=12)
                self.low = low
                self.draw = ops.random.Uniform(range=(low, 10.0))
            def define_graph(self):
                numbers = self.draw()
                return numbers, fn.cast(numbers, dtype=types.INT32)
        pipe = Mine(3, 2.0)
        pipe.build()
        log(pipe.run(), pipe.run())
    """,
    "operators as classes": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=5)
        with pipe:
            reader = ops.readers.File(file_root=root, random_shuffle=True)
            decode = ops.decoders.Image(device="cpu")
            turn = ops.Rotate(fill_value=0, device="cpu")
            files, labels = reader(name="Reader")
            pipe.set_outputs(turn(decode(files), angle=90.0), labels)
        pipe.build()
        log(pipe.run(), pipe.epoch_size("Reader"))
    """,
    "run builds": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=5)
        with pipe:
            pipe.set_outputs(fn.random.uniform())
        log(pipe.run())
        pipe.build()
        log(pipe.run())
    """,
    "schedule, share, release": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=5, prefetch_queue_depth=1)
        with pipe:
            pipe.set_outputs(fn.random.uniform())
        pipe.build()
        for _ in range(3):
            pipe.schedule_run()
            out = pipe.share_outputs()
            log(out)
            pipe.release_outputs()
        pipe.schedule_run()
        log(pipe.outputs())
    """,
    "schedule several and read later": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=5, prefetch_queue_depth=2)
        with pipe:
            pipe.set_outputs(fn.random.uniform())
        pipe.build()
        pipe.schedule_run()
        pipe.schedule_run()
        for _ in range(3):
            log(pipe.outputs())
            pipe.schedule_run()
    """,
    "the first that is scheduled fills the queue, until iter_setup ends": """
        class Mine(Pipeline):
            given = 0
            def define_graph(self):
                return fn.external_source(name="data")
            def iter_setup(self):
                self.given += 1
                log("setup", self.given)
                if self.given % 4 == 0:
                    raise StopIteration
                self.feed_input("data", [np.int32(self.given)])
        for run in (False, True):
            pipe = Mine(batch_size=1, num_threads=1, device_id=None, prefetch_queue_depth=2)
            for _ in range(2):
                if not run:
                    pipe.schedule_run()
                try:
                    while True:
                        log(pipe.run() if run else pipe.outputs())
                        if pipe.empty() and not run:
                            pipe.schedule_run()
                except StopIteration:
                    log("the end")
                pipe.reset()
    """,
    "outputs as a list, several times the same": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None, seed=5)
        with pipe:
            a = fn.random.uniform()
            pipe.set_outputs(*[a, a, types.Constant(3)])
        log(pipe.run(), pipe.num_outputs)
    """,
    "several outputs unpacked": """
        @pipeline_def(batch_size=2, num_threads=1, device_id=None)
        def made():
            files, labels = fn.readers.file(file_root=root)
            return labels, fn.cast(labels, dtype=types.FLOAT)
        labels, floats = made().run()
        log(labels, floats, labels.as_array(), floats.as_tensor(), labels.shape(), len(labels), labels[1], labels.at(0))
    """,
    "several pipelines at once": """
        def make(seed, size):
            pipe = Pipeline(batch_size=size, num_threads=2, device_id=None, seed=seed)
            with pipe:
                files, labels = fn.readers.file(file_root=root, random_shuffle=True)
                pipe.set_outputs(labels, fn.random.uniform())
            pipe.build()
            return pipe
        pipes = [make(seed, size) for seed, size in ((1, 2), (1, 3), (2, 2))]
        for _ in range(4):
            log([pipe.run() for pipe in pipes])
    """,
    "declared outputs": """
        @pipeline_def(batch_size=2, num_threads=1, device_id=None, output_dtype=[types.FLOAT, types.INT32], output_ndim=[0, 0])
        def made():
            return fn.random.uniform(seed=1), fn.random.coin_flip(seed=1)
        pipe = made()
        pipe.build()
        log(pipe.run(), pipe.output_dtype(), pipe.output_ndim())
    """,
    "one declaration for all outputs": """
        @pipeline_def(batch_size=2, num_threads=1, device_id=None, output_dtype=types.FLOAT, output_ndim=0)
        def made():
            return fn.random.uniform(seed=1), fn.random.uniform(seed=2)
        log(made().run())
    """,
    "reader sizes": """
        @pipeline_def(batch_size=5, num_threads=1, device_id=None)
        def made():
            a, _ = fn.readers.file(file_root=root, name="first", pad_last_batch=True)
            b, labels = fn.readers.file(file_root=root, name="second", num_shards=5, shard_id=2)
            return labels, a
        pipe = made()
        pipe.build()
        log(pipe.reader_meta("first"), pipe.reader_meta("second"), pipe.epoch_size("first"), sorted(pipe.epoch_size()), sorted(pipe.reader_meta()))
    """,
    "tensors": """
        pipe = Pipeline(batch_size=3, num_threads=1, device_id=None, seed=5)
        with pipe:
            pipe.set_outputs(fn.external_source(source=lambda: np.arange(24, dtype=np.float32).reshape(3, 2, 4, 1), layout="HWC"))
        (out,) = pipe.run()
        log(out, out.layout(), out.dtype, out.shape(), out.is_dense_tensor(), out.ndim(), len(out), out.as_array(), out.as_cpu().shape())
        tensor = out.as_tensor()
        log(tensor.shape(), tensor.layout(), tensor.dtype, tensor.ndim(), np.array(tensor), tensor.get_property("layout"))
        log(out.as_reshaped_tensor([6, 4]).shape(), [np.array(t) for t in out], np.array(out[2]), out[0].shape(), out[-1])
        plain = dali.tensors.TensorListCPU(np.arange(3, dtype=np.int16))
        log(plain.as_tensor().layout(), plain[0].get_property("layout"), plain[0].get_property("source_info"), plain[0].get_property("x"))
        for axis in (3, -4):
            try:
                out[0].squeeze(axis)
            except RuntimeError:
                log("no axis", axis)
        first = out[0]
        log(first.squeeze(2), first.shape(), first.layout(), first.squeeze(0), first.shape())
        out.set_layout("CHW")
        log(out.layout(), out[0].layout())
        log(np.from_dlpack(out[1]), np.asarray(out[1]).shape)
        made = dali.tensors.TensorListCPU([np.ones((2, 3), np.uint8), np.zeros((1, 3), np.uint8)], "HW")
        log(made, made.is_dense_tensor(), made.layout())
        log(dali.tensors.TensorListCPU(np.ones((2, 3, 1), np.int16)), dali.tensors.TensorCPU(np.ones((2, 2)), "HW"))
        log(dali.tensors.TensorListCPU.broadcast(dali.tensors.TensorCPU(np.arange(3)), 2))
    """,
    "operators in a row": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            small = ops.Compose([ops.Resize(size=[6, 8]), ops.Flip()])
            whole = ops.Compose([ops.decoders.Image(device="cpu"), small])
            alone = ops.Compose([ops.Cast(dtype=types.FLOAT)])
            files, labels = fn.readers.file(file_root=root)
            images = whole(files, output_type=types.GRAY)
            pipe.set_outputs(images, alone(images), labels)
        log(pipe.run(), type(alone).__name__)
    """,
    "layouts of tensors in a batch": """
        Tensor, TensorList = dali.tensors.TensorCPU, dali.tensors.TensorListCPU
        named, plain = Tensor(np.ones((2, 3)), "HW"), Tensor(np.zeros((2, 3)))
        log([TensorList(made).layout() for made in ([named, named], [named, plain], [named, np.ones((2, 3))], [plain, plain])])
        log(TensorList([named, named], layout="AB").layout(), TensorList(TensorList([named]), "AB").layout())
        for made in ([plain, named], [named, Tensor(np.ones((2, 3)), "AB")]):
            try:
                log(TensorList(made))
            except TypeError:
                log("refused")
    """,
    "modules": """
        with Pipeline(batch_size=2, num_threads=1, device_id=None):
            log(isinstance(fn.random.uniform(), dali.data_node.DataNode))
        log(dali.backend.TensorListCPU is dali.tensors.TensorListCPU, dali.plugin_manager.load_directory(root))
    """,
    "source of samples": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            files, labels = fn.readers.file(file_root=root)
            pipe.set_outputs(files, fn.decoders.image(files), labels)
        for batch in pipe.run():
            log([tensor.source_info().rpartition("/")[2] for tensor in batch])
    """,
    "numbers that are returned": """
        for returned in ([1, 2.5], [3], ([1, 2], 3), 4.5):
            log(pipeline_def(lambda: returned)(batch_size=2, num_threads=1, device_id=None).run())
    """,
    "data nodes": """
        pipe = Pipeline(batch_size=2, num_threads=1, device_id=None)
        with pipe:
            a = fn.random.uniform(name="angle")
            log(a.name, a.device, a.cpu() is a)
            pipe.set_outputs(a)
    """,
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name: str, tmp_path: Path) -> None:
    root = dataset(tmp_path / "files")
    assert logged(OURS, SCRIPTS[name], root) == logged(THEIRS, SCRIPTS[name], root)


WRONG = {
    "no batch size": "Pipeline(num_threads=1, device_id=None).build()",
    "nothing returned": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\np.build()",
    "output that is no node": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n    p.set_outputs(object())\np.build()",
    "unknown operator": "fn.no_such_operator",
    "unknown option": "Pipeline(batch_size=1, no_such_option=3)",
    "feeding an unknown source": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n    p.set_outputs(fn.random.uniform())\np.build()\np.feed_input('x', [np.zeros(1)])",
    "meta of an unknown reader": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n    p.set_outputs(fn.random.uniform())\np.build()\np.reader_meta('x')",
    "wrong declared type": "p = Pipeline(batch_size=1, num_threads=1, device_id=None, output_dtype=types.INT8)\nwith p:\n    p.set_outputs(fn.random.uniform())\np.run()",
    "wrong declared rank": "p = Pipeline(batch_size=1, num_threads=1, device_id=None, output_ndim=2)\nwith p:\n    p.set_outputs(fn.random.uniform())\np.run()",
    "too many declared types": "p = Pipeline(batch_size=1, num_threads=1, device_id=None, output_dtype=[types.FLOAT, types.FLOAT])\nwith p:\n    p.set_outputs(fn.random.uniform())\np.run()",
    "argument of an object and of its call": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n    p.set_outputs(ops.Cast(dtype=types.INT32)(fn.random.uniform(), dtype=types.INT8))\np.run()",
    "missing input": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n    p.set_outputs(fn.rotate(angle=3))\np.run()",
    "too many inputs": "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n    a = fn.random.uniform()\n    p.set_outputs(fn.cast(a, a, dtype=types.INT32))\np.run()",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_are_refused_by_both(name: str, tmp_path: Path) -> None:
    from dali_studio import DaliStudioError

    with pytest.raises((RuntimeError, TypeError, ValueError, KeyError, AttributeError, IndexError)):
        logged(THEIRS, WRONG[name], tmp_path)
    with pytest.raises((DaliStudioError, AttributeError)) as caught:
        logged(OURS, WRONG[name], tmp_path)
    if isinstance(caught.value, DaliStudioError):
        assert all(found.message and found.hint for found in caught.value.diagnostics)


UNUSED = {
    "type": "fn.hue(fn.cast(x, dtype=types.FLOAT64), hue=3.0)",
    "value": "fn.crop_mirror_normalize(x, dtype=types.INT16)",
    "no value": "fn.rotate(x)",
    "axes": "fn.transpose(x, perm=[0])",
    "GPU": "fn.flip(x.gpu())",
}


@pytest.mark.parametrize("name", UNUSED)
def test_faults_of_what_no_output_needs_are_nobodys(name: str, tmp_path: Path) -> None:
    lines = ("x = fn.external_source(source=lambda: [np.zeros((9, 8, 3), np.uint8)], layout='HWC')", f"unused = {UNUSED[name]}", "p.set_outputs(x)")
    script = "p = Pipeline(batch_size=1, num_threads=1, device_id=None)\nwith p:\n" + "".join(f"    {line}\n" for line in lines) + "log(p.run()[0])"
    assert logged(OURS, script, tmp_path) == logged(THEIRS, script, tmp_path)
