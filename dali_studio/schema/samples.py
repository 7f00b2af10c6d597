"""Data to try operators with, made only when it is asked for, and the cases that follow from a schema."""

from __future__ import annotations

import io
import json
import struct
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from dali_studio.core.dtypes import NUMERIC, to_numpy
from dali_studio.core.enums import DALIDataType

if TYPE_CHECKING:
    from dali_studio.schema.model import ArgumentSchema, InputSchema, OperatorSchema

Array = NDArray[Any]
T = DALIDataType
#: Roles of operators that cannot be tried alone: those by which data comes, and halves of a condition.
NOT_ALONE = ("external_source", "copy", "constant", "split", "merge")
#: Large enough for the windows of most examples, of odd shapes, longer and shorter than a vector.
SIZES: tuple[tuple[int, int], ...] = ((57, 43), (64, 91), (41, 53), (33, 40))
#: At the edges of images: one pixel, one row, one column.
TINY: tuple[tuple[int, int], ...] = ((1, 1), (1, 7), (6, 1), (3, 5))
#: Layouts of images and of sequences of them.
FLAT: tuple[str, ...] = ("HWC", "CHW", "FHWC", "FCHW")
#: Shapes that an operator of any tensor takes: scalars, vectors, an extent of 0, many axes.
SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((), (), (), ()), ((7,), (1,), (130,), (0,)), ((3, 0), (2, 5), (0, 4), (1, 1)), ((2, 1, 3, 2), (1, 2, 2, 5)),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Data:
    """A batch for an input, or for an argument that takes a value for each sample.

    Attributes
    ----------
    make : callable
        Gives the samples, the same ones at every call.
    dtype : DALIDataType
    layout : str
    label : str
        Tells it from the data of other cases, in a few words.
    """

    make: Callable[[], Sequence[Array]]
    dtype: DALIDataType = T.UINT8
    layout: str = ""
    label: str = ""

    def samples(self) -> list[Array]:
        """The samples."""
        return list(self.make())


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of files, for arguments that hold a path.

    Attributes
    ----------
    files : callable
        Gives contents by name, relative to the folder.
    label : str
        Tells it from other folders.
    entry : str
        The file in it whose path is meant; empty: the folder's.
    """

    files: Callable[[], Mapping[str, bytes]]
    label: str = "folder"
    entry: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What an operator is tried with.

    Attributes
    ----------
    inputs : tuple of Data
        One for each input that is wired.
    arguments : mapping
        By name: values as a program gives them (enumerations by their members' names); `Data` is wired, one value for
        each sample; `Folder` is the path of such a folder.
    refused : str or None
        The argument that a diagnostic must name, "" for none in particular; ``None``: the case is accepted.
    peer : bool
        Whether nvidia.dali accepts it, too; `note` says why, if not.
    note : str
        What is particular about it, part of its name.
    """

    inputs: tuple[Data, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    refused: str | None = None
    peer: bool = True
    note: str = ""

    def name(self) -> str:
        """Tells it from the operator's other cases."""
        given = [f"{key}={_short(value)}" for key, value in self.arguments.items()]
        return " ".join([*(one.label for one in self.inputs), ",".join(given), self.note]).strip()


def _short(value: Any) -> str:
    if isinstance(value, Data | Folder):
        return value.label
    if isinstance(value, tuple | list):
        items = cast("Sequence[object]", value)
        return "x".join(f"{item:g}" if isinstance(item, float) else _short(item) for item in items)
    return str(value)


# ------------------------------------------------------------------------------------------------------- kinds of data


def picture(height: int, width: int, channels: int = 3, dtype: Any = np.uint8, seed: int = 0) -> Array:
    """A smooth random picture with some noise; 0..255 for integers, 0..1 for floats, signed types about 0."""
    generator = np.random.default_rng([seed, height, width, channels])
    y, x, c = np.ogrid[0:height, 0:width, 0:channels]
    phase = generator.uniform(0, 6, 3)
    waves = np.sin(y / 7.0 + phase[0] + c) + np.cos(x / 5.0 + phase[1] - c) + np.sin((x + y) / 23.0 + phase[2])
    values = 127.5 + 35 * waves + generator.normal(0, 8, (height, width, channels))
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return (values / 255).astype(kind)
    if kind.kind == "b":
        return values > 127
    if kind.kind == "i":
        return np.clip((values - 127.5) * (1 if kind.itemsize == 1 else 17), -128 * 17, 127 * 17).clip(
            np.iinfo(kind).min, np.iinfo(kind).max
        ).astype(kind)  # fmt: skip
    return np.clip(values * (1 if kind.itemsize == 1 else 17), 0, np.iinfo(kind).max).astype(kind)


def images(
    sizes: Sequence[tuple[int, int]] = SIZES,
    dtype: DALIDataType = T.UINT8,
    layout: str = "HWC",
    channels: int = 3,
    others: int = 3,
) -> Data:
    """Pictures in a layout of H, W, C, and F or D, along which there are `others` pictures.

    Without C in the layout they have one channel.
    """

    def make() -> list[Array]:
        return [_image(size, dtype, layout, channels, others, seed) for seed, size in enumerate(sizes)]

    words = "" if tuple(sizes) == SIZES else " " + ",".join(f"{h}x{w}" for h, w in sizes)
    label = f"{layout} {dtype.name}{words}" + ("" if channels == 3 else f" {channels} channels")
    return Data(make, dtype, layout, label)


def _image(size: tuple[int, int], dtype: DALIDataType, layout: str, channels: int, others: int, seed: int) -> Array:
    more = "".join(axis for axis in layout if axis not in "HWC")
    count = 1 if "C" not in layout else channels
    made = [picture(*size, count, to_numpy(dtype), seed + 100 * i) for i in range(others ** len(more))]
    whole = np.stack(made).reshape((others,) * len(more) + made[0].shape)
    if "C" not in layout:
        whole = whole[..., 0]
    axes = more + ("HW" if "C" not in layout else "HWC")
    return np.ascontiguousarray(whole.transpose([axes.index(axis) for axis in layout]))


def tensors(
    shapes: Sequence[tuple[int, ...]], dtype: DALIDataType = T.FLOAT, layout: str = "", low: float = 0,
    high: float = 100,
) -> Data:  # fmt: skip
    """Random numbers from `low` to `high`, as far as the type holds them."""

    def make() -> list[Array]:
        kind = to_numpy(dtype)
        generator = np.random.default_rng(zlib.crc32(repr((shapes, dtype.name)).encode()))
        limits = np.iinfo(kind) if kind.kind in "iu" else None
        least, most = (low, high) if limits is None else (max(low, limits.min), min(high, limits.max))
        drawn = [generator.uniform(least, most, shape) for shape in shapes]
        return [np.asarray(values > (low + high) / 2 if kind.kind == "b" else values, kind) for values in drawn]

    words = ",".join("x".join(map(str, shape)) or "scalar" for shape in dict.fromkeys(shapes))
    return Data(make, dtype, layout, f"{layout} {dtype.name} {words}".strip())


def values(*samples: Any, dtype: DALIDataType = T.FLOAT, layout: str = "", label: str = "") -> Data:
    """These numbers, one item for each sample."""
    kind = to_numpy(dtype)
    words = label or ",".join(str(sample).replace(" ", "") for sample in samples)
    return Data(lambda: [np.asarray(sample, kind) for sample in samples], dtype, layout, words)


def sounds(lengths: Sequence[int] = (1000, 317, 1, 4096), dtype: DALIDataType = T.FLOAT, channels: int = 0) -> Data:
    """Sums of sines with noise, between -1 and 1, or as wide as an integer type; of one axis, or with channels.

    Unsigned types have the value of silence in their middle.
    """

    def make() -> list[Array]:
        made: list[Array] = []
        for seed, length in enumerate(lengths):
            generator = np.random.default_rng([seed, length])
            time = np.arange(length)[:, None] / 100
            wave = 0.4 * np.sin(time * generator.uniform(1, 30, (1, max(channels, 1)))) + 0.3 * np.sin(time * 7)
            wave = np.clip(wave + generator.normal(0, 0.02, wave.shape), -1, 1)
            kind = to_numpy(dtype)
            moved = (wave + 1) / 2 if kind.kind == "u" else wave
            scaled = wave if kind.kind == "f" else moved * (np.iinfo(kind).max * (1 - 2.0**-20))
            made.append((scaled if channels else scaled[:, 0]).astype(kind))
        return made

    return Data(make, dtype, "", f"sound {dtype.name}" + (f" {channels} channels" if channels else ""))


def files(sizes: Sequence[tuple[int, int]] = SIZES, form: str = "JPEG", channels: int = 3, **options: Any) -> Data:
    """Encoded pictures, as Pillow writes them; JPEG files have all samplings of chroma in turn."""

    def make() -> list[Array]:
        return [encoded(picture(*size, channels, seed=i), form, number=i, **options) for i, size in enumerate(sizes)]

    more = "".join(f" {key}={value}" for key, value in options.items())
    tiny = "" if tuple(sizes) == SIZES else " " + ",".join(f"{h}x{w}" for h, w in sizes)
    return Data(make, T.UINT8, "", f"{form} {channels} channels{more}{tiny}")


def sound_files(lengths: Sequence[int] = (1000, 317, 1, 4096), bits: int = 16, channels: int = 1) -> Data:
    """Encoded sounds: WAV files with integers of 8 to 32 `bits` or, for 0, floats; each has another rate."""

    def make() -> list[Array]:
        waves = sounds(lengths, channels=channels).samples()
        return [_wav(wave, bits, 8000 + 4000 * number) for number, wave in enumerate(waves)]

    tiny = " of " + ",".join(map(str, lengths)) if max(lengths) < 10 else ""
    return Data(make, T.UINT8, "", f"WAV {bits or 'float'} bits {channels} channels{tiny}")


def _wav(wave: Array, bits: int, rate: int) -> Array:
    size = (bits or 32) // 8
    if bits == 0:
        samples = wave.astype("<f4").tobytes()
    elif bits == 8:
        samples = (wave * 127 + 128).astype(np.uint8).tobytes()
    else:  # the upper bytes of 32 bits
        upper = (wave.astype(np.float64) * (2**31 - 1)).astype("<i4").reshape(-1, 1).view(np.uint8)[:, 4 - size :]
        samples = np.ascontiguousarray(upper).tobytes()
    channels = wave.shape[1]
    head = struct.pack("<HHIIHH", 1 if bits else 3, channels, rate, rate * channels * size, channels * size, size * 8)
    body = b"WAVEfmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", len(samples)) + samples
    return np.frombuffer(b"RIFF" + struct.pack("<I", len(body)) + body, np.uint8)


