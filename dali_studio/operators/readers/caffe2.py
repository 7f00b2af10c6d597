"""``fn.readers.caffe2``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.protobuf import BYTES, VARINT, fields, floats, integers
from dali_studio.operators.common import T
from dali_studio.operators.readers.common import check_order
from dali_studio.operators.readers.lmdb import DatabaseReader, parsed, pictures, sources_of
from dali_studio.operators.readers.pieces import PiecesRead, Records
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc, Ignored, Range
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.record_samples import caffe2_database
from dali_studio.schema.samples import Case

#: Numbers of the fields of a TensorProto, and of its types of data.
_DIMS, _TYPE, _FLOATS, _INTEGERS, _BYTES, _TEXTS = range(1, 7)
_FLOAT, _INT32, _BYTE, _STRING = 1, 2, 3, 4
#: Of `label_type`.
_SINGLE, _DENSE, _NONE = 0, 2, 4
_MAX_INPUTS = 200


@dataclass(slots=True)
class Tensor:
    """A TensorProto: its type, axes, numbers, and where its bytes or its first text lie."""

    kind: int = _FLOAT
    dims: list[int] = field(default_factory=list[int])
    floats: list[float] = field(default_factory=list[float])
    integers: list[int] = field(default_factory=list[int])
    bytes: tuple[int, int] = (0, 0)
    text: tuple[int, int] | None = None

    def numbers(self, what: str) -> NDArray[Any]:
        """The values, as `what` takes them."""
        if self.kind == _FLOAT:
            return np.array(self.floats, np.float32)
        if self.kind == _INT32:
            return np.array(self.integers, np.int32)
        raise ValueError(f"{what} is neither of floats nor of 32-bit integers")


class Caffe2(DatabaseReader):
    """Reads pictures with labels from Caffe2's LMDB databases, each entry of which is a list of tensors.

    The list has the picture, a file or bytes with the axes H, W and perhaps C, the label, the additional inputs and
    the box, as far as they are there. Numbers are int32 or float32, as the entries say.
    """

    path = "readers.caffe2"
    keywords = "dataset caffe2 lmdb tensorprotos"
    outputs = (Output("images", "encoded"), Output("labels", "label"))
    former = ("caffe2_reader",)

    image_available: Annotated[bool, Doc("The entries have pictures; there is an output of them."), COMMON] = True
    label_type: Annotated[
        int, Doc("What labels are: 0, a number; 2, a number for each class; 4, there are none."), Range(0, 4), COMMON
    ] = 0  # fmt: skip
    num_labels: Annotated[int, Ignored("labels of each class say how many they are")] = 1
    additional_inputs: Annotated[int, Doc("Further tensors of each entry."), Range(0, _MAX_INPUTS)] = 0
    bbox: Annotated[bool, Doc("The last tensor is a box, four whole numbers.")] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"path": caffe2_database()}
        more = {"path": caffe2_database("more"), "additional_inputs": 2, "bbox": True}
        return [
            Case(arguments=given), Case(arguments={"path": caffe2_database("raw")}),
            Case(arguments={"path": caffe2_database("floats")}), Case(arguments=more),
            Case(arguments={"path": caffe2_database("dense"), "label_type": 2, "num_labels": 5}),
            Case(arguments={"path": caffe2_database("labels"), "image_available": False}),
            Case(arguments={"path": caffe2_database("pictures"), "label_type": 4}),
            Case(arguments={**given, "random_shuffle": True, "initial_fill": 3}),
            Case(arguments={**given, "num_shards": 2, "shard_id": 1, "pad_last_batch": True}),
            *(Case(arguments={**given, "label_type": kind}, refused="label_type", peer=False) for kind in (1, 3)),
            Case(arguments={**given, "label_type": 5}, refused="label_type"),
            *(Case(arguments={"path": caffe2_database(kind)}, refused="") for kind in ("damaged", "misfit", "dense")),
            Case(arguments={**given, "bbox": True}, refused="", peer=False, note="nvidia.dali crashes"),
            Case(arguments={"path": caffe2_database("pictures"), "label_type": 4, "image_available": False},
                 refused="image_available"),
            Case(arguments={"path": "/no/such"}, refused="path"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        images, labels = schema.outputs
        more = values.get("additional_inputs")
        count = min(max(more, 0), _MAX_INPUTS) if isinstance(more, int) else 0
        made = [images] if values.get("image_available") is not False else []
        made += [labels] if values.get("label_type") != _NONE else []
        made += [Output(f"input_{i}") for i in range(count)]
        made += [Output("boxes", "boxes")] if values.get("bbox") is True else []
        return tuple(made) or schema.outputs

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args, archives=True)
        if args["label_type"] not in (_SINGLE, _DENSE, _NONE):
            raise ArgumentError(
                "sparse labels are not read, as nvidia.dali's reader, which has them, fails on every entry.",
                hint="Use 0, 2 or 4; read sparse labels as additional inputs.", argument="label_type",
            )  # fmt: skip
        made = [TensorMeta(T.UINT8, None, "", "encoded")] if args["image_available"] else []
        made += [TensorMeta(None, 1, "", "label")] if args["label_type"] != _NONE else []
        made += [TensorMeta(None, 1, "")] * int(args["additional_inputs"])
        made += [TensorMeta(T.INT32, 1, "", "boxes")] if args["bbox"] else []
        if not made:
            raise ArgumentError(
                "nothing of the entries is available.", hint="Let pictures or labels be available.",
                argument="image_available",
            )  # fmt: skip
        return tuple(made)

    @classmethod
    def batches(cls, data: Records, read: PiecesRead, args: Args) -> tuple[Batch, ...]:
        def parse(slab: memoryview, begin: int, end: int) -> list[Any]:
            return _taken(_tensors(slab, begin, end), args)

        found: list[list[Any] | None] = parsed(data, read, args, parse)
        count = len(cls.output_schemas({name: args[name] for name in _COUNTED}, cls.schema))
        first = next((row for row in found if row is not None), [np.zeros(0, np.int32)] * count)
        nothing: list[Any] = [one[:0] if isinstance(one, np.ndarray) else _NO_PICTURE for one in first]
        nothing[:1] = [_NO_PICTURE] if args["image_available"] else nothing[:1]
        made: list[Batch] = []
        for number in range(count):
            column = [(nothing if row is None else row)[number] for row in found]
            if number == 0 and args["image_available"]:
                made.append(Batch.of(pictures(read, column), "", sources_of(data, read)))
            else:
                _check_types(column)
                made.append(Batch.of(column, dtype=np.dtype(np.int32), ndim=1))
        return tuple(made)


#: What stands for what has failed, and may fail.
_NO_PICTURE = 0, (0,)
#: Arguments that say which outputs there are.
_COUNTED = ("image_available", "label_type", "additional_inputs", "bbox")


def _check_types(column: Sequence[NDArray[Any]]) -> None:
    if len({one.dtype for one in column}) > 1:
        raise ArgumentError(
            "a batch has whole and other numbers in one place.", hint="Give databases of one kind.", argument="path",
            code="DS302",
        )  # fmt: skip


def _tensors(slab: memoryview, begin: int, end: int) -> list[Tensor]:
    listed = (one for one in fields(slab, begin, end) if (one.number, one.wire) == (1, BYTES))
    return [_tensor(slab, one.begin, one.end) for one in listed]


def _tensor(slab: memoryview, begin: int, end: int) -> Tensor:
    made = Tensor()
    for one in fields(slab, begin, end):
        if one.number == _TYPE and one.wire == VARINT:
            made.kind = one.value
        elif one.number == _DIMS and one.wire in (VARINT, BYTES):
            made.dims += integers(slab, one)
        elif one.number == _INTEGERS and one.wire in (VARINT, BYTES):
            made.integers += integers(slab, one)
        elif one.number == _FLOATS:
            made.floats += floats(slab, one)
        elif one.number == _BYTES and one.wire == BYTES:
            made.bytes = one.begin, one.end
        elif one.number == _TEXTS and one.wire == BYTES and made.text is None:
            made.text = one.begin, one.end
    return made


def _taken(tensors: Sequence[Tensor], args: Args) -> list[Any]:
    """What each output has of an entry: the place and shape of the picture, and arrays."""
    rest, made = iter(tensors), list[Any]()
    try:
        if args["image_available"]:
            made.append(_picture(next(rest)))
        if args["label_type"] != _NONE:
            made.append(next(rest).numbers("the label"))
            if args["label_type"] == _SINGLE and len(made[-1]) != 1:
                raise ValueError(f"the label has {len(made[-1])} values, not one")
        made += [next(rest).numbers("an additional input") for _ in range(args["additional_inputs"])]
        if args["bbox"]:
            box = next(rest)
            if box.kind != _INT32 or len(box.integers) != 4:
                raise ValueError("the box is not one of four whole numbers")
            made.append(box.numbers("the box"))
    except StopIteration:
        raise ValueError(f"the entry has {len(tensors)} tensors; more are asked for") from None
    return made


def _picture(tensor: Tensor) -> tuple[int, tuple[int, ...]]:
    if tensor.kind == _STRING and tensor.text is not None:
        return tensor.text[0], (tensor.text[1] - tensor.text[0],)
    begin, end = tensor.bytes
    shape = (*tensor.dims, 1) if len(tensor.dims) == 2 else tuple(tensor.dims[:3])
    if tensor.kind == _BYTE and len(shape) == 3 and min(shape) >= 0 and shape[0] * shape[1] * shape[2] == end - begin:
        return begin, shape
    raise ValueError("the picture is neither a file nor bytes of its shape")
