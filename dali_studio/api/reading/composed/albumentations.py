"""What albumentations' transforms are in operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from dali_studio.api.reading.composed import common, effects, rules
from dali_studio.api.reading.composed.rules import Rule, State, Transform


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
    fill = rules.fill_of(transform, state)
    yield (
        f"images = fn.rotate(images, angle={rules.uniform(span)}, keep_size=True, fill_value={fill}"
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


def _widest(transform: Transform, state: State) -> int:
    """The widest of the windows that are drawn from."""
    limits = rules.size_of(transform.values.get("blur_limit", 7))
    if (min(limits) if len(limits) > 1 else 3) != max(limits):
        state.note(transform, f"the window is always {max(limits) | 1} wide.")
    return max(limits) | 1


def _median(transform: Transform, state: State) -> Iterator[str]:
    yield f"images = fn.experimental.median_blur(images, window_size={_widest(transform, state)})"


def _noise(transform: Transform, state: State) -> Iterator[str]:
    del state
    low, high = rules.pair_of(transform.values.get("std_range"), (0.2, 0.44))
    variance = transform.values.get("var_limit", (low, high) if high > 1 else None)  # of albumentations 1
    if variance is None:
        span = (low * 255, high * 255)
    else:
        low, high = (0, variance) if isinstance(variance, int | float) else rules.pair_of(variance, (10.0, 50.0))
        span = (math.sqrt(low), math.sqrt(high))
    mean = transform.values.get("mean", 0)
    more = f", mean={rules.number(mean)}" if isinstance(mean, int | float) and mean else ""
    yield f"images = fn.noise.gaussian(images{more}, stddev={rules.uniform(span)})"


def _compression(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, common.BLOCKS)
    values = transform.values
    old = (values.get("quality_lower", 99), values.get("quality_upper", 100))
    low, high = rules.pair_of(values.get("quality_range"), rules.pair_of(old, (99.0, 100.0)))
    drawn = f"fn.random.uniform(range={rules.listed((low, high + 1))}, dtype=types.INT32)"
    quality = rules.number(low) if low == high else drawn
    yield f"images = fn.jpeg_compression_distortion(images, quality={quality})"


def _pad_if_needed(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("border_mode") not in (None, 0, "border_constant"):
        state.note(transform, "what is new is filled with a constant.")
    sides = list[str]()
    for at, name in enumerate(_HW):
        divisor, least = transform.values.get(f"pad_{name}_divisor"), transform.values.get(f"min_{name}", 1024)
        if isinstance(divisor, int) and not isinstance(least, int):
            sides.append(f"math.ceil(shape[{at}] / {divisor}.0) * {divisor}.0")
        else:
            sides.append(f"math.max(shape[{at}], {rules.number(rules.numeric(least, 1024))}.0)")
    yield "shape = fn.cast(images.shape(), dtype=types.FLOAT)"
    yield (
        f"images = fn.crop(images, crop_h={sides[0]}, crop_w={sides[1]}, "
        f'out_of_bounds_policy="pad", fill_values={rules.fills_of(transform)})'
    )


def _normalize_pixels(transform: Transform, state: State) -> Iterator[str]:
    mean, std = (rules.numbers(transform.values.get(name), rules.IMAGENET[name]) for name in ("mean", "std"))
    return rules.normalized(state, mean, std, rules.numeric(transform.values.get("max_pixel_value"), 255.0))


def _to_planes(transform: Transform, state: State) -> Iterator[str]:
    del transform
    if not state.planar:
        state.planar = True
        yield 'images = fn.transpose(images, perm=[2, 0, 1], output_layout="CHW")'


def _affine(transform: Transform, state: State) -> Iterator[str]:
    _constant_border(transform, state)
    if isinstance(transform.values.get("scale"), dict):
        state.note(transform, "height and width are scaled alike.")
    names = ("translate_percent", "shear", "scale", "rotate", "fill", "interpolation")
    values = {name: transform.values.get(name) for name in names if name in transform.values}
    for name in names[:3]:
        given = values.get(name)
        if isinstance(given, dict):  # of each axis
            values[name] = given.get("x")
            values[f"{name} y"] = given.get("y")
    made = replace(transform, values=values)
    moved = effects.span_of(made, "translate_percent", (0.0, 0.0))
    sheared = effects.span_of(made, "shear", (0.0, 0.0))
    still = (0.0, 0.0)
    return effects.affine(
        made, state, turned=_back(effects.span_of(made, "rotate", still)),
        scaled=effects.span_of(made, "scale", (1.0, 1.0)),
        moved=(moved, effects.span_of(made, "translate_percent y", moved)),
        sheared=(sheared, effects.span_of(made, "shear y", sheared)),
        opencv=True,
    )  # fmt: skip


def _shift_scale_rotate(transform: Transform, state: State) -> Iterator[str]:
    _constant_border(transform, state)
    moved = effects.around(transform, "shift_limit", (-0.0625, 0.0625))
    low, high = effects.around(transform, "scale_limit", (-0.1, 0.1))
    return effects.affine(
        transform, state, turned=_back(effects.around(transform, "rotate_limit", (-45, 45))),
        scaled=(1 + low, 1 + high), moved=(moved, moved),
    )  # fmt: skip


def _safe_rotate(transform: Transform, state: State) -> Iterator[str]:
    _constant_border(transform, state)
    state.note(transform, "it is turned and resized in two steps.")
    turned = effects.around(transform, "limit", (-90, 90))
    fill = rules.fill_of(transform, state)
    yield "shape = fn.cast(images.shape(), dtype=types.FLOAT)"
    yield f"images = fn.rotate(images, angle={rules.uniform(turned)}, fill_value={fill})"
    yield f"images = fn.resize(images, resize_y=shape[0], resize_x=shape[1]{rules.interpolation_of(transform)})"


def _back(span: tuple[float, float]) -> tuple[float, float]:
    """The other way round: OpenCV turns against the clock."""
    return -span[1], -span[0]


def _constant_border(transform: Transform, state: State) -> None:
    if transform.values.get("border_mode") not in (None, 0, "border_constant"):
        state.note(transform, "what is new is filled with a constant.")


def _window(transform: Transform, state: State) -> Iterator[str]:
    del state
    top, left, bottom, right = (
        int(rules.numeric(transform.values.get(name), usual))
        for name, usual in (("y_min", 0), ("x_min", 0), ("y_max", 1024), ("x_max", 1024))
    )
    yield (
        f'images = fn.slice(images, start=[{top}, {left}], end=[{bottom}, {right}], axis_names="HW", '
        'out_of_bounds_policy="trim_to_shape")'
    )


def _from_borders(transform: Transform, state: State) -> Iterator[str]:
    del state
    most = [rules.numeric(transform.values.get(f"crop_{side}"), 0.1) for side in ("top", "left", "bottom", "right")]
    drawn = [effects.real((0.0, one)) for one in most]
    yield f"begin = fn.stack({drawn[0]}, {drawn[1]})"
    yield f"end = 1.0 - fn.stack({drawn[2]}, {drawn[3]})"
    yield 'images = fn.slice(images, rel_start=begin, rel_end=end, axis_names="HW")'


def _sized_crop(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "a picture that becomes smaller is filtered first; OpenCV takes single pixels of it.")
    low, high = rules.pair_of(transform.values.get("min_max_height"), (224, 224))
    ratio = rules.numeric(transform.values.get("w2h_ratio"), 1.0)
    size = transform.values.get("size") or (transform.values.get("height"), transform.values.get("width"))
    yield f"height = fn.cast({effects.whole((low, high))}, dtype=types.FLOAT)"
    yield "positions = fn.random.uniform(range=[0, 1], shape=[2])"
    yield (
        f"images = fn.crop(images, crop_h=height, crop_w=height * {rules.number(ratio)}, crop_pos_y=positions[0], "
        'crop_pos_x=positions[1], out_of_bounds_policy="pad")'
    )
    yield f"images = fn.resize(images, size={rules.square(size)}{rules.interpolation_of(transform)})"


def _scale(transform: Transform, state: State) -> Iterator[str]:
    low, high = effects.around(transform, "scale_limit", (-0.1, 0.1))
    del state
    return effects.scaled_by(transform, (1 + low, 1 + high))


def _downscale(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "of pixels that become one, that in the middle is taken; OpenCV takes the first.")
    yield "shape = fn.cast(images.shape(), dtype=types.FLOAT)"
    old = (transform.values.get("scale_min", 0.25), transform.values.get("scale_max", 0.25))
    yield f"scale = {effects.real(effects.span_of(transform, 'scale_range', rules.pair_of(old, (0.25, 0.25))))}"
    for scale in (" * scale", ""):
        size = f"resize_y=shape[0]{scale}, resize_x=shape[1]{scale}"
        yield f"images = fn.resize(images, {size}, interp_type=types.INTERP_NN)"


def _solarize(transform: Transform, state: State) -> Iterator[str]:
    del state
    low, high = effects.span_of(transform, "threshold_range", (0.5, 0.5))
    return effects.solarized((255 * low, 255 * high))


def _posterize(transform: Transform, state: State) -> Iterator[str]:
    del state
    return effects.posterized(effects.span_of(transform, "num_bits", (4, 4)))


def _autocontrast(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("method", "cdf") == "cdf":  # which is another word for it
        return effects.EQUALIZED(transform, state)
    state.note(transform, effects.STRETCHED_NOTE)
    return effects.STRETCHED(transform, state)


def _gamma(transform: Transform, state: State) -> Iterator[str]:
    del state
    low, high = effects.span_of(transform, "gamma_limit", (80, 120))
    return effects.powered((low / 100, high / 100))


def _sharpen(transform: Transform, state: State) -> Iterator[str]:
    del state
    alpha, light = (effects.span_of(transform, *one) for one in (("alpha", (0.2, 0.5)), ("lightness", (0.5, 1.0))))
    around = (-1, -1, -1, -1, 8, -1, -1, -1, -1)
    return effects.embossed(around, (0, 0, 0, 0, 1, 0, 0, 0, 0), alpha, light)


def _emboss(transform: Transform, state: State) -> Iterator[str]:
    del state
    alpha, strength = (effects.span_of(transform, *one) for one in (("alpha", (0.2, 0.5)), ("strength", (0.2, 0.7))))
    return effects.embossed((-1, 0, 0, 0, 1, 0, 0, 0, 1), (-1, -1, 0, -1, 0, 1, 0, 1, 1), alpha, strength)


def _box(transform: Transform, state: State) -> Iterator[str]:
    window = _widest(transform, state)
    return effects.filtered(f"fn.ones(shape=[{window}, {window}], dtype=types.FLOAT) / {window**2}.0")


def _clahe(transform: Transform, state: State) -> Iterator[str]:
    limit = effects.span_of(transform, "clip_limit", (1.0, 4.0))
    tiles = rules.size_of(transform.values.get("tile_grid_size", (8, 8)))
    if transform.values.get("clip_limit") is None or limit[0] != limit[1]:
        state.note(transform, f"the limit is always {rules.number(limit[1])}.")
    yield f"images = fn.clahe(images, tiles_x={tiles[-1]}, tiles_y={tiles[0]}, clip_limit={rules.number(limit[1])})"


def _dropout(transform: Transform, state: State) -> Iterator[str]:
    values = transform.values
    former = transform.told & {"max_holes", "max_height", "max_width", "num_holes", "max_h_size", "max_w_size"}
    if former or transform.name == "Cutout":  # of albumentations 1: pixels, or parts
        most = values.get("max_holes", values.get("num_holes", 8))
        sides = [values.get(f"max_{long}", values.get(f"max_{short}_size", 8)) for long, short in
                 (("height", "h"), ("width", "w"))]  # fmt: skip
        least = [values.get(f"min_{name}") for name in _HW]
        counts = rules.size_of((values.get("min_holes") or most, most))
        high, wide = ((rules.numeric(low, rules.numeric(top, 8)), rules.numeric(top, 8))
                      for low, top in zip(least, sides, strict=True))  # fmt: skip
    else:
        counts = rules.size_of(values.get("num_holes_range", (1, 2)))
        high, wide = (effects.span_of(transform, f"hole_{name}_range", (0.1, 0.2)) for name in _HW)
    if counts[0] != counts[-1]:
        state.note(transform, f"there are always {counts[-1]} holes.")
    if isinstance(values.get("fill"), str):
        state.note(transform, "holes are filled with 0.")
    return effects.holes(counts[-1], high, wide, rules.fills_of(transform))


def _to_float(transform: Transform, state: State) -> Iterator[str]:
    state.floats = True
    most = rules.numeric(transform.values.get("max_value"), 255.0)
    yield f"images = images / {effects.real((most, most))}"


def _from_float(transform: Transform, state: State) -> Iterator[str]:
    state.floats = False
    most = rules.numeric(transform.values.get("max_value"), 255.0)
    yield f"images = fn.cast(images * {effects.real((most, most))}, dtype=types.UINT8)"


def _either(transform: Transform, state: State) -> Iterator[str]:
    """A mirror of one way, of the other, or of both."""
    del transform, state
    yield "way = fn.random.uniform(values=[-1, 0, 1])"
    across, down = (f"fn.cast(way != {other}, dtype=types.INT32)" for other in (0, 1))
    yield f"images = fn.flip(images, horizontal={across}, vertical={down})"


def _limited(name: str) -> Callable[[Transform, State], Iterator[str]]:
    """Brightness or contrast alone, as albumentations 1 has them."""

    def write(transform: Transform, state: State) -> Iterator[str]:
        alone = {"brightness_limit": 0, "contrast_limit": 0, f"{name}_limit": transform.values.get("limit", 0.2)}
        return _brightness_contrast(replace(transform, values=alone), state)

    return write


def _grid(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "tiles are a tenth of the width, and squares of one size.")
    ratio = rules.numeric(transform.values.get("ratio"), 0.5)
    yield "tile = fn.cast(images.shape(), dtype=types.INT32)[1] // 10"
    yield "shifts = fn.random.uniform(range=[0, 1], shape=[2]) * tile"
    yield f"images = fn.grid_mask(images, tile=tile, ratio={rules.number(ratio)}, shift_x=shifts[0], shift_y=shifts[1])"


def _lost_pixels(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("drop_value", 0) != 0:
        state.note(transform, "pixels that are lost are black.")
    p = 1 - rules.numeric(transform.values.get("dropout_prob"), 0.01)
    extents = "images.shape()" if transform.values.get("per_channel") else "fn.stack(shape[0], shape[1], 1)"
    yield "shape = fn.cast(images.shape(), dtype=types.INT32)"
    yield f"kept = fn.random.coin_flip(probability={rules.number(p)}, shape={extents})"
    yield "images = fn.cast(images * kept, dtype=types.UINT8)"


def _multiplied(transform: Transform, state: State) -> Iterator[str]:
    if transform.values.get("elementwise"):
        state.note(transform, "all pixels are multiplied by one number.")
    shape = ", shape=[3]" if transform.values.get("per_channel") else ""
    low, high = effects.span_of(transform, "multiplier", (0.9, 1.1))
    drawn = f"fn.random.uniform(range={rules.listed((low, high))}{shape})" if low < high else rules.number(low)
    yield f"factor = {drawn}"
    yield "images = fn.cast(images * factor, dtype=types.UINT8)"


def _shifted(transform: Transform, state: State) -> Iterator[str]:
    del state
    spans = [effects.around(transform, f"{one}_shift_limit", (-20, 20)) for one in "rgb"]
    yield f"shift = fn.stack({', '.join(map(effects.real, spans))})"
    yield "images = fn.cast(images + shift, dtype=types.UINT8)"


def _specks(transform: Transform, state: State) -> Iterator[str]:
    del state
    amount = effects.span_of(transform, "amount", (0.01, 0.06))
    salt = effects.span_of(transform, "salt_vs_pepper", (0.4, 0.6))
    yield (
        f"images = fn.noise.salt_and_pepper(images, prob={rules.uniform(amount)}, "
        f"salt_vs_pepper={rules.uniform(salt)})"
    )


def _shots(transform: Transform, state: State) -> Iterator[str]:
    state.note(transform, "light is counted in the picture's levels and not in linear ones.")
    low, high = effects.span_of(transform, "scale_range", (0.1, 0.3))
    yield f"images = fn.noise.shot(images, factor={rules.uniform((255 * low, 255 * high))})"


def _morphology(transform: Transform, state: State) -> Iterator[str]:
    size = rules.size_of(transform.values.get("scale", (2, 3)))[-1]
    name = "erode" if transform.values.get("operation") == "erosion" else "dilate"
    state.note(transform, f"the window is always a square of {size}, and no ellipse.")
    yield f"images = fn.experimental.{name}(images, mask_size=[{size}, {size}])"


def _nothing(transform: Transform, state: State) -> Iterator[str]:
    del transform, state
    return iter(())


_HW = ("height", "width")
_SIDES: Mapping[str, int] = {"height": 224, "width": 224}
ALBUMENTATIONS: Mapping[str, Rule] = {
    "Resize": Rule((*_HW, "interpolation"), _resize_to, 1.0, example=_SIDES),
    "SmallestMaxSize": Rule(("max_size", "interpolation"), _side("resize_shorter"), 1.0),
    "LongestMaxSize": Rule(("max_size", "interpolation"), _side("resize_longer"), 1.0),
    "CenterCrop": Rule(_HW, common.write_center_crop, 1.0, note=common.ODD, example=_SIDES),
    "RandomCrop": Rule(_HW, common.write_random_crop, 1.0, example=_SIDES),
    "RandomResizedCrop": Rule(
        ("size", "scale", "ratio", "interpolation"), common.write_random_resized_crop, 1.0, example={"size": (224, 224)}
    ),
    "HorizontalFlip": Rule(common.P, common.write_horizontal),
    "VerticalFlip": Rule(common.P, common.write_vertical),
    "Rotate": Rule(("limit", "interpolation", "border_mode"), _rotate, 0.5),
    "ColorJitter": Rule(
        common.JITTER, common.jitter_writer({**dict.fromkeys(common.JITTER[:3], (0.8, 1.2)), "hue": (-0.5, 0.5)}), 0.5,
    ),
    "RandomBrightnessContrast": Rule(("brightness_limit", "contrast_limit"), _brightness_contrast, 0.5),
    "HueSaturationValue": Rule(("hue_shift_limit", "sat_shift_limit", "val_shift_limit"), _hue_saturation, 0.5),
    "GaussianBlur": Rule(("blur_limit", "sigma_limit"), _blur_limited, 0.5),
    "MedianBlur": Rule(("blur_limit",), _median, 0.5),
    "GaussNoise": Rule(("std_range",), _noise, 0.5),
    "ImageCompression": Rule((), _compression, 0.5),
    "InvertImg": Rule(common.P, common.write_invert, 0.5),
    "ToGray": Rule(("num_output_channels", "method"), common.write_gray, 0.5),
    "PadIfNeeded": Rule(
        ("min_height", "min_width", "pad_height_divisor", "pad_width_divisor", "position", "border_mode", "fill"),
        _pad_if_needed, 1.0,
        note="where an odd number of pixels is missing, the one more may lie on the other side.",
    ),
    "Normalize": Rule(("mean", "std", "max_pixel_value"), _normalize_pixels, 1.0, example=rules.IMAGENET),
    "ToTensorV2": Rule((), _to_planes),
    "NoOp": Rule((), _nothing),
    "ToRGB": Rule((), _nothing),
    "ToFloat": Rule(("max_value",), _to_float),
    "FromFloat": Rule(("dtype", "max_value"), _from_float),
    "Pad": Rule(("padding", "fill"), common.write_pad, 1.0),
    "Erasing": Rule(("scale", "ratio", "fill"), effects.erased, 0.5),
    "CropAndPad": Rule(
        ("px", "percent", "keep_size", "sample_independently", "interpolation"), effects.cropped_and_padded, 1.0,
        example={"percent": (-0.1, 0.1)},
    ),
    "Affine": Rule(
        ("scale", "translate_percent", "translate_px", "rotate", "shear", "interpolation"), _affine, 0.5,
        example={"scale": (0.8, 1.2), "translate_percent": (-0.1, 0.1), "rotate": (-20, 20)},
    ),
    "ShiftScaleRotate": Rule(("shift_limit", "scale_limit", "rotate_limit", "interpolation"), _shift_scale_rotate, 0.5),
    "SafeRotate": Rule(("limit", "interpolation", "border_mode"), _safe_rotate, 0.5),
    "RandomRotate90": Rule(common.P, effects.TURNS, 0.5),
    "Transpose": Rule(common.P, effects.TRANSPOSED, 0.5),
    "D4": Rule(common.P, effects.EIGHT, 1.0),
    "SquareSymmetry": Rule(common.P, effects.EIGHT, 1.0),
    "Crop": Rule(("x_min", "y_min", "x_max", "y_max"), _window, 1.0),
    "RandomCropFromBorders": Rule(("crop_left", "crop_right", "crop_top", "crop_bottom"), _from_borders, 1.0),
    "RandomSizedCrop": Rule(
        ("min_max_height", "size", "w2h_ratio", "interpolation"), _sized_crop, 1.0,
        example={"min_max_height": (120, 224), "size": (224, 224)},
    ),
    "RandomScale": Rule(("scale_limit", "interpolation"), _scale, 0.5),
    "Downscale": Rule(("scale_range",), _downscale, 0.5),
    "Equalize": Rule((), effects.EQUALIZED, 0.5),
    "Solarize": Rule(("threshold_range",), _solarize, 0.5),
    "Posterize": Rule(("num_bits",), _posterize, 0.5),
    "AutoContrast": Rule(("cutoff", "ignore", "method"), _autocontrast, 0.5),
    "RandomGamma": Rule(("gamma_limit",), _gamma, 0.5),
    "Sharpen": Rule(("alpha", "lightness"), _sharpen, 0.5),
    "Emboss": Rule(("alpha", "strength"), _emboss, 0.5),
    "Blur": Rule(("blur_limit",), _box, 0.5),
    "CLAHE": Rule(("clip_limit", "tile_grid_size"), _clahe, 0.5),
    "CoarseDropout": Rule(("num_holes_range", "hole_height_range", "hole_width_range", "fill"), _dropout, 0.5),
    "GridDropout": Rule(("ratio",), _grid, 0.5),
    "PixelDropout": Rule(("dropout_prob", "per_channel", "drop_value"), _lost_pixels, 0.5),
    "ChannelDropout": Rule((), effects.ONE_CHANNEL, 0.5),
    "MultiplicativeNoise": Rule(("multiplier", "per_channel", "elementwise"), _multiplied, 0.5),
    "RGBShift": Rule(("r_shift_limit", "g_shift_limit", "b_shift_limit"), _shifted, 0.5),
    "SaltAndPepper": Rule(("amount", "salt_vs_pepper"), _specks, 0.5),
    "ShotNoise": Rule(("scale_range",), _shots, 0.5),
    "Morphological": Rule(("scale", "operation"), _morphology, 0.5),
    # of albumentations 1 alone
    "Cutout": Rule(("num_holes", "max_h_size", "max_w_size", "fill"), _dropout, 0.5),
    "Flip": Rule((), _either, 0.5),
    "JpegCompression": Rule(("quality_lower", "quality_upper"), _compression, 0.5),
    "RandomBrightness": Rule(("limit",), _limited("brightness"), 0.5),
    "RandomContrast": Rule(("limit",), _limited("contrast"), 0.5),
}
