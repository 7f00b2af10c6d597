"""``fn.readers.caffe2``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import messages
from dali_studio.kernels.cpu.messages import TensorColumns
from dali_studio.operators.common import T
from dali_studio.operators.readers.common import check_order
from dali_studio.operators.readers.lmdb import DatabaseReader, messages_of, pictures, sources_of
from dali_studio.operators.readers.pieces import PiecesRead, Records, accept_failures
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc, Ignored, Range
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.record_samples import caffe2_database
from dali_studio.schema.samples import Case

#: Of `label_type`.
_SINGLE, _DENSE, _NONE = 0, 2, 4
_MAX_INPUTS = 200


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
        wanted = _wanted(args)
        found, counts = messages.find_tensors(*messages_of(read), len(wanted))
        for position in np.flatnonzero(counts < 0).tolist():
            read.failures.setdefault(position, OSError(0, "the message is damaged"))
        for place, what in enumerate(wanted):
            _find_misfits(read, found[:, place], counts, place, what, args)
        sources = sources_of(data, read)
        failed = accept_failures(read.failures, sources, args)
        found[failed] = 0
        there = np.ones(len(found), bool)
        there[failed] = False
        made: list[Batch] = []
        for place, what in enumerate(wanted):
            table = found[:, place]
            if what == _IMAGE:
                raw = table[:, _C.PICTURE] == messages.RAW
                made.append(Batch.of(pictures(read, table[:, _PLACE], table[:, _SHAPE], raw), "", sources))
            else:
                made.append(Batch.of(_numbers(read, table, there)))
        return tuple(made)


_C = TensorColumns
_PLACE, _SHAPE = slice(_C.BEGIN, _C.END + 1), slice(_C.HEIGHT, _C.CHANNELS + 1)
#: What tensors are, as messages call them.
_IMAGE, _LABEL, _INPUT, _BOX = "the picture", "the label", "an additional input", "the box"


def _wanted(args: Args) -> list[str]:
    """What the tensors of each entry are, in their order."""
    made = [_IMAGE] if args["image_available"] else []
    made += [_LABEL] if args["label_type"] != _NONE else []
    return made + [_INPUT] * int(args["additional_inputs"]) + ([_BOX] if args["bbox"] else [])


def _find_misfits(
    read: PiecesRead, table: NDArray[np.int64], counts: NDArray[np.int64], place: int, what: str, args: Args
) -> None:  # fmt: skip
    """Say why tensors are not what they should be."""

    def failed(wrong: NDArray[np.bool_], why: Callable[[int], str]) -> None:
        for position in np.flatnonzero(wrong).tolist():
            read.failures.setdefault(position, OSError(0, why(position)))

    failed(counts <= place, lambda position: f"the entry has {counts[position]} tensors; more are asked for")
    if what == _IMAGE:
        wrong = table[:, _C.PICTURE] == messages.NO_PICTURE
        failed(wrong, lambda position: "the picture is neither a file nor bytes of its shape")
        return
    kinds, values = table[:, _C.KIND], _values(table)
    if what == _BOX:
        wrong = (kinds != messages.INTEGERS) | (values != 4)
        failed(wrong, lambda position: "the box is not one of four whole numbers")
        return
    wrong = (kinds != messages.REALS) & (kinds != messages.INTEGERS)
    failed(wrong, lambda position: f"{what} is neither of floats nor of 32-bit integers")
    if what == _LABEL and args["label_type"] == _SINGLE:
        failed(values != 1, lambda position: f"the label has {values[position]} values, not one")


def _values(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many numbers tensors have."""
    return np.where(table[:, _C.KIND] == messages.REALS, table[:, _C.REALS], table[:, _C.INTEGERS])


def _numbers(read: PiecesRead, table: NDArray[np.int64], there: NDArray[np.bool_]) -> Packed:
    """The numbers of a tensor of each entry."""
    kinds = table[there, _C.KIND]
    kind = int(kinds[0]) if len(kinds) else messages.INTEGERS
    if (kinds != kind).any():
        raise ArgumentError(
            "a batch has whole and other numbers in one place.", hint="Give databases of one kind.", argument="path",
            code="DS302",
        )  # fmt: skip
    counts = _values(table)
    made = np.empty(int(counts.sum()), np.int32 if kind == messages.INTEGERS else np.float32)
    starts = (np.cumsum(counts) - counts) * made.itemsize
    messages.copy_tensors(read.data.slab, table, made.view(np.uint8), starts, counts, kind)
    return Packed(made.view(np.uint8), starts, counts[:, None], made.dtype)
