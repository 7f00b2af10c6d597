"""What `readers.tfrecord` is to take from each record: descriptions of features, and their text in documents."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dali_studio.core.limits import MAX_INT, MAX_OUTPUTS, MIN_INT
from dali_studio.core.wording import shortened

#: Types of features, with nvidia.dali's numbers.
INT64, STRING, FLOAT32 = 0, 1, 2
TYPE_NAMES = {INT64: "int64", STRING: "string", FLOAT32: "float32"}
_TYPES = {name: number for number, name in TYPE_NAMES.items()}
_DEFAULTS: dict[int, tuple[type, str]] = {INT64: (int, "an int"), STRING: (str, "a str"), FLOAT32: (float, "a float")}
_NUMBERS = {"inf": math.inf, "nan": math.nan}
#: Characters of the text of a feature; axes of its shape.
_LONGEST, _MAX_AXES = 4000, 32


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a record; made by `fixed_length` and `variable_length`.

    Attributes
    ----------
    fixed : bool
        All records have the same number of values.
    shape : tuple of int
        Of the sample; for a variable length, its axes behind the first.
    dtype : int
        One of `TYPE_NAMES`.
    default : int, float or str
        What stands for values that a record does not have.
    """

    fixed: bool
    shape: tuple[int, ...]
    dtype: int
    default: int | float | str

    @property
    def size(self) -> int:
        """Values of `shape`."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        values = [repr(list(self.shape))] if self.fixed or self.shape else []
        kind = "FixedLenFeature" if self.fixed else "VarLenFeature"
        return f"{kind}({', '.join([*values, TYPE_NAMES[self.dtype], repr(self.default)])})"


def fixed_length(shape: Sequence[int], dtype: int, default: Any) -> Feature:
    """A feature with equally many values in all records.

    Raises
    ------
    ValueError
        If one of the arguments is not acceptable.
    """
    return _checked(Feature(True, _extents(shape, least=0), dtype, default))


def variable_length(shape: Sequence[int], dtype: int, default: Any) -> Feature:
    """A feature with any number of values, a multiple of those of `shape`.

    Raises
    ------
    ValueError
        If one of the arguments is not acceptable.
    """
    return _checked(Feature(False, _extents(shape, least=1), dtype, default))


def _extents(shape: Sequence[int], *, least: int) -> tuple[int, ...]:
    wrong = ValueError(f"the shape {shortened(shape)} is no list of whole numbers from {least}")
    try:
        items = tuple(map(operator.index, shape))
    except TypeError:
        raise wrong from None
    if len(items) > _MAX_AXES or any(not least <= item < 2**31 for item in items) or math.prod(items) >= 2**31:
        raise wrong
    return items


def _checked(feature: Feature) -> Feature:
    if isinstance(feature.dtype, bool) or feature.dtype not in TYPE_NAMES:
        raise ValueError(f"the type {shortened(feature.dtype)} is none of {', '.join(_TYPES)}")
    wanted, called = _DEFAULTS[feature.dtype]
    if not isinstance(feature.default, wanted):
        raise ValueError(  # noqa: TRY004 - as all that is not acceptable here
            f"the default of {TYPE_NAMES[feature.dtype]} is {shortened(feature.default)}, not {called}"
        )
    if feature.dtype == INT64 and not MIN_INT <= int(feature.default) <= MAX_INT:
        raise ValueError(f"the default {shortened(feature.default)} does not fit into 64 bits")
    if feature.dtype == STRING and (not feature.fixed or feature.size > 1):
        raise ValueError("tensors of strings are not supported: a string is FixedLenFeature([], string, '')")
    return feature


# ------------------------------------------------------------------------------------------------------------- as texts


def written(name: str, feature: Feature) -> str:
    """``'label': FixedLenFeature([1], int64, -1)``, which `parsed` reads."""
    return f"{name!r}: {feature!r}"


def parsed(text: str) -> tuple[str, Feature]:
    """The name of a feature, and the feature.

    Raises
    ------
    ValueError
        If the text is not what `written` writes.
    """
    wrong = ValueError(f"{shortened(text)} is no feature such as 'label': FixedLenFeature([1], int64, -1)")
    if len(text) > _LONGEST:
        raise wrong
    try:
        tree = ast.parse(f"{{{text}}}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise wrong from None
    match tree:
        case ast.Dict(keys=[ast.Constant(value=str(name))], values=[ast.Call(args=args, keywords=[]) as call]):
            made = _made(_last(call.func), [_argument(argument) for argument in args])
            if made is not None:
                return name, made
        case _:
            pass
    raise wrong


def _made(kind: str, given: Sequence[Any]) -> Feature | None:
    if kind == "FixedLenFeature" and len(given) == 3:
        return fixed_length(*given)
    if kind == "VarLenFeature" and len(given) in (2, 3):
        return variable_length(() if len(given) == 2 else given[0], given[-2], given[-1])
    return None


def _argument(node: ast.expr) -> Any:
    """A number, a text, a list of numbers, or the number of a type; ``None`` for anything else."""
    match node:
        case ast.Constant(value=int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _argument(operand)
            return -value if isinstance(value, int | float) else None
        case ast.Call(func=ast.Name("float"), args=[ast.Constant(value=str(name))]):  # as programs write it
            return _NUMBERS.get(name)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return tuple(_argument(item) for item in items)
        case _:
            name = _last(node)
            return _TYPES.get(name, _NUMBERS.get(name))


def _last(node: ast.expr) -> str:
    """The name, or the last part of a dotted one."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def texts_of(value: object) -> tuple[str, ...]:
    """Features, as documents hold them.

    Parameters
    ----------
    value : mapping of str to Feature, or sequence of str

    Raises
    ------
    ValueError
        If it is neither, or two features have one name.
    """
    if isinstance(value, Mapping):
        pairs: list[tuple[Any, Any]] = list(cast("Mapping[Any, Any]", value).items())
        for name, feature in pairs:
            if not isinstance(name, str) or not isinstance(feature, Feature):
                raise ValueError(  # noqa: TRY004 - likewise
                    f"{shortened(name)} is {shortened(feature)}, not what tfrecord.FixedLenFeature gives"
                )
    elif isinstance(value, list | tuple) and all(isinstance(text, str) for text in cast("Sequence[Any]", value)):
        pairs = [parsed(text) for text in cast("Sequence[str]", value)]
    else:
        raise ValueError(f"{shortened(cast(object, value))} is no dictionary of features")
    if not pairs:
        raise ValueError("no feature is given")
    if len(pairs) > MAX_OUTPUTS or len({name for name, _ in pairs}) < len(pairs):
        raise ValueError(f"there are more than {MAX_OUTPUTS} features, or two of one name")
    return tuple(written(name, feature) for name, feature in pairs)


def features_of(texts: object) -> dict[str, Feature]:
    """What `texts_of` has written; of what a document holds otherwise, the features that can be read."""
    found: dict[str, Feature] = {}
    for text in cast("Sequence[object]", texts) if isinstance(texts, tuple | list) else ():
        try:
            name, feature = parsed(str(text))
        except ValueError:
            continue
        found[name] = feature
    return found
