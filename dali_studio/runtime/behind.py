"""What is kept of an executor's iterations, so that others can go on behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dali_studio.schema.declare import Operator, overrides


class Behind:
    """What checkpoints need, behind each iteration, and random steps in branches.

    Attributes
    ----------
    asked
        Whether `saved` is asked for after each iteration.
    """

    def __init__(self) -> None:
        self.asked = False
        #: For random steps in branches: the last iteration, and samples drawn for before and behind it.
        self._draws: dict[str, tuple[int, int, int]] = {}
        self._saved: dict[int, dict[str, dict[str, Any]]] = {}

    def restore(self, iteration: int, draws: Mapping[str, int]) -> None:
        """Go on before an iteration, with the draws that `saved` gave behind the one before it."""
        self._draws = {key: (iteration - 1, 0, count) for key, count in draws.items()}

    def saved(self, iteration: int) -> tuple[dict[str, int], dict[str, dict[str, Any]]]:
        """Behind an iteration: samples that random steps in branches have drawn for, and what operators save.

        It is asked for once for each iteration, in their order; the next one may have been begun.
        """
        if not self._draws and not self._saved:
            return {}, {}
        entries = list(self._draws.items())  # at once: another thread may add one
        draws = {key: before if last > iteration else behind for key, (last, before, behind) in entries}
        for failed in [number for number in list(self._saved) if number < iteration]:
            del self._saved[failed]
        return draws, self._saved.pop(iteration, {})

    def save(self, key: str, operator: type[Operator], state: object, iteration: int) -> None:
        """Keep what the operator of a source saves, if that is asked for."""
        if self.asked and overrides(operator, "save"):
            self._saved.setdefault(iteration, {})[key] = operator.save(state)

    def drawn(self, key: str, iteration: int, count: int) -> int:
        """For how many samples a random step in a branch has drawn before an iteration, in which it has `count`."""
        last, before, behind = self._draws.get(key, (-1, 0, 0))
        if last != iteration:
            before = behind if last < iteration else 0
            self._draws[key] = iteration, before, before + count
        return before
