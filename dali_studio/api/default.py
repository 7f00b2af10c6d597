"""The registry that programs use unless they bring their own."""

from __future__ import annotations

from functools import lru_cache

from dali_studio.core.loading import loading
from dali_studio.schema.registry import Registry


@lru_cache(maxsize=1)
def default_registry() -> Registry:
    """All operators of this installation, loaded on first use."""
    with loading():
        from dali_studio.operators import load  # noqa: PLC0415 - it takes a moment; imports stay light

        return load()
