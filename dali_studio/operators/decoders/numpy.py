"""``fn.decoders.numpy``."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.dtypes import NUMERIC, from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import npy
from dali_studio.kernels.cpu.convert import convert
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
            *(Case((_files(tensors(((2, 3), (4, 1)), dtype)),), one.arguments) for dtype in NUMERIC for one in cls.examples),
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
        check_encoded(inputs[0].meta)
        arrays = [_opened(data, index) for index, data in enumerate(inputs[0].samples)]
        dtype = to_numpy(args["dtype"]) if args["dtype"] else arrays[0].dtype.newbyteorder("=") if arrays else None
        _check_alike(arrays, dtype if args["dtype"] is None else None)
        made: list[NDArray[Any]] = [np.empty(array.shape, dtype) for array in arrays]

        def copy(position: int) -> None:
            array, out = arrays[position], made[position]
            if array.dtype == out.dtype:
                np.copyto(out, array)
            else:
                convert(np.ascontiguousarray(array, array.dtype.newbyteorder("=")), out)

        args.context.map(copy, len(made))
        if not made:
            return (Batch.of([], dtype=dtype or np.dtype(np.uint8), ndim=0),)
        return (Batch.of(made, "", inputs[0].sources),)


def _opened(data: NDArray[np.uint8], sample: int) -> NDArray[Any]:
    try:
        return npy.view(data)
    except npy.NpyError as error:
        raise ArgumentError(
            sentence(error), hint="Replace the file, or take it out of the data set.", sample=sample, code="DS301"
        ) from error


def _check_alike(arrays: Sequence[NDArray[Any]], dtype: np.dtype[Any] | None) -> None:
    """Refuse arrays of another number of axes than the first, or of another element type where that matters."""
    for index, array in enumerate(arrays):
        if array.ndim != arrays[0].ndim:
            raise ArgumentError(
                f"the array has {array.ndim} axes, the first one {arrays[0].ndim}.",
                hint="Bring arrays of one number of axes.", sample=index, code="DS203",
            )  # fmt: skip
        if dtype is not None and array.dtype.newbyteorder("=") != dtype:
            names = from_numpy(array.dtype.newbyteorder("=")).name, from_numpy(dtype).name
            raise ArgumentError(
                f"the array is {names[0]}, the first one {names[1]}.", hint="Give dtype to convert all of them.",
                sample=index, argument="dtype", code="DS203",
            )  # fmt: skip


def _npy(array: NDArray[Any]) -> NDArray[np.uint8]:
    stream = io.BytesIO()
    np.save(stream, array)
    return np.frombuffer(stream.getvalue(), np.uint8)


def _files(data: Data, order: Any = "C") -> Data:
    """Arrays as files, for cases."""
    return Data(lambda: [_npy(np.asarray(one, order=order)) for one in data.samples()], T.UINT8, "",
                f"npy {order} of {data.label}")  # fmt: skip
