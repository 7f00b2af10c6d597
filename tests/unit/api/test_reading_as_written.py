"""Ways in which people write pipelines: what makes them, settings, and what only a run would tell."""

from __future__ import annotations

from typing import Any

import pytest
from public_programs import HEAD

from dali_studio import DaliStudioError, read
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.model import Graph

FLIPPED = """
def flipped(root, wide=False, size=8):
    files, labels = fn.readers.file(file_root=root)
    images = fn.decoders.image(files)
    return fn.flip(images, vertical=1 if wide else 0), labels
"""


def findings(source: str, **options: Any) -> tuple[Graph, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return read(HEAD + source, found=found, **options), found


def operators(graph: Graph) -> list[str]:
    return [node.operator for node in graph.nodes()]


def last(graph: Graph) -> dict[str, Any]:
    return dict(list(graph.nodes())[-1].arguments)


def body(lines: str, before: str = "") -> tuple[Graph, list[Diagnostic]]:
    inner = "".join(f"    {line}\n" for line in lines.splitlines())
    return findings(f"{before}\n@pipeline_def(batch_size=2, enable_conditionals=True)\ndef p():\n{inner}")


@pytest.mark.parametrize(
    "made",
    [
        "pipe = pipeline_def(flipped, batch_size=3, num_threads=4)(root='r', wide=True)",
        "pipe = pipeline_def(batch_size=3)(flipped)('r', wide=True, num_threads=4)",
        "make = pipeline_def(flipped, batch_size=3)\npipe = make('r', True, num_threads=4)",
        "def build():\n    make = pipeline_def(batch_size=3, num_threads=4)\n    return make(flipped)('r', wide=True)\nbuild()",
        "def build(root):\n    pipe = pipeline_def(flipped)(root, True, batch_size=3, num_threads=4)\n    pipe.build()\nbuild('r')",
        (
            "def inner(root):\n    def made():\n        return flipped(root, True)\n    return made\n"
            "def build(root='r'):\n    return pipeline_def(batch_size=3, num_threads=4)(inner(root))"
        ),
        (
            "from nvidia.dali.plugin.jax import data_iterator\n"
            "batches = data_iterator(output_map=['a', 'b'])(flipped)\nfor one in batches('r', True, batch_size=3, num_threads=4):\n    one"
        ),
        (
            "from nvidia.dali.plugin.jax.clu import peekable_data_iterator\n@peekable_data_iterator(output_map=['a', 'b'])\n"
            "def p(root):\n    return flipped(root, True)\np('r', batch_size=3, num_threads=4)"
        ),
    ],
)  # fmt: skip
def test_pipelines_that_no_decorator_makes(made: str) -> None:
    graph, found = findings(FLIPPED + made)
    assert [one.message for one in found] == []
    assert operators(graph) == ["readers.file", "decoders.image", "flip"]
    assert (graph.options.batch_size, graph.options.num_threads) == (3, 4)
    assert last(graph)["vertical"] == 1
    assert len(graph.outputs) == 2


def test_a_pipeline_is_chosen_by_its_variable() -> None:
    source = FLIPPED + "one = pipeline_def(flipped)('r')\ntwo = pipeline_def(flipped)('s', True)"
    graph, _ = findings(source, function="two")
    assert last(graph)["vertical"] == 1
    assert "has the pipelines one, two; one is read" in findings(source)[1][0].message


def test_classes_of_pipelines_in_functions() -> None:
    source = """
def check(device, size=12):
    class Cropped(Pipeline):
        def __init__(self, batch):
            super().__init__(batch, 3, None)
            self.crop = ops.Crop(crop=(size, size))

        def define_graph(self):
            return self.crop(fn.random.uniform(range=(0, 255), shape=(20, 20, 3)))

    return Cropped(5)
check('cpu')
"""
    graph, found = findings(source)
    assert found == []
    assert last(graph)["crop"] == (12, 12)
    assert graph.options.batch_size == 5


@pytest.mark.parametrize(
    "call",
    [
        "fn.external_source(lambda: next(items), 2, batch=False)",
        "fn.external_source(items.__call__, num_outputs=2, batch=False)",
        "fn.external_source(Items('/nowhere'), num_outputs=2, batch=False)",
        "ops.ExternalSource(lambda: next(items), num_outputs=2, batch=False)()",
    ],
)  # fmt: skip
def test_a_source_by_its_place_is_left_out_with_one_finding(call: str) -> None:
    items = """
class Items:
    def __init__(self, folder):
        self.names = []
        for name in os.listdir(folder):
            self.names.append(name)
        if os.path.exists(folder):
            self.there = True

    def __call__(self, info):
        return info
items = Items('/nowhere')
"""
    graph, found = body(f"a, b = {call}\nreturn b, a", items)
    assert operators(graph) == ["external_source"]
    assert [port.output for port in graph.outputs] == [1, 0]
    assert [one.message for one in found] == [
        "source of fn.external_source is a Python object, whose value the source does not tell; it is left out."
    ]


def test_how_an_object_was_made_is_told_where_it_is_looked_into() -> None:
    held = """
class Sizes:
    def __init__(self, large):
        self.width = 512 if large else 256
sizes = Sizes(settings.large)
"""
    graph, found = body(f"{held}return fn.random.uniform(shape=(sizes.width,))", "import settings")
    assert last(graph)["shape"] == (512,)
    assert any("whether `large` holds" in one.message for one in found)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("return fn.random.uniform() - settings.mean", "does not tell `settings.mean` in `fn.random.uniform() - settings.mean`"),
        ("return fn.random.uniform(shape=(4,))[settings.at :]", "does not tell"),
        ("half = settings.Half(batch=2)\nreturn half(fn.random.uniform())", "half is `settings.Half(batch=2)`, which is no operator"),
        ("return fn.cast(settings.image(), dtype=types.FLOAT)", "The source does not tell `settings.image()`: image keeps"),
        ("return fn.random_uniform(fn.random.uniform())", "random_uniform is no operator of dali_studio: random_uniform keeps"),
    ],
)  # fmt: skip
def test_what_the_source_does_not_tell_is_named_once(lines: str, said: str) -> None:
    graph, found = body(lines, "import settings")
    assert len(found) == 1
    assert said in found[0].message
    assert found[0].node in graph
    assert (found[0].hint == "Did you mean fn.random.uniform?") == ("random_uniform" in lines)


