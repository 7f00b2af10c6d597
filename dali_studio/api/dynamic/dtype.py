"""Element types of dynamic mode: ``float32``, ``uint8`` and their like."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Any

import numpy as np

from dali_studio.core.dtypes import from_numpy, to_numpy
from dali_studio.core.enums import DALIDataType

_EXPONENT_BITS = {8: 4, 16: 5, 32: 8, 64: 11}
_BRAIN_FLOAT, _TENSOR_FLOAT = (16, 8, 7), (19, 8, 10)
_FLOAT = re.compile(r"f(\d+)(?:e(\d+)m(\d+))?")
_INTEGER = re.compile(r"([iu])(\d+)")


class Kind(Enum):
    """Sorts of element types."""

    signed = auto()
    unsigned = auto()
    float = auto()
    bool = auto()
    enum = auto()


class DType:
    """An element type.

    Attributes
    ----------
    kind : Kind
    bits, bytes : int
        Size of an element.
    exponent_bits, significand_bits : int or None
        Of floating-point numbers.
    name : str
        Such as ``u8`` or ``f32``.
    type_id : DALIDataType or None
        The same type in pipelines; ``None`` for one that tensors cannot hold.
    """

    Kind = Kind

    def __init__(
        self, kind: Kind, bits: int, exponent_bits: int | None = None, significand_bits: int | None = None,
        bytes: int | None = None, type_id: DALIDataType | None = None,  # noqa: A002 - nvidia.dali's name
        name: str | None = None, docs: str | None = None,
    ) -> None:  # fmt: skip
        self.kind, self.bits, self.bytes = kind, bits, bytes or (bits + 7) // 8
        self.exponent_bits, self.significand_bits = None, None
        if kind is Kind.float:
            exponent = exponent_bits or _EXPONENT_BITS.get(bits)
            if exponent is None:
                raise ValueError(f"{bits} bits have no usual exponent; give exponent_bits and significand_bits.")
            self.exponent_bits, self.significand_bits = exponent, significand_bits or bits - exponent - 1
        self.type_id = type_id or _BY_SHAPE.get(self._shape)
        self.name = name or self._usual_name()
        if docs:
            self.__doc__ = docs

    @property
    def _shape(self) -> tuple[Any, ...]:
        return self.kind, self.bits, self.exponent_bits, self.significand_bits

    def _usual_name(self) -> str:
        if self.kind is Kind.bool:
            return "bool"
        if self.kind is not Kind.float:
            return f"{self.kind.name[0]}{self.bits}".replace("s", "i", 1)
        parts = (self.bits, self.exponent_bits, self.significand_bits)
        special = "bfloat16" if parts == _BRAIN_FLOAT else "tf32" if parts == _TENSOR_FLOAT else ""
        usual = self.exponent_bits == _EXPONENT_BITS.get(self.bits)
        return special or (f"f{self.bits}" if usual else "f{}e{}m{}".format(*parts))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        parts = ""
        if self.kind is Kind.float:
            parts = f", exponent_bits={self.exponent_bits}, significand_bits={self.significand_bits}"
        return f"DType(kind={self.kind}, bits={self.bits}{parts})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DType) or self._shape != other._shape:
            return False
        return self.kind is not Kind.enum or self.type_id == other.type_id

    def __hash__(self) -> int:
        return hash((self._shape, self.type_id if self.kind is Kind.enum else None))

    @staticmethod
    def from_type_id(type_id: DALIDataType) -> DType:
        """The type for one of ``dali_studio.types``."""
        try:
            return _BY_ID[type_id]
        except KeyError:
            raise TypeError(f"{type_id} is no element type of tensors; there are {', '.join(map(str, ALL))}") from None

    @staticmethod
    def from_fw_type(numpy_type: Any) -> DType:
        """The type for one of NumPy or PyTorch."""
        if type(numpy_type).__module__ == "torch":
            numpy_type = str(numpy_type).rpartition(".")[2]
        return DType.from_type_id(from_numpy(numpy_type))

    @staticmethod
    def parse(name: str) -> DType:
        """The type for a name such as ``u8`` or ``f32``.

        Raises
        ------
        ValueError
            For an unknown name.
        """
        if name in _BY_NAME:
            return _BY_NAME[name]
        if found := _INTEGER.fullmatch(name):
            return DType(Kind.signed if found[1] == "i" else Kind.unsigned, int(found[2]))
        if found := _FLOAT.fullmatch(name):
            bits, exponent, significand = (None if part is None else int(part) for part in found.groups())
            return DType(Kind.float, bits or 0, exponent, significand)
        raise ValueError(f"{name!r} is no element type; there are {', '.join(_BY_NAME)}")

    def __call__(self, data: Any, **options: Any) -> Any:
        """A new tensor of this type."""
        from dali_studio.api.dynamic.tensor import tensor  # noqa: PLC0415 - it has a type

        return tensor(data, dtype=self, **options)


_BY_SHAPE: dict[tuple[Any, ...], DALIDataType] = {}


def _of(kind: Kind, type_id: DALIDataType) -> DType:
    made = DType(kind, 8 * to_numpy(type_id).itemsize, type_id=type_id)
    _BY_SHAPE[made._shape] = type_id  # pyright: ignore[reportPrivateUsage] - of the class above
    return made


_T = DALIDataType
int8, int16, int32, int64 = (_of(Kind.signed, one) for one in (_T.INT8, _T.INT16, _T.INT32, _T.INT64))
uint8, uint16, uint32, uint64 = (_of(Kind.unsigned, one) for one in (_T.UINT8, _T.UINT16, _T.UINT32, _T.UINT64))
float16, float32, float64 = (_of(Kind.float, one) for one in (_T.FLOAT16, _T.FLOAT, _T.FLOAT64))
boolean = _of(Kind.bool, _T.BOOL)
#: No tensor has it, here as there.
bfloat16 = DType(Kind.float, *_BRAIN_FLOAT)
DataType = DType(Kind.enum, 32, type_id=_T.DATA_TYPE, name="DataType", docs="Element types of ``dali_studio.types``.")
ImageType = DType(Kind.enum, 32, type_id=_T.IMAGE_TYPE, name="ImageType", docs="Colours of ``dali_studio.types``.")
InterpType = DType(Kind.enum, 32, type_id=_T.INTERP_TYPE, name="InterpType", docs="Filters of ``dali_studio.types``.")

#: What tensors hold.
ALL = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, boolean)
_ENUMS = (DataType, ImageType, InterpType)
_BY_ID = {one.type_id: one for one in (*ALL, *_ENUMS)}
_BY_NAME = {one.name: one for one in (*ALL, bfloat16, *_ENUMS)}

#: What names an element type.
DTypeLike = DType | DALIDataType | str | np.dtype[Any] | type[np.generic]


def dtype(*given: Any) -> DType:
    """The element type that something names: a `DType`, one of ``dali_studio.types``, NumPy or PyTorch, or a text.

    Several arguments are those of `DType`.
    """
    if len(given) != 1:
        return DType(*given)
    (one,) = given
    if isinstance(one, DType):
        return one
    if isinstance(one, DALIDataType):
        return DType.from_type_id(one)
    return DType.parse(one) if isinstance(one, str) else DType.from_fw_type(one)


def type_id(dtype: DType | DALIDataType) -> DALIDataType | None:
    """The same type in pipelines."""
    if isinstance(dtype, DType):
        return dtype.type_id
    if isinstance(dtype, DALIDataType):
        return dtype
    raise ValueError(f"{dtype!r} is no element type; give a DType or one of dali_studio.types.")


def storable(given: Any) -> DALIDataType:
    """The type in pipelines that tensors can hold.

    Raises
    ------
    TypeError
        For bfloat16.
    """
    found = dtype(given)
    if found.type_id is None:
        raise TypeError(f"no tensor here holds {found}; there are {', '.join(map(str, ALL))}")
    return found.type_id
