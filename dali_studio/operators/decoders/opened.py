"""Files in memory that are opened before they are decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.schema.arguments import Args

FileT = TypeVar("FileT")
ErrorT = TypeVar("ErrorT", bound=ValueError)


def opened(
    args: Args, encoded: Batch, begin: Callable[[NDArray[Any]], FileT], error: type[ErrorT],
    finding: Callable[[ErrorT, int], ArgumentError],
) -> list[FileT | ErrorT]:  # fmt: skip
    """Open the files of a batch, on all threads.

    Parameters
    ----------
    args : Args
        Of the decoder.
    encoded : Batch
        The files in bytes.
    begin : callable
        Opens one.
    error : type
        What `begin` raises for a file that cannot be opened; such a file is its error in the result.
    finding : callable
        What is said of an error, with the sample.

    Raises
    ------
    ArgumentError
        With the sample that cannot be opened, unless `on_error` says to go on.
    """
    files: list[Any] = [None] * len(encoded)
    data, context = encoded.samples, args.context
    for position in np.flatnonzero(np.isin(context.indices, list(context.too_large))).tolist():
        files[position] = error("there is not enough memory for what is in the file")

    def one(position: int) -> None:
        if files[position] is None:
            try:
                files[position] = begin(data[position])
            except error as found:
                files[position] = found

    context.map(one, len(files))
    for position, file in enumerate(files):
        if isinstance(file, error):
            source = encoded.sources[position] if len(encoded.sources) else ""
            found = finding(file, position)
            if not context.accepts(int(context.indices[position]), source, found):
                raise found from file
    return cast("list[FileT | ErrorT]", files)
