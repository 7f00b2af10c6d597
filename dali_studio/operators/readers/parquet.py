"""``fn.readers.parquet``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.batch import Batch
from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.limits import MAX_OUTPUTS
from dali_studio.core.meta import TensorMeta
from dali_studio.core.storage import Packed
from dali_studio.kernels.cpu.parquet import Table, expanded
from dali_studio.operators.common import sentence
from dali_studio.operators.readers.ahead import Memory, Run
from dali_studio.operators.readers.arrays import packed_arrays
from dali_studio.operators.readers.common import Reader, check_order
from dali_studio.operators.readers.pieces import accept_failures
from dali_studio.schema.arguments import Args
from dali_studio.schema.declare import Output, absent
from dali_studio.schema.marks import COMMON, Doc
from dali_studio.schema.model import OperatorSchema, OutputSchema, Value
from dali_studio.schema.parquet_samples import parquet_files, sample_row
from dali_studio.schema.samples import Case


@dataclass(slots=True)
class RowsRead:
    """Some rows: for each column the arrays, and what cannot be read by its position."""

    picked: list[int]
    columns: list[Packed]
    failures: dict[int, OSError]


class Rows:
    """The rows of Parquet files; row groups are what archives are for other readers."""

    def __init__(self, table: Table) -> None:
        self.table, self.archives = table, table.groups

    def __len__(self) -> int:
        return len(self.table)

    def read(self, picked: list[int], memory: Memory, run: Run, *, ahead: bool) -> RowsRead:
        """As `DataSet.read`."""
        made = RowsRead(picked, [], {})
        for column, found in zip(self.table.columns, self.table.samples(picked), strict=True):
            for position, one in enumerate(found):
                if isinstance(one, Exception):
                    reason = one.strerror if isinstance(one, OSError) else str(one)
                    made.failures.setdefault(position, OSError(0, f"{column.name}: {reason}"))
            nothing = np.zeros((0,) * column.ndim, column.dtype)
            arrays: list[NDArray[Any]] = [nothing if isinstance(one, Exception) else one for one in found]
            extents = np.array([one.shape for one in arrays], np.int64).reshape(len(arrays), column.ndim)
            packed = packed_arrays(extents, column.dtype, memory)
            for position, array in enumerate(arrays):
                packed[position][...] = array
            made.columns.append(packed)
        return made


class _Sources(Sequence[str]):
    """Files and rows in them, made when somebody asks."""

    def __init__(self, table: Table, picked: list[int]) -> None:
        self._table, self._picked = table, picked

    def __len__(self) -> int:
        return len(self._picked)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        path, row = self._table.place(self._picked[int(index)])
        return f"{path} row {row}"


class Parquet(Reader):
    """Reads columns of Parquet files, in which data sets of Hugging Face come: an output for each column.

    A number gives a tensor without axes, a list of numbers one axis (a list of lists two, and so on; the lists of a row
    must be equally long), a text or bytes a row of uint8, and so does a column of pictures or sounds as Hugging Face
    writes it, a struct of `bytes` and `path`: decoders take these bytes. A file is read by row groups. `random_shuffle`
    is fastest where `initial_fill` is not many times the rows of one; `shuffle_after_epoch` shuffles row groups.
    """

    path = "readers.parquet"
    icon = "file"
    keywords = "dataset parquet hugging face huggingface arrow pyarrow columns table datasets hub"
    outputs = (Output("column"),)
    archives = True
    dialects = (
        absent(
            "nvidia.dali",
            "Write the rows as files or as a WebDataset, or read them by pyarrow in a callback of fn.external_source.",
        ),
    )

    path_: Annotated[
        list[str],
        Doc(
            "The files; of a folder all below it that end in .parquet, of a pattern such as data/train-*.parquet what "
            "matches it. URLs are read by fsspec: hf://datasets/... is a data set of Hugging Face."
        ),
        COMMON,
    ]  # fmt: skip
    columns: Annotated[
        list[str], Doc("The column of each output; dots lead to fields of a struct: meta.width."), COMMON
    ]  # fmt: skip

    @classmethod
    def samples(cls) -> Sequence[Case]:
        given = {"path": parquet_files()}
        columns = {"columns": ("image", "label", "text", "box", "grid", "meta.width", "flag", "score")}
        return [
            Case(arguments={**given, **columns}),
            *(Case(arguments={**given, "columns": one}) for one in ("image", "kind", "ids", "half", "code")),
            Case(arguments={"path": parquet_files("b.parquet"), "columns": "number"}),
            Case(arguments={"path": parquet_files("?.parquet"), "columns": "number"}),
            Case(arguments={**given, "columns": "number", "pad_last_batch": True}),
            Case(arguments={**given, "columns": "nothing"}, refused="columns"),
            Case(arguments={**given, "columns": "meta"}, refused="columns"),
            Case(arguments={**given, "columns": "when"}, refused="columns"),
            Case(arguments={**given, "columns": "meta.none"}, refused="columns"),
            Case(arguments={**given, "columns": "ragged"}, refused=""),
            Case(arguments={**given, "columns": "missing"}, refused=""),
            Case(arguments={"path": parquet_files("text.txt"), "columns": "number"}, refused="path"),
            Case(arguments={"path": parquet_files("*.none"), "columns": "number"}, refused="path"),
            Case(arguments={"path": "/no/such.parquet", "columns": "number"}, refused="path"),
            Case(arguments={"path": (parquet_files("a.parquet"), parquet_files("other/c.arrow")), "columns": "number"},
                 refused="columns"),
            Case(arguments={**given, "columns": ()}, refused="columns"),
        ]  # fmt: skip

    @staticmethod
    def reference(arguments: Mapping[str, Any], *inputs: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        (row,) = inputs
        columns, only_b = arguments["columns"], getattr(arguments["path"], "entry", "") == "b.parquet"
        names = (columns,) if isinstance(columns, str) else columns
        return tuple(sample_row(int(row) + 5 * only_b, name) for name in names)

    @staticmethod
    def output_schemas(values: dict[str, Value], schema: OperatorSchema) -> tuple[OutputSchema, ...]:
        found = values.get("columns")
        names = [name for name in found if isinstance(name, str)] if isinstance(found, tuple | list) else []
        return tuple(Output(name) for name in names[:MAX_OUTPUTS]) or schema.outputs

    @staticmethod
    def infer(args: Args, *inputs: TensorMeta) -> tuple[TensorMeta, ...]:
        check_order(args, archives=True)
        if not args["columns"]:
            raise ArgumentError("no column is given.", hint="Name the columns to read.", argument="columns")
        return tuple(TensorMeta(None, None, "") for _ in args["columns"])

    @classmethod
    def data_set(cls, args: Args) -> Rows:
        try:
            made = Rows(Table([file for path in args["path"] for file in expanded(path)], args["columns"]))
        except OSError as error:
            raise _refused(f"{error.filename} cannot be read: {error.strerror}.", "path") from error
        except ValueError as error:
            raise _refused(sentence(error), "columns") from error
        if not len(made):
            raise _refused("the files have no rows.", "path")
        return made

    @classmethod
    def batches(cls, data: Rows, read: RowsRead, args: Args) -> tuple[Batch, ...]:
        sources = _Sources(data.table, read.picked)
        accept_failures(read.failures, sources, args)
        return tuple(Batch.of(packed, "", sources) for packed in read.columns)


def _refused(message: str, argument: str) -> ArgumentError:
    hint = "Name columns that all of the files have." if argument == "columns" else "Give Parquet files."
    return ArgumentError(message, hint=hint, argument=argument, code="DS302")
