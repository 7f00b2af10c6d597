"""How random transforms are written that both torchvision and albumentations have, under names of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from dali_studio.api.reading.composed import rules
from dali_studio.api.reading.composed.rules import State, Transform, listed, number, uniform

Write = Callable[[Transform, State], Iterator[str]]
Span = tuple[float, float]

_SHAPE = "shape = fn.cast(images.shape(), dtype=types.FLOAT)"
_STILL = (0.0, 0.0)
#: Weights of PIL's SMOOTH, of 13.
_SMOOTH = (1, 1, 1, 1, 5, 1, 1, 1, 1)


def of(*lines: str) -> Write:
    """Lines that no value of the transform changes."""

    def write(transform: Transform, state: State) -> Iterator[str]:
        del transform, state
        yield from lines

    return write


def span_of(transform: Transform, name: str, usual: Span) -> Span:
    """A range; a number is a range of one."""
    value = transform.values.get(name, usual)
    return (float(value), float(value)) if isinstance(value, int | float) else rules.pair_of(value, usual)


def around(transform: Transform, name: str, usual: Span, centre: float = 0.0) -> Span:
    """A range; a number is as far as it reaches around a centre."""
    return rules.span_around(transform.values.get(name, usual), centre, usual) or (centre, centre)


def real(span: Span) -> str:
    """As `uniform`; a single number is no whole one."""
    return repr(float(f"{span[0]:.10g}")) if span[0] == span[1] else uniform(span)


def whole(span: Span) -> str:
    """A whole number drawn from a range, both ends included."""
    return number(span[0]) if span[0] == span[1] else (
        f"fn.cast(math.floor(fn.random.uniform(range={listed((span[0], span[1] + 1))})), dtype=types.INT32)"
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- geometry


def affine(
    transform: Transform, state: State, *, turned: Span = _STILL, moved: tuple[Span, Span] = (_STILL, _STILL),
    scaled: Span = (1, 1), sheared: tuple[Span, Span] = (_STILL, _STILL), usual: str = "INTERP_LINEAR",
    opencv: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Scaled, sheared and turned about the middle, then moved by parts of the width and the height.

    torchvision shears along x, then along y, and turns then; `opencv`: turned, then sheared along both at once.
    """
    yield _SHAPE
    yield "center = fn.stack(shape[1], shape[0]) / 2.0"
    given, tail = "", ", center=center)"
    if scaled != (1, 1):
        yield f"scale = {real(scaled)}"
        yield f"matrix = fn.transforms.scale(scale=fn.stack(scale, scale){tail}"
        given = "matrix, "
    steps = [f"matrix = fn.transforms.rotation({{}}angle={uniform(turned)}{tail}"] if turned != _STILL else []
    along, across = ("0.0" if span == _STILL else real((-span[1], -span[0])) for span in sheared)
    bent = [(along, across)] if opencv else [(along, "0.0"), ("0.0", across)]
    bends = [f"matrix = fn.transforms.shear({{}}angles=fn.stack({x}, {y}){tail}" for x, y in bent if {x, y} != {"0.0"}]
    steps = [*steps, *bends] if opencv else [*bends, *steps]
    for step in steps if steps or given else [f"matrix = fn.transforms.rotation({{}}angle=0{tail}"]:
        yield step.format(given)
        given = "matrix, "
    if moved != (_STILL, _STILL):
        yield from (f"shift_{axis} = {uniform(span)}" for axis, span in zip("xy", moved, strict=True))
        yield "offset = math.floor(fn.stack(shape[1] * shift_x, shape[0] * shift_y) + 0.5)"
        yield "matrix = fn.transforms.translation(matrix, offset=offset)"
    yield (
        f"images = fn.warp_affine(images, matrix=matrix, inverse_map=False, fill_value="
        f"{rules.fill_of(transform, state)}{rules.interpolation_of(transform, usual)})"
    )


