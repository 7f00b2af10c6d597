"""What torchvision's transforms are in operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from dali_studio.api.reading.composed import common, effects, rules
from dali_studio.api.reading.composed.rules import Rule, State, Transform


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
    if transform.values.get("size") is None and isinstance(largest, int):
        yield f"images = fn.resize(images, resize_longer={rules.number(largest)}{more})"
        return
    limit = f", max_size={rules.listed((largest, largest))}" if isinstance(largest, int) else ""
    yield f"images = fn.resize(images, resize_shorter={rules.number(next(iter(size)))}{limit}{more})"


def _rotation(transform: Transform, state: State) -> Iterator[str]:
    degrees = rules.span_around(transform.values.get("degrees"), 0.0, (0.0, 0.0)) or (0.0, 0.0)
    if transform.values.get("center") is not None:
        state.note(transform, "the picture turns about its middle; center is left out.")
    keep = "" if transform.values.get("expand") else ", keep_size=True"
    more = rules.interpolation_of(transform, "INTERP_NN")
    fill = rules.fill_of(transform, state)
    yield f"images = fn.rotate(images, angle={rules.uniform(degrees)}{keep}, fill_value={fill}{more})"


def _blur(transform: Transform, state: State) -> Iterator[str]:
    del state
    kernel = rules.size_of(transform.values.get("kernel_size"))  # x, y
    window = rules.number(kernel[0]) if len(set(kernel)) == 1 else rules.listed(kernel[::-1])
    sigma = transform.values.get("sigma", (0.1, 2.0))
    span = (float(sigma), float(sigma)) if isinstance(sigma, int | float) else rules.pair_of(sigma, (0.1, 2.0))
    yield f"images = fn.gaussian_blur(images, window_size={window}, sigma={rules.uniform(span)})"


def _posterize(transform: Transform, state: State) -> Iterator[str]:
    del state
    bits = rules.numeric(transform.values.get("bits"), 4)
    return effects.posterized((bits, bits))


def _affine(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("center") is not None:
        state.note(transform, "the picture turns about its middle; center is left out.")
    x, y = rules.pair_of(transform.values.get("translate"), (0.0, 0.0))
    given = transform.values.get("shear")
    across = cast("Sequence[float]", given)[2:4] if isinstance(given, list | tuple) else ()
    return effects.affine(
        transform, state, turned=effects.around(transform, "degrees", (0.0, 0.0)), moved=((-x, x), (-y, y)),
        scaled=rules.pair_of(transform.values.get("scale"), (1, 1)), usual="INTERP_NN",
        sheared=(effects.around(transform, "shear", (0.0, 0.0)), rules.pair_of(across, (0.0, 0.0))),
    )  # fmt: skip


def _solarize(transform: Transform, state: State) -> Iterator[str]:
    del state
    return effects.solarized(effects.span_of(transform, "threshold", (128, 128)))


def _sharpness(transform: Transform, state: State) -> Iterator[str]:
    del state
    return effects.sharpened(rules.numeric(transform.values.get("sharpness_factor"), 2.0))


def _noise(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "it is added to whole levels from 0 to 255, and rounded.")
    usual = (("mean", 0.0), ("sigma", 0.1))
    mean, sigma = (255 * rules.numeric(transform.values.get(name), default) for name, default in usual)
    yield f"images = fn.noise.gaussian(images, mean={rules.number(mean)}, stddev={rules.number(sigma)})"


def _distort(transform: Transform, state: State) -> Iterator[str]:
    p = rules.numeric(transform.values.get("p"), 0.5)
    usual = {"brightness": (0.875, 1.125), "contrast": (0.5, 1.5), "saturation": (0.5, 1.5), "hue": (-0.05, 0.05)}
    for name, span in usual.items():
        low, high = effects.span_of(transform, name, span)
        drawn = rules.uniform((360 * low, 360 * high) if name == "hue" else (low, high))
        yield from state.perhaps(p, [f"images = fn.{name}(images, {name}={drawn})"])


def _windows(transform: Transform, state: State) -> Iterator[str]:
    """The windows of the corners and the middle; of `TenCrop` also those of the mirrored picture."""
    size = rules.square(transform.values.get("size"))
    pictures = ["images"]
    if transform.name == "TenCrop":
        upright = "horizontal=0, vertical=1" if transform.values.get("vertical_flip") is True else "horizontal=1"
        yield f"mirrored = fn.flip(images, {upright})"
        pictures.append("mirrored")
    windows = [
        f"fn.crop({picture}, crop={size}, crop_pos_x={x}, crop_pos_y={y})"
        for picture in pictures for x, y in ((0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5))
    ]  # fmt: skip
    names = [f"window_{at}" for at in range(1, len(windows) + 1)]
    yield from (f"{name} = {window}" for name, window in zip(names, windows, strict=True))
    yield f'images = fn.stack({", ".join(names)}, axis_name="F")'
    state.windows = True


def _zoom_out(transform: Transform, state: State) -> Iterator[str]:
    del state
    span = effects.span_of(transform, "side_range", (1.0, 4.0))
    yield f"ratio = {rules.uniform(span)}"
    yield "places = fn.random.uniform(range=[0, 1], shape=[2])"
    fill = rules.fills_of(transform)
    each = fill if fill.startswith("[") else f"[{fill}, {fill}, {fill}]"
    yield f"images = fn.paste(images, ratio=ratio, paste_x=places[0], paste_y=places[1], fill_value={each})"


def _scale_jitter(transform: Transform, state: State) -> Iterator[str]:
    del state
    high, wide = rules.pair_of(transform.values.get("target_size"), (224, 224))
    yield f"scale = {rules.uniform(effects.span_of(transform, 'scale_range', (0.1, 2.0)))}"
    yield (
        f"images = fn.resize(images, resize_y=scale * {rules.number(high)}, resize_x=scale * {rules.number(wide)}, "
        f'mode="not_larger"{rules.interpolation_of(transform)})'
    )


def _random_resize(transform: Transform, state: State) -> Iterator[str]:
    del state
    usual = (("min_size", 224), ("max_size", 257))
    low, high = (rules.numeric(transform.values.get(name), default) for name, default in usual)
    yield f"shorter = fn.cast({effects.whole((low, high - 1))}, dtype=types.FLOAT)"
    yield f"images = fn.resize(images, resize_shorter=shorter{rules.interpolation_of(transform)})"


def _random_side(transform: Transform, state: State) -> Iterator[str]:
    del state
    sizes = rules.listed(rules.size_of(transform.values.get("min_size")))
    largest = transform.values.get("max_size")
    limit = f", max_size={rules.listed((largest, largest))}" if isinstance(largest, int) else ""
    yield f"shorter = fn.random.uniform(values={sizes})"
    yield f"images = fn.resize(images, resize_shorter=shorter{limit}{rules.interpolation_of(transform)})"


def _jpeg(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, common.BLOCKS)
    quality = effects.whole(effects.span_of(transform, "quality", (50, 50)))
    yield f"images = fn.jpeg_compression_distortion(images, quality={quality})"


#: What torchvision moves at most, as a part of the size.
_SHIFT = f"shape=images.shape(), max_translate_rel={rules.number(150 / 331)}"
#: torchvision's policies, as they are called here.
_POLICIES = {"imagenet": "reduced_image_net", "cifar10": "reduced_cifar10", "svhn": "svhn"}
_AUTO = (
    "magnitudes are of 11 bins and not of 10, colours go from 0.1 to 1.9 and not either way, posterize leaves 1 to 4 "
    "bits and not 4 to 8, and solarize's threshold rises"
)
_AUGMENTED = "levels are equalized as OpenCV does, and sharpness filters the border, too"


def _augmented(transform: Transform, state: State, call: str, told: str) -> Iterator[str]:
    """A call of `auto_aug`, with what comes in at the border and how it is sampled."""
    interpolation = rules.interpolation_of(transform, "INTERP_NN")
    if interpolation and "NN" not in interpolation:
        interpolation, told = "", f"{told}; pixels are interpolated linearly"
    state.note(transform, f"{told}.")
    fill = rules.fill_of(transform, state)
    yield f"images = {call}, fill_value={fill}{interpolation})"


def _rand_augment(transform: Transform, state: State) -> Iterator[str]:
    usual = (("num_ops", 2), ("magnitude", 9), ("num_magnitude_bins", 31))
    n, m, bins = (rules.number(rules.numeric(transform.values.get(name), default)) for name, default in usual)
    more = "" if bins == "31" else f"num_magnitude_bins={bins}, "
    return _augmented(transform, state, f"rand_augment.rand_augment(images, n={n}, m={m}, {more}{_SHIFT}", _AUGMENTED)


def _auto_augment(transform: Transform, state: State) -> Iterator[str]:
    name = _POLICIES.get(str(transform.values.get("policy", "imagenet")).lower(), "")
    if not name:
        state.note(transform, "its policy is not known; that of ImageNet is taken.")
        name = _POLICIES["imagenet"]
    more = "" if name == _POLICIES["imagenet"] else f", {_SHIFT}"  # which moves nothing
    call = f'auto_augment.auto_augment(images, "{name}"{more}'
    return _augmented(transform, state, call, f"{_AUTO}; {_AUGMENTED}")


def _trivial_augment(transform: Transform, state: State) -> Iterator[str]:
    bins = rules.number(rules.numeric(transform.values.get("num_magnitude_bins"), 31))
    more = "" if bins == "31" else f", num_magnitude_bins={bins}"
    told = f"{_AUGMENTED}; colours change by 0.01 or more"
    return _augmented(transform, state, f"trivial_augment.trivial_augment_wide(images{more}", told)


def _to_tensor(transform: Transform, state: State) -> Iterator[str]:
    del transform
    state.scaled, state.unit = True, 255.0
    return iter(())


def _to_dtype(transform: Transform, state: State) -> Iterator[str]:
    dtype: Any = transform.values.get("dtype", "float32")
    if isinstance(dtype, dict):  # of each kind of data
        dtype = next(iter(cast("dict[Any, Any]", dtype).values()), None)
    is_float = "float" in str(dtype)
    if is_float and not state.scaled:
        state.unit = 255.0 if transform.values.get("scale", transform.name != "ToDtype") else 1.0
    state.scaled = is_float
    return iter(())


def _nothing(transform: Transform, state: State) -> Iterator[str]:
    del transform, state
    return iter(())


def _normalize(transform: Transform, state: State) -> Iterator[str]:
    state.scaled = True  # torchvision normalises tensors alone
    mean, std = (rules.numbers(transform.values.get(name), rules.IMAGENET[name]) for name in ("mean", "std"))
    return rules.normalized(state, mean, std)


_SIZE = {"size": 224}
TORCHVISION: Mapping[str, Rule] = {
    "Resize": Rule(("size", "interpolation", "max_size", "antialias"), _resize, example=_SIZE),
    "CenterCrop": Rule(("size",), common.write_center_crop, note=common.ODD, example=_SIZE),
    "RandomCrop": Rule(
        ("size", "padding", "pad_if_needed", "fill", "padding_mode"), common.write_random_crop, example=_SIZE
    ),
    "RandomResizedCrop": Rule(
        ("size", "scale", "ratio", "interpolation", "antialias"), common.write_random_resized_crop, example=_SIZE
    ),
    "RandomHorizontalFlip": Rule(common.P, common.write_horizontal),
    "RandomVerticalFlip": Rule(common.P, common.write_vertical),
    "ColorJitter": Rule(
        common.JITTER, common.jitter_writer(dict.fromkeys(common.JITTER, 0)),
        example={**dict.fromkeys(common.JITTER[:3], 0.4), "hue": 0.1},
    ),
    "RandomRotation": Rule(
        ("degrees", "interpolation", "expand", "center", "fill"), _rotation, example={"degrees": 30}
    ),
    "Grayscale": Rule(("num_output_channels",), common.write_gray),
    "RandomGrayscale": Rule(common.P, common.write_gray, 0.1),
    "GaussianBlur": Rule(("kernel_size", "sigma"), _blur, example={"kernel_size": 5}),
    "Pad": Rule(("padding", "fill", "padding_mode"), common.write_pad, example={"padding": 4}),
    "RandomErasing": Rule(("p", "scale", "ratio", "value", "inplace"), effects.erased, 0.5),
    "RandomInvert": Rule(common.P, common.write_invert, 0.5),
    "RandomPosterize": Rule(("bits", "p"), _posterize, 0.5, example={"bits": 4}),
    "RandomAffine": Rule(
        ("degrees", "translate", "scale", "shear", "interpolation", "fill", "center"), _affine,
        example={"degrees": 20, "translate": (0.1, 0.1), "scale": (0.8, 1.2)},
    ),
    "RandomEqualize": Rule(
        common.P, effects.EQUALIZED, 0.5, note="levels are counted as OpenCV does, not as PIL does."
    ),
    "RandomSolarize": Rule(("threshold", "p"), _solarize, 0.5, example={"threshold": 128}),
    "RandomAutocontrast": Rule(common.P, effects.STRETCHED, 0.5, note=effects.STRETCHED_NOTE),
    "RandomAdjustSharpness": Rule(
        ("sharpness_factor", "p"), _sharpness, 0.5, example={"sharpness_factor": 2},
        note="pixels at the border are filtered, too.",
    ),
    "RandomPerspective": Rule(
        ("distortion_scale", "p", "interpolation", "fill"), effects.perspective, 0.5,
        note="corners move by parts of pixels, too.",
    ),
    "FiveCrop": Rule(("size",), _windows, note=common.ODD, example=_SIZE),
    "TenCrop": Rule(("size", "vertical_flip"), _windows, note=common.ODD, example=_SIZE),
    "GaussianNoise": Rule(("mean", "sigma", "clip"), _noise),
    "RandomPhotometricDistort": Rule(
        (*common.JITTER, "p"), _distort, note=f"channels stay in their order; {common.told_of_colours()}"
    ),
    "RandomZoomOut": Rule(("fill", "side_range", "p"), _zoom_out, 0.5),
    "ScaleJitter": Rule(
        ("target_size", "scale_range", "interpolation", "antialias"), _scale_jitter, example={"target_size": (224, 224)}
    ),
    "RandomResize": Rule(
        ("min_size", "max_size", "interpolation", "antialias"), _random_resize,
        example={"min_size": 224, "max_size": 288},
    ),
    "RandomShortestSize": Rule(
        ("min_size", "max_size", "interpolation", "antialias"), _random_side, example={"min_size": (224, 256, 288)}
    ),
    "JPEG": Rule(("quality",), _jpeg, example={"quality": (30, 90)}),
    "RandAugment": Rule(("num_ops", "magnitude", "num_magnitude_bins", "interpolation", "fill"), _rand_augment),
    "AutoAugment": Rule(("policy", "interpolation", "fill"), _auto_augment),
    "TrivialAugmentWide": Rule(("num_magnitude_bins", "interpolation", "fill"), _trivial_augment),
    "Normalize": Rule(("mean", "std", "inplace"), _normalize, example=rules.IMAGENET),
    "ToTensor": Rule((), _to_tensor),
    "ConvertImageDtype": Rule(("dtype",), _to_dtype),
    "ToDtype": Rule(("dtype", "scale"), _to_dtype),
    "PILToTensor": Rule((), _nothing),
    **dict.fromkeys(
        ("ToImage", "ToPILImage", "ToPureTensor", "Identity", "RGB"), Rule((), _nothing),
    ),
    **dict.fromkeys(
        ("SanitizeBoundingBoxes", "SanitizeKeyPoints", "ClampBoundingBoxes", "ClampKeyPoints",
         "ConvertBoundingBoxFormat"),
        Rule((), _nothing, note="pictures alone are read and transformed, without boxes and points."),
    ),
}
