"""Files behind URLs (``s3://``, ``https://``, ``memory://``, ...), by the package fsspec, and local ones alike.

Paths that begin with ``file://`` are local ones.
"""

from __future__ import annotations

import importlib
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.optional import available, require

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOCAL = "file://"
#: What fsspec needs for some kinds of URLs, by the package's name on PyPI.
_PACKAGES = {"http": "aiohttp", "https": "aiohttp", "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs",
             "hf": "huggingface_hub", "abfs": "adlfs", "az": "adlfs"}  # fmt: skip
#: Seconds until a server is given up that does not take a connection, or sends nothing more.
_CONNECT, _SILENT = 30, 60


def is_url(path: str) -> bool:
    """Whether this is no path of the local file system."""
    return "://" in path and _URL.match(path) is not None and not path.startswith(_LOCAL)


def is_bucket(url: str) -> bool:
    """Whether this is in S3, which nvidia.dali reads, too."""
    return url.startswith("s3://")


def local(path: str) -> str:
    """A path of the local file system as the system knows it."""
    return path.removeprefix(_LOCAL)


def joined(root: str, name: str) -> str:
    """The path of what is called `name` below `root`; `name` may be a whole path."""
    if is_url(name):
        return name
    return f"{root.rstrip('/')}/{name}" if is_url(root) else str(Path(local(root), local(name)))


def parent(path: str) -> str:
    """The folder that a file lies in."""
    return path.rpartition("/")[0] if is_url(path) else str(Path(local(path)).parent)


def read(path: str) -> bytes:
    """The contents of a file.

    Raises
    ------
    OSError
        With the reason as ``strerror``, also for what a server says.
    DaliStudioError
        DS601 for a URL, where the package that reads it is missing.
    """
    if not is_url(path):
        return Path(local(path)).read_bytes()
    (content,) = read_parts([path])
    if isinstance(content, OSError):
        raise OSError(0, content.strerror, path) from content
    return content


def read_text(path: str, errors: str = "surrogateescape") -> str:
    """The text of a file in UTF-8, with line ends as Python has them; others as for `read`."""
    return read(path).decode("utf-8", errors).replace("\r\n", "\n").replace("\r", "\n")


def read_parts(
    urls: Sequence[str], starts: Sequence[int] | None = None, sizes: Sequence[int] | None = None
) -> list[bytes | OSError]:  # fmt: skip
    """Files, or `sizes` bytes of each from `starts` on: what they contain, or why they cannot be read.

    Those of one server are asked for at the same time, where fsspec does so.

    Raises
    ------
    DaliStudioError
        DS601 where the package that reads such URLs is missing.
    """
    made: list[bytes | OSError] = [b""] * len(urls)
    groups: dict[int, tuple[Any, list[tuple[int, str]]]] = {}
    for position, url in enumerate(urls):
        try:
            system, inner = _system(url)
        except OSError as error:
            made[position] = error
            continue
        groups.setdefault(id(system), (system, []))[1].append((position, inner))
    for system, members in groups.values():
        positions, names = [position for position, _ in members], [inner for _, inner in members]
        begins: list[int | None] = [starts[at] if starts else None for at in positions]
        ends = [starts[at] + sizes[at] if starts and sizes else None for at in positions]
        try:
            found = system.cat_ranges(names, begins, ends, on_error="return")
        except Exception as error:  # noqa: BLE001 - each system has errors of its own
            found = [error] * len(names)
        for position, content, begin, end in zip(positions, found, begins, ends, strict=True):
            made[position] = _whole(content, begin, end)
    return made


def _whole(content: bytes | Exception, begin: int | None, end: int | None) -> bytes | OSError:
    """What was read, if it is all that was asked for."""
    if isinstance(content, Exception):
        return _problem(content)
    if begin is None or end is None:
        return content
    if len(content) >= end and len(content) > end - begin:  # of a server that sends whole files, whatever is asked for
        content = content[begin:end]
    return content if len(content) == end - begin else OSError(0, "the file ends before it")


def open_file(path: str) -> BinaryIO:
    """Open a file to read it in any order; others as for `read`."""
    if not is_url(path):
        return Path(local(path)).open("rb")
    system, inner = _system(path)
    try:
        return io.BufferedReader(_Raw(system.open(inner, "rb"), path))
    except Exception as error:
        raise _problem(error, path) from error


