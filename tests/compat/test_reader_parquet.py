"""``readers.parquet``: the order of its rows, which is that of archives, what cannot be read, and where nvidia.dali lacks it."""

from __future__ import annotations

import io
import tarfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import OURS, THEIRS, pipeline, refused, run
from test_reader_archives import ORDERS

from dali_studio.kernels.cpu import parquet

pa: Any = pytest.importorskip("pyarrow", reason="needs pyarrow (the extra parquet)")
pq: Any = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow (the extra parquet)")

GROUPS = (5, 3, 6)
PROGRAM = "fn.readers.parquet(path=folder, columns='number')"


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Row groups of 5, 3 and 6 rows in two files, and archives of as many samples, with their numbers in them."""
    root, left = tmp_path_factory.mktemp("numbers"), iter(range(100))
    tables, archives = [], []
    for place, count in enumerate(GROUPS):
        taken = list(islice(left, count))
        tables.append(pa.table({"number": pa.array(taken, pa.uint8())}))
        archives.append(str(root / f"{place}.tar"))
        with tarfile.open(archives[-1], "w") as tar:
            for number in taken:
                member = tarfile.TarInfo(f"s{number}.bin")
                member.size = 1
                tar.addfile(member, io.BytesIO(bytes([number])))
    with pq.ParquetWriter(root / "0.parquet", tables[0].schema) as writer:
        for table in tables[:2]:
            writer.write_table(table)
    pq.write_table(tables[2], root / "1.parquet")
    return {"folder": str(root), "paths": archives}


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_row_groups_is_that_of_archives(numbers: dict[str, Any], nvidia: Any, order: str) -> None:
    options = {"names": numbers, "iterations": 13, "batch_size": 4}
    ours = run(OURS, f"fn.readers.parquet(path=folder, columns='number', {order})", **options)
    theirs = run(THEIRS, f"fn.readers.webdataset(paths=paths, ext='bin', {order})", **options)
    rows = [[[int(sample) for sample in one.samples] for one in batch] for batch in ours]
    assert rows == [[[int(sample[0]) for sample in one.samples] for one in batch] for batch in theirs]


def test_row_groups_that_are_forgotten_are_read_again(numbers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_KEPT_BYTES", 0)
    table = parquet.Table(parquet.expanded(numbers["folder"]), ["number"])
    (read,) = table.samples([13, 0, 7, 0, 13])
    assert [int(one) for one in read if isinstance(one, np.ndarray)] == [13, 0, 7, 0, 13]
    assert len(table._kept) == 1 and table.place(13) == (str(Path(numbers["folder"]) / "1.parquet"), 5)


def test_rows_without_a_value_may_be_left_out(tmp_path: Path) -> None:
    missing = {"bytes": None, "path": "none.png"}
    rows = [{"bytes": b"one", "path": None}, missing, None, {"bytes": None, "path": str(tmp_path / "three")}]
    (tmp_path / "three").write_bytes(b"three")
    pq.write_table(pa.table({"image": pa.array(rows, pa.struct({"bytes": pa.binary(), "path": pa.string()}))}), tmp_path / "a.parquet")
    program = "fn.readers.parquet(path=path, columns='image'{})"
    names = {"path": str(tmp_path / "a.parquet")}
    said = refused(program.format(""), names=names, batch_size=4)
    assert "a.parquet row 1 cannot be read: image: No such file or directory." in said
    (batch,) = run(OURS, program.format(", on_error='placeholder'"), names=names, batch_size=4, iterations=1)
    assert [sample.tobytes() for sample in batch[0].samples] == [b"one", b"", b"", b"three"]


def test_a_damaged_row_group_is_named(numbers: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "damaged.parquet"
    content = bytearray((Path(numbers["folder"]) / "1.parquet").read_bytes())
    content[4:40] = bytes(36)
    path.write_bytes(content)
    said = refused("fn.readers.parquet(path=path, columns='number')", names={"path": str(path)}, batch_size=2)
    assert "damaged.parquet row 0 cannot be read: number: it is damaged" in said


def test_a_program_for_nvidia_dali_is_told_what_to_do_instead(numbers: dict[str, Any]) -> None:
    from dali_studio.api.default import default_registry
    from dali_studio.codegen.emit import emit

    written = emit(pipeline(OURS, PROGRAM, names=numbers).graph, default_registry(), "nvidia.dali")
    assert ["fn.external_source" in one.hint for one in written.diagnostics] == [True]
