"""``fn.readers.file``."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.limits import MOST_AHEAD
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS, FileList, Paths, discover_files
from dali_studio.kernels.cpu.file_read import GROUP, read_files
from dali_studio.kernels.cpu.reader_order import ReaderOrder, ReaderState
from dali_studio.operators.common import ON_ERROR, T, sentence
from dali_studio.schema.arguments import Args, RunContext, in_turn
from dali_studio.schema.declare import Operator, Output
from dali_studio.schema.marks import COMMON, Choices, Doc, Ignored, Range, Ui
from dali_studio.schema.samples import Case, class_folders
from dali_studio.schema.traits import RandomSource

_ALL_AT_ONCE = "threads of the reader read batches ahead"
#: Batches that are read at the same time, at least.
_AHEAD = 2


class ReaderArguments:
    """Shuffling and sharding, as all readers have them."""

    random_shuffle: Annotated[
        bool, Doc("Draw from a buffer of initial_fill samples instead of reading in order."), COMMON
    ] = False
    initial_fill: Annotated[int, Doc("Size of the shuffling buffer."), Range(1)] = 1024
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
            f"Batches that are read in advance at the same time, each by a thread; at least {_AHEAD} are. More help "
            "where files come from slow disks or over a network."
        ),
        Range(1, MOST_AHEAD),
    ] = 1
    lazy_init: Annotated[bool, Ignored("files are listed when the pipeline is built")] = False
    read_ahead: Annotated[bool, Ignored(_ALL_AT_ONCE)] = False
    dont_use_mmap: Annotated[bool, Ignored("files are always read, never mapped")] = False
    tensor_init_bytes: Annotated[int, Ignored("files are read at their own size")] = 1048576


@dataclass(slots=True)
class _Files:
    """The files of a batch, or of a part of it."""

    paths: Paths
    labels: NDArray[np.int32]
    data: Sequence[NDArray[np.uint8]] = ()
    failures: dict[int, OSError] = field(default_factory=dict[int, OSError])

    def read(
        self, memory: Callable[[int], NDArray[np.uint8]], run: Callable[[Callable[[int], None], int], None],
        **options: int,
    ) -> _Files:  # fmt: skip
        def failed(position: int, error: OSError) -> NDArray[np.uint8]:
            self.failures[position] = error
            return np.empty(0, np.uint8)

        self.data = read_files(self.paths, memory, run, failed, **options)
        return self


class _Ahead(NamedTuple):
    """A batch that is being read in advance."""

    size: int
    before: ReaderState  # of the order, where the batch begins
    files: Future[_Files]


class _Reader:
    """The state of a run: the order, and the batches that are read in advance.

    Each of them is read by one thread. Reading is copying from the system's cache, mostly: one thread is enough as a
    rule, but where memory is slow or shared with other processes, it is not (docs/benchmarks.md).
    """

    def __init__(self, files: FileList, order: ReaderOrder, root: str, depth: int = 1) -> None:
        self.files, self.order, self.root = files, order, root
        self._depth = max(depth, _AHEAD)
        self._ahead: deque[_Ahead] = deque()
        self._threads: ThreadPoolExecutor | None = None
        #: Of the order, where the last batch begins that was not read in advance.
        self._before: ReaderState | None = None

    def seek(self, batch_size: int, now: int, wanted: int) -> int:
        """As `Operator.seek`."""
        self._take_back()
        if wanted == now - 1 and self._before is not None:  # previews ask for other samples of the same batch
            self.order.set_state(self._before)
            now = wanted
        elif wanted < now:
            self.order.reset()
            now = 0
        self._before = None
        return now if now == wanted else now + self.order.skip(batch_size, wanted - now)

    def _take_back(self) -> None:
        """Go back to where the batches begin that were read in advance."""
        if self._ahead:
            self.order.set_state(self._ahead[0].before)
            self._ahead.clear()

    def next(self, batch_size: int, context: RunContext) -> _Files:
        """The next batch."""
        ahead = context.ahead
        if self._ahead and not (ahead and self._ahead[0].size == batch_size):  # another batch than expected
            self._take_back()
        waiting = self._ahead.popleft() if self._ahead else None
        self._before = None if ahead else self.order.get_state()
        picked = self.order.next_batch(batch_size) if waiting is None else []
        while ahead and len(self._ahead) < self._depth:
            self._ahead.append(self._begin(batch_size, context))
        if waiting is not None:
            return waiting.files.result()
        return self._chosen([picked[int(i)] for i in context.indices]).read(context.memory, context.map)

    def _begin(self, batch_size: int, context: RunContext) -> _Ahead:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._depth, "dali-studio-reader")
        before = self.order.get_state()
        files = self._chosen(self.order.next_batch(batch_size))
        read = self._threads.submit(files.read, context.memory, in_turn, chunk=GROUP)
        return _Ahead(batch_size, before, read)

    def close(self) -> None:
        """End the threads once they have read the batches that they are at."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)

    def _chosen(self, picked: list[int]) -> _Files:
        return _Files(self.files.paths.take(picked), self.files.labels[picked])


