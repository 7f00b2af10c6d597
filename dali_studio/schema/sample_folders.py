"""Folders and archives to try readers with, made only when they are asked for."""

from __future__ import annotations

import io
import json
import struct
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dali_studio.schema.samples import Folder, encoded, picture, sound_files


def class_folders(classes: int = 3, count: int = 3) -> Folder:
    """Folders of one class each with small JPEG files; names sort differently as text and as numbers."""

    def make() -> dict[str, bytes]:
        return {
            f"class_{label}/{5 * number}.jpg": encoded(picture(20 + number, 27 + label), "JPEG", number).tobytes()
            for label in range(classes)
            for number in range(count)
        }

    return Folder(make, f"{classes} classes of {count}")


def coco_folder(entry: str = "") -> Folder:
    """Pictures with objects in COCO's format (``annotations.json``): polygons, lengths of runs, crowds, and none."""
    return Folder(_coco_files, f"coco {entry}".strip(), entry)


def _coco_files() -> dict[str, bytes]:
    generator = np.random.default_rng(8)
    images: list[dict[str, Any]] = []
    objects: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    for number, (image, count) in enumerate(((70, 4), (12, 0), (5, 7), (33, 2), (90, 1))):
        height, width = 31 + 9 * number, 60 - 7 * number
        name = f"{'sub/' if number == 4 else ''}{number}.jpg"
        files[name] = encoded(picture(height, width), "JPEG", number).tobytes()
        images.append({"file_name": name, "id": image, "height": height, "width": width})
        for _ in range(count):
            x, y, *size = (generator.uniform(0, 0.6, 4) * [width, height, width, height]).round(2).tolist()
            polygons = [(generator.uniform(-0.1, 1.1, (int(corners), 2)) * [width, height]).round(2).ravel().tolist()
                        for corners in generator.integers(3, 9, int(generator.integers(1, 3)))]  # fmt: skip
            objects.append({"image_id": image, "category_id": int(generator.choice([9, 2, 4])), "bbox": [x, y, *size],
                            "iscrowd": 0, "segmentation": polygons})  # fmt: skip
    runs = [55, 20, 11, 20, 11, 20]
    for lengths, category in (([*runs, 60 * 31 - sum(runs)], 4), ("]9X1`U1l1[QO", 11)):
        mask = {"counts": lengths, "size": [31, 60]}
        objects.append({"image_id": 70, "category_id": category, "bbox": [1, 2, 20, 20], "iscrowd": 1,
                        "segmentation": mask})  # fmt: skip
    objects.append({"image_id": 404, "category_id": 2, "bbox": [1, 2, 3, 4], "iscrowd": 0, "segmentation": []})
    categories = [{"id": 9, "name": "a"}, {"id": 2, "name": "b"}, {"id": 4, "name": "c"}, {"id": 11, "name": "d"}]
    content: dict[str, Any] = {"info": {}, "images": images, "annotations": objects, "categories": categories}
    return {**files, "annotations.json": json.dumps(content).encode()}


def archive(entry: str) -> Folder:
    """Samples in the format of WebDataset (``samples.tar``), with an index and a damaged one (``*.idx``)."""
    return Folder(_archive_files, entry, entry)


def _archive_files() -> dict[str, bytes]:
    stream = io.BytesIO()
    index: list[str] = []
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for number in range(7):
            picture_file = encoded(picture(20 + number, 31), "JPEG", number).tobytes()
            small = encoded(picture(9, 7 + number, 1), "PNG").tobytes()
            parts = {"cls": b"%d" % number, "jpg" if number % 2 else "JPG": picture_file, "seg.png": small,
                     "vec": bytes(range(8 * number))}  # fmt: skip
            if number % 3 == 1:
                parts = {"jpg": picture_file, "cls": parts["cls"]}
            words: list[str] = []
            for extension, content in {**parts, "txt": b"text"}.items():
                member = tarfile.TarInfo(f"folder.1/sample{number}.{extension}")
                member.size = len(content)
                begin = tar.offset + tarfile.BLOCKSIZE
                tar.addfile(member, io.BytesIO(content))
                words += [extension, str(begin), str(len(content))]
            index.append(" ".join(words))
            tar.addfile(tarfile.TarInfo("folder.1/.hidden"))
    listed = "\n".join([f"v1.1 {len(index)}", *index, ""])
    damaged = listed.replace(index[2], index[2][:-9])
    return {"samples.tar": stream.getvalue(), "samples.idx": listed.encode(), "damaged.idx": damaged.encode()}


def numpy_files(kind: str = "float32") -> Folder:
    """Arrays in numpy's format, some in Fortran's order.

    `kind` is an element type, "scalars", "empty", "unlike" each other, "damaged", or "list.txt", a list of files.
    """
    return Folder(lambda: _numpy_files(kind), f"npy {kind}", kind if kind.endswith(".txt") else "")