def perspective(transform: Transform, state: State) -> Iterator[str]:
    """Each corner moved inwards by up to a half of a part of the width and the height.

    The matrix from the unit square to four points is that of Heckbert, "Fundamentals of Texture Mapping", 1989.
    """
    del state
    part = rules.numeric(transform.values.get("distortion_scale"), 0.5) / 2
    yield _SHAPE
    yield "inwards = fn.constant(fdata=[1, 1, -1, 1, -1, -1, 1, -1], shape=[4, 2])"
    yield "corners = fn.constant(fdata=[0, 0, 1, 0, 1, 1, 0, 1], shape=[4, 2])"
    yield f"distortion = fn.random.uniform(range=[0, {number(part)}], shape=[4, 2])"
    yield "corners = corners + distortion * inwards"
    yield "first, second, third, fourth = corners[0], corners[1], corners[2], corners[3]"
    yield "across, down, rest = second - third, fourth - third, first - second + third - fourth"
    yield "area = across[0] * down[1] - across[1] * down[0]"
    yield "g = (rest[0] * down[1] - rest[1] * down[0]) / area"
    yield "h = (across[0] * rest[1] - across[1] * rest[0]) / area"
    yield "upper = fn.stack(second - first + g * second, fourth - first + h * fourth, first, axis=1)"
    yield "lower = fn.stack(g, h, fn.constant(fdata=[1], shape=[]))"
    yield "size = fn.stack(shape[1], shape[0], fn.constant(fdata=[1], shape=[]))"
    yield "matrix = fn.cat(upper, fn.reshape(lower, shape=[1, 3]), axis=0)"
    yield "matrix = matrix * fn.reshape(size, shape=[3, 1]) / fn.reshape(size, shape=[1, 3])"
    yield (
        "images = fn.experimental.warp_perspective(images, matrix, inverse_map=False, fill_value="
        f"{rules.fills_of(transform)}{rules.interpolation_of(transform)})"
    )


def scaled_by(transform: Transform, span: Span) -> Iterator[str]:
    """Another size, by a factor."""
    yield _SHAPE
    yield f"scale = {real(span)}"
    yield (
        "images = fn.resize(images, resize_y=shape[0] * scale, resize_x=shape[1] * scale"
        f"{rules.interpolation_of(transform)})"
    )


def cropped_and_padded(transform: Transform, state: State) -> Iterator[str]:
    """More at each side, or less, by pixels or parts of the extents; then as large as before."""
    parts = transform.values.get("px") is None
    given: Any = transform.values.get("percent" if parts else "px")
    several: list[Any] = list(cast("Sequence[Any]", given)) if isinstance(given, list | tuple) else []
    each: list[Any] = several if len(several) == 4 else [given]
    if any(isinstance(one, list | tuple) and len(cast("Sequence[Any]", one)) > 2 for one in each):
        state.note(transform, "of several values for a side, the first two are the ends of a range.")
    spans = [rules.pair_of(one, (at, at)) for one in each for at in [rules.numeric(one, 0.0)]]
    if parts and any(low < 0 for low, _ in spans):
        state.note(transform, "what is cut off is rounded up to whole pixels, and not down.")
    alike = len(each) == 1 and transform.values.get("sample_independently", True) is False
    yield _SHAPE
    if alike:
        yield f"side = {real(spans[0]) if parts else whole(spans[0])}"
    for at, side in enumerate(("top", "right", "bottom", "left")):
        span = spans[at % len(spans)]
        drawn = "side" if alike else real(span) if parts else whole(span)
        yield f"{side} = " + (f"math.floor({drawn} * shape[{at % 2}])" if parts else drawn)
    fill = rules.fills_of(transform)
    yield (
        "images = fn.slice(images, start=fn.cast(fn.stack(0.0 - top, 0.0 - left), dtype=types.INT32), "
        "shape=fn.cast(fn.stack(shape[0] + top + bottom, shape[1] + left + right), dtype=types.INT32), "
        f'axis_names="HW", out_of_bounds_policy="pad", fill_values={fill})'
    )
    if transform.values.get("keep_size", True) is not False:
        yield f"images = fn.resize(images, resize_y=shape[0], resize_x=shape[1]{rules.interpolation_of(transform)})"


#: A quarter turn, none, or several.
TURNS = of("images = fn.rotate(images, angle=fn.random.uniform(values=[0, 90, 180, 270]))")
#: Rows and columns exchanged.
TRANSPOSED = of('images = fn.transpose(images, perm=[1, 0, 2], output_layout="HWC")')
#: One of the eight ways to turn and mirror a square.
EIGHT = of(
    "images = fn.rotate(images, angle=fn.random.uniform(values=[0, 90, 180, 270]))",
    "images = fn.flip(images, horizontal=fn.random.coin_flip())",
)


# -------------------------------------------------------------------------------------------------------------- colours

EQUALIZED = of("images = fn.equalize(images)")
#: Each channel from its darkest to its brightest value.
STRETCHED = of(
    "low = fn.reductions.min(images, axes=[0, 1], keep_dims=True)",
    "high = fn.reductions.max(images, axes=[0, 1], keep_dims=True)",
    "images = fn.cast((images - low) * (255.0 / math.max(high - low, 1)), dtype=types.UINT8)",
)
STRETCHED_NOTE = "a channel of one value becomes black, and values are rounded and not cut off."
ONE_CHANNEL = of(
    "channel = fn.random.uniform(values=[0, 1, 2])",
    "images = fn.cast(images * (fn.constant(fdata=[0, 1, 2], shape=[3]) != channel), dtype=types.UINT8)",
)


