"""Data to try operators with, made only when it is asked for, and the cases that follow from a schema."""

from __future__ import annotations

import functools
import io
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
#: Roles of operators that cannot be tried alone: those by which data comes or moves, and halves of a condition.
NOT_ALONE = ("external_source", "copy", "split", "merge")
#: Large enough for the windows of most examples, of odd shapes, longer and shorter than a vector.
SIZES: tuple[tuple[int, int], ...] = ((57, 43), (64, 91), (41, 53), (33, 40))
#: At the edges of images: one pixel, one row, one column.
TINY: tuple[tuple[int, int], ...] = ((1, 1), (1, 7), (6, 1), (3, 5))
#: Images without pixels among others, as windows may leave them.
PARTLY_EMPTY: tuple[tuple[int, int], ...] = ((5, 6), (0, 4), (3, 0))
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


def on_gpu_alone(cases: Iterable[Case]) -> list[Case]:
    """Cases of an operator that nvidia.dali has on the GPU alone."""
    note = "nvidia.dali has it on the GPU alone"
    return [Case(one.inputs, one.arguments, one.refused, peer=False, note=note) for one in cases]


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
    return _picture(height, width, channels, np.dtype(dtype), seed).copy()


@functools.lru_cache(2048)
def _picture(height: int, width: int, channels: int, kind: np.dtype[Any], seed: int) -> Array:
    """The same, for all who do not write into it: thousands of cases ask for hundreds of pictures."""
    generator = np.random.default_rng([seed, height, width, channels])
    y, x, c = np.ogrid[0:height, 0:width, 0:channels]
    phase = generator.uniform(0, 6, 3)
    waves = np.sin(y / 7.0 + phase[0] + c) + np.cos(x / 5.0 + phase[1] - c) + np.sin((x + y) / 23.0 + phase[2])
    values = 127.5 + 35 * waves + generator.normal(0, 8, (height, width, channels))
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
    made = [_picture(*size, count, to_numpy(dtype), seed + 100 * i) for i in range(others ** len(more))]
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
