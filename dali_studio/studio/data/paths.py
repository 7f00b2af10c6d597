"""Which reader reads what lies at a path, and what makes data of what it reads."""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path, PurePosixPath

import numpy as np

from dali_studio import samples
from dali_studio.api.folders import IMAGES, SOUNDS, VIDEOS, Kind, reader_arguments
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.features import INT64, STRING, fixed_length, written
from dali_studio.schema.model import Value

PICTURES = ("jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "ppm", "jp2")
#: How files of pictures begin.
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG", b"RIFF", b"BM", b"II*\0", b"MM\0*")
#: Kinds of a tf.train.Feature: lists of texts, and of integers.
_TEXTS, _INTEGERS = 1, 3
#: Files of an archive that are listed.
_LISTED = 200
#: Frames that are read of a video at a time.
_FRAMES = 8

_Arguments = Mapping[str, Value]


@dataclass(frozen=True)
class Source:
    """A reader, and what makes of its first output what it holds.

    Attributes
    ----------
    operator : str
    arguments : mapping
    then : tuple
        Operators behind its first output, with their arguments.
    masks : mapping or None
        Another reader of the same kind reads the masks of these pictures, in step with it.
    """

    operator: str
    arguments: _Arguments
    then: tuple[tuple[str, _Arguments], ...] = field(default=(("decoders.image", {}),))
    masks: _Arguments | None = None


ARRAYS = Kind("arrays", "any", "files", ("*.npy",), samples.volumes)
#: Kinds of files that folders hold, and what reads them; of several, the first that is there.
FOLDERS: tuple[tuple[Kind, Callable[[dict[str, Value]], Source]], ...] = (
    (IMAGES, lambda found: Source("readers.file", found)),
    (SOUNDS, lambda found: Source("readers.file", found, (("decoders.audio", {"dtype": "FLOAT", "downmix": True}),))),
    (VIDEOS, lambda found: Source("experimental.readers.video", {**found, "sequence_length": _FRAMES}, ())),
    (ARRAYS, lambda found: Source("readers.numpy", found, _layout(found))),
)

#: What folders of masks are called, beside one of images.
_MASKS = (
    "mask", "masks", "label", "labels", "annotation", "annotations", "segmentation", "segmentations", "seg", "segs",
    "target", "targets", "gt", "ground_truth", "segmentationclass",
)  # fmt: skip

#: All of them, in words.
_ALL = "images, sounds, videos or arrays"


def is_picture(path: Path) -> bool:
    """Whether a file is called like one."""
    return path.suffix.lower().removeprefix(".") in PICTURES


def source_at(path: Path, wanted: Kind | None = None) -> Source:
    """What reads that which lies at a path, of a folder of several kinds of files the `wanted` ones.

    A folder of images, sounds, videos or arrays, or of a folder for each class, or of one for images and one for their
    masks; a picture; a list of files; annotations of the COCO data set; an archive of WebDataset; records of
    TensorFlow, with their index beside them.

    Raises
    ------
    DaliStudioError
        DS302 if nothing lies there, or nothing that can be read.
    """
    if not path.is_file():
        return _folder(path, wanted)
    if is_picture(path):
        return Source("readers.file", {"files": (str(path),)})
    try:
        if path.suffix == ".tar":
            return Source("readers.webdataset", {"paths": (str(path),), "ext": _extensions(path)})
        if path.suffix == ".json":
            arguments = {"file_root": str(_root_of(path)), "annotations_file": str(path)}
            # corners in fractions: what all that moves or encodes boxes takes
            return Source("readers.coco", {**arguments, "ratio": True, "ltrb": True})
        if path.suffix in (".txt", ".lst"):
            return Source("readers.file", {"file_list": str(path), "file_root": str(_root_of_list(path))})
        if path.suffix.startswith(".tfrec"):
            return Source("readers.tfrecord", {"path": (str(path),), **_records(path)})
    except (OSError, ValueError, LookupError, TypeError, StopIteration, tarfile.TarError) as error:
        raise unreadable(f"{path} cannot be read as a data set: {error}.") from error
    raise unreadable(f"{path} is no data set that is known.")


def twin_folders(path: Path) -> tuple[Path, Path, int] | None:
    """The folders of images and of their masks in a folder, and how many there are of each: their files go in pairs.

    A mask is called as its image, or so with an ending that all of them have, and lies in a format that keeps classes.
    """
    try:
        inner = [entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
        masks = next((one for one in inner if one.name.lower() in _MASKS), None)
        if masks is None or len(inner) != 2:
            return None
        images = next(one for one in inner if one != masks)
        names = [sorted(one.name for one in folder.iterdir() if IMAGES.is_one(one)) for folder in (images, masks)]
    except OSError:
        return None
    pairs = [*zip(*([Path(name).stem for name in some] for some in names), strict=False)]
    endings = {mask.removeprefix(image) if mask.startswith(image) else None for image, mask in pairs}
    lossless = all(name.lower().endswith((".png", ".bmp", ".tif", ".tiff")) for name in names[1])
    paired = len(names[0]) == len(names[1]) and len(endings) == 1 and None not in endings and lossless
    return (images, masks, len(pairs)) if paired else None


def _folder(path: Path, wanted: Kind | None) -> Source:
    if wanted in (None, IMAGES) and (twins := twin_folders(path)):
        images, masks, _ = twins
        return Source("readers.file", reader_arguments(images), masks=reader_arguments(masks))
    failed: list[Diagnostic] = []
    for kind, reads in sorted(FOLDERS, key=lambda one: one[0] is not wanted):
        try:
            return reads(reader_arguments(path, kind))
        except DaliStudioError as error:
            failed += error.diagnostics
    # such files may lie a folder deeper
    deeper = next((one for one in failed if one.message.endswith(" do.")), None)
    if deeper:
        raise DaliStudioError(deeper)
    raise unreadable(failed[0].message.replace(f" no {IMAGES.word}", f" no {_ALL}"))


def suggested(shape: tuple[int, ...]) -> str:
    """The layout that the shape of an array suggests, or nothing."""
    last = bool(shape) and shape[-1] <= 4
    return {2: "HW", 3: "HWC" if last else "DHW", 4: "DHWC" if last else ""}.get(len(shape), "")


def _layout(found: _Arguments) -> tuple[tuple[str, _Arguments], ...]:
    """What gives arrays the layout that their shape suggests, so that they are shown as volumes or pictures."""
    files = found.get("files")
    first = files[0] if isinstance(files, tuple) else next(Path(str(found["file_root"])).rglob("*.npy"))
    try:
        shape = np.load(str(first), mmap_mode="r").shape
    except (OSError, ValueError):  # the reader says what is wrong
        return ()
    name = suggested(shape)
    return (("reshape", {"layout": name}),) if name else ()


def unreadable(message: str) -> DaliStudioError:
    """The error for what is no data set; its hint says what is one."""
    hint = (
        f"Give a folder of {_ALL} (.npy), a list of files (.txt), annotations in the format "
        "of COCO (.json), an archive of WebDataset (.tar), or records of TensorFlow (.tfrecord)."
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
    pictures = [ext for ext in counted if ext.lower() in PICTURES]
    if not pictures:
        raise ValueError("there are no pictures among its first files")
    return (";".join(pictures), *(["cls"] if "cls" in counted else []))


def _places_of(beside: Path) -> Iterator[Path]:
    """Folders in which files may be that something in the folder `beside` names."""
    for parent in (beside, beside.parent):
        yield parent
        yield from (entry for entry in sorted(parent.iterdir()) if entry.is_dir())


def _root_of(annotations: Path) -> Path:
    """The folder of the pictures that annotations name: where the first of them is."""
    with annotations.open(encoding="utf-8") as file:
        name = str(json.load(file)["images"][0]["file_name"])
    for folder in _places_of(annotations.parent):
        if (folder / name).is_file():
            return folder
    raise ValueError(f"its first picture, {name}, is in no folder beside it")


def _root_of_list(path: Path) -> Path:
    """The folder of the files that a list names; its own where they are nowhere, which the reader says then."""
    with path.open(encoding="utf-8", errors="replace") as file:
        name = next((line.rpartition(" ")[0] or line for line in map(str.strip, file) if line), "")
    return next((folder for folder in _places_of(path.parent) if name and (folder / name).is_file()), path.parent)


def _records(path: Path) -> dict[str, Value]:
    """The index of a file of records, and what of the first one is a picture and, if there is one, its label."""
    near = (path.with_suffix(".idx"), Path(f"{path}.idx"), path.with_suffix(".index"), Path(f"{path}.index"))
    index = next((one for one in near if one.is_file()), None)
    if index is None:
        raise ValueError(f"it has no index beside it; 'dali-studio tfrecord2idx {path} {near[0]}' writes it")
    with index.open(encoding="ascii") as lines:
        place, size = (int(word) for word in next(lines).split())
    with path.open("rb") as file:
        file.seek(place + 12)  # behind its length and that one's checksum
        record = file.read(size - 16)
    kinds = {name.decode(): next(_fields(feature), (0, b"")) for name, feature in _features(record)}
    picture = next((name for name, (kind, values) in kinds.items() if kind == _TEXTS and _holds_picture(values)), None)
    if picture is None:
        raise ValueError(f"its first record has no picture among {', '.join(kinds) or 'no features'}")
    label = [name for name, (kind, _) in kinds.items() if kind == _INTEGERS and name.endswith("label")][:1]
    made = [(picture, fixed_length([], STRING, "")), *((name, fixed_length([1], INT64, -1)) for name in label)]
    return {"index_path": (str(index),), "features": tuple(starmap(written, made))}


def _holds_picture(texts: bytes) -> bool:
    return any(tag == 1 and text.startswith(_MAGIC) for tag, text in _fields(texts))


def _features(record: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and messages of the features of a tf.train.Example."""
    for _, features in _fields(record):
        for _, entry in _fields(features):
            parts = dict(_fields(entry))
            yield parts.get(1, b""), parts.get(2, b"")


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbers and contents of the fields of a message that have a length; others are left out."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 2:
            size = varint()
            yield tag >> 3, message[at : at + size]
            at += size
        elif tag & 7 == 0:
            varint()
        else:
            at += 8 if tag & 7 == 1 else 4
