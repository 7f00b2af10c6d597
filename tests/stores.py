"""Servers that readers of URLs are tested with: of the web, and what of S3 and of Hugging Face's hub lists and reads files."""

from __future__ import annotations

import hashlib
import hmac
import importlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

import numpy as np
import pytest

from dali_studio import Pipeline

BUCKET, KEY, SECRET, TOKEN = "photos", "AKIDEXAMPLE", "the/secret+key", "hf_the_token"
#: Entries that a list has at most, so that longer ones come in several answers.
PAGE = 3


class Store(ThreadingHTTPServer):
    """Files by their names, on this machine.

    Attributes
    ----------
    files : dict
    broken : dict
        How many times the connection breaks in the middle of a file's contents.
    asked : list of str
        Method and path of each request.
    """

    request_queue_size = 64  # connections of a batch, which are made at the same time

    def __init__(self, handler: type[BaseHTTPRequestHandler], files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.files, self.broken, self.asked = files, dict[str, int](), list[str]()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """Clients may leave."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], files: dict[str, bytes]) -> Iterator[Store]:
    """A store that answers in a thread of its own."""
    with Store(handler, files) as store:
        thread = threading.Thread(target=store.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield store
        finally:
            store.shutdown()
            thread.join()


@contextmanager
def s3(files: dict[str, bytes], **environment: str) -> Iterator[Store]:
    """A bucket, and variables of the environment by which clients find it and are let in, unless others are given."""
    s3fs: Any = pytest.importorskip("s3fs", reason="needs s3fs (the extra remote)")
    with serving(S3, files) as store, pytest.MonkeyPatch.context() as patch:
        said = {"AWS_ENDPOINT_URL": store.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1", **environment}
        # Neither what this machine has in its files, nor a server that gives keys to machines of Amazon's.
        apart = {"AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
        for name, value in {**said, **apart, "NO_PROXY": "127.0.0.1"}.items():
            patch.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()  # they are kept by what they are called with
        try:
            yield store
        finally:
            s3fs.S3FileSystem.clear_instance_cache()


@contextmanager
def hub(files: dict[str, bytes], token: str = "") -> Iterator[Store]:
    """A hub, and what makes it the one that is asked."""
    pytest.importorskip("huggingface_hub", reason="needs huggingface_hub (the extra remote)")
    with serving(Hub, files) as store, pytest.MonkeyPatch.context() as patch:
        for name, value in {"HF_ENDPOINT": store.url, "HF_TOKEN": token, "NO_PROXY": "127.0.0.1"}.items():
            patch.setenv(name, value)
        forget("hf", "huggingface_hub")  # which reads its variables when it is imported
        try:
            yield store
        finally:
            forget("hf", "huggingface_hub")


def forget(protocol: str, package: str) -> None:
    """Has fsspec import what reads such URLs anew."""
    importlib.import_module("fsspec.registry")._registry.pop(protocol, None)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def first_batch(reader: Callable[[], Any], batch_size: int) -> list[list[bytes]]:
    """What each output of a reader has first. Threads that read ahead end before this returns: servers end, too."""
    others = set(threading.enumerate())
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=None)
    try:
        with pipe:
            made = reader()
            pipe.set_outputs(*(made.values() if isinstance(made, dict) else made if isinstance(made, list | tuple) else (made,)))
        return [[np.array(sample).tobytes() for sample in output] for output in pipe.run()]
    finally:
        pipe.release()
        for thread in set(threading.enumerate()) - others:
            if thread.name.startswith("dali-studio-reader"):
                thread.join()


class Handler(BaseHTTPRequestHandler):
    """What all have in common: parts of files, and answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # it delays contents that are sent behind headers
    server: Store

    def log_message(self, *_: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        self.answer(urlsplit(self.path).path, dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True)))

    def answer(self, path: str, query: dict[str, str]) -> None:
        raise NotImplementedError

    def send(self, content: bytes, status: int = 200, size: int | None = None, **headers: str) -> None:
        """An answer; with a `size` that is larger than the content the connection ends too early."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
        self.close_connection = size is not None and len(content) < size

    def send_file(self, name: str, **headers: str) -> None:
        """A file, or the part of it that is asked for."""
        content, status = self.server.files[name], 200
        total = len(content)
        if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            begin, end = int(asked[1]), min(int(asked[2] or total), total - 1) + 1
            if begin >= total:
                self.refuse(416, "InvalidRange", "The requested range is not satisfiable")
                return
            content, status = content[begin:end], 206
            headers["Content_Range"] = f"bytes {begin}-{end - 1}/{total}"
        size = len(content)
        if self.command == "GET" and self.server.broken.get(name, 0) > 0:
            self.server.broken[name] -= 1
            content = content[: size // 2]
        etag = f'"{hashlib.md5(self.server.files[name]).hexdigest()}"'
        self.send(content, status, size, ETag=etag, Accept_Ranges="bytes", Last_Modified="Sun, 01 Mar 2026 00:00:00 GMT", **headers)

    def refuse(self, status: int, code: str, message: str) -> None:
        raise NotImplementedError


class Web(Handler):
    """A server of the web, which lists folders as pages of links."""

    def answer(self, path: str, query: dict[str, str]) -> None:
        name = unquote(path).strip("/")
        folder = f"{name}/" if name else ""
        below = {left.partition("/")[::2] for file in self.server.files for left in [file.removeprefix(folder)] if file.startswith(folder)}
        if name in self.server.files:
            self.send_file(name)
        elif below:
            names = {f"{quote(first)}/" if rest else quote(first) for first, rest in below}
            self.send("".join(f'<a href="{one}">{one}</a>' for one in sorted(names)).encode(), Content_Type="text/html")
        else:
            self.refuse(404, "", "Not Found")

    def refuse(self, status: int, code: str, message: str) -> None:
        self.send(message.encode(), status, Content_Type="text/plain")


class WholeFiles(Web):
    """Such a server that sends files whole, whatever part is asked for."""

    def send_file(self, name: str, **headers: str) -> None:
        self.send(self.server.files[name], **headers)


class S3(Handler):
    """One bucket, for one key; signatures are checked. Names that begin with ``secret`` are denied."""

    def answer(self, path: str, query: dict[str, str]) -> None:
        bucket, _, key = unquote(path).removeprefix("/").partition("/")
        signed = re.match(r"AWS4-HMAC-SHA256 Credential=([^/]+)/", self.headers.get("Authorization", ""))
        if signed is None or key.startswith("secret"):
            self.refuse(403, "AccessDenied", "Access Denied")
        elif signed[1] != KEY:
            self.refuse(403, "InvalidAccessKeyId", "The key is not known")
        elif not self.headers["Authorization"].endswith(f"Signature={self._signature()}"):
            self.refuse(403, "SignatureDoesNotMatch", "The signature does not match")
        elif bucket != BUCKET:
            self.refuse(404, "NoSuchBucket", "The bucket does not exist")
        elif not key:
            self._list(query)
        elif key not in self.server.files:
            self.refuse(404, "NoSuchKey", "The key does not exist")
        else:
            self.send_file(key)

    def refuse(self, status: int, code: str, message: str) -> None:
        text = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
        self.send(b"" if self.command == "HEAD" else text.encode(), status, Content_Type="application/xml")

    def _list(self, query: dict[str, str]) -> None:
        """Names with a prefix; those that go on behind the delimiter as folders."""
        prefix, delimiter, after = query.get("prefix", ""), query.get("delimiter", ""), query.get("continuation-token", "")
        found: dict[str, int | None] = {}
        for name in sorted(self.server.files):
            folder, divided, _ = name[len(prefix) :].partition(delimiter) if delimiter else ("", "", "")
            if name.startswith(prefix):
                found[prefix + folder + divided if divided else name] = None if divided else len(self.server.files[name])
        left = [name for name in found if name > after]
        page = left[: min(PAGE, int(query.get("max-keys", PAGE)))]
        shown = {name: quote(name) if query.get("encoding-type") == "url" else escape(name) for name in page}
        entries = "".join(
            f"<CommonPrefixes><Prefix>{shown[name]}</Prefix></CommonPrefixes>" if found[name] is None else
            f"<Contents><Key>{shown[name]}</Key><LastModified>2026-03-01T00:00:00.000Z</LastModified><Size>{found[name]}</Size></Contents>"
            for name in page
        )  # fmt: skip
        more = len(page) < len(left)
        token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more and page else ""
        encoding = "<EncodingType>url</EncodingType>" if query.get("encoding-type") == "url" else ""
        text = (
            f"<?xml version='1.0'?><ListBucketResult><Name>{BUCKET}</Name><Prefix>{quote(prefix)}</Prefix>{encoding}{token}"
            f"<KeyCount>{len(page)}</KeyCount><IsTruncated>{str(more).lower()}</IsTruncated>{entries}</ListBucketResult>"
        )
        self.send(text.encode(), Content_Type="application/xml")

    def _signature(self) -> str:
        """What a client with the secret signs this request with (AWS Signature Version 4)."""
        said = dict(re.findall(r"(\w+)=([^,\s]+)", self.headers["Authorization"]))
        parts = urlsplit(self.path)
        pairs = sorted((quote(name, "-_.~"), quote(value, "-_.~")) for name, value in parse_qsl(parts.query, keep_blank_values=True))
        names = said["SignedHeaders"].split(";")
        request = "\n".join([
            self.command, quote(unquote(parts.path), "/-_.~"), "&".join(f"{name}={value}" for name, value in pairs),
            *(f"{name}:{self.headers.get(name, '').strip()}" for name in names), "", ";".join(names), self.headers["x-amz-content-sha256"],
        ])  # fmt: skip
        _, *scope = said["Credential"].split("/")
        text = ["AWS4-HMAC-SHA256", self.headers["x-amz-date"], "/".join(scope), hashlib.sha256(request.encode()).hexdigest()]
        key = f"AWS4{SECRET}".encode()
        for part in (*scope, "\n".join(text)):
            key = hmac.digest(key, part.encode(), "sha256")
        return key.hex()


class Hub(Handler):
    """Data sets of Hugging Face: ``us/photos``, and ``us/own`` with the same files, for those with the token."""

    COMMIT = "0" * 40

    def do_POST(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())["paths"]
        self.answer(urlsplit(self.path).path, {"paths": "\n".join(asked)})

    def answer(self, path: str, query: dict[str, str]) -> None:
        path = unquote(path)
        found = re.fullmatch(r"/(?:api/)?datasets/us/(photos|own)(?:/(\w[\w-]*)/[^/]+)?(?:/(.*))?", path)
        allowed = found is not None and (found[1] == "photos" or self.headers.get("Authorization") == f"Bearer {TOKEN}")
        if found is None or not allowed:
            self.refuse(401 if found is None or self.headers.get("Authorization") is None else 403, "RepoNotFound", "Repository not found")
            return
        verb, name = found[2] or "revision", found[3] or ""
        if verb == "resolve":
            if name in self.server.files:
                self.send_file(name, X_Repo_Commit=self.COMMIT)
            else:
                self.refuse(404, "EntryNotFound", "Entry not found")
        elif verb == "revision":
            self._send({"id": f"us/{found[1]}", "sha": self.COMMIT, "private": found[1] == "own", "disabled": False, "downloads": 0, "likes": 0, "tags": [], "siblings": []})
        elif verb == "paths-info":
            self._send([entry for one in query["paths"].split("\n") for entry in self._entries() if entry["path"] == one])
        elif (below := self._below(name, everything=query.get("recursive") == "true")) or not name:
            self._send(below)
        else:
            self.refuse(404, "EntryNotFound", f"{name} does not exist")

    def refuse(self, status: int, code: str, message: str) -> None:
        self.send(json.dumps({"error": message}).encode(), status, X_Error_Code=code, X_Error_Message=message, Content_Type="application/json")

    def _send(self, value: Any) -> None:
        self.send(json.dumps(value).encode(), Content_Type="application/json")

    def _entries(self) -> list[dict[str, Any]]:
        """All files and folders."""
        folders = {"/".join(parts[:depth]) for name in self.server.files for parts in [name.split("/")] for depth in range(1, len(parts))}
        files = [{"type": "file", "path": name, "size": len(content), "oid": self.COMMIT} for name, content in self.server.files.items()]
        return [*({"type": "directory", "path": name, "size": 0, "oid": self.COMMIT} for name in sorted(folders)), *files]

    def _below(self, folder: str, *, everything: bool) -> list[dict[str, Any]]:
        prefix = f"{folder}/" if folder else ""
        below = [entry for entry in self._entries() if entry["path"].startswith(prefix)]
        return [entry for entry in below if everything or "/" not in entry["path"].removeprefix(prefix)]