def solarized(threshold: Span) -> Iterator[str]:
    """The negative of all that is as bright as a threshold."""
    bright = f"images >= {uniform(threshold)}"
    yield f"images = fn.cast(math.abs(255 * ({bright}) - images), dtype=types.UINT8)"


def posterized(bits: Span) -> Iterator[str]:
    """The upper bits alone."""
    low, high = (min(max(int(bit), 0), 8) for bit in bits)
    if low == high:
        yield f"images = fn.cast(images & {256 - (1 << (8 - low))}, dtype=types.UINT8)"
    else:
        yield f"lost = math.pow(2.0, 8 - {whole((low, high))})"
        yield "images = fn.cast(images & fn.cast(256.0 - lost, dtype=types.INT32), dtype=types.UINT8)"


def filtered(weights: str) -> Iterator[str]:
    """Each pixel from its neighbours; `weights`: nine of them."""
    yield f"weights = {weights}"
    yield "images = fn.experimental.filter(images, weights)"


def sharpened(factor: float) -> Iterator[str]:
    """PIL's sharpness: between a smoothed picture (0) and beyond this one (above 1)."""
    weights = [(1 - factor) * one / 13 + factor * (at == 4) for at, one in enumerate(_SMOOTH)]
    return filtered(f"fn.constant(fdata={listed(weights)}, shape=[3, 3])")


def embossed(base: Sequence[float], strong: Sequence[float], alpha: Span, strength: Span) -> Iterator[str]:
    """Between a picture and one that is filtered by `base` and `strong`, as much as `strength` says."""
    yield f"alpha = {real(alpha)}"
    yield f"strength = {real(strength)}"
    parts = [f"fn.constant(fdata={listed(one)}, shape=[3, 3])" for one in ((0, 0, 0, 0, 1, 0, 0, 0, 0), base, strong)]
    yield from filtered(f"{parts[0]} * (1.0 - alpha) + ({parts[1]} + {parts[2]} * strength) * alpha")


def powered(span: Span) -> Iterator[str]:
    """Gamma."""
    yield f"gamma = {real(span)}"
    yield "images = fn.cast(255.0 * math.pow(images / 255.0, gamma), dtype=types.UINT8)"


# ---------------------------------------------------------------------------------------------------------------- holes


def holes(count: int, high: Span, wide: Span, fill: str) -> Iterator[str]:
    """Rectangles anywhere, whose sides are pixels, or parts of the picture's where they are at most 1."""
    parts = [f" / shape[{at}]" if span[1] > 1 else "" for at, span in enumerate((high, wide))]
    if any(parts):
        yield _SHAPE
    spans = [
        f"fn.constant(fdata={listed([span[0]] * count)}, shape=[{count}]){part}" if span[0] == span[1] else
        f"fn.random.uniform(range={listed(span)}, shape=[{count}]){part}"
        for span, part in zip((high, wide), parts, strict=True)
    ]  # fmt: skip
    yield f"extents = fn.reshape(fn.stack({', '.join(spans)}, axis=1), shape=[{2 * count}])"
    yield f"anchor = fn.random.uniform(range=[0, 1], shape=[{2 * count}]) * (1.0 - extents)"
    yield (
        'images = fn.erase(images, anchor=anchor, shape=extents, axis_names="HW", normalized=True, '
        f"fill_value={fill})"
    )


def erased(transform: Transform, state: State) -> Iterator[str]:
    """One rectangle of a random area and ratio."""
    area = rules.pair_of(transform.values.get("scale"), (0.02, 0.33))
    low, high = rules.pair_of(transform.values.get("ratio"), (0.3, 3.3))
    value = transform.values.get("value", transform.values.get("fill", 0))
    if isinstance(value, str):
        state.note(transform, "the hole is filled with 0 and not with noise.")
    if isinstance(value, list):
        state.note(transform, f"the hole is filled with {number(rules.numbers(value, (0.0,))[0])} in all channels.")
        value = rules.numbers(value, (0.0,))[0]
    value = rules.numeric(value, 0.0) * (state.unit if state.scaled else 1.0)  # of pixels that are whole yet
    if state.scaled and not value.is_integer():
        state.note(transform, f"the hole is filled with the level {round(value)} of 255.")
        value = float(round(value))
    yield f"area = {uniform(area)}"
    yield f"ratio = math.exp({uniform((math.log(low), math.log(high)))})"
    yield "extents = math.min(fn.stack(math.sqrt(area * ratio), math.sqrt(area / ratio)), 1.0)"
    yield "anchor = fn.random.uniform(range=[0, 1], shape=[2]) * (1.0 - extents)"
    yield (
        'images = fn.erase(images, anchor=anchor, shape=extents, axis_names="HW", normalized=True, '
        f"fill_value={number(value)})"
    )
