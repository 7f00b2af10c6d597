"""What all readers share: arguments of the order, shards, reading ahead, states."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, ClassVar

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.limits import MAX_AHEAD, MAX_READER_THREADS
from dali_studio.kernels.cpu.reader_order import ReaderOrder
from dali_studio.operators.common import ON_ERROR, sentence
from dali_studio.operators.readers.ahead import AHEAD, ReaderRun
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Operator
from dali_studio.schema.marks import COMMON, Choices, Doc, Ignored, Range
from dali_studio.schema.traits import RandomSource, SpansIterations

_ALL_AT_ONCE = "threads of the reader read batches ahead"


class ReaderArguments:
    """Shuffling and sharding, as all readers have them."""

    random_shuffle: Annotated[
        bool, Doc("Draw from a buffer of initial_fill samples instead of reading in order."), COMMON
    ] = False
    initial_fill: Annotated[int, Doc("Size of the shuffling buffer."), Range(0)] = 1024
    shuffle_after_epoch: Annotated[
        bool, Doc("Shuffle the whole list before every epoch; excludes random_shuffle and stick_to_shard.")
    ] = False
    shuffle_after_epoch_seed: Annotated[
        int | None, Doc("Seed of these shuffles; pipelines that share the data need the same one.")
    ] = None
    num_shards: Annotated[int, Doc("Into how many parts the data set is divided."), Range(1)] = 1
    shard_id: Annotated[int, Doc("Which part is read first."), Range(0)] = 0
    stick_to_shard: Annotated[bool, Doc("Read the same part in every epoch instead of going on to the next.")] = False
    pad_last_batch: Annotated[bool, Doc("Fill the last batch of an epoch by repeating its last sample.")] = False
    seed: Annotated[int | None, Doc("Seed of the shuffling; unset: the pipeline hands one out.")] = None
    on_error: Annotated[
        str,
        Doc(
            'What becomes of files that cannot be read: "raise" an error, "skip" the sample in all outputs of the '
            'pipeline, or a "placeholder", an empty file, which decoders turn into a black picture.'
        ),
        Choices(ON_ERROR),
    ] = "raise"  # fmt: skip
    skip_cached_images: Annotated[bool, Ignored("there is no decoder cache")] = False
    prefetch_queue_depth: Annotated[
        int,
        Doc(
            f"Batches that are read in advance, at least {AHEAD}, by as many threads, of which there are up to "
            f"{MAX_READER_THREADS}. More help where files come from slow disks or over a network. At 1, batches that "
            "take no time are read when they are needed."
        ),
        Range(1, MAX_AHEAD),
    ] = 1
    lazy_init: Annotated[bool, Ignored("files are listed when the pipeline is built")] = False
    read_ahead: Annotated[bool, Ignored(_ALL_AT_ONCE)] = False
    dont_use_mmap: Annotated[bool, Ignored("files are always read, never mapped")] = False
    tensor_init_bytes: Annotated[int, Ignored("files are read at their own size")] = 1048576


_ORDER = (
    "shard_id", "num_shards", "random_shuffle", "initial_fill", "stick_to_shard", "pad_last_batch",
    "shuffle_after_epoch", "shuffle_after_epoch_seed",
)  # fmt: skip


class Reader(ReaderArguments, Operator, abstract=True):
    """Base of operators that read a data set: they say which samples there are, and what the outputs of some are.

    A subclass defines ``data_set``, ``batches`` and ``infer``, which calls `check_order`.

    Attributes
    ----------
    archives : bool
        Samples lie in archives, and the data set has their sizes as ``archives``: ``random_shuffle`` does not permute
        the list beforehand, and ``shuffle_after_epoch`` permutes the archives alone, also together with it.
    """

    category = "readers"
    node_name = "reader"
    traits = (RandomSource, SpansIterations)
    seeded = True
    stateful = True
    role = "reader"
    archives: ClassVar[bool] = False

    @classmethod
    def data_set(cls, args: Args) -> Any:
        """The `DataSet`, in the order before any shuffling; raises `ArgumentError` where there are no samples."""
        raise NotImplementedError

    @classmethod
    def batches(cls, data: Any, read: Any, args: Args) -> tuple[Batch, ...]:
        """The outputs of the samples that ``data.read`` gave."""
        raise NotImplementedError

    @staticmethod
    def in_advance(data: Any) -> int:
        """Batches that are to be read at the same time, at least, as the data set says while it is read."""
        del data
        return 0

    @classmethod
    def open(cls, args: Args) -> ReaderRun[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        data = cls.data_set(args)
        try:
            order = ReaderOrder(
                len(data), seed=args.context.seed, checkpointing=args.context.checkpointing,
                permuted=not cls.archives, archives=data.archives if cls.archives else None,
                **{name: args[name] for name in _ORDER},
            )  # fmt: skip
        except ValueError as error:
            name = str(error).partition(" ")[0]
            hint, argument = "Change the arguments of the order.", name if name in _ORDER else "shard_id"
            raise ArgumentError(sentence(error), hint=hint, argument=argument) from error
        return ReaderRun(data, order, args["prefetch_queue_depth"], partial(cls.in_advance, data))

    @classmethod
    def run(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls, state: ReaderRun[Any], args: Args, *inputs: Batch
    ) -> tuple[Batch, ...]:
        return cls.batches(state.data, state.next(args.context.batch_size, args.context), args)

    @staticmethod
    def seek(state: ReaderRun[Any], args: Args, now: int, wanted: int) -> int:
        return state.seek(args.context.batch_size, now, wanted)

    @staticmethod
    def close(state: ReaderRun[Any]) -> None:
        state.close()

    @staticmethod
    def reader_meta(state: ReaderRun[Any]) -> dict[str, int]:
        return state.order.reader_meta()


def check_order(args: Args, *, archives: bool = False) -> None:
    """Refuse arguments of the order that contradict each other."""
    if args["shard_id"] >= args["num_shards"]:
        raise ArgumentError(
            f"shard_id is {args['shard_id']}, but there are {args['num_shards']} shards.",
            hint=f"Use 0 to {args['num_shards'] - 1}, or raise num_shards.", argument="shard_id",
        )  # fmt: skip
    if args["random_shuffle"] and not args["initial_fill"]:
        raise ArgumentError(
            "The shuffling buffer has no room.", hint="Make initial_fill 1 or more.", argument="initial_fill"
        )
    for other in ("stick_to_shard",) if archives else ("random_shuffle", "stick_to_shard"):
        if args["shuffle_after_epoch"] and args[other]:
            raise ArgumentError(
                f"shuffle_after_epoch and {other} exclude each other.",
                hint="Take one away.",
                argument="shuffle_after_epoch",
            )
