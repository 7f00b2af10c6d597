"""Readers of archives and records against nvidia.dali: several files, their order, indices that do not fit."""

from __future__ import annotations

import io
import struct
import tarfile
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peers import check, check_refused, refused

from dali_studio.cli import main
from dali_studio.schema.sample_folders import record_io

pytestmark = pytest.mark.usefixtures("nvidia")

ORDERS = [
    "", "random_shuffle=True, initial_fill=3", "random_shuffle=True", "shuffle_after_epoch=True",
    "shuffle_after_epoch=True, shuffle_after_epoch_seed=7", "shuffle_after_epoch=True, random_shuffle=True, initial_fill=4",
    "shuffle_after_epoch=True, num_shards=2, shard_id=1", "num_shards=3, shard_id=2", "num_shards=2, shard_id=1, stick_to_shard=True",
    "num_shards=2, pad_last_batch=True", "random_shuffle=True, initial_fill=5, num_shards=3, shard_id=1, pad_last_batch=True",
    "dont_use_mmap=True, read_ahead=True, lazy_init=True, prefetch_queue_depth=3",
]  # fmt: skip


def archive(path: Path, files: dict[str, bytes]) -> str:
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return str(path)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Three archives of 5, 3 and 6 samples, which have their numbers in them."""
    root, numbers = tmp_path_factory.mktemp("archives"), iter(range(100))
    return [
        archive(root / f"{place}.tar", {f"s{number}.bin": bytes([number] * (number % 4 + 1)) for number in islice(numbers, count)})
        for place, count in enumerate((5, 3, 6))
    ]


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_samples_in_archives(archives: list[str], order: str) -> None:
    check(f"fn.readers.webdataset(paths=paths, ext='bin', {order})", names={"paths": archives}, iterations=13, batch_size=4)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], str]:
    """Three RecordIO files of 5, 3 and 6 samples, and their index."""
    root, lines, before, number = tmp_path_factory.mktemp("records"), [], 0, 0
    paths = []
    for place, count in enumerate((5, 3, 6)):
        content = b""
        for _ in range(count):
            data = struct.pack("<IfQQ", 0, number, number, 0) + bytes([number] * (number % 5))
            lines.append(f"{number}\t{before + len(content)}\n")
            content += struct.pack("<II", 0xCED7230A, len(data)) + data + bytes(-len(data) % 4)
            number += 1
        before += len(content)
        paths.append(root / f"{place}.rec")
        paths[-1].write_bytes(content)
    (root / "all.idx").write_text("".join(reversed(lines)))
    return [str(path) for path in paths], str(root / "all.idx")


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_records(records: tuple[list[str], str], order: str) -> None:
    names = dict(zip(("paths", "index"), records, strict=True))
    check(f"fn.readers.mxnet(path=paths, index_path=[index], {order})", names=names, iterations=13, batch_size=4)


def test_sources_of_records(records: tuple[list[str], str]) -> None:
    names = dict(zip(("paths", "index"), records, strict=True))
    check("fn.get_property(fn.readers.mxnet(path=paths, index_path=[index])[0], key='source_info')", names=names, batch_size=9)


def test_an_index_that_is_written_here_serves(records: tuple[list[str], str], tmp_path: Path) -> None:
    folder, path = record_io("records.rec").files(), tmp_path / "records.rec"
    path.write_bytes(folder["records.rec"])
    index = str(tmp_path / "records.idx")
    assert main(["rec2idx", str(path), index]) == 0
    assert sorted(Path(index).read_text().split("\n")) == sorted(folder["records.idx"].decode().split("\n"))
    names = {"paths": [str(path)], "index": [index]}
    check("fn.readers.mxnet(path=paths, index_path=index)", names=names, iterations=3, batch_size=3)
    path.write_bytes(folder["records.rec"][:-20])
    assert main(["rec2idx", str(path), index]) != 0
    assert main(["rec2idx", "/no/such.rec", index]) != 0


def test_an_index_may_leave_samples_out(archives: list[str], tmp_path: Path) -> None:
    (tmp_path / "some.idx").write_text("v1.1 2\nbin 512 1\nbin 3584 2\n")
    (tmp_path / "named.idx").write_text("v1.2 1\nbin 512 2 s5.bin none 0 0 s5.none\n")
    names = {"paths": archives[:2], "index": [str(tmp_path / "some.idx"), str(tmp_path / "named.idx")]}
    check("fn.readers.webdataset(paths=paths, index_paths=index, ext='bin')", names=names, iterations=2, batch_size=3)


def test_sources_are_archive_place_and_name(archives: list[str], tmp_path: Path) -> None:
    """Two indices, one of which has no names, and a component that is missing."""
    for version, name in (("v1.1", ""), ("v1.2", " s0.bin")):
        (tmp_path / f"{version}.idx").write_text(f"{version} 1\nbin 512 1{name}\n")
    names = {"paths": archives[:2], "index": [str(tmp_path / "v1.1.idx"), str(tmp_path / "v1.2.idx")]}
    for more in ("", ", index_paths=index"):
        read = f"fn.readers.webdataset(paths=paths, ext=['bin', 'none']{more})"
        check(f"[fn.get_property(x, key='source_info') for x in {read}]", names=names, iterations=3, batch_size=3)


INDICES = ["", "v9 1\nbin 512 1\n", "v1.1\n", "v1.1 0\n", "v1.1 2\nbin 512 1\n", "v1.1 1\nbin 512\n", "v1.1 1\nbin 500 1\n", "v1.1 1\n\n"]


@pytest.mark.parametrize("index", INDICES)
def test_indices_that_are_none_are_refused(archives: list[str], index: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.idx").write_text(index)
    names = {"paths": archives[:1], "index": [str(tmp_path / "wrong.idx")]}
    check_refused("fn.readers.webdataset(paths=paths, index_paths=index, ext='bin')", codes="DS302", names=names)


def test_an_index_of_another_archive_is_noticed(archives: list[str], tmp_path: Path) -> None:
    (tmp_path / "far.idx").write_text("v1.1 1\nbin 512000 1\n")
    names: dict[str, Any] = {"paths": archives[:1], "index": [str(tmp_path / "far.idx")]}
    text = refused("fn.readers.webdataset(paths=paths, index_paths=index, ext='bin')", codes="DS302", names=names)
    assert ":512000: cannot be read: the file ends before it" in text


def test_samples_that_cannot_be_read_are_skipped(archives: list[str], tmp_path: Path) -> None:
    from dali_studio import Pipeline, fn

    (tmp_path / "cut.idx").write_text("v1.1 3\nbin 512 1\nbin 1024000 9\nbin 1536 2\n")
    made = Pipeline(batch_size=3, num_threads=2, device_id=None)
    with made:
        read = fn.readers.webdataset(
            paths=archives[:1], index_paths=[str(tmp_path / "cut.idx")], ext=["bin"], on_error="skip", name="reader"
        )
        made.set_outputs(read)
    (output,) = made.run()
    assert [np.asarray(output.at(i)).tolist() for i in range(len(output))] == [[0], [1, 1]]
    assert [(one.node, one.sample) for one in made.failed_samples()][:1] == [("reader", 1)]


def test_names_with_dots_folders_and_none(tmp_path: Path) -> None:
    files = {"a.b/c.x.bin": b"1", "a.b/c.bin": b"22", "plain": b"333", "d/.hidden.bin": b"4", ".bin": b"5", "e.BIN": b"66", "f": b""}
    names = {"paths": [archive(tmp_path / "odd.tar", files)]}
    for arguments in ("ext=['x.bin', 'bin']", "ext='bin;plain', case_sensitive_extensions=False", "ext=['bin', 'bin']"):
        check(f"fn.readers.webdataset(paths=paths, {arguments})", names=names, iterations=3, batch_size=2)


def test_a_damaged_header_is_not_taken_for_the_end_of_an_archive(archives: list[str], tmp_path: Path) -> None:
    content = bytearray(Path(archives[0]).read_bytes())
    content[2 * 1024 + 5] ^= 1  # in the name of the third member, under a checksum that does not fit any more
    (tmp_path / "damaged.tar").write_bytes(content)
    names = {"paths": [str(tmp_path / "damaged.tar")]}
    check_refused("fn.readers.webdataset(paths=paths, ext='bin')", codes="DS302", names=names)


def test_an_index_with_places_beyond_all_files_is_refused(archives: list[str], tmp_path: Path) -> None:
    (tmp_path / "far.idx").write_text(f"v1.1 1\nbin {2**63} 1\n")
    names: dict[str, Any] = {"paths": archives[:1], "index": [str(tmp_path / "far.idx")]}
    check_refused("fn.readers.webdataset(paths=paths, index_paths=index, ext='bin')", codes="DS302", names=names)


RECORD = struct.pack("<IfQQ", 0, 1.0, 0, 0) + b"abcd"
DAMAGED = {
    "number that is none": (struct.pack("<II", 0xCED7230A, 28) + RECORD, "nan\t0\n"),
    "labels behind the end": (struct.pack("<III", 0xCED7230A, 28, 9) + RECORD[4:], "0\t0\n"),
    "part that is none": (struct.pack("<II", 0xCED7230A, 1 << 29 | 28) + RECORD + struct.pack("<II", 0xCED7230A, 4) + b"efgh", "0\t0\n"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_records_are_refused(tmp_path: Path, kind: str) -> None:
    content, index = DAMAGED[kind]
    (tmp_path / "a.rec").write_bytes(content)
    (tmp_path / "a.idx").write_text(index)
    names = {"path": str(tmp_path / "a.rec"), "index": str(tmp_path / "a.idx")}
    refused("fn.readers.mxnet(path=path, index_path=index)", codes="DS302", names=names, batch_size=1)
