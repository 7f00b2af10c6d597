"""Data sets: what is in them, and what readers are to read."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from dali_studio.api.engine import Engine
from dali_studio.api.folders import folder_readers
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.graph import roots
from dali_studio.graph.checks import output_schemas
from dali_studio.graph.edits import Edit, PortRef, SetArgument
from dali_studio.graph.model import Graph
from dali_studio.schema.model import Value
from dali_studio.schema.registry import Registry
from dali_studio.studio.data.files import typed_path
from dali_studio.studio.data.paths import FOLDERS, source_at, twin_folders, unreadable
from dali_studio.studio.outputs import images
from dali_studio.studio.outputs.around import label_names
from dali_studio.studio.outputs.images import Rgb
from dali_studio.studio.protocol.messages import FolderFound
from dali_studio.studio.protocol.run_messages import DataSample, DataSet, Spread

#: Samples that are looked at, extents of their pictures, and spans of a histogram.
_SAMPLES, _CELL, _SPANS = 32, 96, 16
#: Files of a folder that are counted.
_COUNTED = 1000
#: Arguments that say what is read, beside those that are paths.
_PLACES = ("files", "filenames", "paths", "path", "index_path", "features", "labels", "dir_filters")
#: Frames of a sound that are drawn at most.
_MOMENTS = 2**20
#: Colours of a wave and of what is behind it.
_WAVE = (2, 74, 56), (233, 235, 238)
#: Arguments that say in which order, and which part of a data set, is read: a sample of all of it is drawn here.
_SHUFFLED: dict[str, Value] = {"random_shuffle": True, "initial_fill": 4096}
_ORDER = ("shuffle_after_epoch", "num_shards", "shard_id", "stick_to_shard", "pad_last_batch")


def folder_found(path: str, name: str) -> FolderFound:
    """What is in the folder `name` of a folder that a user has chosen; hidden folders are left out."""
    folder = (typed_path(path or ".") / name).resolve()
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name.lower())
        inner = [entry for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
        files = [*islice(chain(entries, *(_entries(entry) for entry in inner)), 20 * _COUNTED)]
    except OSError as error:
        return FolderFound(path=str(folder), note=f"It cannot be read: {error.strerror}.")
    counted = ((kind, sum(kind.is_one(file) for file in files)) for kind, _ in FOLDERS)
    kind, count = next((found for found in counted if found[1]), (FOLDERS[0][0], 0))
    names = tuple(entry.name for entry in inner)
    twins = twin_folders(folder)
    count = min(twins[2] if twins else count, _COUNTED)
    return FolderFound(path=str(folder), folders=names, kind=kind.word[:-1], count=count, masked=twins is not None)


def _entries(folder: Path) -> Iterable[Path]:
    try:
        yield from folder.iterdir()
    except OSError:  # forbidden, or gone
        return


def pointed_at(graph: Graph, registry: Registry, key: str, path: Path) -> tuple[Edit, ...]:
    """Edits that make a reader read what lies at a path.

    Raises
    ------
    DaliStudioError
        DS302 if another reader is needed for that, or there is nothing.
    """
    node = graph.node(key)
    source = source_at(path, next((kind for kind, _ in FOLDERS if node in folder_readers(graph, registry, kind)), None))
    operator, arguments = source.operator, source.arguments
    if node.operator != operator:
        raise unreadable(f"{path} is read by fn.{operator}, and {key} is fn.{node.operator}.")
    known = registry.schema(operator)
    places = [a.name for a in known.arguments if a.widget == "path" or a.name in _PLACES]
    gone = [name for name in places if name in node.arguments and name not in arguments]
    # flags say how to give what is read, which is as it was
    told = {name: value for name, value in arguments.items() if not isinstance(value, bool)}
    return (
        *(SetArgument(key=key, argument=name, unset=True) for name in gone),
        *(SetArgument(key=key, argument=name, value=value) for name, value in told.items()),
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
    node = graph.node(key)
    schema = registry.schema(node.operator) if node.operator in registry else None
    kinds = [one.kind for one in output_schemas(graph, key, registry) or ()]
    if schema is None or schema.role != "reader":
        words = f"{key} reads nothing, of which something could be told here."
        raise DaliStudioError(Diagnostic(code="DS209", message=words, hint="Choose a reader.", node=key))
    files = kinds[:1] == ["encoded"]
    # arrays and videos may be large: never more than one at a time
    part = Graph(msgspec.structs.replace(graph.options, batch_size=_SAMPLES if files else 1, num_threads=1))
    kept: dict[str, Value] = {name: value for name, value in node.arguments.items() if name not in _ORDER}
    kept |= {name: value for name, value in _SHUFFLED.items() if schema.argument(name) is not None}
    part.add_node(type(node)(key=key, operator=node.operator, arguments=kept, version=node.version))
    part.set_outputs(PortRef(node=key, output=i) for i in range(len(output_schemas(part, key, registry) or ())))
    engine = Engine(part, registry, background=False, devices=False)
    drawn: list[tuple[str, tuple[str, ...], int, _Seen]] = []
    names = label_names(kept)
    try:
        total = engine.reader_meta().get(key, {}).get("epoch_size", 0)
        count = min(total or _SAMPLES, _SAMPLES)
        while len(drawn) < count:
            engine.schedule()
            made: list[Any] = [output.as_cpu() for output in engine.result()]
            for i in range(len(made[0])):
                sample = np.asarray(made[0][i])
                seen = _seen(sample.tobytes()) if files else _array(sample)
                labels = _labels([output[i] for output in made[1:]], kinds[1:], names)
                drawn.append((str(made[0][i].source_info()), labels, sample.nbytes, seen))
    finally:
        engine.close()
    del drawn[count:]
    found = [seen for *_, seen in drawn]
    cells, packed = images.atlas([one.picture for one in found], columns=8) if found else ([], b"")
    samples = tuple(
        DataSample(
            name=name, labels=labels, facts=seen.facts, size=size,
            x=cell.x, y=cell.y, cell_width=cell.width, cell_height=cell.height,
        )
        for (name, labels, size, seen), cell in zip(drawn, cells, strict=True)
    )  # fmt: skip
    extents = {name: unit for one in found for name, (_, unit) in one.extents.items()}
    spreads = [
        _spread(name, unit, [one.extents[name][0] for one in found if name in one.extents])
        for name, unit in extents.items()
    ]
    size = _spread("file" if files else "sample", "B", [s.size for s in samples])
    made_set = DataSet(key=key, total=total, samples=samples, spreads=(*spreads, size))
    return made_set, [packed] if packed else []


@dataclass(frozen=True)
class _Seen:
    """What is shown of a file: a picture, a few words, and how large it is, each with its unit."""

    picture: Rgb
    facts: str
    extents: Mapping[str, tuple[int, str]]


def _seen(content: bytes) -> _Seen:
    """An image or a sound; hatched, and without words, where it cannot be decoded."""
    try:
        if content[:2] == b"\xff\xd8":
            height, width = (int(extent) for extent in simplejpeg.decode_jpeg_header(content)[:2])
            small = simplejpeg.decode_jpeg(content, min_height=_CELL, min_width=_CELL, strict=False)
        elif content[:4] in (b"fLaC", b"OggS") or content[8:12] == b"WAVE":
            return _heard(content)
        else:
            with Image.open(io.BytesIO(content)) as image:
                width, height = image.size
                image.thumbnail((2 * _CELL, 2 * _CELL))
                small = np.asarray(image.convert("RGB"))
    except Exception:  # noqa: BLE001 - whatever a broken file does to its decoder, the others are shown
        return _Seen(_hatched(), "", {})
    extents = {"width": (width, "px"), "height": (height, "px")}
    return _Seen(images.square(small, _CELL), f"{height}×{width}", extents)


def _hatched() -> Rgb:
    stripes = np.add.outer(np.arange(_CELL), np.arange(_CELL)) // 5 % 2
    return np.repeat((200 + 20 * stripes[:, :, None]).astype(np.uint8), 3, axis=2)


def _array(sample: NDArray[Any]) -> _Seen:
    """Frames or an array: the middle frame or slice; hatched if it has no plane."""
    facts = f"{'×'.join(map(str, sample.shape)) or 'scalar'} {sample.dtype}"
    plane: NDArray[Any] = sample
    extents: dict[str, tuple[int, str]] = {}
    while plane.ndim > 3 or (plane.ndim == 3 and plane.shape[-1] not in (1, 3)):
        extents = {"depth" if sample.ndim == 3 else "frames": (len(sample), "")}
        plane = plane[len(plane) // 2] if len(plane) else np.zeros(0)
    if plane.ndim < 2 or not plane.size or plane.dtype.kind not in "biuf":
        return _Seen(_hatched(), facts, {"values": (sample.size, "")})
    height, width = int(plane.shape[0]), int(plane.shape[1])
    if plane.dtype != np.uint8 or plane.max() < 2:
        shades = np.nan_to_num(plane.astype(np.float32))
        low, high = float(shades.min()), float(shades.max())
        plane = (255 * (shades - low) / ((high - low) or 1.0)).astype(np.uint8)
    if plane.shape[2:] != (3,):
        plane = np.repeat(plane.reshape(height, width, -1), 3, axis=2)
    return _Seen(
        images.square(plane, _CELL),
        facts,
        {**extents, "width": (width, "px"), "height": (height, "px")},
    )


def _heard(content: bytes) -> _Seen:
    """A sound: its wave, the loudest of each column."""
    import soundfile  # noqa: PLC0415 - who has none hears none

    with soundfile.SoundFile(io.BytesIO(content)) as file:
        rate, length = int(file.samplerate), int(file.frames)
        wave = np.abs(file.read(_MOMENTS, dtype="float32", always_2d=True)).max(axis=1)
    columns = [float(part.max()) if part.size else 0.0 for part in np.array_split(wave, _CELL)]
    tall = np.array(columns) / max(*columns, 1e-6) * (_CELL / 2 - 8)
    inside = np.abs(np.arange(_CELL) - _CELL / 2)[:, None] <= np.maximum(tall, 0.5)
    picture = np.where(inside[:, :, None], *(np.array(colour, np.uint8) for colour in _WAVE))
    extents = {"length": (round(1000 * length / rate), "ms"), "rate": (rate, "Hz")}
    return _Seen(np.ascontiguousarray(picture), f"{length / rate:.3g} s at {rate} Hz", extents)


def _labels(others: Sequence[Any], kinds: Sequence[str], names: Mapping[int, str]) -> tuple[str, ...]:
    """The labels of a sample, of each object by its name; or the first output that is a number or a short word."""
    found: tuple[str, ...] = ()
    for output, kind in zip(others, kinds, strict=False):
        values = np.asarray(output).reshape(-1)
        if kind == "label" and values.dtype.kind in "iu":
            return tuple(names.get(number, str(number)) for number in values.tolist())
        if values.dtype == np.uint8:  # an archive has classes as text
            if values.size < 20 and re.fullmatch(rb"[\w.+-]+\s*", values.tobytes()):
                found = found or (values.tobytes().decode().strip(),)
        elif values.size == 1:
            found = found or (str(values[0]),)
    return found


def _spread(name: str, unit: str, values: list[int]) -> Spread:
    if not values:
        return Spread(name=name, unit=unit, minimum=0, median=0, maximum=0, counts=())
    counts, _ = np.histogram(values, bins=_SPANS)
    low, middle, high = (int(v) for v in (min(values), np.median(values), max(values)))
    return Spread(name=name, unit=unit, minimum=low, median=middle, maximum=high, counts=tuple(counts.tolist()))
