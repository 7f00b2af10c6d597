"""The order of a program's statements after its graph has changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

#: A statement of the text, by its number, or a node that is to get one.
Item = int | str


def fewest_moved(units: Sequence[int], new: Sequence[str], needs: Mapping[Item, Collection[Item]]) -> list[Item] | None:
    """Statements and new nodes, each behind what it needs; `None` if some need each other.

    Either what is needed comes forward or what needs it waits, as moves fewer statements. New nodes come right before
    what needs them.
    """
    orders = [order for order in (_forward((*units, *new), needs), _waiting(units, needs)) if order is not None]
    return max(orders, key=lambda order: len(staying([one for one in order if isinstance(one, int)])), default=None)


def staying(order: Sequence[int]) -> set[int]:
    """The most numbers that stand in a rising order: all but these are moved."""
    last: list[int] = []  # by length, the least number with which that many rise
    before: dict[int, int | None] = {}
    for number in order:
        at = bisect_left(last, number)
        before[number] = last[at - 1] if at else None
        last[at:at + 1] = [number]
    found: set[int] = set()
    number = last[-1] if last else None
    while number is not None:
        found.add(number)
        number = before[number]
    return found


def _forward(items: Sequence[Item], needs: Mapping[Item, Collection[Item]]) -> list[Item] | None:
    """In this order, but what is needed comes right before the first that needs it."""
    order: dict[Item, None] = {}
    entered: set[Item] = set()
    rank = {item: at for at, item in enumerate(items)}
    stack = list(reversed(items))
    while stack:
        item = stack[-1]
        missing = [] if item in order else [one for one in needs[item] if one not in order]
        if not missing:
            order[stack.pop()] = None
        elif item in entered:
            return None
        else:
            entered.add(item)
            stack += sorted(missing, key=lambda one: rank[one], reverse=True)
    return list(order)


def _waiting(units: Sequence[int], needs: Mapping[Item, Collection[Item]]) -> list[Item] | None:
    """Each statement as soon as the statements that it needs are there, with the new nodes that it needs."""
    order: dict[Item, None] = {}

    def needed(item: Item) -> list[Item] | None:
        found: list[Item] = []
        for one in needs[item]:
            inner = [] if one in order else needed(one) if isinstance(one, str) else None
            if inner is None:
                return None
            found += inner
        return [*found, item]

    left = [*units]
    while left:
        ready = next(((item, found) for item in left if (found := needed(item)) is not None), None)
        if ready is None:
            return None
        left.remove(ready[0])
        order |= dict.fromkeys(ready[1])
    return list(order)
