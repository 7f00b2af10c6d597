"""Ways in which programs make their pipelines: in functions, methods and objects, with tables and decorators."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest
from public_programs import HEAD

from dali_studio import read
from dali_studio.api.default import default_registry
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.model import Graph
from dali_studio.graph.validate import validate
from dali_studio.graph.written import ForeignFunction, WrittenFunction

REGISTRY = default_registry()


def findings(source: str, **options: Any) -> tuple[Graph, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return read(HEAD + source, found=found, **options), found


def test_a_pipeline_in_a_function_sees_what_stands_around_it() -> None:
    source = """
def build(size=160, batch_size=3, device="cpu", count=None, crops=4):
    from nvidia.dali import fn as dali_fn, pipeline_def as decorate, types as t
    mean = [255 * one for one in (0.5, 0.25, 0.125)]
    if device == "gpu":
        size = 99

    @decorate(batch_size=batch_size, num_threads=2)
    def inner():
        image = dali_fn.resize(dali_fn.external_source(name="x", dtype=t.UINT8), size=size)
        views = []
        for i in range(count):
            views.append(dali_fn.crop_mirror_normalize(image, mean=mean, name=f"view_{i}", std=[float(i + 1)]))
        return tuple(views)

    return inner()

build(96, crops=2)
"""
    found: list[Diagnostic] = []
    graph = read(source, found=found)
    assert (graph.options.name, graph.options.batch_size) == ("inner", 3)
    assert graph.node("image").arguments["size"] == (96,)
    assert graph.node("view_0").arguments["mean"] == (127.5, 63.75, 31.875)
    assert [port.node for port in graph.outputs] == ["view_0"]
    (only,) = found
    assert "turns of the loop over `range(count)`" in only.message


def test_a_method_is_a_pipeline_and_sees_its_class() -> None:
    graph, found = findings("""
class Data:
    width = 40

    def __init__(self, height):
        self.height = height

    @property
    def source(self):
        return self.named("x")

    @staticmethod
    def named(name):
        return fn.external_source(name=name)

    @pipeline_def(batch_size=2)
    def pipe(self, angle):
        return fn.rotate(fn.resize(self.source, size=[self.height, self.width]), angle=angle)

def loader(data):
    return data.pipe(angle=30)
""")
    assert graph.node("rotate").arguments["angle"] == 30
    assert [one.message for one in found] == [
        "size of fn.resize is `[height, 40]`, whose value the source does not tell; it is left out."
    ]


def test_attributes_by_their_names_and_tables_of_numpy() -> None:
    graph, found = findings("""
import nvidia.dali as dali
LEVELS = np.linspace(0.1, 1.9, 11, dtype=np.float32)

@dali.pipeline_def(batch_size=2)
def p(kind="gray", size=64):
    image = dali.fn.experimental.decoders.image(
        dali.fn.external_source(name="x"), output_type=getattr(dali.types.DALIImageType, kind.upper()))
    size = (size, size) if isinstance(size, int) else size
    image = fn.contrast(fn.resize(image, size=size), contrast=LEVELS[np.round(3.4).astype(np.int32)])
    mask = np.array(255 ^ (2 ** (8 - np.arange(1, 4)[1].item()) - 1), dtype=np.uint8)
    sound = fn.spectrogram(fn.external_source(name="y"), window_length=8, window_fn=np.hanning(8).tolist())
    return image & mask, getattr(np, "pi"), sound
""")
    assert found == []
    image, contrast = graph.node("decode"), graph.node("contrast")
    assert (image.operator, image.arguments["output_type"]) == ("decoders.image", "GRAY")
    assert graph.node("resize").arguments["size"] == (64, 64)
    assert contrast.arguments["contrast"] == pytest.approx(0.1 + 3 * 0.18)
    assert graph.node("sound").arguments["window_fn"] == pytest.approx((0, 0.18826, 0.61126, 0.95048, 0.95048, 0.61126, 0.18826, 0), abs=1e-5)
    assert len(graph.outputs) == 3


def test_a_parallel_source_that_is_not_known_is_left_out() -> None:
    graph, found = findings("""
@pipeline_def(batch_size=2)
def p(source):
    return fn.external_source(source=source, num_outputs=2, parallel=True, batch=False)
""")
    assert len(graph.outputs) == 2
    assert len(found) == 1 and found[0].argument == "source"


def test_options_behind_two_stars() -> None:
    graph, found = findings("""
