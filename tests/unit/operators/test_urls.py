"""Readers of what lies behind URLs: servers of this machine, fsspec's memory, files; what is missing, fails or answers oddly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stores

from dali_studio import fn, tfrecord, types
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cpu import urls
from dali_studio.schema import fits_samples, parquet_samples, record_samples, sample_folders
from dali_studio.schema.samples import Folder

fsspec: Any = pytest.importorskip("fsspec", reason="needs fsspec (the extra remote)")

FILES = {
    "images/a/1.jpg": b"one", "images/a/note.txt": b"no image", "images/b/2.jpg": b"two", "images/b/deeper/3.jpg": b"three",
    "images/b/with space.jpg": b"four", "images/c/deeper/5.jpg": b"five", "list.txt": b"images/a/1.jpg 7\nimages/b/2.jpg 8\n",
}  # fmt: skip
#: Data sets of each reader, and how it is called for a folder.
READERS: dict[str, tuple[Folder, Callable[[str], Any]]] = {
    "coco": (sample_folders.coco_folder(), lambda root: fn.readers.coco(file_root=root, annotations_file=f"{root}/annotations.json")),
    "fits": (fits_samples.fits_files(), lambda root: fn.experimental.readers.fits(file_root=root)),
    "mxnet": (sample_folders.record_io(""), lambda root: fn.readers.mxnet(path=f"{root}/records.rec", index_path=f"{root}/records.idx")),
    "nemo": (sample_folders.manifest(), lambda root: fn.readers.nemo_asr(manifest_filepaths=f"{root}/manifest.json")),
    "numpy": (sample_folders.numpy_files(), lambda root: fn.readers.numpy(file_root=root)),
    "numpy list": (sample_folders.numpy_files(), lambda root: fn.readers.numpy(file_list=f"{root}/list.txt")),
    "parquet": (parquet_samples.parquet_files(), lambda root: fn.readers.parquet(path=f"{root}/*.parquet", columns=["image", "label"])),
    "tfrecord": (record_samples.tf_records(""), lambda root: fn.readers.tfrecord(
        path=f"{root}/records.tfrecord", index_path=f"{root}/records.idx", features={"label": tfrecord.VarLenFeature(tfrecord.int64, 0)})),
    "webdataset": (sample_folders.archive(""), lambda root: fn.readers.webdataset(paths=f"{root}/samples.tar", ext=["jpg;JPG", "cls"])),
    "webdataset index": (sample_folders.archive(""), lambda root: fn.readers.webdataset(
        paths=f"{root}/samples.tar", index_paths=f"{root}/samples.idx", ext=["jpg;JPG", "cls"])),
}  # fmt: skip


def contents(root: str) -> dict[str, bytes]:
    """All files of a root, whose URL takes the place of folders in those that name files."""
    made = dict(FILES)
    for kind, (folder, _) in READERS.items():
        made |= {f"{kind.split()[0]}/{name}": content for name, content in folder.files().items()}
    place = sample_folders._manifest_folder().name
    made["nemo/manifest.json"] = made["nemo/manifest.json"].replace(place.encode(), f"{root}/nemo".encode())
    return made


def write(folder: Path, root: str) -> None:
    for name, content in contents(root).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same files in a folder."""
    folder = tmp_path_factory.mktemp("local")
    write(folder, str(folder))
    return str(folder)


@contextmanager
def over_http(_: Path, handler: type[stores.Handler] = stores.Web) -> Iterator[str]:
    pytest.importorskip("aiohttp", reason="needs aiohttp (the extra remote)")
    with stores.serving(handler, {}) as store:
        store.files.update(contents(store.url))
        yield store.url


@contextmanager
def from_files(folder: Path) -> Iterator[str]:
    write(folder, f"file://{folder}")
    yield f"file://{folder}"


@contextmanager
def in_memory(_: Path) -> Iterator[str]:
    system = fsspec.filesystem("memory")
    for name, content in contents("memory://data").items():
        system.pipe(f"/data/{name}", content)
    yield "memory://data"
    system.rm("/data", recursive=True)


@contextmanager
def in_a_bucket(_: Path) -> Iterator[str]:
    root = f"s3://{stores.BUCKET}"
    with stores.s3(contents(root)):
        yield root


@contextmanager
def on_the_hub(_: Path) -> Iterator[str]:
    root = "hf://datasets/us/photos"
    with stores.hub(contents(root)):
        yield root


ROOTS = {"http": over_http, "whole files": partial(over_http, handler=stores.WholeFiles), "memory": in_memory, "file": from_files, "s3": in_a_bucket, "hf": on_the_hub}


@pytest.fixture(scope="module", params=ROOTS)
def root(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ROOTS[request.param](tmp_path_factory.mktemp("served")) as made:
        yield made


def run(reader: Any, batch_size: int = 2, **arguments: Any) -> list[list[bytes]]:
    """The first batch of a reader."""
    return stores.first_batch(lambda: reader(**arguments), batch_size)


def test_the_folders_of_a_url_are_classes(root: str) -> None:
    files, labels = run(fn.readers.file, 3, file_root=f"{root}/images")
    assert files == [b"one", b"two", b"four"]
    assert [int.from_bytes(label, "little") for label in labels] == [0, 1, 1]


def test_lists_and_paths_with_urls(root: str) -> None:
    files, labels = run(fn.readers.file, file_list=f"{root}/list.txt")
    assert files == [b"one", b"two"] and [int.from_bytes(label, "little") for label in labels] == [7, 8]
    files, _ = run(fn.readers.file, files=["a/1.jpg", f"{root}/list.txt"], file_root=f"{root}/images")
    assert files == [b"one", FILES["list.txt"]]


@pytest.mark.parametrize("kind", READERS)
def test_readers_give_what_they_give_from_a_folder(kind: str, root: str, local: str, request: pytest.FixtureRequest) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow (the extra parquet)")
    _, reader = READERS[kind]
    if kind == "parquet" and "whole files" in request.node.name:
        with pytest.raises(DaliStudioError, match=r"a\.parquet row 0 cannot be read: .* range requests"):
            run(lambda: reader(f"{root}/{kind}"), 5)
        return
    folder = kind.partition(" ")[0]
    remote, near = (run(lambda place=place: reader(f"{place}/{folder}"), 6) for place in (root, local))
    if root.startswith("s3") and kind in ("fits", "numpy"):  # in the order of keys there
        remote, near = list(map(sorted, remote)), list(map(sorted, near))
    assert remote == near and any(near)


def test_paths_that_are_fed_may_be_urls(root: str) -> None:
    name = np.frombuffer(f"{root}/images/a/1.jpg".encode(), np.uint8)
    (read,) = run(lambda: fn.io.file.read(fn.constant(idata=name.tolist(), dtype=types.UINT8)), 1)
    assert read == [b"one"]


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
    assert files == [b"one", b""]


def test_an_index_that_does_not_fit(root: str) -> None:
    fsspec.filesystem("memory").pipe("/far.idx", b"50000000 20\n")
    features = {"a": tfrecord.VarLenFeature(tfrecord.int64, 0)}
    with pytest.raises(DaliStudioError, match=r"(?i)the file ends before it|range (is )?not satisfiable") as caught:
        run(fn.readers.tfrecord, 1, path=f"{root}/tfrecord/records.tfrecord", index_path="memory://far.idx", features=features)
    assert f"{root}/tfrecord/records.tfrecord" in str(caught.value)


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
    stores.forget("s3", "s3fs")
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
