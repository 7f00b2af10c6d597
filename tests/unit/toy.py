"""A toy registry: operators with the names of real ones, without kernels, so that the graph side is tested alone."""

from __future__ import annotations

from typing import Annotated

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.core.meta import TensorMeta
from dali_studio.graph.edits import PortRef
from dali_studio.graph.model import Graph, Node
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output
from dali_studio.schema.marks import PER_SAMPLE, Deprecated, Ignored, Length, Range, Refused
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.registry import Registry

U8, FLOAT, INT32 = DALIDataType.UINT8, DALIDataType.FLOAT, DALIDataType.INT32


class File(Operator):
    """Reads files."""

    path = "readers.file"
    outputs = (Output("jpegs", "encoded"), Output("labels", "label"))
    devices = ("cpu",)
    seeded = True
    stateful = True
    role = "reader"

    file_root: str | None = None
    files: list[str] | None = None
    random_shuffle: bool = False
    prefetch_queue_depth: Annotated[int, Range(1)] = 1
    lazy_init: Annotated[bool, Ignored("files are opened when they are read")] = False
    shuffle_after_epoch: Annotated[bool, Refused("one order is kept")] = False
    seed: int | None = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        if not args.given("file_root") and not args.given("files"):
            raise ArgumentError("no files are given.", hint="Set file_root.", argument="file_root", code="DS103")
        return TensorMeta(U8, 1, "", "encoded"), TensorMeta(INT32, 1, "", "label")


class ExternalSource(Operator):
    """Takes data from Python."""

    outputs = (Output("data"),)
    role = "external_source"
    keep = False

    source: object = None
    num_outputs: int | None = None
    dtype: DALIDataType | None = None
    layout: list[str] | None = None

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        count = values.get("num_outputs")
        return tuple(Output(f"data_{i}") for i in range(count)) if isinstance(count, int) else schema.outputs

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        count = args["num_outputs"] or 1
        layouts = args["layout"] or (None,)
        return tuple(TensorMeta(args["dtype"], None, layouts[i % len(layouts)]) for i in range(count))


class Image(Operator):
    """Decodes images."""

    path = "decoders.image"
    inputs = (Input("encoded", "encoded", dtypes=(U8,)),)
    outputs = (Output("images", "image"),)
    devices = ("cpu", "mixed")

    output_type: DALIImageType = DALIImageType.RGB
    use_fast_idct: Annotated[bool, Deprecated("jpeg_fancy_upsampling")] = False

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return TensorMeta(U8, 3, "HWC", "image")


class Rotate(Operator):
    """Rotates."""

    inputs = (Input("image", "image", layouts="HWC FHWC"),)
    outputs = (Output("output", "image"),)
    devices = ("cpu", "gpu")

    angle: Annotated[float, PER_SAMPLE]
    fill_value: Annotated[float | None, Range(0, 255)] = None
    keep_size: bool = False
    interp_type: DALIInterpType = DALIInterpType.INTERP_LINEAR
    size: Annotated[list[float] | None, PER_SAMPLE, Length((2,))] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        if inputs[0].ndim is not None and inputs[0].ndim < 2:
            raise ArgumentError("not an image.", code="DS203")
        return inputs[0]


class Cast(Operator):
    """Converts."""

    inputs = (Input("input"),)
    devices = ("cpu", "gpu")

    dtype: DALIDataType

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0].with_(dtype=args["dtype"])


class CastLike(Operator):
    """Converts to another input's type."""

    inputs = (Input("input"), Input("dtype_source"))

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0].with_(dtype=inputs[1].dtype)


class Uniform(Operator):
    """Draws uniform numbers."""

    path = "random.uniform"
    outputs = (Output("output", "scalar"),)
    seeded = True

    range: Annotated[list[float], PER_SAMPLE, Length((2,))] = [-1.0, 1.0]  # noqa: RUF012 - a declaration
    seed: int | None = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return TensorMeta(FLOAT, 0, "", "scalar")


class Slice(Operator):
    """Cuts out."""

    inputs = (Input("data"), Input("anchor", optional=True), Input("shape", optional=True))
    devices = ("cpu", "gpu")

    rel_start: Annotated[list[float] | None, PER_SAMPLE] = None
    rel_end: Annotated[list[float] | None, PER_SAMPLE] = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]


class Copy(Operator):
    """Moves data."""

    inputs = (Input("input"),)
    devices = ("cpu", "gpu")
    role = "copy"

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        return inputs[0]


class Constant(Operator):
    """Gives the same values to every sample."""

    outputs = (Output("output", "scalar"),)
    devices = ("cpu", "gpu")
    role = "constant"

    fdata: list[float] | None = None
    idata: list[int] | None = None
    shape: list[int] | None = None
    dtype: DALIDataType | None = None
    layout: str | None = None

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        default = FLOAT if args.given("fdata") else INT32
        return TensorMeta(args["dtype"] or default, 1 if args["shape"] is None else len(args["shape"]), "", "scalar")


class Broken(Operator):
    """Fails when its types are inferred."""

    inputs = (Input("input"),)
    keep = True

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        raise RuntimeError("a fault")


def toy_registry() -> Registry:
    """All toy operators."""
    return Registry([File, ExternalSource, Image, Rotate, Cast, CastLike, Uniform, Slice, Copy, Constant, Broken])


def port(node: str, output: int = 0) -> PortRef:
    """Shorthand."""
    return PortRef(node=node, output=output)


def photo_graph() -> Graph:
    """reader -> images -> turned, whose angle comes from a random number; returns the pictures and the labels."""
    graph = Graph()
    graph.add_node(
        Node(key="reader", operator="readers.file", arguments={"file_root": "images", "random_shuffle": True})
    )
    graph.add_node(Node(key="images", operator="decoders.image"))
    graph.add_node(Node(key="angle", operator="random.uniform", arguments={"range": (-10.0, 10.0)}))
    graph.add_node(Node(key="turned", operator="rotate", arguments={"fill_value": 0.0}))
    graph.connect(port("reader"), "images", 0)
    graph.connect(port("images"), "turned", 0)
    graph.connect(port("angle"), "turned", argument="angle")
    graph.set_outputs([port("turned"), port("reader", 1)])
    return graph
