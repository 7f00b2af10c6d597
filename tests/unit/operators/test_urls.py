"""Readers of what lies behind URLs: a server of this machine, fsspec's memory, files; what is missing, fails or answers oddly."""

from __future__ import annotations

import io
import struct
import sys
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dali_studio import Pipeline, fn, tfrecord, types
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cpu import urls

fsspec: Any = pytest.importorskip("fsspec", reason="needs fsspec (the extra remote)")

FILES = {
    "images/a/1.jpg": b"one", "images/a/note.txt": b"no image", "images/b/2.jpg": b"two", "images/b/deeper/3.jpg": b"three",
    "images/b/with space.jpg": b"four", "images/c/deeper/5.jpg": b"five", "list.txt": b"images/a/1.jpg 7\nimages/b/2.jpg 8\n",
}  # fmt: skip


def contents() -> dict[str, bytes]:
    """Files of images, arrays, records and archives."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in {"s0.txt": b"first", "s0.cls": b"0", "s1.txt": b"second", "s1.cls": b"1"}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    array = io.BytesIO()
    np.save(array, np.arange(6).reshape(2, 3))
    label = b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06\x1a\x04\x0a\x02\x05\x06"  # a tf.train.Example: a = [5, 6]
    record = struct.pack("<Q", len(label)) + bytes(4) + label + bytes(4)
    return {
        **FILES, "samples.tar": archive.getvalue(), "arrays/x.npy": array.getvalue(), "x.tfrecord": record * 2,
        "x.idx": b"0 %d\n%d %d\n" % (len(record), len(record), len(record)),
    }  # fmt: skip


class Handler(SimpleHTTPRequestHandler):
    """Serves files whole, whatever part is asked for."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("served")
    for name, content in contents().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


@pytest.fixture
def memory() -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for name, content in contents().items():
        system.pipe(f"/data/{name}", content)
    yield "memory://data"
    system.rm("/data", recursive=True)


@pytest.fixture(params=["http", "memory", "file"])
def root(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "file":
        return f"file://{folder}"
    if request.param == "http":
        pytest.importorskip("aiohttp", reason="needs aiohttp (the extra remote)")
        return request.getfixturevalue("server")
    return request.getfixturevalue("memory")


def run(reader: Any, batch_size: int = 2, **arguments: Any) -> list[Any]:
    """The first batch of a reader."""
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None)
    with pipe:
        made = reader(**arguments)
        pipe.set_outputs(*(made.values() if isinstance(made, dict) else made if isinstance(made, list | tuple) else (made,)))
    return [[np.array(sample) for sample in output] for output in pipe.run()]


def words(samples: list[Any]) -> list[bytes]:
    return [sample.tobytes() for sample in samples]


def test_the_folders_of_a_url_are_classes(root: str) -> None:
    files, labels = run(fn.readers.file, 3, file_root=f"{root}/images")
    assert words(files) == [b"one", b"two", b"four"]
    assert [int(label[0]) for label in labels] == [0, 1, 1]


def test_lists_and_paths_with_urls(root: str) -> None:
    files, labels = run(fn.readers.file, file_list=f"{root}/list.txt")
    assert words(files) == [b"one", b"two"] and [int(label[0]) for label in labels] == [7, 8]
    files, _ = run(fn.readers.file, files=["a/1.jpg", f"{root}/list.txt"], file_root=f"{root}/images")
    assert words(files) == [b"one", FILES["list.txt"]]


def test_archives_records_and_arrays_behind_urls(root: str) -> None:
    texts, classes = run(fn.readers.webdataset, paths=f"{root}/samples.tar", ext=["txt", "cls"])
    assert words(texts) == [b"first", b"second"] and words(classes) == [b"0", b"1"]
    features = {"a": tfrecord.FixedLenFeature([2], tfrecord.int64, 0)}
    (numbers,) = run(fn.readers.tfrecord, path=f"{root}/x.tfrecord", index_path=f"{root}/x.idx", features=features)
    assert [one.tolist() for one in numbers] == [[5, 6], [5, 6]]
    (arrays,) = run(fn.readers.numpy, 1, file_root=f"{root}/arrays")
    assert arrays[0].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_paths_that_are_fed_may_be_urls(root: str) -> None:
    name = np.frombuffer(f"{root}/images/a/1.jpg".encode(), np.uint8)
    (read,) = run(lambda: fn.io.file.read(fn.constant(idata=name.tolist(), dtype=types.UINT8)), 1)
    assert words(read) == [b"one"]