OPTIONS = dict(batch_size=5, seed=11)
SIZES = {"size": [40, 50]}

@pipeline_def(num_threads=3, **OPTIONS)
def p(angle, size=None):
    return fn.rotate(fn.resize(fn.external_source(name="x"), size=size), angle=angle)

pipe = p(angle=20, **SIZES, **{"batch_size": 6})
""")
    assert found == []
    assert (graph.options.batch_size, graph.options.num_threads, graph.options.seed) == (6, 3, 11)
    assert graph.node("resize").arguments["size"] == (40, 50)


def test_decorators_of_the_source_and_of_auto_aug_are_followed() -> None:
    graph, found = findings("""
from functools import wraps
from nvidia.dali.auto_aug import rand_augment
from nvidia.dali.auto_aug.core import augmentation

def levels(low, high, signed=False):
    table = np.linspace(low, high, 11)
    def decorate(function):
        @wraps(function)
        def apply(images, level):
            return function(images, -table[level] if signed else table[level])
        return apply
    return decorate

@levels(0, 30, signed=True)
def turned(images, angle):
    return fn.rotate(images, angle=angle)

@augmentation(mag_range=(5, 5), mag_to_param=lambda magnitude: [magnitude, 0.0])
def shifted(images, offset, fill_value=7):
    return fn.warp_affine(images, fn.transforms.translation(offset=offset), fill_value=fill_value)

@pipeline_def(batch_size=2, enable_conditionals=True)
def p():
    images = turned(fn.external_source(name="x"), 8)
    return rand_augment.apply_rand_augment([shifted], images, n=1, m=3, fill_value=9)
""")
    assert found == []
    assert graph.node("rotate").arguments["angle"] == -24
    assert next(node for node in graph.nodes() if node.operator == "warp_affine").arguments["fill_value"] == 9


@pytest.mark.parametrize("source", [
    """
def make(path, batch_size=1, threads=2):
    pipe = Pipeline(batch_size=batch_size, num_threads=threads, device_id=None, seed=5)
    with pipe:
        files, labels = fn.readers.file(file_root=path, name="Reader")
        pipe.set_outputs(fn.decoders.image(files), labels)
    return pipe

loader = iter([make("/data", batch_size=7)])
""",
    """
class make:
    def __init__(self, path, batch_size):
        self.pipe = Pipeline(batch_size, 2, None, seed=5)
        with self.pipe:
            files, labels = fn.readers.file(file_root=path, name="Reader")
            self.pipe.set_outputs(fn.decoders.image(files), labels)
        self.pipe.build()

loader = make("/data", 7)
""",
    """
def make(path):
    pipe = Pipeline(7, 2, None, seed=5)
    files, labels = fn.readers.file(file_root=path, name="Reader")
    pipe.set_outputs(fn.decoders.image(files), labels)
    return pipe

def train():
    return make("/data")
""",
    """
class Data:
    @staticmethod
    @pipeline_def(batch_size=7, num_threads=2, device_id=None, seed=5)
    def make(path):
        files, labels = fn.readers.file(file_root=path, name="Reader")
        return fn.decoders.image(files), labels

pipe = Data.make("/data")
""",
])  # fmt: skip
def test_pipelines_that_functions_make(source: str) -> None:
    graph, found = findings(source)
    assert found == []
    assert (graph.options.name, graph.options.batch_size, graph.options.num_threads, graph.options.seed) == (
        "make", 7, 2, 5
    )  # fmt: skip
    assert [node.operator for node in graph.nodes()] == ["readers.file", "decoders.image"]
    assert graph.node("Reader").arguments["file_root"] == "/data"
    assert len(graph.outputs) == 2


def test_functions_of_the_source_are_kept_as_code_that_nothing_runs() -> None:
    graph, found = findings("""
LEVEL = 250
raise_if_run = 1 / 1

def lower(x):
    return x - 1

def negate(x):
    # the other way round
    return LEVEL - lower(np.asarray(x))

@pipeline_def(batch_size=2)
def p():
    x = fn.external_source(name="x")
    return fn.python_function(x, function=negate), fn.python_function(x, function=lambda a: a * 2, name="twice")