class File(ReaderArguments, Operator):
    """Reads files and their labels from a folder of class folders, a list, or explicit paths.

    The classes of `file_root` are its sub-folders in alphabetical order (labels 0, 1, ...); files come in alphabetical
    order within them.
    """

    path = "readers.file"
    category = "readers"
    icon = "file"
    node_name = "reader"
    keywords = "dataset folder imagefolder images loader input"
    outputs = (Output("files", "encoded"), Output("labels", "label"))
    traits = (RandomSource,)
    seeded = True
    stateful = True
    role = "reader"

    file_root: Annotated[str | None, Doc("Folder with one sub-folder per class."), Ui("path"), COMMON] = None
    files: Annotated[list[str] | None, Doc("Explicit paths, relative to file_root if that is given.")] = None
    labels: Annotated[list[int] | None, Doc("Labels of files; 0, 1, 2 ... if unset.")] = None
    file_list: Annotated[str | None, Doc("Text file with a path and a label on each line."), Ui("path")] = None
    file_filters: Annotated[list[str], Doc("Patterns of file names to take from folders.")] = list(DEFAULT_FILE_FILTERS)  # noqa: RUF012
    case_sensitive_filter: Annotated[bool, Doc("The patterns tell upper from lower case.")] = False
    dir_filters: Annotated[list[str] | None, Doc("Patterns of sub-folders to take.")] = None

    @classmethod
    def samples(cls) -> Sequence[Case]:
        root = {"file_root": class_folders()}
        some = {**root, "files": ["class_2/5.jpg", "class_0/10.jpg", "class_1/0.jpg"]}
        return [
            Case(arguments=root),
            Case(arguments={**root, "random_shuffle": True, "initial_fill": 5}),
            Case(arguments={**root, "shuffle_after_epoch": True}),
            Case(arguments={**root, "num_shards": 2, "shard_id": 1, "pad_last_batch": True}),
            Case(arguments={**root, "num_shards": 3, "shard_id": 1, "stick_to_shard": True}),
            Case(arguments={**root, "dir_filters": ["class_[12]"], "file_filters": ["*5.jpg", "*0.JPG"]}),
            Case(arguments={**some, "labels": [7, -1, 3]}),
            Case(arguments=some),
            Case(refused="file_root", note="nothing to read"),
            Case(arguments={**some, "labels": [7]}, refused="labels"),
        ]

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        if not any(args.given(name) for name in ("file_root", "files", "file_list")):
            raise ArgumentError(
                "nothing to read is given.", hint="Give file_root (a folder of class folders), files or file_list.",
                argument="file_root", code="DS103",
            )  # fmt: skip
        _check_lists(args)
        _check_order(args)
        return TensorMeta(T.UINT8, 1, "", "encoded"), TensorMeta(T.INT32, 1, "", "label")

    @staticmethod
    def open(args: Args) -> _Reader:
        try:
            files = discover_files(
                args["file_root"], file_filters=args["file_filters"], dir_filters=args["dir_filters"],
                case_sensitive_filter=args["case_sensitive_filter"], files=args["files"], labels=args["labels"],
                file_list=args["file_list"],
            )  # fmt: skip
        except ValueError as error:
            which = next(name for name in _WANTED if args.given(name))
            raise ArgumentError(sentence(error), hint=_WANTED[which], argument=which, code="DS302") from error
        names = ("shard_id", "num_shards", "random_shuffle", "initial_fill", "stick_to_shard", "pad_last_batch",
                 "shuffle_after_epoch", "shuffle_after_epoch_seed")  # fmt: skip
        try:
            order = ReaderOrder(
                len(files.paths), seed=args.context.seed, checkpointing=args.context.checkpointing,
                **{name: args[name] for name in names},
            )  # fmt: skip
        except ValueError as error:
            raise ArgumentError(
                sentence(error), hint="Change the arguments of the order.", argument="shard_id"
            ) from error
        return _Reader(files, order, _root(args), args["prefetch_queue_depth"])

    @staticmethod
    def seek(state: _Reader, args: Args, now: int, wanted: int) -> int:
        return state.seek(args.context.batch_size, now, wanted)

    @staticmethod
    def close(state: _Reader) -> None:
        state.close()

    @staticmethod
    def run(state: _Reader, args: Args, *inputs: Batch) -> tuple[Batch, ...]:
        context = args.context
        read = state.next(context.batch_size, context)
        sources = _Sources(read.paths, state.root)
        for position, error in read.failures.items():
            index = int(context.indices[position])
            finding = ArgumentError(
                f"{read.paths[position]} cannot be read: {error.strerror}.",
                hint='Restore the file, or take it out of the data set; on_error="skip" leaves such files out.',
                sample=index, code="DS302",
            )  # fmt: skip
            if not context.accepts(index, sources[position], finding):
                raise finding from error
        return (
            Batch.of(read.data, "", sources, dtype=np.dtype(np.uint8), ndim=1), Batch.of_array(read.labels[:, None])
        )  # fmt: skip

    @staticmethod
    def reader_meta(state: _Reader) -> dict[str, int]:
        return state.order.reader_meta()


