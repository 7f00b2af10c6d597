"""Every operator with arguments and data that are nearly good: edges of types, wrong types, wires, shapes, layouts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from declared import declared
from images import picture

from dali_studio.api.default import default_registry
from dali_studio.codegen.dialects import find
from dali_studio.schema.model import ArgumentSchema, OperatorSchema
from dali_studio.schema.samples import NOT_ALONE, Case, Data, Folder
from dali_studio.schema.values import ENUMS
from fuzz import batches
from fuzz.machine import Memory
from fuzz.outcome import Outcome, compared
from fuzz.peer import NAME, Peer, Verdict
from fuzz.programs import Array, Call, Fed, Member
from fuzz.randomness import of_case
from fuzz.trial import Trial, tried
from fuzz.values import value_for

FAMILY = "arguments"
BATCH = 8
REGISTRY = default_registry()
_SIZES = ((24, 31), (9, 16))
_DTYPES = (np.uint8, np.uint8, np.uint8, np.float32, np.int16, np.float16, np.int64)
_WIRED = {"float": np.float32, "int": np.int32, "bool": np.bool_}


#: Files of these are mutated by another family, as those of readers are.
_OF_DATA_SETS = ("decoders.audio", "decoders.numpy")


def _is_tried(schema: OperatorSchema) -> bool:
    """Not those that cannot be tried alone, that have no function or need one; files have a family of their own."""
    needs_object = any(argument.required and argument.type == "object" for argument in schema.arguments)
    return schema.role not in (*NOT_ALONE, "reader", "arithmetic", "subscript") and schema.name not in _OF_DATA_SETS and not needs_object


OPERATORS = tuple(name for name in REGISTRY if _is_tried(REGISTRY.schema(name)))


@cache
def _cases(operator: str) -> tuple[Case, ...]:
    """Cases that the operator declares; those with files and functions are left out."""
    found = [case for case in REGISTRY.operator(operator).samples()
             if not any(isinstance(value, Folder) or callable(value) for value in case.arguments.values())]  # fmt: skip
    return tuple(found)


@lru_cache(300)
def _samples(data: Data) -> list[Array]:
    return data.samples()


def case(seed: int, number: int) -> tuple[Call, bool]:
    """The call of a case, and whether nvidia.dali may be asked."""
    rng = of_case(FAMILY, seed, number)
    schema = REGISTRY.schema(rng.choice(OPERATORS))
    found = _cases(schema.name)
    arguments: dict[str, Any] = {}
    is_compared = not find(NAME).lacks_operator(schema.name, schema)[0]
    if found and rng.random() < 0.75:
        chosen = rng.choice(found)
        inputs = [Fed(_samples(data), data.layout) for data in chosen.inputs]
        arguments = {name: as_given(schema, name, value) for name, value in chosen.arguments.items()}
        is_compared &= chosen.peer
    else:
        inputs = _pictures(rng, schema)
        arguments = {argument.name: value_of(rng, argument, _count(inputs)) for argument in schema.arguments if argument.required}
    for argument in rng.sample(schema.arguments, min(rng.choice((0, 1, 1, 1, 2, 3)), len(schema.arguments))):
        if argument.type != "object":
            arguments[argument.name] = value_of(rng, argument, _count(inputs) if rng.random() < 0.95 else 3)
    if rng.random() < 0.4 and "encoded" not in [declared.kind for declared in schema.inputs]:
        inputs = _changed(rng, inputs)
    arguments = {name: batches.mutated(rng, value) if isinstance(value, Fed) and rng.random() < 0.3 else value for name, value in arguments.items()}
    call = Call(schema.name, arguments, inputs)
    count = min((len(batch.samples) for batch in call.fed()), default=0)
    if count and rng.random() < 0.1:
        call = Call(schema.name, arguments, inputs, [rng.random() < 0.4 for _ in range(count)])
    return call, is_compared


def content(seed: int, number: int) -> bytes:
    """The call of a case, as text."""
    call, _ = case(seed, number)
    branch = "" if call.branch is None else f", in a branch with {call.branch}"
    return f"fn.{call.operator}({list(call.inputs)}, {call.arguments!r}){branch}\n".encode("utf-8", "backslashreplace")


def as_given(schema: OperatorSchema, name: str, value: Any) -> Any:
    """A value of a declared case, as a program gives it."""
    if isinstance(value, Data):
        return Fed(_samples(value), value.layout)
    if isinstance(value, tuple):
        return [as_given(schema, name, item) for item in value]
    argument = schema.argument(name)
    return _member(argument, value) if argument is not None else value


def _member(argument: ArgumentSchema, value: Any) -> Any:
    kind = ENUMS.get(argument.type.removesuffix("_list"))
    return Member(value) if kind is not None and isinstance(value, str) and value in kind.__members__ else value


def _pictures(rng: random.Random, schema: OperatorSchema) -> list[Fed]:
    """Pictures for all inputs that are needed, whatever these take."""
    dtype, channels, layout = rng.choice(_DTYPES), rng.choice((3, 3, 3, 1, 4)), rng.choice(("HWC", "HWC", "HWC", "CHW", ""))
    made = [picture(*size, channels, dtype, seed) for seed, size in enumerate(_SIZES)]
    made = [np.ascontiguousarray(item.transpose(2, 0, 1)) for item in made] if layout == "CHW" else made
    return [Fed(made, layout) for declared in schema.inputs if not declared.optional]


def _changed(rng: random.Random, inputs: list[Fed]) -> list[Fed]:
    """The inputs with one of them changed, left out, doubled, or in another's place."""
    if not inputs:
        return inputs
    at, kind = rng.randrange(len(inputs)), rng.random()
    if kind < 0.05:
        return [*inputs[:at], *inputs[at + 1 :]]
    if kind < 0.1:
        return [*inputs, inputs[at]]
    if kind < 0.15:
        return rng.sample(inputs, len(inputs))
    return [batches.mutated(rng, batch) if index == at else batch for index, batch in enumerate(inputs)]


