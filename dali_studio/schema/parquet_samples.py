"""Parquet files to try readers with, written by pyarrow when they are asked for."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.optional import require
from dali_studio.schema.samples import Folder, encoded, picture

_PURPOSE = "Writing samples of Parquet files"
#: Rows of the files a and b, and of a row group.
_ROWS, _GROUP = (5, 4), 3


def parquet_files(entry: str = "") -> Folder:
    """A folder of two Parquet files: pictures as Hugging Face has them, numbers, texts, and what cannot be read."""
    return Folder(_files, "parquet", entry)


def _files() -> dict[str, bytes]:
    count, (first, _) = sum(_ROWS), _ROWS
    return {
        "a.parquet": _parquet(range(first)), "b.parquet": _parquet(range(first, count)),
        "text.txt": b"no Parquet file", "1.png": _image(1).tobytes(), "other/c.arrow": _other(),
    }  # fmt: skip


def _image(row: int) -> NDArray[np.uint8]:
    return encoded(picture(20 + row, 31), "PNG", row)


def sample_row(row: int, name: str) -> NDArray[Any]:
    """What a column has in a row."""
    numbers: dict[str, Any] = {
        "label": np.int64(row - 3), "number": np.int32(row), "flag": np.bool_(row % 2), "score": np.float32(row / 3),
        "half": np.float16(row + 0.5), "meta.width": np.uint16(100 + row), "box": np.arange(4, dtype=np.float64) * row,
        "ids": np.arange(row % 4, dtype=np.int64), "grid": np.arange(6, dtype=np.uint8).reshape(2, 3) + np.uint8(row),
    }  # fmt: skip
    texts = {"text": "é" * row, "kind": ("oak", "pine")[row % 2], "code": f"{row:04}"}
    if name in numbers:
        return np.asarray(numbers[name])
    return _image(row) if name == "image" else np.frombuffer(texts[name].encode(), np.uint8)


def _parquet(rows: Sequence[int]) -> bytes:
    pa: Any = require("pyarrow", purpose=_PURPOSE, install="pyarrow")

    def column(name: str, kind: Any) -> Any:
        texts = pa.types.is_string(kind) or pa.types.is_fixed_size_binary(kind)
        values = [sample_row(row, name) for row in rows]
        single = [value.tobytes() if texts else value.tolist() if value.ndim else value[()] for value in values]
        return pa.array(single, kind)

    image = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    by_path = [{"bytes": None, "path": "1.png"} if row == 1 else {"bytes": _image(row).tobytes(), "path": None}
               for row in rows]  # fmt: skip
    columns = {
        "image": pa.array(by_path, image), "label": column("label", pa.int64()), "number": column("number", pa.int32()),
        "flag": column("flag", pa.bool_()), "score": column("score", pa.float32()),
        "half": column("half", pa.float16()), "text": column("text", pa.string()),
        "kind": column("kind", pa.string()).dictionary_encode(), "code": column("code", pa.binary(4)),
        "box": column("box", pa.list_(pa.float64(), 4)), "ids": column("ids", pa.list_(pa.int64())),
        "grid": column("grid", pa.list_(pa.list_(pa.uint8()))),
        "meta": pa.array([{"width": 100 + row, "name": "x"} for row in rows],
                         pa.struct({"width": pa.uint16(), "name": pa.string()})),
        "when": pa.array([row * 10**6 for row in rows], pa.timestamp("us")),
        "ragged": pa.array([[[1], [2, 3]]] * len(rows), pa.list_(pa.list_(pa.int8()))),
        "missing": pa.array([None if row == 2 else row for row in rows], pa.int64()),
    }  # fmt: skip
    return _written(pa.table(columns))


def _other() -> bytes:
    """A file with a column of another type."""
    pa: Any = require("pyarrow", purpose=_PURPOSE, install="pyarrow")
    return _written(pa.table({"number": pa.array(["one"])}))


def _written(table: Any) -> bytes:
    parquet: Any = require("pyarrow.parquet", purpose=_PURPOSE, install="pyarrow")
    file = io.BytesIO()
    parquet.write_table(table, file, row_group_size=_GROUP)
    return file.getvalue()
