"""Readers of LMDB databases against nvidia.dali: several databases and their order, entries that are skipped."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import check, check_refused
from test_reader_archives import ORDERS

from dali_studio import Pipeline, fn
from dali_studio.kernels.cpu.lmdb import places_of_values
from dali_studio.schema.record_samples import caffe2_database, caffe_database, lmdb_database

pytestmark = pytest.mark.usefixtures("nvidia")


def datum(number: int) -> bytes:
    """A file of as many bytes as its number, which is its label."""
    return b"\x22" + bytes([number]) + bytes([number] * number) + b"\x28" + bytes([number])


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Three databases of 5, 3 and 6 entries."""
    made, number = [], 0
    for count in (5, 3, 6):
        made.append(tmp_path_factory.mktemp("database"))
        content = lmdb_database({b"%03d" % i: datum(i) for i in range(number, number + count)})
        (made[-1] / "data.mdb").write_bytes(content)
        number += count
    return [str(folder) for folder in made]


@pytest.mark.parametrize("order", [order for order in ORDERS if "shuffle_after_epoch" not in order])
def test_the_order_of_entries(folders: list[str], order: str) -> None:
    check(f"fn.readers.caffe(path=folders, {order})", names={"folders": folders}, iterations=13, batch_size=4)


@pytest.mark.parametrize("reader", ["caffe", "caffe2"])
def test_sources_are_databases_and_keys(reader: str, folders: list[str], tmp_path: Path) -> None:
    if reader == "caffe2":
        folders = [write(tmp_path, caffe2_database("plain").files())]
    check(f"[fn.get_property(x, key='source_info') for x in fn.readers.{reader}(path=folders, random_shuffle=True)]",
          names={"folders": folders}, batch_size=6)  # fmt: skip


def write(folder: Path, files: dict[str, bytes]) -> str:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return str(folder)


@pytest.mark.parametrize("reader", ["caffe", "caffe2"])
def test_damaged_entries_are_skipped(reader: str, tmp_path: Path) -> None:
    make: Any = caffe_database if reader == "caffe" else caffe2_database
    path = write(tmp_path, make("damaged").files())
    made = Pipeline(batch_size=7, num_threads=2, device_id=None)
    with made:
        made.set_outputs(*getattr(fn.readers, reader)(path=path, on_error="skip", name="reader"))
    _, labels = made.run()
    whole = Pipeline(batch_size=7, num_threads=2, device_id=None)
    (tmp_path / "whole").mkdir()
    with whole:
        whole.set_outputs(*getattr(fn.readers, reader)(path=write(tmp_path / "whole", make().files())))
    _, expected = whole.run()
    skipped = made.failed_samples()[0].sample
    assert [np.asarray(labels.at(i)).tolist() for i in range(6)] == [
        np.asarray(expected.at(i)).tolist() for i in range(7) if i != skipped
    ]


def test_a_database_of_many_pages_is_read_as_a_whole(tmp_path: Path) -> None:
    entries = {b"%05d" % (i * 7919 % 100_000): bytes(i % 37) * (200 if i % 11 == 0 else 1) for i in range(3000)}
    write(tmp_path, {"data.mdb": lmdb_database(entries)})
    file, places = places_of_values(str(tmp_path))
    content = Path(file).read_bytes()
    assert [content[start : start + size] for start, size, _ in places.tolist()] == [entries[key] for key in sorted(entries)]


def test_a_database_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    content = lmdb_database({b"%05d" % i: bytes(100) for i in range(300)})
    for size in (0, 100, 4096, 8192, 20000, len(content) - 4096):
        write(tmp_path, {"data.mdb": content[:size]})
        with pytest.raises(ValueError, match=r"data\.mdb "):
            places_of_values(str(tmp_path))


@pytest.mark.parametrize(
    ("page", "place", "value"),
    [
        *((page, *damage) for page in (0, 1) for damage in ((10, b"\0\x08"), (16, b"\xdf"), (20, b"\2"))),
        (1, 32, b"\xff" * 7),
    ],
)
def test_a_damaged_description_is_refused(
    page: int, place: int, value: bytes, folders: list[str], tmp_path: Path
) -> None:  # fmt: skip
    """Flags, magic number and version of both pages, and the size of the map on that of the last transaction."""
    path = damaged(folders[0], tmp_path, page * 4096 + place, value)
    check_refused("fn.readers.caffe(path=path)", codes="DS302", names={"path": path})


def test_the_size_of_the_map_before_the_last_transaction_does_not_count(folders: list[str], tmp_path: Path) -> None:
    path = damaged(folders[0], tmp_path, 32, b"\xff" * 7)
    check("fn.readers.caffe(path=path)", names={"path": path})


def damaged(folder: str, target: Path, at: int, value: bytes) -> str:
    content = bytearray(Path(folder, "data.mdb").read_bytes())
    content[at : at + len(value)] = value
    return write(target, {"data.mdb": bytes(content)})


@pytest.mark.parametrize("count", [0, 299, 301, 1 << 40])
def test_a_database_that_says_another_number_of_values_is_refused(count: int, tmp_path: Path) -> None:
    content = bytearray(lmdb_database({b"%05d" % i: bytes(100) for i in range(300)}))
    for page in (0, 1):
        struct.pack_into("<Q", content, page * 4096 + 120, count)
    write(tmp_path, {"data.mdb": bytes(content)})
    with pytest.raises(ValueError, match=f"it says that it has {count:,} values, and has 300"):
        places_of_values(str(tmp_path))
