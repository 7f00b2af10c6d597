"""Bins of magnitudes with a random sign for each sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio import fn, types
from dali_studio.auto_aug.core.errors import error
from dali_studio.pipeline import DataNode


class SignedBin:
    """A bin of magnitudes, and whether the magnitude is negated.

    Attributes
    ----------
    bin : int or DataNode
    sign : DataNode
        0 or 1: whether it is negated.
    place : DataNode
        Where it is in a table of all magnitudes, each followed by its negative.
    """

    def __init__(self, bin: int | DataNode, sign: DataNode, place: DataNode) -> None:  # noqa: A002 - the word for it
        self.bin, self.sign, self.place = bin, sign, place

    def __getitem__(self, index: int) -> SignedBin:
        """The bin of one of several augmentations in a row."""
        one = self.bin if isinstance(self.bin, int) else self.bin[index]
        return SignedBin(one, self.sign[index], self.place[index])


def signed_bin(
    magnitude_bin: int | DataNode, random_sign: DataNode | None = None, seed: int | None = None,
    shape: Sequence[int] | None = None,
) -> SignedBin:  # fmt: skip
    """A bin with signs, drawn for the whole batch before it is divided among augmentations.

    Parameters
    ----------
    magnitude_bin : int or DataNode
        From 0, below the number of bins.
    random_sign : DataNode, optional
        0 or 1 for each sample: whether magnitudes of augmentations with `randomly_negate` are negated. Default: drawn.
    seed : int, optional
    shape : sequence of int, optional
        Of the signs that are drawn, for several augmentations in a row.
    """
    if not isinstance(magnitude_bin, int | DataNode):
        raise error(
            f"{magnitude_bin!r} is no bin.", "Give a whole number, or the result of an operator.", "magnitude_bin"
        )
    if random_sign is not None and (seed is not None or shape is not None):
        raise error("Signs are given, and a seed or a shape to draw them.", "Take one away.", "random_sign")
    if random_sign is None:
        random_sign = _drawn(seed, shape)
    return SignedBin(magnitude_bin, random_sign, 2 * magnitude_bin + random_sign)


def _drawn(seed: int | None, shape: Any) -> DataNode:
    return fn.random.uniform(values=[0, 1], dtype=types.INT32, seed=seed, shape=shape)
