"""The augmentations that AutoAugment, RandAugment and TrivialAugment choose from, for uint8 images (HWC, FHWC)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio import fn, types
from dali_studio.auto_aug.core import augmentation
from dali_studio.auto_aug.core.errors import error
from dali_studio.pipeline import DataNode

_BYTE = types.UINT8


def warp_x_param(magnitude: float) -> list[float]:
    """A vector to the right."""
    return [magnitude, 0]


def warp_y_param(magnitude: float) -> list[float]:
    """A vector downwards."""
    return [0, magnitude]


def _warped(data: DataNode, matrix: Any, fill_value: float | None, interp_type: Any) -> DataNode:
    return fn.warp_affine(data, matrix=matrix, fill_value=fill_value, interp_type=interp_type, inverse_map=False)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_x_param)
def shear_x(data: DataNode, shear: DataNode, fill_value: float | None = 128, interp_type: Any = None) -> DataNode:
    """Slants the image along its rows."""
    return _warped(data, fn.transforms.shear(shear=shear), fill_value, interp_type)


@augmentation(mag_range=(0, 0.3), randomly_negate=True, mag_to_param=warp_y_param)
def shear_y(data: DataNode, shear: DataNode, fill_value: float | None = 128, interp_type: Any = None) -> DataNode:
    """Slants the image along its columns."""
    return _warped(data, fn.transforms.shear(shear=shear), fill_value, interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_x_param)
def translate_x(
    data: DataNode, rel_offset: DataNode, shape: Any, fill_value: float | None = 128, interp_type: Any = None
) -> DataNode:
    """Moves the image sideways by a part of its width; `shape` is the size of the images."""
    return _warped(data, fn.transforms.translation(offset=rel_offset * shape[1]), fill_value, interp_type)


@augmentation(mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_x_param, name="translate_x")
def translate_x_no_shape(
    data: DataNode, offset: DataNode, fill_value: float | None = 128, interp_type: Any = None
) -> DataNode:
    """Moves the image sideways by pixels."""
    return _warped(data, fn.transforms.translation(offset=offset), fill_value, interp_type)


@augmentation(mag_range=(0.0, 1.0), randomly_negate=True, mag_to_param=warp_y_param)
def translate_y(
    data: DataNode, rel_offset: DataNode, shape: Any, fill_value: float | None = 128, interp_type: Any = None
) -> DataNode:
    """Moves the image up or down by a part of its height; `shape` is the size of the images."""
    return _warped(data, fn.transforms.translation(offset=rel_offset * shape[0]), fill_value, interp_type)


@augmentation(mag_range=(0, 250), randomly_negate=True, mag_to_param=warp_y_param, name="translate_y")
def translate_y_no_shape(
    data: DataNode, offset: DataNode, fill_value: float | None = 128, interp_type: Any = None
) -> DataNode:
    """Moves the image up or down by pixels."""
    return _warped(data, fn.transforms.translation(offset=offset), fill_value, interp_type)


@augmentation(mag_range=(0, 30), randomly_negate=True)
def rotate(
    data: DataNode, angle: DataNode, fill_value: float | None = 128, interp_type: Any = None,
    rotate_keep_size: bool = True,
) -> DataNode:  # fmt: skip
    """Turns the image about its centre, by degrees."""
    return fn.rotate(data, angle=angle, fill_value=fill_value, interp_type=interp_type, keep_size=rotate_keep_size)


def shift_enhance_range(magnitude: float) -> float:
    """A factor about 1, which changes nothing, for a magnitude about 0."""
    return 1 + magnitude


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def brightness(data: DataNode, parameter: DataNode) -> DataNode:
    """Makes the image brighter or darker."""
    return fn.brightness(data, brightness=parameter)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def contrast(data: DataNode, parameter: DataNode) -> DataNode:
    """Stretches intensities about the mean of the image's grey, as Pillow does."""
    weights = types.Constant(np.array([0.299, 0.587, 0.114], np.float32))
    mean = fn.reductions.mean(data, axis_names="HW", keep_dims=True)
    center = fn.reductions.sum(mean * weights, axis_names="C", keep_dims=True)
    return fn.cast_like(center + (data - center) * parameter, data)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=shift_enhance_range)
def color(data: DataNode, parameter: DataNode) -> DataNode:
    """Makes colours stronger or weaker."""
    return fn.saturation(data, saturation=parameter)


def sharpness_kernel(magnitude: float) -> NDArray[np.float32]:
    """A filter that blurs at -1, changes nothing at 0 and sharpens at 1."""
    smooth = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13
    same = np.zeros((3, 3), np.float32)
    same[1, 1] = 1
    return np.asarray(-magnitude * smooth + (1 + magnitude) * same, np.float32)


def sharpness_kernel_shifted(magnitude: float) -> NDArray[np.float32]:
    """The same from 0 to 2."""
    return sharpness_kernel(magnitude - 1)


@augmentation(mag_range=(0, 0.9), randomly_negate=True, mag_to_param=sharpness_kernel, param_device="auto")
def sharpness(data: DataNode, kernel: DataNode) -> DataNode:
    """Sharpens or blurs; at the border, too, unlike Pillow."""
    return fn.filter(data, kernel)


def poster_mask_uint8(magnitude: float) -> NDArray[np.uint8]:
    """A mask of the upper bits, 1 to 8 of them: at 0 one is left, so that no image is blank."""
    bits = min(max(int(np.round(magnitude)), 1), 8)
    return np.array(256 - 2 ** (8 - bits), np.uint8)


@augmentation(mag_range=(0, 4), mag_to_param=poster_mask_uint8, param_device="auto")
def posterize(data: DataNode, mask: DataNode) -> DataNode:
    """Keeps the upper bits of each value."""
    return data & mask


@augmentation(mag_range=(256, 0), param_device="auto")
def solarize(data: DataNode, threshold: DataNode) -> DataNode:
    """Inverts what is not below a threshold."""
    below = data < threshold
    return below * data + (below ^ True) * (types.Constant(255, dtype=_BYTE) - data)


def solarize_add_shift(shift: float) -> np.uint8:
    """What is added, below 128."""
    if shift >= 128:
        raise error(f"{shift:g} would wrap around.", "Give magnitudes below 128.", "mag_range")
    return np.uint8(shift)


@augmentation(mag_range=(0, 110), param_device="auto", mag_to_param=solarize_add_shift)
def solarize_add(data: DataNode, shift: DataNode) -> DataNode:
    """Adds to values below 128."""
    below = data < types.Constant(128, dtype=_BYTE)
    return below * (data + shift) + (below ^ True) * data


@augmentation
def invert(data: DataNode, _: None) -> DataNode:
    """The negative."""
    return types.Constant(255, dtype=_BYTE) - data


@augmentation
def equalize(data: DataNode, _: None) -> DataNode:
    """Spreads the histogram of each channel evenly, as OpenCV does."""
    return fn.equalize(data)


@augmentation
def auto_contrast(data: DataNode, _: None) -> DataNode:
    """Stretches each channel from 0 to 255."""
    low, high = (one(data, axis_names="HW", keep_dims=True) for one in (fn.reductions.min, fn.reductions.max))
    span = high - low
    differs = span > 0
    scale = 255 / (span * differs + types.Constant(255, dtype=_BYTE) * (differs ^ True))
    return fn.cast_like((data - low * differs) * scale, data)


@augmentation
def identity(data: DataNode, _: None) -> DataNode:
    """The image as it is."""
    return data
