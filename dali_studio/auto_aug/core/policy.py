"""Policies of AutoAugment."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, cast

from dali_studio.auto_aug.core.augmentation import Augmentation
from dali_studio.auto_aug.core.errors import error

Step = tuple[Augmentation, float, "int | None"]


class Policy:
    """Rows of augmentations, one of which is drawn for each sample.

    Parameters
    ----------
    name : str
    num_magnitude_bins : int
        Into how many magnitudes ranges are divided.
    sub_policies : sequence of sequence
        Each row has triples: the augmentation, the chance that it is applied, and which of its magnitudes, or ``None``.
    """

    def __init__(self, name: str, num_magnitude_bins: int, sub_policies: Sequence[Sequence[Step]]) -> None:
        self.name, self.num_magnitude_bins = name, num_magnitude_bins
        if not isinstance(num_magnitude_bins, int) or num_magnitude_bins < 1:  # pyright: ignore[reportUnnecessaryIsInstance] - a user's
            raise error(f"{num_magnitude_bins!r} is no number of magnitudes.", "Give 1 or more.", "num_magnitude_bins")
        for row in _listed(sub_policies):
            for step in _listed(row):
                self._check(step)
        self.sub_policies = _with_names_of_their_own(sub_policies)

    def _check(self, step: Any) -> None:
        items = _listed(step)
        if len(items) != 3:
            raise error(f"{step!r} is no step.", "Give an augmentation, a chance and a magnitude.", "sub_policies")
        one, chance, magnitude = items
        if not isinstance(one, Augmentation):
            raise error(f"{one!r} is no augmentation.", "Decorate it by augmentation.", "sub_policies")
        if not isinstance(chance, int | float) or not 0 <= chance <= 1:
            raise error(f"{chance!r} is no chance for {one.name}.", "Give 0 to 1.", "sub_policies")
        if chance == 0:
            warnings.warn(f"{one.name} has a chance of 0 in {self.name}", stacklevel=4)
        if magnitude is None:
            if one.mag_range is not None:
                raise error(f"{one.name} has magnitudes; none is chosen.", "Give a number.", "sub_policies")
            return
        if one.mag_range is None:
            warnings.warn(f"{one.name} has no magnitudes; {magnitude!r} in {self.name} is ignored", stacklevel=4)
        if not isinstance(magnitude, int) or not 0 <= magnitude < self.num_magnitude_bins:
            raise error(
                f"{magnitude!r} is no magnitude of {one.name}.", f"Give 0 to {self.num_magnitude_bins - 1}.",
                "sub_policies",
            )  # fmt: skip

    @property
    def augmentations(self) -> dict[str, Augmentation]:
        """All augmentations by name."""
        found = {step[0] for row in self.sub_policies for step in row}
        return {one.name: one for one in sorted(found, key=lambda one: one.name)}

    def __repr__(self) -> str:
        rows = ",\n\t".join(repr([(one.name, chance, bin_) for one, chance, bin_ in row]) for row in self.sub_policies)
        words = ",\n\t".join(f"{name!r}: {one!r}" for name, one in self.augmentations.items())
        return (
            f"Policy(name={self.name!r}, num_magnitude_bins={self.num_magnitude_bins}, "
            f"sub_policies=[\n\t{rows}], augmentations={{\n\t{words}}})"
        )


def _listed(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise error(f"{value!r} is no list.", "Give rows of triples.", "sub_policies")
    return cast("Sequence[Any]", value)


def _with_names_of_their_own(rows: Sequence[Sequence[Step]]) -> tuple[tuple[Step, ...], ...]:
    """The rows; where different augmentations share a name, all are numbered."""
    found = list(dict.fromkeys(step[0] for row in rows for step in row))
    if len({one.name for one in found}) < len(found):
        digits = len(str(len(found) - 1))
        renamed = {one: one.augmentation(name=f"{number:0{digits}}__{one.name}") for number, one in enumerate(found)}
    else:
        renamed = {one: one for one in found}
    return tuple(tuple((renamed[one], chance, magnitude) for one, chance, magnitude in row) for row in rows)
