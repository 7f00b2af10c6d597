"""``fn.decoders.inflate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.lz4 import DAMAGED, inflate
from dali_studio.kernels.cuda.lz4 import inflate_on_gpu
from dali_studio.kernels.cuda.stream import GpuStream
from dali_studio.operators.common import T, accept_output
from dali_studio.operators.decoders.common import check_encoded
from dali_studio.schema.arguments import Args
from dali_studio.schema.batches import Work
from dali_studio.schema.declare import Arrays, Input, Operator, Output, named
from dali_studio.schema.lz4_samples import deflated, inflated
from dali_studio.schema.marks import COMMON, PER_SAMPLE, Choices, Doc, Layout, Range
from dali_studio.schema.samples import Case, Data, tensors, values
from dali_studio.schema.traits import PerSample

Numbers = NDArray[np.int64]


class Inflate(Operator):
    """Decompresses bytes that were compressed by LZ4, as one block or as several chunks, such as the frames of a video.

    Chunks become the first axis of the result. A chunk that is damaged, or that gives another number of bytes than
    `shape` asks for, is an error; on the GPU it is one with `check_output_size` alone, and what such a chunk does not
    give is 0.
    """

    path = "decoders.inflate"
    category = "decoders"
    icon = "tensor"
    node_name = "inflated"
    keywords = "lz4 decompress compressed chunks uncompress"
    inputs = (Input("data", "encoded", doc="Blocks in LZ4's block format, without the header of its files."),)
    outputs = (Output("tensor"),)
    traits = (PerSample,)
    devices = ("cpu", "gpu")
    dialects = (named("nvidia.dali", gpu_only=True),)
    former = ("experimental.inflate",)

    shape: Annotated[
        list[int], Doc("Shape of what is compressed; of each chunk, where there are several."), Range(0), PER_SAMPLE,
        COMMON,
    ]  # fmt: skip
    dtype: Annotated[DALIDataType, Doc("Element type of what is compressed."), COMMON] = T.UINT8
    layout: Annotated[Layout, Doc("Layout of what is compressed; of each chunk.")] = Layout("")
    chunk_sizes: Annotated[
        list[int] | None,
        Doc("Bytes of each compressed chunk. Without chunk_offsets they follow each other from the beginning."),
        PER_SAMPLE,
    ] = None
    chunk_offsets: Annotated[
        list[int] | None,
        Doc("Where the chunks begin. Without chunk_sizes each ends where the next one begins, the last with the data."),
        PER_SAMPLE,
    ] = None
    sequence_axis_name: Annotated[Layout, Doc("Letter of the axis of chunks, where there is a layout.")] = Layout("F")
    algorithm: Annotated[str, Doc("How it is compressed."), Choices(("LZ4",))] = "LZ4"
    check_output_size: Annotated[
        bool, Doc("On the GPU: wait for the result and refuse what is damaged or does not fit, as the CPU does.")
    ] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        plain = tensors(((40, 7), (40, 7)), T.UINT8, low=0, high=3)
        long, checked = tensors(((300, 40), (300, 40)), T.UINT8, low=0, high=2), {"check_output_size": True}
        frames = tensors(((5, 4, 9), (3, 4, 9), (0, 4, 9)), T.INT16)
        sizes, offsets = _table(frames, "sizes"), _table(frames, "offsets")
        cut = Data(lambda: [one[:-3] for one in _chunks(plain).samples()], label="cut")
        cases = [
            Case((_chunks(plain),), {"shape": (40, 7)}),
            Case((_chunks(plain),), {"shape": (280,), **checked}),
            Case((_chunks(long),), {"shape": (300, 40), "layout": "HW"}),
            *(Case((_chunks(tensors(((6, 5), (6, 5)), dtype)),), {"shape": (6, 5), "dtype": dtype.name})
              for dtype in NUMERIC),
            Case((_chunks(tensors(((3, 2), (40, 1)), T.FLOAT)),), {"shape": values((3, 2), (40, 1), dtype=T.INT32),
                                                                 "dtype": "FLOAT", "layout": "HW"}),
            Case((_chunks(tensors(((), ()), T.INT64)),), {"shape": (), "dtype": "INT64"}),
            Case((_chunks(tensors(((0, 3), (0, 3)))),), {"shape": (0, 3), "dtype": "FLOAT"}),
            *(Case((_chunks(frames, by_chunk=True),), {"shape": (4, 9), "dtype": "INT16", **one}) for one in (
                {"chunk_sizes": sizes, "layout": "HW"}, {"chunk_offsets": offsets},
                {"chunk_offsets": offsets, "chunk_sizes": sizes, "layout": "XY", "sequence_axis_name": "N"})),
            Case((cut,), {"shape": (40, 7), **checked}, refused=""),
            *(Case((_chunks(plain),), {"shape": shape, **checked}, refused="") for shape in ((40, 6), (41, 7))),
            Case((_chunks(plain),), {"shape": (-1,)}, refused="shape"),
            Case((_chunks(plain),), {"shape": (40, 7), "layout": "HWC"}, refused="layout"),
            Case((_chunks(plain),), {"shape": (40, 7), "chunk_sizes": (5, 10**6)}, refused="chunk_sizes"),
            Case((_chunks(plain),), {"shape": (40, 7), "chunk_offsets": (5, 2)}, refused="chunk_offsets"),
            Case((_chunks(plain),), {"shape": 1, "chunk_offsets": (5,), "chunk_sizes": (1, 2)}, refused="chunk_sizes"),
            Case((_chunks(plain),), {"shape": 1, "sequence_axis_name": "AB"}, refused="sequence_axis_name"),
            Case((_chunks(plain),), {"shape": 1, "algorithm": "ZIP"}, refused="algorithm"),
            Case((tensors(((4, 2),), T.UINT8),), {"shape": 1}, refused=""),
        ]  # fmt: skip
        return [replace(case, peer=False, note="nvidia.dali has it on the GPU alone") for case in cases]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_encoded(inputs[0])
        accept_output(args["dtype"], NUMERIC)
        layout, letter = str(args["layout"]), str(args["sequence_axis_name"])
        if len(letter) != 1:
            raise ArgumentError(
                f"{letter!r} names {len(letter)} axes; one letter is needed.", hint='Give "F".',
                argument="sequence_axis_name",
            )  # fmt: skip
        axes = _axes(args)
        if layout and axes not in (None, len(layout)):
            raise ArgumentError(
                f"the layout {layout!r} names {len(layout)} axes, shape has {axes}.", hint="Give as many.",
                argument="layout",
            )  # fmt: skip
        more = int(_in_chunks(args))
        known = len(layout) if axes is None and layout else axes
        return TensorMeta(args["dtype"], None if known is None else known + more, layout and letter * more + layout)

    @staticmethod
    def plan(args: Args, *inputs: Batch) -> Work:
        (data,) = inputs
        shapes = _shapes(args)
        chunks = [_chunks_of(args, index, size) for index, size in enumerate(data.counts.tolist())]
        if _in_chunks(args):
            shapes = np.column_stack([[len(begins) for begins, _ in chunks], shapes]).astype(np.int64)
        begins, sizes = [one for one, _ in chunks], [one for _, one in chunks]
        return Work(shapes, {"begins": begins, "sizes": sizes, "checked": args["check_output_size"]})

    @staticmethod
    def cpu(work: Work, index: int, inputs: Arrays, outputs: Arrays, **options: Any) -> None:
        out = outputs[0].reshape(-1).view(np.uint8)
        begins, sizes = work.params["begins"][index], work.params["sizes"][index]
        _check(inflate(inputs[0], begins, sizes, out), out.nbytes, None)

    @staticmethod
    def gpu(work: Work, inputs: Sequence[Batch], outputs: Sequence[Batch], stream: GpuStream) -> None:
        (data,), (out,), params = inputs, outputs, work.params
        made = inflate_on_gpu(data, params["begins"], params["sizes"], out, stream)
        if params["checked"]:
            host = stream.fetch(made)
            stream.synchronize()
            for index, (one, size) in enumerate(zip(made.on_host(host), out.counts * out.dtype.itemsize, strict=True)):
                _check(one, int(size), index)

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> NDArray[Any]:
        data, shape = inputs[0], tuple(np.atleast_1d(np.asarray(arguments["shape"], np.int64)).tolist())
        offsets, sizes = arguments["chunk_offsets"], arguments["chunk_sizes"]
        several = offsets is not None or sizes is not None
        if offsets is None:
            offsets = [0] if sizes is None else np.cumsum([0, *np.atleast_1d(sizes)])[:-1]
        begins = np.atleast_1d(offsets)
        ends = begins + np.diff(begins, append=len(data)) if sizes is None else begins + sizes
        made = b"".join(inflated(data[begin:end]) for begin, end in zip(begins, ends, strict=True))
        dtype = to_numpy(T[arguments["dtype"]] if isinstance(arguments["dtype"], str) else arguments["dtype"])
        return np.frombuffer(made, dtype).reshape((-1, *shape) if several and made else (*(0,) * several, *shape))


def _in_chunks(args: Args) -> bool:
    return args.given("chunk_offsets") or args.given("chunk_sizes")


def _shapes(args: Args) -> NDArray[np.int64]:
    """(N, axes) of a chunk of each sample."""
    axes = _axes(args)
    shapes: NDArray[np.int64] = args.vectors("shape", len(args["layout"]) if axes is None else axes, np.int64)
    return shapes


def _axes(args: Args) -> int | None:
    """How many axes `shape` gives, as far as that is known."""
    fed = args.samples("shape")
    return fed[0].size if fed else None if args.wired("shape") else len(args["shape"])


def _numbers(args: Args, name: str, index: int) -> Numbers | None:
    """What is given for a sample, if anything is."""
    fed = args.samples(name)
    found = args[name] if fed is None else np.ravel(fed[index])
    return None if found is None else np.array(found, np.int64)


def _chunks_of(args: Args, index: int, size: int) -> tuple[Numbers, Numbers]:
    """Where the chunks of a sample of `size` bytes begin, and how many bytes each has."""
    begins, sizes = _numbers(args, "chunk_offsets", index), _numbers(args, "chunk_sizes", index)
    named = "chunk_offsets" if sizes is None else "chunk_sizes"
    if begins is None:
        begins = np.zeros(1, np.int64) if sizes is None else np.cumsum(sizes) - sizes
    if sizes is None:
        sizes = np.diff(begins, append=size)
    if len(begins) != len(sizes):
        raise ArgumentError(
            f"{len(sizes)} sizes are given for {len(begins)} chunks.", hint="Give one for each of chunk_offsets.",
            argument="chunk_sizes", sample=index,
        )  # fmt: skip
    wrong = (begins < 0) | (sizes < 1) | (sizes > size - begins)
    if wrong.any():
        chunk = int(np.argmax(wrong))
        raise ArgumentError(
            f"chunk {chunk} has {sizes[chunk]} bytes from {begins[chunk]} on; the sample has {size}.",
            hint="Give chunks that lie inside.", argument=named if _in_chunks(args) else "", sample=index,
        )  # fmt: skip
    return begins, sizes


def _check(made: NDArray[np.int64], size: int, sample: int | None) -> None:
    """Refuse chunks that do not give equal parts of `size` bytes."""
    wanted = size // max(len(made), 1)
    for chunk in np.flatnonzero(made != wanted).tolist():
        found = int(made[chunk])
        what = "is damaged" if found == DAMAGED else f"gives {'more' if found < 0 else found} bytes"
        raise ArgumentError(
            f"chunk {chunk} {what}; {wanted} are asked for.",
            hint="Give the shape and dtype of what was compressed.", sample=sample, code="DS301",
            argument="" if found == DAMAGED else "dtype",
        )  # fmt: skip


def _bytes_of(data: Data, *, by_chunk: bool) -> list[list[bytes]]:
    return [[deflated(np.ascontiguousarray(one).tobytes()) for one in (sample if by_chunk else [sample])]
            for sample in data.samples()]  # fmt: skip


def _chunks(data: Data, *, by_chunk: bool = False) -> Data:
    """Compressed tensors, whole or along their first axis, for cases."""
    return Data(lambda: [np.frombuffer(b"".join(one), np.uint8) for one in _bytes_of(data, by_chunk=by_chunk)],
                label=f"LZ4 of {data.label}")  # fmt: skip


def _table(data: Data, what: str) -> Data:
    """Sizes or offsets of the chunks of each sample."""

    def make() -> list[NDArray[Any]]:
        sizes = [np.array([len(chunk) for chunk in one], np.int32) for one in _bytes_of(data, by_chunk=True)]
        return sizes if what == "sizes" else [np.cumsum(one, dtype=np.int32) - one for one in sizes]

    return Data(make, T.INT32, "", what)
