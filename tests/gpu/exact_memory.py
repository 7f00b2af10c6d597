"""A plugin for ``compute-sanitizer``: every slab is an allocation of its own, of its exact size.

Pools hand out parts of large allocations, in which an access beyond a slab is not noticed. Behind it, and between the
samples of a batch, are the bytes that kernels may read since they take whole words; they are 0 here, so that nothing but
these may be read before it is written.
Use it as
``PYTHONPATH=tests/gpu compute-sanitizer python -m pytest -p exact_memory tests/gpu/test_conformance.py``. With
``PART=2/5`` in the environment the second fifth of the tests runs: neighbours, which share kernels.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import cupy
import pytest

from dali_studio.core.batch import Batch
from dali_studio.kernels.cuda import arrivals, stream
from dali_studio.kernels.cuda.batch import PADDING

#: Bytes that initcheck keeps account of together: of a word of which a copy writes some and ``memset`` the others it says
#: that it was never written.
_WORD = 4


class ExactPool:
    """As much of ``cupy.cuda.MemoryPool`` as the package uses, without a pool."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def malloc(self, size: int) -> Any:
        made = cupy.cuda.MemoryPointer(cupy.cuda.Memory(size), 0)
        behind = max(size - PADDING, 0) // _WORD * _WORD
        (made + behind).memset(0, size - behind)
        return made

    def set_limit(self, *_: Any, **__: Any) -> None: ...

    def free_all_blocks(self, *_: Any, **__: Any) -> None: ...

    def used_bytes(self) -> int:
        return 0

    def total_bytes(self) -> int:
        return 0


def with_gaps_of_zeros(make: Callable[..., Batch]) -> Callable[..., Batch]:
    """`make`, after which the bytes between the samples of its batch are 0."""

    def made(*arguments: Any) -> Batch:
        batch = make(*arguments)
        if batch.memory is not None and len(batch):
            ends = batch.offsets + batch.counts * batch.dtype.itemsize
            for end, following in zip(ends[:-1].tolist(), batch.offsets[1:].tolist(), strict=True):
                if following > end:
                    begin = end // _WORD * _WORD
                    (batch.memory + begin).memset(0, following - begin)
        return batch

    return made


#: Tests that ask for what the pool does: memory comes again, or there is a limit.
_OF_THE_POOL = (
    "test_what_comes_again_is_launched_without_being_prepared",
    "test_a_group_that_memory_does_not_hold_is_computed_one_by_one",
)

stream.GpuStream.batch = with_gaps_of_zeros(stream.GpuStream.batch)
stream.GpuStream.target = with_gaps_of_zeros(stream.GpuStream.target)
arrivals.roomy = stream.roomy = lambda size: size
cupy.cuda.MemoryPool = ExactPool
cupy.cuda.set_allocator(ExactPool().malloc)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep the part of the tests that is asked for, of those that other options leave and that need no pool."""
    of_the_pool = [item for item in items if item.originalname in _OF_THE_POOL]
    config.hook.pytest_deselected(items=of_the_pool)
    items[:] = [item for item in items if item not in of_the_pool]
    number, parts = map(int, os.environ.get("PART", "1/1").split("/"))
    begin, end = (len(items) * one // parts for one in (number - 1, number))
    config.hook.pytest_deselected(items=[*items[:begin], *items[end:]])
    items[:] = items[begin:end]
