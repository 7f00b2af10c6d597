"""The operations of arithmetic: their names, notations and element types, all by nvidia.dali's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dali_studio.core.dtypes import is_float, promoted, short_name
from dali_studio.core.enums import DALIDataType

T = DALIDataType
#: "number": the type in which the operands meet; "real": that, or FLOAT for integers; "bits": integers alone; "bool": a
#: comparison.
Rule = Literal["number", "real", "bits", "bool"]


@dataclass(frozen=True)
class Operation:
    """One operation on elements.

    Attributes
    ----------
    name : str
        Its name in nvidia.dali's descriptions of expressions.
    functor : str
        C++ struct in ``kernels/include/arithmetic.hpp`` that computes it.
    arity : int
    rule : Rule
        Which types it takes and gives.
    sign : str
        How Python writes it between its operands (or before one); empty: as a function of ``math`` of the same name.
    swapped : bool
        Whether the functor takes the two operands in the other order.
    """

    name: str
    functor: str
    arity: int
    rule: Rule
    sign: str = ""
    swapped: bool = False

    def result(self, operands: Sequence[DALIDataType]) -> DALIDataType:
        """The element type of the result.

        Raises
        ------
        TypeError
            Where there is no such operation on these types; the message says what there is instead.
        """
        called = f"`{self.sign or self.name}`"
        types = " and ".join(short_name(dtype) for dtype in operands)
        if T.FLOAT16 in operands:
            raise TypeError(f"{called} is not available for float16 (given: {types}). Cast to FLOAT first.")
        if self.rule == "bool":
            return T.BOOL
        if self.rule == "bits":
            if any(is_float(dtype) for dtype in operands):
                raise TypeError(f"{called} takes integers and bools (given: {types}). Cast to an integer type first.")
            return promoted(*operands)
        if all(dtype == T.BOOL for dtype in operands) and self.name != "mul":
            raise TypeError(f"{called} is not available for bools alone. Use & | ^ ~ or *, or cast to a number first.")
        result = promoted(*operands)
        return T.FLOAT if self.rule == "real" and not is_float(result) else result

    def common(self, operands: Sequence[DALIDataType]) -> DALIDataType:
        """The type in which it is computed, which `kernels` may widen further.

        It is that of the result, but for comparisons, and for % of a FLOAT and an integer, which C++'s ``fmod`` takes
        as FLOAT64.
        """
        if self.rule == "bool":
            return promoted(*operands)
        result = self.result(operands)
        mixed = len({is_float(dtype) for dtype in operands}) == 2
        return T.FLOAT64 if self.name == "mod" and mixed else result


_FUNCTIONS = {
    "sqrt": "Root", "rsqrt": "ReciprocalRoot", "cbrt": "CubicRoot", "exp": "Exponential", "log": "Logarithm",
    "log2": "Logarithm2", "log10": "Logarithm10", "fabs": "Absolute", "floor": "Floor", "ceil": "Ceiling",
    "sin": "Sine", "cos": "Cosine", "tan": "Tangent", "asin": "ArcSine", "acos": "ArcCosine", "atan": "ArcTangent",
    "sinh": "SineH", "cosh": "CosineH", "tanh": "TangentH", "asinh": "AreaSine", "acosh": "AreaCosine",
    "atanh": "AreaTangent",
}  # fmt: skip

#: By name.
OPERATIONS: dict[str, Operation] = {
    one.name: one
    for one in (
        Operation("add", "Add", 2, "number", "+"),
        Operation("sub", "Subtract", 2, "number", "-"),
        Operation("mul", "Multiply", 2, "number", "*"),
        Operation("fdiv", "Divide", 2, "real", "/"),
        Operation("div", "Divide", 2, "number", "//"),
        Operation("mod", "Modulo", 2, "number", "%"),
        Operation("pow", "Power", 2, "number", "**"),
        Operation("fpow", "Power", 2, "real"),
        Operation("atan2", "ArcTangent2", 2, "real"),
        Operation("min", "Least", 2, "number"),
        Operation("max", "Most", 2, "number"),
        Operation("clamp", "Clamp", 3, "number"),
        Operation("eq", "Equal", 2, "bool", "=="),
        Operation("neq", "Unequal", 2, "bool", "!="),
        Operation("lt", "Less", 2, "bool", "<"),
        Operation("leq", "LessEqual", 2, "bool", "<="),
        Operation("gt", "Less", 2, "bool", ">", swapped=True),
        Operation("geq", "LessEqual", 2, "bool", ">=", swapped=True),
        Operation("bitand", "And", 2, "bits", "&"),
        Operation("bitor", "Or", 2, "bits", "|"),
        Operation("bitxor", "Xor", 2, "bits", "^"),
        Operation("lshift", "ShiftLeft", 2, "bits", "<<"),
        Operation("rshift", "ShiftRight", 2, "bits", ">>"),
        Operation("minus", "Negative", 1, "number", "-"),
        Operation("bitnot", "Complement", 1, "bits", "~"),
        Operation("abs", "Absolute", 1, "number"),
        *(Operation(name, functor, 1, "real") for name, functor in _FUNCTIONS.items()),
    )
}

#: Python's special methods of two operands, which have a reflected form ``__r...__`` too, by the operation's name.
_REFLECTED = {
    "add": "add", "sub": "sub", "mul": "mul", "fdiv": "truediv", "div": "floordiv", "mod": "mod", "pow": "pow",
    "bitand": "and", "bitor": "or", "bitxor": "xor", "lshift": "lshift", "rshift": "rshift",
}  # fmt: skip
#: Those without: of one operand, and comparisons, which Python reflects itself.
_PLAIN = {
    "minus": "neg", "abs": "abs", "bitnot": "invert", "lt": "lt", "leq": "le", "gt": "gt", "geq": "ge", "eq": "eq",
    "neq": "ne",
}  # fmt: skip


def add_operators(owner: type, apply: Callable[..., Any]) -> None:
    """Give a class Python's operators: each calls `apply` with the operation's name and its operands."""
    for name, method in _REFLECTED.items():
        setattr(owner, f"__{method}__", _method(apply, name))
        setattr(owner, f"__r{method}__", _method(apply, name, reverse=True))
    for name, method in _PLAIN.items():
        setattr(owner, f"__{method}__", _method(apply, name))


def _method(apply: Callable[..., Any], name: str, *, reverse: bool = False) -> Callable[..., Any]:
    def method(self: Any, *other: Any) -> Any:
        return apply(name, *((*other, self) if reverse else (self, *other)))

    method.__doc__ = f"The operation ``{OPERATIONS[name].sign or name}`` on elements."
    return method