class _Raw(io.RawIOBase):
    """A file of fsspec's, whose errors are `OSError`."""

    def __init__(self, file: Any, url: str) -> None:
        self._file, self._url = file, url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any, /) -> int:
        try:
            content = self._file.read(len(buffer))
        except Exception as error:
            raise _problem(error, self._url) from error
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self._file.close()
        super().close()


def size(path: str) -> int:
    """Bytes of a file; others as for `read`."""
    if not is_url(path):
        return Path(local(path)).stat().st_size
    system, inner = _system(path)
    try:
        found = system.size(inner)
    except Exception as error:
        raise _problem(error, path) from error
    if found is None:
        raise OSError(0, "the server does not say how large it is", path)
    return int(found)


def files_below(root: str, depth: int | None = None) -> dict[str, list[str]]:
    """Names of the files in the folder of a URL, and in those below it by their relative paths; others as for `read`.

    `depth` is how many levels of folders are looked into.
    """
    system, inner = _system(root)
    plain = unquote if root.startswith("http") else str
    made: dict[str, list[str]] = {}
    try:
        system.invalidate_cache()  # some keep what they have listed
        for folder, _, names in system.walk(inner, maxdepth=depth, on_error="raise"):
            below = folder.rstrip("/").removeprefix(inner.rstrip("/")).strip("/")
            made[plain(below)] = sorted((plain(name) for name in names if name), key=os.fsencode)
    except Exception as error:
        raise _problem(error, root) from error
    return made


def matching(pattern: str) -> list[str]:
    """The files that a URL with a pattern (``*``, ``?``, ``[...]``) names, in order; others as for `read`."""
    system, inner = _system(pattern)
    try:
        system.invalidate_cache()
        return sorted(system.unstrip_protocol(name) for name in system.glob(inner))
    except Exception as error:
        raise _problem(error, pattern) from error


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and what it calls the file."""
    core: Any = require("fsspec.core", purpose=f"Reading {url}", install="fsspec")
    protocol = url.partition("://")[0].rpartition("::")[2].lower()
    try:
        return core.url_to_fs(url, **_options(protocol))
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        message = f"Reading {url} needs the package {package!r}, which is not installed."
        raise DaliStudioError(Diagnostic(
            code="DS601", message=message if package else f"{url} cannot be read: {error}",
            hint=f"Run: pip install {package}" if package else "Install what fsspec needs for such URLs.",
            detail=str(error),
        )) from error  # fmt: skip
    except Exception as error:
        raise _problem(error, url) from error


def _options(protocol: str) -> dict[str, Any]:
    """How servers are talked to, where fsspec's configuration does not say it."""
    config: Any = importlib.import_module("fsspec.config")
    made: dict[str, Any] = {}
    if protocol in ("http", "https") and available("aiohttp"):
        aiohttp: Any = importlib.import_module("aiohttp")
        made["client_kwargs"] = {"timeout": aiohttp.ClientTimeout(sock_connect=_CONNECT, sock_read=_SILENT)}
    elif protocol in ("s3", "s3a"):
        made["max_concurrency"] = 1  # of one file: more would ask for the size of each before it is read
    return {name: value for name, value in made.items() if name not in config.conf.get(protocol, {})}


def _problem(error: Exception, url: str | None = None) -> OSError:
    """Why something cannot be read, whatever class of error says it."""
    if isinstance(error, FileNotFoundError):
        more = re.search(r" \([a-z ]+ not found\).*", str(error))  # of a hub, whose data sets may be private
        reason = "there is no such file" + (more[0].rstrip(".") if more else "")
    elif isinstance(error, PermissionError) and not error.errno:
        reason = f"access is denied ({error})"
    elif isinstance(error, TimeoutError):
        reason = "the server did not answer in time"
    elif isinstance(error, OSError) and error.strerror:
        reason = error.strerror
    else:
        reason = f"{type(error).__name__}: {error}".rstrip(": .").replace("\n", " ")
    made = OSError(0, reason, url)
    made.__cause__ = error
    return made
