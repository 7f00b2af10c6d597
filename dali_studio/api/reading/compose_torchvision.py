"""What torchvision's transforms are in operators."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from dali_studio.api.reading.compose_rules import (
    COLOURS,
    IMAGENET,
    JITTER,
    ODD,
    P,
    Rule,
    State,
    Transform,
    fill_of,
    interpolation_of,
    jitter_writer,
    listed,
    normalized,
    number,
    numeric,
    pair_of,
    size_of,
    span_around,
    uniform,
    write_center_crop,
    write_gray,
    write_horizontal,
    write_invert,
    write_pad,
    write_random_crop,
    write_random_resized_crop,
    write_vertical,
)


def _resize(transform: Transform, state: State) -> Iterator[str]:
    size = size_of(transform.values.get("size"))
    more = interpolation_of(transform)
    if transform.values.get("antialias") is False:
        more += ", antialias=False"
    if len(size) > 1:
        yield f"images = fn.resize(images, size={listed(size)}{more})"
        return
    state.note(transform, "the longer side is rounded to the nearest whole number, and not down.")
    largest = transform.values.get("max_size")
    limit = f", max_size={listed((largest, largest))}" if isinstance(largest, int) else ""
    yield f"images = fn.resize(images, resize_shorter={number(next(iter(size)))}{limit}{more})"


def _rotation(transform: Transform, state: State) -> Iterator[str]:
    degrees = span_around(transform.values.get("degrees"), 0.0, (0.0, 0.0)) or (0.0, 0.0)
    if transform.values.get("center") is not None:
        state.note(transform, "the picture turns about its middle; center is left out.")
    keep = "" if transform.values.get("expand") else ", keep_size=True"
    more = interpolation_of(transform, "INTERP_NN")
    yield f"images = fn.rotate(images, angle={uniform(degrees)}{keep}, fill_value={number(fill_of(transform))}{more})"


def _blur(transform: Transform, state: State) -> Iterator[str]:
    del state
    kernel = size_of(transform.values.get("kernel_size"))  # x, y
    window = number(kernel[0]) if len(set(kernel)) == 1 else listed(kernel[::-1])
    sigma = transform.values.get("sigma", (0.1, 2.0))
    span = (float(sigma), float(sigma)) if isinstance(sigma, int | float) else pair_of(sigma, (0.1, 2.0))
    yield f"images = fn.gaussian_blur(images, window_size={window}, sigma={uniform(span)})"


def _erasing(transform: Transform, state: State) -> Iterator[str]:
    if state.scaled:
        yield from state.finished()
    area = pair_of(transform.values.get("scale"), (0.02, 0.33))
    low, high = pair_of(transform.values.get("ratio"), (0.3, 3.3))
    value = transform.values.get("value", 0)
    if isinstance(value, str):
        state.note(transform, "the hole is filled with 0 and not with noise.")
    yield f"area = {uniform(area)}"
    yield f"ratio = math.exp({uniform((math.log(low), math.log(high)))})"
    yield "extents = math.min(fn.stack(math.sqrt(area * ratio), math.sqrt(area / ratio)), 1.0)"
    yield "anchor = fn.random.uniform(range=[0, 1], shape=[2]) * (1.0 - extents)"
    yield (
        'images = fn.erase(images, anchor=anchor, shape=extents, axis_names="HW", normalized=True, '
        f"fill_value={number(numeric(value, 0.0))})"
    )


def _posterize(transform: Transform, state: State) -> Iterator[str]:
    del state
    mask = 256 - (1 << (8 - min(max(int(numeric(transform.values.get("bits"), 4)), 0), 8)))
    yield f"images = fn.cast(images & {mask}, dtype=types.UINT8)"


def _to_tensor(transform: Transform, state: State) -> Iterator[str]:
    del transform
    state.scaled = True
    return iter(())


def _nothing(transform: Transform, state: State) -> Iterator[str]:
    del transform, state
    return iter(())


def _normalize(transform: Transform, state: State) -> Iterator[str]:
    state.scaled = True  # torchvision normalises tensors alone
    mean, std = (list(transform.values.get(name) or IMAGENET[name]) for name in ("mean", "std"))
    return normalized(state, mean, std)


TORCHVISION: Mapping[str, Rule] = {
    "Resize": Rule(("size", "interpolation", "max_size", "antialias"), _resize),
    "CenterCrop": Rule(("size",), write_center_crop, note=ODD),
    "RandomCrop": Rule(("size", "padding", "pad_if_needed", "fill", "padding_mode"), write_random_crop),
    "RandomResizedCrop": Rule(("size", "scale", "ratio", "interpolation", "antialias"), write_random_resized_crop),
    "RandomHorizontalFlip": Rule(P, write_horizontal),
    "RandomVerticalFlip": Rule(P, write_vertical),
    "ColorJitter": Rule(JITTER, jitter_writer(dict.fromkeys(JITTER, 0)), note=COLOURS),
    "RandomRotation": Rule(("degrees", "interpolation", "expand", "center", "fill"), _rotation),
    "Grayscale": Rule(("num_output_channels",), write_gray),
    "RandomGrayscale": Rule(P, write_gray, 0.1),
    "GaussianBlur": Rule(("kernel_size", "sigma"), _blur),
    "Pad": Rule(("padding", "fill", "padding_mode"), write_pad),
    "RandomErasing": Rule(("p", "scale", "ratio", "value", "inplace"), _erasing, 0.5),
    "RandomInvert": Rule(P, write_invert, 0.5),
    "RandomPosterize": Rule(("bits", "p"), _posterize, 0.5),
    "Normalize": Rule(("mean", "std", "inplace"), _normalize),
    "ToTensor": Rule((), _to_tensor),
    "ConvertImageDtype": Rule(("dtype",), _to_tensor),
    "ToDtype": Rule(("dtype", "scale"), _to_tensor),
    "PILToTensor": Rule((), _nothing),
    "ToImage": Rule((), _nothing),
}
