"""AutoAugment (https://arxiv.org/abs/1805.09501)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dali_studio import fn, types
from dali_studio.api.branches import choose
from dali_studio.auto_aug import augmentations as a
from dali_studio.auto_aug.core import Policy, select, signed_bin
from dali_studio.auto_aug.core.augmentation import Augmentation, refuse_unused
from dali_studio.auto_aug.core.errors import error
from dali_studio.auto_aug.suites import Shift, translations, words
from dali_studio.pipeline import DataNode

_BINS = 11
#: The policies: of each row the augmentations with their chances and magnitudes, as the paper has found them.
_IMAGE_NET = """
    equalize 0.8, shear_y 0.8 4
    color 0.4 9, equalize 0.6
    color 0.4 1, rotate 0.6 8
    solarize 0.8 3, equalize 0.4
    solarize 0.4 2, solarize 0.6 2
    color 0.2 0, equalize 0.8
    equalize 0.4, solarize_add 0.8 3
    shear_x 0.2 9, rotate 0.6 8
    color 0.6 1, equalize 1.0
    invert 0.4, rotate 0.6 0
    equalize 1.0, shear_y 0.6 3
    color 0.4 7, equalize 0.6
    posterize 0.4 6, auto_contrast 0.4
    solarize 0.6 8, color 0.6 9
    solarize 0.2 4, rotate 0.8 9
    rotate 1.0 7, translate_y 0.8 9
    solarize 0.8 4
    shear_y 0.8 0, color 0.6 4
    color 1.0 0, rotate 0.6 2
    equalize 0.8
    equalize 1.0, auto_contrast 0.6
    shear_y 0.4 7, solarize_add 0.6 7
    posterize 0.8 2, solarize 0.6 10
    solarize 0.6 8, equalize 0.6
    color 0.8 6, rotate 0.4 5
"""
_REDUCED_IMAGE_NET = """
    posterize 0.4 8, rotate 0.6 9
    solarize 0.6 5, auto_contrast 0.6
    equalize 0.8, equalize 0.6
    posterize 0.6 7, posterize 0.6 6
    equalize 0.4, solarize 0.2 4
    equalize 0.4, rotate 0.8 8
    solarize 0.6 3, equalize 0.6
    posterize 0.8 5, equalize 1.0
    rotate 0.2 3, solarize 0.6 8
    equalize 0.6, posterize 0.4 6
    rotate 0.8 8, color 0.4 0
    rotate 0.4 9, equalize 0.6
    equalize 0.8
    invert 0.6, equalize 1.0
    color 0.6 4, contrast 1.0 8
    rotate 0.8 8, color 1.0 2
    color 0.8 8, solarize 0.8 7
    sharpness 0.4 7, invert 0.6
    shear_x 0.6 5, equalize 1.0
    color 0.4 0, equalize 0.6
    equalize 0.4, solarize 0.2 4
    solarize 0.6 5, auto_contrast 0.6
    invert 0.6, equalize 1.0
    color 0.6 4, contrast 1.0 8
    equalize 0.8, equalize 0.6
"""
_REDUCED_CIFAR10 = """
    invert 0.1, contrast 0.2 6
    rotate 0.7 2, translate_x 0.3 9
    sharpness 0.8 1, sharpness 0.9 3
    shear_y 0.5 8, translate_y 0.7 9
    auto_contrast 0.5, equalize 0.9
    shear_y 0.2 7, posterize 0.3 7
    color 0.4 3, brightness 0.6 7
    sharpness 0.3 9, brightness 0.7 9
    equalize 0.6, equalize 0.5
    contrast 0.6 7, sharpness 0.6 5
    color 0.7 7, translate_x 0.5 8
    equalize 0.3, auto_contrast 0.4
    translate_y 0.4 3, sharpness 0.2 6
    brightness 0.9 6, color 0.2 8
    solarize 0.5 2
    equalize 0.2, auto_contrast 0.6
    equalize 0.2, equalize 0.6
    color 0.9 9, equalize 0.6
    auto_contrast 0.8, solarize 0.2 8
    brightness 0.1 3, color 0.7 0
    solarize 0.4 5, auto_contrast 0.9
    translate_y 0.9 9, translate_y 0.7 9
    auto_contrast 0.9, solarize 0.8 3
    equalize 0.8, invert 0.1
    translate_y 0.7 9, auto_contrast 0.9
