"""Argument values: from what a user wrote to the JSON form that graphs keep, and on to what operators receive."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, cast

import numpy as np

from dali_studio.core.diagnostics import ArgumentError
from dali_studio.core.enums import DALIDataType, DALIImageType, DALIInterpType
from dali_studio.core.features import features_of, texts_of
from dali_studio.core.limits import MAX_INT, MIN_INT
from dali_studio.core.wording import shortened
from dali_studio.schema.model import ArgumentSchema, ArgumentType, Value

ENUMS: dict[str, type[Enum]] = {
    "data_type": DALIDataType,
    "image_type": DALIImageType,
    "interp_type": DALIInterpType,
    "data_type_list": DALIDataType,
    "interp_type_list": DALIInterpType,
}
#: Element type that a batch must have to feed an argument of each type.
_WIRE_DTYPES: dict[ArgumentType, DALIDataType] = {
    "float": DALIDataType.FLOAT,
    "float_list": DALIDataType.FLOAT,
    "int": DALIDataType.INT32,
    "int_list": DALIDataType.INT32,
    "bool": DALIDataType.BOOL,
    "data_type": DALIDataType.DATA_TYPE,
    "interp_type": DALIDataType.INTERP_TYPE,
}


def wire_dtype(argument: ArgumentSchema) -> DALIDataType | None:
    """The element type that a batch must have to feed an argument; ``None``: any."""
    return None if argument.any_number else _WIRE_DTYPES.get(argument.type)


def canonical(argument: ArgumentSchema, value: object) -> Value:
    """The JSON form of a value that a user gave.

    Parameters
    ----------
    argument
        Whose value it is.
    value
        Python scalars, lists, numpy arrays and scalars, enumeration members or their names.

    Raises
    ------
    ArgumentError
        DS104 for a wrong type, DS105 for a value out of range.
    """
    if value is None:
        if argument.required:
            raise _wrong(argument, value)
        return None
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(cast(Any, value))
        value = (array.ravel() if argument.type.endswith("_list") else array).tolist()  # matrices go row by row
    if argument.type == "features":
        return _to_features(argument, value)
    if argument.type.endswith("_list"):
        items = list(cast(Iterable[object], value)) if _is_sequence(value) else [value]
        result = tuple(_scalar(argument, item) for item in items)
        if argument.length and len(result) not in argument.length:
            lengths = " or ".join(map(str, argument.length))
            raise ArgumentError(
                f"{shortened(value)} has {len(result)} values; {argument.name} takes {lengths}.",
                hint=f"Give {lengths} values.", argument=argument.name,
            )  # fmt: skip
        return result
    if argument.per_output and _is_sequence(value):
        return tuple(None if item is None else _scalar(argument, item) for item in cast(Sequence[object], value))
    if _is_sequence(value):
        if len(cast(Sequence[object], value)) != 1:
            raise _wrong(argument, value)
        value = cast(Sequence[object], value)[0]
    return _scalar(argument, value)


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _scalar(argument: ArgumentSchema, value: object) -> bool | int | float | str:
    convert = _CONVERTERS[argument.type.removesuffix("_list")]
    if isinstance(value, np.ndarray | np.generic):
        value = np.asarray(cast(Any, value)).tolist()
    result = convert(argument, value)
    if isinstance(result, int | float) and not isinstance(result, bool):
        check_range(argument, result)
    if argument.choices and isinstance(result, str) and result not in argument.choices:
        if (meant := argument.spellings.get(result.lower())) is not None:
            return meant
        raise ArgumentError(
            f"{shortened(value)} is not accepted.",
            hint=f"Use one of: {', '.join(argument.choices)}.",
            argument=argument.name,
        )
    return result


def check_range(argument: ArgumentSchema, value: float) -> None:
    """Raise an ArgumentError for a number out of an argument's range."""
    low, high = argument.minimum, argument.maximum
    if (low is None or value >= low) and (high is None or value <= high):
        return
    side = (
        f"below {low:g}" if low is not None and value < low else f"above {high:g}" if value == value else "not a number"
    )
    accepted = f"{low:g} to {high:g}" if low is not None and high is not None else (
        f"{low:g} or more" if low is not None else f"at most {high:g}"
    )  # fmt: skip
    raise ArgumentError(f"{value:g} is {side}.", hint=f"Use {accepted}.", argument=argument.name)


