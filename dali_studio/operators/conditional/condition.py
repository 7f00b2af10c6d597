"""Conditions: one number per sample, which holds unless it is 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.meta import TensorMeta
from dali_studio.schema.arguments import Args


def predicate_of(args: Args) -> NDArray[np.bool_]:
    """The argument `predicate` of the samples.

    Raises
    ------
    ArgumentError
        DS203 if it is no scalar.
    """
    samples = args.samples("predicate")
    if samples is not None and len(samples):
        check_scalar(samples[0].ndim, "a condition", "predicate")
    return args.scalars("predicate", np.bool_)


def truth_of(samples: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which of the samples, which are scalars, are not 0."""
    return np.array([sample.item() for sample in samples], np.bool_)


def check_type(meta: TensorMeta, what: str) -> None:
    """Refuse what is known not to be a number per sample."""
    if meta.ndim is not None:
        check_scalar(meta.ndim, what)


def check_scalar(ndim: int, what: str, argument: str = "input") -> None:
    """Refuse samples with axes."""
    if ndim:
        raise ArgumentError(
            f"the samples have {ndim} {'axis' if ndim == 1 else 'axes'}; {what} is one number per sample (0 axes).",
            hint="Make a scalar of each sample.", argument=argument, code="DS203",
        )  # fmt: skip