"""
_SVHN = """
    shear_x 0.9 4, invert 0.2
    shear_y 0.9 8, invert 0.7
    equalize 0.6, solarize 0.6 6
    invert 0.9, equalize 0.6
    equalize 0.6, rotate 0.9 3
    shear_x 0.9 4, auto_contrast 0.8
    shear_y 0.9 8, invert 0.4
    shear_y 0.9 5, solarize 0.2 6
    invert 0.9, auto_contrast 0.8
    equalize 0.6, rotate 0.9 3
    shear_x 0.9 4, solarize 0.3 3
    shear_y 0.8 8, invert 0.7
    equalize 0.9, translate_y 0.6 6
    invert 0.9, equalize 0.6
    contrast 0.3 3, rotate 0.8 4
    invert 0.8
    shear_y 0.7 6, solarize 0.4 8
    invert 0.6, rotate 0.8 4
    shear_y 0.3 7, translate_x 0.9 3
    shear_x 0.1 6, invert 0.6
    solarize 0.7 2, translate_y 0.6 7
    shear_y 0.8 4, invert 0.8
    shear_x 0.7 9, translate_y 0.8 3
    shear_y 0.8 5, auto_contrast 0.7
    shear_x 0.7 2, invert 0.1
"""


def auto_augment(
    data: DataNode, policy_name: str = "image_net", shape: Any = None, fill_value: float | None = 128,
    interp_type: types.DALIInterpType | None = None, max_translate_abs: Shift | None = None,
    max_translate_rel: Shift | None = None, seed: int | None = None,
) -> DataNode:  # fmt: skip
    """Apply a policy: to each sample a row of it, which is drawn.

    Parameters
    ----------
    data : DataNode
        uint8 images (HWC) or sequences (FHWC).
    policy_name : {"image_net", "reduced_image_net", "svhn", "reduced_cifar10"}
    shape : DataNode or (int, int), optional
        Height and width of the images; shifts are parts of them then.
    fill_value : float or None
        Of what comes in at the border; ``None``: the border's pixels.
    interp_type : DALIInterpType, optional
    max_translate_abs : float or (float, float), optional
        The furthest shift in pixels, of both axes or of height and width; without `shape`. Default: 250.
    max_translate_rel : float or (float, float), optional
        The same as a part of the size; with `shape`. Default: 1.
    seed : int, optional
    """
    policies = {"image_net": get_image_net_policy, "svhn": get_svhn_policy,
                "reduced_cifar10": get_reduced_cifar10_policy}  # fmt: skip
    if policy_name == "reduced_image_net":
        given = {"shape": shape, "max_translate_abs": max_translate_abs, "max_translate_rel": max_translate_rel}
        name = next((name for name, value in given.items() if value is not None), "")
        if name:
            raise error(f"{policy_name} moves no images.", f"Leave {name} out.", name)
        policy = get_reduced_image_net_policy()
    elif policy_name in policies:
        policy = policies[policy_name](shape is not None, max_translate_abs, max_translate_rel)
    else:
        names = ", ".join([*policies, "reduced_image_net"])
        raise error(f"There is no policy {policy_name!r}.", f"There are {names}.", "policy_name")
    return apply_auto_augment(policy, data, seed, **words(fill_value, interp_type, shape))


def auto_augment_image_net(
    data: DataNode, shape: Any = None, fill_value: float | None = 128,
    interp_type: types.DALIInterpType | None = None, max_translate_abs: Shift | None = None,
    max_translate_rel: Shift | None = None, seed: int | None = None,
) -> DataNode:  # fmt: skip
    """Apply the policy "image_net"; the parameters are those of `auto_augment`."""
    return auto_augment(
        data, "image_net", shape, fill_value, interp_type, max_translate_abs, max_translate_rel, seed
    )  # fmt: skip


def apply_auto_augment(policy: Policy, data: DataNode, seed: int | None = None, **kwargs: Any) -> DataNode:
    """The same with a policy of one's own; `kwargs` go to augmentations that take them."""
    rows = policy.sub_policies
    if not rows:
        raise error("The policy has no rows.", "Give one or more.", "policy")
    stages = max(map(len, rows))
    drawn = fn.random.uniform(range=[0, 1], shape=(stages,), dtype=types.FLOAT, seed=seed)
    row = fn.random.uniform(values=list(range(len(rows))), seed=seed, dtype=types.INT32)
    chances, magnitudes = np.zeros((len(rows), stages), np.float32), np.zeros((len(rows), stages), np.int32)
    for number, steps in enumerate(rows):
        for stage, (_, chance, magnitude) in enumerate(steps):
            chances[number, stage], magnitudes[number, stage] = chance, 0 if magnitude is None else magnitude
    suites, places = _suites(policy, stages)
    applied, chosen = types.Constant(chances)[row], types.Constant(places)[row]
    bins: Any = types.Constant(magnitudes)[row]
    if any(one.randomly_negate for one in policy.augmentations.values()):
        bins = signed_bin(bins, seed=seed, shape=(stages,))
    refuse_unused(policy.augmentations.values(), kwargs)
    for stage in range(stages):
        data = _stage(
            drawn[stage] < applied[stage], suites[stage], chosen[stage],
            {"data": data, "magnitude_bin": bins[stage], "num_magnitude_bins": policy.num_magnitude_bins, **kwargs},
        )  # fmt: skip
    return data


