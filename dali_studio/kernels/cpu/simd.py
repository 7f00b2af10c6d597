"""Portable SIMD values inside numba: vectors of float32 lanes as LLVM vector types.

numba's automatic vectorisation handles contiguous loops, but not "four floats of one pixel" nor de-interleaving.
These intrinsics emit generic LLVM vector operations, which become AVX-512, AVX2, SSE or NEON code as the machine allows.
Offsets count elements from the array's first element, whatever its strides. Nothing here checks bounds: callers must.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

_I32 = ir.IntType(32)
_F32 = ir.FloatType()


class VectorType(types.Type):
    """The numba type of a vector of `lanes` float32 values."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"float32x{lanes}")


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: VectorType) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(_F32, fe_type.lanes))


FLOAT32X1 = VectorType(1)
FLOAT32X4 = VectorType(4)
FLOAT32X16 = VectorType(16)


def _constant(vector: ir.VectorType, value: float) -> ir.Constant:
    return ir.Constant(vector, [value] * vector.count)


def _is_array(array_type: Any) -> bool:
    return isinstance(array_type, types.Array)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any, pointee: Any) -> Any:
    """A pointer to `pointee` at element `offset` of an array's memory, or of an `address`."""
    data = context.make_array(array_type)(context, builder, value=array).data if _is_array(array_type) else array
    return builder.bitcast(builder.gep(data, [offset]), pointee.as_pointer())


def _splat(builder: Any, scalar: Any, lanes: int) -> Any:
    vector = ir.VectorType(scalar.type, lanes)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), _constant(ir.VectorType(_I32, lanes), 0))


def _shuffle(builder: Any, left: Any, right: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(_I32, len(lanes)), lanes))


def _widen(builder: Any, value: Any, dtype: Any) -> Any:
    """Element vector of any supported dtype to float32 lanes."""
    target = ir.VectorType(_F32, value.type.count)
    if dtype == types.float32:
        return value
    if isinstance(dtype, types.Float):
        return builder.fptrunc(value, target)
    return builder.sitofp(value, target) if dtype.signed else builder.uitofp(value, target)


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    function = builder.module.declare_intrinsic(name, [], ir.FunctionType(result, [arg.type for arg in args]))
    return builder.call(function, args)


def _narrow(builder: Any, value: Any, dtype: Any, rounding: str = "rint") -> Any:
    """float32 lanes to an element vector: rounds ("rint": half to even, "round": half away from 0), saturates; NaN is 0."""
    if dtype == types.float32:
        return value
    count = value.type.count
    target = ir.VectorType(ir.IntType(dtype.bitwidth), count)
    info = np.iinfo(dtype.name)
    rounded = _call(builder, f"llvm.{rounding}.v{count}f32", value.type, [value])
    if dtype.bitwidth > 16:  # the bounds are no float32 numbers, so the conversion itself has to saturate
        kind = "fptosi" if dtype.signed else "fptoui"
        return _call(builder, f"llvm.{kind}.sat.v{count}i{dtype.bitwidth}.v{count}f32", target, [rounded])
    low, high = _constant(value.type, float(info.min)), _constant(value.type, float(info.max))
    if info.min < 0:  # an unsigned lower bound is 0 already, where NaN belongs
        ordered = builder.fcmp_ordered("ord", rounded, rounded)
        rounded = builder.select(ordered, rounded, _constant(value.type, 0.0))
    above = builder.select(builder.fcmp_ordered(">", rounded, low), rounded, low)
    inside = builder.select(builder.fcmp_ordered("<", above, high), above, high)
    return builder.trunc(builder.fptosi(inside, ir.VectorType(_I32, count)), target)


@intrinsic
def address(typingctx: Any, array: Any) -> Any:
    """Where an array's memory begins, accepted below wherever an array is.

    Passing an array to another function counts references, which is slow for each pixel; an address has none. The
    array itself must live on: take addresses of arguments, or use a local array again after its address's last use.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(array)(context, builder, value=args[0]).data

    return types.CPointer(array.dtype)(array), codegen


def _make_load(vector: VectorType) -> Any:
    @intrinsic
    def load(typingctx: Any, array: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            element = context.get_data_type(array.dtype)
            memory = ir.VectorType(element, vector.lanes)
            pointer = _pointer(context, builder, array, args[0], args[1], memory)
            return _widen(builder, builder.load(pointer, align=1), array.dtype)

        return vector(array, types.intp), codegen

    return load


def _make_broadcast(vector: VectorType) -> Any:
    @intrinsic
    def broadcast(typingctx: Any, scalar: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _splat(builder, args[0], vector.lanes)

        return vector(types.float32), codegen

    return broadcast


def _make_store(vector: VectorType, rounding: str = "rint") -> Any:
    @intrinsic
    def store(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            narrow = _narrow(builder, args[2], array.dtype, rounding)
            pointer = _pointer(context, builder, array, args[0], args[1], narrow.type)
            builder.store(narrow, pointer, align=1)
            return context.get_dummy_value()

        return types.void(array, types.intp, vector), codegen

    return store


def _make_spread(vector: VectorType) -> Any:
    @intrinsic
    def spread(typingctx: Any, array: Any, offset: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _splat(builder, builder.load(_pointer(context, builder, array, args[0], args[1], _F32)), vector.lanes)

        return vector(array, types.intp), codegen

    return spread


#: load*(array, offset): consecutive elements of any dtype, as float32 lanes.
load1, load4, load16 = _make_load(FLOAT32X1), _make_load(FLOAT32X4), _make_load(FLOAT32X16)
#: spread*(array, offset): one float32 element in all lanes. broadcast*(value): the same of a scalar.
spread1, spread4, spread16 = _make_spread(FLOAT32X1), _make_spread(FLOAT32X4), _make_spread(FLOAT32X16)
broadcast1, broadcast4, broadcast16 = (_make_broadcast(vector) for vector in (FLOAT32X1, FLOAT32X4, FLOAT32X16))
#: store*(array, offset, vector): rounded half to even and saturated to the array's dtype.
store1, store4, store16 = _make_store(FLOAT32X1), _make_store(FLOAT32X4), _make_store(FLOAT32X16)

#: The same, rounded half away from zero.
store1_away, store16_away = _make_store(FLOAT32X1, "round"), _make_store(FLOAT32X16, "round")


@intrinsic
def item(typingctx: Any, array: Any, offset: Any) -> Any:
    """array.flat[offset] of contiguous memory, without the test for a negative index that costs time in inner loops."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, array, args[0], args[1], context.get_data_type(array.dtype))
        return builder.load(pointer)

    return array.dtype(array, types.intp), codegen


