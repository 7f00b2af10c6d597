"""Who used the processors, and who waited for them, as Linux counts it; elsewhere nothing is known."""

from __future__ import annotations

import os
import re
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

_TASKS, _MACHINE = Path("/proc/self/task"), Path("/proc/stat")
#: Columns of the machine's counters: what was used by programs and the system, idle, and taken by other machines.
_IDLE, _STOLEN, _ALL = (3, 4), 7, 8


def watch() -> Callable[[float], dict[str, dict[str, float]]]:
    """Begin to look; the result is called with the seconds since then.

    It gives, for ``"machine"``, the number of processors that were idle, and of those that other machines on the same
    hardware had instead; and for each kind of thread of this process, how many processors it ran on (``"runs"``), and
    how many more it waited for while it could have run (``"waits"``).
    """
    before, machine = _threads(), _machine()

    def since(seconds: float) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        if machine:
            ticks = [after - start for after, start in zip(_machine(), machine, strict=True)]
            rate = os.sysconf("SC_CLK_TCK") * seconds
            found["machine"] = {"idle": sum(ticks[i] for i in _IDLE) / rate, "stolen": ticks[_STOLEN] / rate}
        spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for thread, (name, *after) in _threads().items():
            _, *start = before.get(thread, ("", 0, 0))
            for column, (end, begin) in enumerate(zip(after, start, strict=True)):
                spent[name][column] += (end - begin) / 1e9 / seconds
        return found | {name: {"runs": runs, "waits": waits} for name, (runs, waits) in sorted(spent.items())}

    return since


def _threads() -> dict[int, tuple[str, int, int]]:
    """Kind, nanoseconds on a processor and nanoseconds of waiting for one, of each thread."""
    names = {thread.native_id: re.sub(r"[-_ ]*\d+(_\d+)?( \(.*\))?$", "", thread.name) for thread in threading.enumerate()}
    found: dict[int, tuple[str, int, int]] = {}
    for task in _TASKS.iterdir() if _TASKS.exists() else ():
        try:
            runs, waits, _ = (task / "schedstat").read_text().split()
        except (OSError, ValueError):  # the thread has ended, or the system does not count
            continue
        found[int(task.name)] = names.get(int(task.name), "of libraries"), int(runs), int(waits)
    return found


def _machine() -> list[int]:
    if not _MACHINE.exists():
        return []
    return [int(word) for word in _MACHINE.read_text().splitlines()[0].split()[1 : _ALL + 1]]