def _stage(applies: DataNode, suite: list[Augmentation], chosen: DataNode, given: dict[str, Any]) -> DataNode:
    """One step of all rows."""
    return choose(applies, lambda: select(suite, chosen, **given), lambda: given["data"])


def _suites(policy: Policy, stages: int) -> tuple[list[list[Augmentation]], np.ndarray[Any, np.dtype[np.int32]]]:
    """Of each stage the augmentations that some row has there, and which of them each row has; short rows have none."""
    suites: list[list[Augmentation]] = []
    places = np.zeros((len(policy.sub_policies), stages), np.int32)
    for stage in range(stages):
        found = dict.fromkeys(row[stage][0] for row in policy.sub_policies if len(row) > stage)
        suites.append([*found, a.identity])
        numbers = {one: number for number, one in enumerate(suites[stage])}
        last = len(suites[stage]) - 1
        places[:, stage] = [numbers[row[stage][0]] if len(row) > stage else last for row in policy.sub_policies]
    return suites, places


def get_image_net_policy(
    use_shape: bool = False, max_translate_abs: Shift | None = None, max_translate_rel: Shift | None = None
) -> Policy:
    """The policy for ImageNet; shifts are parts of the size with `use_shape`, pixels otherwise."""
    return _policy("ImageNetPolicy", _IMAGE_NET, (use_shape, max_translate_abs, max_translate_rel))


def get_reduced_cifar10_policy(
    use_shape: bool = False, max_translate_abs: Shift | None = None, max_translate_rel: Shift | None = None
) -> Policy:
    """The policy for CIFAR-10, found on a part of it."""
    return _policy("ReducedCifar10Policy", _REDUCED_CIFAR10, (use_shape, max_translate_abs, max_translate_rel))


def get_svhn_policy(
    use_shape: bool = False, max_translate_abs: Shift | None = None, max_translate_rel: Shift | None = None
) -> Policy:
    """The policy for SVHN."""
    return _policy("SvhnPolicy", _SVHN, (use_shape, max_translate_abs, max_translate_rel))


def get_reduced_image_net_policy() -> Policy:
    """The policy for ImageNet, found on a part of it."""
    return _policy("ReducedImageNetPolicy", _REDUCED_IMAGE_NET, (False, None, None))


def _policy(name: str, table: str, shifts: tuple[bool, Shift | None, Shift | None]) -> Policy:
    use_shape, max_translate_abs, max_translate_rel = shifts
    sideways, down = translations(use_shape, 250, 1.0, max_translate_abs, max_translate_rel)
    known = {
        "shear_x": a.shear_x.augmentation((0, 0.3), True), "shear_y": a.shear_y.augmentation((0, 0.3), True),
        "translate_x": sideways, "translate_y": down, "rotate": a.rotate.augmentation((0, 30), True),
        "brightness": a.brightness.augmentation((0.1, 1.9), False, None),
        "color": a.color.augmentation((0.1, 1.9), False, None),
        "contrast": a.contrast.augmentation((0.1, 1.9), False, None),
        "sharpness": a.sharpness.augmentation((0.1, 1.9), False, a.sharpness_kernel_shifted),
        "posterize": a.posterize.augmentation((0, 4), False, a.poster_mask_uint8),
        "solarize": a.solarize.augmentation((0, 256), False),
        "solarize_add": a.solarize_add.augmentation((0, 110), False),
        "invert": a.invert, "equalize": a.equalize, "auto_contrast": a.auto_contrast,
    }  # fmt: skip
    rows: list[list[tuple[Augmentation, float, int | None]]] = []
    for line in table.strip().splitlines():
        steps = [step.split() for step in line.split(",")]
        rows.append([(known[word], float(chance), int(rest[0]) if rest else None) for word, chance, *rest in steps])
    return Policy(name, _BINS, rows)