def _make_store12(rounding: str) -> Any:
    @intrinsic
    def store(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            narrow = _narrow(builder, args[2], array.dtype, rounding)
            narrow = _shuffle(builder, narrow, narrow, list(range(12)))
            pointer = _pointer(context, builder, array, args[0], args[1], narrow.type)
            builder.store(narrow, pointer, align=1)
            return context.get_dummy_value()

        return types.void(array, types.intp, FLOAT32X16), codegen

    return store


#: The first 12 of 16 lanes; rounded half to even, or half away from zero.
store12, store12_away = _make_store12("rint"), _make_store12("round")


@intrinsic
def muladd(typingctx: Any, left: Any, right: Any, addend: Any) -> Any:
    """left * right + addend, fused where the machine has a fused instruction."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = f"llvm.fmuladd.v{left.lanes}f32"
        return _call(builder, kind, args[0].type, list(args))

    return left(left, left, left), codegen


def _make_arithmetic(method: str) -> Any:
    @intrinsic
    def operation(typingctx: Any, left: Any, right: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, method)(args[0], args[1])

        return left(left, left), codegen

    return operation


add, subtract, multiply = (_make_arithmetic(name) for name in ("fadd", "fsub", "fmul"))


def _make_join(keep: int) -> Any:
    @intrinsic
    def join(typingctx: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            half = [*range(keep), *range(4, 4 + keep), *([0] * (8 - 2 * keep))]
            low, high = _shuffle(builder, args[0], args[1], half), _shuffle(builder, args[2], args[3], half)
            lanes = [*range(2 * keep), *range(8, 8 + 2 * keep), *([0] * (16 - 4 * keep))]
            return _shuffle(builder, low, high, lanes)

        return FLOAT32X16(FLOAT32X4, FLOAT32X4, FLOAT32X4, FLOAT32X4), codegen

    return join


@intrinsic
def pack4(typingctx: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Four one-lane vectors as one of four lanes."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high = _shuffle(builder, args[0], args[1], [0, 1]), _shuffle(builder, args[2], args[3], [0, 1])
        return _shuffle(builder, low, high, [0, 1, 2, 3])

    return FLOAT32X4(FLOAT32X1, FLOAT32X1, FLOAT32X1, FLOAT32X1), codegen


#: Four 4-lane pixels in one vector: their first 3 lanes each (12 lanes used), or all 4.
join3, join4 = _make_join(3), _make_join(4)


@intrinsic
def put(typingctx: Any, array: Any, offset: Any, value: Any) -> Any:
    """array.flat[offset] = value, for a value of the array's dtype and contiguous memory."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, array, args[0], args[1], args[2].type))
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), codegen


def _concatenate(builder: Any, parts: list[Any], lanes: list[int]) -> Any:
    """The chosen lanes of three vectors of 16, numbered 0 to 47 in order."""
    first = _shuffle(builder, parts[0], parts[1], [lane if lane < 32 else 0 for lane in lanes])
    pick = [place if lane < 32 else len(lanes) + lane - 32 for place, lane in enumerate(lanes)]
    return _shuffle(builder, first, parts[2], pick)


@intrinsic
def load16x3(typingctx: Any, array: Any, offset: Any) -> Any:
    """16 interleaved three-channel pixels, as the vectors of their first, second and third channel."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = ir.VectorType(context.get_data_type(array.dtype), 16)
        base = _pointer(context, builder, array, args[0], args[1], memory)
        parts = [builder.load(builder.gep(base, [ir.Constant(_I32, part)]), align=1) for part in range(3)]
        channels = [_concatenate(builder, parts, list(range(channel, 48, 3))) for channel in range(3)]
        values = [_widen(builder, channel, array.dtype) for channel in channels]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(FLOAT32X16, 3)(array, types.intp), codegen


@intrinsic
def store16x3_away(typingctx: Any, array: Any, offset: Any, red: Any, green: Any, blue: Any) -> Any:
    """Interleaves three vectors and stores the 48 values, rounded half away from zero and saturated."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        parts = [_narrow(builder, value, array.dtype, "round") for value in args[2:]]
        base = _pointer(context, builder, array, args[0], args[1], parts[0].type)
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
        base = _pointer(context, builder, src, args[0], args[1], memory)
        parts = [builder.load(builder.gep(base, [ir.Constant(_I32, part)]), align=1) for part in range(3)]
        base = _pointer(context, builder, out, args[2], args[3], memory)
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
        return _shuffle(builder, args[0], args[0], list(range(value.lanes - 1, -1, -1)))

    return value(value), codegen
