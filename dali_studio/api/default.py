"""The registry that programs use unless they bring their own."""

from __future__ import annotations

import threading
from functools import lru_cache

from dali_studio.schema.registry import Registry


@lru_cache(maxsize=1)
def default_registry() -> Registry:
    """All operators of this installation, loaded on first use."""
    from dali_studio.operators import load  # noqa: PLC0415 - loading all operators takes a moment; imports stay light

    return load()


@lru_cache(maxsize=1)
def warm_in_background() -> threading.Thread:
    """Load or compile the kernels on a thread of its own, once per process, so that no first use waits for them."""
    from dali_studio.kernels.cpu.warmup import warm  # noqa: PLC0415 - loaded by who needs it

    thread = threading.Thread(target=warm, name="dali-studio-warm", daemon=True)
    thread.start()
    return thread
