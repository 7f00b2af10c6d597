"""Writing files so that they are always whole: the old one or the new one, also after a crash. Reading files alone."""

from __future__ import annotations

import os
import re
import stat
import uuid
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nobody can delete a file that is open
    fcntl = None


def read_file(path: str | os.PathLike[str], most: int) -> bytes:
    """Read a file of at most so many bytes; links are followed.

    Raises
    ------
    OSError
        If it cannot be read, has more bytes, or is a device or a pipe, which might never end.
    """
    target = Path(path)
    if not stat.S_ISREG(target.stat().st_mode):
        raise OSError(None, "it is no file", str(target))
    with target.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(None, f"it has more than {most:,} bytes", str(target))
    return content


def replace_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a text or bytes to a file; links are followed.

    What earlier calls for this file have left behind, because their process was killed, is removed.

    Raises
    ------
    OSError
        If it cannot be written, or what is there is no file; the old file is untouched then.
    """
    target = Path(os.path.realpath(path))
    mode = 0o666
    with suppress(FileNotFoundError):
        found = target.stat().st_mode
        if not stat.S_ISREG(found):  # a device or a pipe would be replaced by a file
            raise OSError(None, "it is no file", str(target))
        mode = found & 0o777
    _clean(target)
    temporary, stream = _created(target, mode)
    try:
        with os.fdopen(stream, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(stream)
            # Renamed while it is locked: nobody takes it for one that was left behind. Windows renames closed files.
            if fcntl is not None:
                temporary.replace(target)
        if fcntl is None:
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _created(target: Path, mode: int) -> tuple[Path, int]:
    """A new file beside `target`, because a rename is atomic only inside one file system; locked while it is open."""
    while True:
        temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}.tmp")
        stream = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        if fcntl is None:
            return temporary, stream
        with suppress(OSError):  # file systems without locks
            fcntl.flock(stream, fcntl.LOCK_EX)
        if os.fstat(stream).st_nlink:
            return temporary, stream
        os.close(stream)  # another process has taken it for one that was left behind, before it was locked


def _clean(target: Path) -> None:
    """Remove the files of `_created` whose processes are gone."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{32}}\.tmp")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for name in [entry.name for entry in entries if ours.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_unless_locked(target.with_name(name))


def _remove_unless_locked(path: Path) -> None:
    if fcntl is None:
        path.unlink()
        return
    stream = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    finally:
        os.close(stream)