def test_values_that_are_not_told_do_not_take_others_with_them() -> None:
    lines = """shared = dict(seed=settings.seed, name="reader", random_shuffle=True)
files, labels = fn.readers.file(file_root="r", **shared)
folder, size = list(zip([settings.folder], [7]))[0]
return fn.random_resized_crop(fn.decoders.image(files), size=size), labels"""
    graph, found = body(lines, "import settings")
    assert [one.message for one in found] == [
        "seed of fn.readers.file is `settings.seed`, whose value the source does not tell; it is left out."
    ]
    assert next(iter(graph.nodes())).arguments["random_shuffle"] is True
    assert last(graph)["size"] == (7,)


SETTINGS = {
    "a class of constants": "class C:\n    SIZE = 4\nsize = C.SIZE",
    "a data class": "from dataclasses import dataclass, field\n@dataclass\nclass B:\n    low: int\n@dataclass\nclass C(B):\n"
    "    high: int = field(default=3)\n    more: list = field(default_factory=lambda: [0])\n"
    "    def __post_init__(self):\n        self.size = self.low + self.high + self.more[0]\nsize = C(1).size",
    "a named tuple": "from typing import NamedTuple\nclass C(NamedTuple):\n    size: int = 4\nsize = C().size",
    "an enumeration": "from enum import Enum\nclass Kind(Enum):\n    TRAIN = 'train'\n    VAL = 'val'\nkind = Kind.TRAIN\n"
    "size = 4 if kind == Kind.TRAIN and kind.value == 'train' else 5",
    "a namespace": "from types import SimpleNamespace\nc = SimpleNamespace(size=4)\nsize = c.size",
    "a nested dictionary with attributes": "from easydict import EasyDict as edict\nc = edict({'data': {'size': 3}})\n"
    "c.data.size += 1\nsize = c['data'].size if 'size' in c.data.keys() else 0",
    "a tree that is filled": "from yacs.config import CfgNode as CN\n_C = CN()\n_C.DATA = CN()\n_C.DATA.SIZE = 4\nsize = _C.DATA.SIZE",
    "options as a dictionary": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--size', type=int, default=4)\n"
    "args = p.parse_args()\ndef take(size=0, **rest):\n    return size\nsize = take(**vars(args))",
    "a comprehension over a dictionary": "sizes = {name: value * 2 for name, value in {'a': 2, 'b': 9}.items()}\nsize = sizes['a']",
    "a set": "size = len({1, 2, 3, 3} | set()) if False else len(set([1, 2, 3, 4, 4]))",
    "a value that is named where it is used": "size = half * 2 if (half := 2) > 1 else half",
    "a loop that ends": "size = 64\nwhile size > 4:\n    size //= 2",
    "functions over lists": "size = list(map(lambda one: one + 1, filter(lambda one: one > 2, [1, 2, 3])))[0]",
    "what an object has": "class C:\n    size = 4\nsize = C().size if hasattr(C(), 'size') and not hasattr(C(), 'other') else 0",
    "a text": "name = 'size=4'\nsize = int(f'{name!r}'.rpartition('=')[2].rstrip(chr(39))) if False else int(name.removeprefix('size='))",
    "a limit of a type": "size = int(np.iinfo(np.int8).max) - 123",
    "a tensor": "import torch\nsize = int(torch.tensor([1.0, 4.0]).max().item())",
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_settings(kind: str) -> None:
    graph, found = body(f"{SETTINGS[kind]}\nreturn fn.random.uniform(shape=(size,))")
    assert found == []
    assert last(graph)["shape"] == (4,)


def test_what_a_program_asks_its_surroundings_for() -> None:
    lines = """import random
import torch
rank, ranks = torch.distributed.get_rank(), torch.distributed.get_world_size()
seed = random.randint(1, 9)
files, labels = fn.readers.file(file_root="r", shard_id=rank, num_shards=ranks, seed=seed)
images = fn.decoders.image(files)
kind = random.choice([types.INTERP_CUBIC, types.INTERP_NN])
return fn.random_resized_crop(images, size=8, seed=seed, interp_type=kind), labels"""
    graph, found = body(lines)
    reader = next(iter(graph.nodes()))
    assert {"shard_id": 0, "num_shards": 1, "seed": 5}.items() <= reader.arguments.items()
    assert last(graph)["seed"] == 5
    assert {one.severity for one in found} == {"info"}
    assert [one.message for one in found] == [
        "What `torch.distributed.get_rank()` gives is known when the program runs; 0 is taken.",
        "What `torch.distributed.get_world_size()` gives is known when the program runs; 1 is taken.",
        "What `random.randint(1, 9)` gives is known when the program runs; 5 is taken.",
        "What `random.choice([types.INTERP_CUBIC, types.INTERP_NN])` gives is known when the program runs; INTERP_CUBIC is taken.",
    ]


def test_what_is_asked_for_where_a_pipeline_is_made_is_told_as_well() -> None:
    source = """
import torch.distributed as dist
@pipeline_def
def p(part):
    return fn.readers.file(file_root="r", shard_id=part, num_shards=4)
def build():
    return p(part=dist.get_rank(), batch_size=2)
"""
    graph, found = findings(source)
    assert last(graph)["shard_id"] == 0
    assert [one.message for one in found] == ["What `dist.get_rank()` gives is known when the program runs; 0 is taken."]


@pytest.mark.parametrize(
    "lines",
    [
        "if settings.size > 9:\n    raise ValueError('large')\nreturn fn.random.uniform()",
        "if settings.size < 9:\n    return fn.random.uniform()\nraise ValueError('large')",
        "if settings.size < 9:\n    made = fn.random.uniform()\nelse:\n    print('large')\n    raise ValueError('large')\nreturn made",
    ],
)  # fmt: skip
def test_a_program_that_would_end_is_read_as_if_it_went_on(lines: str) -> None:
    graph, found = body(lines, "import settings")
    assert (operators(graph), found) == (["random.uniform"], [])


def test_decoders_of_older_versions() -> None:
    source = """
class Old(Pipeline):
    def __init__(self):
        super().__init__(4, 2, 0)
        self.input = ops.FileReader(file_root="r")
        self.decode = ops.nvJPEGDecoderRandomCrop(device="mixed", output_type=types.BGR)
        self.host = ops.HostDecoder(device="cpu")
    def define_graph(self):
        files, labels = self.input()
        return self.decode(files), self.host(files), labels
"""
    graph, found = findings(source)
    assert operators(graph) == ["readers.file", "decoders.image_random_crop", "decoders.image"]
    assert [one.severity for one in found] == ["info", "info"]
    assert "ops.HostDecoder is of an older nvidia.dali; it is read as ops.decoders.Image." in {one.message for one in found}


@pytest.mark.parametrize("names", ["a, b, c", "a, *rest, c"])
def test_as_many_results_as_names_where_their_number_is_not_told(names: str) -> None:
    graph, found = body(f"{names} = fn.readers.webdataset(paths=['x'], ext=settings.kinds)\nreturn a, fn.decoders.image(c)", "import settings")
    assert operators(graph) == ["readers.webdataset", "decoders.image"]
    assert [one.argument for one in found] == ["ext"]
    with pytest.raises(DaliStudioError, match=r"one result cannot be assigned to 2 names"):
        body("a, b = fn.random.uniform()\nreturn a")


def test_a_function_that_is_kept_as_code_has_what_it_uses_of_those_around_it() -> None:
    source = """
LIMIT = 3
@pipeline_def(batch_size=2)
def p(words, scale=2.5):
    import math as m
    from os import path
    names = ("a", 1)
    def half(x):
        return x * scale / 2
    def change(x):
        y = half(x) + LIMIT + m.pi
        return np.asarray(y), words(names), path
    return fn.python_function(fn.random.uniform(), function=change, num_outputs=2)
"""
    graph, found = findings(source)
    kept: Any = list(graph.nodes())[-1].objects["function"]
    text: str = kept.source
    namespace: dict[str, Any] = {"words": len}
    exec(compile(text, "code", "exec"), namespace)
    y, count, _ = namespace["change"](4.0)
    assert (round(float(y), 4), count) == (11.1416, 2)
    assert [one.message for one in found] == [
        "The function that is kept as code uses `words`, whose value is not told where it runs."
    ]


def test_a_list_of_which_some_are_not_told_has_no_places() -> None:
    graph, found = body("shape = (3, *settings.size)\nreturn fn.random.uniform(shape=[shape[-2]]), *settings.more", "import settings")
    assert "shape" not in next(iter(graph.nodes())).arguments
    assert "shape[-2]" in found[0].message
    assert len(graph.outputs) == 2


def test_names_may_come_from_all_of_a_module() -> None:
    _, found = body("return fn.random.uniform(range=args.range)", "from conf import *")
    assert [one.code for one in found] == ["DS502"]
    _, found = body("return fn.random.uniform(dtype=FLOAT)", "from nvidia.dali.types import *")
    assert found == []


def test_of_imports_that_depend_on_what_is_installed_the_first_count() -> None:
    source = """
from somewhere import available
if available("nvidia.dali"):
    from nvidia.dali.pipeline import Pipeline as Base
else:
    Base = object
from .torch import tensor
class Made(Base):
    def __init__(self):
        super().__init__(3, 2, None)
    def define_graph(self):
        return fn.random.uniform(shape=tensor([1]))
"""
    graph, found = findings(source)
    assert graph.options.batch_size == 3
    assert ["`tensor([1])`" in one.message for one in found] == [True]


def test_a_class_whose_base_is_of_another_module() -> None:
    source = """
from mine import Base
class Made(Base):
    def __init__(self, size):
        super().__init__(3, 2, None)
        self.draw = ops.random.Uniform(shape=(size,))
    def define_graph(self):
        return self.draw()
made = Made(5)
"""
    graph, found = findings(source)
    assert (last(graph)["shape"], graph.options.batch_size, found) == ((5,), 3, [])


def test_functions_alone_are_no_pipeline_and_are_named() -> None:
    with pytest.raises(DaliStudioError, match=r"has no pipeline, but functions that call operators: flipped\(\)\. .*pipeline_def\(flipped\)"):
        findings(FLIPPED)


def test_axes_and_augmentations() -> None:
    lines = """x = fn.random.uniform(shape=(4, 4, 3), range=(0, 255))
x = fn.cast(fn.reinterpret(x[dali.newaxis][0], layout="HWC"), dtype=types.UINT8)
return rand_augment.rand_augment(x, n=1, m=9, shape=[settings.size, 4])"""
    before = "import settings\nimport nvidia.dali as dali\nfrom nvidia.dali.auto_aug import rand_augment"
    graph, found = body(lines, before)
    assert "expand_dims" in operators(graph)
    assert "warp_affine" in operators(graph)
    assert [one.argument for one in found] == ["shape"]


def test_operators_outside_of_definitions() -> None:
    source = """
KERNEL = types.Constant(np.ones((3, 3), np.float32)) / 9.0
class Made(Pipeline):
    def __init__(self):
        super().__init__(2, 1, None)
        self.scale = fn.random.uniform(range=(0.5, 1.5))
    def define_graph(self):
        image = fn.reinterpret(fn.random.uniform(shape=(6, 6, 3)), layout="HWC")
        return fn.filter(image, KERNEL) * self.scale
"""
    graph, found = findings(source)
    assert found == []
    assert sorted(operators(graph)) == [
        "arithmetic", "arithmetic", "constant", "filter", "random.uniform", "random.uniform", "reinterpret",
    ]  # fmt: skip
