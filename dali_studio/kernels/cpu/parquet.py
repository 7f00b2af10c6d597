"""Columns of Parquet files, read by pyarrow: which rows there are, and the rows as arrays."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.optional import require
from dali_studio.core.progress import doing
from dali_studio.kernels.cpu import urls

_ENDING = ".parquet"
_PURPOSE = "Reading Parquet files"
#: Decoded row groups are kept up to so many bytes: neighbouring batches, and shuffling, come back to them.
_KEPT_BYTES = 256 << 20
#: The fields of pictures and sounds, as Hugging Face's data sets have them.
_BYTES, _PATH = "bytes", "path"


class Column(NamedTuple):
    """What a column holds.

    Attributes
    ----------
    name : str
        With dots between the names of nested fields.
    dtype : numpy.dtype
        Of a row's elements; uint8 for texts and bytes.
    ndim : int
        Axes of a row: one for texts and bytes, none for a number, one for each level of lists.
    encoded : bool
        Whether rows are texts or bytes.
    by_path : bool
        Whether a row may name a file in place of its bytes.
    """

    name: str
    dtype: np.dtype[Any]
    ndim: int
    encoded: bool = False
    by_path: bool = False


def expanded(path: str) -> list[str]:
    """The files that are meant: of a folder those below it that end in ``.parquet``, of a pattern those that match.

    Raises
    ------
    OSError
        Where none is, or a folder cannot be listed.
    """
    path = urls.local(path)
    if any(letter in path for letter in "*?["):
        found = urls.matching(path) if urls.is_url(path) else _matching(path)
    elif path.endswith(_ENDING) or Path(path).is_file():
        return [path]
    elif urls.is_url(path):
        below = urls.files_below(path).items()
        found = sorted(urls.joined(path, f"{folder}/{name}".lstrip("/"))
                       for folder, names in below for name in names if name.endswith(_ENDING))  # fmt: skip
    else:
        found = sorted(str(one) for one in Path(path).rglob(f"*{_ENDING}") if one.is_file())
    if not found:
        raise OSError(0, f"there is no file {'of this name' if '*' in path else f'*{_ENDING} below it'}", path)
    return found


def _matching(pattern: str) -> list[str]:
    anchor = Path(pattern).anchor
    return sorted(str(one) for one in Path(anchor).glob(pattern.removeprefix(anchor)) if one.is_file())


class Table:
    """The rows of some Parquet files with the same columns.

    Parameters
    ----------
    paths : sequence of str
        The files.
    columns : sequence of str
        Which columns to read.

    Attributes
    ----------
    columns : list of Column
    groups : list of int
        Rows of each row group, file after file.

    Raises
    ------
    OSError
        For what is no Parquet file.
    ValueError
        For one that lacks a column, or has it of another type than the first file, or of a type that is no array.
    DaliStudioError
        DS601 without pyarrow.
    """

    def __init__(self, paths: Sequence[str], columns: Sequence[str]) -> None:
        self._parquet: Any = require("pyarrow.parquet", purpose=_PURPOSE, install="pyarrow")
        self._error: type[Exception] = require("pyarrow", purpose=_PURPOSE, install="pyarrow").ArrowException
        self._paths = list(paths)
        self.groups: list[int] = []
        self._places: list[tuple[int, int]] = []
        self._footers: list[Any] = []
        types: list[Any] = []
        with doing("reading footers of Parquet files") as stage:
            for number, path in enumerate(paths):
                footer, schema = self._footer(path)
                found = [_type(schema, name, path) for name in columns]
                for name, mine, first in zip(columns, found, types or found, strict=True):
                    if mine != first:
                        raise ValueError(f"{path}: {name} is of the type {mine}, in {paths[0]} it is {first}")
                types = types or found
                self._footers.append(footer)
                self.groups += [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
                self._places += [(number, group) for group in range(footer.num_row_groups)]
                stage.done += 1
        self.columns = [_described(name, found) for name, found in zip(columns, types, strict=True)]
        self._ends = np.cumsum(self.groups, dtype=np.int64)
        self._kept: OrderedDict[int, Future[tuple[list[_Rows], int]]] = OrderedDict()
        self._lock = threading.Lock()

    def _footer(self, path: str) -> tuple[Any, Any]:
        try:
            with urls.open_file(path) as file:
                opened = self._parquet.ParquetFile(file)
                return opened.metadata, opened.schema_arrow
        except (OSError, ValueError, self._error) as error:
            said = error.strerror if isinstance(error, OSError) else None
            raise OSError(0, said or f"it is no Parquet file ({str(error).splitlines()[0]})", path) from error

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def place(self, row: int) -> tuple[str, int]:
        """The file of a row, and its number there."""
        group = int(np.searchsorted(self._ends, row, "right"))
        number = self._places[group][0]
        first = next(at for at, (file, _) in enumerate(self._places) if file == number)
        return self._paths[number], row - int(self._ends[first]) + self.groups[first]

    def samples(self, rows: Sequence[int]) -> list[list[NDArray[Any] | Exception]]:
        """For each column the arrays of these rows, or why there is none."""
        groups: list[int] = np.searchsorted(self._ends, rows, "right").tolist()
        made: list[list[NDArray[Any] | Exception]] = [[] for _ in self.columns]
        for row, group in zip(rows, groups, strict=True):
            try:
                found = self._group(group)
            except (OSError, ValueError) as error:
                for arrays in made:
                    arrays.append(error)
                continue
            within = row - int(self._ends[group]) + self.groups[group]
            for arrays, column in zip(made, found, strict=True):
                try:
                    arrays.append(column.row(within))
                except (OSError, ValueError) as error:
                    arrays.append(error)
        return made

    def _group(self, group: int) -> list[_Rows]:
        """The columns of a row group; threads that need one that is being read wait for it."""
        with self._lock:
            known = self._kept.get(group)
            mine: Future[tuple[list[_Rows], int]] = known or Future()
            self._kept[group] = mine
            self._kept.move_to_end(group)
        if known is None:
            try:
                mine.set_result(self._read(group))
            except BaseException as error:
                with self._lock:
                    self._kept.pop(group, None)
                mine.set_exception(error)
                raise
            self._forget()
        return mine.result()[0]

    def _forget(self) -> None:
        """Drop what was used least recently, if too much is kept."""
        with self._lock:
            sizes = {group: one.result()[1] for group, one in self._kept.items() if one.done() and not one.exception()}
            total = sum(sizes.values())
            for group, size in list(sizes.items())[:-1]:
                if total <= _KEPT_BYTES:
                    return
                del self._kept[group]
                total -= size

    def _read(self, group: int) -> tuple[list[_Rows], int]:
        number, within = self._places[group]
        path = self._paths[number]
        leaves = [f"{one.name}.{field}" if field else one.name for one in self.columns
                  for field in ((_BYTES, _PATH) if one.by_path else ("",))]  # fmt: skip
        try:
            with urls.open_file(path) as file:
                opened = self._parquet.ParquetFile(file, metadata=self._footers[number], pre_buffer=urls.is_url(path))
                table = opened.read_row_group(within, columns=leaves, use_threads=False)
        except (OSError, ValueError, self._error) as error:
            if isinstance(error, OSError) and error.strerror:
                raise
            raise ValueError(f"it is damaged ({str(error).splitlines()[0].rstrip('.')})") from error
        folder = urls.parent(path)
        return [_Rows(_nested(table, one.name), one, folder) for one in self.columns], table.nbytes


# --------------------------------------------------------------------------------------------------------------- types


def _type(schema: Any, name: str, path: str) -> Any:
    """The type of a column, or of a nested field."""
    names = [name] if name in schema.names else name.split(".")
    if names[0] not in schema.names:
        raise ValueError(f"{path} has no column {name!r}, but {', '.join(schema.names)}")
    found = schema.field(names[0]).type
    for inner in names[1:]:
        fields = [found.field(at).name for at in range(found.num_fields)] if _is(found, "struct") else []
        if inner not in fields:
            raise ValueError(f"{path} has no column {name!r}; fields beside it: {', '.join(fields) or 'none'}")
        found = found.field(fields.index(inner)).type
    return found


def _is(kind: Any, *names: str) -> bool:
    types: Any = require("pyarrow.types", purpose=_PURPOSE, install="pyarrow")
    return any(getattr(types, f"is_{name}")(kind) for name in names)


_TEXTS = ("binary", "large_binary", "string", "large_string", "fixed_size_binary")
_LISTS = ("list", "large_list", "fixed_size_list")
#: Element types that Arrow calls otherwise than numpy (its own function for that needed pandas until version 19).
_REAL = {"halffloat": "float16", "float": "float32", "double": "float64"}


def _described(name: str, kind: Any) -> Column:
    found, ndim = kind, 0
    if _is(found, "struct"):
        fields = {found.field(at).name: found.field(at).type for at in range(found.num_fields)}
        if _BYTES in fields and _PATH in fields and _is(fields[_BYTES], *_TEXTS) and _is(fields[_PATH], *_TEXTS):
            return Column(name, np.dtype(np.uint8), 1, encoded=True, by_path=True)
    while _is(found, *_LISTS):
        found, ndim = found.value_type, ndim + 1
    if _is(found, "dictionary") and not ndim:
        found = found.value_type
    if _is(found, *_TEXTS) and not ndim:
        return Column(name, np.dtype(np.uint8), 1, encoded=True)
    if _is(found, "boolean", "integer", "floating"):
        return Column(name, np.dtype(_REAL.get(str(found), str(found))), ndim)
    fields = [f"{name}.{found.field(at).name}" for at in range(found.num_fields)] if _is(found, "struct") else []
    instead = f"; its fields can be read: {', '.join(fields)}" if fields and not ndim else ""
    raise ValueError(
        f"{name} is of the type {kind}; numbers, lists of numbers, texts, bytes, and pictures as Hugging Face has them "
        f"are read{instead}"
    )


def _nested(table: Any, name: str) -> list[Any]:
    """The pieces of a column, or of a nested field."""
    names = [name] if name in table.column_names else name.split(".")
    pieces: list[Any] = list(table.column(names[0]).chunks)
    for inner in names[1:]:
        pieces = [one.flatten()[[one.type.field(at).name for at in range(one.type.num_fields)].index(inner)]
                  for one in pieces]  # fmt: skip
    return pieces


# -------------------------------------------------------------------------------------------------------------- values


class _Rows:
    """A column of a row group.

    Parameters
    ----------
    pieces : list
        Arrays of pyarrow.
    column : Column
    folder : str
        That files lie in which rows name.
    """

    def __init__(self, pieces: list[Any], column: Column, folder: str) -> None:
        kind = _Pictures if column.by_path else _Texts if column.encoded else _Lists
        self._pieces: list[Any] = [kind(one, folder) for one in pieces if len(one)]
        self._ends = np.cumsum([len(one) for one in pieces if len(one)]).tolist()

    def row(self, number: int) -> NDArray[Any]:
        """A row; raises `ValueError` where it has no value, `OSError` where it is in a file that cannot be read."""
        piece = bisect_right(self._ends, number)
        found = self._pieces[piece].row(number - (self._ends[piece - 1] if piece else 0))
        if found is None:
            raise ValueError("it has no value")
        return found


def _plain(array: Any) -> Any:
    return array.dictionary_decode() if _is(array.type, "dictionary") else array


def _nulls(array: Any) -> NDArray[np.bool_] | None:
    """Where there is no value."""
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None


class _Texts:
    """Texts or bytes."""

    def __init__(self, array: Any, folder: str = "") -> None:
        array = _plain(array)
        self._nulls = _nulls(array)
        buffers, offset, count = array.buffers(), array.offset, len(array)
        if _is(array.type, "fixed_size_binary"):
            self._offsets = np.arange(offset, offset + count + 1, dtype=np.int64) * array.type.byte_width
        else:
            wide = np.dtype(np.int64 if _is(array.type, "large_binary", "large_string") else np.int32)
            self._offsets = np.frombuffer(buffers[1], wide, count + 1, offset * wide.itemsize)
        self._data = np.frombuffer(buffers[-1] or b"", np.uint8)

    def row(self, number: int) -> NDArray[np.uint8] | None:
        if self._nulls is not None and self._nulls[number]:
            return None
        return self._data[int(self._offsets[number]) : int(self._offsets[number + 1])]


class _Pictures:
    """Files: their bytes, or their paths."""

    def __init__(self, array: Any, folder: str) -> None:
        names = [array.type.field(at).name for at in range(array.type.num_fields)]
        fields = array.flatten()
        self._bytes, self._paths = (_Texts(fields[names.index(name)]) for name in (_BYTES, _PATH))
        self._folder = folder

    def row(self, number: int) -> NDArray[np.uint8] | None:
        found, path = self._bytes.row(number), self._paths.row(number)
        if found is not None or path is None:
            return found
        return np.frombuffer(urls.read(urls.joined(self._folder, path.tobytes().decode())), np.uint8)


class _Lists:
    """Numbers, or lists of lists of numbers."""

    def __init__(self, array: Any, folder: str = "") -> None:
        array = _plain(array)
        #: At each level, where the lists begin and end in the level below.
        self._levels: list[NDArray[np.int64]] = []
        self._nulls = [_nulls(array)]
        while _is(array.type, *_LISTS):
            if _is(array.type, "fixed_size_list"):
                size, offset = array.type.list_size, array.offset
                self._levels.append(np.arange(offset, offset + len(array) + 1, dtype=np.int64) * size)
            else:
                self._levels.append(array.offsets.to_numpy())
            array = array.values
            self._nulls.append(_nulls(array))
        filled = array.fill_null(False if _is(array.type, "boolean") else 0) if array.null_count else array
        self._values: NDArray[Any] = filled.to_numpy(zero_copy_only=False)

    def row(self, number: int) -> NDArray[Any] | None:
        begin, end, shape = number, number + 1, list[int]()
        for level, nulls in enumerate(self._nulls):
            if nulls is not None and nulls[begin:end].any():
                return None
            if level < len(self._levels):
                bounds = self._levels[level][begin : end + 1]
                lengths = np.diff(bounds)
                if len(lengths) and (lengths != lengths[0]).any():
                    raise ValueError(f"its lists have {lengths.min()} to {lengths.max()} elements, not equally many")
                shape.append(int(lengths[0]) if len(lengths) else 0)
                begin, end = (int(bounds[0]), int(bounds[-1])) if len(lengths) else (0, 0)
        return self._values[begin:end].reshape(shape)
