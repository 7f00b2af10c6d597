"""Values for arguments of operators: good ones, ones at the edge, and wrong ones."""

from __future__ import annotations

import random
from typing import Any

from dali_studio.schema.model import ArgumentSchema
from dali_studio.schema.values import ENUMS
from fuzz.randomness import EDGES, FLOATS, TEXTS

#: Names of the document's form for enumerations, by type.
_MEMBERS = {kind: tuple(enum.__members__) for kind, enum in ENUMS.items()}
_LAYOUTS = ("HWC", "CHW", "", "HW", "FHWC", "XYZ")


def value_for(rng: random.Random, argument: ArgumentSchema, *, good: float = 0.7) -> Any:
    """A value in JSON form; with the probability `good` one of the argument's type and of a size that can be run."""
    kind = argument.type.removesuffix("_list")
    if rng.random() > good:
        return rng.choice((rng.choice(EDGES), rng.choice(FLOATS), rng.choice(TEXTS), None, True, [], [rng.choice(EDGES)] * 2, [1, "a"]))
    if argument.type.endswith("_list") and rng.random() < 0.8:
        length = rng.choice(argument.length or (1, 2, 3)) if rng.random() < 0.9 else rng.randrange(6)
        return [_scalar(rng, kind, argument) for _ in range(length)]
    return _scalar(rng, kind, argument)


def _scalar(rng: random.Random, kind: str, argument: ArgumentSchema) -> Any:
    if argument.choices and rng.random() < 0.9:
        return rng.choice(argument.choices)
    if kind in _MEMBERS:
        return rng.choice(_MEMBERS[kind])
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "string":
        return rng.choice(TEXTS)
    if kind == "layout":
        return rng.choice(_LAYOUTS)
    low = -300 if argument.minimum is None else max(argument.minimum, -300)
    high = 300 if argument.maximum is None else min(argument.maximum, 300)
    edges = [edge for edge in (argument.minimum, argument.maximum, low, high, 0, 1) if edge is not None and abs(edge) < 2**31]
    picked = rng.choice(edges) if rng.random() < 0.4 else rng.uniform(low, high) * rng.choice((0.01, 0.1, 1))
    return int(picked) if kind == "int" else float(picked)
