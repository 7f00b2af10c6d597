"""What single operators are measured with: the values that the documentation shows, and cases of their tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import resident
from duel_programs import PICTURE

from dali_studio.core.enums import DALIDataType
from dali_studio.schema.model import InputSchema, OperatorSchema
from dali_studio.schema.samples import Array, Case, Data, files, images, sound_files, sounds, tensors, values

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS / name) for name in ("", "compat", "conformance")]  # as conftest.py does

from subjects import EXAMPLES, Subject, pipeline, samples  # noqa: E402 - it lies in one of them


def _settings(operator: str, batch: int) -> list[dict[str, Any]]:
    """Settings of their own: what the cases give depends on the size of their batches, or has been slow."""
    if operator == "color_space_conversion":
        return [{"image_type": "GRAY", "output_type": "RGB"}]
    if operator == "permute_batch":
        return [{"indices": values(*range(batch)[::-1], dtype=DALIDataType.INT32, label="reversed")}]
    return []


_VOLUMES = ((64, 128, 128, 1), (96, 96, 96, 1), (48, 160, 112, 1), (80, 128, 96, 1))


def _volumes(operator: str) -> list[Case]:
    """Warps of volumes, whose kernels are others than those of images."""
    settings: dict[str, dict[str, Any]] = {
        "rotate": {"angle": 25.0, "axis": (1.0, 2.0, -1.0), "keep_size": True, "fill_value": 0.0},
        "warp_affine": {"matrix": (1.0, 0.1, 0.0, -4.0, 0.0, 0.9, 0.2, 3.0, 0.1, 0.0, 1.1, -5.0), "fill_value": 0.0},
    }
    if operator not in settings:
        return []
    bytes_, floats = (tensors(_VOLUMES, dtype, "DHWC", 0, 255) for dtype in (DALIDataType.UINT8, DALIDataType.FLOAT))
    linear = settings[operator]
    return [Case((bytes_,), linear), Case((floats,), linear), Case((bytes_,), {**linear, "interp_type": "INTERP_NN"})]


_SIZES = (PICTURE,) * 4
#: As many pixels on the whole, in pictures of different shapes.
_RAGGED = ((480, 640), (375, 500), (640, 427), (600, 750))
#: Samples of a sound.
_LENGTH = 32_000


@cache
def cases(operator: str, most: int, batch: int, device: str = "cpu") -> tuple[Case, ...]:
    """Cases of an operator that nvidia.dali has on the device; `most` of them are taken from its tests."""
    offered = [one for one in EXAMPLES if one.operator == operator and device in one.schema.devices]
    found = [one for one in offered if one.peer]
    if device == "gpu":  # what nvidia.dali has there alone is compared by no test on the CPU
        offered = [one for one in offered if one.case.inputs]
        found = [one for one in found if one.case.inputs] or [one for one in offered if not one.lacking]
    if not found:
        return ()
    if device == "gpu" and operator == "mel_filter_bank":  # nvidia.dali takes spectra of one height there
        return (Case((tensors(((257, 400),) * 4, layout="ft"),), {"nfilter": 80, "sample_rate": 16000.0}),)
    schema = found[0].schema
    made = [one.case for one in sorted(found, key=_is_small)]
    shown = [] if schema.shown is None else [schema.shown]
    given = [Case((images(_SIZES, channels=_channels(one)),), one) for one in [*shown, *_settings(operator, batch)]]
    if device == "gpu":
        given += _volumes(operator)
    return (*given, *made[: most if given else max(most, 1)])


def _is_small(subject: Subject) -> bool:
    """Whether a case is about something other than images."""
    inputs = subject.case.inputs
    return bool(inputs) and not inputs[0].layout.startswith("HWC")


def _channels(arguments: Any) -> int:
    return 1 if arguments.get("image_type") == "GRAY" else 3


def operators(device: str = "cpu") -> Iterator[str]:
    """Names of all that are measured."""
    names = dict.fromkeys(one.operator for one in EXAMPLES)
    yield from (name for name in names if cases(name, 1, 1, device))


def prepared(
    operator: str, number: int, most: int, batch: int, device: str = "cpu", *, large: bool, ragged: bool = False
) -> Subject:
    """One of the `cases` with the samples of a whole batch, which are those of the case repeated.

    Parameters
    ----------
    large : bool
        Whether images, encoded ones, and sounds are made as large as people have them.
    ragged : bool
        Whether the large images are of different shapes.
    """
    case = cases(operator, most, batch, device)[number]
    sizes = _RAGGED if ragged else _SIZES
    inputs = _large(Subject(operator, case).schema, case.inputs, sizes) if large else case.inputs
    arguments = {
        name: _repeated(value, batch) if isinstance(value, Data) else value for name, value in case.arguments.items()
    }
    return Subject(operator, replace(case, inputs=tuple(_repeated(one, batch) for one in inputs), arguments=arguments))


def build(subject: Subject, engine: str, prefix: str, batch: int, threads: int, device: str = "cpu") -> Any:
    """A pipeline of the operator alone under ``dali_studio`` or ``nvidia.dali``; inputs lie where it runs, not copied."""
    samples.cache_clear()  # the batches of the operator before
    resident.release()
    held = (lambda data: resident.held(engine, samples(data), data.layout)) if device == "gpu" else None
    return pipeline(subject, prefix, device, batch_size=batch, num_threads=threads, no_copy=True, held=held)


def _repeated(data: Data, batch: int) -> Data:
    """A whole batch, each sample with memory of its own."""

    def make() -> list[Array]:
        given = data.samples()
        return [given[number % len(given)].copy() for number in range(batch)]

    return replace(data, make=make, label=data.label.replace(_label(_SIZES), _label(_SIZES[:1])))


def has_different_images(case: str) -> bool:
    """Whether a case, by its name, is about large images of different shapes."""
    return _label(_RAGGED) in case


def _label(sizes: Sequence[tuple[int, int]]) -> str:
    """These, as labels of data have them."""
    return ",".join(f"{height}x{width}" for height, width in sizes)


def _large(schema: OperatorSchema, inputs: tuple[Data, ...], sizes: Sequence[tuple[int, int]]) -> tuple[Data, ...]:
    """Larger data in place of the first input, and of those that have its layout."""
    if not inputs or not schema.inputs:
        return inputs
    larger = _larger(schema.inputs[0], inputs[0], sizes)
    return tuple(
        larger if number == 0 or one.layout == inputs[0].layout != "" else one for number, one in enumerate(inputs)
    )


def _larger(declared: InputSchema, data: Data, sizes: Sequence[tuple[int, int]]) -> Data:
    first, layout = data.samples()[0], data.layout
    extents = dict(zip(layout, first.shape, strict=False))
    if {"H", "W"} <= extents.keys() <= set("FHWC") and declared.kind != "mask":
        return images(sizes, data.dtype, layout, extents.get("C", 1), extents.get("F", 1))
    if declared.kind == "audio":
        made = sounds((_LENGTH,) * 4, data.dtype, first.shape[1] if first.ndim > 1 else 0)
        return replace(made, label=f"{made.label} of {_LENGTH}")
    if declared.kind == "encoded" and first[:4].tobytes() == b"RIFF":
        made = sound_files((_LENGTH,) * 4)
        return replace(made, label=f"{made.label} of {_LENGTH}")
    if declared.kind == "encoded" and (form := _form(first)):
        return files(sizes, *form)
    return data


def _form(file: Array) -> tuple[str, int] | None:
    """Format and channels of an image file."""
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(file.tobytes())) as image:
            return str(image.format), 1 if image.mode == "L" else 3
    except UnidentifiedImageError:
        return None
