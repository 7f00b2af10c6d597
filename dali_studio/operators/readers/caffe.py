"""``fn.readers.caffe``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.protobuf import BYTES, VARINT, fields, integers
from dali_studio.operators.common import T
from dali_studio.operators.readers.common import check_order
from dali_studio.operators.readers.lmdb import DatabaseReader, parsed, pictures, sources_of
from dali_studio.operators.readers.pieces import PiecesRead, Records
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.record_samples import caffe_database
from dali_studio.schema.samples import Case

#: Numbers of the fields of a Datum.
_CHANNELS, _HEIGHT, _WIDTH, _DATA, _LABEL, _ENCODED = 1, 2, 3, 4, 5, 7


class Datum(NamedTuple):
    """A picture, by its first byte and shape, and its label, if there is one."""

    start: int = 0
    shape: tuple[int, ...] = (0,)
    label: int | None = None


class Caffe(DatabaseReader):
    """Reads pictures with labels from Caffe's LMDB databases, each entry of which is a Datum.

    Pictures are files, or uint8 with the axes H, W, C where they say that they are not encoded.
    """

    path = "readers.caffe"
    keywords = "dataset caffe lmdb datum imagenet"
    outputs = (Output("images", "encoded"), Output("labels", "label"))
    former = ("caffe_reader",)

    image_available: Annotated[bool, Doc("The entries have pictures; there is an output of them."), COMMON] = True
    label_available: Annotated[bool, Doc("The entries have labels; there is an output of them."), COMMON] = True

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"path": caffe_database()}
        return [
            Case(arguments=given),
            *(Case(arguments={"path": caffe_database(kind)}) for kind in ("raw", "partial", "large")),
            Case(arguments={**given, "image_available": False}),
            Case(arguments={**given, "label_available": False}),
            *(Case(arguments={**given, **order}) for order in (
                {"random_shuffle": True, "initial_fill": 3}, {"num_shards": 2, "shard_id": 1, "pad_last_batch": True},
                {"num_shards": 3, "shard_id": 1, "stick_to_shard": True})),
            *(Case(arguments={"path": caffe_database(kind)}, refused="") for kind in ("damaged", "misfit", "mixed")),
            *(Case(arguments={"path": caffe_database(kind)}, refused="path") for kind in ("empty", "text")),
            Case(arguments={"path": "/no/such"}, refused="path"),
            Case(arguments={**given, "image_available": False, "label_available": False}, refused="image_available"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        wanted = (values.get("image_available") is not False, values.get("label_available") is not False)
        return tuple(one for one, there in zip(schema.outputs, wanted, strict=True) if there) or schema.outputs

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args, archives=True)
        made = (TensorMeta(T.UINT8, None, "", "encoded"),) if args["image_available"] else ()
        made += (TensorMeta(T.INT32, 1, "", "label"),) if args["label_available"] else ()
        if not made:
            raise ArgumentError(
                "neither pictures nor labels are available.", hint="Let one of them be available.",
                argument="image_available",
            )  # fmt: skip
        return made

    @classmethod
    def batches(cls, data: Records, read: PiecesRead, args: Args) -> tuple[Batch, ...]:
        found: list[Datum] = [one or Datum() for one in parsed(data, read, args, _datum)]
        made: list[Batch] = []
        if args["image_available"]:
            samples = pictures(read, [(one.start, one.shape) for one in found])
            made.append(Batch.of(samples, "", sources_of(data, read)))
        if args["label_available"]:
            labels = [np.array([] if one.label is None else [one.label], np.int32) for one in found]
            made.append(Batch.of(labels, dtype=np.dtype(np.int32), ndim=1))
        return tuple(made)


def _datum(slab: memoryview, begin: int, end: int) -> Datum:
    """Read a Datum; of a field that comes twice the last counts."""
    size: dict[int, int] = {}
    start = stop = 0
    label, encoded = None, True
    for field in fields(slab, begin, end):
        if field.number == _DATA and field.wire == BYTES:
            start, stop = field.begin, field.end
        elif field.wire == VARINT and field.number in (_CHANNELS, _HEIGHT, _WIDTH, _LABEL):
            size[field.number] = integers(slab, field)[0]
        elif field.wire == VARINT and field.number == _ENCODED:
            encoded = field.value != 0
    label = size.get(_LABEL)
    if encoded or not start:
        return Datum(start, (stop - start,), label)
    shape = tuple(size.get(number, 0) for number in (_HEIGHT, _WIDTH, _CHANNELS))
    if min(shape) < 0 or shape[0] * shape[1] * shape[2] != stop - start:
        raise ValueError(f"the picture has {stop - start} bytes, its shape is {'x'.join(map(str, shape))}")
    return Datum(start, shape, label)
