"""Where programs get their pipelines' arguments from: functions around a call, command lines, settings, defaults."""

from __future__ import annotations

import pytest
from public_programs import HEAD

from dali_studio import read
from dali_studio.core.diagnostics import Diagnostic
from dali_studio.graph.model import Graph

PIPE = """
@pipeline_def(seed=5)
def pipe(path, height=16):
    image = fn.decoders.image(fn.readers.file(file_root=path, name="reader")[0])
    return fn.resize(image, resize_y=height, name="resize")
"""


def opened(source: str) -> tuple[Graph, list[Diagnostic]]:
    found: list[Diagnostic] = []
    return read(HEAD + source, found=found), found


@pytest.mark.parametrize(
    "call",
    [
        """
class Loader:
    def __init__(self, folder="/data", batch: int = 24, height=40):
        self.height = height
        self.pipe = pipe(folder, height=self.height, batch_size=batch, num_threads=3)
""",
        """
class Loader:
    def __init__(self, folder, batch, size=20):
        self.batch = batch
        self.pipe = pipe(folder, height=size, batch_size=self.batch, num_threads=3)

made = Loader("/data", 24, size=40)
""",
        """
class Loader:
    def __init__(self, folder, batch: int = 24):
        self.folder, self.batch = folder, batch

    def make(self, height=40):
        if height > 3:
            with quiet():
                return pipe(self.folder, height=height, batch_size=self.batch, num_threads=3)

Loader("/data").make()
""",
        """
def main(folder="/data"):
    threads = len(["a", "b", "c"])
    for height in [40, 80]:
        made = pipe(folder, height, batch_size=8 * threads, num_threads=threads)

if __name__ == "__main__":
    main()
""",
        """
folder = "/data"
for height in [40, 80]:
    half = height // 2
    made = pipe(folder, 2 * half, batch_size=24, num_threads=3)
""",
        """
import argparse, os

def options():
    parser = argparse.ArgumentParser(description="x")
    group = parser.add_argument_group("data")
    group.add_argument("-j", "--num-threads", default="3", type=int, metavar="N")
    group.add_argument("--where", dest="folder", default=os.getenv("DATA", "/data"))
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--batch", type=int)
    parser.set_defaults(batch=24)
    return parser.parse_args()

def main():
    args = options()
    args.height = 10 if args.small else 40
    return pipe(args.folder, args.height, batch_size=args.batch, num_threads=args.num_threads)
""",
        """
def main(kind, folder, **options):
    if kind == "resize":
        made_by = pipe
    return made_by(folder, batch_size=options["batch"], num_threads=3, height=options.get("height", 40))

main("resize", "/data", batch=24)
""",
        """
def main(settings):
    folder, size = settings.get("folder", "/data"), settings["data"].get("batch", 24)
    return pipe(folder, batch_size=size, num_threads=int(settings.get("threads", 3)), height=settings.get("h", 40))
""",
    ],
)
def test_a_call_sees_what_the_functions_around_it_have_computed(call: str) -> None:
    graph, found = opened(PIPE + call)
    assert found == []
    assert graph.node("reader").arguments["file_root"] == "/data"
    assert graph.node("resize").arguments["resize_y"] == 40
    assert (graph.options.batch_size, graph.options.num_threads, graph.options.seed) == (24, 3, 5)


def test_results_of_operators_are_known_as_such() -> None:
    graph, found = opened("""
from nvidia.dali.data_node import DataNode as Node

def half(images, size):
    if not isinstance(images, Node) or isinstance(size, (tuple, Node)):
        return images
    return fn.resize(images, size=size, name="resize")

@pipeline_def(batch_size=2)
def pipe():
    return half(fn.external_source(name="x"), [4, 4])
""")
    assert found == [] and "resize" in graph