def _numpy_files(kind: str) -> dict[str, bytes]:
    shapes: dict[str, tuple[int, ...]] = {name: (6 + place, 9 - place) for place, name in enumerate(("0", "1", "2"))}
    shapes |= {"sub/0": (5, 7), "sub/10": (12, 6), "sub.2/3": (7, 7)}
    if kind in ("scalars", "empty"):
        shapes = dict.fromkeys(shapes, () if kind == "scalars" else (0, 3))
    dtype = kind if kind in ("bool", "float16", "int64", "complex") else "float32"
    made = {"list.txt": b"sub/0.npy\n\n2.npy\n0.npy\n"}
    for place, (name, shape) in enumerate(shapes.items()):
        numbers = np.random.default_rng(place).uniform(0, 50, shape)
        array = np.asarray(numbers > 25 if dtype == "bool" else numbers, dtype, order="F" if place % 2 else "C")
        if kind == "unlike" and place == 1:
            array = array.astype(np.float64)
        stream = io.BytesIO()
        np.save(stream, array)
        content = stream.getvalue()
        made[f"{name}.npy"] = content[:-5] if kind == "damaged" and place == 1 else content
    return made


def manifest(entry: str = "manifest.json") -> Folder:
    """Sounds with one and two channels in NeMo's format, with parts of them, and lines that are none."""
    return Folder(_manifest_files, entry, entry)


@cache
def _manifest_folder() -> tempfile.TemporaryDirectory[str]:
    """Where the sounds lie, until the end of the process: manifests hold whole paths."""
    return tempfile.TemporaryDirectory(prefix="manifest")


def _manifest_files() -> dict[str, bytes]:
    lengths = (1000, 317, 2600, 4096)
    sounds_of = {channels: sound_files(lengths, channels=channels).samples() for channels in (1, 2)}
    root = Path(_manifest_folder().name)
    made = {f"{place}.wav": sounds_of[1 + place % 2][place].tobytes() for place in range(4)}
    for name, content in made.items():
        (root / name).write_bytes(content)
    entries: list[Any] = [
        {"audio_filepath": str(root / "0.wav"), "text": "one", "duration": 0.125},
        {"audio_filepath": str(root / "1.wav"), "text": "zwölf", "speaker": {"name": [1, 2]}, "duration": 0.026},
        [1], {"text": "no file"},
        {"audio_filepath": str(root / "2.wav"), "offset": 0.05, "duration": 0.08},
        {"audio_filepath": str(root / "2.wav"), "offset": 0.1, "duration": 9.0, "text": ""},
        {"audio_filepath": str(root / "0.wav")},
        {"audio_filepath": str(root / "3.wav"), "text": "five", "duration": 0.06},
    ]  # fmt: skip
    return {**made, "manifest.json": "\n".join(map(json.dumps, entries)).encode()}


def record_io(entry: str) -> Folder:
    """Pictures in MXNet's format (``records.rec``), with one label or several, and indices, some of which are wrong."""
    return Folder(_record_io_files, entry, entry)


def _record_io_files() -> dict[str, bytes]:
    magic, made = struct.pack("<I", 0xCED7230A), b""
    lines: list[str] = []
    for number in range(7):
        labels = [number + 0.5, -1.0, 3.0][: number % 4]
        content = encoded(picture(20 + number, 31), "JPEG", number).tobytes()
        if number in (2, 5):  # the magic number in the data divides it
            content = magic * (number - 1) + content[:100] + magic + content[100:]
        head = struct.pack("<IfQQ", len(labels), number, number, 0) + struct.pack(f"<{len(labels)}f", *labels)
        parts = _divided(head + content, magic)
        lines.append(f"{number}\t{len(made)}\n")
        for place, part in enumerate(parts):
            flag = 0 if len(parts) == 1 else 1 if place == 0 else 3 if place == len(parts) - 1 else 2
            made += magic + struct.pack("<I", flag << 29 | len(part)) + part + b"\0" * (-len(part) % 4)
    lines.append(lines.pop(1))
    index = "".join(lines)
    return {"records.rec": made, "records.idx": index.encode(), "empty.idx": b"", "far.idx": b"0 99999999\n",
            "damaged.idx": index.replace(lines[2], "2\t77\n").encode()}  # fmt: skip


def _divided(content: bytes, magic: bytes) -> list[bytes]:
    """The parts between magic numbers at multiples of four bytes."""
    parts: list[bytes] = []
    begin = 0
    for at in range(0, len(content) - 3, 4):
        if content[at : at + 4] == magic:
            parts.append(content[begin:at])
            begin = at + 4
    return [*parts, content[begin:]]


def frame_folders(kind: str = "") -> Folder:
    """Folders of images, as videos are taken apart; one of the images may be "damaged", or "unlike" the others."""

    def make() -> dict[str, bytes]:
        made: dict[str, bytes] = {"a/notes.txt": b"no image", "empty/notes.txt": b"no image", "0.png": b"in no folder"}
        for folder, count in (("b", 6), ("a", 5), ("c", 1)):
            for number in range(count):
                shape = (20 + len(made) * (kind == "unlike"), 25 + ord(folder) % 7)
                content = encoded(picture(*shape, seed=len(made)), "JPEG" if folder == "b" else "PNG", number).tobytes()
                broken = kind == "damaged" and number == 1
                made[f"{folder}/{number:02}.{'jpg' if folder == 'b' else 'png'}"] = content[:40] if broken else content
        return made

    return Folder(make, f"frames {kind}".strip())