def _count(inputs: Sequence[Fed]) -> int:
    return len(inputs[0].samples) if inputs else 4


def value_of(rng: random.Random, argument: ArgumentSchema, count: int) -> Any:
    """A value, a member of an enumeration, or a batch of which each sample gets its part."""
    kind = argument.type.removesuffix("_list")
    if argument.tensor and kind in _WIRED and rng.random() < 0.25:
        shape: tuple[int, ...] = (rng.choice(argument.length or (1, 2, 3)),) if argument.type.endswith("_list") else ()
        dtype = _WIRED[kind] if rng.random() < 0.9 else np.float64
        rows = [np.array([rng.uniform(-3, 30) for _ in range(int(np.prod(shape)))]).reshape(shape).astype(dtype) for _ in range(count)]
        return Fed(rows)
    value = value_for(rng, argument)
    return [_member(argument, item) for item in value] if isinstance(value, list) else _member(argument, value)


def _is_large(call: Call) -> bool:
    """Whether results may be as large as a number says: then only the verdict before the run would be compared."""
    given = [np.concatenate([item.ravel() for item in value.samples]).tolist() if isinstance(value, Fed) and value.samples else value
             for value in call.arguments.values()]  # fmt: skip
    flat = [item for value in given for item in (value if isinstance(value, list) else [value])]
    return any(isinstance(item, int | float) and not isinstance(item, bool) and abs(item) > 3000 for item in flat)


class Arguments:
    """Tries cases; `peer` gives nvidia.dali's verdicts."""

    def __init__(self, peer: Peer) -> None:
        self._peer, self._memory = peer, Memory()

    def check(self, seed: int, numbers: Sequence[int]) -> list[Outcome]:
        """Outcomes of the cases."""
        return [self._one(number, *case(seed, number)) for number in numbers]

    def _one(self, number: int, call: Call, is_compared: bool) -> Outcome:
        found = tried(number, call, _asked(call), self._memory, lambda: self._peer.memory(call) if is_compared else 0)
        if isinstance(found, Outcome):
            return found
        if not (self._peer.available and is_compared) or _is_large(call):
            return found.alone(number, call)
        return judged(number, FAMILY, call, found, self._peer.run(call))


def judged(number: int, family: str, call: Call, given: Trial, theirs: Verdict, more: str = "") -> Outcome:
    """The outcome of a case, of what the two made of it; rules see `more` behind the call."""
    ours, message = given.outputs, given.message
    if theirs.is_none:
        return Outcome(number, call.operator, f"{'refused' if ours is None else 'accepted'}; nvidia.dali {theirs.message}")
    asked = _asked(call) + more
    if ours is None or theirs.arrays is None:
        if ours is None and theirs.arrays is None:
            return Outcome(number, call.operator, "both refuse")
        difference = "refused, accepted" if ours is None else "accepted, refused"
        return compared(number, family, call.operator, difference, f"{asked} {message}", theirs.message)
    trouble = _difference(call, ours, theirs.arrays)
    if trouble:
        return compared(number, family, call.operator, "pixels", f"{asked} {trouble}", "")
    return Outcome(number, call.operator, "both accept")


def _asked(call: Call) -> str:
    """The call as rules and findings see it."""
    branch = "" if call.branch is None else f" branch {call.branch}"
    return f"{call.arguments!r} {list(call.inputs)}{branch}"


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
