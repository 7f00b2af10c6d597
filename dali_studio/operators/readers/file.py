"""``fn.readers.file``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.file_discovery import DEFAULT_FILE_FILTERS, Paths, discover_files
from dali_studio.operators.common import T, sentence
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.files import Files, FilesRead
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output
from dali_studio.schema.marks import COMMON, Doc, Ui
from dali_studio.schema.sample_folders import class_folders
from dali_studio.schema.samples import Case


class LabelledFiles(Files):
    """Files, each with a label."""

    def __init__(self, paths: Paths, root: str, labels: NDArray[np.int32]) -> None:
        super().__init__(paths, root)
        self.labels = labels


class File(Reader):
    """Reads files and their labels from a folder of class folders, a list, or explicit paths.

    The classes of `file_root` are its sub-folders in alphabetical order (labels 0, 1, ...); files come in alphabetical
    order within them.
    """

    path = "readers.file"
    icon = "file"
    keywords = "dataset folder imagefolder images loader input"
    former = ("file_reader",)
    outputs = (Output("files", "encoded"), Output("labels", "label"))

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
                "nothing to read: file_root, files and file_list are not set.",
                hint="Give file_root (a folder of class folders), files or file_list.",
                argument="file_root", code="DS103",
            )  # fmt: skip
        _check_lists(args)
        check_order(args)
        return TensorMeta(T.UINT8, 1, "", "encoded"), TensorMeta(T.INT32, 1, "", "label")

    @classmethod
    def data_set(cls, args: Args) -> LabelledFiles:
        try:
            found = discover_files(
                args["file_root"], file_filters=args["file_filters"], dir_filters=args["dir_filters"],
                case_sensitive_filter=args["case_sensitive_filter"], files=args["files"], labels=args["labels"],
                file_list=args["file_list"],
            )  # fmt: skip
        except ValueError as error:
            which = next(name for name in _WANTED if args.given(name))
            raise ArgumentError(sentence(error), hint=_WANTED[which], argument=which, code="DS302") from error
        return LabelledFiles(found.paths, _root(args), found.labels)

    @classmethod
    def batches(cls, data: LabelledFiles, read: FilesRead, args: Args) -> tuple[Batch, ...]:
        return data.batch(read, args), Batch.of_array(data.labels[read.picked, None])


#: What is said about each source of files when it cannot be read, most specific first.
_WANTED = {
    "file_list": "Give a text file with a path and a label on each line.",
    "files": "Give paths of files that exist.",
    "file_root": "Give a folder that holds files in sub-folders, one per class, such as root/class/file.",
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


def _root(args: Args) -> str:
    if args["file_root"] is not None:
        return str(args["file_root"])
    return urls.parent(args["file_list"]) if args["file_list"] is not None else ""
