"""``fn.readers.numpy`` against nvidia.dali: windows at all places, versions of the format, odd headers."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy
from peers import OURS, check, check_refused, refused, run

from dali_studio.operators.readers.pieces import map_file

pytestmark = pytest.mark.usefixtures("nvidia")


def saved(array: Any, version: tuple[int, int] = (1, 0)) -> bytes:
    stream = io.BytesIO()
    npy.write_array(stream, np.asarray(array), version=version)
    return stream.getvalue()


@pytest.fixture
def volumes(tmp_path: Path) -> str:
    for number in range(6):
        array = np.random.default_rng(number).integers(0, 99, (5 + number, 9, 7 - number), np.int16)
        (tmp_path / f"{number}.npy").write_bytes(saved(np.asfortranarray(array) if number % 2 else array))
    return str(tmp_path)


WINDOWS = [
    "roi_start=[1, 2, 0], roi_shape=[2, 3, 1]", "rel_roi_start=[0.1, 0.33, 0], rel_roi_end=[0.77, 0.5, 1]",
    "roi_end=[3], roi_axes=[0]", "roi_axes=[2, 0], roi_start=[0, 1], rel_roi_shape=[0.5, 0.6]", "roi_axes=[1], roi_shape=[4]",
    "roi_start=[-1, 2, -3], roi_end=[20, 5, 9], out_of_bounds_policy='pad', fill_value=-7",
    "roi_start=[-1, 20, -3], roi_end=[20, 25, 0], out_of_bounds_policy='pad', fill_value=1e9",
    "roi_start=[-1, 20, -3], roi_end=[20, 25, 9], out_of_bounds_policy='trim_to_shape'", "roi_start=[2, 2, 0], roi_end=[2, 2, 1]",
]  # fmt: skip


@pytest.mark.parametrize("files", ["file_root=root", "file_root=root, files=listed", "files=paths", "file_list=list", "file_root=root, file_list=list"])
def test_sources(volumes: str, files: str) -> None:
    """Some lie in a folder of the folder."""
    (Path(volumes) / "part").mkdir()
    (Path(volumes) / "5.npy").rename(Path(volumes) / "part" / "5.npy")
    listed = ["0.npy", "part/5.npy", "3.npy"]
    (Path(volumes) / "list.txt").write_text("\n".join(listed))
    names = {"root": volumes, "listed": listed, "list": f"{volumes}/list.txt", "paths": [f"{volumes}/{name}" for name in listed]}
    check(f"fn.get_property(fn.readers.numpy({files}), key='source_info')", names=names, batch_size=6)


@pytest.mark.parametrize("window", WINDOWS)
def test_windows_of_both_orders(volumes: str, window: str) -> None:
    check(f"fn.readers.numpy(file_root=root, {window})", names={"root": volumes}, iterations=2, batch_size=4)


@pytest.mark.parametrize("window", ["roi_start=[1, 2, 0], roi_end=[2, 99, 1]", "roi_start=[1, 2]", "roi_shape=[-1, 2, 3]"])
def test_windows_that_are_none(volumes: str, window: str) -> None:
    check_refused(f"fn.readers.numpy(file_root=root, {window})", codes="DS105", names={"root": volumes})


@pytest.mark.parametrize("mapped", [True, False])
def test_windows_of_files_that_are_mapped_or_read(volumes: str, mapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    mappings: list[str] = []

    def note(path: str) -> Any:
        mappings.append(Path(path).name)
        return map_file(path)

    monkeypatch.setattr("dali_studio.operators.readers.numpy.map_file", note)
    check(
        f"fn.readers.numpy(file_root=root, {WINDOWS[0]}, dont_use_mmap={not mapped})", names={"root": volumes}, batch_size=6
    )  # fmt: skip
    assert set(mappings) == ({f"{number}.npy" for number in range(6)} if mapped else set())


def test_windows_of_files_that_cannot_be_mapped_or_are_cut_off(volumes: str) -> None:
    Path(volumes, "1.npy").write_bytes(b"")  # an empty file has no mapping
    whole = Path(volumes, "4.npy").read_bytes()
    Path(volumes, "4.npy").write_bytes(whole[:-1])
    expression = "fn.readers.numpy(file_root=root, roi_shape=[2, 2, 2], on_error='placeholder')"
    ((output,),) = run(OURS, expression, names={"root": volumes}, batch_size=6)
    assert [one.shape for one in output.samples] == [(0,) * 3 if number in (1, 4) else (2,) * 3 for number in range(6)]


@pytest.mark.parametrize("kind", ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"])
def test_types(tmp_path: Path, kind: str) -> None:
    (tmp_path / "0.npy").write_bytes(saved(np.arange(24).reshape(2, 3, 4).astype(kind)))
    check("fn.readers.numpy(file_root=root)", names={"root": str(tmp_path)})


@pytest.mark.parametrize("version", [(2, 0), (3, 0)])
def test_later_versions_of_the_format_which_nvidia_dali_lacks(tmp_path: Path, version: tuple[int, int]) -> None:
    array = np.arange(24).reshape(2, 3, 4)
    (tmp_path / "0.npy").write_bytes(saved(array, version))
    ((output,),) = run(OURS, "fn.readers.numpy(file_root=root)", names={"root": str(tmp_path)}, batch_size=1)
    assert np.array_equal(output.samples[0], array)


DAMAGED = {
    "empty": b"", "no numpy": b"something else that is long enough", "cut header": saved(np.zeros(3))[:40],
    "cut data": saved(np.zeros(300))[:-1], "no dictionary": saved(np.zeros(3)).replace(b"'descr'", b"'other'"),
    "complex": saved(np.zeros(3, complex)), "objects": npy.magic(1, 0) + b"v\x00" + b"{'descr': '|O', 'fortran_order': False, 'shape': (3,)}".ljust(118),
    "negative": saved(np.zeros(3)).replace(b"(3,)", b"(-3,)"), "calls": saved(np.zeros(3)).replace(b"(3,)", b"f()"),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_files_are_refused_with_their_name(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file.npy").write_bytes(DAMAGED[kind])
    assert "file.npy" in refused("fn.readers.numpy(file_root=root)", codes="DS301", names={"root": str(tmp_path)})


def test_damaged_files_are_skipped_or_empty(tmp_path: Path) -> None:
    from dali_studio import Pipeline, fn

    for number in range(4):
        (tmp_path / f"{number}.npy").write_bytes(saved(np.full((2, 2), number)) if number != 1 else b"no array")
    for action, expected in (("skip", [4, 4, 4]), ("placeholder", [4, 0, 4, 4])):
        made = Pipeline(batch_size=4, num_threads=2, device_id=None)
        with made:
            made.set_outputs(fn.readers.numpy(file_root=str(tmp_path), on_error=action))
        (output,) = made.run()
        assert [np.asarray(output.at(i)).size for i in range(len(output))] == expected


@pytest.mark.parametrize("place", ["reader", "decoder"])
def test_a_header_that_is_no_python(tmp_path: Path, place: str) -> None:
    """An open bracket lets Python's own tokenizer fail, by an error of its own kind."""
    content = saved(np.arange(6.0)).replace(b"(6,), }", b"(6,, } ")
    (tmp_path / "0.npy").write_bytes(content)
    program = "fn.readers.numpy(file_root=root)" if place == "reader" else "fn.decoders.numpy(x)"
    refused(program, {} if place == "reader" else {"x": [np.frombuffer(content, np.uint8)]}, names={"root": str(tmp_path)}, codes="DS301 DS302")


def test_arrays_behind_headers_of_odd_lengths(tmp_path: Path) -> None:
    text = b"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }   \n"
    content = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + np.arange(6, dtype=np.float32).tobytes()
    assert (10 + len(text)) % 4
    (outputs,) = run(OURS, "fn.decoders.numpy(x, dtype=types.INT16)", {"x": [np.frombuffer(content, np.uint8)]})
    assert outputs[0].samples[0].tolist() == list(range(6))
