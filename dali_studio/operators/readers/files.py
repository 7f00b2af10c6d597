"""Data sets in which each sample is a file, beside which there may be more (labels, boxes)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.kernels.cpu.file_discovery import Paths
from dali_studio.kernels.cpu.file_read import GROUP, read_files
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.schema.arguments import Args


@dataclass(slots=True)
class FilesRead:
    """The contents of some files.

    Attributes
    ----------
    picked : list of int
        Which files of the data set these are.
    paths : Paths
    data : sequence of ndarray of uint8
    failures : dict
        Why files cannot be read, by their position; their contents are empty.
    """

    picked: list[int]
    paths: Paths
    data: Sequence[NDArray[np.uint8]] = ()
    failures: dict[int, OSError] = field(default_factory=dict[int, OSError])


class Files:
    """Files, which are read by compiled code.

    Parameters
    ----------
    paths : Paths
    root : str
        The folder that sources are relative to.
    here : str
        What stands before the name of a file that lies in it.
    """

    def __init__(self, paths: Paths, root: str, here: str = "") -> None:
        self.paths, self.root, self.here = paths, root, here

    def __len__(self) -> int:
        return len(self.paths)

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> FilesRead:
        """As `DataSet.read`."""
        made = FilesRead(picked, self.paths.take(picked))

        def failed(position: int, error: OSError) -> NDArray[np.uint8]:
            made.failures[position] = error
            return np.empty(0, np.uint8)

        made.data = read_files(made.paths, memory, run, failed, **({"chunk": GROUP} if ahead else {}))
        return made

    def batch(self, read: FilesRead, args: Args) -> Batch:
        """The contents as an output.

        Raises
        ------
        ArgumentError
            DS302 for a file that cannot be read, unless `on_error` says to go on.
        """
        context = args.context
        sources = _Sources(read.paths, self.root, self.here)
        for position, error in read.failures.items():
            index = int(context.indices[position])
            finding = ArgumentError(
                f"{read.paths[position]} cannot be read: {error.strerror}.",
                hint='Restore the file, or take it out of the data set; on_error="skip" leaves such files out.',
                sample=index, code="DS302",
            )  # fmt: skip
            if not context.accepts(index, sources[position], finding):
                raise finding from error
        return Batch.of(read.data, "", sources, dtype=np.dtype(np.uint8), ndim=1)


class _Sources(Sequence[str]):
    """Paths relative to the folder they were found in, made when somebody asks."""

    def __init__(self, paths: Paths, root: str, here: str) -> None:
        self._paths, self._root, self._here = paths, root, here

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice[Any, Any, Any]) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice[Any, Any, Any]) -> str | Sequence[str]:
        if isinstance(index, slice):
            return _Sources(self._paths[index], self._root, self._here)
        path = self._paths[index]
        if not self._root or not path.startswith(self._root):
            return path
        name = os.path.relpath(path, self._root)
        return name if os.sep in name else self._here + name