def test_partial_functions_and_typed_numbers() -> None:
    graph, found = opened("""
from functools import partial

class Steps:
    def __init__(self, size):
        self.small = partial(fn.resize, resize_y=size, interp_type=types.INTERP_NN)
        self.smaller = partial(self.small, resize_y=size // 2)
        self.mask = types.Constant(~(2 ** 6 - 1) + 256).uint8()

@pipeline_def(batch_size=2)
def pipe():
    steps = Steps(8)
    images = fn.external_source(name="x", dtype=types.UINT8)
    return steps.small(images, name="small"), steps.smaller(images, name="smaller"), images & steps.mask
""")
    assert found == []
    assert [graph.node(key).arguments["resize_y"] for key in ("small", "smaller")] == [8, 4]
    assert graph.node("smaller").arguments["interp_type"] == "INTERP_NN"


def test_a_call_that_cannot_be_followed_leaves_the_pipeline() -> None:
    graph, found = opened(PIPE + """
def count():
    number = 0
    for i in range(9000):
        for j in range(9000):
            number += 1
    return number

made = pipe("/data", batch_size=count())
""")
    assert found == [] and graph.node("reader").arguments["file_root"] == "/data"
    assert graph.options.batch_size == 8  # the default


def test_a_loop_says_the_same_once() -> None:
    _, found = opened("""
@pipeline_def(batch_size=2)
def pipe(folder, size):
    return tuple(fn.resize(fn.decoders.image(fn.readers.file(file_root=folder)[0]), size=size) for _ in range(3))
""")
    assert [one.argument for one in found] == ["file_root", "size"]


def test_what_a_command_line_must_give_is_not_told() -> None:
    graph, found = opened(PIPE + """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--height", type=int)
args = parser.parse_args()
made = pipe(args.folder, args.height, batch_size=4)
""")
    (folder,) = found
    assert folder.argument == "file_root" and "file_root" not in graph.node("reader").arguments
    assert graph.node("resize").arguments["resize_y"] == 16  # as without the option


def test_a_call_inside_its_own_function_is_followed_once() -> None:
    graph, _ = opened(PIPE + """
def main(folder="/data", again=True):
    if again:
        main(folder, again=False)
    return pipe(folder, batch_size=4)
""")
    assert graph.node("reader").arguments["file_root"] == "/data" and graph.options.batch_size == 4


def test_nothing_of_the_functions_around_a_call_is_in_the_graph() -> None:
    graph, found = opened(PIPE + """
def main(folder="/data"):
    other = Pipeline(batch_size=2)
    with other:
        other.set_outputs(fn.flip(fn.external_source(name="x"), name="not_mine"))
    unknown_function(other)
    return pipe(folder, batch_size=4)
""")
    assert [one.severity for one in found] == ["info"]  # the source has two pipelines
    assert "not_mine" not in graph and graph.node("reader").arguments["file_root"] == "/data"
    assert graph.options.batch_size == 4


def test_imports_that_may_fail_are_taken_as_there() -> None:
    found: list[Diagnostic] = []
    graph = read("""
try:
    from nvidia.dali import fn as dali_fn, pipeline_def
    from nvidia.dali.auto_aug.rand_augment import rand_augment
except ImportError:
    dali_fn = pipeline_def = rand_augment = None

if pipeline_def is None:
    def pipeline_def(function):
        return function

@pipeline_def(batch_size=3, enable_conditionals=True)
def pipe(images=None):
    if rand_augment is None or dali_fn is None:
        raise RuntimeError("no DALI")
    images = dali_fn.external_source(name="x") if images is None else images
    return dali_fn.flip(images, name="flip")
""", found=found)  # fmt: skip
    assert found == [] and [node.key for node in graph.nodes()] == ["x", "flip"]


def test_arguments_of_other_versions_are_tried_as_the_source_does() -> None:
    source = """
from nvidia.dali.auto_aug.trivial_augment import trivial_augment_wide

def augment(images):
    for options in ({"magnitude_std": 0.5}, {"num_magnitude_bins": 3, "fill_value": 7}):
        try:
            return trivial_augment_wide(images, **options)
        except TypeError as error:
            last = error
        finally:
            done = True
    raise RuntimeError(last)

@pipeline_def(enable_conditionals=True)
def pipe():
    return augment(fn.external_source(name="x"))
"""
    graph, found = opened(source)
    assert found == [] and any(node.arguments.get("fill_value") == 7 for node in graph.nodes())


