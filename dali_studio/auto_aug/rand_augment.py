"""RandAugment (https://arxiv.org/abs/1909.13719)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from dali_studio import fn, types
from dali_studio.auto_aug import augmentations as a
from dali_studio.auto_aug.core import select, signed_bin
from dali_studio.auto_aug.core.augmentation import Augmentation, refuse_unused
from dali_studio.auto_aug.core.errors import error
from dali_studio.auto_aug.suites import Shift, check_count, translations, without, words
from dali_studio.pipeline import DataNode

_DEFAULTS = 100, 100 / 224


def rand_augment(
    data: DataNode, n: int, m: int, num_magnitude_bins: int = 31, shape: Any = None, fill_value: float | None = 128,
    interp_type: types.DALIInterpType | None = None, max_translate_abs: Shift | None = None,
    max_translate_rel: Shift | None = None, seed: int | None = None, monotonic_mag: bool = True,
    excluded: Sequence[str] | None = None,
) -> DataNode:  # fmt: skip
    """Apply `n` augmentations to each sample, drawn from a suite, all with the same magnitude.

    Parameters
    ----------
    data : DataNode
        uint8 images (HWC) or sequences (FHWC).
    n : int
        How many are applied, one after the other.
    m : int
        Their magnitude, from 0, below `num_magnitude_bins`.
    num_magnitude_bins : int
    shape : DataNode or (int, int), optional
        Height and width of the images; shifts are parts of them then.
    fill_value : float or None
        Of what comes in at the border; ``None``: the border's pixels.
    interp_type : DALIInterpType, optional
    max_translate_abs : float or (float, float), optional
        The furthest shift in pixels, of both axes or of height and width; without `shape`. Default: 100.
    max_translate_rel : float or (float, float), optional
        The same as a part of the size; with `shape`. Default: 100 / 224.
    seed : int, optional
    monotonic_mag : bool
        Larger magnitudes change more. Otherwise, those of posterize, solarize and of colours go as in AutoAugment.
    excluded : sequence of str, optional
        Names of augmentations that are left out.
    """
    suite = get_rand_augment_suite if monotonic_mag else get_rand_augment_non_monotonic_suite
    chosen = without(suite(shape is not None, max_translate_abs, max_translate_rel), excluded)
    return apply_rand_augment(
        chosen, data, n, m, num_magnitude_bins=num_magnitude_bins, seed=seed, **words(fill_value, interp_type, shape)
    )


def apply_rand_augment(
    augmentations: Sequence[Augmentation], data: DataNode, n: int, m: int, num_magnitude_bins: int = 31,
    seed: int | None = None, **kwargs: Any,
) -> DataNode:  # fmt: skip
    """The same with augmentations of one's own; `kwargs` go to those that take them."""
    check_count(n, 0, "n")
    check_count(num_magnitude_bins, 1, "num_magnitude_bins")
    if not isinstance(m, int) or not 0 <= m < num_magnitude_bins:  # pyright: ignore[reportUnnecessaryIsInstance] - a user's
        raise error(f"{m!r} is no magnitude.", f"Give 0 to {num_magnitude_bins - 1}.", "m")
    if n == 0:
        warnings.warn("n is 0: no augmentation is applied", stacklevel=2)
        return data
    if not augmentations:
        raise error("There is no augmentation to choose from.", "Give one or more.", "augmentations")
    shape = () if n == 1 else (n,)
    chosen = fn.random.uniform(values=list(range(len(augmentations))), seed=seed, shape=shape, dtype=types.INT32)
    signed = any(one.randomly_negate for one in augmentations)
    magnitude: Any = signed_bin(m, seed=seed, shape=shape) if signed else m
    refuse_unused(augmentations, kwargs)
    for level in range(n):
        data = select(
            augmentations, chosen if n == 1 else chosen[level], data=data,
            magnitude_bin=magnitude[level] if signed and n > 1 else magnitude, num_magnitude_bins=num_magnitude_bins,
            **kwargs,
        )  # fmt: skip
    return data


def get_rand_augment_suite(
    use_shape: bool = False, max_translate_abs: Shift | None = None, max_translate_rel: Shift | None = None
) -> list[Augmentation]:
    """The augmentations, with magnitudes that change more the larger they are."""
    return [
        *_warps(use_shape, max_translate_abs, max_translate_rel),
        a.brightness.augmentation((0, 0.9), True, a.shift_enhance_range),
        a.contrast.augmentation((0, 0.9), True, a.shift_enhance_range),
        a.color.augmentation((0, 0.9), True, a.shift_enhance_range),
        a.sharpness.augmentation((0, 0.9), True, a.sharpness_kernel),
        a.posterize.augmentation((8, 4), False, a.poster_mask_uint8),
        a.solarize.augmentation((256, 0)),
        a.equalize, a.auto_contrast, a.identity,
    ]  # fmt: skip


def get_rand_augment_non_monotonic_suite(
    use_shape: bool = False, max_translate_abs: Shift | None = None, max_translate_rel: Shift | None = None
) -> list[Augmentation]:
    """The augmentations, with the magnitudes of AutoAugment."""
    return [
        *_warps(use_shape, max_translate_abs, max_translate_rel),
        a.brightness.augmentation((0.1, 1.9), False, None),
        a.contrast.augmentation((0.1, 1.9), False, None),
        a.color.augmentation((0.1, 1.9), False, None),
        a.sharpness.augmentation((0.1, 1.9), False, a.sharpness_kernel_shifted),
        a.posterize.augmentation((0, 4), False, a.poster_mask_uint8),
        a.solarize.augmentation((0, 256), False, None),
        a.equalize, a.auto_contrast, a.identity,
    ]  # fmt: skip


def _warps(
    use_shape: bool, max_translate_abs: Shift | None, max_translate_rel: Shift | None
) -> list[Augmentation]:
    return [
        *translations(use_shape, *_DEFAULTS, max_translate_abs, max_translate_rel),
        a.shear_x.augmentation((0, 0.3), True), a.shear_y.augmentation((0, 0.3), True),
        a.rotate.augmentation((0, 30), True),
    ]  # fmt: skip