def test_files_that_are_missing_are_named(root: str) -> None:
    missing = f"{root}/images/none.jpg"
    with pytest.raises(DaliStudioError) as caught:
        run(fn.readers.file, files=[f"{root}/images/a/1.jpg", missing])
    assert caught.value.diagnostics[0].code == "DS302" and urls.local(missing) in str(caught.value)
    for arguments in ({"file_root": f"{root}/nothing"}, {"file_list": f"{root}/nothing.txt"}):
        with pytest.raises(DaliStudioError, match="nothing") as caught:
            run(fn.readers.file, **arguments)
        assert caught.value.diagnostics[0].code == "DS302"


def test_files_that_are_missing_may_be_left_empty(root: str) -> None:
    files, _ = run(fn.readers.file, files=[f"{root}/images/a/1.jpg", f"{root}/none.jpg"], on_error="placeholder")
    assert words(files) == [b"one", b""]


def test_an_index_that_does_not_fit(root: str) -> None:
    fsspec.filesystem("memory").pipe("/far.idx", b"5000 20\n")
    features = {"a": tfrecord.VarLenFeature(tfrecord.int64, 0)}
    with pytest.raises(DaliStudioError, match="the file ends before it") as caught:
        run(fn.readers.tfrecord, 1, path=f"{root}/x.tfrecord", index_path="memory://far.idx", features=features)
    assert f"{root}/x.tfrecord" in str(caught.value)


class Failing(fsspec.AbstractFileSystem):
    """A server that fails in some way of its own."""

    protocol, cachable = "failing", False

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **_: Any) -> bytes:
        raise TimeoutError if "slow" in path else RuntimeError("the moon is\nin the wrong place.")

    def _open(self, path: str, *_: Any, **__: Any) -> Any:
        self.cat_file(path)

    def info(self, path: str, **_: Any) -> Any:
        self.cat_file(path)

    def ls(self, path: str, detail: bool = True, **_: Any) -> Any:
        self.cat_file(path)


def test_what_a_server_says_is_said() -> None:
    fsspec.register_implementation("failing", Failing, clobber=True)
    reasons = {"failing://slow/x": "the server did not answer in time", "failing://x/x": "RuntimeError: the moon is in the wrong place"}
    for url, reason in reasons.items():
        for ask in (urls.read, urls.open_file, urls.size, urls.files_below):
            with pytest.raises(OSError, match=r"^\[Errno 0\]") as caught:
                ask(url)
            assert caught.value.strerror == reason
        with pytest.raises(DaliStudioError, match="cannot be read: " + reason):
            run(fn.readers.file, 1, files=[url])


@pytest.mark.parametrize(("module", "url"), [("fsspec.core", "s3://x/1.jpg"), ("s3fs", "s3://x/1.jpg")])
def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch, module: str, url: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DaliStudioError) as caught:
        run(fn.readers.file, 1, files=[url])
    (finding,) = caught.value.diagnostics
    assert finding.code == "DS601" and url in finding.message
    assert finding.hint == f"Run: pip install {'s3fs' if module == 's3fs' else 'fsspec'}"


def test_what_is_a_url() -> None:
    assert [urls.is_url(path) for path in ("s3://a", "zip://x::s3://a/b", "/a/b://c", "C://x", "a:b", "file:///a")] == [True, True, False, False, False, False]
    assert urls.joined("s3://a/", "b/c") == "s3://a/b/c" and urls.joined("/x", "s3://a") == "s3://a"
    assert urls.parent("https://a/b/c.txt") == "https://a/b"