CLASSES = """
class Common(Pipeline):
    def __init__(self, batch_size, num_threads, device_id, height=40):
        super(Common, self).__init__(batch_size, num_threads, device_id)
        self.resize = ops.Resize(device="cpu", resize_y=height)
        self.rate = ops.random.Uniform(range=(0.0, self.low))

    low = 2.0

    def steps(self, inputs):
        return self.resize(inputs), self.rate(name="rate")

    def define_graph(self):
        return self.steps(self.read())

class Files(Common):
    low = 3.0

    def __init__(self, batch, threads, count):
        super().__init__(batch, threads, None, height=24)
        self.files = ops.readers.File(file_root="/data", num_shards=count)

    def read(self):
        return self.files(name="reader")[0]

    def steps(self, inputs):
        images, rate = super().steps(inputs)
        return fn.flip(images, name="flip"), rate
"""


def test_methods_of_the_bases_of_a_class_are_followed() -> None:
    graph, found = opened(CLASSES + """
def make(gpus=2):
    return [Files(batch=24 + shard, threads=3, count=gpus) for shard in range(gpus)]
""")
    assert found == []  # the class that others are derived from is no pipeline of its own
    assert [node.operator for node in graph.nodes()] == ["readers.file", "resize", "random.uniform", "flip"]
    assert graph.node("reader").arguments["num_shards"] == 2
    assert graph.node("rate").arguments["range"] == (0.0, 3.0)
    assert (graph.options.name, graph.options.batch_size, graph.options.num_threads) == ("Files", 24, 3)


def test_a_pipeline_in_a_base_sees_the_methods_of_the_class_that_is_made() -> None:
    graph, found = opened("""
class Base:
    def __init__(self, height):
        self.height = height

    def read(self):
        raise NotImplementedError

    @pipeline_def
    def pipe(self):
        return fn.resize(self.read(), resize_y=self.height, name="resize")

class Files(Base):
    def read(self):
        return fn.decoders.image(fn.readers.file(file_root="/data", name="reader")[0])

made = Files(40).pipe(batch_size=24)
""")
    assert found == [] and graph.node("reader").arguments["file_root"] == "/data"
    assert graph.node("resize").arguments["resize_y"] == 40 and graph.options.batch_size == 24


@pytest.mark.parametrize(("given", "device_id"), [("", 0), ("device_id=-1", 0), ("device_id=rank()", 0), ("device_id=2", 2),
                                                  ("device_id=None", None), ("device_id=-99999", None)])  # fmt: skip
def test_a_program_with_operators_on_a_gpu_has_one_unless_it_says_none(given: str, device_id: int | None) -> None:
    source = f"""
@pipeline_def(batch_size=2)
def on_gpu():
    return fn.flip(fn.external_source(name="x"), device="gpu")

made = on_gpu({given})
"""
    graph, found = opened(source)
    assert graph.options.device_id == device_id and found == []
    on_cpu, _ = opened(source.replace('device="gpu"', 'device="cpu"'))
    assert on_cpu.options.device_id == (2 if device_id == 2 else None)


@pytest.mark.parametrize("run", ["show(pipe('/data'), 3)", "print(pipe('/data').run())", "pipe('/data').build()", "for batch in Loader(pipe('/data')):\n    pass"])
def test_what_runs_a_pipeline_is_no_part_of_it(run: str) -> None:
    """`show` and `Loader` come from nowhere: in a pipeline, each would be a node that keeps its place."""
    functions = "twice = ops.PythonFunction(function=lambda: np.zeros(2))\n\n"
    body = PIPE.replace("return fn.resize(image,", "return twice(), fn.resize(image,")
    graph, found = opened(f"{functions}{body}\n{run}\n")
    assert found == []
    assert sorted(node.key for node in graph.nodes()) == ["function", "image", "reader", "resize"]


@pytest.mark.parametrize("base", ["super()", "super(Training, this)", "Pipeline"])
def test_the_first_parameter_of_a_method_has_any_name(base: str) -> None:
    first = "this, " if base == "Pipeline" else ""
    graph, found = opened(f"""
class Training(Pipeline):
    def __init__(this, batch, threads):
        {base}.__init__({first}batch, threads, device_id=None, seed=12)
        this.draw = ops.random.Uniform(range=[0, 1])

    def define_graph(this):
        return this.draw()

pipe = Training(3, 2)
""")
    assert found == []
    assert (graph.options.batch_size, graph.options.num_threads, graph.options.seed) == (3, 2, 12)


