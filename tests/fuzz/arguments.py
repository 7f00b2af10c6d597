"""Arguments of every operator: values at the edges of their types, wrong types, wires, several inputs' types."""

from __future__ import annotations

import random
import traceback
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from declared import declared
from images import encoded, picture

from dali_studio.api.default import default_registry
from dali_studio.schema.model import ArgumentSchema, OperatorSchema
from dali_studio.schema.samples import NOT_ALONE
from dali_studio.schema.values import ENUMS
from fuzz import programs
from fuzz.machine import Memory
from fuzz.outcome import Outcome, compared, unexpected
from fuzz.peer import Peer
from fuzz.programs import Array, Call, Member
from fuzz.randomness import of_case
from fuzz.values import value_for

FAMILY = "arguments"
BATCH = 8
MEMORY = 100 * 2**20
REGISTRY = default_registry()
#: Some cannot be tried alone; sources and readers get their data otherwise than by these arguments.
OPERATORS = tuple(name for name in REGISTRY if REGISTRY.schema(name).role not in (*NOT_ALONE, "reader", "arithmetic", "subscript"))
_SIZES = ((24, 31), (9, 16))
_DTYPES = (np.uint8, np.uint8, np.uint8, np.float32, np.int16, np.float16, np.int64)
_WIRED = {"float": np.float32, "int": np.int32, "bool": np.bool_}


@cache
def _files() -> tuple[Array, ...]:
    return tuple(encoded(picture(*size, seed=i), quality=85) for i, size in enumerate(_SIZES))


def case(seed: int, number: int) -> Call:
    """The call of a case."""
    rng = of_case(FAMILY, seed, number)
    schema = REGISTRY.schema(rng.choice(OPERATORS))
    batch, layout = _input(rng, schema)
    chosen = rng.sample(schema.arguments, min(rng.choice((1, 1, 2, 3)), len(schema.arguments)))
    required = [argument for argument in schema.arguments if argument.required]
    arguments = {argument.name: _given(rng, argument) for argument in (*required, *chosen) if argument.type != "object"}
    return Call(schema.name, arguments, batch, layout)


def content(seed: int, number: int) -> bytes:
    """The call of a case, as text."""
    call = case(seed, number)
    batch = None if call.batch is None else [f"{item.dtype} {item.shape}" for item in call.batch]
    return f"fn.{call.operator}({batch}, layout={call.layout!r}, {call.arguments!r})\n".encode()


def _input(rng: random.Random, schema: OperatorSchema) -> tuple[list[Array] | None, str]:
    needed = [declared for declared in schema.inputs if not declared.optional]
    if not needed:
        return None, ""
    if needed[0].kind == "encoded":
        return list(_files()), ""
    dtype, channels, layout = rng.choice(_DTYPES), rng.choice((3, 3, 3, 1, 4)), rng.choice(("HWC", "HWC", "HWC", "CHW", ""))
    made = [picture(*size, channels, dtype, seed) for seed, size in enumerate(_SIZES)]
    return [np.ascontiguousarray(item.transpose(2, 0, 1)) for item in made] if layout == "CHW" else made, layout


def _given(rng: random.Random, argument: ArgumentSchema) -> Any:
    """A value, a member of an enumeration, or an array of which each sample gets its part."""
    kind = argument.type.removesuffix("_list")
    if argument.tensor and kind in _WIRED and rng.random() < 0.25:
        shape: tuple[int, ...] = (len(_SIZES), rng.choice(argument.length or (1, 2, 3))) if argument.type.endswith("_list") else (len(_SIZES),)
        dtype = _WIRED[kind] if rng.random() < 0.9 else np.float64
        return np.array([rng.uniform(-3, 30) for _ in range(int(np.prod(shape)))]).reshape(shape).astype(dtype)
    value = value_for(rng, argument)
    return Member(value) if isinstance(value, str) and argument.type in ENUMS and value in ENUMS[argument.type].__members__ else value


def _is_large(call: Call) -> bool:
    """Whether results may be as large as a number says: then only the verdict before the run would be compared."""
    flat = [item for value in call.arguments.values() for item in (np.ravel(value).tolist() if isinstance(value, np.ndarray | list | tuple) else [value])]
    return any(isinstance(item, int | float) and not isinstance(item, bool) and abs(item) > 3000 for item in flat)


class Arguments:
    """Tries cases; `peer` gives nvidia.dali's verdicts."""

    def __init__(self, peer: Peer) -> None:
        self._peer, self._memory = peer, Memory()

    def check(self, seed: int, numbers: Sequence[int]) -> list[Outcome]:
        """Outcomes of the cases."""
        return [self._one(number, case(seed, number)) for number in numbers]

    def _one(self, number: int, call: Call) -> Outcome:
        ours: list[list[Array]] | None = None
        message = ""
        self._memory.begin()
        try:
            ours = programs.run("dali_studio", call)
        except programs.TooLargeError as error:
            return Outcome(number, call.operator, f"accepted; {error}")
        except Exception as error:  # noqa: BLE001 - what comes out is judged
            kind, message = unexpected(error), str(error)
            if kind:
                told = "".join(traceback.format_exception(error)[-4:]) if kind == "exception" else message
                return Outcome(number, call.operator, "raised", kind, f"{call.arguments!r}\n{told}")
        grown = self._memory.grown()
        size = sum(array.nbytes for output in ours or () for array in output)
        if grown > MEMORY + 10 * size:
            return Outcome(number, call.operator, "too much memory", "memory", f"{call.arguments!r}: {grown / 2**20:.0f} MiB. {message}")
        if not self._peer.available or _is_large(call):
            return Outcome(number, call.operator, "accepted" if ours is not None else "refused")
        return self._compare(number, call, ours, message)

    def _compare(self, number: int, call: Call, ours: list[list[Array]] | None, message: str) -> Outcome:
        theirs = self._peer.run(call)
        if theirs.is_none:
            return Outcome(number, call.operator, f"{'refused' if ours is None else 'accepted'}; nvidia.dali {theirs.message}")
        asked = f"{call.arguments!r}"
        if ours is None or theirs.arrays is None:
            if ours is None and theirs.arrays is None:
                return Outcome(number, call.operator, "both refuse")
            difference = "refused, accepted" if ours is None else "accepted, refused"
            return compared(number, FAMILY, call.operator, difference, f"{asked} {message}", theirs.message)
        trouble = _difference(call, ours, theirs.arrays)
        if trouble:
            return compared(number, FAMILY, call.operator, "pixels", f"{asked} {trouble}", "")
        return Outcome(number, call.operator, "both accept")


def _difference(call: Call, ours: list[list[Array]], theirs: list[list[Array]]) -> str:
    """What differs by more than the operator's tolerance."""
    tolerance = declared(call.operator, **{key: getattr(value, "name", value) for key, value in call.arguments.items()})
    try:
        assert len(ours) == len(theirs), f"{len(ours)} outputs, expected {len(theirs)}"
        for mine, reference in zip(ours, theirs, strict=True):
            for index, (result, expected) in enumerate(zip(mine, reference, strict=True)):
                tolerance.check(result, expected, f"sample {index}")
    except (AssertionError, ValueError) as error:
        return str(error)
    return ""
