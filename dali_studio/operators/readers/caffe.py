"""``fn.readers.caffe``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import messages
from dali_studio.operators.common import T
from dali_studio.operators.readers.common import check_order
from dali_studio.operators.readers.lmdb import DatabaseReader, messages_of, pictures, sources_of
from dali_studio.operators.readers.pieces import PiecesRead, Records, accept_failures
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.record_samples import caffe_database
from dali_studio.schema.samples import Case

_PLACE, _SHAPE = slice(messages.BEGIN, messages.END + 1), slice(messages.HEIGHT, messages.CHANNELS + 1)


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
        found = messages.find_data(*messages_of(read))
        for position in np.flatnonzero(found[:, messages.WHOLE] == 0).tolist():
            read.failures.setdefault(position, OSError(0, "the message is damaged"))
        for position in np.flatnonzero(found[:, messages.PICTURE] == messages.MISSHAPEN).tolist():
            size = found[position, messages.END] - found[position, messages.BEGIN]
            shape = "x".join(map(str, found[position, _SHAPE]))
            read.failures.setdefault(position, OSError(0, f"the picture has {size} bytes, its shape is {shape}"))
        sources = sources_of(data, read)
        found[accept_failures(read.failures, sources, args)] = 0
        made: list[Batch] = []
        if args["image_available"]:
            raw = found[:, messages.PICTURE] == messages.RAW
            made.append(Batch.of(pictures(read, found[:, _PLACE], found[:, _SHAPE], raw), "", sources))
        if args["label_available"]:
            made.append(Batch.of(_labels(found)))
        return tuple(made)


def _labels(found: NDArray[np.int64]) -> Packed:
    labels = found[:, messages.LABEL].astype(np.int32)
    starts = np.arange(len(labels), dtype=np.int64) * labels.itemsize
    return Packed(labels.view(np.uint8), starts, found[:, messages.LABELS, None], labels.dtype)
