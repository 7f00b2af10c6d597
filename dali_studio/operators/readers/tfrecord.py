"""``fn.readers.tfrecord``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.features import FLOAT32, INT64, STRING, Feature, features_of
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Dense, Packed, Samples
from dali_studio.kernels.cpu import example, urls
from dali_studio.kernels.cpu.file_discovery import not_a_file
from dali_studio.operators.common import T, sentence
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.pieces import (
    DONT_USE_MMAP,
    PiecesRead,
    Places,
    Records,
    Sources,
    accept_failures,
)
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc, Ignored, Refused
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.record_samples import tf_records
from dali_studio.schema.samples import Case

_KINDS = {STRING: example.TEXTS, FLOAT32: example.FLOATS, INT64: example.INTEGERS}
_NUMBERS = {FLOAT32: np.dtype(np.float32), INT64: np.dtype(np.int64)}
_TYPES = {STRING: T.UINT8, FLOAT32: T.FLOAT, INT64: T.INT64}
_BYTES = np.dtype(np.uint8)


class TFRecord(Reader):
    """Reads features of the records, of the type tf.train.Example, in TensorFlow's TFRecord files.

    Gives a dictionary of outputs, by the names of `features`: of texts their bytes, of numbers a tensor. The indices
    have the first byte and the size of each record on a line; ``dali-studio tfrecord2idx`` writes them. What a record
    lacks has the default of the feature; a feature of variable length has no values then. (nvidia.dali gives
    uninitialised memory there.)
    """

    path = "readers.tfrecord"
    icon = "file"
    keywords = "dataset tensorflow tfrecord example protobuf imagenet"
    outputs = (Output("output"),)
    archives = True
    by_name = True
    former = ("tfrecord_reader",)

    path_: Annotated[list[str], Doc("The TFRecord files."), COMMON]
    index_path: Annotated[list[str], Doc("The index of each file."), COMMON]
    features: Annotated[
        dict[str, Feature],
        Doc("What to take of each record, by name: tfrecord.FixedLenFeature or tfrecord.VarLenFeature."), COMMON,
    ]  # fmt: skip
    use_o_direct: Annotated[bool, Ignored("files are read through the system's cache")] = False

    dont_use_mmap: Annotated[bool, DONT_USE_MMAP] = False
    skip_cached_images: Annotated[bool, Refused("nvidia.dali's reader refuses it")] = False

    @classmethod
    def samples(cls) -> Sequence[Case]:
        files = {"path": tf_records("records.tfrecord"), "index_path": tf_records("records.idx")}
        given = {**files, "features": (_IMAGE, "'label': FixedLenFeature([1], int64, -1)")}
        odd = {"path": tf_records("odd.tfrecord"), "index_path": tf_records("odd.idx")}
        return [
            Case(arguments=given),
            *(Case(arguments={**files, "features": (feature,)}) for feature in (
                _IMAGE, "'label': FixedLenFeature([], int64, -1)", "'box': FixedLenFeature([2, 2], float32, 0.0)",
                "'ids': VarLenFeature(int64, 0)", "'ids': VarLenFeature([2], int64, 0)",
                "'text': FixedLenFeature([1], string, '')",
                "'box': VarLenFeature(float32, 0.0)", "'ids': VarLenFeature(float32, 0.0)")),
            Case(arguments={**odd, "features": ("'a': VarLenFeature(int64, 0)",)}),
            *(Case(arguments={**given, **order}) for order in (
                {"random_shuffle": True, "initial_fill": 3}, {"shuffle_after_epoch": True}, {"dont_use_mmap": True},
                {"num_shards": 2, "shard_id": 1, "pad_last_batch": True})),
            *(Case(arguments={**files, "features": (feature,)}, peer=False, note="nvidia.dali leaves memory as it is")
              for feature in ("'none': FixedLenFeature([2], int64, -7)", "'none': VarLenFeature([3], float32, 0.0)",
                              "'none': FixedLenFeature([], string, 'abc')",
                              "'box': FixedLenFeature([3, 2], float32, 9.0)",
                              "'some': FixedLenFeature([], string, 'x')", "'label': FixedLenFeature([], string, 'é')")),
            Case(arguments={**files, "features": ("'ids': FixedLenFeature([1], int64, 0)",)}, refused=""),
            Case(arguments={**files, "features": ("'ids': VarLenFeature([4], int64, 0)",)}, refused=""),
            Case(arguments={**given, "path": tf_records("damaged.tfrecord")}, refused="", note="damaged"),
            Case(arguments={**given, "index_path": tf_records("far.idx")}, refused="", peer=False),
            Case(arguments={**given, "index_path": tf_records("words.idx")}, refused="index_path", peer=False),
            Case(arguments={**given, "index_path": tf_records("empty.idx")}, refused="index_path"),
            Case(arguments={**given, "index_path": "/no/such.idx"}, refused="index_path"),
            Case(arguments={**given, "index_path": (tf_records("records.idx"),) * 2}, refused="index_path"),
            Case(arguments={**given, "path": "/no/such.tfrecord"}, refused="path"),
        ]  # fmt: skip

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        found = features_of(values.get("features"))
        made = [Output(name, "encoded" if feature.dtype == STRING else "any") for name, feature in found.items()]
        return tuple(made) or schema.outputs

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args, archives=True)
        if len(args["path"]) != len(args["index_path"]):
            raise ArgumentError(
                f"{len(args['index_path'])} index files are given for {len(args['path'])} files.",
                hint="Give one for each; dali-studio tfrecord2idx makes them.", argument="index_path",
            )  # fmt: skip
        features: dict[str, Feature] = args["features"]
        return tuple(
            TensorMeta(_TYPES[feature.dtype], _axes(feature), "", "encoded" if feature.dtype == STRING else "any")
            for feature in features.values()
        )

    @classmethod
    def data_set(cls, args: Args) -> Records:
        tables: list[NDArray[np.int64]] = []
        for number, (path, index) in enumerate(zip(args["path"], args["index_path"], strict=True)):
            try:
                places = example.places_of_index(index)
            except ValueError as error:
                raise ArgumentError(
                    sentence(error), hint="Give the index of the file; dali-studio tfrecord2idx makes one.",
                    argument="index_path", code="DS302",
                ) from error  # fmt: skip
            _check_file(path)
            tables.append(np.column_stack([np.full(len(places), number), places]))
        table = np.concatenate(tables) if tables else np.empty((0, 3), np.int64)
        if not len(table):
            raise ArgumentError(
                "the indices list no record.", hint="Give the index of each file; dali-studio tfrecord2idx makes them.",
                argument="index_path", code="DS302",
            )  # fmt: skip
        places = Places(*map(np.ascontiguousarray, table.T))
        return Records(args["path"], places, mapped=not args["dont_use_mmap"])

    @classmethod
    def batches(cls, data: Records, read: PiecesRead, args: Args) -> tuple[Batch, ...]:
        features: dict[str, Feature] = args["features"]
        kinds = [_KINDS[feature.dtype] for feature in features.values()]
        sizes = read.places.sizes.copy()
        sizes[list(read.failures)] = 0  # what cannot be read is found damaged, but has a reason already
        found = example.find_features(read.data.slab, read.data.starts, sizes, list(features), kinds)
        counts = found[:, :, 2]
        for position in np.flatnonzero((counts == example.DAMAGED).any(axis=1)).tolist():
            read.failures.setdefault(position, OSError(0, "the record is damaged, or the index is of another file"))
        for place, (name, feature) in enumerate(features.items()):
            for position in np.flatnonzero(_misfits(feature, counts[:, place])).tolist():
                reason = f"{name} has {counts[position, place]} values, which do not fit {feature!r}"
                read.failures.setdefault(position, OSError(0, reason))
        sources = Sources(data.paths, read.places)
        counts[accept_failures(read.failures, sources, args)] = example.MISSING
        return tuple(
            _batch(read, found[:, place], feature, sources, args) for place, feature in enumerate(features.values())
        )


#: A feature of the files that cases read.
_IMAGE = "'image/encoded': FixedLenFeature([], string, '')"


def _check_file(path: str) -> None:
    try:
        kind = "" if urls.is_url(path) and urls.size(path) else not_a_file(Path(urls.local(path)).stat().st_mode)
        reason = kind and f"it is {kind}, not a file"
    except (OSError, ValueError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
    if reason:
        raise ArgumentError(
            f"{path} cannot be read: {reason}.", hint="Give TFRecord files.", argument="path", code="DS302"
        )


def _axes(feature: Feature) -> int:
    return 1 if feature.dtype == STRING else len(feature.shape) + (not feature.fixed)


def _misfits(feature: Feature, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which numbers of values the feature cannot have."""
    if feature.dtype == STRING:
        return np.zeros(len(counts), np.bool_)
    return counts > feature.size if feature.fixed else (counts > 0) & (counts % feature.size != 0)


