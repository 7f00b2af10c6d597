"""SIMD on whole pixels: joining, de-interleaving and reversing vectors of three- and four-channel images.

The conventions are those of `simd`: offsets count elements, nothing checks bounds.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dali_studio.kernels.cpu.simd import (
    FLOAT32X1,
    FLOAT32X4,
    FLOAT32X16,
    narrowed,
    pointer_to,
    shuffled,
    widened,
)

_I32 = ir.IntType(32)


def _make_store12(rounding: str) -> Any:
    @intrinsic
    def store(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            narrow = narrowed(builder, args[2], array.dtype, rounding)
            narrow = shuffled(builder, narrow, narrow, list(range(12)))
            pointer = pointer_to(context, builder, array, args[0], args[1], narrow.type)
            builder.store(narrow, pointer, align=1)
            return context.get_dummy_value()

        return types.void(array, types.intp, FLOAT32X16), codegen

    return store


#: store12*(array, offset, vector): the first 12 of 16 lanes; rounded half to even, or half away from zero.
store12, store12_away = _make_store12("rint"), _make_store12("round")


@intrinsic
def pack4(typingctx: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Four one-lane vectors as one of four lanes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high = shuffled(builder, args[0], args[1], [0, 1]), shuffled(builder, args[2], args[3], [0, 1])
        return shuffled(builder, low, high, [0, 1, 2, 3])

    return FLOAT32X4(FLOAT32X1, FLOAT32X1, FLOAT32X1, FLOAT32X1), codegen


def _make_join(keep: int) -> Any:
    @intrinsic
    def join(typingctx: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            half = [*range(keep), *range(4, 4 + keep), *([0] * (8 - 2 * keep))]
            low, high = shuffled(builder, args[0], args[1], half), shuffled(builder, args[2], args[3], half)
            lanes = [*range(2 * keep), *range(8, 8 + 2 * keep), *([0] * (16 - 4 * keep))]
            return shuffled(builder, low, high, lanes)

        return FLOAT32X16(FLOAT32X4, FLOAT32X4, FLOAT32X4, FLOAT32X4), codegen

    return join


#: Four 4-lane pixels in one vector: their first 3 lanes each (12 lanes used), or all 4.
join3, join4 = _make_join(3), _make_join(4)


def _concatenate(builder: Any, parts: list[Any], lanes: list[int]) -> Any:
    """The chosen lanes of three vectors of 16, numbered 0 to 47 in order."""
    first = shuffled(builder, parts[0], parts[1], [lane if lane < 32 else 0 for lane in lanes])
    pick = [place if lane < 32 else len(lanes) + lane - 32 for place, lane in enumerate(lanes)]
    return shuffled(builder, first, parts[2], pick)


@intrinsic
def load16x3(typingctx: Any, array: Any, offset: Any) -> Any:
    """16 interleaved three-channel pixels, as the vectors of their first, second and third channel."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = ir.VectorType(context.get_data_type(array.dtype), 16)
        base = pointer_to(context, builder, array, args[0], args[1], memory)
        parts = [builder.load(builder.gep(base, [ir.Constant(_I32, part)]), align=1) for part in range(3)]
        channels = [_concatenate(builder, parts, list(range(channel, 48, 3))) for channel in range(3)]
        values = [widened(builder, channel, array.dtype) for channel in channels]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(FLOAT32X16, 3)(array, types.intp), codegen


@intrinsic
def store16x3_away(typingctx: Any, array: Any, offset: Any, red: Any, green: Any, blue: Any) -> Any:
    """Interleaves three vectors and stores the 48 values, rounded half away from zero and saturated."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = [narrowed(builder, value, array.dtype, "round") for value in args[2:]]
        base = pointer_to(context, builder, array, args[0], args[1], parts[0].type)
        for part in range(3):
            lanes = [(place % 3) * 16 + place // 3 for place in range(16 * part, 16 * part + 16)]
            value = _concatenate(builder, parts, lanes)
            builder.store(value, builder.gep(base, [ir.Constant(_I32, part)]), align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, red, green, blue), codegen


@intrinsic
def copy16x3_reversed(typingctx: Any, src: Any, at: Any, out: Any, to: Any) -> Any:
    """Copies 16 three-channel pixels of the same dtype in reverse order."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = ir.VectorType(context.get_data_type(src.dtype), 16)
        base = pointer_to(context, builder, src, args[0], args[1], memory)
        parts = [builder.load(builder.gep(base, [ir.Constant(_I32, part)]), align=1) for part in range(3)]
        base = pointer_to(context, builder, out, args[2], args[3], memory)
        order = [3 * (15 - place // 3) + place % 3 for place in range(48)]
        for part in range(3):
            value = _concatenate(builder, parts, order[16 * part : 16 * part + 16])
            builder.store(value, builder.gep(base, [ir.Constant(_I32, part)]), align=1)
        return context.get_dummy_value()

    return types.void(src, types.intp, out, types.intp), codegen


@intrinsic
def reverse(typingctx: Any, value: Any) -> Any:
    """The lanes in reverse order."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return shuffled(builder, args[0], args[0], list(range(value.lanes - 1, -1, -1)))

    return value(value), codegen
