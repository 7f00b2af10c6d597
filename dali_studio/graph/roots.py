"""Data roots: a document names the folders of its data (``${photos}/cats``), and each machine says where they are.

A machine knows ``home``, the ``samples`` of the package, those of the environment variable ``DALI_STUDIO_ROOTS``
(``photos=/data/photos:shards=/mnt/shards``), and those of a file of the user, into which every other folder goes when
a document that reads it is first written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

from dali_studio.graph.files import read_file, replace_file
from dali_studio.graph.model import Graph
from dali_studio.schema.model import Value

#: Where the user's file is; by default in the folder that the system has for settings.
FOLDER_VARIABLE = "DALI_STUDIO_CONFIG"
ROOTS_VARIABLE = "DALI_STUDIO_ROOTS"
_MAX_BYTES = 1 << 20
#: At the beginning of a text: of a value, or of a literal in a program.
_NAMED = re.compile(r"""(?<=["'])\$\{(\w+)\}""")
_VALUE = re.compile(r"\$\{(\w+)\}(.*)", re.DOTALL)


def named(text: str, graph: Graph) -> str:
    """The text of a document of `graph`, in which roots stand for the folders of this machine.

    Folders that no root has get one, in the user's file; where that cannot be written, they stay as they are.
    """
    roots = _known()
    for path in _absolute(graph):
        if not any(_below(path, root) for root in roots.values()):
            roots |= _add(path if _is_folder(path) else str(Path(path).parent))
    for name, folder in sorted(roots.items(), key=lambda root: -len(root[1])):
        words = _quoted(folder)
        if words in text:  # most are not, and a user may have many
            text = re.sub(rf"""(?<=["']){re.escape(words)}(?=[/\\"'])""", f"${{{name}}}", text)
    return text


def resolved(text: str) -> str:
    """The text of a document, with the folders of this machine; roots that nobody has told stay."""
    if "${" not in text:
        return text
    roots = _known()
    return _NAMED.sub(lambda root: _quoted(roots[root[1]]) if root[1] in roots else root[0], text)


def missing(graph: Graph) -> Iterator[tuple[str, str, str]]:
    """Node, argument and name of each root that this machine does not know."""
    for node in graph.nodes():
        for argument, value in node.arguments.items():
            if found := next((_VALUE.match(one) for one in _texts(value) if one.startswith("${")), None):
                yield node.key, argument, found[1]


def told(old: Value, new: Value) -> str:
    """Remember where a root is, once a folder was given in place of one that nobody knew; empty if there was none."""
    before, after = next(iter(_texts(old)), ""), next(iter(_texts(new)), "")
    found = _VALUE.match(before)
    if found is None or not Path(after).is_absolute() or not after.endswith(found[2]):
        return ""
    _keep({found[1]: after.removesuffix(found[2])})
    return found[1]


def where(value: Value) -> Value:
    """A value with the folders of this machine."""
    roots = _known()

    def of(one: object) -> object:
        found = _VALUE.match(one) if isinstance(one, str) else None
        return roots[found[1]] + found[2] if found and found[1] in roots else one

    return cast(Value, tuple(map(of, value)) if isinstance(value, tuple) else of(value))


def _texts(value: Value) -> Iterator[str]:
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(one, str):
            yield one


def _absolute(graph: Graph) -> Iterator[str]:
    """Absolute paths that are arguments; in place of several files, the folder that holds all of them."""
    for node in graph.nodes():
        for value in node.arguments.values():
            paths = [Path(one) for one in _texts(value) if one[:1] == os.sep or one[1:2] == ":"]
            paths = [path for path in paths if path.is_absolute()]
            if len(paths) > 1:
                with suppress(ValueError):  # on several drives
                    paths = [Path(os.path.commonpath({path.parent for path in paths}))]
            # of what lies in / nobody learns anything
            yield from (
                str(path) for path in paths if len(path.parts) > 2 or (len(path.parts) > 1 and _is_folder(path))
            )


def _is_folder(path: str | Path) -> bool:
    with suppress(OSError, ValueError):
        return Path(path).is_dir()
    return False


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _known() -> dict[str, str]:
    given = (entry.partition("=") for entry in os.environ.get(ROOTS_VARIABLE, "").split(os.pathsep))
    told = {name: folder.rstrip("/\\") for name, _, folder in given if name and folder}
    own = {"samples": str(Path(__file__).parents[1] / "photos")}
    home = _home()
    if len(home.parts) > 1:
        own["home"] = str(home)
    return {**_kept(), **own, **told}


def settings() -> Path:
    """The folder of what is remembered for this user, which may not be there yet."""
    given = os.environ.get(FOLDER_VARIABLE)
    usual = os.environ.get("XDG_CONFIG_HOME")
    return Path(given) if given else (Path(usual) if usual else _home() / ".config") / "dali-studio"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # nobody's
        return Path("/")


def _file() -> Path:
    return settings() / "roots.json"


def _kept() -> dict[str, str]:
    with suppress(OSError, ValueError):
        return _read()
    return {}


def _read() -> dict[str, str]:
    try:
        raw: object = json.loads(read_file(_file(), _MAX_BYTES))
    except FileNotFoundError:
        return {}
    entries = cast("dict[str, object]", raw).items() if isinstance(raw, dict) else ()
    return {name: folder for name, folder in entries if isinstance(folder, str) and folder}


def _add(folder: str) -> dict[str, str]:
    """Give a folder a root, called as it is; empty if it cannot be remembered."""
    wanted, there = re.sub(r"\W+", "_", Path(folder).name) or "data", _known()
    name = next(one for one in (wanted, *(f"{wanted}_{i}" for i in range(2, len(there) + 3))) if one not in there)
    return {name: folder} if _keep({name: folder}) else {}


def _keep(roots: dict[str, str]) -> bool:
    file = _file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps({**_read(), **roots}, indent=2, sort_keys=True) + "\n")
    except (OSError, ValueError):  # also a file that is damaged: what it says is not thrown away
        return False
    return True


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