def test_methods_of_a_base_are_called_by_its_name() -> None:
    graph, found = opened("""
class Base(Pipeline):
    def load(self, root):
        return fn.readers.file(file_root=root)

class Middle(Base):
    def load(self, root):
        files, labels = Base.load(self, root)
        return fn.decoders.image(files), labels

class Training(Middle):
    def __init__(self, batch, **options):
        Middle.__init__(self, batch, num_threads=3, device_id=None, **options)

    def define_graph(self):
        return Middle.load(self, ".")

pipe = Training(5, seed=7)
""")
    assert found == []
    assert (graph.options.batch_size, graph.options.num_threads, graph.options.seed) == (5, 3, 7)
    assert [node.operator for node in graph.nodes()] == ["readers.file", "decoders.image"]


FOLDERS = """
class Settings:
    def __init__(self, folder, batch=3):
        self.folder, self.batch = folder, batch

    @classmethod
    def usual(cls):
        return cls("/data")

    @staticmethod
    def parsed():
        return Settings("/data", batch=3)

def settings():
    return Settings("/data")
"""


@pytest.mark.parametrize("call", ["settings()", "Settings.usual()", "Settings.parsed()"])
@pytest.mark.parametrize("indent", ["", "if __name__ == '__main__':\n    "])
def test_the_module_keeps_what_functions_of_the_source_return(call: str, indent: str) -> None:
    """As ``args = parse_args()`` does."""
    graph, found = opened(f"{FOLDERS}{PIPE}{indent}given = {call}\n{indent}made = pipe(given.folder, batch_size=given.batch)\n")
    assert found == []
    assert graph.options.batch_size == 3
    assert graph.node("reader").arguments["file_root"] == "/data"


def test_a_function_called_build_is_no_method_build() -> None:
    graph, found = opened("""
def build(path, count):
    pipe = Pipeline(batch_size=count, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(*fn.readers.file(file_root=path, name="reader"))
    return pipe

pipes = {train: build("/data/" + ("train" if train else "val"), 3) for train in (True, False)}
pipes[True].build()
""")
    assert found == []
    assert graph.options.batch_size == 3
    assert graph.node("reader").arguments["file_root"] == "/data/train"


def test_decorators_between_a_function_and_its_pipeline_count() -> None:
    graph, found = opened("""
def halved(function):
    def around(*args, **keywords):
        image, *others = function(*args, **keywords)
        return (image / 2, *others)
    return around

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
@halved
def pipe(path):
    files, labels = fn.readers.file(file_root=path, name="reader")
    return fn.decoders.image(files), labels

pipe("/data")
""")
    assert found == []
    assert [graph.node(port.node).operator for port in graph.outputs] == ["arithmetic", "readers.file"]


@pytest.mark.parametrize(("kind", "count", "made"), [("a", 2, "flip"), ("b", 2, "flip"), ("c", 2, "rotate"), ("c", 1, "hue"), ("d", 2, "hue")])
def test_match_is_the_ifs_that_it_stands_for(kind: str, count: int, made: str) -> None:
    graph, found = opened(f"""
@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipe(kind, count):
    image = fn.decoders.image(fn.readers.file(file_root="/data")[0])
    match kind:
        case "a" | "b":
            image = fn.flip(image)
        case "c" if count == 2:
            image = fn.rotate(image, angle=3.0)
        case other:
            assert other != "a"
            image = fn.hue(image, hue=4.0)
    return image

pipe({kind!r}, {count})
""")
    assert found == []
    assert graph.node(graph.outputs[0].node).operator == made


def test_patterns_that_look_into_what_they_are_given_are_said() -> None:
    _, found = opened("""
@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipe(size):
    image = fn.decoders.image(fn.readers.file(file_root="/data")[0])
    match size:
        case (height, width):
            image = fn.resize(image, size=[height, width])
        case _:
            image = fn.resize(image, size=[8, 8])
    return image

pipe(3)
""")
    assert [one.message for one in found] == ["`case [height, width]` is not read."]
