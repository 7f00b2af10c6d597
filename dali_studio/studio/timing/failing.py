"""Files that could not be read or decoded: what can still be seen of them, and the smallest program that fails."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import simplejpeg
from PIL import Image

from dali_studio.api.folders import IMAGES
from dali_studio.codegen.emit import emit
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import PortRef
from dali_studio.graph.files import read_file
from dali_studio.graph.model import Graph
from dali_studio.runtime.failures import FailedSample
from dali_studio.schema.registry import Registry
from dali_studio.studio.outputs.images import Rgb, byte_count
from dali_studio.studio.protocol.run_messages import MissedFile

#: Bytes of a file that is looked at, pixels of its picture, and its extents when it is sent.
_MAX_BYTES, _MAX_PIXELS, _SENT = 1 << 26, 1 << 26, (296, 196)
#: Files that a run lists.
_MAX_LISTED = 200
#: What libjpeg paints where data is missing.
_MISSING = 128


def missed_files(failed: Iterable[FailedSample]) -> tuple[MissedFile, ...]:
    """One entry for each file of a run that went on without it, in the order of their failures."""
    found: dict[tuple[str, str], MissedFile] = {}
    for one in failed:
        known = found.get((one.node, one.source))
        if known is not None:
            found[one.node, one.source] = msgspec.structs.replace(known, count=known.count + 1)
        elif len(found) < _MAX_LISTED:
            found[one.node, one.source] = MissedFile(
                node=one.node, source=one.source, message=one.message, action=one.action, count=1
            )
    return tuple(found.values())


def path_of(graph: Graph, registry: Registry, key: str, source: str) -> tuple[Path, str] | None:
    """The file that a sample of node `key` came from, and the reader that has read it.

    ``None`` where no reader before that node reads files one by one, or has read no such file.
    """
    if key not in graph or not source:
        return None
    for name in graph.reachable([PortRef(node=key)]):
        node = graph.node(name)
        if node.operator not in registry or registry.schema(node.operator).role != "reader":
            continue
        if not any(registry.schema(node.operator).argument(place) for place in IMAGES.places):
            continue
        root = node.arguments.get("file_root")
        path = Path(root, source) if isinstance(root, str) else Path(source)
        outside = isinstance(root, str) and (Path(source).is_absolute() or ".." in Path(source).parts)
        if not outside and path.is_file():
            return path, name
    return None


def remains(path: Path) -> tuple[bytes, float, float, str]:
    """What can still be seen of a picture's file.

    Returns
    -------
    tuple
        A JPEG (empty if nothing can be seen), the part of the picture's height that is there, its width by its height
        (1 if nothing can be seen), and words about the file.
    """
    try:
        content = read_file(path, _MAX_BYTES)
    except OSError as error:
        return b"", 0.0, 1.0, f"{error.strerror or error}"
    words = byte_count(len(content))
    picture = _decoded(content)
    if picture is None:
        return b"", 0.0, 1.0, f"{words}, begins with {content[:8].hex(' ').upper()}" if content else "no bytes"
    height, width = picture.shape[:2]
    extents = _extents(content) or f"{height}×{width}"
    there = (picture != _MISSING).any(axis=2).mean(axis=1)
    # where a picture ends, its last row of blocks has seldom come whole
    rows = np.flatnonzero(there > (0.0 if there[-1] else 0.5))
    part = (int(rows[-1]) + 1) / height if rows.size else 0.0
    small = Image.fromarray(picture)
    small.thumbnail(_SENT)
    made = io.BytesIO()
    small.save(made, "JPEG", quality=85)
    return made.getvalue(), part, width / height, f"{extents}, {words}"


def _extents(content: bytes) -> str:
    """Height and width of a JPEG by its header, since its picture is decoded smaller; empty for other files."""
    if content[:2] != b"\xff\xd8":
        return ""
    height, width = simplejpeg.decode_jpeg_header(content, strict=False)[:2]
    return f"{height}×{width}"


def _decoded(content: bytes) -> Rgb | None:
    try:
        if content[:2] == b"\xff\xd8":
            height, width = simplejpeg.decode_jpeg_header(content, strict=False)[:2]
            if int(height) * int(width) > _MAX_PIXELS:
                return None
            return simplejpeg.decode_jpeg(content, strict=False, min_height=_SENT[1], min_width=_SENT[0])
        with Image.open(io.BytesIO(content)) as image:
            return np.asarray(image.convert("RGB")) if image.width * image.height <= _MAX_PIXELS else None
    except Exception:  # noqa: BLE001 - whatever is wrong with a broken file: nothing can be seen of it
        return None


def reproduction(graph: Graph, registry: Registry, key: str, source: str, dialect: str) -> str:
    """The smallest program that fails as node `key` did: only what it depends on, with only that file.

    Raises
    ------
    DaliStudioError
        DS209 if there is no such node.
    """
    graph.node(key)
    needed = graph.reachable([PortRef(node=key)])
    part = graph.copy()
    found = path_of(graph, registry, key, source)
    nodes = [node for node in graph.nodes() if node.key in needed]
    size = part.options.batch_size
    if found is not None:
        path, reader = found
        order = ("random_shuffle", "shuffle_after_epoch", "initial_fill", "num_shards", "shard_id")
        dropped = (*IMAGES.places, "labels", *order)
        kept = {name: v for name, v in graph.node(reader).arguments.items() if name not in dropped}
        lone = replace(graph.node(reader), arguments={**kept, "files": (str(path.resolve()),)})
        nodes = [lone if node.key == reader else node for node in nodes]
        size = 1
    wires = [wire for wire in graph.wires() if wire.target in needed]
    count = len(output_schemas(graph, key, registry) or ())
    part.rebuild(nodes, wires, [PortRef(node=key, output=i) for i in range(count)])
    part.options = msgspec.structs.replace(part.options, batch_size=size, num_threads=1, name="repro")
    made = emit(part, registry, dialect)
    return made.source