""")
    assert found == []
    function, twice = (graph.node(key).objects["function"] for key in ("function", "twice"))
    assert isinstance(function, ForeignFunction)
    assert isinstance(twice, ForeignFunction)
    assert function.source == (
        "import numpy as np\n\nLEVEL = 250\n\ndef lower(x):\n    return x - 1\n\n"
        "def negate(x):\n    # the other way round\n    return LEVEL - lower(np.asarray(x))\n"
    )
    assert twice.source == "def change(a):\n    return a * 2\n"
    refused = [one.message for one in validate(graph, REGISTRY).diagnostics if one.node == "twice"]
    assert "does not run before you trust it" in refused[0]


#: What is called with arrays in the programs below.
CALLED = """
import functools
import torch.nn.functional as F
from functools import partial
from nvidia.dali.plugin.pytorch.fn import torch_python_function

def scale(x, factor, offset=0):
    return x * factor + offset

class Steps:
    def __init__(self, start):
        self.count = start
    def next(self, x):
        self.count += 1
        return x + self.count
    def __call__(self, x):
        return x - self.count
    @staticmethod
    def half(x):
        return x // 2

steps = Steps(5)

@pipeline_def(batch_size=2)
def p(factor=4):
    x = fn.external_source(name="x")
    scaled = partial(scale, factor=factor)
    return """


def _kept(call: str) -> str:
    """The text that is kept of what a call is given."""
    graph, found = findings(f"{CALLED}{call}\n")
    assert found == []
    kept = graph.node("function").objects["function"]
    assert isinstance(kept, ForeignFunction)
    return kept.source


@pytest.mark.parametrize(
    ("given", "results"),
    [
        ("partial(scale, factor=2, offset=1)", (21, 21)), ("scaled", (40, 40)), ("partial(scaled, offset=3)", (43, 43)),
        ("functools.partial(scale, offset=2, factor=3)", (32, 32)), ("steps.next", (16, 17)), ("steps", (5, 5)),
        ("Steps(0).next", (11, 12)), ("Steps(2)", (8, 8)), ("Steps.half", (5, 5)), ("lambda x: scaled(x) + 1", (41, 41)),
    ],
)  # fmt: skip
def test_partial_functions_and_methods_are_kept_as_code(given: str, results: tuple[int, int]) -> None:
    for call in (f"fn.python_function(x, function={given})", f"ops.PythonFunction(function={given})(x)"):
        change = WrittenFunction(_kept(call), "kept")
        assert (change(10), change(10)) == results  # what it is made of is made once


class _Tensor:
    """Stands for a tensor of PyTorch."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __mul__(self, by: int) -> _Tensor:
        return _Tensor(self.value * by)

    def numpy(self) -> int:
        return self.value


@pytest.mark.parametrize(
    ("given", "array", "result"),
    [
        ("function=lambda t: t * 3", 10, 30),
        ("function=partial(lambda by, t: t * by, 4)", 10, 40),
        ("function=lambda t: (t * 2, t * 3), num_outputs=2", 10, (20, 30)),
        ("function=lambda ts: [t * 2 for t in ts], batch_processing=True", [1, 2], [2, 4]),
        ("function=lambda ts: (ts, [t * 2 for t in ts]), num_outputs=2, batch_processing=True", [1, 2], ([1, 2], [2, 4])),
    ],
)  # fmt: skip
def test_functions_of_tensors_are_kept_as_ones_of_arrays(
    given: str, array: Any, result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = types.ModuleType("torch")
    monkeypatch.setattr(torch, "from_numpy", _Tensor, raising=False)
    monkeypatch.setitem(sys.modules, "torch", torch)
    source = _kept(f"torch_python_function(x, {given})")
    assert WrittenFunction(source, "kept")(array) == result


def test_a_function_that_the_source_does_not_tell_is_said() -> None:
    graph, found = findings(f"{CALLED}fn.python_function(x, function=unknown.method)\n")
    assert "function" not in graph.node("function").objects
    assert "`unknown.method`" in found[0].message and "left out" in found[0].message
    graph, found = findings(f"{CALLED}torch_python_function(x, function=F.relu, device='gpu')\n")
    assert "keeps its place, and cannot run" in found[0].message
    assert "torch.nn.functional" in _kept("torch_python_function(x, function=F.relu)")
    # a method of the pipeline's own object, of which nothing is told
    _, found = findings("""
class Own(Pipeline):
    def __init__(self):
        super().__init__(batch_size=1)
        self.level = 3
    def lower(self, x):
        return x - self.level
    def define_graph(self):
        return fn.python_function(fn.external_source(name="x"), function=self.lower)
""")
    assert [one.message for one in found] == [
        "The function that is kept as code uses `self`, whose value is not told where it runs."
    ]
