"""TrivialAugment (https://arxiv.org/abs/2103.10158)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio import fn, types
from dali_studio.auto_aug import augmentations as a
from dali_studio.auto_aug.core import select, signed_bin
from dali_studio.auto_aug.core.augmentation import Augmentation, refuse_unused
from dali_studio.auto_aug.core.errors import error
from dali_studio.auto_aug.suites import Shift, check_count, translations, without, words
from dali_studio.pipeline import DataNode


def trivial_augment_wide(
    data: DataNode, num_magnitude_bins: int = 31, shape: Any = None, fill_value: float | None = 128,
    interp_type: types.DALIInterpType | None = None, max_translate_abs: Shift | None = None,
    max_translate_rel: Shift | None = None, seed: int | None = None, excluded: Sequence[str] | None = None,
) -> DataNode:  # fmt: skip
    """Apply one augmentation to each sample, drawn from a suite, with a magnitude that is drawn.

    Parameters
    ----------
    data : DataNode
        uint8 images (HWC) or sequences (FHWC).
    num_magnitude_bins : int
        Into how many magnitudes ranges are divided.
    shape : DataNode or (int, int), optional
        Height and width of the images; shifts are parts of them then.
    fill_value : float or None
        Of what comes in at the border; ``None``: the border's pixels.
    interp_type : DALIInterpType, optional
    max_translate_abs : float or (float, float), optional
        The furthest shift in pixels, of both axes or of height and width; without `shape`. Default: 32.
    max_translate_rel : float or (float, float), optional
        The same as a part of the size; with `shape`. Default: 1.
    seed : int, optional
    excluded : sequence of str, optional
        Names of augmentations that are left out.
    """
    suite = get_trivial_augment_wide_suite(shape is not None, max_translate_abs, max_translate_rel)
    return apply_trivial_augment(
        without(suite, excluded), data, num_magnitude_bins=num_magnitude_bins, seed=seed,
        **words(fill_value, interp_type, shape),
    )  # fmt: skip


def apply_trivial_augment(
    augmentations: Sequence[Augmentation], data: DataNode, num_magnitude_bins: int = 31, seed: int | None = None,
    **kwargs: Any,
) -> DataNode:  # fmt: skip
    """The same with augmentations of one's own; `kwargs` go to those that take them."""
    check_count(num_magnitude_bins, 1, "num_magnitude_bins")
    if not augmentations:
        raise error("There is no augmentation to choose from.", "Give one or more.", "augmentations")
    magnitude: Any = fn.random.uniform(values=list(range(num_magnitude_bins)), dtype=types.INT32, seed=seed)
    if any(one.randomly_negate for one in augmentations):
        magnitude = signed_bin(magnitude, seed=seed)
    refuse_unused(augmentations, kwargs)
    chosen = fn.random.uniform(values=list(range(len(augmentations))), seed=seed, dtype=types.INT32)
    return select(
        augmentations, chosen, data=data, magnitude_bin=magnitude, num_magnitude_bins=num_magnitude_bins, **kwargs
    )


def get_trivial_augment_wide_suite(
    use_shape: bool = False, max_translate_abs: Shift | None = None, max_translate_rel: Shift | None = None
) -> list[Augmentation]:
    """The augmentations, which the paper calls the wide space."""
    return [
        *translations(use_shape, 32, 1.0, max_translate_abs, max_translate_rel),
        a.shear_x.augmentation((0, 0.99), True), a.shear_y.augmentation((0, 0.99), True),
        a.rotate.augmentation((0, 135), True),
        a.brightness.augmentation((0.01, 0.99), True, a.shift_enhance_range),
        a.contrast.augmentation((0.01, 0.99), True, a.shift_enhance_range),
        a.color.augmentation((0.01, 0.99), True, a.shift_enhance_range),
        a.sharpness.augmentation((0.01, 0.99), True, a.sharpness_kernel),
        a.posterize.augmentation((8, 2), False, a.poster_mask_uint8),
        a.solarize.augmentation((256, 0)),
        a.equalize, a.auto_contrast, a.identity,
    ]  # fmt: skip