def encoded(array: Array, form: str, number: int = 0, **options: Any) -> Array:
    """The bytes of an image file; `number` chooses the sampling of a JPEG file's chroma."""
    from PIL import Image  # noqa: PLC0415 - only where pictures are encoded

    if form == "JPEG":
        options = {"quality": 85, "subsampling": number % 3, **options}
    stream = io.BytesIO()
    Image.fromarray(array[..., 0] if array.shape[2] == 1 else array).save(stream, form, **options)
    return np.frombuffer(stream.getvalue(), np.uint8)


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


# ------------------------------------------------------------------------------------------------ cases from a schema


def derived(
    schema: OperatorSchema, examples: Sequence[Mapping[str, Any]], layouts: Sequence[str] = ()
) -> tuple[Case, ...]:
    """The cases of an operator that offers none; of the layouts of the first input only `layouts`, if any are given.

    Each example (without any: values that its arguments accept) meets inputs of every element type and layout, of one
    pixel, and where any tensor is taken of any shape. Which of these the operator refuses is for its ``infer`` to say.
    """
    settings = list(examples) or [guessed(schema)]
    needed = [declared for declared in schema.inputs if not declared.optional]
    if not needed:
        return tuple(Case((), arguments) for arguments in settings)
    first, *others = needed
    if layouts:
        first = msgspec.structs.replace(first, layouts=tuple(layouts))
    rest = tuple(next(every(declared)) for declared in others)
    return tuple(Case((data, *rest), arguments) for arguments in settings for data in every(first))


