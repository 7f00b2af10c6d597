"""Marks for loops that nvidia.dali captures as pipelines; here loops run as they are written."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["invariant"]

_T = TypeVar("_T")


def invariant(value: _T) -> _T:
    """Promise that a value stays the same in all iterations: the value itself, since nothing is captured here."""
    return value
