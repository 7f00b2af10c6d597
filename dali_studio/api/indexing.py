"""``x[0]``, ``x[:, ::2]``, ``x[newaxis]`` in pipeline definitions."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dali_studio.api.constants import ScalarConstant
from dali_studio.api.tracing import DataNode, call_site, trace_operator
from dali_studio.core.diagnostics import DaliStudioError, Diagnostic
from dali_studio.core.subscripts import LETTERS, Bound, Subscript, ordered, written


class NewAxis:
    """Stands for a new axis of extent 1 in an index; ``newaxis("C")`` names it in the layout.

    Attributes
    ----------
    name : str or None
    """

    def __init__(self, name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or len(name) != 1):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's
            raise _error(f"{name!r} is no name of an axis.", "Give a single letter.")
        self.name = name

    def __call__(self, name: str | None = None) -> NewAxis:
        return NewAxis(name)


newaxis = NewAxis()


def indexed(node: DataNode, index: Any) -> DataNode:
    """What ``node[index]`` gives.

    Raises
    ------
    DaliStudioError
        For what is no index.
    """
    items: tuple[Any, ...] = cast("tuple[Any, ...]", index) if isinstance(index, tuple) else (index,)
    axes, kept = _new_axes(items)
    wires: dict[tuple[str, int], DataNode] = {}
    rows = [
        _row(item, axis, wires) for axis, item in enumerate(item for item in items if not isinstance(item, NewAxis))
    ]
    letters = _letters(node, wires)
    for (name, axis), letter in letters.items():
        rows[axis][name] = letter
    subscripts = [Subscript(**row) for row in rows]
    made = node
    # ahead of new axes at the end, whole axes say nothing: too few axes are found there
    if not all(one.whole for one in subscripts) or (subscripts and not isinstance(items[-1], NewAxis)):
        named = {letters[place]: wired for place, wired in wires.items()}
        made = trace_operator("subscript", (node,), {"index": written(subscripts), **named}, trace=node.trace)
    if axes:
        made = trace_operator("expand_dims", (made,), {"axes": axes, "new_axis_names": kept}, trace=node.trace)
    return made


def _new_axes(items: tuple[Any, ...]) -> tuple[list[int], str | None]:
    """Where new axes stand in the result, and their names."""
    axes, names, at = list[int](), list[str](), 0
    for item in items:
        if isinstance(item, NewAxis):
            axes.append(at)
            names += [] if item.name is None else [item.name]
        at += isinstance(item, NewAxis | slice) or item is None
    if names and len(names) != len(axes):
        raise _error("Some of the new axes have names.", "Name all of them, or none.")
    return axes, "".join(names) or None


#: nvidia.dali's words for the parts of an index, by whose order random operators behind them get seeds.
_WORDS = {"at": "at", "begin": "lo", "end": "hi", "step": "step"}


def _row(item: Any, axis: int, wires: dict[tuple[str, int], DataNode]) -> dict[str, Bound]:
    """The bounds that are numbers; others go to `wires`."""
    if item is None:
        return {}
    if item is Ellipsis:
        raise _error("... in an index is not available, as in nvidia.dali.", "Write a colon for each axis.")
    if isinstance(item, slice):
        parts: dict[str, Any] = {"begin": item.start, "end": item.stop, "step": item.step}
    else:
        if isinstance(item, float | str | list):
            raise _error(f"{item!r} is no position.", "Give whole numbers, ranges, or results of operators.")
        parts = {"at": item}
    row: dict[str, Bound] = {}
    for name, value in parts.items():
        if isinstance(value, DataNode):
            wires[name, axis] = value
        elif value is not None:
            row[name] = _whole(value)
    return row


def _whole(value: Any) -> int:
    if isinstance(value, ScalarConstant):
        value = value.value
    if isinstance(value, bool | int | float | np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return int(cast(Any, value))
    raise _error(f"{value!r} is no position.", "Give whole numbers, ranges, or results of operators.")


def _letters(node: DataNode, wires: dict[tuple[str, int], DataNode]) -> dict[tuple[str, int], str]:
    """The letter of each wired position."""
    if len(wires) > len(LETTERS):
        raise _error(
            f"The index has {len(wires)} positions that are results of operators; {len(LETTERS)} are accepted.",
            "Take a part by a second index.", node.name,
        )  # fmt: skip
    places = {(_WORDS[name], axis): (name, axis) for name, axis in wires}
    return {places[place]: letter for place, letter in zip(ordered(places), LETTERS, strict=False)}


def _error(message: str, hint: str, node: str = "") -> DaliStudioError:
    return DaliStudioError(
        Diagnostic(code="DS202", message=message, hint=hint, node=node, argument="index", source=call_site())
    )
