"""What albumentations' transforms are in operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from dali_studio.api.reading import compose_rules as rules
from dali_studio.api.reading.compose_rules import Rule, State, Transform


def _resize_to(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "a picture that becomes smaller is filtered first; OpenCV takes single pixels of it.")
    size = (rules.numeric(transform.values.get("height"), 0), rules.numeric(transform.values.get("width"), 0))
    yield f"images = fn.resize(images, size={rules.listed(size)}{rules.interpolation_of(transform)})"


def _side(argument: str) -> Callable[[Transform, State], Iterator[str]]:
    def write(transform: Transform, state: State) -> Iterator[str]:
        state.note(transform, "a picture that becomes smaller is filtered first; OpenCV takes single pixels of it.")
        size = rules.size_of(transform.values.get("max_size", 1024))
        if len(size) > 1:
            state.note(transform, f"{size[0]} is taken of the sizes to choose from.")
        more = rules.interpolation_of(transform)
        yield f"images = fn.resize(images, {argument}={rules.number(next(iter(size)))}{more})"

    return write


def _rotate(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("border_mode") not in (None, 0, "border_constant"):
        state.note(transform, "what is new is filled with a constant.")
    span = rules.span_around(transform.values.get("limit", (-90, 90)), 0.0, (-90.0, 90.0)) or (0.0, 0.0)
    fill = rules.fill_of(transform, "fill" if "fill" in transform.values else "value")
    yield (
        f"images = fn.rotate(images, angle={rules.uniform(span)}, keep_size=True, fill_value={rules.number(fill)}"
        f"{rules.interpolation_of(transform)})"
    )


def _brightness_contrast(transform: Transform, state: State) -> Iterator[str]:
    spans = {
        name: rules.span_around(transform.values.get(f"{name}_limit", (-0.2, 0.2)), 0.0, (-0.2, 0.2)) or (0.0, 0.0)
        for name in ("brightness", "contrast")
    }
    if transform.values.get("brightness_by_max") is False:
        state.note(transform, "brightness is a part of the largest value, and not of the picture's mean.")
    low, high = spans["contrast"]
    yield (
        f"images = fn.brightness_contrast(images, brightness_shift={rules.uniform(spans['brightness'])}, "
        f"contrast={rules.uniform((1 + low, 1 + high))}, contrast_center=0)"
    )


def _hue_saturation(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "saturation and value are factors and not sums; shifts of 255 are a factor of 2.")
    parts: list[str] = []
    for name, argument, usual in (("hue", "hue", 20), ("sat", "saturation", 30), ("val", "value", 20)):
        span = rules.span_around(transform.values.get(f"{name}_shift_limit", (-usual, usual)), 0.0, (-usual, usual))
        if span and argument == "hue":  # OpenCV counts 180 steps to a circle
            parts.append(f"hue={rules.uniform((2 * span[0], 2 * span[1]))}")
        elif span:
            parts.append(f"{argument}={rules.uniform((1 + span[0] / 255, 1 + span[1] / 255))}")
    if parts:
        yield f"images = fn.hsv(images, {', '.join(parts)})"


def _blur_limited(transform: Transform, state: State) -> Iterator[str]:
    sigma = transform.values.get("sigma_limit", (0.5, 3.0))
    span = (0.0, float(sigma)) if isinstance(sigma, int | float) else rules.pair_of(sigma, (0.5, 3.0))
    limit = rules.size_of(transform.values.get("blur_limit", 0))
    window = ""
    if limit[-1]:
        state.note(transform, f"the window is always {limit[-1] | 1} wide.")
        window = f", window_size={limit[-1] | 1}"
    yield f"images = fn.gaussian_blur(images, sigma={rules.uniform((max(span[0], 0.1), max(span[1], 0.1)))}{window})"


def _median(transform: Transform, state: State) -> Iterator[str]:
    limit = rules.size_of(transform.values.get("blur_limit", 7))
    state.note(transform, f"the window is always {limit[-1] | 1} wide.")
    yield f"images = fn.experimental.median_blur(images, window_size={limit[-1] | 1})"


def _noise(transform: Transform, state: State) -> Iterator[str]:
    if "var_limit" in transform.values:
        low, high = rules.pair_of(transform.values["var_limit"], (10.0, 50.0))
        span = (math.sqrt(low), math.sqrt(high))
    else:
        low, high = rules.pair_of(transform.values.get("std_range"), (0.2, 0.44))
        span = (low * 255, high * 255)
    del state
    yield f"images = fn.noise.gaussian(images, stddev={rules.uniform(span)})"


def _compression(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "the loss is computed block by block as an encoder would, with small differences.")
    values = transform.values
    old = (values.get("quality_lower", 99), values.get("quality_upper", 100))
    low, high = rules.pair_of(values.get("quality_range"), rules.pair_of(old, (99.0, 100.0)))
    drawn = f"fn.random.uniform(range={rules.listed((low, high + 1))}, dtype=types.INT32)"
    quality = rules.number(low) if low == high else drawn
    yield f"images = fn.jpeg_compression_distortion(images, quality={quality})"


def _pad_if_needed(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("border_mode") not in (None, 0, "border_constant"):
        state.note(transform, "what is new is filled with a constant.")
    high, wide = (rules.numeric(transform.values.get(name), 1024) for name in ("min_height", "min_width"))
    fill = rules.fill_of(transform, "fill" if "fill" in transform.values else "value")
    yield "shape = fn.cast(images.shape(), dtype=types.FLOAT)"
    yield (
        f"images = fn.crop(images, crop_h=math.max(shape[0], {rules.number(high)}.0), "
        f"crop_w=math.max(shape[1], {rules.number(wide)}.0), "
        f'out_of_bounds_policy="pad", fill_values={rules.number(fill)})'
    )


def _normalize_pixels(transform: Transform, state: State) -> Iterator[str]:
    mean, std = (list(transform.values.get(name) or rules.IMAGENET[name]) for name in ("mean", "std"))
    return rules.normalized(state, mean, std, rules.numeric(transform.values.get("max_pixel_value"), 255.0))


def _to_planes(transform: Transform, state: State) -> Iterator[str]:
    del transform
    if not state.planar:
        state.planar = True
        yield 'images = fn.transpose(images, perm=[2, 0, 1], output_layout="CHW")'


_HW = ("height", "width")
ALBUMENTATIONS: Mapping[str, Rule] = {
    "Resize": Rule((*_HW, "interpolation"), _resize_to, 1.0),
    "SmallestMaxSize": Rule(("max_size", "interpolation"), _side("resize_shorter"), 1.0),
    "LongestMaxSize": Rule(("max_size", "interpolation"), _side("resize_longer"), 1.0),
    "CenterCrop": Rule(_HW, rules.write_center_crop, 1.0, note=rules.ODD),
    "RandomCrop": Rule(_HW, rules.write_random_crop, 1.0, example={"height": 224, "width": 224}),
    "RandomResizedCrop": Rule(
        ("size", "scale", "ratio", "interpolation"), rules.write_random_resized_crop, 1.0, example={"size": (224, 224)}
    ),
    "HorizontalFlip": Rule(rules.P, rules.write_horizontal),
    "VerticalFlip": Rule(rules.P, rules.write_vertical),
    "Rotate": Rule(("limit", "interpolation", "border_mode"), _rotate, 0.5),
    "ColorJitter": Rule(
        rules.JITTER, rules.jitter_writer({**dict.fromkeys(rules.JITTER[:3], (0.8, 1.2)), "hue": (-0.5, 0.5)}), 0.5,
        note=rules.COLOURS,
    ),
    "RandomBrightnessContrast": Rule(("brightness_limit", "contrast_limit"), _brightness_contrast, 0.5),
    "HueSaturationValue": Rule(("hue_shift_limit", "sat_shift_limit", "val_shift_limit"), _hue_saturation, 0.5),
    "GaussianBlur": Rule(("blur_limit", "sigma_limit"), _blur_limited, 0.5),
    "MedianBlur": Rule(("blur_limit",), _median, 0.5),
    "GaussNoise": Rule(("std_range",), _noise, 0.5),
    "ImageCompression": Rule((), _compression, 0.5),
    "InvertImg": Rule(rules.P, rules.write_invert, 0.5),
    "ToGray": Rule(("num_output_channels", "method"), rules.write_gray, 0.5),
    "PadIfNeeded": Rule(
        ("min_height", "min_width"), _pad_if_needed, 1.0,
        note="where an odd number of pixels is missing, the one more may lie on the other side.",
    ),
    "Normalize": Rule(("mean", "std", "max_pixel_value"), _normalize_pixels, 1.0),
    "ToTensorV2": Rule((), _to_planes),
}
