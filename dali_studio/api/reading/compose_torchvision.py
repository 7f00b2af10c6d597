"""What torchvision's transforms are in operators."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from dali_studio.api.reading import compose_rules as rules
from dali_studio.api.reading.compose_rules import Rule, State, Transform


def _resize(transform: Transform, state: State) -> Iterator[str]:
    size = rules.size_of(transform.values.get("size"))
    more = rules.interpolation_of(transform)
    if transform.values.get("antialias") is False:
        more += ", antialias=False"
    if len(size) > 1:
        yield f"images = fn.resize(images, size={rules.listed(size)}{more})"
        return
    state.note(transform, "the longer side is rounded to the nearest whole number, and not down.")
    largest = transform.values.get("max_size")
    limit = f", max_size={rules.listed((largest, largest))}" if isinstance(largest, int) else ""
    yield f"images = fn.resize(images, resize_shorter={rules.number(next(iter(size)))}{limit}{more})"


def _rotation(transform: Transform, state: State) -> Iterator[str]:
    degrees = rules.span_around(transform.values.get("degrees"), 0.0, (0.0, 0.0)) or (0.0, 0.0)
    if transform.values.get("center") is not None:
        state.note(transform, "the picture turns about its middle; center is left out.")
    keep = "" if transform.values.get("expand") else ", keep_size=True"
    more = rules.interpolation_of(transform, "INTERP_NN")
    fill = rules.number(rules.fill_of(transform))
    yield f"images = fn.rotate(images, angle={rules.uniform(degrees)}{keep}, fill_value={fill}{more})"


def _blur(transform: Transform, state: State) -> Iterator[str]:
    del state
    kernel = rules.size_of(transform.values.get("kernel_size"))  # x, y
    window = rules.number(kernel[0]) if len(set(kernel)) == 1 else rules.listed(kernel[::-1])
    sigma = transform.values.get("sigma", (0.1, 2.0))
    span = (float(sigma), float(sigma)) if isinstance(sigma, int | float) else rules.pair_of(sigma, (0.1, 2.0))
    yield f"images = fn.gaussian_blur(images, window_size={window}, sigma={rules.uniform(span)})"


def _erasing(transform: Transform, state: State) -> Iterator[str]:
    if state.scaled:
        yield from state.finished()
    area = rules.pair_of(transform.values.get("scale"), (0.02, 0.33))
    low, high = rules.pair_of(transform.values.get("ratio"), (0.3, 3.3))
    value = transform.values.get("value", 0)
    if isinstance(value, str):
        state.note(transform, "the hole is filled with 0 and not with noise.")
    yield f"area = {rules.uniform(area)}"
    yield f"ratio = math.exp({rules.uniform((math.log(low), math.log(high)))})"
    yield "extents = math.min(fn.stack(math.sqrt(area * ratio), math.sqrt(area / ratio)), 1.0)"
    yield "anchor = fn.random.uniform(range=[0, 1], shape=[2]) * (1.0 - extents)"
    yield (
        'images = fn.erase(images, anchor=anchor, shape=extents, axis_names="HW", normalized=True, '
        f"fill_value={rules.number(rules.numeric(value, 0.0))})"
    )


def _posterize(transform: Transform, state: State) -> Iterator[str]:
    del state
    mask = 256 - (1 << (8 - min(max(int(rules.numeric(transform.values.get("bits"), 4)), 0), 8)))
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
    mean, std = (list(transform.values.get(name) or rules.IMAGENET[name]) for name in ("mean", "std"))
    return rules.normalized(state, mean, std)


_SIZE = {"size": 224}
TORCHVISION: Mapping[str, Rule] = {
    "Resize": Rule(("size", "interpolation", "max_size", "antialias"), _resize),
    "CenterCrop": Rule(("size",), rules.write_center_crop, note=rules.ODD),
    "RandomCrop": Rule(
        ("size", "padding", "pad_if_needed", "fill", "padding_mode"), rules.write_random_crop, example=_SIZE
    ),
    "RandomResizedCrop": Rule(
        ("size", "scale", "ratio", "interpolation", "antialias"), rules.write_random_resized_crop, example=_SIZE
    ),
    "RandomHorizontalFlip": Rule(rules.P, rules.write_horizontal),
    "RandomVerticalFlip": Rule(rules.P, rules.write_vertical),
    "ColorJitter": Rule(
        rules.JITTER, rules.jitter_writer(dict.fromkeys(rules.JITTER, 0)), note=rules.COLOURS,
        example={**dict.fromkeys(rules.JITTER[:3], 0.4), "hue": 0.1},
    ),
    "RandomRotation": Rule(
        ("degrees", "interpolation", "expand", "center", "fill"), _rotation, example={"degrees": 30}
    ),
    "Grayscale": Rule(("num_output_channels",), rules.write_gray),
    "RandomGrayscale": Rule(rules.P, rules.write_gray, 0.1),
    "GaussianBlur": Rule(("kernel_size", "sigma"), _blur, example={"kernel_size": 5}),
    "Pad": Rule(("padding", "fill", "padding_mode"), rules.write_pad),
    "RandomErasing": Rule(("p", "scale", "ratio", "value", "inplace"), _erasing, 0.5),
    "RandomInvert": Rule(rules.P, rules.write_invert, 0.5),
    "RandomPosterize": Rule(("bits", "p"), _posterize, 0.5),
    "Normalize": Rule(("mean", "std", "inplace"), _normalize),
    "ToTensor": Rule((), _to_tensor),
    "ConvertImageDtype": Rule(("dtype",), _to_tensor),
    "ToDtype": Rule(("dtype", "scale"), _to_tensor),
    "PILToTensor": Rule((), _nothing),
    "ToImage": Rule((), _nothing),
}
