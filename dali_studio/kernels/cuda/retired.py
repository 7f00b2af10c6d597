"""Pools of device memory whose owner is gone, until all that is of them has come back.

CuPy never gives back to the GPU what outlives its pool: results that somebody still has, and what threads were at.
"""

from __future__ import annotations

import threading
from typing import Any

#: Seconds after which threads of a pipeline that is gone have ended.
_LATER = 1.0


class _Retired:
    def __init__(self) -> None:
        self._pools: list[tuple[Any, Any]] = []
        self._lock = threading.RLock()  # what is collected while it is held may retire a pool
        self._later: threading.Timer | None = None

    def retire(self, device: Any, pool: Any) -> None:
        """Keep a pool as long as anything is of it."""
        with self._lock:
            self._pools.append((device, pool))
            self.give_back()
            if self._pools and (self._later is None or not self._later.is_alive()):
                self._later = threading.Timer(_LATER, self.give_back)
                self._later.daemon = True
                self._later.start()

    def give_back(self) -> None:
        """Give back to the GPUs what has come back to the pools."""
        with self._lock:
            for one in tuple(self._pools):
                device, pool = one
                with device:
                    in_use = pool.used_bytes()
                    pool.free_all_blocks()
                if not in_use:
                    self._pools.remove(one)


_retired = _Retired()
retire, give_back = _retired.retire, _retired.give_back
