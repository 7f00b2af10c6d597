"""Transforms that torchvision and albumentations both have, as operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from dali_studio.api.reading.composed.rules import (
    State,
    Transform,
    coin,
    fills_of,
    interpolation_of,
    listed,
    number,
    numeric,
    pair_of,
    size_of,
    span_around,
    square,
    uniform,
)

#: Parameters of flips and of changes of colour.
P = ("p",)
JITTER = ("brightness", "contrast", "saturation", "hue")
ODD = "where sizes differ by an odd number, the window may lie a pixel further on."
BLOCKS = "the loss is computed block by block as an encoder would, with small differences."
#: What is different about each change of colour.
_COLOURS = {
    "contrast": "contrast is about the middle grey and not the picture's mean",
    "hue": "hue turns in YIQ and not in HSV",
}


def told_of_colours(names: Sequence[str] = JITTER) -> str:
    """What is different about some changes of colour; empty if nothing is."""
    words = [words for name, words in _COLOURS.items() if name in names]
    words += ["the order of the changes is fixed"] if len(names) > 1 else []
    return f"{', and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}." if words else ""


def write_center_crop(transform: Transform, state: State) -> Iterator[str]:
    """The middle of a picture, with zeros where it is too small."""
    del state
    yield f'images = fn.crop(images, crop={square(_size(transform))}, out_of_bounds_policy="pad")'


def _size(transform: Transform) -> Any:
    return transform.values.get("size") or (transform.values.get("height"), transform.values.get("width"))


def write_random_crop(transform: Transform, state: State) -> Iterator[str]:
    """A window anywhere."""
    transform.values.get("pad_if_needed")  # it always is
    if transform.values.get("padding"):
        yield from write_pad(transform, state)
    yield "positions = fn.random.uniform(range=[0, 1], shape=[2])"
    fill = fills_of(transform)
    more = "" if fill == "0" else f", fill_values={fill}"
    yield (
        f"images = fn.crop(images, crop={square(_size(transform))}, crop_pos_y=positions[0], crop_pos_x=positions[1], "
        f'out_of_bounds_policy="pad"{more})'
    )


def write_random_resized_crop(transform: Transform, state: State) -> Iterator[str]:
    """A window of a random area and ratio, at one size."""
    del state
    values = transform.values
    area, ratio = pair_of(values.get("scale"), (0.08, 1.0)), pair_of(values.get("ratio"), (3 / 4, 4 / 3))
    yield (
        f"images = fn.random_resized_crop(images, size={square(_size(transform))}, random_area={listed(area)}, "
        f"random_aspect_ratio={listed(ratio)}{interpolation_of(transform)})"
    )


def write_horizontal(transform: Transform, state: State) -> Iterator[str]:
    """A mirror with a probability."""
    del state
    yield f"images = fn.flip(images, horizontal={coin(numeric(transform.values.get('p'), 0.5))})"


def write_vertical(transform: Transform, state: State) -> Iterator[str]:
    """As `write_horizontal`, upside down."""
    del state
    yield f"images = fn.flip(images, horizontal=0, vertical={coin(numeric(transform.values.get('p'), 0.5))})"


def jitter_writer(usual: Mapping[str, Any]) -> Callable[[Transform, State], Iterator[str]]:
    """Changes of colour, with a package's defaults."""

    def write(transform: Transform, state: State) -> Iterator[str]:
        parts: list[str] = []
        for name in JITTER[:3]:
            span = span_around(transform.values.get(name, usual[name]), 1.0, (1.0, 1.0))
            parts += [f"{name}={uniform(span)}"] if span else []
        span = span_around(transform.values.get("hue", usual["hue"]), 0.0, (0.0, 0.0))
        parts += [f"hue={uniform((span[0] * 360, span[1] * 360))}"] if span else []
        if told := told_of_colours([part.partition("=")[0] for part in parts]):
            state.note(transform, told)
        if parts:
            yield f"images = fn.color_twist(images, {', '.join(parts)})"

    return write


def write_gray(transform: Transform, state: State) -> Iterator[str]:
    """One channel, or three equal ones."""
    del state
    yield "images = fn.color_space_conversion(images, image_type=types.RGB, output_type=types.GRAY)"
    if transform.values.get("num_output_channels", 3 if transform.name != "Grayscale" else 1) == 3:
        yield "images = fn.color_space_conversion(images, image_type=types.GRAY, output_type=types.RGB)"


def write_invert(transform: Transform, state: State) -> Iterator[str]:
    """The negative."""
    del transform, state
    yield "images = fn.cast(255 - images, dtype=types.UINT8)"


def write_pad(transform: Transform, state: State) -> Iterator[str]:
    """A margin."""
    if transform.values.get("padding_mode", "constant") != "constant":
        state.note(transform, "what is new is filled with a constant.")
    given = size_of(transform.values.get("padding"))  # all; x, y; or left, top, right, bottom
    left, top = given[0], given[1 % len(given)]
    right, bottom = given[2 % len(given)], given[3 % len(given)]
    yield "shape = fn.cast(images.shape(), dtype=types.FLOAT)"
    places = [
        f"crop_pos_{axis}={number(first / (first + last) if first + last else 0.5)}"
        for axis, first, last in (("x", left, right), ("y", top, bottom))
    ]
    yield (
        f"images = fn.crop(images, crop_h=shape[0] + {top + bottom}, crop_w=shape[1] + {left + right}, "
        f'{", ".join(places)}, out_of_bounds_policy="pad", fill_values={fills_of(transform)})'
    )
