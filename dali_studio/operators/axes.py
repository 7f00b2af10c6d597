"""Axes that arguments name by number or by letter of the layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.schema.arguments import Args


def axes_of(
    args: Args, meta: TensorMeta, numbers: str = "axes", letters: str = "axis_names"
) -> tuple[int, ...] | None:
    """The axes that two arguments name, of which at most one may be given.

    Parameters
    ----------
    args : Args
    meta : TensorMeta
        Of the data.
    numbers, letters : str
        Names of the arguments: a list of integers, which may be negative, and letters of the layout.

    Returns
    -------
    tuple of int or None
        From 0 on, in the order given; ``None`` if neither is given, or as long as number or names of the axes are not
        known.

    Raises
    ------
    ArgumentError
        DS105 for both, and for an axis that there is not or that is named twice.
    """
    by_number, by_letter = args.given(numbers), args.given(letters)
    if by_number and by_letter:
        raise ArgumentError(
            f"{numbers} and {letters} are both given.", hint=f"Unset {numbers} or {letters}.", argument=letters
        )
    if by_letter:
        return None if meta.layout is None else axes_by_letter(args[letters], meta, letters)
    if not by_number or meta.ndim is None:
        return None
    given: int | tuple[int, ...] = args[numbers]
    return axes_by_number(given if isinstance(given, tuple) else (given,), meta.ndim, numbers)


def axes_by_number(given: Sequence[int], ndim: int, argument: str) -> tuple[int, ...]:
    """Axes from 0 on; `ndim` may be one more than the data has, where a new axis is meant."""
    for axis in given:
        if not -ndim <= axis < ndim:
            accepted = f"{-ndim} to {ndim - 1} are" if ndim else "the data is a number and has none"
            raise ArgumentError(f"there is no axis {axis}; {accepted}.", hint="Give another axis.", argument=argument)
    return _once([axis % ndim for axis in given], given, argument)


def axes_by_letter(given: str, meta: TensorMeta, argument: str) -> tuple[int, ...]:
    """Axes of data whose layout is known."""
    layout = meta.layout or ""
    for letter in given:
        if letter not in layout:
            there = f"the layout is {layout!r}" if layout else "the data has no layout"
            raise ArgumentError(
                f"there is no axis {letter!r}; {there}.", hint="Name axes of the layout, or give numbers.",
                argument=argument,
            )  # fmt: skip
    return _once([layout.index(letter) for letter in given], given, argument)


def _once(axes: Sequence[int], given: Sequence[int] | str, argument: str) -> tuple[int, ...]:
    twice = next((name for axis, name in zip(axes, given, strict=True) if axes.count(axis) > 1), None)
    if twice is not None:
        raise ArgumentError(f"axis {twice!r} is named twice.", hint="Name each axis once.", argument=argument)
    return tuple(axes)


def axes_of_samples(
    args: Args, meta: TensorMeta, count: int, otherwise: str | None = None
) -> list[tuple[int, ...]]:
    """The axes that the arguments ``axes``, which may be fed, or ``axis_names`` name for each of `count` samples.

    Parameters
    ----------
    otherwise : str, optional
        Letters of the axes that are meant where neither is given; ``None``: all axes, which none at all means, too.

    Raises
    ------
    ArgumentError
        As `axes_of`.
    """
    ndim = meta.ndim or 0
    if args.given("axes") and args.given("axis_names"):
        raise ArgumentError(
            "axes and axis_names are both given.", hint="Unset axes or axis_names.", argument="axis_names"
        )
    fed = args.samples("axes")
    if fed is not None:
        made: list[tuple[int, ...]] = []
        for index, row in enumerate(fed):
            try:
                made.append(axes_by_number(np.ravel(row).tolist(), ndim, "axes"))
            except ArgumentError as error:
                error.sample = index
                raise
    elif args.given("axes"):
        made = [axes_by_number(args["axes"], ndim, "axes")] * count
    else:
        letters = args["axis_names"] if args.given("axis_names") else otherwise
        made = [() if letters is None else axes_by_letter(letters, meta, "axis_names")] * count
    every = tuple(range(ndim))
    return [one or every for one in made]


def rows_of(
    args: Args, name: str, axes: Sequence[tuple[int, ...]], dtype: DTypeLike = np.float32
) -> Sequence[NDArray[Any]] | NDArray[Any]:
    """Numbers of a list argument for each sample, as many as it has axes; a single one counts for all of them.

    Parameters
    ----------
    axes : sequence of tuple
        Of each sample, from `axes_of_samples`.

    Returns
    -------
    sequence of ndarray
        One array (N, K) where all samples have the same axes and no other numbers are fed.

    Raises
    ------
    ArgumentError
        If there are more or fewer; where it is fed, one number counts for all only if it has no axis.
    """
    fed = args.samples(name)
    if fed is None:
        row = np.asarray(args[name], dtype)
        lengths = {len(one) for one in axes}
        for length in lengths:
            if row.size not in (1, length):
                raise _wrong_count(row.size, length, name, None)
        if len(lengths) == 1:
            return np.broadcast_to(row, (len(axes), *lengths))
        return [np.broadcast_to(row, len(one)) for one in axes]
    rows: list[NDArray[Any]] = []
    for index, (row, one) in enumerate(zip(fed, axes, strict=True)):
        if row.ndim and row.size != len(one):
            raise _wrong_count(row.size, len(one), name, index)
        rows.append(np.broadcast_to(row.astype(dtype).ravel(), len(one)))
    return rows


def _wrong_count(given: int, axes: int, name: str, sample: int | None) -> ArgumentError:
    return ArgumentError(
        f"{given} numbers are given for {axes} axes.", hint="Give one for each axis.", argument=name, sample=sample
    )


def alike(axes: Sequence[tuple[int, ...]]) -> bool:
    """Whether all samples have the very same axes."""
    return bool(axes) and all(one is axes[0] for one in axes)
