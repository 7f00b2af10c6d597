"""Operators as functions, for use in pipeline definitions; same names as ``nvidia.dali.fn``."""

from __future__ import annotations

import sys

from dali_studio.api.functions import function_for, populate

__all__ = populate(sys.modules[__name__], function_for, lambda schema: schema.name)  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll]
