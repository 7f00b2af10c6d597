"""Operators as classes, for use in pipeline definitions; same names as ``nvidia.dali.ops``."""

from __future__ import annotations

import sys

from dali_studio.api.composed import Compose
from dali_studio.api.functions import class_for, populate

__all__ = populate(sys.modules[__name__], class_for, lambda schema: schema.class_name)  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll]
__all__ += ["Compose"]
