"""A call that is tried here: what it gives, or what is wrong with how it ends."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass

from fuzz import programs
from fuzz.machine import Memory
from fuzz.outcome import Outcome, unexpected
from fuzz.programs import Array, Call

#: Bytes that any call may take, and how many times the size of its results, or what nvidia.dali takes, beside them.
_MEMORY, _TIMES = 100 * 2**20, 10


@dataclass(frozen=True)
class Trial:
    """What a call gave by iteration and output, or ``None`` and what it was refused with."""

    outputs: list[list[Array]] | None
    message: str

    def alone(self, number: int, call: Call) -> Outcome:
        """The outcome where nvidia.dali is not asked."""
        return Outcome(number, call.operator, "refused" if self.outputs is None else "accepted")


def tried(number: int, call: Call, told: str, memory: Memory, theirs: Callable[[], int]) -> Outcome | Trial:
    """Run a call.

    Parameters
    ----------
    number : int
        Of the case.
    call : Call
    told : str
        The call, as findings show it.
    memory : Memory
    theirs : callable
        Bytes that nvidia.dali takes for it; asked only if it matters.

    Returns
    -------
    Outcome or Trial
        An `Outcome` if there is nothing more to compare.
    """
    given = Trial(None, "")
    memory.begin()
    try:
        given = Trial(programs.run("dali_studio", call), "")
    except programs.TooLargeError as error:
        return Outcome(number, call.operator, f"accepted; {error}")
    except Exception as error:  # noqa: BLE001 - what comes out is judged
        kind, given = unexpected(error), Trial(None, str(error))
        if kind:
            said = "".join(traceback.format_exception(error)[-4:]) if kind == "exception" else given.message
            return Outcome(number, call.operator, "raised", kind, f"{told}\n{said}")
    grown = memory.grown()
    size = sum(array.nbytes for output in given.outputs or () for array in output)
    if grown > _MEMORY + _TIMES * size and grown > _MEMORY + _TIMES * theirs():
        return Outcome(number, call.operator, "too much memory", "memory", f"{told}: {grown / 2**20:.0f} MiB. {given.message}")
    return given