def _to_float(argument: ArgumentSchema, value: object) -> float:
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            raise _too_large(argument, value) from None
    raise _wrong(argument, value)


def _to_int(argument: ArgumentSchema, value: object) -> int:
    if argument.truncated and isinstance(value, float) and math.isfinite(value):
        value = int(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and value.is_integer()):
        if not MIN_INT <= value <= MAX_INT:
            raise _too_large(argument, value)
        return int(value)
    if isinstance(value, Enum):
        return int(value.value)
    raise _wrong(argument, value)


def _too_large(argument: ArgumentSchema, value: object) -> ArgumentError:
    return ArgumentError(
        f"{shortened(value)} does not fit into 64 bits.", hint="Give a smaller number.", argument=argument.name
    )


def _to_bool(argument: ArgumentSchema, value: object) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise _wrong(argument, value)


def _to_string(argument: ArgumentSchema, value: object) -> str:
    if isinstance(value, str):
        return str(value)  # a plain text, also of subclasses
    if hasattr(value, "__fspath__"):
        return str(cast(Any, value).__fspath__())
    if isinstance(value, bool) and str(value) in argument.choices:  # nvidia.dali takes it as its name
        return str(value)
    raise _wrong(argument, value)


def _to_enum(argument: ArgumentSchema, value: object) -> str:
    kind = ENUMS[argument.type]
    if isinstance(value, kind):
        return value.name
    if isinstance(value, str) and value in kind.__members__:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        for member in kind:
            if member.value == value:
                return member.name
    if type(value).__name__ == kind.__name__ and getattr(value, "name", "") in kind.__members__:
        return str(cast(Any, value).name)  # the same enumeration of nvidia.dali's own types module
    raise _wrong(argument, value)


def _to_features(argument: ArgumentSchema, value: object) -> tuple[str, ...]:
    try:
        return texts_of(value)
    except ValueError as error:
        raise ArgumentError(
            f"{error}.", hint=f"Give {_WORDS['features']}.", argument=argument.name, code="DS104"
        ) from None


def _to_object(argument: ArgumentSchema, value: object) -> str:
    raise _wrong(argument, value)


_CONVERTERS: dict[str, Callable[[ArgumentSchema, object], bool | int | float | str]] = {
    "float": _to_float, "int": _to_int, "bool": _to_bool, "string": _to_string, "layout": _to_string,
    "data_type": _to_enum, "image_type": _to_enum, "interp_type": _to_enum,
    "object": _to_object,
}  # fmt: skip
_WORDS = {
    "float": "a number", "int": "an integer", "bool": "True or False", "string": "text", "layout": 'text such as "HWC"',
    "data_type": "a types.DALIDataType", "image_type": "a types.DALIImageType", "interp_type": "a types.DALIInterpType",
    "float_list": "a list of numbers", "int_list": "a list of integers", "string_list": "a list of texts",
    "data_type_list": "a list of types.DALIDataType",
    "features": 'a dictionary such as {"label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1)}',
    "object": "a Python object, which has no form in a document",
}  # fmt: skip


def _wrong(argument: ArgumentSchema, value: object) -> ArgumentError:
    accepted = _WORDS.get(argument.type, argument.type)
    return ArgumentError(
        f"{shortened(value)} ({type(value).__name__}) is not accepted; {argument.name} takes {accepted}.",
        hint=f"Give {accepted}.", argument=argument.name, code="DS104",
    )  # fmt: skip


def typed(argument: ArgumentSchema, value: Value) -> Any:
    """What an operator receives for the JSON form `value`: enumeration names become members, texts features."""
    if argument.type == "features":
        return features_of(value)
    enum = ENUMS.get(argument.type)
    if enum is None or value is None:
        return value
    if isinstance(value, tuple):
        return tuple(None if name is None else enum[str(name)] for name in value)
    return enum[str(value)]
