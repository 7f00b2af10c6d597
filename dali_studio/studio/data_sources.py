"""Data sets: which reader reads what lies at a path, and what is in it."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from dali_studio.api.engine import Engine
from dali_studio.api.folders import reader_arguments
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import roots
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import Edit, PortRef, SetArgument
from dali_studio.graph.model import Graph
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry
from dali_studio.studio import images
from dali_studio.studio.files import typed_path
from dali_studio.studio.images import Rgb
from dali_studio.studio.messages import FolderFound
from dali_studio.studio.run_messages import DataSample, DataSet, Spread

#: Samples that are looked at, extents of their pictures, spans of a histogram, and files of an archive that are listed.
_SAMPLES, _CELL, _SPANS, _LISTED = 32, 96, 16, 200
_PICTURES = ("jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "ppm", "jp2")
#: Arguments that say what is read, beside those that are paths.
_PLACES = ("files", "paths", "labels", "dir_filters")
#: Images of a folder that are counted.
_COUNTED = 1000
#: Arguments that say in which order, and which part of a data set, is read: a sample of all of it is drawn here.
_SHUFFLED: dict[str, Value] = {"random_shuffle": True, "initial_fill": 4096}
_ORDER = ("shuffle_after_epoch", "num_shards", "shard_id", "stick_to_shard", "pad_last_batch")


def folder_found(path: str, name: str) -> FolderFound:
    """What is in the folder `name` of a folder that a user has chosen; hidden folders are left out."""
    folder = (typed_path(path or ".") / name).resolve()
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name.lower())
        inner = [entry for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
        files = chain(entries, *(_entries(entry) for entry in inner))
        found = sum(1 for _ in islice((file for file in files if _is_picture(file)), _COUNTED))
    except OSError as error:
        return FolderFound(path=str(folder), note=f"It cannot be read: {error.strerror}.")
    return FolderFound(path=str(folder), folders=tuple(entry.name for entry in inner), images=found)


def _entries(folder: Path) -> Iterable[Path]:
    try:
        yield from folder.iterdir()
    except OSError:  # forbidden, or gone
        return


def _is_picture(file: Path) -> bool:
    return file.suffix.lower().removeprefix(".") in _PICTURES


def source_at(path: Path) -> tuple[str, dict[str, Value]]:
    """The reader for what lies at a path, and the arguments that make it read that.

    A folder of images, or of a folder for each class; a list of files; annotations of the COCO data set; archives of
    WebDataset.

    Raises
    ------
    DaliStudioError
        DS302 if nothing lies there, or nothing that can be read.
    """
    if not path.is_file():
        return "readers.file", reader_arguments(path)
    try:
        if path.suffix == ".tar":
            return "readers.webdataset", {"paths": (str(path),), "ext": _extensions(path)}
        if path.suffix == ".json":
            return "readers.coco", {"file_root": str(_root_of(path)), "annotations_file": str(path)}
        if path.suffix in (".txt", ".lst"):
            return "readers.file", {"file_list": str(path), "file_root": str(path.parent)}
    except (OSError, ValueError, LookupError, TypeError, tarfile.TarError) as error:
        raise _unreadable(f"{path} cannot be read as a data set: {error}.") from error
    raise _unreadable(f"{path} is no data set that is known.")


def _unreadable(message: str) -> DaliStudioError:
    hint = (
        "Give a folder of images, a list of files (.txt), annotations in the format of COCO (.json), or an archive of "
        "WebDataset (.tar)."
    )
    return DaliStudioError(Diagnostic(code="DS302", message=message, hint=hint))


def _extensions(path: Path) -> tuple[str, ...]:
    """What the samples of an archive have: pictures first, then classes."""
    counted: Counter[str] = Counter()
    with tarfile.open(path) as archive:
        for number, member in enumerate(archive):
            if number == _LISTED:
                break
            name = PurePosixPath(member.name).name
            if member.isfile() and "." in name[1:]:
                counted[name[1:].partition(".")[2]] += 1
    pictures = [ext for ext in counted if ext.lower() in _PICTURES]
    if not pictures:
        raise ValueError("there are no pictures among its first files")
    return (";".join(pictures), *(["cls"] if "cls" in counted else []))


def _root_of(annotations: Path) -> Path:
    """The folder of the pictures that annotations name: where the first of them is."""
    with annotations.open(encoding="utf-8") as file:
        name = str(json.load(file)["images"][0]["file_name"])
    parent = annotations.parent
    folders = [parent, *(entry for entry in sorted(parent.iterdir()) if entry.is_dir())]
    beside = [entry for entry in sorted(parent.parent.iterdir()) if entry.is_dir()]
    for folder in (*folders, *beside):
        if (folder / name).is_file():
            return folder
    raise ValueError(f"its first picture, {name}, is in no folder beside it")


def pointed_at(graph: Graph, registry: Registry, key: str, path: Path) -> tuple[Edit, ...]:
    """Edits that make a reader read what lies at a path.

    Raises
    ------
    DaliStudioError
        DS302 if another reader is needed for that, or there is nothing.
    """
    operator, arguments = source_at(path)
    node = graph.node(key)
    if node.operator != operator:
        raise _unreadable(f"{path} is read by fn.{operator}, and {key} is fn.{node.operator}.")
    known = registry.schema(operator)
    places = [a.name for a in known.arguments if a.widget == "path" or a.name in _PLACES]
    gone = [name for name in places if name in node.arguments and name not in arguments]
    return (
        *(SetArgument(key=key, argument=name, unset=True) for name in gone),
        *(SetArgument(key=key, argument=name, value=value) for name, value in arguments.items()),
    )


def also_there(graph: Graph, edits: Iterable[Edit]) -> list[Edit]:
    """Edits of all that reads below the same data root, if `edits` tell where one is that was not known here."""
    given = [edit for edit in edits if isinstance(edit, SetArgument) and not edit.unset]
    names = {roots.told(graph.node(edit.key).arguments.get(edit.argument), edit.value) for edit in given} - {""}
    done = {(edit.key, edit.argument) for edit in given}
    return [
        SetArgument(key=key, argument=argument, value=roots.where(graph.node(key).arguments[argument]))
        for key, argument, name in roots.missing(graph) if name in names and (key, argument) not in done
    ]  # fmt: skip


def look_into(graph: Graph, registry: Registry, key: str) -> tuple[DataSet, list[bytes]]:
    """What a reader reads: how much, 32 samples drawn from all of it, and how their sizes are spread.

    Raises
    ------
    DaliStudioError
        DS209 if the node is no reader of files; what the reader fails with.
    """
    part, node = Graph(msgspec.structs.replace(graph.options, batch_size=_SAMPLES, num_threads=1)), graph.node(key)
    schema = registry.schema(node.operator) if node.operator in registry else None
    if schema is None or schema.role != "reader" or schema.outputs[0].kind != "encoded":
        found = Diagnostic(code="DS209", message=f"{key} reads no files.", hint="Choose a reader of files.", node=key)
        raise DaliStudioError(found)
    kept: dict[str, Value] = {name: value for name, value in node.arguments.items() if name not in _ORDER}
    kept |= {name: value for name, value in _SHUFFLED.items() if schema.argument(name) is not None}
    part.add_node(type(node)(key=key, operator=node.operator, arguments=kept, version=node.version))
    part.set_outputs(PortRef(node=key, output=i) for i in range(len(output_schemas(part, key, registry) or ())))
    engine = Engine(part, registry, background=False, devices=False)
    try:
        total = engine.reader_meta().get(key, {}).get("epoch_size", 0)
        engine.schedule()
        made: list[Any] = [output.as_cpu() for output in engine.result()]
    finally:
        engine.close()
    count = min(total or _SAMPLES, _SAMPLES, len(made[0]))
    files = [np.asarray(made[0][i]) for i in range(count)]
    names = [str(made[0][i].source_info()) for i in range(count)]
    found = [_picture(file) for file in files]
    cells, packed = images.atlas([picture for picture, _ in found], columns=8) if found else ([], b"")
    samples = tuple(
        DataSample(
            name=names[i], label=_label(made[1:], i), width=found[i][1][0], height=found[i][1][1], size=files[i].size,
            x=cells[i].x, y=cells[i].y, cell_width=cells[i].width, cell_height=cells[i].height,
        )
        for i in range(count)
    )  # fmt: skip
    sizes = [sample for sample in samples if sample.width]
    made_set = DataSet(
        key=key, total=total, samples=samples, widths=_spread([s.width for s in sizes]),
        heights=_spread([s.height for s in sizes]), bytes=_spread([s.size for s in samples]),
    )  # fmt: skip
    return made_set, [packed] if packed else []


def _picture(file: NDArray[np.uint8]) -> tuple[Rgb, tuple[int, int]]:
    """A small picture, and width and height of the whole one; hatched and 0 where it cannot be decoded."""
    content = file.tobytes()
    try:
        if content[:2] == b"\xff\xd8":
            height, width = (int(extent) for extent in simplejpeg.decode_jpeg_header(content)[:2])
            small = simplejpeg.decode_jpeg(content, min_height=_CELL, min_width=_CELL, strict=False)
        else:
            with Image.open(io.BytesIO(content)) as image:
                width, height = image.size
                image.thumbnail((2 * _CELL, 2 * _CELL))
                small = np.asarray(image.convert("RGB"))
    except Exception:  # noqa: BLE001 - whatever a broken file does to its decoder, the others are shown
        stripes = np.add.outer(np.arange(_CELL), np.arange(_CELL)) // 5 % 2
        return np.repeat((200 + 20 * stripes[:, :, None]).astype(np.uint8), 3, axis=2), (0, 0)
    return images.square(small, _CELL), (width, height)


def _label(others: list[Any], sample: int) -> str:
    """The first other output that is one number or a short word."""
    for output in others:
        values = np.asarray(output[sample]).reshape(-1)
        if values.dtype == np.uint8:  # an archive has classes as text
            if values.size < 20 and re.fullmatch(rb"[\w.+-]+\s*", values.tobytes()):
                return values.tobytes().decode().strip()
        elif values.size == 1:
            return str(values[0])
    return ""


def _spread(values: list[int]) -> Spread:
    if not values:
        return Spread(minimum=0, median=0, maximum=0, counts=())
    counts, _ = np.histogram(values, bins=_SPANS)
    low, middle, high = (int(v) for v in (min(values), np.median(values), max(values)))
    return Spread(minimum=low, median=middle, maximum=high, counts=tuple(counts.tolist()))
