"""Operators of dynamic mode on one image or a batch of tensors, under torchvision's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

import dali_studio.experimental.dynamic as ndd
from dali_studio import types
from dali_studio.experimental.torchvision.v2.arguments import check_positive, pair_of, sides_of
from dali_studio.experimental.torchvision.v2.color import check_gray_channels, desaturated, gray_channel
from dali_studio.experimental.torchvision.v2.filters import by_channel, check_kernel_size, refuse_inplace, sigma_range
from dali_studio.experimental.torchvision.v2.pictures import image_of, is_image, is_tensor, pixels
from dali_studio.experimental.torchvision.v2.resize import InterpolationMode, check_size, filter_of, resized
from dali_studio.experimental.torchvision.v2.windows import Fill, PaddingMode, fill_of, policy_of

Images = Any  # a tensor or a batch of dynamic mode
Interpolation = InterpolationMode | int


def _applied(inpt: Any, device: Any, operate: Callable[[Images], Images]) -> Any:
    """What an operator makes of an image of PIL, or of tensors, in the same form."""
    ndd.device(device)
    if is_image(inpt):
        return image_of(np.asarray(operate(ndd.Tensor(pixels(inpt), layout="HWC"))))
    if not is_tensor(inpt):
        raise TypeError(f"The input is a {type(inpt).__name__}; give an image of PIL or a tensor of PyTorch.")
    if inpt.ndim < 3:
        raise TypeError(f"The tensor has {inpt.ndim} axes; give channels, height and width, or a batch of these.")
    single = inpt.ndim == 3
    images = ndd.Tensor(inpt, layout="CHW") if single else ndd.as_batch(inpt, layout="CHW")
    made = operate(images)
    return inpt if made is images else made.torch()


def _extent(images: Images, axis: str) -> int:
    """An extent of the images, which all have the same."""
    layout: str = images.layout
    shape = images.shape if isinstance(images, ndd.Tensor) else images.shape[0]
    return shape[layout.index(axis)]


def _axes(images: Images) -> list[int]:
    return [images.layout.index(axis) for axis in "HW"]


def horizontal_flip(inpt: Any, device: Any = "cpu") -> Any:
    """Exchange left and right."""
    return _applied(inpt, device, lambda images: ndd.flip(images, horizontal=1, vertical=0))


def vertical_flip(inpt: Any, device: Any = "cpu") -> Any:
    """Exchange top and bottom."""
    return _applied(inpt, device, lambda images: ndd.flip(images, horizontal=0, vertical=1))


def resize(
    inpt: Any, size: int | Sequence[int] | None, interpolation: Interpolation = InterpolationMode.BILINEAR,
    max_size: int | None = None, antialias: bool | None = True, device: Any = "cpu",
) -> Any:  # fmt: skip
    """Change the size; the arguments are those of `Resize`."""
    check_size(size, max_size)
    kind = filter_of(interpolation)
    return _applied(inpt, device, lambda images: _resized(images, size, kind, max_size, antialias=antialias))


def _resized(
    images: Images, size: int | Sequence[int] | None, kind: types.DALIInterpType, max_size: int | None = None,
    *, antialias: bool | None,
) -> Images:  # fmt: skip
    extents = resized((_extent(images, "H"), _extent(images, "W")), size, max_size)
    return ndd.resize(images, size=extents, interp_type=kind, antialias=antialias is not False)


def center_crop(inpt: Any, output_size: int | Sequence[int], device: Any = "cpu") -> Any:
    """Cut the middle out; what is smaller is padded with 0."""
    size = pair_of(output_size)

    def operate(images: Images) -> Images:
        left = [_extent(images, axis) - one for axis, one in zip("HW", size, strict=True)]
        y, x = (round(one / 2) / one if one > 0 else 0.5 for one in left)
        return ndd.crop(images, crop=size, crop_pos_y=y, crop_pos_x=x, out_of_bounds_policy="pad")

    return _applied(inpt, device, operate)


def crop(inpt: Any, top: float, left: float, height: float, width: float, device: Any = "cpu") -> Any:
    """Cut a window out, which may leave the image: there is 0 outside.

    Parameters
    ----------
    inpt : PIL.Image.Image or torch.Tensor
    top, left, height, width : int
        Of images of PIL also real numbers, which are rounded.
    device : "cpu"
    """
    window = _window(inpt, top, left, height, width)
    return _applied(inpt, device, lambda images: _cut(images, window))


def resized_crop(
    inpt: Any, top: float, left: float, height: float, width: float, size: int | Sequence[int],
    interpolation: Interpolation = InterpolationMode.BILINEAR, antialias: bool | None = True, device: Any = "cpu",
) -> Any:  # fmt: skip
    """Cut a window out as `crop` does, and change its size as `resize` does."""
    window = _window(inpt, top, left, height, width)
    check_size(size, None)
    kind = filter_of(interpolation)
    return _applied(inpt, device, lambda images: _resized(_cut(images, window), size, kind, antialias=antialias))


def _window(inpt: Any, top: float, left: float, height: float, width: float) -> tuple[tuple[int, int], tuple[int, int]]:
    """First row and column, and height and width."""
    if is_image(inpt):
        first = round(top), round(left)
        size = round(top + height) - first[0], round(left + width) - first[1]
    else:
        first, size = (index(top), index(left)), (index(height), index(width))  # pyright: ignore[reportArgumentType]
    check_positive(size, "height and width")
    return first, size


def _cut(images: Images, window: tuple[tuple[int, int], tuple[int, int]]) -> Images:
    first, size = window
    return ndd.slice(images, start=first, shape=size, axes=_axes(images), out_of_bounds_policy="pad")


def pad(
    inpt: Any, padding: int | Sequence[int], fill: Fill = 0, padding_mode: PaddingMode = "constant",
    device: Any = "cpu",
) -> Any:  # fmt: skip
    """Add a border; the arguments are those of `Pad`."""
    policy, values = policy_of(padding_mode), fill_of(fill)
    left, top, right, bottom = sides_of(padding, (2, 4))

    def operate(images: Images) -> Images:
        size = _extent(images, "H") + top + bottom, _extent(images, "W") + left + right
        return ndd.slice(images, start=(-top, -left), shape=size, axes=_axes(images), out_of_bounds_policy=policy,
                         fill_values=values)  # fmt: skip

    return _applied(inpt, device, operate)


def gaussian_blur(
    inpt: Any, kernel_size: int | Sequence[int], sigma: float | Sequence[float] = (0.1, 2.0), device: Any = "cpu"
) -> Any:
    """Blur; the arguments are those of `GaussianBlur`."""
    check_kernel_size(kernel_size)
    lowest, highest = sigma_range(sigma)
    drawn: Any = lowest if lowest == highest else ndd.random.uniform(range=(lowest, highest))
    return _applied(inpt, device, lambda images: ndd.gaussian_blur(images, window_size=kernel_size, sigma=drawn))


def normalize(
    input_data: Any, mean: Sequence[float], std: Sequence[float], inplace: bool = False, device: Any = "cpu"
) -> Any:
    """Subtract a mean from each channel, and divide by a deviation; the arguments are those of `Normalize`."""
    means, deviations = by_channel(mean, "mean", "CHW"), by_channel(std, "std", "CHW")
    if not is_tensor(input_data):
        raise TypeError(f"The input is a {type(input_data).__name__}; give a tensor of PyTorch.")
    refuse_inplace(inplace)
    return _applied(input_data, device, lambda images: ndd.normalize(images, mean=means, stddev=deviations))


def to_grayscale(inpt: Any, num_output_channels: int = 1, device: Any = "cpu") -> Any:
    """Take the colours away; the arguments are those of `Grayscale`."""
    check_gray_channels(num_output_channels)

    def operate(images: Images) -> Images:
        channels = _extent(images, "C")
        if channels == 1:
            return images if num_output_channels == 1 else ndd.cat(images, images, images, axis_name="C")
        one = num_output_channels == 1 and channels == 3
        return gray_channel(ndd, images, images.layout) if one else desaturated(ndd, images, images.layout)

    return _applied(inpt, device, operate)


rgb_to_grayscale = to_grayscale
