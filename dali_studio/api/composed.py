"""``ops.Compose``: operators that follow each other, as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dali_studio.api.tracing import DataNode


class Composed:
    """What `Compose` gives: called as an operator is, it calls one after the other.

    Parameters
    ----------
    operators : sequence of callable

    Attributes
    ----------
    operators : list of callable
        Without nested ones.
    """

    def __init__(self, operators: Sequence[Callable[..., Any]]) -> None:
        self.operators: list[Callable[..., Any]] = []
        for one in operators:
            self.operators += one.operators if isinstance(one, Composed) else [one]

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        """The result of the last operator; `arguments` are for the first."""
        made: list[Any] = list(inputs)
        for operator in self.operators:
            given = [one.gpu() if _has_to_move(operator, number, one) else one for number, one in enumerate(made)]
            found: Any = operator(*given, **arguments)
            made, arguments = [*found] if isinstance(found, list | tuple) else [found], {}
        return made[0] if len(made) == 1 else made


def Compose(op_list: Sequence[Callable[..., Any]]) -> Callable[..., Any]:  # noqa: N802 - nvidia.dali's name
    """Operators that follow each other as one: each gets what the one before it gives.

    Data on the CPU that an operator on the device "gpu" reads there is copied to the GPU.

    Parameters
    ----------
    op_list : sequence of callable
        Objects of ``ops`` classes.
    """
    return op_list[0] if len(op_list) == 1 else Composed(op_list)


def _has_to_move(operator: Callable[..., Any], number: int, given: Any) -> bool:
    """Whether an input lies on the CPU, and the operator reads it on the GPU."""
    arguments, schema = getattr(operator, "arguments", {}), getattr(operator, "schema", None)
    if arguments.get("device") != "gpu" or schema is None or not isinstance(given, DataNode) or given.device != "cpu":
        return False
    declared = schema.input(number)
    by_shape = declared is not None and declared.shape_only
    return not by_shape and not (number and "ReadsParameters" in schema.traits)
