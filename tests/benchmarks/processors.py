"""Who used the processors, and who waited for them, as Linux counts it; elsewhere nothing is known."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_TASKS, _MACHINE, _INTERRUPTS = Path("/proc/self/task"), Path("/proc/stat"), Path("/proc/interrupts")
#: Position of the processor's number in a thread's ``stat``, behind its name.
_PROCESSOR = 36
#: Interrupts a second that are worth telling.
_MANY = 100.0
#: Columns of the machine's counters: what was used by programs and the system, idle, and taken by other machines.
_IDLE, _STOLEN, _ALL = (3, 4), 7, 8


def watch() -> Callable[[float], dict[str, dict[str, Any]]]:
    """Begin to look; the result is called with the seconds since then.

    It gives, for ``"machine"``, the number of processors that were idle, and of those that other machines on the same
    hardware had instead; for ``"interrupts"``, how many a second of GPUs each processor has served; and for each kind
    of thread of this process, how many processors it ran on (``"runs"``), how many more it waited for while it could
    have run (``"waits"``), and where the threads are in the end (``"on"``).
    """
    before, machine, interrupts = _threads(), _machine(), _interrupts()

    def since(seconds: float) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        if machine:
            ticks = [after - start for after, start in zip(_machine(), machine, strict=True)]
            rate = os.sysconf("SC_CLK_TCK") * seconds
            found["machine"] = {"idle": sum(ticks[i] for i in _IDLE) / rate, "stolen": ticks[_STOLEN] / rate}
        rates = {name: (count - interrupts.get(name, 0)) / seconds for name, count in _interrupts().items()}
        found["interrupts"] = {name: rate for name, rate in rates.items() if rate > _MANY}
        for thread, (name, on, *after) in sorted(_threads().items()):
            _, _, *start = before.get(thread, ("", 0, 0, 0))
            kind = found.setdefault(name, {"runs": 0.0, "waits": 0.0, "on": []})
            kind["on"].append(on)
            for column, end, begin in zip(("runs", "waits"), after, start, strict=True):
                kind[column] += (end - begin) / 1e9 / seconds
        return found

    return since


def _threads() -> dict[int, tuple[str, int, int, int]]:
    """Kind, processor, nanoseconds on a processor and nanoseconds of waiting for one, of each thread."""
    names = {thread.native_id: re.sub(r"[-_ ]*\d+(_\d+)?( \(.*\))?$", "", thread.name) for thread in threading.enumerate()}
    found: dict[int, tuple[str, int, int, int]] = {}
    for task in _TASKS.iterdir() if _TASKS.exists() else ():
        try:
            runs, waits, _ = (task / "schedstat").read_text().split()
            on = (task / "stat").read_text().rpartition(")")[2].split()[_PROCESSOR]
        except (OSError, ValueError):  # the thread has ended, or the system does not count
            continue
        found[int(task.name)] = names.get(int(task.name), "of libraries"), int(on), int(runs), int(waits)
    return found


def _interrupts() -> dict[str, int]:
    """How many of NVIDIA's driver each processor has served."""
    lines = _INTERRUPTS.read_text().splitlines() if _INTERRUPTS.exists() else [""]
    counts = [line.split()[1:] for line in lines[1:] if "nvidia" in line]
    return {
        name: sum(int(row[column]) for row in counts if row[column].isdigit())
        for column, name in enumerate(lines[0].split())
    }  # fmt: skip


def _machine() -> list[int]:
    if not _MACHINE.exists():
        return []
    return [int(word) for word in _MACHINE.read_text().splitlines()[0].split()[1 : _ALL + 1]]
