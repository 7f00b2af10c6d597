"""What readers of files share that hold arrays: which files there are, and outputs of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu import urls
from dali_studio.kernels.cpu.file_discovery import Paths, list_files
from dali_studio.kernels.cpu.strided import copy_strided
from dali_studio.operators.common import sentence
from dali_studio.operators.readers.ahead import Run
from dali_studio.operators.readers.files import Files
from dali_studio.schema.arguments import Args

_ALIGNED = 64
#: Bytes that are copied in one call; fewer take less time than the hand-over between threads.
_AT_ONCE = 1 << 18


def check_sources(args: Args) -> None:
    """Refuse a reader that is told nothing to read, or two things."""
    if not any(args.given(name) for name in ("file_root", "files", "file_list")):
        raise ArgumentError(
            "nothing to read: file_root, files and file_list are not set.",
            hint="Give file_root (a folder), files or file_list.",
            argument="file_root", code="DS103",
        )  # fmt: skip
    if args.given("files") and args.given("file_list"):
        raise ArgumentError("files and file_list are both given.", hint="Give one of them.", argument="file_list")


def listed_files(args: Args) -> Files:
    """The files of `files`, `file_list`, or `file_root` and its sub-folders.

    Raises
    ------
    ArgumentError
        DS302 where there are none.
    """
    root, listed = urls.local(args["file_root"] or ""), args["file_list"]
    try:
        if args.given("files"):
            paths = Paths.of(urls.joined(root, name) for name in args["files"])
        elif listed is not None:
            lines = urls.read_text(listed).split("\n")
            root = root or urls.parent(listed)
            paths = Paths.of(urls.joined(root, name) for name in lines if name)
        else:
            paths = list_files(root, args["file_filter"])
    except (OSError, ValueError) as error:
        which = "file_root" if listed is None else "file_list"
        reason = f"{error.filename} cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
        raise ArgumentError(
            sentence(ValueError(reason)), hint="Give what is there.", argument=which, code="DS302"
        ) from error
    if not paths:
        raise ArgumentError(
            "there is no file to read.",
            hint="Give a folder with files that match file_filter, or a list of files.",
            argument="file_list" if listed else "files" if args.given("files") else "file_root", code="DS302",
        )  # fmt: skip
    return Files(paths, root, here="./" if listed is None and not args.given("files") else "")  # as in nvidia.dali


def check_alike(kinds: Sequence[tuple[np.dtype[Any], int]], sources: Sequence[str], args: Args) -> None:
    """Refuse arrays of a batch (element type, number of axes) that are unlike the first."""
    for position, (dtype, ndim) in enumerate(kinds):
        if (dtype, ndim) != kinds[0]:
            raise ArgumentError(
                f"{sources[position]} has {dtype} and {ndim} axes, another file of the batch {kinds[0][0]} and "
                f"{kinds[0][1]}.",
                hint="Read files of one type and number of axes.", code="DS302",
                sample=int(args.context.indices[position]),
            )  # fmt: skip


def packed_arrays(
    extents: NDArray[np.int64], dtype: np.dtype[Any], memory: Callable[[int], NDArray[np.uint8]]
) -> Packed:  # fmt: skip
    """Room for arrays of (N, axes) extents, one after the other."""
    sizes = extents.prod(axis=1, dtype=np.int64) * dtype.itemsize
    room = -(-sizes // _ALIGNED) * _ALIGNED
    return Packed(memory(int(room.sum())), np.cumsum(room) - room, extents, dtype)


def copy_in_parts(
    src: NDArray[np.int64], extents: NDArray[np.int64], steps: NDArray[np.int64], size: int, out: NDArray[np.int64],
    run: Run,
) -> None:  # fmt: skip
    """As `copy_strided`, in parts for the threads where it is much."""
    total = int(extents.prod(axis=1).sum()) * size
    count = max(min(len(src), total // _AT_ONCE), 1)
    if count == 1:
        copy_strided(src, extents, steps, size, out)
        return
    bounds = np.linspace(0, len(src), count + 1).astype(int).tolist()

    def copy(part: int) -> None:
        some = slice(bounds[part], bounds[part + 1])
        copy_strided(src[some], extents[some], steps[some], size, out[some])

    run(copy, count)