def _batch(read: PiecesRead, found: NDArray[np.int64], feature: Feature, sources: Sequence[str], args: Args) -> Batch:
    """A feature of all records."""
    samples = _texts(read, found, feature) if feature.dtype == STRING else _numbers(read, found, feature, args)
    return Batch.of(samples, "", sources, dtype=_NUMBERS.get(feature.dtype, _BYTES), ndim=_axes(feature))


def _texts(read: PiecesRead, found: NDArray[np.int64], feature: Feature) -> Samples:
    there = found[:, 2] > 0
    starts, sizes = np.where(there, found[:, 0], 0), np.where(there, found[:, 1] - found[:, 0], 0)
    made = Packed.of_bytes(read.data.slab, starts, sizes)
    if there.all() or not feature.default:
        return made
    default = np.frombuffer(str(feature.default).encode(), np.uint8)
    return [made[position] if there[position] else default for position in range(len(made))]


def _numbers(read: PiecesRead, found: NDArray[np.int64], feature: Feature, args: Args) -> Samples:
    dtype, slab = _NUMBERS[feature.dtype], read.data.slab
    counts: NDArray[np.int64] = np.maximum(found[:, 2], 0)
    if feature.fixed:
        table: NDArray[Any] = np.full((len(found), *feature.shape), feature.default, dtype)
        memory = table.reshape(-1).view(np.uint8)
        places = np.arange(len(found), dtype=np.int64) * feature.size * dtype.itemsize
        example.copy_numbers(slab, found, memory, places, counts, dtype.itemsize)
        return Dense(table)
    ends = np.cumsum(counts * dtype.itemsize)
    memory = args.context.memory(int(ends[-1]) if len(ends) else 0)
    places = ends - counts * dtype.itemsize
    example.copy_numbers(slab, found, memory, places, counts, dtype.itemsize)
    tails = np.tile(np.array(feature.shape, np.int64), (len(found), 1))
    return Packed(memory, places, np.column_stack([counts // feature.size, tails]), dtype)
