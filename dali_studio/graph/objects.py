"""Arguments that have no JSON form: callables and other Python objects."""

from __future__ import annotations

import enum
import itertools
import weakref
from typing import Final


class MissingObject(enum.Enum):
    """Stands for an object that a document named but could not hold; it must be given again before a run."""

    MISSING = "missing"


MISSING: Final = MissingObject.MISSING

_serials = itertools.count(1)
_known: dict[int, tuple[weakref.ref[object], int]] = {}


def fingerprint(value: object) -> str:
    """A text that is the same for the same object during its life, and never given to another object.

    An ``id`` alone would be reused once the object is gone, and a cache would then show the old object's data.
    Objects without weak references (lists, for example) fall back to their ``id``.
    """
    known = _known.get(id(value))
    if known is not None and known[0]() is value:
        return f"object-{known[1]}"
    try:
        reference = weakref.ref(value)
    except TypeError:
        return f"{type(value).__name__}-{id(value)}"
    _forget_dead()
    serial = next(_serials)
    _known[id(value)] = (reference, serial)
    return f"object-{serial}"


def _forget_dead() -> None:
    for key in [key for key, (reference, _) in _known.items() if reference() is None]:
        del _known[key]
