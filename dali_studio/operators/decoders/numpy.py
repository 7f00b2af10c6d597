"""``fn.decoders.numpy``."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed, addresses_of, flat
from dali_studio.kernels.cpu import npy
from dali_studio.kernels.cpu.convert import convert
from dali_studio.kernels.cpu.rows import copy_bytes
from dali_studio.kernels.cpu.strided import steps_of
from dali_studio.operators.common import T, accept_output, sentence
from dali_studio.operators.decoders.common import check_encoded
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Input, Operator, Output, compiled, example
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.samples import Case, Data, tensors


class Numpy(Operator):
    """Decodes arrays in NumPy's file format (npy): whole and real numbers of up to 64 bits, and bool.

    All arrays of a batch have one number of axes, and one element type unless `dtype` converts them.
    """

    path = "decoders.numpy"
    category = "decoders"
    icon = "tensor"
    node_name = "decode"
    keywords = "npy array load open"
    inputs = (Input("files", "encoded"),)
    outputs = (Output("arrays"),)
    kernels = (compiled("convert", NUMERIC, NUMERIC),)
    examples = (example(), example(dtype="FLOAT"))

    dtype: Annotated[
        DALIDataType | None,
        Doc("Element type, to which numbers are rounded and saturate as by cast; unset: that of the files."), COMMON,
    ] = None  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        plain = tensors(((2, 3), (4, 1), (0, 5)))
        short = Data(lambda: [one[:-1] for one in _files(plain).samples()], label="cut")
        return [
            *(Case((_files(tensors(((2, 3), (4, 1)), dtype)),), one.arguments) for dtype in NUMERIC
              for one in cls.examples),
            *(Case((_files(data),)) for data in (plain, tensors(((), ())), tensors(((5,), (0,))))),
            Case((_files(plain),), {"dtype": "INT16"}),
            Case((_files(plain, order="F"),), peer=False, note="nvidia.dali needs a GPU to turn arrays round"),
            Case((short,), refused=""),
            Case((tensors(((40,), (5,)), T.UINT8),), refused=""),
            Case((_files(tensors(((2, 3), (4,)))),), refused=""),
            Case((Data(lambda: [_npy(np.array(["text"])), _npy(np.zeros(3))], label="text"),), refused=""),
            Case((Data(lambda: [_npy(np.zeros(2, np.int8)), _npy(np.zeros(3))], label="two types"),), refused=""),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> TensorMeta:
        check_encoded(inputs[0])
        accept_output(args["dtype"], NUMERIC)
        return TensorMeta(args["dtype"], None, "")

    @staticmethod
    def run(state: object, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        (files,) = inputs
        check_encoded(files.meta)
        known = npy.headers(files.samples)
        if known is None or not (known[3] == steps_of(known[2], known[4].itemsize)).all():
            return (_one_by_one(args, files),)
        begins, sizes, shapes, _, given = known
        dtype = to_numpy(args["dtype"]) if args["dtype"] else given
        out = _room(args, shapes, dtype)
        whole = out if dtype == given else _room(args, shapes, given)
        sources, targets = files.addresses + begins, addresses_of(whole)

        def copy(begin: int, end: int) -> None:
            own = slice(begin, end)
            copy_bytes(sources[own], sizes[own], targets[own])

        _in_pieces(args, copy, len(files), int(sizes.sum()))
        if whole is not out:
            before, after = flat(whole), flat(out)
            assert before is not None
            assert after is not None
            _in_pieces(args, lambda begin, end: convert(before[begin:end], after[begin:end]), len(after), before.nbytes)
        return (Batch.of(out, "", files.sources),)


#: Bytes that are worth the attention of a thread.
_PIECE = 1 << 18


def _in_pieces(args: Args, compute: Callable[[int, int], None], count: int, size: int) -> None:
    """Compute a range, of so many bytes, by parts of it on the threads where it is large."""
    pieces = min(max(size // _PIECE, 1), count)
    args.context.map(lambda piece: compute(piece * count // pieces, (piece + 1) * count // pieces), pieces)


def _room(args: Args, shapes: NDArray[np.int64], dtype: np.dtype[Any]) -> Packed:
    """Memory for arrays, side by side."""
    ends = np.cumsum(shapes.prod(axis=1, dtype=np.int64) * dtype.itemsize)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    return Packed(args.context.memory(int(ends[-1])), starts, shapes, dtype)


def _one_by_one(args: Args, files: Batch) -> Batch:
    """Arrays in different orders, or of different types; says what is wrong with files that are refused."""
    heads = [_header(data, index) for index, data in enumerate(files.samples)]
    if not heads:
        return Batch.of([], dtype=to_numpy(args["dtype"] or T.UINT8), ndim=0)
    kinds = [head.dtype.newbyteorder("=") for head in heads]
    _check_alike(heads, kinds, anyhow=args["dtype"] is not None)
    dtype = to_numpy(args["dtype"]) if args["dtype"] else kinds[0]
    shapes = np.array([head.shape for head in heads], np.int64).reshape(len(heads), len(heads[0].shape))
    out = _room(args, shapes, dtype)

    def copy(position: int) -> None:
        array = npy.view(files.samples[position], heads[position])
        convert(np.require(array, kinds[position], ("C", "A")), out[position])

    args.context.map(copy, len(heads))
    return Batch.of(out, "", files.sources)


def _header(data: NDArray[np.uint8], sample: int) -> npy.NpyHeader:
    try:
        return npy.header(data)
    except npy.NpyError as error:
        raise ArgumentError(
            sentence(error), hint="Replace the file, or take it out of the data set.", sample=sample, code="DS301"
        ) from error


def _check_alike(heads: Sequence[npy.NpyHeader], kinds: Sequence[np.dtype[Any]], *, anyhow: bool) -> None:
    """Refuse arrays of another number of axes than the first, or unless `anyhow` of another element type."""
    for index, (head, kind) in enumerate(zip(heads, kinds, strict=True)):
        if len(head.shape) != len(heads[0].shape):
            raise ArgumentError(
                f"the array has {len(head.shape)} axes, the first one {len(heads[0].shape)}.",
                hint="Bring arrays of one number of axes.", sample=index, code="DS203",
            )  # fmt: skip
        if not anyhow and kind != kinds[0]:
            raise ArgumentError(
                f"the array is {from_numpy(kind).name}, the first one {from_numpy(kinds[0]).name}.",
                hint="Give dtype to convert all of them.", sample=index, argument="dtype", code="DS203",
            )  # fmt: skip


def _npy(array: NDArray[Any]) -> NDArray[np.uint8]:
    stream = io.BytesIO()
    np.save(stream, array)
    return np.frombuffer(stream.getvalue(), np.uint8)


def _files(data: Data, order: Any = "C") -> Data:
    """Arrays as files, for cases."""
    return Data(lambda: [_npy(np.asarray(one, order=order)) for one in data.samples()], T.UINT8, "",
                f"npy {order} of {data.label}")  # fmt: skip
