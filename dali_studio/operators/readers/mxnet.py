"""``fn.readers.mxnet``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.record_io import REASONS, parse_records, places_of_index
from dali_studio.operators.common import T, sentence
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.pieces import PiecesRead, Places, Records, Sources, accept_failures
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.sample_folders import record_io
from dali_studio.schema.samples import Case


class MXNet(Reader):
    """Reads images with labels from MXNet's RecordIO files.

    Labels are float32, one or several. The index is that of MXNet's ``im2rec``, a number and a place on each line, or
    what ``dali-studio rec2idx`` writes; of several files it has the places as if they lay one behind the other.
    """

    path = "readers.mxnet"
    icon = "file"
    keywords = "dataset mxnet recordio rec im2rec imagenet"
    former = ("mxnet_reader",)
    outputs = (Output("images", "encoded"), Output("labels", "label"))
    archives = True

    index_path: Annotated[list[str], Doc("The index file."), COMMON]
    path_: Annotated[list[str], Doc("The RecordIO files."), COMMON]

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"path": record_io("records.rec"), "index_path": record_io("records.idx")}
        return [
            Case(arguments=given),
            Case(arguments={**given, "random_shuffle": True, "initial_fill": 3}),
            Case(arguments={**given, "shuffle_after_epoch": True}),
            Case(arguments={**given, "num_shards": 2, "shard_id": 1, "pad_last_batch": True}),
            Case(arguments={**given, "index_path": record_io("damaged.idx")}, refused=""),
            Case(arguments={**given, "index_path": record_io("empty.idx")}, refused="index_path"),
            Case(arguments={**given, "index_path": record_io("far.idx")}, refused="index_path", peer=False),
            Case(arguments={**given, "index_path": "/no/such.idx"}, refused="index_path"),
            Case(arguments={**given, "path": "/no/such.rec"}, refused="path"),
            Case(arguments={**given, "index_path": (record_io("records.idx"),) * 2}, refused="index_path"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args, archives=True)
        if len(args["index_path"]) != 1:
            raise ArgumentError(
                f"{len(args['index_path'])} index files are given; one is read, for all files.", hint="Give one.",
                argument="index_path",
            )  # fmt: skip
        return TensorMeta(T.UINT8, 1, "", "encoded"), TensorMeta(T.FLOAT, 1, "", "label")

    @classmethod
    def data_set(cls, args: Args) -> Records:
        try:
            sizes = [urls.size(path) for path in args["path"]]
        except OSError as error:
            raise ArgumentError(
                f"{error.filename} cannot be read: {error.strerror}.", hint="Give RecordIO files.", argument="path",
                code="DS302",
            ) from error  # fmt: skip
        try:
            places = Places(*places_of_index(args["index_path"][0], np.array(sizes, np.int64)))
        except ValueError as error:
            raise ArgumentError(
                sentence(error), hint="Give the index that belongs to the files; dali-studio rec2idx makes one.",
                argument="index_path", code="DS302",
            ) from error  # fmt: skip
        return Records(args["path"], places)

    @classmethod
    def batches(cls, data: Records, read: PiecesRead, args: Args) -> tuple[Batch, ...]:
        found, labels = parse_records(read.data)
        starts, sizes = found[:, 0], found[:, 1]
        for position in np.flatnonzero(found[:, 2]).tolist():
            read.failures.setdefault(position, OSError(0, REASONS[int(found[position, 2])]))
        sources = Sources(data.paths, read.places)
        failed = accept_failures(read.failures, sources, args)
        if failed:  # one label stands for theirs
            labels = _with_zeros(labels, failed)
            sizes[failed] = 0
        return Batch.of(Packed.of_bytes(read.data.slab, starts, sizes), "", sources), Batch.of(labels)


def _with_zeros(labels: Packed, positions: Sequence[int]) -> Packed:
    """The labels, one that is 0 at these positions."""
    slab = np.append(labels.slab, np.zeros(labels.dtype.itemsize, np.uint8))
    starts, shapes = labels.starts.copy(), labels.shapes.copy()
    starts[positions], shapes[positions] = labels.slab.size, 1
    return Packed(slab, starts, shapes, labels.dtype)