def every(declared: InputSchema) -> Iterator[Data]:
    """Data of every element type and layout that an input may have; the commonest comes first."""
    if declared.kind == "encoded":
        yield files()
        yield files(form="PNG")
        yield files(channels=1)
        return
    dtypes = [T[name] for name in declared.dtypes] or list(NUMERIC)
    if declared.kind in ("image", "video", "mask", "any"):
        layouts = declared.layouts or (("FHWC",) if declared.kind == "video" else ("HWC", "CHW"))
        for layout in layouts:
            yield from (images(SIZES, dtype, layout) for dtype in dtypes)
        yield images(TINY, dtypes[0], layouts[0])
        yield images(SIZES, dtypes[0], layouts[0], channels=1)
        if declared.kind == "any" and not declared.layouts:
            some = dict.fromkeys(dtypes[:1] + dtypes[-3:])
            yield from (tensors(shapes, dtype) for shapes in SHAPES for dtype in some)
    elif declared.kind == "audio":
        chosen = [T[name] for name in declared.dtypes] or [T.FLOAT, T.INT16]
        yield from (sounds(dtype=dtype) for dtype in chosen)
    else:
        shapes: tuple[tuple[int, ...], ...] = {
            "boxes": ((5, 4), (1, 4), (0, 4), (3, 4)), "points": ((7, 2), (1, 2), (0, 2), (4, 2)), "label": ((1,),) * 4,
        }.get(declared.kind, ((),) * 4)  # fmt: skip
        chosen = [T[name] for name in declared.dtypes] or [T.INT32 if declared.kind == "label" else T.FLOAT]
        high = 1 if declared.kind in ("boxes", "points") else 100
        yield from (tensors(shapes, dtype, high=high) for dtype in chosen)


def guessed(schema: OperatorSchema) -> dict[str, Any]:
    """Values for the arguments that must be given."""
    return {argument.name: _guess(argument) for argument in schema.arguments if argument.required}


def _guess(argument: ArgumentSchema) -> Any:
    if argument.start is not None:
        return argument.start
    if argument.choices:
        return "FLOAT" if "FLOAT" in argument.choices else argument.choices[0]
    kind = argument.type.removesuffix("_list")
    low, high = argument.span or (argument.minimum, argument.maximum)
    middle = (low + high) / 2 if low is not None and high is not None else 1.0 if low is None else low + 1
    one: Any = {"float": middle, "int": round(middle), "bool": True}.get(kind, "")
    return (one,) * (argument.length[0] if argument.length else 1) if argument.type.endswith("_list") else one


def digest(cases: Sequence[Case]) -> str:
    """Tells one list of cases from another, by their names."""
    return f"{zlib.crc32(chr(10).join(sorted(case.name() for case in cases)).encode()):08x}"
