"""Objects in S3 and data sets on Hugging Face's hub: who is let in, what is denied or breaks off, and lists that change."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import stores

from dali_studio import fn
from dali_studio.core.diagnostics import DaliStudioError
from dali_studio.kernels.cpu import urls

fsspec: Any = pytest.importorskip("fsspec", reason="needs fsspec (the extra remote)")

FILES = {
    "images/a/1.jpg": b"one" * 100, "images/b/2 x.jpg": b"two", "images/b/ä.jpg": b"three", "images/b/4.jpg": b"four",
    "images/b/5.jpg": b"five", "images/b/deeper/6.jpg": b"six", "images/c/7.jpg": b"seven", "secret/8.jpg": b"eight",
}  # fmt: skip
BUCKET, OWN = f"s3://{stores.BUCKET}", "hf://datasets/us/own"


@pytest.fixture(scope="module")
def store() -> Iterator[stores.Store]:
    with stores.s3(dict(FILES)) as made:
        yield made


def read(count: int = 1, **arguments: Any) -> list[bytes]:
    """What ``readers.file`` gives first."""
    return stores.first_batch(lambda: fn.readers.file(**arguments), count)[0]


def refused(url: str) -> str:
    """What is said of a file that cannot be read."""
    with pytest.raises(DaliStudioError) as caught:
        read(files=[url])
    (finding,) = caught.value.diagnostics
    assert finding.code == "DS302" and url in finding.message and finding.hint
    return finding.message


def test_a_folder_is_listed_anew_each_time(store: stores.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(6, file_root=f"{BUCKET}/images") == [b"one" * 100, b"two", b"four", b"five", b"three", b"seven"]
    monkeypatch.setitem(store.files, "images/a/0.jpg", b"new")
    monkeypatch.delitem(store.files, "images/c/7.jpg")
    store.asked.clear()
    assert read(6, file_root=f"{BUCKET}/images") == [b"new", b"one" * 100, b"two", b"four", b"five", b"three"]
    assert {line.partition(" ")[0] for line in store.asked} == {"GET"}  # nothing is asked for its size first
    assert urls.matching(f"{BUCKET}/images/*/[0-9].jpg") == [f"{BUCKET}/images/{name}.jpg" for name in ("a/0", "a/1", "b/4", "b/5")]


def test_what_is_not_there_or_denied_is_said(store: stores.Store) -> None:
    assert "there is no such file" in refused(f"{BUCKET}/images/none.jpg")
    assert "there is no such file" in refused("s3://elsewhere/images/1.jpg")
    assert "access is denied (Access Denied)" in refused(f"{BUCKET}/secret/8.jpg")
    with pytest.raises(OSError, match=r"access is denied"):
        urls.size(f"{BUCKET}/secret/8.jpg")


def test_a_connection_that_breaks_off_is_made_again(store: stores.Store) -> None:
    store.broken["images/a/1.jpg"] = 1
    assert read(files=[f"{BUCKET}/images/a/1.jpg"]) == [b"one" * 100] and store.broken["images/a/1.jpg"] == 0


def test_a_connection_that_always_breaks_off_is_an_error(store: stores.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s3fs.S3FileSystem.retries", 2)
    monkeypatch.setitem(store.broken, "images/a/1.jpg", 99)
    assert "ClientPayloadError: Response payload is not completed" in refused(f"{BUCKET}/images/a/1.jpg")
    (left,) = urls.read_parts([f"{BUCKET}/images/a/1.jpg"], [100], [100])
    assert isinstance(left, OSError) and "ClientPayloadError" in left.strerror
    kept = read(2, files=[f"{BUCKET}/images/a/1.jpg", f"{BUCKET}/images/c/7.jpg"], on_error="placeholder")
    assert kept == [b"", b"seven"]


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"AWS_SECRET_ACCESS_KEY": "another"}, r"access is denied \(The signature does not match\)"),
        ({"AWS_ACCESS_KEY_ID": "another"}, r"access is denied \(The key is not known\)"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Unable to locate credentials"),
    ],
)
def test_who_has_no_key_is_told_so(environment: dict[str, str], says: str) -> None:
    with stores.s3(dict(FILES), **environment):
        with pytest.raises(DaliStudioError, match=f"cannot be read: .*{says}"):
            read(files=[f"{BUCKET}/images/a/1.jpg"])
        with pytest.raises(DaliStudioError, match=f"Cannot open the folder .*{says}"):
            read(file_root=f"{BUCKET}/images")


def test_the_configuration_of_fsspec_names_endpoint_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with stores.s3(dict(FILES), AWS_ENDPOINT_URL="http://127.0.0.1:1", AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="") as store:
        options = {"endpoint_url": store.url, "key": stores.KEY, "secret": stores.SECRET, "max_concurrency": 2}
        monkeypatch.setitem(fsspec.config.conf, "s3", options)
        assert read(files=[f"{BUCKET}/images/c/7.jpg"]) == [b"seven"]


def test_a_server_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:  # bound, and listening to nobody
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setattr("s3fs.S3FileSystem.retries", 1)
        with stores.s3(dict(FILES), AWS_ENDPOINT_URL=endpoint, AWS_MAX_ATTEMPTS="1"):
            assert f'Could not connect to the endpoint URL: "{endpoint}/' in refused(f"{BUCKET}/images/c/7.jpg")


def test_own_data_sets_need_the_token() -> None:
    with stores.hub(dict(FILES), token=stores.TOKEN):
        assert read(2, file_root=f"{OWN}/images") == [b"one" * 100, b"two"]
    with stores.hub(dict(FILES)):
        assert "there is no such file (repository not found)" in refused(f"{OWN}/images/c/7.jpg")
        with pytest.raises(DaliStudioError, match=r"Cannot open the folder .*repository not found"):
            read(file_root=f"{OWN}/images")


def test_a_file_of_the_hub_that_breaks_off_is_an_error() -> None:
    with stores.hub(dict(FILES)) as store:
        store.broken["images/a/1.jpg"] = 99
        assert "ProtocolError: " in refused("hf://datasets/us/photos/images/a/1.jpg")


#: What nvidia.dali and this give for each: contents and labels, in a bucket with files of all levels.
CALLS = [
    {"file_root": f"{BUCKET}/r"}, {"file_root": f"{BUCKET}/r/b/"}, {"file_root": f"{BUCKET}/r", "dir_filters": ["b*", "?"]},
    {"file_root": f"{BUCKET}/r", "file_filters": ["*.png"]}, {"file_root": f"{BUCKET}/r", "file_filters": ["[0-2]*"]},
    {"files": [f"{BUCKET}/r/c/deeper/5.jpg", f"{BUCKET}/r/ä/ö.jpg"]},
]  # fmt: skip
KEYS = ("0.jpg", "00.jpg", "B/x.jpg", "a b/10.jpg", "a b/2.jpg", "a/1.jpg", "a/note.txt", "a-b/1.jpg", "b.jpg", "b/2.jpg",
        "b/deeper/3.jpg", "c/deeper/5.jpg", "d/only.txt", "e/7.png", "z.jpg", "ä/ö.jpg")  # fmt: skip
PROGRAM = """
import json, sys
from nvidia.dali import Pipeline, fn
def given(arguments):
    pipe = Pipeline(batch_size=16, num_threads=1, device_id=None)
    with pipe:
        pipe.set_outputs(*fn.readers.file(name="reader", **arguments))
    pipe.build()
    files, labels = pipe.run()
    return [(bytes(files.at(i)).decode(), int(labels.at(i)[0])) for i in range(pipe.epoch_size("reader"))]
"""


@pytest.mark.usefixtures("nvidia")
def test_a_bucket_is_read_as_nvidia_dali_reads_it() -> None:
    """That in a process of its own: it holds Python's lock while it waits for the server, which is in this process."""
    with stores.s3({f"r/{key}": key.encode() for key in KEYS}):
        program = f"{PROGRAM}print(json.dumps([given(arguments) for arguments in json.loads(sys.argv[1])]))"
        done = subprocess.run([sys.executable, "-c", program, json.dumps(CALLS)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        space: dict[str, Any] = {}
        exec(PROGRAM.replace("nvidia.dali", "dali_studio"), space)
        for arguments, expected in zip(CALLS, json.loads(done.stdout), strict=True):
            assert [list(one) for one in space["given"](arguments)] == expected, arguments
