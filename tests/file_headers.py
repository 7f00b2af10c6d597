"""What is found in files' headers, for each file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dali_studio.kernels.cpu.image_codec import DecodeError, peek_all
from dali_studio.kernels.cpu.image_info import ImageInfo
from dali_studio.kernels.jpeg import header_cache


def peeked(files: Sequence[Any]) -> list[ImageInfo | DecodeError]:
    """The header of each file, or why it has none."""
    kinds, which = peek_all(files)
    return [kinds[number] for number in which.tolist()]


def read_headers(files: Sequence[Any]) -> list[ImageInfo | None]:
    """The header of each file; ``None`` for what is no JPEG file with a plain one."""
    kinds, which = header_cache.read_headers(files)
    return [kinds[number] if number >= 0 else None for number in which.tolist()]
