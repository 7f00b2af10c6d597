"""What the suites of the three methods have in common: how far images are moved, and which names may be left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio.auto_aug import augmentations as a
from dali_studio.auto_aug.core.augmentation import Augmentation
from dali_studio.auto_aug.core.errors import error

#: The furthest shift: of both axes, or of height and width.
Shift = float | tuple[float, float]


def translations(
    use_shape: bool, default_abs: float, default_rel: float, max_translate_abs: Shift | None,
    max_translate_rel: Shift | None,
) -> list[Augmentation]:  # fmt: skip
    """Shifts sideways and downwards, by parts of the image's size or by pixels.

    Raises
    ------
    DaliStudioError
        For a limit of the other kind.
    """
    if not isinstance(use_shape, bool):  # pyright: ignore[reportUnnecessaryIsInstance] - shapes are given by mistake
        raise error(f"{use_shape!r} is neither True nor False.", "Pass shapes to the call.", "use_shape")
    kinds = "max_translate_abs", "max_translate_rel"
    wrong, right = kinds if use_shape else kinds[::-1]
    if (max_translate_abs if use_shape else max_translate_rel) is not None:
        raise error(
            f"{wrong} is given, and {'' if use_shape else 'no '}shapes are.", f"Give {right}.", wrong
        )  # fmt: skip
    given = max_translate_rel if use_shape else max_translate_abs
    limit = (default_rel if use_shape else default_abs) if given is None else given
    height, width = limit if isinstance(limit, tuple | list) else (limit, limit)
    sideways, down = (a.translate_x, a.translate_y) if use_shape else (a.translate_x_no_shape, a.translate_y_no_shape)
    return [sideways.augmentation((0, width), True), down.augmentation((0, height), True)]


def without(suite: Sequence[Augmentation], excluded: Sequence[str] | None) -> list[Augmentation]:
    """A suite without some of its augmentations."""
    names = [one.name for one in suite]
    unknown = [name for name in excluded or () if name not in names]
    if unknown:
        raise error(f"There is no augmentation {unknown[0]!r}.", f"There are {', '.join(names)}.", "excluded")
    return [one for one in suite if one.name not in (excluded or ())]


def check_count(value: Any, least: int, name: str) -> None:
    """Refuse what is no whole number from `least` on."""
    if not isinstance(value, int) or value < least:
        raise error(f"{value!r} is no number of them.", f"Give a whole number, {least} or more.", name)


def words(fill_value: float | None, interp_type: Any, shape: Any) -> dict[str, Any]:
    """What augmentations are given by name."""
    given = {"fill_value": fill_value, "interp_type": interp_type}
    return given if shape is None else {**given, "shape": shape}
