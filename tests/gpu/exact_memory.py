"""A plugin for ``compute-sanitizer``: every slab is an allocation of its own, of its exact size.

Pools hand out parts of large allocations, in which an access beyond a slab is not noticed. Use it as
``PYTHONPATH=tests/gpu compute-sanitizer python -m pytest -p exact_memory tests/gpu/test_conformance.py``.
"""

from __future__ import annotations

from typing import Any

import cupy


class ExactPool:
    """As much of ``cupy.cuda.MemoryPool`` as the package uses, without a pool."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def malloc(self, size: int) -> Any:
        return cupy.cuda.MemoryPointer(cupy.cuda.Memory(size), 0)

    def set_limit(self, *_: Any, **__: Any) -> None: ...

    def free_all_blocks(self, *_: Any, **__: Any) -> None: ...

    def used_bytes(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return 0


cupy.cuda.MemoryPool = ExactPool
cupy.cuda.set_allocator(ExactPool().malloc)