#: What is said about each source of files when it cannot be read, most specific first.
_WANTED = {
    "file_list": "Give a text file with a path and a label on each line.",
    "files": "Give paths of files that exist.",
    "file_root": "Give a folder that holds images in sub-folders, one per class.",
}


def _check_lists(args: Args) -> None:
    if args.given("files") and args.given("file_list"):
        raise ArgumentError("files and file_list are both given.", hint="Give one of them.", argument="file_list")
    if args.given("labels") and not args.given("files"):
        raise ArgumentError(
            "labels are given without files.", hint="Give files as well, or leave labels out.", argument="labels"
        )
    if args.given("labels") and len(args["labels"]) != len(args["files"]):
        raise ArgumentError(
            f"{len(args['labels'])} labels are given for {len(args['files'])} files.",
            hint="Give one per file.",
            argument="labels",
        )


def _check_order(args: Args) -> None:
    if args["shard_id"] >= args["num_shards"]:
        raise ArgumentError(
            f"shard_id is {args['shard_id']}, but there are {args['num_shards']} shards.",
            hint=f"Use 0 to {args['num_shards'] - 1}, or raise num_shards.", argument="shard_id",
        )  # fmt: skip
    for other in ("random_shuffle", "stick_to_shard"):
        if args["shuffle_after_epoch"] and args[other]:
            raise ArgumentError(
                f"shuffle_after_epoch and {other} exclude each other.",
                hint="Take one away.",
                argument="shuffle_after_epoch",
            )


def _root(args: Args) -> str:
    if args["file_root"] is not None:
        return str(args["file_root"])
    return str(Path(args["file_list"]).parent) if args["file_list"] is not None else ""


class _Sources(Sequence[str]):
    """Paths relative to the folder they were found in, made when somebody asks."""

    def __init__(self, paths: Paths, root: str) -> None:
        self._paths, self._root = paths, root

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> str | Sequence[str]:
        if isinstance(index, slice):
            return _Sources(self._paths[index], self._root)
        path = self._paths[index]
        return os.path.relpath(path, self._root) if self._root and path.startswith(self._root) else path
