"""The messages of a serialized pipeline (protobuf's binary form).

The fields are those of nvidia.dali 2.4's files, where an operator has a name, tensors that it takes and gives, and
arguments, and a list stands as arguments within an argument.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

#: The number of the device of a pipeline without a GPU.
CPU_ONLY = -99999

#: Operators that are syntax in Python.
EXPRESSION, SUBSCRIPT, CONDITION_NOT, TFRECORD = (
    "_ArithmeticGenericOp", "_TensorSubscript", "_conditional__Not_", "readers___TFRecord",
)  # fmt: skip

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_INT64 = 1 << 63
_DEEPEST = 4


@dataclass(frozen=True)
class Tensor:
    """What an operator takes or gives, or the pipeline returns; `argument` is set where it is an argument."""

    name: str
    device: str = "cpu"
    argument: str = ""
    dtype: int = -1
    ndim: int = -1


@dataclass(frozen=True)
class Argument:
    """An argument: a bool, int, float, text, list of them, or a dict by name (a feature of a TFRecord).

    Items of a list are arguments of their own where `several` is set, and else stand side by side, as in shapes.
    """

    name: str
    type: str
    value: Any
    several: bool = False


@dataclass
class Operator:
    """An operator by the name of its schema, such as ``readers__File``."""

    name: str
    inputs: list[Tensor] = field(default_factory=list[Tensor])
    outputs: list[Tensor] = field(default_factory=list[Tensor])
    arguments: list[Argument] = field(default_factory=list[Argument])
    instance: str = ""


@dataclass
class Definition:
    """A pipeline; what is ``None`` was not given."""

    num_threads: int | None = None
    batch_size: int | None = None
    device_id: int | None = None
    seed: int | None = None
    checkpointing: bool = False
    prefetch_queue_depth: int | None = None
    operators: list[Operator] = field(default_factory=list[Operator])
    outputs: list[Tensor] = field(default_factory=list[Tensor])


# ------------------------------------------------------------------------------------------------------------- reading


def decoded(data: bytes) -> Definition:
    """The pipeline in `data`.

    Raises
    ------
    ValueError
        If those are not the bytes of one.
    """
    made = Definition()
    for number, value in _fields(data):
        match number, value:
            case 1, int():
                made.num_threads = _signed(value)
            case 2, int():
                made.batch_size = _signed(value)
            case 5, bytes():
                made.operators.append(_operator(value))
            case 7, bytes():
                made.outputs.append(_tensor(value))
            case 8, int():
                made.device_id = None if _signed(value) == CPU_ONLY else _signed(value)
            case 9, int():
                made.seed = _signed(value)
            case 10, int():
                made.checkpointing = bool(value)
            case 13 | 14, int():
                made.prefetch_queue_depth = max(made.prefetch_queue_depth or 0, _signed(value))
            case _:
                pass  # how it is executed
    if not made.operators:
        raise ValueError("there is no operator in it")
    return made


def _operator(data: bytes) -> Operator:
    made = Operator("")
    for number, value in _fields(data):
        match number, value:
            case 1, bytes():
                made.name = value.decode()
            case 2, bytes():
                made.inputs.append(_tensor(value))
            case 3, bytes():
                made.outputs.append(_tensor(value))
            case 4, bytes():
                made.arguments.append(_argument(value))
            case 5, bytes():
                made.instance = value.decode()
            case _:
                pass
    return made


def _tensor(data: bytes) -> Tensor:
    made = Tensor("")
    for number, value in _fields(data):
        match number, value:
            case 1, bytes():
                made = replace(made, name=value.decode())
            case 2, bytes():
                made = replace(made, device=value.decode())
            case 4, bytes():
                made = replace(made, argument=value.decode())
            case 5, int():
                made = replace(made, dtype=_signed(value))
            case 6, int():
                made = replace(made, ndim=_signed(value))
            case _:
                pass
    return made


def _argument(data: bytes, depth: int = 0) -> Argument:
    if depth > _DEEPEST:
        raise ValueError("arguments stand within arguments without an end")
    made, singles, inner = Argument("", "", None), list[bool | int | float | str](), list[Argument]()
    for number, value in _fields(data):
        match number, value:
            case 1, bytes():
                made = replace(made, name=value.decode())
            case 2, bytes():
                made = replace(made, type=value.decode())
            case 7, bytes():
                inner.append(_argument(value, depth + 1))
            case 8, int():
                made = replace(made, several=bool(value))
            case _:
                singles += _value(number, value)
    if made.several:
        return replace(made, value=[one.value for one in inner])
    if inner:
        return replace(made, value={one.name: one.value for one in inner})
    return replace(made, value=singles[0] if len(singles) == 1 else singles)


def _value(number: int, value: float | bytes) -> list[bool | int | float | str]:
    match number, value:
        case 3, float():
            return [value]
        case 4, int():
            return [_signed(value)]
        case 5, bytes():
            return [value.decode("utf-8", "surrogateescape")]
        case 6, int():
            return [bool(value)]
        case _:
            return []


def _fields(data: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        size, at = (8, at) if kind == _FIXED64 else (4, at) if kind == _FIXED32 else _varint(data, at)
        if kind not in (_FIXED64, _BYTES, _FIXED32) or number == 0 or at + size > len(data):
            raise ValueError(f"its byte {at} is no part of a message, or bytes are missing")
        piece = data[at : at + size]
        yield number, struct.unpack("<f", piece)[0] if kind == _FIXED32 else piece
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError(f"its byte {at} is no part of a message, or bytes are missing")


def _signed(value: int) -> int:
    return value - 2 * _INT64 if value >= _INT64 else value


# ------------------------------------------------------------------------------------------------------------- writing


def encoded(definition: Definition) -> bytes:
    """The bytes of a pipeline."""
    parts = [] if definition.num_threads is None else [_number(1, definition.num_threads)]
    parts += [] if definition.batch_size is None else [_number(2, definition.batch_size)]
    for position, operator in enumerate(definition.operators):
        written = [_text(1, operator.name)]
        written += [_bytes(2, _written(one)) for one in operator.inputs]
        written += [_bytes(3, _written(one)) for one in operator.outputs]
        written += [_bytes(4, _written_argument(one)) for one in operator.arguments]
        parts.append(_bytes(5, b"".join([*written, _text(5, operator.instance), _number(6, position)])))
    parts += [_bytes(7, _written(one) + _number(5, one.dtype) + _number(6, one.ndim)) for one in definition.outputs]
    parts.append(_number(8, CPU_ONLY if definition.device_id is None else definition.device_id))
    parts += [] if definition.seed is None else [_number(9, definition.seed)]
    parts.append(_number(10, int(definition.checkpointing)))
    if definition.prefetch_queue_depth is not None:
        parts += [_number(13, definition.prefetch_queue_depth), _number(14, definition.prefetch_queue_depth)]
    return b"".join(parts)


def _written(one: Tensor) -> bytes:
    parts = [_text(1, one.name), _text(2, one.device), _number(3, int(bool(one.argument)))]
    return b"".join([*parts, *([_text(4, one.argument)] if one.argument else [])])


def _written_argument(one: Argument) -> bytes:
    parts = [_text(1, one.name), _text(2, one.type)]
    if one.several:
        parts += [
            _bytes(7, _written_argument(Argument(f"element {i}", one.type, value)))
            for i, value in enumerate(one.value)
        ]  # fmt: skip
    elif isinstance(one.value, dict):
        fields = cast("dict[str, Argument]", one.value)
        parts += [_bytes(7, _written_argument(inner)) for inner in fields.values()]
    else:
        parts += map(_single, cast("list[Any]", one.value) if isinstance(one.value, list) else [one.value])
    return b"".join([*parts, _number(8, int(one.several))])


def _single(value: bool | float | str) -> bytes:
    if isinstance(value, bool):
        return _number(6, int(value))
    if isinstance(value, int):
        return _number(4, value)
    if isinstance(value, float):
        return _tag(3, _FIXED32) + struct.pack("<f", value)
    return _bytes(5, value.encode("utf-8", "surrogateescape"))


def _tag(number: int, kind: int) -> bytes:
    return bytes([number << 3 | kind])


def _number(number: int, value: int) -> bytes:
    rest, made = value % (2 * _INT64), bytearray(_tag(number, _VARINT))
    while rest > 127:
        made.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*made, rest])


def _bytes(number: int, value: bytes) -> bytes:
    return _tag(number, _BYTES) + _number(0, len(value))[1:] + value


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())
